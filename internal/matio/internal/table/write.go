package table

import (
	"encoding/csv"
	"io"
	"strconv"
	"unsafe"

	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/output"
)

// Write writes a matrix as comma-separated values. The table has a header
// that begins with an empty cell, and row labels. Every number has the fewest digits that give
// the same value in its precision. Lines end with a line feed.
func Write[T element.Float](out io.Writer, m output.Labelled[T]) error {
	if err := m.Check(); err != nil {
		return err
	}
	w := csv.NewWriter(out)
	rec := make([]string, m.Cols+1)
	for j := range m.Cols {
		rec[j+1] = output.NameOf(m.ColNames, j)
	}
	if err := w.Write(rec); err != nil {
		return err
	}
	for i := range m.Rows {
		rec[0] = output.NameOf(m.RowNames, i)
		for j, x := range m.Data[i*m.Stride : i*m.Stride+m.Cols] {
			rec[j+1] = strconv.FormatFloat(float64(x), 'g', -1, 8*int(unsafe.Sizeof(x)))
		}
		if err := w.Write(rec); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}
