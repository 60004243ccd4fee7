package sparse

import (
	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/state"
)

// factors returns the factors V and Wᵀ.
func (s *solver[T]) factors() (v, wt *factor[T]) {
	if s.wide {
		return &s.short, &s.long
	}
	return &s.long, &s.short
}

// start sets the factors to columns [k0, k0+rank) of v and rows of w.
func (s *solver[T]) start(v, w kernel.Matrix[T], k0 int) {
	fv, fw := s.factors()
	for i := range fv.h.Rows {
		copy(fv.h.Row(i), v.Row(i)[k0:])
	}
	matrix.Transpose(fw.h, kernel.Matrix[T]{Rows: s.rank, Cols: w.Cols, Data: w.Data[k0*w.Stride:], Stride: w.Stride})
}

// Reset sets N = max(0, E), that is Λ = 0, and reports whether anything is
// left to factor.
func (s *solver[T]) Reset() bool {
	s.g, s.rho = 0, 0
	var left struct {
		sum  float64
		most T
	}
	group.Ring(s.among(), group.Bytes(&left), func() {
		s.inOrder([3]block.Access{block.OfM: block.Reads, block.OfN: block.Writes}, true, func(m, n []T) {
			for t, e := range m {
				x := max(0, e)
				n[t] = x
				left.sum += float64(x)
				left.most = max(left.most, x)
			}
		})
	})
	if s.disk.aborted() {
		s.unit, s.mean = 1, 1 // there will be no iteration
		return true
	}
	s.unit, s.mean = left.most, left.sum/(float64(s.whole.rows)*float64(s.cols))
	return s.unit > 0
}

// target returns N at the entries of rows i0 to i1-1 of a tile, with the vectors h, after an update of the multipliers if the pass makes one. If the other entries are
// missing, N is V W there, as it would be for a dense M (see observations), and what is
// returned is N - V W: sweep adds what V W comes to, h times a Gram matrix.
func (s *solver[T]) target(member int, tile *tile[T], i0, i1 int, h kernel.Matrix[T]) []T {
	p := tile.Slice(i0, i1)
	t0, t1 := tile.Entries(i0, i1)
	vw, n := s.scratch[member].p[:t1-t0], tile.n[t0:t1]
	var m kernel.Matrix[T]
	if s.mu != 0 || s.rho != 0 {
		m = matrix.AsRow(tile.m[t0:t1])
	}
	if s.mu != 0 || s.missing {
		kernel.SampledProduct(vw, p, h, s.short.h)
	}
	if s.missing {
		if s.mu != 0 {
			kernel.UpdateMultiplier(matrix.AsRow(n), m, matrix.AsRow(vw), s.mu)
		}
		for t, x := range vw {
			vw[t] = n[t] - x
		}
		return vw
	}
	switch {
	case s.rho != 0 && s.mu != 0:
		kernel.UpdateAugmented(matrix.AsRow(n), matrix.AsRow(vw), m, s.rho)
		return vw
	case s.rho != 0:
		kernel.Target(matrix.AsRow(vw), matrix.AsRow(n), m, 1, 1-s.rho)
		return vw
	case s.mu != 0:
		kernel.UpdateMultiplier(matrix.AsRow(n), m, matrix.AsRow(vw), s.mu)
	}
	return n
}

// halveMultipliers sets Λ to Λ/2: the way out when nothing is left of a factor.
func (s *solver[T]) halveMultipliers() {
	s.everyEntry([3]block.Access{block.OfM: block.Reads, block.OfN: block.Updates}, func(m, n []T) {
		for t, m := range m {
			n[t] = (max(0, m) + n[t]) / 2
		}
	})
}

// vanished reports whether V or W has become zero altogether.
func (s *solver[T]) vanished() bool { return s.long.vanished() || s.short.vanished() }

func (f *factor[T]) vanished() bool {
	for k := range f.gram.Rows {
		if f.gram.Data[k*f.gram.Stride+k] != 0 {
			return false
		}
	}
	return true
}

// keep remembers the factors, and restore brings them back.
func (s *solver[T]) keep() {
	copy(s.long.old.Data, s.long.h.Data)
	copy(s.short.old.Data, s.short.h.Data)
}

func (s *solver[T]) restore() {
	copy(s.long.h.Data, s.long.old.Data)
	copy(s.short.h.Data, s.short.old.Data)
}

// residual sums up E = M - V W on the stored entries, and leaves E in the place
// of M if told to.
func (s *solver[T]) residual(inPlace bool) entriesResidual {
	use := [3]block.Access{block.OfM: block.Reads, ofGiven: block.Reads}
	if inPlace && (s.disk == nil || s.disk.kept[block.OfM]) { // else nothing will be found in it
		use[block.OfM] = block.Updates
	}
	return s.residualOf(use, false)
}

// residualOf is residual in a phase that does that to M and N, and may be cut short.
func (s *solver[T]) residualOf(use [3]block.Access, cut bool) entriesResidual {
	s.inPlace = use[block.OfM]&block.Writes != 0
	s.overSlabs(use, cut, s.residualTask)
	return group.Sum(s.among(), s.sums, entriesResidual.plus)
}

func (s *solver[T]) residualSlab(member, task int) {
	first := s.slabs[task]
	var sum entriesResidual
	for b := range s.blocks {
		tile, ok := s.tile(member, task, b)
		if !ok {
			break
		}
		for i := 0; i < tile.Rows(); {
			end := endOfBlock(tile.Pattern, i)
			t0, t1 := tile.Entries(i, end)
			p := s.scratch[member].p[:t1-t0]
			kernel.SampledProduct(p, tile.Slice(i, end), s.long.h.Slice(first+i, first+end, 0, s.rank), s.short.h)
			m, given := tile.m[t0:t1], tile.given[t0:t1]
			var n []T // what it is needed for is not asked of a file otherwise
			if tile.n != nil {
				n = tile.n[t0:t1]
			}
			for t, x := range p {
				e := m[t] - x
				d, q := float64(e), float64(given[t]-e)
				sum.squares += float64(d * d)
				sum.product += float64(q * q)
				if n != nil {
					sum.across += float64(float64(n[t]) * float64(x))
				}
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

// state of a factor, of whose rows a process may have a part: h.
func (f *factor[T]) state(h any) []state.Field {
	return []state.Field{state.Factor("factor", h), state.Named("Gram matrix", f.gram), state.Named("reciprocals", f.inv), state.Named("sum", f.sum)}
}

func (s *solver[T]) State() []state.Field {
	return append(s.long.state(s.rowsOf(s.long.h)), s.short.state(s.short.h)...)
}

func (r *relaxed[T]) State() []state.Field {
	return append(r.solver.State(), state.Named("N", r.stateOfEntries()), state.Named("pending", &r.pending), state.Named("share", &r.share))
}

func (a *augmented[T]) State() []state.Field {
	return append(a.relaxed.State(), state.Named("rho", &a.rho))
}

func (x *accelerated[T]) State() []state.Field {
	return append(x.solver.State(), state.Named("long before", x.rowsOf(x.long.before)), state.Named("short before", x.short.before))
}

// rowsOf returns x, whose rows are those of the layout, as a field of a state.
func (t *tiling[T]) rowsOf(x kernel.Matrix[T]) group.Distributed[T] {
	return group.Distributed[T]{X: x, First: t.shared.bounds[t.shared.slabs.First], Whole: t.whole.rows}
}

// entriesOf returns what belongs to the stored entries as a field of a state.
func (t *tiling[T]) entriesOf(x []T) group.Distributed[T] {
	return group.Distributed[T]{X: matrix.AsRow(x), Columns: true, First: t.shared.before, Whole: t.whole.entries}
}
