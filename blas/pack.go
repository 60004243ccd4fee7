package blas

import "nmu/kernel"

// copyFactor sets to to alpha f, transposed if f is.
func copyFactor[T kernel.Float](to matrix[T], f factor[T], alpha T) {
	if f.transposed {
		to.SetTransposed(f.matrix)
	} else {
		for i := range to.Rows {
			copy(to.Row(i), f.Row(i))
		}
	}
	for i := 0; i < to.Rows && alpha != 1; i++ {
		kernel.Scale(to.Row(i), alpha)
	}
}

// packPanels copies a factor into consecutive panels of PanelShape. The rows of a panel
// are contiguous. Missing columns of the last panel are not set.
func packPanels[T kernel.Float](to []T, f factor[T]) {
	rows, cols := f.dims()
	_, w := kernel.PanelShape[T]()
	for j := 0; j < cols; j += w {
		width := min(w, cols-j)
		panel := matrix[T]{Rows: rows, Cols: width, Data: to[j*rows : j*rows+rows*w], Stride: w}
		if f.transposed {
			panel.SetTransposed(f.Slice(j, j+width, 0, rows))
			continue
		}
		at := j
		for k := range rows {
			copy(panel.Data[k*w:k*w+width], f.Data[at:at+width])
			at += f.Stride
		}
	}
}
