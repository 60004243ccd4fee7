package lnmu

import "nmu/kernel"

// factors returns the factors V and Wᵀ.
func (s *sparseSolver[T]) factors() (v, wt *sparseFactor[T]) {
	if s.wide {
		return &s.short, &s.long
	}
	return &s.long, &s.short
}

// start sets the factors to columns [k0, k0+rank) of v and rows of w.
func (s *sparseSolver[T]) start(v, w Dense[T], k0 int) {
	fv, fw := s.factors()
	for i := range fv.h.Rows {
		copy(fv.h.Row(i), v.Row(i)[k0:])
	}
	transpose(fw.h, kernel.Matrix[T]{Rows: s.rank, Cols: w.Cols, Data: w.Data[k0*w.Stride:], Stride: w.Stride})
}

// startState sets N = max(0, E), that is Λ = 0, and reports whether anything is
// left to factor.
func (s *sparseSolver[T]) startState() bool {
	s.g, s.rho = 0, 0
	var left struct {
		sum  float64
		most T
	}
	s.among().inTurn(bytesOf(&left), func() {
		for t, e := range s.m {
			x := max(0, e)
			s.n[t] = x
			left.sum += float64(x)
			left.most = max(left.most, x)
		}
	})
	s.unit, s.mean = left.most, left.sum/(float64(s.whole.rows)*float64(s.cols))
	return s.unit > 0
}

// target returns N at the entries [t0, t1), which are those of rows p with the vectors
// h, after an update of the multipliers if the pass makes one. If the other entries are
// missing, N is V W there, as it would be for a dense M (see partial), and what is
// returned is N - V W: sweep adds what V W comes to, h times a Gram matrix.
func (s *sparseSolver[T]) target(member int, p kernel.Pattern, t0, t1 int, h kernel.Matrix[T]) []T {
	vw, n, m := s.scratch[member].p[:t1-t0], s.n[t0:t1], asRow(s.m[t0:t1])
	if s.mu != 0 || s.missing {
		kernel.SampledProduct(vw, p, h, s.short.h)
	}
	if s.missing {
		if s.mu != 0 {
			kernel.UpdateMultiplier(asRow(n), m, asRow(vw), s.mu)
		}
		for t, x := range vw {
			vw[t] = n[t] - x
		}
		return vw
	}
	switch {
	case s.rho != 0 && s.mu != 0:
		kernel.UpdateAugmented(asRow(n), asRow(vw), m, s.rho)
		return vw
	case s.rho != 0:
		kernel.Target(asRow(vw), asRow(n), m, 1, 1-s.rho)
		return vw
	case s.mu != 0:
		kernel.UpdateMultiplier(asRow(n), m, asRow(vw), s.mu)
	}
	return n
}

// halveMultipliers sets Λ to Λ/2: the way out when nothing is left of a factor.
func (s *sparseSolver[T]) halveMultipliers() {
	for t, m := range s.m {
		s.n[t] = (max(0, m) + s.n[t]) / 2
	}
}

// vanished reports whether V or W has become zero altogether.
func (s *sparseSolver[T]) vanished() bool { return s.long.vanished() || s.short.vanished() }

func (f *sparseFactor[T]) vanished() bool {
	for k := range f.gram.Rows {
		if f.gram.Data[k*f.gram.Stride+k] != 0 {
			return false
		}
	}
	return true
}

// keep remembers the factors, and restore brings them back.
func (s *sparseSolver[T]) keep() {
	copy(s.long.old.Data, s.long.h.Data)
	copy(s.short.old.Data, s.short.h.Data)
}

func (s *sparseSolver[T]) restore() {
	copy(s.long.h.Data, s.long.old.Data)
	copy(s.short.h.Data, s.short.old.Data)
}

// residual sums up E = M - V W on the stored entries, and leaves E in the place
// of M if told to.
func (s *sparseSolver[T]) residual(inPlace bool) sparseExtent {
	s.inPlace = inPlace
	s.Run(len(s.tiles), s.residualTask)
	return sumOver(s.among(), s.sums, func(a, b sparseExtent) sparseExtent {
		return sparseExtent{a.squares + b.squares, a.product + b.product, a.across + b.across, a.within + b.within, a.excess + b.excess, min(a.least, b.least)}
	})
}

func (s *sparseSolver[T]) residualSlab(member, task int) {
	first := s.slabs[task]
	var sum sparseExtent
	for _, tile := range s.tiles[task] {
		for i := 0; i < tile.Rows(); {
			end := block(tile, i)
			t0, t1 := tile.Entries(i, end)
			p := s.scratch[member].p[:t1-t0]
			kernel.SampledProduct(p, tile.Slice(i, end), s.long.h.Slice(first+i, first+end, 0, s.rank), s.short.h)
			m, n, given := s.m[t0:t1], s.n[t0:t1], s.val[t0:t1]
			for t, x := range p {
				e := m[t] - x
				d, q := float64(e), float64(given[t]-e)
				sum.squares += float64(d * d)
				sum.product += float64(q * q)
				sum.across += float64(float64(n[t]) * float64(x))
				sum.within += float64(float64(x) * float64(x))
				if d < 0 {
					sum.excess += float64(d * d)
					sum.least = min(sum.least, d)
				}
				if s.inPlace {
					m[t] = e
				}
			}
			i = end
		}
	}
	s.sums[task] = sum
}
