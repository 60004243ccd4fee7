package lnmu

import (
	"math"
	"slices"

	"nmu/kernel"
)

// trace is what the iterations of one problem leave behind.
type trace struct {
	iterations int
	history    []float64
	stop       Stop
	last       float64 // relative error at the last check
	revived    int     // re-initialisations of a factor
}

// cut reports whether the iterations ended before their time.
func (tr *trace) cut() bool { return tr.stop == StopCancelled || tr.stop == StopTime }

// check ends iteration k and reports whether the error hardly changes any more.
func (tr *trace) check(k int, tolerance float64, every int, relative func() float64) bool {
	tr.iterations = k
	if tolerance == 0 || k%every != 0 {
		return false
	}
	e, last := relative(), tr.last
	first := len(tr.history) == 0
	tr.history, tr.last = append(tr.history, e), e
	if first || math.Abs(last-e) > float64(tolerance*last) {
		return false
	}
	tr.stop = StopTolerance
	return true
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
	s.begin()
	pending := 0.0 // the step of an update that the next pass makes first
	relative := func() float64 { return j.relative(s.residual(false).squares) }
	renewed := false // by an iteration after which something was left
iterations:
	for k := 1; k <= j.Iterations; k++ {
		mu := j.Step(k)
		if multipliers {
			kept.save()
		}
		alive := true
		for t := 1; t <= j.Inner && alive; t++ {
			if stop, ok := j.interrupted(); ok {
				tr.stop = stop
				break iterations
			}
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
			alive = !multipliers || !s.vanished()
		}
		if !alive && !s.multiplied() {
			break
		}
		if !alive {
			kept.restore()
			s.halveMultipliers()
			mu = 0
			s.begin()
		}
		renewed = renewed || alive
		if multipliers {
			pending = mu
		}
		if tr.check(k, j.Tolerance, j.CheckEvery, relative) {
			break
		}
		report(k)
	}
	if !renewed && !tr.cut() {
		s.clear()
		tr.stop = StopVanished
	}
	return tr
}

// begin forms what the first HALS step needs from the factors.
func (s *solver[T]) begin() {
	if s.tall {
		s.formB()
	} else {
		s.pass(kernel.Never, 0, false)
	}
}

// step makes one HALS step on N, V first.
func (s *solver[T]) step() {
	if s.tall {
		s.pass(kernel.Never, 0, true)
		s.renewG()
	} else {
		s.renewG()
		s.pass(kernel.Never, 0, true)
	}
}

// factorV returns Vᵀ (r x m).
func (s *solver[T]) factorV() kernel.Matrix[T] {
	if s.tall {
		return s.h
	}
	return s.g
}

// factorW returns W (r x n).
func (s *solver[T]) factorW() kernel.Matrix[T] {
	if s.tall {
		return s.g
	}
	return s.h
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

// multiplied reports whether Λ is not zero. Factors that vanish although it is zero
// are zero: that is the best that HALS finds from this start.
func (s *solver[T]) multiplied() bool {
	found := make([]bool, s.slabs)
	s.Run(s.slabs, func(_, task int) {
		i0, i1 := s.slab(task)
		for i := i0; i < i1 && !found[task]; i++ {
			m := s.m.Row(i)
			for j, n := range s.n.Row(i) {
				found[task] = found[task] || n != max(0, m[j])
			}
		}
	})
	return slices.Contains(found, true)
}

// clear sets the factors to zero.
func (s *solver[T]) clear() {
	clear(s.h.Data)
	clear(s.g.Data)
}

// halveMultipliers sets Λ to Λ/2, that is N to (M + N)/2: the way out when the
// multipliers have grown so large that nothing is left to approximate.
func (s *solver[T]) halveMultipliers() {
	s.Run(s.slabs, func(_, task int) {
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
	s               *solver[T]
	h, g            kernel.Matrix[T]
	saving, putting func(member, row int) // made once: save allocates nothing
}

func (s *solver[T]) keep() factors[T] {
	f := factors[T]{s: s, h: kernel.NewMatrix[T](s.rank, s.rows), g: kernel.NewMatrix[T](s.rank, s.cols)}
	f.saving = func(_, k int) { copy(f.h.Row(k), s.h.Row(k)); copy(f.g.Row(k), s.g.Row(k)) }
	f.putting = func(_, k int) { copy(s.h.Row(k), f.h.Row(k)); copy(s.g.Row(k), f.g.Row(k)) }
	return f
}

func (f factors[T]) save()    { f.s.Run(f.s.rank, f.saving) }
func (f factors[T]) restore() { f.s.Run(f.s.rank, f.putting) }
