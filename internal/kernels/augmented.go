package kernels

import (
	"math"

	"nmu/kernel"
)

// The kernels of the augmented Lagrangian.

// penalty returns a positive finite penalty.
func penalty[T kernel.Float](s Source[T]) T {
	if rho := s.Scalar("rho"); rho > 0 && !math.IsInf(float64(rho), 0) {
		return rho
	}
	return T(1+s.IntN(3)) / 2
}

func updateAugmented[T kernel.Float]() Kernel[T] {
	return forElements("UpdateAugmented", "augment", 3, 7, func(s Source[T], p, q int) func() T {
		g, n, m, rho := s.InOutMatrix("G", p, q), s.InOutMatrix("N", p, q), s.InMatrix("M", p, q), penalty(s)
		return func() T { kernel.UpdateAugmented(g.Matrix(), n.Matrix(), m.Matrix(), rho); return 0 }
	})
}

func target[T kernel.Float]() Kernel[T] {
	return forElements("Target", "target", 3, 4, func(s Source[T], p, q int) func() T {
		n, g, m := s.OutMatrix("N", p, q), s.InMatrix("G", p, q), s.InMatrix("M", p, q)
		a, b := s.Scalar("a"), s.Scalar("b")
		return func() T { kernel.Target(n.Matrix(), g.Matrix(), m.Matrix(), a, b); return 0 }
	})
}

// rankOneAugmented has the shapes rows, columns, 1 + When.
func rankOneAugmented[T kernel.Float]() Kernel[T] {
	k := rankOne[T]()
	k.Name, k.Body = "RankOneAugmented", "augRankOne"
	k.Setup = func(s Source[T], shape []int) func() T {
		rows, cols := shape[0], shape[1]
		acc, v, w := s.InOut("acc", cols), s.InOut("v", rows), s.In("w", cols)
		inv, vv := s.Scalar("inv"), s.Scalar("vv")
		if s.Once(5) {
			inv = 0
		}
		up := kernel.Augmented[T]{When: kernel.When(shape[2] - 1), Rho: penalty(s)}
		m := s.InMatrix("M", rows, cols)
		g := s.InMatrix
		if up.When != kernel.Never {
			g = s.InOutMatrix
		}
		state := g("G", rows, cols)
		return func() T {
			up.M = m.Matrix()
			return kernel.RankOneAugmented(acc.Data, v.Data, state.Matrix(), w.Data, inv, vv, up)
		}
	}
	k.Measures = passes(2, 10, 17)
	return k
}
