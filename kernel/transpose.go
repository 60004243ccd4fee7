package kernel

import (
	"fmt"

	"nmu/internal/instance"
)

// The instances of SetTransposed and SetTransposedRows. A Matrix has them in every package with a
// value of this type.
var (
	transpose32, transpose64         = transpose[float32], transpose[float64]
	transposeRows32, transposeRows64 = transposeRows[float32], transposeRows[float64]
)

// Transposed returns a copy of the transpose, whose rows follow one another without gaps.
func (m Matrix[T]) Transposed() Matrix[T] {
	check("what is transposed", m, m.Rows, m.Cols)
	t := Matrix[T]{Rows: m.Cols, Cols: m.Rows, Data: make([]T, m.Rows*m.Cols), Stride: m.Rows}
	t.SetTransposed(m)
	return t
}

// SetTransposed sets dst (n x m) to srcᵀ (m x n), in tiles that stay in cache. It panics if
// the shapes do not fit.
func (dst Matrix[T]) SetTransposed(src Matrix[T]) {
	instance.Of[T, func(dst, src Matrix[T])](transpose32, transpose64)(dst, src)
}

func transpose[T Float](dst, src Matrix[T]) {
	check("src", src, src.Rows, src.Cols)
	check("dst", dst, src.Cols, src.Rows)
	const (
		together = 8   // rows of src that are read side by side: a cache line of float64 in dst
		width    = 256 // columns of src, whose lines in dst stay in L1 until they are full
	)
	for j0 := 0; j0 < src.Cols; j0 += width {
		j1 := min(j0+width, src.Cols)
		i := 0
		for ; i+together <= src.Rows; i += together {
			var x [together][]T
			for k := range x {
				x[k] = src.Row(i + k)[j0:j1]
			}
			eightRows(dst.Data[j0*dst.Stride+i:], dst.Stride, &x)
		}
		for ; i < src.Rows; i++ {
			for j, x := range src.Row(i)[j0:j1] {
				dst.Data[(j0+j)*dst.Stride+i] = x
			}
		}
	}
}

// SetTransposedRows sets column t of dst (n x len(rows)) to row rows[t] of src (m x n). It panics if
// the shapes do not fit or src has no such row.
func (dst Matrix[T]) SetTransposedRows(src Matrix[T], rows []int32) {
	instance.Of[T, func(dst, src Matrix[T], rows []int32)](transposeRows32, transposeRows64)(dst, src, rows)
}

func transposeRows[T Float](dst, src Matrix[T], rows []int32) {
	check("src", src, src.Rows, src.Cols)
	check("dst", dst, src.Cols, len(rows))
	for _, i := range rows {
		if i < 0 || int(i) >= src.Rows {
			panic(fmt.Sprintf("kernel: row %d of src, which has %d", i, src.Rows))
		}
	}
	if src.Cols == 0 {
		return // dst has no rows, and perhaps no Data
	}
	t := 0
	for ; t+8 <= len(rows); t += 8 {
		var x [8][]T
		for k, i := range rows[t : t+8] {
			x[k] = src.Row(int(i))
		}
		eightRows(dst.Data[t:], dst.Stride, &x)
	}
	for ; t < len(rows); t++ {
		for j, x := range src.Row(int(rows[t])) {
			dst.Data[j*dst.Stride+t] = x
		}
	}
}

// eightRows copies eight rows of one length to the columns of dst.
func eightRows[T Float](dst []T, stride int, rows *[8][]T) {
	n := len(rows[0])
	a, b, c, d := rows[0][:n], rows[1][:n], rows[2][:n], rows[3][:n]
	e, f, g, h := rows[4][:n], rows[5][:n], rows[6][:n], rows[7][:n]
	for j := range n {
		to := (*[8]T)(dst[j*stride:])
		to[0], to[1], to[2], to[3] = a[j], b[j], c[j], d[j]
		to[4], to[5], to[6], to[7] = e[j], f[j], g[j], h[j]
	}
}
