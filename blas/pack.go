package blas

import "nmu/kernel"

// transpose sets to, rows x cols, to the transpose of from. The rows of from have at most the
// length of a block, so that they stay in the nearest cache.
func transpose[T kernel.Float](to, from matrix[T]) {
	j := 0
	for ; j+8 <= from.Rows; j += 8 {
		r0, r1, r2, r3 := from.Row(j), from.Row(j+1), from.Row(j+2), from.Row(j+3)
		r4, r5, r6, r7 := from.Row(j+4), from.Row(j+5), from.Row(j+6), from.Row(j+7)
		n := len(r0)
		r1, r2, r3, r4, r5, r6, r7 = r1[:n], r2[:n], r3[:n], r4[:n], r5[:n], r6[:n], r7[:n]
		at := j
		for k := range r0 {
			d := (*[8]T)(to.Data[at : at+8])
			d[0], d[1], d[2], d[3] = r0[k], r1[k], r2[k], r3[k]
			d[4], d[5], d[6], d[7] = r4[k], r5[k], r6[k], r7[k]
			at += to.Stride
		}
	}
	for ; j < from.Rows; j++ {
		at := j
		for _, x := range from.Row(j) {
			to.Data[at] = x
			at += to.Stride
		}
	}
}

// copyFactor sets to to alpha f, transposed if f is.
func copyFactor[T kernel.Float](to matrix[T], f factor[T], alpha T) {
	if f.transposed {
		transpose(to, f.matrix)
	} else {
		for i := range to.Rows {
			copy(to.Row(i), f.Row(i))
		}
	}
	for i := 0; i < to.Rows && alpha != 1; i++ {
		kernel.Scale(to.Row(i), alpha)
	}
}

// packPanels copies a factor into consecutive panels of PanelCols columns. The rows of a panel
// are contiguous. Missing columns of the last panel are not set.
func packPanels[T kernel.Float](to []T, f factor[T]) {
	rows, cols := f.dims()
	w := kernel.PanelCols[T]()
	for j := 0; j < cols; j += w {
		width := min(w, cols-j)
		panel := matrix[T]{Rows: rows, Cols: width, Data: to[j*rows : j*rows+rows*w], Stride: w}
		if f.transposed {
			transpose(panel, f.Slice(j, j+width, 0, rows))
			continue
		}
		at := j
		for k := range rows {
			copy(panel.Data[k*w:k*w+width], f.Data[at:at+width])
			at += f.Stride
		}
	}
}
