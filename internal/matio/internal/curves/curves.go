// Package curves reads folders of text files with two columns, an axis and the values of a curve on it, such as a
// spectrum. Each file is a column of the matrix.
package curves

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/internal/store"
	"nmu/internal/matio/internal/table"
)

// Names lists the files of the folder that may hold curves, in the order of their names.
func Names(f *input.File) ([]string, error) {
	return f.Files(".csv", ".dat", ".gr", ".tsv", ".txt", ".xy")
}

// curves is a dense matrix whose columns come from files of two columns: an axis, and a value at each place of it.
type curves struct {
	f       *input.File
	opt     *table.Options
	first   string    // the first file
	axis    []float64 // of the first file
	outside []bool    // by place of the axis: some file does not reach it
	data    *store.Elements

	others, noted int    // files with another axis, and files with notes
	other         string // the first file with another axis
}

// Open opens a folder of files with two columns. They share the axis of the first file, or opt says that they are
// interpolated on it.
func Open(f *input.File, names []string, opt *table.Options) (err error) {
	if err := f.NoVar(); err != nil {
		return err
	}
	c := &curves{f: f, opt: opt, first: names[0]}
	if c.data, err = store.New(f); err != nil {
		return err
	}
	for _, name := range names {
		if err := c.add(name); err != nil {
			return err
		}
	}
	return c.finish(names)
}

// add adds the curve in a file.
func (c *curves) add(name string) error {
	f := c.f
	p, err := f.Part(name)
	if err != nil {
		return err
	}
	defer p.Close()
	f.Size += p.Size
	p.Used, p.Kind = f.Used, "folder of two-column files"
	x, y, err := c.read(p, name)
	if err != nil {
		return err
	}
	if notes := slices.Concat(p.LeftOut, p.Notes); notes != nil {
		if c.noted++; c.noted == 1 {
			f.Note("%s: %s", name, strings.Join(notes, "; "))
		}
	}
	switch {
	case name == c.first:
		c.axis, c.outside, f.Kind, f.RowAxis, f.RowsFrom = x, make([]bool, len(x)), p.Kind, p.RowAxis, "column 1 of "+name
		if err := f.Reserve(int64(len(x))*(8+input.NameBytes), input.Reading); err != nil {
			return err
		}
	case !slices.Equal(x, c.axis):
		if c.others++; c.others == 1 {
			c.other = name
		}
		if c.opt.Align != table.Interpolate {
			return c.differs(name, x)
		}
		if y, err = c.interpolate(name, x, y); err != nil {
			return err
		}
	}
	for _, v := range y {
		if err := c.data.Add(v); err != nil {
			return err
		}
	}
	return nil
}

// read reads the columns of a file.
func (c *curves) read(p *input.File, name string) (x, y []float64, err error) {
	if err := table.OpenCurve(p, c.opt); errors.Is(err, table.ErrText) {
		return nil, nil, fmt.Errorf("%w; each file in the folder has two columns of numbers, an axis and the values on it", err)
	} else if err != nil {
		return nil, nil, err
	}
	if p.Cols != 2 {
		return nil, nil, p.Unsupported("it has %s: a file in a folder of %s files has two, an axis and the values on it; %s leaves columns out, and nmu convert joins tables row by row",
			input.Counted(p.Cols, "column", "columns"), filepath.Ext(name), c.f.Setting("skip-columns", "3"))
	}
	numbers, err := input.Alloc[float64](p, 2*int64(p.Rows))
	if err != nil {
		return nil, nil, err
	}
	s, err := p.Dense.Open()
	if err != nil {
		return nil, nil, err
	}
	x, y = numbers[:p.Rows], numbers[p.Rows:]
	for i := range x {
		var row [2]float64
		if err := s.Next(row[:]); err != nil {
			return nil, nil, err
		}
		if x[i], y[i] = row[0], row[1]; math.IsNaN(x[i]) || math.IsInf(x[i], 0) {
			return nil, nil, p.Unsupported("row %d has no place on the axis, column 1", i+1)
		}
	}
	return x, y, nil
}

// differs returns the error for a file with another axis than the first.
func (c *curves) differs(name string, x []float64) error {
	where := fmt.Sprintf("%d rows instead of %d", len(x), len(c.axis))
	for i := range min(len(x), len(c.axis)) {
		if x[i] != c.axis[i] {
			where = fmt.Sprintf("%v instead of %v in row %d", x[i], c.axis[i], i+1)
			break
		}
	}
	return c.f.Unsupported("the axis of %s, its column 1, is not that of %s: %s; %s interpolates all files linearly on the axis of %[2]s", name, c.first, where, c.f.Setting("align", table.Interpolate))
}

// interpolate returns the values on the axis of the first file. It marks the places outside the file's axis.
func (c *curves) interpolate(name string, x, y []float64) ([]float64, error) {
	if len(x) > 1 && x[1] < x[0] {
		slices.Reverse(x)
		slices.Reverse(y)
	}
	for k := 1; k < len(x); k++ {
		if !(x[k] > x[k-1]) {
			return nil, c.f.Unsupported("%s cannot be interpolated: its axis, column 1, neither rises nor falls throughout, see %v beside %v", name, x[k-1], x[k])
		}
	}
	values, err := input.Alloc[float64](c.f, int64(len(c.axis)))
	if err != nil {
		return nil, err
	}
	for k, value := range y {
		y[k] = c.f.Meant(value) // between codes lies no number
	}
	defer func() { c.f.Used -= 8 * int64(len(values)) }()
	for i, at := range c.axis {
		switch k, exact := slices.BinarySearch(x, at); {
		case exact:
			values[i] = y[k]
		case k == 0 || k == len(x):
			c.outside[i] = true
		default:
			part := (at - x[k-1]) / (x[k] - x[k-1])
			values[i] = float64(y[k-1]*(1-part)) + float64(y[k]*part)
		}
	}
	return values, nil
}

// finish makes the matrix, without the places that some file does not reach.
func (c *curves) finish(names []string) error {
	f := c.f
	_, rows := c.data.Without(len(names), len(c.axis), store.Drop{Cols: c.outside})
	if rows == 0 && len(c.axis) > 0 {
		return f.Unsupported("the axes of the files have no range in common with that of %s", c.first)
	}
	var least, largest float64
	for i, at := range c.axis {
		if c.outside[i] {
			continue
		}
		if f.RowNames == nil {
			least, largest = at, at
		}
		least, largest = min(least, at), max(largest, at)
		f.RowNames = append(f.RowNames, strconv.FormatFloat(at, 'f', -1, 64))
	}
	if c.others > 0 {
		f.Note("%d of %d files, first %s, interpolated linearly on the axis of %s, from %v to %v", c.others, len(names), c.other, c.first, least, largest)
	}
	if left := len(c.axis) - rows; left > 0 {
		f.LeftOut = append(f.LeftOut, fmt.Sprintf("%d of %d places on the axis of %s, which not all files reach", left, len(c.axis), c.first))
	}
	if c.noted > 1 {
		f.Note("%s notes like those of the first", input.Counted(c.noted-1, "other file has", "other files have"))
	}
	f.ColNames, f.ColsFrom, f.Guessed = names, "the files", true
	f.Dense, f.ByColumns = c.data, true
	_, err := f.SetDims(int64(rows), int64(len(names)))
	return err
}
