package lnmu

import (
	"math"

	"nmu/kernel"
)

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
func (s *solver[T]) iterate(j *job[T], multipliers bool, report func(k int)) trace {
	tr := trace{stop: StopIterations}
	kept := s.keep()
	if s.tall {
		s.formB()
	} else {
		s.pass(kernel.Never, 0, false)
	}
	pending := 0.0 // the step of an update that the next pass makes first
	last := math.Inf(1)
	for k := 1; k <= j.Iterations; k++ {
		if stop, ok := j.interrupted(); ok {
			tr.stop = stop
			break
		}
		mu := j.Step(k)
		if multipliers {
			kept.save()
		}
		for t := 1; t <= j.Inner; t++ {
			if s.tall {
				when := kernel.Never
				if t == 1 && pending != 0 {
					when = kernel.Before
				}
				s.pass(when, pending, true)
				s.renewG()
			} else {
				when := kernel.Never
				if t == j.Inner && multipliers {
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
		if j.Tolerance > 0 && k%j.CheckEvery == 0 {
			e := j.relative(s.residual(false).squares)
			tr.history = append(tr.history, e)
			if math.Abs(last-e) <= j.Tolerance*last {
				tr.stop = StopTolerance
				break
			}
			last = e
		}
		report(k)
	}
	return tr
}

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
