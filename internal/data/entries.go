package data

import (
	"errors"

	"nmu/internal/matio"
	"nmu/lnmu"
)

// entries reads numbers for the entries of the matrix of the file m, such as a mask or weights, from
// a file of its shape. Rows and columns are brought into the order of the matrix.
type entries struct {
	file       *matio.File
	path       string
	own        matio.Block // the rows and columns of the matrix that are wanted
	rows, cols []int       // the row and column of the matrix for each one of the file
	read       matio.Block // what is read of the file for them
}

// newEntries returns the reader for a block of the matrix. Images of entries have the order of their
// files, whatever their names.
func newEntries(file, m *matio.File, own matio.Block) (e entries, err error) {
	rows, cols := m.Dims()
	e = entries{file: file, path: file.Path(), own: own, read: own}
	byRow, byCol := []int(nil), []int(nil)
	if names, _, _ := file.Images(); names == nil {
		if byRow, err = orderOfInput(m, "row", e.path, file.RowNames()); err != nil {
			return e, err
		}
		if byCol, err = orderOfInput(m, "column", e.path, file.ColNames()); err != nil {
			return e, err
		}
	}
	if byRow != nil {
		e.read.I0, e.read.I1 = 0, rows
	}
	if byCol != nil {
		e.read.J0, e.read.J1 = 0, cols
	}
	e.rows, e.cols = inverse(byRow, rows), inverse(byCol, cols)
	return e, nil
}

// each calls do for each number, with its row and column in the wanted block, until do returns an
// error. It takes the memory of a few lines if the file can be read by lines, and else that of what is
// read.
func (e entries) each(do func(i, j int, x float64) error) error {
	set := func(i, j int, x float64) error {
		i, j = e.rows[i]-e.own.I0, e.cols[j]-e.own.J0
		if i < 0 || i >= e.own.Rows() || j < 0 || j >= e.own.Cols() {
			return nil
		}
		return do(i, j, x)
	}
	lines, err := matio.OpenLines[float64](e.file)
	if errors.Is(err, matio.ErrUnsupported) {
		return e.eachOf(set)
	}
	if err != nil {
		return err
	}
	read := e.read
	rows, cols := e.file.Dims()
	tall := rows >= cols
	if !tall {
		read = matio.Block{I0: read.J0, I1: read.J1, J0: read.I0, J1: read.I1}
	}
	return e.file.Guard(func() error {
		return lines.Each(read.I0, read.I1, func(at int, line []float64) error {
			for k := read.J0; k < read.J1; k++ {
				i, j := at, k
				if !tall {
					i, j = k, at
				}
				if err := set(i, j, line[k]); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// eachOf calls set for each number of a file that cannot be read by lines, with its row and column there.
func (e entries) eachOf(set func(i, j int, x float64) error) error {
	rows, cols := e.file.Dims()
	var d lnmu.Matrix[float64]
	var err error
	if e.read == (matio.Block{I1: rows, J1: cols}) {
		d, err = Dense[float64](e.file)
	} else {
		d, err = Block[float64](e.file, true, e.read)
	}
	if err != nil {
		return err
	}
	return e.file.Guard(func() error {
		for i := range e.read.Rows() {
			for j := range e.read.Cols() {
				if err := set(e.read.I0+i, e.read.J0+j, d.At(i, j)); err != nil {
					return err
				}
			}
		}
		return nil
	})
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
