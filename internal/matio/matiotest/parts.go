package matiotest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"nmu/internal/matio"
)

// Rect returns the block of rows i0 to i1-1 and columns j0 to j1-1.
func Rect(i0, i1, j0, j1 int) matio.Block { return matio.Block{I0: i0, I1: i1, J0: j0, J1: j1} }

// Block returns block b of m.
func (m Matrix) Block(b matio.Block) Matrix {
	part := New(b.Rows(), b.Cols(), nil)
	for i := b.I0; i < b.I1; i++ {
		part.Data = append(part.Data, m.Data[i*m.Cols+b.J0:i*m.Cols+b.J1]...)
	}
	return part
}

// Numbered returns a matrix of small integers that differ within each row.
func Numbered(rows, cols int) Matrix {
	m := New(rows, cols, make([]float64, rows*cols))
	for k := range m.Data {
		m.Data[k] = float64(k % 30011)
	}
	return m
}

// NpyOf returns a .npy file with m.
func NpyOf(m Matrix, descr string, fortran bool) []byte {
	data := m.Data
	if fortran {
		data = m.Transpose().Data
	}
	return NpyFile(1, descr, fortran, fmt.Sprintf("(%d, %d)", m.Rows, m.Cols), BytesOf(data, descr))
}

// CSRFolder writes Counts as a csr folder and returns its path. The entries are unsorted, one
// is split in two, and one is zero. change replaces files.
func CSRFolder(t testing.TB, index string, change map[string][]byte) string {
	return FolderOf(t, changed(csr(index), change))
}

// EachBlock calls do for many blocks of a rows x cols matrix, for all if it is small.
func EachBlock(rows, cols int, do func(b matio.Block)) {
	if rows*cols <= 25 {
		for i0 := range rows + 1 {
			for i1 := i0; i1 <= rows; i1++ {
				for j0 := range cols + 1 {
					for j1 := j0; j1 <= cols; j1++ {
						do(Rect(i0, i1, j0, j1))
					}
				}
			}
		}
		return
	}
	do(Rect(0, rows, 0, cols))
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		b := Rect(rnd.IntN(rows+1), rnd.IntN(rows+1), rnd.IntN(cols+1), rnd.IntN(cols+1))
		do(Rect(min(b.I0, b.I1), max(b.I0, b.I1), min(b.J0, b.J1), max(b.J0, b.J1)))
	}
}
