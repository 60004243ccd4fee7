package kernels

import "nmu/kernel"

// The kernels with a mask.

func keep[T kernel.Float]() Kernel[T] {
	return forElements("Keep", "keep", 1, 1, func(s Source[T], p, q int) func() T {
		x, seen := s.InOutMatrix("X", p, q), s.Bits("Seen", p, q)
		return func() T { kernel.Keep(x.Matrix(), seen); return 0 }
	})
}

func impute[T kernel.Float]() Kernel[T] {
	return forElements("Impute", "impute", 2, 1, func(s Source[T], p, q int) func() T {
		n, m, seen := s.InOutMatrix("N", p, q), s.InMatrix("M", p, q), s.Bits("Seen", p, q)
		return func() T { kernel.Impute(n.Matrix(), m.Matrix(), seen); return 0 }
	})
}

func imputeWeighted[T kernel.Float]() Kernel[T] {
	return forElements("ImputeWeighted", "weigh", 3, 4, func(s Source[T], p, q int) func() T {
		n, m, weight := s.InOutMatrix("N", p, q), s.InMatrix("M", p, q), s.InMatrix("Weight", p, q)
		return func() T { kernel.ImputeWeighted(n.Matrix(), m.Matrix(), weight.Matrix()); return 0 }
	})
}

func updateMultiplierMasked[T kernel.Float]() Kernel[T] {
	return forElements("UpdateMultiplierMasked", "maskedUpdate", 3, 3, func(s Source[T], p, q int) func() T {
		n, m, vw := s.InOutMatrix("N", p, q), s.InMatrix("M", p, q), s.InMatrix("P", p, q)
		seen, mu := s.Bits("Seen", p, q), s.Scalar("mu")
		return func() T { kernel.UpdateMultiplierMasked(n.Matrix(), m.Matrix(), vw.Matrix(), seen, mu); return 0 }
	})
}

func updateAugmentedMasked[T kernel.Float]() Kernel[T] {
	return forElements("UpdateAugmentedMasked", "maskedAugment", 3, 7, func(s Source[T], p, q int) func() T {
		g, n, m := s.InOutMatrix("G", p, q), s.InOutMatrix("N", p, q), s.InMatrix("M", p, q)
		seen, rho := s.Bits("Seen", p, q), penalty(s)
		return func() T { kernel.UpdateAugmentedMasked(g.Matrix(), n.Matrix(), m.Matrix(), seen, rho); return 0 }
	})
}

func targetMasked[T kernel.Float]() Kernel[T] {
	return forElements("TargetMasked", "maskedTarget", 3, 4, func(s Source[T], p, q int) func() T {
		n, g, m := s.InOutMatrix("N", p, q), s.InMatrix("G", p, q), s.InMatrix("M", p, q)
		seen, a, b := s.Bits("Seen", p, q), s.Scalar("a"), s.Scalar("b")
		return func() T { kernel.TargetMasked(n.Matrix(), g.Matrix(), m.Matrix(), seen, a, b); return 0 }
	})
}

// ofMaskedPass completes a rank-one pass with a mask. Its shapes are rows, columns, 1 + When.
// setup makes the state, which an update changes, and the other operands of an update.
func ofMaskedPass[T kernel.Float](name, body string, setup func(s Source[T], rows, cols int, when kernel.When) func(acc, den, v, w []T, seen kernel.Bits)) Kernel[T] {
	k := rankOne[T]()
	k.Name, k.Body = name, body
	k.Setup = func(s Source[T], shape []int) func() T {
		rows, cols := shape[0], shape[1]
		acc, den, v, w := s.InOut("acc", cols), s.InOut("den", cols), s.InOut("v", rows), s.In("w", cols)
		pass := setup(s, rows, cols, kernel.When(shape[2]-1))
		seen := s.Bits("Seen", rows, cols)
		return func() T { pass(acc.Data, den.Data, v.Data, w.Data, seen); return 0 }
	}
	k.Apart = []string{"acc", "den", "v", "w"}
	return k
}

func rankOneMasked[T kernel.Float]() Kernel[T] {
	k := ofMaskedPass("RankOneMasked", "maskedRankOne", func(s Source[T], rows, cols int, when kernel.When) func(acc, den, v, w []T, seen kernel.Bits) {
		up := kernel.Multiplier[T]{When: when}
		if when == kernel.Never {
			n := s.InMatrix("N", rows, cols)
			return func(acc, den, v, w []T, seen kernel.Bits) {
				kernel.RankOneMasked(acc, den, v, n.Matrix(), w, seen, up)
			}
		}
		n, m := s.InOutMatrix("N", rows, cols), s.InMatrix("M", rows, cols)
		up.Mu = s.Scalar("mu")
		return func(acc, den, v, w []T, seen kernel.Bits) {
			up.M = m.Matrix()
			kernel.RankOneMasked(acc, den, v, n.Matrix(), w, seen, up)
		}
	})
	k.Measures = passes(1, 8, 12)
	return k
}

func rankOneAugmentedMasked[T kernel.Float]() Kernel[T] {
	k := ofMaskedPass("RankOneAugmentedMasked", "maskedAugRank", func(s Source[T], rows, cols int, when kernel.When) func(acc, den, v, w []T, seen kernel.Bits) {
		up := kernel.Augmented[T]{When: when, Rho: penalty(s)}
		m, g := s.InMatrix("M", rows, cols), s.InMatrix
		if when != kernel.Never {
			g = s.InOutMatrix
		}
		state := g("G", rows, cols)
		return func(acc, den, v, w []T, seen kernel.Bits) {
			up.M = m.Matrix()
			kernel.RankOneAugmentedMasked(acc, den, v, state.Matrix(), w, seen, up)
		}
	})
	k.Measures = passes(2, 14, 21)
	return k
}
