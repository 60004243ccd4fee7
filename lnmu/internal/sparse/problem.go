package sparse

import (
	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/tiles"
)

// problem is a solver within a run: a core.Problem.
type problem[T kernel.Float] struct {
	*solver[T]
	at          *place[T]
	accelerated *accelerated[T] // if the method is the accelerated one
	diverging   *divergence[T]  // the divergence of the solver once its iterations begin; nil without one
}

// Start implements core.Problem.
func (p *problem[T]) Start(k0 int) {
	p.divergence = nil // Scale uses the norm
	p.Take(p.at.startV, p.at.startW, k0)
	if p.at.Supports {
		p.KeepSupport()
	}
}

// Fix implements core.Problem.
func (p *problem[T]) Fix(k0 int) { p.Hold(k0, p.at.fixed.Columns, p.at.fixed.Rows) }

// Residual implements core.Problem. Excess and Least are those of the stored entries alone.
func (p *problem[T]) Residual(k0 int, keep bool) core.Residual {
	p.at.total.set(p.solver, k0)
	var whole float64
	if !p.missing {
		whole = p.at.total.squares(k0 + p.rank)
		p.refined = p.refinementOf(p.at.total, k0+p.rank, whole)
	}
	e := p.residual(keep)
	p.refined = refinement[T]{}
	if !p.missing {
		e.squares += max(0, whole-e.product)
	}
	return core.Residual{Squares: e.squares, Excess: e.excess, Least: e.least}
}

// Finish implements core.Problem.
func (p *problem[T]) Finish(k0 int) {
	p.at.total.set(p.solver, k0)
	p.at.rank = k0 + p.rank
}

// Accelerate implements core.Problem.
func (p *problem[T]) Accelerate(sweeps int) core.Momentum {
	p.long.Sweeps = hals.PerProduct(sweeps, p.Whole.Entries, p.Cols, p.Whole.Rows, p.rank, p.at.Cancelled)
	p.short.Sweeps = hals.PerProduct(sweeps, p.Whole.Entries, p.Whole.Rows, p.Cols, p.rank, p.at.Cancelled)
	p.formGrams() // Penalties needs their sums
	p.BeginMomentum()
	return p.accelerated
}

// Rank implements core.Problem.
func (s *solver[T]) Rank() int { return s.rank }

// Energy implements core.Problem.
func (s *solver[T]) Energy() (energy float64, ok bool) { return 0, false }

// Begin implements core.Problem.
func (s *solver[T]) Begin() { s.formGrams() }

// Step implements core.Problem.
func (s *solver[T]) Step() { s.step(0) }

// Relax implements core.Problem.
func (s *solver[T]) Relax(r core.Relaxation) (p core.Relaxed, mean float64) {
	mean = s.mean / float64(s.unit)
	if r.Rho > 0 {
		return newAugmented(s, r.Rho), mean
	}
	return newLagrangian(s), mean
}

// Scale implements core.Problem.
func (s *solver[T]) Scale() {
	s.g = 0
	s.formGrams()
	within := s.ProductSquares()
	e := s.residualOf([3]block.Access{block.OfM: block.Reads, block.OfN: block.Reads, tiles.OfGiven: block.Reads}, true)
	if s.Aborted() {
		return
	}
	if s.missing {
		within = e.within
	}
	s.ScaleBoth(e.across / within)
}

// Reset sets N = max(0, E), that is Λ = 0, and reports whether anything is
// left to factor.
func (s *solver[T]) Reset() bool {
	s.g, s.rho = 0, 0
	var left struct {
		sum  float64
		most T
	}
	group.Ring(s.Among(), group.Bytes(&left), func() {
		s.InOrder([3]block.Access{block.OfM: block.Reads, block.OfN: block.Writes}, true, func(m, n []T) {
			for t, e := range m {
				x := max(0, e)
				n[t] = x
				left.sum += float64(x)
				left.most = max(left.most, x)
			}
		})
	})
	s.Agree()
	if s.Aborted() {
		s.unit, s.mean = 1, 1 // there will be no iteration
		return true
	}
	s.unit, s.mean = left.most, left.sum/(float64(s.Whole.Rows)*float64(s.Cols))
	return s.unit > 0
}
