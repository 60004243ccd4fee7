package kernels

import "nmu/kernel"

// The kernels with a mask.

// ofMask completes a kernel that reads matrices and a mask entry by entry, as forElements does.
// Some shapes have masks of several bytes a row.
func ofMask[T kernel.Float](k Kernel[T], operands, ops int) Kernel[T] {
	k = forElements(k, ops)
	k.Measures = []Measure{{Stream: true, Ops: ops, Shape: entries(operands)}}
	return k
}

func keep[T kernel.Float]() Kernel[T] {
	return ofMask(Kernel[T]{
		Name: "Keep", Body: "keep",
		Setup: func(s Source[T], shape []int) func() T {
			x, seen := s.InOutMatrix("X", shape[0], shape[1]), s.Bits("Seen", shape[0], shape[1])
			return func() T { kernel.Keep(x.Matrix(), seen); return 0 }
		},
	}, 1, 1)
}

func impute[T kernel.Float]() Kernel[T] {
	return ofMask(Kernel[T]{
		Name: "Impute", Body: "impute",
		Setup: func(s Source[T], shape []int) func() T {
			n, m := s.InOutMatrix("N", shape[0], shape[1]), s.InMatrix("M", shape[0], shape[1])
			seen := s.Bits("Seen", shape[0], shape[1])
			return func() T { kernel.Impute(n.Matrix(), m.Matrix(), seen); return 0 }
		},
	}, 2, 1)
}

func imputeWeighted[T kernel.Float]() Kernel[T] {
	return ofMask(Kernel[T]{
		Name: "ImputeWeighted", Body: "weigh",
		Setup: func(s Source[T], shape []int) func() T {
			n := s.InOutMatrix("N", shape[0], shape[1])
			m := s.InMatrix("M", shape[0], shape[1])
			weight := s.InMatrix("Weight", shape[0], shape[1])
			return func() T { kernel.ImputeWeighted(n.Matrix(), m.Matrix(), weight.Matrix()); return 0 }
		},
	}, 3, 4)
}

func updateMultiplierMasked[T kernel.Float]() Kernel[T] {
	return ofMask(Kernel[T]{
		Name: "UpdateMultiplierMasked", Body: "maskedUpdate",
		Setup: func(s Source[T], shape []int) func() T {
			n := s.InOutMatrix("N", shape[0], shape[1])
			m := s.InMatrix("M", shape[0], shape[1])
			p := s.InMatrix("P", shape[0], shape[1])
			seen, mu := s.Bits("Seen", shape[0], shape[1]), s.Scalar("mu")
			return func() T {
				kernel.UpdateMultiplierMasked(n.Matrix(), m.Matrix(), p.Matrix(), seen, mu)
				return 0
			}
		},
	}, 3, 3)
}

func updateAugmentedMasked[T kernel.Float]() Kernel[T] {
	return ofMask(Kernel[T]{
		Name: "UpdateAugmentedMasked", Body: "maskedAugment",
		Setup: func(s Source[T], shape []int) func() T {
			g := s.InOutMatrix("G", shape[0], shape[1])
			n := s.InOutMatrix("N", shape[0], shape[1])
			m := s.InMatrix("M", shape[0], shape[1])
			seen, rho := s.Bits("Seen", shape[0], shape[1]), penalty(s)
			return func() T {
				kernel.UpdateAugmentedMasked(g.Matrix(), n.Matrix(), m.Matrix(), seen, rho)
				return 0
			}
		},
	}, 3, 7)
}

func targetMasked[T kernel.Float]() Kernel[T] {
	return ofMask(Kernel[T]{
		Name: "TargetMasked", Body: "maskedTarget",
		Setup: func(s Source[T], shape []int) func() T {
			n := s.InOutMatrix("N", shape[0], shape[1])
			g := s.InMatrix("G", shape[0], shape[1])
			m := s.InMatrix("M", shape[0], shape[1])
			seen, a, b := s.Bits("Seen", shape[0], shape[1]), s.Scalar("a"), s.Scalar("b")
			return func() T { kernel.TargetMasked(n.Matrix(), g.Matrix(), m.Matrix(), seen, a, b); return 0 }
		},
	}, 3, 4)
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
	k.Measures = []Measure{
		{Stream: true, Ops: 8, Shape: entries(1, 1+int(kernel.Never))},
		{Case: "update before", Stream: true, Ops: 12, Shape: entries(2, 1+int(kernel.Before))},
		{Case: "update after", Stream: true, Ops: 12, Shape: entries(2, 1+int(kernel.After))},
	}
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
	k.Measures = []Measure{
		{Stream: true, Ops: 14, Shape: entries(2, 1+int(kernel.Never))},
		{Case: "update before", Stream: true, Ops: 21, Shape: entries(2, 1+int(kernel.Before))},
		{Case: "update after", Stream: true, Ops: 21, Shape: entries(2, 1+int(kernel.After))},
	}
	return k
}
