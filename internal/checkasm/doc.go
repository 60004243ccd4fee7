// Package checkasm is the harness of the kernel tests and of nmu selftest. It does not need
// package testing, so that nmu selftest runs without a Go toolchain. It reads the list of
// package kernels, in which one entry is a kernel's test and its fuzz target.
//
//	Check: a kernel, some levels                    Fuzz
//	  every shape, place and class of values          one shape, every level
//	    Setup(c): operands, the call
//	    the call at level generic, on Want
//	    at each level: the call, on Data; checks
//	  broken shapes
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
//   - that outputs and the result have the bits that level generic gives (any NaN
//     equals any NaN);
//   - that the upper halves of the vector registers are clean, that is, that no
//     VZEROUPPER is missing (amd64);
//   - that a body kept the registers that are not its own, where the calls go Through this
//     package: they begin with junk in all others, so that no body trusts what another left;
//   - that the body meant for the level ran, see below.
//
// # Which body ran
//
// The kernels keep no counter for this. The harness makes a buffer inaccessible and calls the
// kernel. The call faults in the function that touches the data first. The stack names that
// function. It must be the kernel's body at the level, and no body at level generic. The
// harness counts these proofs and fails if a level has none.
//
// For this to work an assembly function with a frame needs NO_LOCAL_POINTERS,
// because the fault unwinds the stack through it, and wrappers must not read
// elements themselves.
//
// # Broken shapes
//
// The harness also calls the kernel with shapes that its buffers do not have: negative extents,
// products that overflow, strides below the columns, missing elements, and contradictory
// matrices. It breaks each number by itself and random pairs (1300 calls with Full).
// It decides in unbounded integers whether a call is possible. If not, the kernel must panic
// with a message of its own, and all bits of buffers and canaries must stay. A possible call
// must not panic. Therefore a call reads the extents, strides and Data of its operands anew,
// and Kernel.Distinct gives shapes in which equal extents mean the same.
//
// # Where it works
//
// Guard pages and the proof need mprotect, hence Unix. On other systems canaries replace the
// guard pages. The check of the upper halves needs XGETBV with ECX = 1; it works on AMD Zen 4
// under KVM. The harness logs the checks that are missing.
//
// Kernel tests change the active level of the process, so none may run in
// parallel with another test.
package checkasm
