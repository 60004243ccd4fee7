package data

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unsafe"

	"nmu/internal/matio"
	"nmu/lnmu"
)

// Dense reads the matrix of an open file. The caller must not change the entries, and must not
// use them after the file is closed.
func Dense[T lnmu.Float](file *matio.File) (lnmu.Dense[T], error) {
	rows, cols, data, err := matio.Dense[T](file)
	if err != nil {
		return lnmu.Dense[T]{}, err
	}
	return lnmu.NewDense(rows, cols, data), nil
}

// Further is a matrix that a command reads beside M, with the names of its rows and columns.
type Further[T lnmu.Float] struct {
	lnmu.Dense[T]
	Path               string
	RowNames, ColNames []string // nil if there are none
	RowAxis            string   // what the names of the rows are, if they are numbers
	images             bool     // the names are those of image files
}

// ReadFurther reads a further matrix into memory, within the memory that the file m leaves, and counts it there. It may be
// transposed, be a table of missing cells, or be a file of this program, as opt says.
func ReadFurther[T lnmu.Float](path string, m *matio.File, opt matio.Options) (x Further[T], err error) {
	file, err := m.OpenBeside(path, opt)
	if err != nil {
		return x, err
	}
	defer file.Close()
	files, _, _ := file.Images()
	x.Path, x.RowNames, x.ColNames, x.images = path, file.RowNames(), file.ColNames(), files != nil
	x.RowAxis, _ = file.Axes()
	if x.Dense, err = Dense[T](file); err != nil {
		return x, err
	}
	size := int64(len(x.Data)) * int64(unsafe.Sizeof(T(0))) // fits: it is mapped or in memory
	if file.Mapped() {
		if err := file.Fits(size, "reading it"); err != nil {
			return x, err
		}
		err = file.Guard(func() error {
			x.Data = slices.Clone(x.Data)
			return nil
		})
	}
	if err == nil {
		err = m.Reserve(size, "reading it and "+path)
	}
	if err == nil {
		x.takeLabels(m)
	}
	return x, err
}

// takeLabels makes the numbers of the first column the names of the rows if they are those of the rows
// of M, in any order: a table may not show that its first column holds no data.
func (x *Further[T]) takeLabels(m *matio.File) {
	names := m.RowNames()
	if x.RowNames != nil || x.Cols < 2 || len(names) != x.Rows {
		return
	}
	labels := make([]string, x.Rows)
	for i := range labels {
		labels[i] = strconv.FormatFloat(float64(x.At(i, 0)), 'f', -1, 8*int(unsafe.Sizeof(T(0))))
	}
	if !same(names, labels) {
		return
	}
	m.Note("column 1 of %s holds the names of the rows and is taken for their labels", x.Path)
	x.RowNames, x.Data, x.Cols = labels, x.Data[1:], x.Cols-1
	if x.ColNames != nil {
		x.ColNames = x.ColNames[1:]
	}
}

// MatchRows brings the rows of x into the order of the rows of M, which the file m holds, if both
// have names.
func (x *Further[T]) MatchRows(m *matio.File) error {
	order, err := orderOfInput(m, "row", x.Path, x.RowNames)
	if err == nil {
		PermuteRows(x.Dense, order)
	}
	return err
}

// MatchCols is MatchRows for columns.
func (x *Further[T]) MatchCols(m *matio.File) error {
	order, err := orderOfInput(m, "column", x.Path, x.ColNames)
	if err == nil {
		PermuteCols(x.Dense, order)
	}
	return err
}

// matchEntries is MatchRows and MatchCols, for a matrix of the shape of M. Images of entries
// have the order of their files, whatever their names.
func (x *Further[T]) matchEntries(m *matio.File) error {
	if x.images {
		return nil
	}
	if err := x.MatchRows(m); err != nil {
		return err
	}
	return x.MatchCols(m)
}

// orderOfInput is Order for the matrix INPUT, whose names a flag can set.
func orderOfInput(m *matio.File, what, path string, have []string) ([]int, error) {
	order, err := Order(m, what, path, have)
	if err != nil {
		err = fmt.Errorf("%w (%s names the %ss of INPUT)", err, m.Setting(what[:3]+"-names", "FILE"), what)
	}
	return order, err
}

// Order returns the index of each row or column of M, which the file m holds, among those of
// the matrix in path, or nil if they are the same. They are matched by name if both matrices
// have names. The file gets a note if the orders differ.
func Order(m *matio.File, what, path string, have []string) ([]int, error) {
	want := m.RowNames()
	if what == "column" {
		want = m.ColNames()
	}
	order, err := match(want, have)
	if mismatch := (*MismatchError)(nil); errors.As(err, &mismatch) {
		return nil, kindError{fmt.Errorf("the %ss of %s and of %s have different names: %s; give both the same %ss, or equal names if they are the same",
			what, m.Path(), path, mismatch.Between(m.Path(), path), what), lnmu.ErrShape}
	}
	if order != nil {
		m.Note("its %ss are those of %s in another order, and are matched by name", what, path)
	}
	return order, err
}

// PermuteRows permutes the rows of d in place: row i becomes the earlier row order[i]. A nil order
// changes nothing.
func PermuteRows[T lnmu.Float](d lnmu.Dense[T], order []int) {
	moved, first := make([]bool, len(order)), make([]T, d.Cols)
	for begin := range order {
		if moved[begin] {
			continue
		}
		copy(first, d.Row(begin)) // of a cycle
		i := begin
		for moved[i] = true; order[i] != begin; moved[i] = true {
			copy(d.Row(i), d.Row(order[i]))
			i = order[i]
		}
		copy(d.Row(i), first)
	}
}

// PermuteCols permutes the columns of d in place: column j becomes the earlier column order[j]. A nil
// order changes nothing.
func PermuteCols[T lnmu.Float](d lnmu.Dense[T], order []int) {
	if order == nil {
		return
	}
	earlier := make([]T, d.Cols)
	for i := range d.Rows {
		row := d.Row(i)
		copy(earlier, row)
		for j, from := range order {
			row[j] = earlier[from]
		}
	}
}
