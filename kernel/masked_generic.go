package kernel

import "unsafe"

// The specification of the kernels with a mask, as kernel_generic.go is that of the
// others.

func keepGeneric[T Float](x Matrix[T], seen Bits) {
	for i := range x.Rows {
		row := x.Row(i)
		for j := range row {
			if !seen.At(i, j) {
				row[j] = 0
			}
		}
	}
}

func imputeGeneric[T Float](n, m Matrix[T], seen Bits) {
	for i := range n.Rows {
		nr, mr := n.Row(i), m.Row(i)
		for j := range nr {
			if seen.At(i, j) {
				nr[j] = mr[j]
			}
		}
	}
}

func imputeWeightedGeneric[T Float](n, m, weight Matrix[T]) {
	for i := range n.Rows {
		nr, mr, wr := n.Row(i), m.Row(i), weight.Row(i)
		for j, w := range wr {
			if w > 0 {
				nr[j] = fma(w, mr[j], T((1-w)*nr[j]))
			}
		}
	}
}

func updateMaskedGeneric[T Float](n, m, p Matrix[T], seen Bits, mu T) {
	for i := range n.Rows {
		nr, mr, pr := n.Row(i), m.Row(i), p.Row(i)
		for j := range nr {
			if seen.At(i, j) {
				nr[j] = step(nr[j], mr[j], pr[j], mu)
			} else {
				nr[j] = pr[j]
			}
		}
	}
}

func updateAugmentedMaskedGeneric[T Float](g, n, m Matrix[T], seen Bits, rho T) {
	take, part := Augmented[T]{Rho: rho}.weights()
	for i := range g.Rows {
		gr, nr, mr := g.Row(i), n.Row(i), m.Row(i)
		for j := range gr {
			if seen.At(i, j) {
				mj := positive(mr[j])
				gr[j] = augment(gr[j], mj, nr[j], take)
				nr[j] = target(gr[j], mj, 1, part)
			}
		}
	}
}

func targetMaskedGeneric[T Float](n, g, m Matrix[T], seen Bits, a, b T) {
	for i := range n.Rows {
		nr, gr, mr := n.Row(i), g.Row(i), m.Row(i)
		for j := range nr {
			if seen.At(i, j) {
				nr[j] = target(gr[j], positive(mr[j]), a, b)
			}
		}
	}
}

func rankOneMaskedGeneric[T Float](acc, den, v []T, n Matrix[T], w []T, seen Bits, up Multiplier[T]) {
	maskedPass(acc, den, v, w, seen, up.When,
		func(i, j int) T { return n.Row(i)[j] },
		func(i, j int, p T) { n.Row(i)[j] = step(n.Row(i)[j], up.M.Row(i)[j], p, up.Mu) })
}

func rankOneAugmentedMaskedGeneric[T Float](acc, den, v []T, g Matrix[T], w []T, seen Bits, up Augmented[T]) {
	take, part := up.weights()
	maskedPass(acc, den, v, w, seen, up.When,
		func(i, j int) T { return target(g.Row(i)[j], positive(up.M.Row(i)[j]), 1, part) },
		func(i, j int, p T) { g.Row(i)[j] = augment(g.Row(i)[j], positive(up.M.Row(i)[j]), p, take) })
}

// maskedPass is the pass of RankOneMasked: entry is one of N, and update renews it,
// given p = v w. Neither is asked for an entry that is not observed.
func maskedPass[T Float](acc, den, v, w []T, seen Bits, when When, entry func(i, j int) T, update func(i, j int, p T)) {
	for i := range v {
		updateRow := func() {
			for j := range w {
				if seen.At(i, j) {
					update(i, j, T(v[i]*w[j]))
				}
			}
		}
		if when == Before {
			updateRow()
		}
		var products, squares [contractionBytes / 4]T
		lanes := contractionBytes / int(unsafe.Sizeof(v[i]))
		for j := range w {
			l, o, n, b := j%lanes, seen.At(i, j), T(0), T(0)
			if o {
				n, b = entry(i, j), w[j]
			}
			products[l] = fma(n, w[j], products[l])
			squares[l] = fma(b, b, squares[l])
		}
		// What is missing of the last group is completed with zeros.
		for l := len(w) % lanes; l > 0 && l < lanes; l++ {
			products[l] = fma(0, 0, products[l])
			squares[l] = fma(0, 0, squares[l])
		}
		if inv := Reciprocal(fold(squares[:lanes])); inv != 0 {
			v[i] = project(fold(products[:lanes]), inv)
		}
		if when == After {
			updateRow()
		}
		for j := range w {
			n, b := T(0), T(0)
			if seen.At(i, j) {
				n, b = entry(i, j), v[i]
			}
			acc[j] = fma(v[i], n, acc[j])
			den[j] = fma(b, b, den[j])
		}
	}
}
