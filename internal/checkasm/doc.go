// Package checkasm is the harness of the kernel tests: one description of a
// kernel, about 30 lines, is its test and its benchmark.
//
//	Kernel.Test                                     Kernel.Bench
//	  every level of isa.Available                    every level
//	    every shape, placement and class of values      working sets in L1, L2, memory
//	      Setup(c): buffers, c.Reference, c.Call          Setup(c): buffers, c.Call in a loop
//	      checks                                          GB/s, GFLOP/s
//
// The description of y += a*x, as a test has it and a benchmark shares it:
//
//	func axpy[T kernel.Float]() checkasm.Runner {
//		return checkasm.Kernel[T]{
//			Name:  "Axpy",
//			Block: 32,
//			Setup: func(c *checkasm.Case[T]) {
//				x, y, a := c.In("x", c.N()), c.InOut("y", c.N()), c.Scalar("a")
//				c.Reference(func() { axpyGeneric(a, x.Data, y.Want) })
//				c.Call(func() { Axpy(a, x.Data, y.Data) })
//			},
//			BenchShape: func(elements int) []int { return []int{elements / 2} },
//			Flops:      func(shape []int) float64 { return 2 * float64(shape[0]) },
//		}
//	}
//
//	func TestKernels(t *testing.T) { checkasm.Test(t, axpy[float32](), axpy[float64]()) }
//
// A Case hands out buffers that lie between two inaccessible pages, in one of
// these ways:
//
//	| guard |xxxxxx~~~~~~~~~~~~~~~| guard |     Start: flush against the first page
//	| guard |~~~~~xxxxxx~~~~~~~~~~| guard |     Offset(5): 5 elements further
//	| guard |~~~~~~~~~~~~~~~xxxxxx| guard |     End: flush against the last page
//
// x is data, ~ are canaries, which are NaNs as float32 and as float64. After
// each call of a kernel the harness requires
//
//   - that it did not fault: an access to a guard page is reported with the
//     function, the buffer and the distance;
//   - that the canaries stand and the inputs are unmodified;
//   - that outputs have the reference's bits (any NaN equals any NaN);
//   - that the upper halves of the vector registers are clean, that is, that no
//     VZEROUPPER is missing (amd64);
//   - that the body meant for the level ran, see below.
//
// # Which body ran
//
// No counter is kept in the kernels; they have nothing to pay or to forget.
// The harness makes a buffer inaccessible and calls the kernel: it faults
// inside the function that touches the data first, and the name of that
// function on the stack must contain the name of the level's bodies: AVX2,
// AVX512 or NEON, and none of them at level generic. The harness counts these
// proofs and fails if a level has none.
//
// For this to work an assembly function with a frame needs NO_LOCAL_POINTERS,
// because the fault unwinds the stack through it, and wrappers must not read
// elements themselves; where one does, Kernel.Probe names a buffer that only
// the body touches.
//
// # Broken shapes
//
// Then the kernel is called with shapes that its buffers do not have: negative
// extents, products that overflow, strides below the columns, missing elements,
// matrices that contradict each other, each by itself and in pairs drawn by
// chance (1300 calls, with -short 130). Whether a call is possible is computed
// in integers without bounds. If it is not, the kernel must panic with a message
// of its own, and every bit of every buffer and canary must be as before; if it
// is, the kernel must not panic. For this Call must read the extents, strides and
// Data of buffers in its argument, and Kernel.Distinct gives shapes in which
// equal extents mean the same.
//
// # Where it works
//
// Guard pages and the proof need mprotect, hence Unix; elsewhere canaries take
// the place of guard pages. The check of the upper halves needs XGETBV with
// ECX = 1. Found to work on AMD Zen 4 under KVM. What is missing is logged.
//
// Kernel tests change the active level of the process, so none may run in
// parallel with another test.
package checkasm
