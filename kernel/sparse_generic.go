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

// sparseLanes is the number of lanes of the sums of SparseRankOne: as many as hide
// the time of an addition, but few beside the entries of a row.
const sparseLanes = 4

func sparseRankOneGeneric[T Float](c, v []T, s Pattern, n, w []T, up SparseStep[T]) {
	t := 0
	for i := range v {
		first, cols := t, s.Row(i)
		var lane [sparseLanes]T
		for k, j := range cols {
			if up.Update {
				n[t] = step(n[t], up.M[t], T(v[i]*w[j]), up.Mu)
			}
			l := k % sparseLanes
			lane[l] = fma(n[t]+up.G, w[j], lane[l])
			t++
		}
		if up.Inv != 0 {
			v[i] = project(fold(lane[:])+up.Base, up.Inv)
		}
		if v[i] == 0 {
			continue
		}
		for k, j := range cols {
			c[j] = fma(n[first+k]+up.G, v[i], c[j])
		}
	}
}
