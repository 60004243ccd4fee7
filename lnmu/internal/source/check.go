package source

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	"nmu/kernel"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
)

// checkRows returns an error for the first row that holds an entry that is negative or
// not finite, or whose squares leave the range of T. The first row of s is row first of
// the matrix of that name, or of its part.
func (s Dense[T]) checkRows(name string, first int) error {
	from := s.Window().Rows.From
	return s.eachRow(func(i int, row []T) error {
		i += first
		if err := matrix.CheckRow(name, i, row); err != nil {
			return s.Window().Located(err)
		}
		if math.IsInf(float64(kernel.SumSquares(row)), 0) {
			return fmt.Errorf("%w: the squares of row %d of %s overflow; scale %s down", fault.ErrValue, from+i+1, name, name)
		}
		if most := kernel.Max(row); most > 0 && most*most == 0 {
			return fmt.Errorf("%w: the squares of row %d of %s underflow; scale %s up", fault.ErrValue, from+i+1, name, name)
		}
		return nil
	})
}

// normSlabs is an upper bound for the bytes of slabs in memory at the same time, unless the
// slabs of one thread need more. A wide matrix needs whole slabs.
const normSlabs = 64 << 20

// A row of a wide M has entries in the lines of all processes. Its squares are first added up
// in float64. Only a row that may leave the range of T is then gathered and checked as a whole.

// rowTotal is the approximate sum of squares of a row of M, and its largest entry.
type rowTotal struct{ squares, largest float64 }

// add adds an entry.
func (r *rowTotal) add(x float64) {
	r.squares += float64(x * x)
	r.largest = max(r.largest, x)
}

// check is checkRows in all processes: an error of one is an error of all.
func (s Dense[T]) check(name string) error {
	if !s.Part.Columns || !s.Share.Distributed() {
		return group.Agree(s.Share, s.checkRows(name, 0))
	}
	return s.checkColumns(name)
}

// checkTotals returns an error, in all processes, for the first row of a wide M whose squares
// leave the range of T. totals are those of the columns of this process, and load reads the
// entries of some rows in these columns.
func (s Dense[T]) checkTotals(name string, totals []rowTotal, load func(rows []int, to kernel.Matrix[T]) error) error {
	own := slices.Clone(totals)
	clear(totals)
	group.Ring(s.Share, group.Memory(totals), func() {
		for i, x := range own {
			totals[i].squares += x.squares
			totals[i].largest = max(totals[i].largest, x.largest)
		}
	})
	var large []int
	small := -1 // the first row whose squares underflow
	for i, x := range totals {
		if most := T(x.largest); most > 0 && most*most == 0 {
			small = i
			break
		}
		if !(x.squares < matrix.Largest[T]()/2) {
			large = append(large, i)
		}
	}
	lines, _ := s.Lines()
	strip := max(1, min(len(large), normSlabs/(max(lines, 1)*int(unsafe.Sizeof(T(0))))))
	rows := matrix.New[T](strip, lines, nil)
	var err error
	for k, i := range large {
		if k%strip == 0 && err == nil {
			err = load(large[k:min(k+strip, len(large))], rows)
		}
		if err := group.Agree(s.Share, err); err != nil {
			return err
		}
		if s.overflows(matrix.AsRow(rows.Row(k % strip))) {
			return fmt.Errorf("%w: the squares of row %d of %s overflow; scale %s down", fault.ErrValue, i+1, name, name)
		}
	}
	if small >= 0 {
		return fmt.Errorf("%w: the squares of row %d of %s underflow; scale %s up", fault.ErrValue, small+1, name, name)
	}
	return nil
}

// overflows reports in all processes whether the squares of a row of M overflow. Each process
// has a part of the row.
func (s Dense[T]) overflows(part kernel.Matrix[T]) bool {
	d := group.Distributed[T]{X: part, Columns: true, First: s.Part.First, Whole: s.Part.Whole}
	over := false
	if s.Share.Rank() > 0 {
		group.Send[T](s.Share, d)
	} else {
		row := make([]T, 0, s.Part.Whole)
		group.Gather[T](s.Share, d, func(numbers []T) { row = append(row, numbers...) })
		over = math.IsInf(float64(kernel.SumSquares(row)), 0)
	}
	s.Share.Broadcast(group.Bytes(&over))
	return over
}
