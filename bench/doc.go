// Package bench measures: what this machine can do, how near to that the
// algorithms of the paper come, and how long other programs take for the same work.
// How the results compare with the paper's tables is the subject of package paper.
//
//	Machine ------ multiply-adds per second, bandwidth of L1, L2, L3, memory
//	   |                 per level, precision and number of threads
//	   v
//	limit of a problem = the lower of what its operations and its bytes allow
//
// The other programs (Peer) get the same data, the same start and the same
// number of iterations: gonum in this process, and NumPy, scikit-learn and GNU
// Octave, where they are installed, through the scripts in peers/. Their errors
// are compared as well as their times.
//
// Run does all of it in an order that keeps near in time what is compared, and
// Report.Check puts the figures beside the bars that this program has set itself:
//
//	Machine   limits, per level and number of threads
//	kernels   every kernel at every level: bytes or operations per second
//	algorithms, growth   seconds per iteration, from the end of one to the end of
//	          another, so that nothing but iterations is timed
//	memory    allocations; peak memory of child processes (Child)
//	sparse    seconds per iteration on a sparse matrix, beside a plain pass over it
//	peers     whole jobs
//	blas      package blas beside gonum's BLAS and NumPy's
//
// A Report collects measurements beside their limits and is written as a text
// table, as JSON, and as a page with plots; two reports can be compared. Its part
// about one problem (Report.Problem) is a report too: that about the faces is what
// docs/bench.json holds and the README shows.
//
// Every rate is measured where the program runs, none is assumed; every
// quantity is measured several times and kept with all its samples (Stat). What
// is compared is measured in turn, but for the sizes of the memory part, each in a
// process of its own, and compared repetition by repetition (Stat.Over), so that
// what slows down the whole machine for a while cancels.
// Figures mean something on an otherwise idle machine only.
package bench
