package kernel

// Contract sets A = G Xᵀ, that is a[k][i] = Σ_j g[k][j] x[i][j]: the product
// A = N Wᵀ of equation (halsV), stored transposed. A is r x p, X is p x q and
// G is r x q. Each sum runs over j in 64 bytes of lanes. A must not overlap X
// or G; X and G may be the same. 2pqr operations.
func Contract[T Float](a, x, g Matrix[T]) {
	writes("A", a, g.Rows, x.Rows)
	reads("X", x, x.Rows, g.Cols)
	reads("G", g, g.Rows, g.Cols)
	if a.Rows > 0 && a.Cols > 0 {
		contractTiled(a, x, g)
	}
}

func contractGeneric[T Float](a, x, g Matrix[T]) {
	for k := range a.Rows {
		row := a.Row(k)
		for i := range row {
			row[i] = laneDot(x.Row(i), g.Row(k), contractionBytes)
		}
	}
}

// Gram sets the symmetric r x r matrix B = G Gᵀ of an r x q matrix G, with the
// bits of Contract(b, g, g) in half the operations. B must not overlap G.
func Gram[T Float](b, g Matrix[T]) {
	writes("B", b, g.Rows, g.Rows)
	reads("G", g, g.Rows, g.Cols)
	if g.Rows > 0 {
		gramTiled(b, g)
	}
}

func gramGeneric[T Float](b, g Matrix[T]) {
	for k := range b.Rows {
		for l := range k + 1 {
			s := laneDot(g.Row(l), g.Row(k), contractionBytes)
			b.Data[k*b.Stride+l], b.Data[l*b.Stride+k] = s, s
		}
	}
}

// AddProduct adds V W to P, with V given transposed: p[i][j] takes
// fma(vt[k][i], w[k][j], p[i][j]) for k = 0, 1, ... in turn. P is p x q, Vᵀ is
// r x p and W is r x q. P must not overlap Vᵀ or W. 2pqr operations.
func AddProduct[T Float](p, vt, w Matrix[T]) {
	writes("P", p, vt.Cols, w.Cols)
	reads("VT", vt, w.Rows, vt.Cols)
	reads("W", w, w.Rows, w.Cols)
	if p.Rows > 0 && p.Cols > 0 && w.Rows > 0 && !outerTiled(p, w, vt, 1, vt.Stride, true, prefetch[T]{}) {
		addProductGeneric(p, vt, w)
	}
}

func addProductGeneric[T Float](p, vt, w Matrix[T]) {
	for i := range p.Rows {
		row := p.Row(i)
		for k := range vt.Rows {
			v := vt.Data[k*vt.Stride+i]
			for j, b := range w.Row(k) {
				row[j] = fma(v, b, row[j])
			}
		}
	}
}

// Product sets P = V W: AddProduct from zero.
func Product[T Float](p, vt, w Matrix[T]) {
	writes("P", p, vt.Cols, w.Cols)
	reads("VT", vt, w.Rows, vt.Cols)
	reads("W", w, w.Rows, w.Cols)
	if p.Rows == 0 || p.Cols == 0 {
		return
	}
	if w.Rows > 0 && outerTiled(p, w, vt, 1, vt.Stride, false, prefetch[T]{}) {
		return
	}
	for i := range p.Rows {
		clear(p.Row(i))
	}
	addProductGeneric(p, vt, w)
}

// UpdateMultiplierProduct is Product and UpdateMultiplier in one pass over N and M: it forms P
// = V W one tile at a time. N and M are p x q, VT is r x p (V transposed), W is r x q; N may
// overlap none of them. 2pqr operations.
func UpdateMultiplierProduct[T Float](n, m, vt, w Matrix[T], mu T) {
	writes("N", n, n.Rows, n.Cols)
	reads("M", m, n.Rows, n.Cols)
	reads("VT", vt, vt.Rows, n.Rows)
	reads("W", w, vt.Rows, n.Cols)
	if n.Rows > 0 && n.Cols > 0 {
		updateProductTiled(n, m, vt, w, mu)
	}
}

func updateProductGeneric[T Float](n, m, vt, w Matrix[T], mu T) {
	var tile [64]T // of P, in a row
	for i := range n.Rows {
		for j := 0; j < n.Cols; j += len(tile) {
			nr, mr := n.Row(i)[j:min(j+len(tile), n.Cols)], m.Row(i)[j:]
			p := tile[:len(nr)]
			clear(p)
			for k := range vt.Rows {
				v := vt.Data[k*vt.Stride+i]
				for l, b := range w.Row(k)[j : j+len(p)] {
					p[l] = fma(v, b, p[l])
				}
			}
			for l := range nr {
				nr[l] = step(nr[l], mr[l], p[l], mu)
			}
		}
	}
}

// Accumulate adds Vᵀ X to C: c[k][j] takes fma(vt[k][i], x[i][j], c[k][j]) for
// i = 0, 1, ... in turn: the product C = Vᵀ N of equation (halsW), a block of
// rows at a time. C is r x q, Vᵀ is r x p and X is p x q. C must not overlap
// Vᵀ or X. 2pqr operations.
func Accumulate[T Float](c, vt, x Matrix[T]) {
	AccumulateAhead(c, vt, x, Matrix[T]{}, Matrix[T]{})
}

// AccumulateAhead is Accumulate, and prefetches N and M into L2 meanwhile: the rows of them
// that the caller needs next. They are p x q, or zero Matrices where there are none. The
// stride of N is best that of X. Neither is read, so that another goroutine may write them.
func AccumulateAhead[T Float](c, vt, x, n, m Matrix[T]) {
	writes("C", c, vt.Rows, x.Cols)
	reads("VT", vt, vt.Rows, x.Rows)
	reads("X", x, x.Rows, x.Cols)
	checkAhead("N", n, x)
	checkAhead("M", m, x)
	next := prefetch[T]{n, m}
	if n.Data == nil {
		next = prefetch[T]{m, n}
	}
	if c.Rows > 0 && c.Cols > 0 && x.Rows > 0 && !outerTiled(c, x, vt, vt.Stride, 1, true, next) {
		accumulateGeneric(c, vt, x)
	}
}

// checkAhead panics unless m has the shape of X or is a zero Matrix.
func checkAhead[T Float](name string, m, x Matrix[T]) {
	if m.Rows != 0 || m.Cols != 0 || m.Stride != 0 || m.Data != nil {
		check(name, m, x.Rows, x.Cols)
	}
}

func accumulateGeneric[T Float](c, vt, x Matrix[T]) {
	for k := range c.Rows {
		row := c.Row(k)
		for i := range x.Rows {
			v := vt.Data[k*vt.Stride+i]
			for j, b := range x.Row(i) {
				row[j] = fma(v, b, row[j])
			}
		}
	}
}
