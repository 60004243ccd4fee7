package data

import (
	"fmt"

	"nmu/internal/matio"
	"nmu/lnmu"
)

// readMask reads a block of the mask of the matrix of the file m. It takes a bit for each entry and, if
// a file can be read by lines, the memory of a few lines.
func (r *Request) readMask(m *matio.File, own matio.Block) (*lnmu.Mask, error) {
	path := r.Mask
	if given := r.Given["mask"]; given != nil {
		if _, _, err := sized(given, "mask", m); err != nil {
			return nil, err
		}
		if err := m.Reserve(MaskBytes(own.Rows(), own.Cols()), "keeping its mask"); err != nil {
			return nil, err
		}
		mask := lnmu.NewMask(own.Rows(), own.Cols())
		for i := range own.Rows() {
			for j := range own.Cols() {
				mask.Set(i, j, given.At(own.I0+i, own.J0+j) != 0)
			}
		}
		return mask, nil
	}
	file, err := m.OpenBeside(path, matio.Options{Transpose: r.Transpose})
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if err := m.Reserve(MaskBytes(own.Rows(), own.Cols()), "reading it and "+path); err != nil {
		return nil, err
	}
	mask := lnmu.NewMask(own.Rows(), own.Cols())
	rows, cols := m.Dims()
	if ofRows, ofCols := file.Dims(); ofRows != rows || ofCols != cols {
		return mask, fillPixels(mask, path, r.Transpose, file, m, own)
	}
	e, err := newEntries(file, m, own)
	if err != nil {
		return nil, err
	}
	return mask, e.each(func(i, j int, x float64) error {
		if x != x {
			return noNumber(path, own.I0+i, own.J0+j)
		}
		mask.Set(i, j, x != 0)
		return nil
	})
}

// MaskBytes returns the memory of a mask.
func MaskBytes(rows, cols int) int64 { return int64(rows) * (int64(cols) + 7) / 8 }

// fillPixels fills a block of a mask from a file that says of each pixel of a scene whether it is observed.
func fillPixels(mask *lnmu.Mask, path string, transposed bool, file, m *matio.File, own matio.Block) error {
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
		for i := range own.Rows() {
			for j := range own.Cols() {
				mask.Set(i, j, x.At(own.I0+i, own.J0+j) != 0)
			}
		}
		return nil
	})
}

// noNumber returns the error for an entry of a mask that is NaN.
func noNumber(path string, i, j int) error {
	return fmt.Errorf("row %d, column %d of %s is no number; choose 0 for missing, 1 for observed", i+1, j+1, path)
}
