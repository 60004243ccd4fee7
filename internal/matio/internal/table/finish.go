package table

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/internal/store"
)

// finish makes the matrix from the rows that were read.
func (b *table) finish() error {
	if err := cmp.Or(b.checkDecimals(), b.checkShort(), b.refuseList()); err != nil {
		return err
	}
	names := b.columnNames()
	drop := store.Drop{Cols: make([]bool, len(b.keep))}
	counted := b.counted[0]
	fractions := b.fractions[0]
	if b.firstRow && b.fractions[1] && b.rows > 1 {
		drop.First, counted, fractions = true, b.counted[1], b.fractions[1]
		for k := range b.keep {
			names = append(names, strconv.Itoa(k+1))
		}
		b.f.ColsFrom, b.f.Guessed = "row 1, which counts the columns", true
	} else if b.firstRow {
		b.f.Note("row 1 counts the columns, but is taken for data, as all numbers are whole")
	}
	index := b.RowLabels == "" && !b.labels && len(b.keep) > 1 && b.keep[0] == 0 && counted.labels()
	dropped := b.rows < b.read
	if dropped && drop.First {
		index = false
	}
	if index && b.header == nil && !fractions {
		index = false
		b.f.Note("column 1 counts the rows, but is taken for data, as all numbers are whole")
	}
	if !index && !drop.First && len(b.gaps) > 0 && !b.gaps[0] {
		if err := b.axis(&drop, names); err != nil {
			return err
		}
	}
	if len(b.keep) > 1 {
		b.sayCoordinates(names, index || drop.Cols[0])
	}
	if index {
		drop.Cols[0] = true
		if dropped {
			if err := b.labelBy(&drop); err != nil {
				return err
			}
		}
	}
	if b.Missing == DropCols {
		for k, gap := range b.gaps {
			drop.Cols[k] = drop.Cols[k] || gap
		}
	}
	if b.Missing == Mean {
		if err := b.fillMeans(); err != nil {
			return err
		}
	}
	rows, cols := b.data.Without(b.rows, len(b.keep), drop)
	if named := names; named != nil {
		names = []string{}
		for k, name := range named {
			if !drop.Cols[k] {
				names = append(names, name)
			}
		}
	}
	if index && !dropped && b.f.Spill == nil {
		if err := b.f.Reserve(int64(rows)*input.NameBytes, input.Reading); err != nil {
			return err
		}
		for i := range rows {
			b.names = append(b.names, strconv.Itoa(counted.from+i))
		}
	}
	b.say(index, cols)
	if b.f.Spill != nil {
		b.names = nil
	}
	if rows == 0 {
		cols = 0 // a header alone is no matrix
	}
	b.f.RowNames, b.f.ColNames, b.f.Dense = b.names, names, b.data
	_, err := b.f.SetDims(int64(rows), int64(cols))
	return err
}

// axis makes a first column of numbers under a header the labels of the rows if no other column is like it.
// Its numbers are all different and far larger than all others, or it alone increases, or decreases, over
// enough rows in steps that differ little. If it only looks so, a note says that it is data.
func (b *table) axis(drop *store.Drop, names []string) error {
	s := &b.series
	if b.RowLabels != "" || b.labels || len(b.keep) == 0 || b.keep[0] != 0 || b.counted[0].labels() || !s.alone() && !s.beyond() {
		return nil
	}
	like := "alone increases from row to row"
	switch {
	case s.beyond():
		like = fmt.Sprintf("holds different numbers, more than %d times larger than all others", far)
	case s.down[0]:
		like = "alone decreases from row to row"
	}
	switch many := s.alone() && s.n >= fewestRising; {
	case b.header != nil && (s.beyond() || many && s.even()):
		b.f.RowsFrom, b.f.Guessed = fmt.Sprintf("column 1, %.40q, which %s: %s makes it data", names[0], like, b.f.Setting("row-labels", string(Absent))), true
		return b.labelBy(drop)
	case b.header != nil || many || s.whole && (s.beyond() || b.fractions[0]):
		b.f.Note("column 1 %s, but is taken for data; %s makes it the labels of the rows", like, b.f.Setting("row-labels", string(Present)))
	}
	return nil
}

// labelBy makes the numbers of the first column the labels of the rows.
func (b *table) labelBy(drop *store.Drop) error {
	drop.Cols[0] = true
	if b.f.Spill != nil {
		return nil
	}
	if err := b.f.Reserve(int64(b.rows)*input.NameBytes, input.Reading); err != nil {
		return err
	}
	return b.Each(func(j int, x float64) {
		if j == 0 {
			b.names = append(b.names, strconv.FormatFloat(x, 'f', -1, 64))
		}
	})
}

// checkDecimals refuses numbers of which none shows the decimal sign.
func (b *table) checkDecimals() error {
	if n := b.decimals; n.doubt {
		return fmt.Errorf("%s: %.40q has two readings: %q separates thousands or decimals: %w", b.f.Path, n.first, n.mark, ErrDecimal)
	}
	return nil
}

// checkShort refuses a table of two columns under one name, because the separator may be the
// decimal sign. A first column that may hold labels is accepted, as R writes them: text, a count, or
// numbers that all differ.
func (b *table) checkShort() error {
	if !b.short || b.RowLabels != "" || b.text {
		return nil
	}
	if b.named.broken && !b.distinct() {
		return b.f.BadLine(1, "%s for %d columns, and column 1 does not hold row labels: it holds neither text, nor a count, nor at least 3 numbers that all differ; a line before the header must begin with #", input.Counted(len(b.header), "name", "names"), b.width)
	}
	if b.sep == ',' && b.Separator == 0 && b.width == 2 && !b.fractions[0] {
		return fmt.Errorf("%s: the comma may be the decimal sign, or may separate row labels from numbers; set the separator to %q in the first case, row labels in the second: %w", b.f.Path, ";", ErrDecimal)
	}
	return nil
}

// columnNames returns the names of the columns of numbers, or nil.
func (b *table) columnNames() []string {
	header := b.names0()
	if header == nil {
		return nil
	}
	var names []string
	for _, j := range b.keep {
		names = append(names, header[j])
	}
	return names
}

// say records how the table was read.
func (b *table) say(index bool, cols int) {
	f := b.f
	b.sayCells()
	switch {
	case b.above:
		f.ColsFrom = "the last line above row 1 that begins with #: " + f.Setting("header", string(Absent)) + " ignores it"
	case b.header != nil && b.csv != nil:
		f.ColsFrom = "row 1"
	}
	switch {
	case index:
		f.RowsFrom = b.column(0) + fmt.Sprintf(", which counts the rows from %d", b.counted[0].from)
	case b.labels:
		f.RowsFrom = b.column(0)
		if b.RowLabels == "" && b.header == nil && b.Header == "" && len(b.names) > 0 {
			f.Note("there is no header: row 1, %.40q, is data", b.names[0])
		}
	}
	f.Guessed = f.Guessed || b.header != nil && b.Header == "" || index || b.labels && b.RowLabels == ""
	left := func(format string, args ...any) { f.LeftOut = append(f.LeftOut, fmt.Sprintf(format, args...)) }
	for j := range b.width - b.tail {
		if !(j == 0 && b.labels) && !slices.Contains(b.keep, j) {
			left("%s", b.column(j))
		}
	}
	switch {
	case b.tail == 1:
		left("the last column, which is empty")
	case b.tail > 1:
		left("the last %d columns, which have neither names nor numbers", b.tail)
	}
	if b.comments > 0 {
		left("%s among or behind the rows", input.Counted(b.comments, "line that begins with #", "lines that begin with #"))
	}
	if b.blank > 0 {
		left("%s of separators alone (from line %d)", input.Counted(b.blank, "line", "lines"), b.firstBlank)
	}
	if n := len(b.held); n > 0 {
		left("%s of separators alone at the end (from line %d)", input.Counted(n, "line", "lines"), b.held[0][0])
	}
	switch n := b.read - b.rows; {
	case b.absent == 0:
	case b.Missing == DropRows:
		left("%d of %d rows with missing numbers", n, b.read)
	case b.Missing == DropCols:
		left("%d of %d columns with missing numbers", len(b.keep)-cols, len(b.keep))
	case b.Missing == Zero:
		f.Note("%s set to 0", input.Counted(b.absent, "missing number is", "missing numbers are"))
	case b.Missing == Allow:
		f.Note("%s missing", input.Counted(b.absent, "number is", "numbers are"))
	default:
		f.Note("%s set to the means of their columns", input.Counted(b.absent, "missing number is", "missing numbers are"))
	}
}

// column names a column with its name, if it has one.
func (b *table) column(j int) string {
	s := fmt.Sprintf("column %d", j+1)
	if names := b.names0(); j < len(names) && names[j] != "" {
		s += fmt.Sprintf(", %.40q", names[j])
	}
	return s
}

// fillMeans replaces each missing number by the mean of its column.
func (b *table) fillMeans() error {
	cols := len(b.keep)
	sum, n := make([]float64, cols), make([]int, cols)
	err := b.Each(func(j int, x float64) {
		if !math.IsNaN(x) {
			sum[j] += x
			n[j]++
		}
	})
	if err != nil {
		return err
	}
	for j, gap := range b.gaps {
		if gap && n[j] == 0 {
			return fmt.Errorf("%s: column %d has no numbers, so no mean; leave it out: %w", b.f.Path, b.keep[j]+1, ErrMissing)
		}
	}
	for j := range sum {
		sum[j] /= float64(n[j])
	}
	b.data.ReplaceNaN(sum)
	return nil
}

// Each calls do for each number and its column.
func (b *table) Each(do func(j int, x float64)) error {
	j := 0
	return b.data.Each(func(x float64) {
		do(j, x)
		if j++; j == len(b.keep) {
			j = 0
		}
	})
}
