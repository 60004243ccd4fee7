// Package kernels is the list of the kernels. Tests, fuzzing and benchmarks read it, so that
// each of them has every kernel of package kernel.
//
//	                      All[T]()
//	                         |
//	     +---------------+---+-----------+-----------------+
//	     |               |               |                 |
//	checkasm.Check  Kernel.Call     checkasm.Fuzz      Kernel.Cut
//	every level,    allocations,    fuzz.FuzzKernels   go test -bench,
//	broken shapes,  work per call                      ./kernel
//	nmu selftest
//
// # A new kernel
//
// A new kernel is one entry, which All returns. The entry says how to make the operands and the
// call, which shapes to test, and how much work a call is. The order of All is that of the
// benchmark. Nothing else names the kernel but package kernel itself. A test compares the table
// of bodies in kernel/doc.go with the entry and with the assembly. A test of this package
// compares the list with the exported functions of package kernel.
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
// No second description of a kernel exists. The reference is the same call at level generic,
// whose bodies are the specification.
package kernels
