package lnmu

// NMF is nonnegative matrix factorization by hierarchical alternating least squares
// (HALS): min ||M - V W||_F over V, W >= 0 (section 3.1 with Λ = 0). It has no
// options.
type NMF struct{}

// Describe implements Method.
func (NMF) Describe() Description {
	return Description{
		Name:       "nmf",
		Title:      "nonnegative matrix factorization, by HALS",
		Problem:    "min ||M - V W||, V, W >= 0, by HALS",
		Factors:    "dense mixtures, least error",
		Iterations: 600,
		Sparse:     true,
		Options:    func() (Method, []Option) { return NMF{}, nil },
	}
}

func (m NMF) prepare(rank int) (plan, error) { return plan{method: m, block: rank}, nil }

func (NMF) run32(a *attempt[float32]) *Result[float32] { return a.global((*attempt[float32]).hals) }
func (NMF) run64(a *attempt[float64]) *Result[float64] { return a.global((*attempt[float64]).hals) }

// hals runs HALS on s, whose n and factors are set.
func (a *attempt[T]) hals(s *solver[T], report func(k int)) trace {
	s.begin()
	return a.iterate(a.errorOf(s), report, func(int) Stop {
		s.step()
		return ""
	})
}
