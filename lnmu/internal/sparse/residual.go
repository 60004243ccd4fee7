package sparse

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/tiles"
)

// residual sums up E = M - V W on the stored entries. If inPlace, E replaces M.
func (s *solver[T]) residual(inPlace bool) entriesResidual {
	use := [3]block.Access{block.OfM: block.Reads, tiles.OfGiven: block.Reads}
	if inPlace && s.Kept() {
		use[block.OfM] = block.Updates
	}
	return s.residualOf(use, false)
}

// residualOf is residual in a pass with this access to M and N, which is cancellable if cut.
func (s *solver[T]) residualOf(use [3]block.Access, cut bool) entriesResidual {
	s.inPlace = use[block.OfM]&block.Writes != 0
	s.OverSlabs(use, cut, s.residualTask)
	return group.Sum(s.Among(), s.sums, entriesResidual.plus)
}

func (s *solver[T]) residualSlab(member, task int) {
	var sum entriesResidual
	s.eachBlock(member, task, func(tile tiles.Tile[T], i, end, t0, t1 int, p []T) {
		s.product(p, &tile, task, i, end)
		var n []T // nil if the pass does not read N
		if tile.N != nil {
			n = tile.N[t0:t1]
		}
		addEntries(&sum, tile.M[t0:t1], tile.Given[t0:t1], n, p)
		if s.refined.least > 0 {
			s.refined.refine(&sum, &tile, i, end, s.Slabs[task], p)
		}
		if s.inPlace {
			kernel.AddScaled(tile.M[t0:t1], -1, p)
		}
	})
	s.sums[task] = sum
}

// refinement forms the largest entries of V W in float64. The squares of V W on the zeros of M are those of all
// entries less those of the stored ones. In float32 the rounding errors of a few large entries may exceed the
// whole residual.
type refinement[T kernel.Float] struct {
	long, short kernel.Matrix[T] // all factors so far
	rank        int              // and their number
	least       float64          // the least entry that is formed; 0: none
}

// refinementOf returns the refinement for a large matrix in float32, given ||V W||² of the factors so far. It
// forms at most 2^20 entries.
func (s *solver[T]) refinementOf(f *productNorm[T], rank int, whole float64) (r refinement[T]) {
	if matrix.Epsilon[T]() < 0x1p-30 || float64(s.Whole.Rows)*float64(s.Cols) <= alwaysExact {
		return r
	}
	r = refinement[T]{long: f.v, short: f.wt, rank: rank, least: math.Sqrt(whole) / (1 << 10)}
	if s.Wide {
		r.long, r.short = r.short, r.long
	}
	return r
}

// refine corrects the sum of the squares of V W at rows i to end-1 of a tile. p is the product of the factors of
// the solver there, and first the first row of the tile.
func (r *refinement[T]) refine(a *entriesResidual, tile *tiles.Tile[T], i, end, first int, p []T) {
	t0, t1 := tile.Entries(i, end)
	m, given, t := tile.M[t0:t1], tile.Given[t0:t1], 0
	for row := i; row < end; row++ {
		for _, j := range tile.Row(row) {
			q := float64(given[t] - (m[t] - p[t]))
			if t++; q < r.least {
				continue
			}
			var x float64
			g := r.short.Row(int(j))
			for k, h := range r.long.Row(first + row)[:r.rank] {
				x += float64(float64(h) * float64(g[k]))
			}
			a.product += float64(x*x) - float64(q*q)
		}
	}
}

// addEntries adds the residual of some entries to a: m of M or E, given of M itself, n of N, which may
// be nil, and p of V W. It does not branch by the sign of m - p, which no processor predicts. The sums
// are variables of their own, since Go keeps a struct of so many fields in memory: its loop takes twice as long.
func addEntries[T kernel.Float](a *entriesResidual, m, given, n, p []T) {
	squares, product, within, excess, least := a.squares, a.product, a.within, a.excess, a.least
	m, given = m[:len(p)], given[:len(p)]
	for t, x := range p {
		e := m[t] - x
		d, q := float64(e), float64(given[t]-e)
		square := float64(d * d)
		squares += square
		product += float64(q * q)
		within += float64(float64(x) * float64(x))
		negative := uint64(int64(math.Float64bits(d)) >> 63) // all ones or none
		excess += math.Float64frombits(math.Float64bits(square) & negative)
		if d < least {
			least = d
		}
	}
	a.squares, a.product, a.within, a.excess, a.least = squares, product, within, excess, least
	if n != nil {
		across, n := a.across, n[:len(p)]
		for t, x := range p {
			across += float64(float64(n[t]) * float64(x))
		}
		a.across = across
	}
}
