package kernel

// The specification of the sparse kernels; see kernel_generic.go.

func addSparseProductGeneric[T Float](a Matrix[T], s Pattern, n []T, g T, x Matrix[T]) {
	t := 0
	for i := range s.Rows() {
		row := a.Row(i)
		for _, j := range s.Row(i) {
			c := n[t] + g
			for k, b := range x.Row(int(j)) {
				row[k] = fma(c, b, row[k])
			}
			t++
		}
	}
}

func addTransposedGeneric[T Float](c Matrix[T], s Pattern, n []T, g T, v Matrix[T]) {
	t := 0
	for i := range s.Rows() {
		row := v.Row(i)
		for _, j := range s.Row(i) {
			b, to := n[t]+g, c.Row(int(j))
			for k, x := range row {
				to[k] = fma(b, x, to[k])
			}
			t++
		}
	}
}

func sampledProductGeneric[T Float](p []T, s Pattern, v, x Matrix[T]) {
	t := 0
	for i := range s.Rows() {
		row := v.Row(i)
		for _, j := range s.Row(i) {
			p[t] = laneDot(row, x.Row(int(j)), contractionBytes)
			t++
		}
	}
}
