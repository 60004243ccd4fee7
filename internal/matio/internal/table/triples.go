package table

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"nmu/internal/matio/internal/input"
)

// The words of a header that shows a list of triples. The fourth column may be absent.
var tripleWords = [][]string{{"row", "i", "user", "userid", "user_id"}, {"column", "col", "j", "item", "itemid", "item_id", "movie", "movieid", "movie_id"}, {"value", "count", "rating"}, {"time", "timestamp"}}

// isTriples says whether a header is that of a list of triples.
func isTriples(cells []string) bool {
	if len(cells) != 3 && len(cells) != 4 {
		return false
	}
	for x, cell := range cells {
		if !slices.Contains(tripleWords[x], strings.ToLower(cell)) {
			return false
		}
	}
	return true
}

// triples is a sparse matrix while it is read from a list of rows, columns and values.
type triples struct {
	*table
	axes [2]axis // of rows and columns
	held input.Entries
}

// axis numbers the labels of rows or of columns.
type axis struct {
	at     map[string]int32
	labels []string // in the order in which they come
}

// number returns the number of a label, and adds it if it is new.
func (a *axis) number(f *input.File, label string) (int32, error) {
	if k, ok := a.at[label]; ok {
		return k, nil
	}
	if len(a.labels) == math.MaxInt32 {
		return 0, f.TooLarge("more than %d rows or columns", math.MaxInt32)
	}
	const inMap = 64 // bytes of a label beside its text
	if err := f.Reserve(int64(len(label))+input.NameBytes+inMap, input.Reading); err != nil {
		return 0, err
	}
	label = strings.Clone(label)
	k := int32(len(a.labels))
	a.at[label] = k
	a.labels = append(a.labels, label)
	return k, nil
}

// sort brings labels that are all whole numbers into their order, and returns the new place of each
// label, or nil.
func (a *axis) sort() []int32 {
	numbers := make([]int64, len(a.labels))
	order := make([]int32, len(a.labels))
	for k, label := range a.labels {
		n, err := strconv.ParseInt(label, 10, 64)
		if err != nil {
			return nil
		}
		numbers[k], order[k] = n, int32(k)
	}
	slices.SortStableFunc(order, func(x, y int32) int { return cmp.Compare(numbers[x], numbers[y]) })
	place, labels := make([]int32, len(order)), make([]string, len(order))
	for to, from := range order {
		place[from], labels[to] = int32(to), a.labels[from]
	}
	a.labels = labels
	return place
}

// openTriples reads a list of triples, whose first rows are head.
func (b *table) openTriples(head []record) error {
	f := b.f
	switch {
	case len(b.Skip) > 0:
		return f.Unsupported("columns of a list of triples cannot be skipped: its first three are row, column and value")
	case b.Missing == DropCols || b.Missing == Mean:
		return f.Unsupported("an entry without a value in a list of triples is dropped (%s), zero (%s) or missing (%s)", DropRows, Zero, Allow)
	case len(head) == 0:
		return f.BadLine(1, "a list of triples without any")
	}
	s := &triples{table: b, axes: [2]axis{{at: map[string]int32{}}, {at: map[string]int32{}}}}
	s.held.ByRow = true
	b.width = len(head[0].cells)
	if b.width != 3 && b.width != 4 {
		return f.BadLine(head[0].line, "%d cells; a list of triples has row, column and value, and perhaps a time", b.width)
	}
	header := b.Header == Present
	if b.Header == "" {
		value := b.plain(head[:1])[0].cells[2]
		_, below := limitIn(value)
		header = isTriples(head[0].cells) || isText(value) && !below
	}
	if header {
		b.header = slices.Clone(head[0].cells)
		head = head[1:]
	}
	if err := b.rest(head, s.add); err != nil {
		return err
	}
	return s.end()
}

// add adds a row of the list.
func (s *triples) add(rec record) error {
	f := s.f
	if len(rec.cells) != s.width {
		return f.BadLine(rec.line, "%d cells, but the first row has %d", len(rec.cells), s.width)
	}
	v, err := s.number(rec.cells[2])
	switch {
	case err == errNone && s.Missing == DropRows:
		s.read++
		return nil
	case err == errNone && s.Missing == Zero:
		v = 0
	case err == errNone && s.Missing == Allow:
		v = math.NaN()
	case err != nil:
		return s.badCell(rec, 2, err)
	}
	for x, what := range []string{"row", "column"} {
		if rec.cells[x] == "" {
			return fmt.Errorf("%s: line %d: the %s has no name: %w", f.Path, rec.line, what, ErrMissing)
		}
	}
	s.read++
	i, err := s.axes[0].number(f, rec.cells[0])
	if err != nil {
		return err
	}
	j, err := s.axes[1].number(f, rec.cells[1])
	if err != nil {
		return err
	}
	const least = 12 // bytes of most lines
	return s.held.Add(f, i, j, v, f.Size/least, math.MaxInt64)
}

// end makes the matrix.
func (s *triples) end() error {
	f, e := s.f, &s.held
	if err := s.checkDecimals(); err != nil {
		return err
	}
	for x, list := range [][]int32{e.Major, e.Minor} {
		if place := s.axes[x].sort(); place != nil {
			for k := range list {
				list[k] = place[list[k]]
			}
		}
	}
	f.Sparse = input.Kept(e)
	f.RowNames, f.ColNames = s.axes[0].labels, s.axes[1].labels
	if s.width == 4 {
		if n := int64(len(f.RowNames)) * int64(len(f.ColNames)); int64(len(e.Val)) > n {
			return f.Unsupported("%d rows of four columns for %d pairs of a row and a column: the third column is a coordinate, not the value, and the fourth would be left out; make it a table with a row for each value of one coordinate and a column for each point of the others", len(e.Val), n)
		}
		f.LeftOut = []string{s.column(3)}
	}
	f.Kind = fmt.Sprintf("list of %d entries by row, column and value, of which the others are 0", len(e.Val))
	s.sayCells()
	f.RowsFrom, f.ColsFrom, f.Guessed = s.column(0), s.column(1), true
	_, err := f.SetDims(int64(len(f.RowNames)), int64(len(f.ColNames)))
	return err
}
