package literal

import (
	"math"
	"slices"
)

// adapt is snmf with target sparsities (section 4.4): each penalty grows by 5 % while its factor has fewer
// zeros than its target, and shrinks otherwise.
func adapt(a HALS, p Problem, v, w Matrix, targetV, targetW float64, iterations int) {
	most := slices.Max(p.M.Data)
	muV := 0.1 * most * math.Sqrt(most)
	muW := muV
	next := func(mu float64, vectors Matrix, target float64) float64 {
		zeros := 0
		for i := range vectors.Rows {
			largest := slices.Max(vectors.Row(i))
			for _, a := range vectors.Row(i) {
				if a < 1e-3*largest || largest == 0 {
					zeros++
				}
			}
		}
		if float64(zeros) < target*float64(len(vectors.Data)) {
			return 1.05 * mu
		}
		return 0.95 * mu
	}
	for range iterations {
		a.OfV.L1, a.OfW.L1 = muV, muW
		a.Step(p, v, w)
		muV, muW = next(muV, v.Transposed(), targetV), next(muW, w, targetW)
	}
}

// hoyer is the algorithm of P. O. Hoyer (JMLR 5, 2004): projected gradient steps for a factor with a
// given sh, multiplicative updates for another. The rows of W have the norm 1.
func hoyer(p Problem, v, w Matrix, shV, shW float64, iterations int) {
	unit := func() {
		for k := range w.Rows {
			size := norm(w.Row(k))
			multiply(w.Row(k), 1/size)
			for i := range v.Rows {
				v.Row(i)[k] *= size
			}
		}
	}
	unit()
	if shV > 0 {
		vt := v.Transposed()
		for k := range vt.Rows {
			copy(vt.Row(k), ontoSparse(vt.Row(k), shV, norm(vt.Row(k))))
		}
		copy(v.Data, vt.Transposed().Data)
	}
	if shW > 0 {
		for k := range w.Rows {
			copy(w.Row(k), ontoSparse(w.Row(k), shW, 1))
		}
	}
	most, one := slices.Max(p.M.Data), Clone(w)
	p.Scale(v, w)
	multiply(v.Data, w.Data[slices.Index(w.Data, slices.Max(w.Data))]/slices.Max(one.Data)) // V takes the whole of α
	copy(w.Data, one.Data)
	stepV, stepW := 1.0, 1/(most*most)
	for range iterations {
		vt := v.Transposed()
		if !gradientStep(p.Transposed(), vt, w.Transposed(), shV, &stepV, false) { // M' = W' V'
			return
		}
		copy(v.Data, vt.Transposed().Data)
		if !gradientStep(p, w, v, shW, &stepW, true) {
			return
		}
		if shW == 0 {
			unit()
		}
	}
}

// gradientStep renews the rows of x in ||M - g x||, whose sh is given; 0: by a multiplicative
// update. It reports whether a step lowers the error.
func gradientStep(p Problem, x, g Matrix, sh float64, step *float64, ofUnit bool) bool {
	y := Product(g, x)
	gradient := func(k, j int) (grad, below float64) {
		for i := range g.Rows {
			grad += g.At(i, k) * (y.At(i, j) - p.M.At(i, j))
			below += g.At(i, k) * y.At(i, j)
		}
		return grad, below
	}
	if sh == 0 {
		for k := range x.Rows {
			for j := range x.Row(k) {
				if grad, below := gradient(k, j); below > 0 {
					x.Row(k)[j] *= (below - grad) / below
				}
			}
		}
		return true
	}
	before := p.Squares(g, x)
	for ; *step > 1e-30; *step /= 2 {
		next := New(x.Rows, x.Cols, func(k, j int) float64 {
			grad, _ := gradient(k, j)
			return x.At(k, j) - *step*grad
		})
		for k := range next.Rows {
			size := 1.0
			if !ofUnit {
				size = norm(next.Row(k))
			}
			copy(next.Row(k), ontoSparse(next.Row(k), sh, size))
		}
		if p.Squares(g, next) <= before {
			copy(x.Data, next.Data)
			*step *= 1.2
			return true
		}
	}
	return false
}

// ontoSparse is Hoyer's projection onto the nonnegative vectors of that norm and sh: onto the plane
// of the l1 norm, from its centre onto the sphere, negative entries to 0, and again.
func ontoSparse(x []float64, sh, size float64) []float64 {
	n := len(x)
	root := math.Sqrt(float64(n))
	l1 := size * (root - (root-1)*sh)
	s, zero := slices.Clone(x), make([]bool, n)
	for free := n; ; {
		var sum, d2 float64
		for _, a := range s {
			sum += a
		}
		centre := l1 / float64(free)
		for j := range s {
			if !zero[j] {
				s[j] += (l1-sum)/float64(free) - centre
				d2 += s[j] * s[j]
			}
		}
		room, negative := size*size-l1*l1/float64(free), false
		for j := range s {
			if zero[j] {
				continue
			}
			if s[j] = centre + s[j]*math.Sqrt(math.Max(0, room)/d2); s[j] < 0 {
				s[j], zero[j], negative = 0, true, true
				free--
			}
		}
		if !negative {
			return s
		}
	}
}
