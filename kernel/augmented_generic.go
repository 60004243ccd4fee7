package kernel

import "unsafe"

// The specification of the kernels of the augmented Lagrangian, as kernel_generic.go
// is that of the others.

// augment is the update of one multiplier, given m⁺ and p = (VW)_ij.
func augment[T Float](g, m, p, take T) T {
	y := g + (m - p)
	var above, below T
	if y > 0 {
		above = y
	}
	if y < 0 {
		below = y
	}
	return fma(take, above, below)
}

// target returns m⁺ + min(ag, bg).
func target[T Float](g, m, a, b T) T {
	s, t := fma(a, g, m), fma(b, g, m)
	if t < s {
		return t
	}
	return s
}

// positive returns max(0, m).
func positive[T Float](m T) T {
	if m > 0 {
		return m
	}
	return 0
}

func updateAugmentedGeneric[T Float](g, n, m Matrix[T], rho T) {
	take, part := Augmented[T]{Rho: rho}.weights()
	for i := range g.Rows {
		gr, nr, mr := g.Row(i), n.Row(i), m.Row(i)
		for j := range gr {
			mj := positive(mr[j])
			gr[j] = augment(gr[j], mj, nr[j], take)
			nr[j] = target(gr[j], mj, 1, part)
		}
	}
}

func targetGeneric[T Float](n, g, m Matrix[T], a, b T) {
	for i := range n.Rows {
		nr, gr, mr := n.Row(i), g.Row(i), m.Row(i)
		for j := range nr {
			nr[j] = target(gr[j], positive(mr[j]), a, b)
		}
	}
}

func rankOneAugmentedGeneric[T Float](acc, v []T, g Matrix[T], w []T, inv, vv T, up Augmented[T]) T {
	take, part := up.weights()
	for i := range v {
		gr, mr := g.Row(i), up.M.Row(i)
		if up.When == Before {
			augmentRow(gr, mr, v[i], w, take)
		}
		if inv != 0 {
			v[i] = project(targetDot(gr, mr, w, part), inv)
		}
		if up.When == After {
			augmentRow(gr, mr, v[i], w, take)
		}
		for j, x := range gr {
			acc[j] = fma(v[i], target(x, positive(mr[j]), 1, part), acc[j])
		}
		vv = fma(v[i], v[i], vv)
	}
	return vv
}

func augmentRow[T Float](g, m []T, v T, w []T, take T) {
	for j := range g {
		g[j] = augment(g[j], positive(m[j]), T(v*w[j]), take)
	}
}

// targetDot returns n·w, as laneDot does, of the target n of a row.
func targetDot[T Float](g, m, w []T, part T) T {
	var lane [contractionBytes / 4]T
	lanes := contractionBytes / int(unsafe.Sizeof(part))
	for j := range w {
		l := j % lanes
		lane[l] = fma(target(g[j], positive(m[j]), 1, part), w[j], lane[l])
	}
	// What is missing of the last group is completed with zeros.
	for l := len(w) % lanes; l > 0 && l < lanes; l++ {
		lane[l] = fma(0, 0, lane[l])
	}
	return fold(lane[:lanes])
}
