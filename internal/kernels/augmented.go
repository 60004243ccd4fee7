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

// forElements completes a kernel that reads three matrices entry by entry.
func forElements[T kernel.Float](k Kernel[T], ops int) Kernel[T] {
	k.Shapes, k.EveryPlace = elementShapes(), true
	k.Distinct = [][]int{{3, 7}, {5, 40}}
	k.Large = largeOf([]int{0, 2})
	k.Most = []int{300, 2 * long}
	k.Work = volume
	k.Measures = []Measure{{Stream: true, Ops: ops, Shape: entries(3)}}
	return k
}

func updateAugmented[T kernel.Float]() Kernel[T] {
	return forElements(Kernel[T]{
		Name: "UpdateAugmented", Body: "augment",
		Setup: func(s Source[T], shape []int) func() T {
			g := s.InOutMatrix("G", shape[0], shape[1])
			n := s.InOutMatrix("N", shape[0], shape[1])
			m := s.InMatrix("M", shape[0], shape[1])
			rho := penalty(s)
			return func() T { kernel.UpdateAugmented(g.Matrix(), n.Matrix(), m.Matrix(), rho); return 0 }
		},
	}, 7)
}

func target[T kernel.Float]() Kernel[T] {
	return forElements(Kernel[T]{
		Name: "Target", Body: "target",
		Setup: func(s Source[T], shape []int) func() T {
			n := s.OutMatrix("N", shape[0], shape[1])
			g := s.InMatrix("G", shape[0], shape[1])
			m := s.InMatrix("M", shape[0], shape[1])
			a, b := s.Scalar("a"), s.Scalar("b")
			return func() T { kernel.Target(n.Matrix(), g.Matrix(), m.Matrix(), a, b); return 0 }
		},
	}, 4)
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
	k.Measures = []Measure{
		{Stream: true, Ops: 10, Shape: entries(2, 1+int(kernel.Never))},
		{Case: "update before", Stream: true, Ops: 17, Shape: entries(2, 1+int(kernel.Before))},
		{Case: "update after", Stream: true, Ops: 17, Shape: entries(2, 1+int(kernel.After))},
	}
	return k
}
