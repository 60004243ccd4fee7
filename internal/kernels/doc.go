// Package kernels is the list of the kernels: everything that has to do with each
// kernel of package kernel reads it, so that none of them can miss one.
//
//	                      All[T]()
//	                         |
//	     +---------------+---+-----------+-----------------+
//	     |               |               |                 |
//	checkasm.Check  Kernel.Call     checkasm.Fuzz      Kernel.Cut
//	every level,    allocations,    fuzz.FuzzKernels   go test -bench,
//	broken shapes,  work per call                      nmu bench
//	nmu selftest
//
// # A new kernel
//
// A new kernel is one entry, which All returns: how its operands are made and how
// it is called on them, which shapes are worth a test, and what it does for its
// time. The place in All is that of its rows in the benchmark. Nothing else names
// it but package kernel itself, whose table of bodies in doc.go a test compares
// with the entry and with the assembly; a test of this package compares the list
// with the exported functions of package kernel.
//
// The description of y += a*x:
//
//	func axpy[T kernel.Float]() Kernel[T] {
//		return Kernel[T]{
//			Name: "Axpy", Body: "axpy",
//			Shapes: Lengths(32), Distinct: [][]int{{65}}, Large: [][]int{{2_500_000}}, Most: []int{40_000},
//			Setup: func(s Source[T], shape []int) func() T {
//				x, y, a := s.In("x", shape[0]), s.InOut("y", shape[0]), s.Scalar("a")
//				return func() T { kernel.Axpy(a, x.Data, y.Data); return 0 }
//			},
//			Work:     volume,
//			Measures: []Measure{{Stream: true, Ops: 2, Shape: vectors(2)}},
//		}
//	}
//
// There is no second description of what a kernel computes: the reference is the
// same call at level generic, whose bodies are the specification.
package kernels
