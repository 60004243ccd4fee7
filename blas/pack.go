package blas

import (
	"gonum.org/v1/gonum/blas"

	"nmu/kernel"
)

// copyTo sets to to f. A part of a symmetric matrix is cut at the square on the diagonal that has the same
// rows: on one side of the square the columns are stored, on the other side they are rows of the stored triangle.
func (f factor[T]) copyTo(to matrix[T]) {
	if f.stored != 0 {
		first, last := min(max(f.i, f.j), f.jEnd), min(max(f.iEnd, f.j), f.jEnd)
		f.storedAt(f.stored == blas.Lower, f.j, first).copyTo(to.Slice(0, to.Rows, 0, first-f.j))
		f.storedAt(f.stored == blas.Upper, last, f.jEnd).copyTo(to.Slice(0, to.Rows, last-f.j, to.Cols))
		for i := range to.Rows {
			for j := first; j < last; j++ {
				row, col := f.i+i, j
				if row != col && (row > col) != (f.stored == blas.Lower) {
					row, col = col, row
				}
				to.Row(i)[j-f.j] = f.Data[row*f.Stride+col]
			}
		}
		return
	}
	if f.transposed {
		to.SetTransposed(f.matrix)
		return
	}
	for i := range to.Rows {
		copy(to.Row(i), f.Row(i))
	}
}

// storedAt returns the columns [j, jEnd) of f, which are all on one side of the diagonal. there reports
// whether that side is stored.
func (f factor[T]) storedAt(there bool, j, jEnd int) factor[T] {
	if there {
		return factor[T]{matrix: f.Slice(f.i, f.iEnd, j, jEnd)}
	}
	return factor[T]{matrix: f.Slice(j, jEnd, f.i, f.iEnd), transposed: true}
}

// packPanels copies a factor into consecutive panels of PanelShape. The rows of a panel
// are contiguous. Missing columns of the last panel are not set.
func packPanels[T kernel.Float](to []T, f factor[T]) {
	rows, cols := f.dims()
	_, w := kernel.PanelShape[T]()
	for j := 0; j < cols; j += w {
		width := min(w, cols-j)
		panel := matrix[T]{Rows: rows, Cols: width, Data: to[j*rows : j*rows+rows*w], Stride: w}
		if f.transposed || f.stored != 0 {
			f.part(0, rows, j, j+width).copyTo(panel)
			continue
		}
		at := j
		for k := range rows {
			copy(panel.Data[k*w:k*w+width], f.Data[at:at+width])
			at += f.Stride
		}
	}
}
