package input

import (
	"errors"
	"fmt"

	"nmu/internal/matio"
	"nmu/lnmu"
)

// readMask reads a mask of the matrix of the file m. It takes a bit for each entry and, if the
// file can be read by lines, the memory of a few lines.
func readMask(path string, transposed bool, m *matio.File) (*lnmu.Mask, error) {
	file, err := openFurther(path, m, transposed)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	rows, cols := m.Dims()
	if err := m.Reserve(MaskBytes(rows, cols), "reading it and "+path); err != nil {
		return nil, err
	}
	mask := lnmu.NewMask(rows, cols)
	if ofRows, ofCols := file.Dims(); ofRows != rows || ofCols != cols {
		return mask, fillPixels(mask, path, transposed, file, m)
	}
	to, err := newMaskWriter(mask, file, m)
	if err != nil {
		return nil, err
	}
	lines, err := matio.OpenLines[float64](file)
	switch {
	case errors.Is(err, matio.ErrUnsupported):
		d, err := Dense[float64](file)
		if err != nil {
			return nil, err
		}
		return mask, file.Guard(func() error {
			for i := range rows {
				if err := to.line(i, d.Row(i), true); err != nil {
					return err
				}
			}
			return nil
		})
	case err != nil:
		return nil, err
	}
	return mask, file.Guard(func() error {
		return lines.Each(0, max(rows, cols), func(i int, line []float64) error { return to.line(i, line, rows >= cols) })
	})
}

// MaskBytes returns the memory of a mask.
func MaskBytes(rows, cols int) int64 { return int64(rows) * (int64(cols) + 7) / 8 }

// fillPixels fills a mask from a file that says of each pixel of a scene whether it is observed.
func fillPixels(mask *lnmu.Mask, path string, transposed bool, file, m *matio.File) error {
	d, err := Dense[float64](file)
	if err != nil {
		return err
	}
	return file.Guard(func() error {
		x, err := newPixels(path, d, transposed, m)
		if err != nil {
			return err
		}
		for i := range x.Dense.Rows {
			for j, y := range x.Dense.Row(i) {
				if y != y {
					return noNumber(path, i, j)
				}
			}
		}
		for i := range x.rows {
			for j := range x.cols {
				mask.Set(i, j, x.At(i, j) != 0)
			}
		}
		return nil
	})
}

// maskWriter fills in a mask from the lines of a file, whose rows and columns may be in another
// order.
type maskWriter struct {
	mask       *lnmu.Mask
	path       string
	rows, cols []int // the row and column of the mask for each one of the file
}

// newMaskWriter returns the writer for a mask of the matrix of the file m. Images of entries have
// the order of their files, whatever their names.
func newMaskWriter(mask *lnmu.Mask, file, m *matio.File) (w maskWriter, err error) {
	w = maskWriter{mask: mask, path: file.Path()}
	byRow, byCol := []int(nil), []int(nil)
	if names, _, _ := file.Images(); names == nil {
		if byRow, err = orderOfInput(m, "row", w.path, file.RowNames()); err != nil {
			return w, err
		}
		if byCol, err = orderOfInput(m, "column", w.path, file.ColNames()); err != nil {
			return w, err
		}
	}
	rows, cols := mask.Dims()
	w.rows, w.cols = inverse(byRow, rows), inverse(byCol, cols)
	return w, nil
}

// inverse returns the inverse of the order of n things; nil stands for the order that they have.
func inverse(order []int, n int) []int {
	at := make([]int, n)
	for i := range at {
		at[i] = i
	}
	for i, k := range order {
		at[k] = i
	}
	return at
}

// line takes a line of the file, a row or a column.
func (w *maskWriter) line(at int, line []float64, row bool) error {
	for k, x := range line {
		i, j := at, k
		if !row {
			i, j = k, at
		}
		if x != x {
			return noNumber(w.path, i, j)
		}
		w.mask.Set(w.rows[i], w.cols[j], x != 0)
	}
	return nil
}

// noNumber returns the error for an entry of a mask that is NaN.
func noNumber(path string, i, j int) error {
	return fmt.Errorf("row %d, column %d of %s is no number; choose 0 for missing, 1 for observed", i+1, j+1, path)
}
