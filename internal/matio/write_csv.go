package matio

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"unsafe"
)

// Labelled is a matrix with names: element i, j is Data[i*Stride+j]. Names that are
// nil are the numbers from 1.
type Labelled[T Float] struct {
	Rows, Cols int
	Data       []T
	Stride     int
	RowNames   []string
	ColNames   []string
}

// check returns an error unless the sizes fit together.
func (m Labelled[T]) check() error {
	if err := checkStride(m.Rows, m.Cols, len(m.Data), m.Stride); err != nil {
		return err
	}
	if m.RowNames != nil && len(m.RowNames) != m.Rows || m.ColNames != nil && len(m.ColNames) != m.Cols {
		return fmt.Errorf("matio: %d and %d names for a matrix of %d x %d", len(m.RowNames), len(m.ColNames), m.Rows, m.Cols)
	}
	return nil
}

// WriteCSV writes a matrix as a table with commas, a header behind an empty cell and
// labels of the rows, as WriteFile does. Every number has as many digits as make it
// the same again in its precision; the lines end as those of Unix.
func WriteCSV[T Float](path string, m Labelled[T]) error {
	if err := m.check(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return WriteFile(path, func(out io.Writer) error {
		w := csv.NewWriter(out)
		rec := make([]string, m.Cols+1)
		for j := range m.Cols {
			rec[j+1] = nameOf(m.ColNames, j)
		}
		if err := w.Write(rec); err != nil {
			return err
		}
		for i := range m.Rows {
			rec[0] = nameOf(m.RowNames, i)
			for j, x := range m.Data[i*m.Stride : i*m.Stride+m.Cols] {
				rec[j+1] = strconv.FormatFloat(float64(x), 'g', -1, 8*int(unsafe.Sizeof(x)))
			}
			if err := w.Write(rec); err != nil {
				return err
			}
		}
		w.Flush()
		return w.Error()
	})
}

// nameOf returns the name of row or column i.
func nameOf(names []string, i int) string {
	if names == nil {
		return strconv.Itoa(i + 1)
	}
	return names[i]
}
