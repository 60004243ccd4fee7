package sparse

import (
	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/group"
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
	first := s.Slabs[task]
	var sum entriesResidual
	for b := range s.Blocks {
		tile, ok := s.Tile(member, task, b)
		if !ok {
			break
		}
		for i := 0; i < tile.Rows(); {
			end := endOfBlock(tile.Pattern, i)
			t0, t1 := tile.Entries(i, end)
			p := s.scratch[member].p[:t1-t0]
			kernel.SampledProduct(p, tile.Slice(i, end), padded(s.long.h, first+i, first+end), padded(s.short.h, 0, s.Cols))
			m, given := tile.M[t0:t1], tile.Given[t0:t1]
			var n []T // nil if the pass does not read N
			if tile.N != nil {
				n = tile.N[t0:t1]
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
