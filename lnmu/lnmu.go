package lnmu

import (
	"context"
	"math"
	"time"

	"nmu/kernel"
)

// run says how far the iterations of one problem go and who watches them.
type run[T Float] struct {
	Options[T]
	ctx      context.Context
	deadline time.Time // zero: none
	norm     float64   // ||M||_F of the input, for relative errors
	report   func(iteration int, relative func() float64)
}

// trace is what the iterations of one problem leave behind.
type trace struct {
	iterations int
	history    []float64
	stop       Stop
}

// iterate runs Algorithm L-NMU on s, whose n, h and g are set: each iteration
// renews V and W by T HALS steps, V first, and updates the multipliers with step
// µ_k. With multipliers false it is HALS for NMF.
//
// Over a tall M, h is V, and a HALS step is a pass and then renewG; the
// multipliers are updated at the start of the next iteration's first pass. Over
// a wide M, h is W, and a HALS step is renewG and then a pass; the multipliers
// are updated within the last pass of the iteration. In both cases N is read
// once per HALS step and M once per iteration.
func (s *solver[T]) iterate(r run[T], multipliers bool) trace {
	tr := trace{stop: StopIterations}
	kept := s.keep()
	if s.tall {
		s.formB()
	} else {
		s.pass(kernel.Never, 0, false)
	}
	pending := 0.0 // the step of an update that the next pass makes first
	last := math.Inf(1)
	for k := 1; k <= r.Iterations; k++ {
		if stop, ok := r.interrupted(); ok {
			tr.stop = stop
			break
		}
		mu := r.Step(k)
		if multipliers {
			kept.save()
		}
		for t := 1; t <= r.Inner; t++ {
			if s.tall {
				when := kernel.Never
				if t == 1 && pending != 0 {
					when = kernel.Before
				}
				s.pass(when, pending, true)
				s.renewG()
			} else {
				when := kernel.Never
				if t == r.Inner && multipliers {
					when = kernel.After
				}
				s.renewG()
				s.pass(when, mu, true)
			}
			if multipliers && s.vanished() {
				kept.restore()
				s.halveMultipliers()
				mu = 0
				if s.tall {
					s.formB()
				} else {
					s.pass(kernel.Never, 0, false)
				}
				break
			}
		}
		if multipliers {
			pending = mu
		}
		tr.iterations = k
		if r.Tolerance > 0 && k%r.CheckEvery == 0 {
			e := r.relative(s.residual(false).squares)
			tr.history = append(tr.history, e)
			if math.Abs(last-e) <= r.Tolerance*last {
				tr.stop = StopTolerance
				break
			}
			last = e
		}
		r.report(k, func() float64 { return r.relative(s.residual(false).squares) })
	}
	return tr
}

// interrupted reports whether the work must end now, and why.
func (r *run[T]) interrupted() (Stop, bool) {
	switch {
	case r.ctx.Err() != nil:
		return StopCancelled, true
	case !r.deadline.IsZero() && !time.Now().Before(r.deadline):
		return StopTime, true
	}
	return "", false
}

// relative returns the relative error for a sum of squares of M - V W.
func (r *run[T]) relative(squares float64) float64 { return math.Sqrt(squares) / r.norm }

// vanished reports whether V or W has become zero altogether.
func (s *solver[T]) vanished() bool {
	h, g := true, true
	for k := range s.rank {
		h = h && s.d.Data[k*s.d.Stride+k] == 0
		g = g && s.b.Data[k*s.b.Stride+k] == 0
	}
	return h || g
}

// halveMultipliers sets Λ to Λ/2, that is N to (M + N)/2: the way out when the
// multipliers have grown so large that nothing is left to approximate.
func (s *solver[T]) halveMultipliers() {
	s.run(s.slabs, func(_, task int) {
		i0, i1 := s.slab(task)
		for i := i0; i < i1; i++ {
			m := s.m.Row(i)
			for j, n := range s.n.Row(i) {
				s.n.Row(i)[j] = (max(0, m[j]) + n) / 2
			}
		}
	})
}

// factors is a copy of the factors to fall back on.
type factors[T Float] struct {
	s    *solver[T]
	h, g kernel.Matrix[T]
}

func (s *solver[T]) keep() factors[T] {
	return factors[T]{s, kernel.NewMatrix[T](s.rank, s.rows), kernel.NewMatrix[T](s.rank, s.cols)}
}

func (f factors[T]) save()    { copy(f.h.Data, f.s.h.Data); copy(f.g.Data, f.s.g.Data) }
func (f factors[T]) restore() { copy(f.s.h.Data, f.h.Data); copy(f.s.g.Data, f.g.Data) }
