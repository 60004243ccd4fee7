// Package kerneltest is the conformance suite of package kernel. It tests functions against the specification of the
// kernels, bit for bit: those of package kernel, and bodies that others have written for an instruction set, in C
// or with another library.
//
//	err := kerneltest.Check(kerneltest.Functions[float64]{Dot: mine}, kerneltest.Full)
//	err = kerneltest.WriteTimes(os.Stdout, kerneltest.Functions[float64]{Dot: mine})
//
// The names of this package and of package kernel may change in any version. The bits that a kernel computes do not.
//
// # What is tested
//
// Check runs every shape of a Kernel with operands at several places and with several classes of values. The
// reference is the function of package kernel at level generic. A buffer lies between two inaccessible pages,
// in one of these ways:
//
//	| guard |xxxxxx~~~~~~~~~~~~~~~| guard |     flush against the first page
//	| guard |~~~~~xxxxxx~~~~~~~~~~| guard |     5 elements further
//	| guard |~~~~~~~~~~~~~~~xxxxxx| guard |     flush against the last page
//
// x is data, ~ are canaries, which are NaNs as float32 and as float64. Check requires
//
//   - that no call faults: an access to a guard page is reported with the
//     function, the buffer and the distance;
//   - that the canaries stand and the inputs are unmodified;
//   - that outputs and the result have the bits of the reference (any NaN equals any NaN);
//   - that the upper halves of the vector registers are clean, that is, that no VZEROUPPER is missing (amd64);
//   - that the floating-point control register is unmodified;
//   - that no body trusts a register that it has not set: vector and mask registers hold junk before
//     every second call of a function. In the tests of package kernel the other registers hold junk too,
//     and its bodies must keep BP (amd64), or R29 and g (arm64);
//   - that the function meant ran, see below.
//
// # Which body ran
//
// Check makes the buffers inaccessible and calls the function. The call faults in the function that touches the
// data first, which the stack names. At a level of package kernel this must be the kernel's body, and no body at level
// generic. Of a function to test, at least one call must not end in package kernel. Without any such
// proof Check fails.
//
// For this an assembly function with a frame needs NO_LOCAL_POINTERS, because the fault unwinds the stack
// through it, and its caller must not read elements itself. Code that is not Go's cannot be stopped so: see
// Functions.Foreign.
//
// # Broken shapes
//
// Check also calls the function with shapes that its buffers do not have: negative extents, products that
// overflow, strides below the columns, missing elements, and contradictory matrices. It breaks each number by itself
// and random pairs. It decides in unbounded integers whether a call is possible. If not, the function must panic
// with a message of its own, and all bits of buffers and canaries must stay. A possible call must not panic. Functions
// whose callers check the arguments are Unchecked.
//
// # Where it works
//
// Guard pages and the proof need mprotect, hence Unix. On other systems canaries replace the guard pages. The check of
// the upper halves needs XGETBV with ECX = 1. Lacks lists the checks that are missing. Check changes the active
// level of the process, so it must not run beside another computation.
//
// # A new kernel
//
// A new kernel of package kernel is a field of Functions and one entry, which All returns. The entry is its test, its
// fuzz target and its benchmark. A call reads the extents, strides and Data of its operands anew, because Check breaks
// them. The order of All is that of the benchmark. Tests compare it with the exported functions and the table of
// bodies of package kernel.
package kerneltest
