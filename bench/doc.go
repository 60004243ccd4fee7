// Package bench measures the limits of this machine, the share of these limits that the
// algorithms of the paper reach, and the time of other programs for the same work. Package
// paper compares results with the tables of the paper.
//
//	machine.Measure   multiply-adds per second, bandwidth of L1, L2, L3 and memory,
//	   |              per level, precision and number of threads
//	   v
//	limit of a problem = the lower of its compute limit and its bandwidth limit
//
// Run measures the parts of a Plan one after the other, and Check compares the figures with the
// targets of this program, the bars. Each part is a file:
//
//	kernels, widths         every kernel at every level: bytes or operations per second
//	algorithms              seconds per iteration and of the whole, beside the limit
//	growth                  the same as m, n, r and the number of threads double
//	memory, collection      allocations; peak memory of child processes (Child); stops
//	sparse                  seconds per iteration on a sparse matrix, beside the limit and a plain pass
//	peers                   whole jobs by other programs
//	solvers                 time of two solvers to the same result
//	blas                    package blas beside gonum's BLAS and NumPy's
//	scale                   threads, processes (Serve) and the predictions of a model
//
// The files of the parts share session, checker, and the helpers of the part scale. They use
// these packages:
//
//	report    the measurements and their tables, page, plots and comparison
//	peer      gonum in this process; NumPy, scikit-learn and GNU Octave through scripts
//	group     processes that measure together
//	engine    the calls of lnmu, under a clock
//	subject   the methods and the matrices that are measured
//	machine   the limits of the machine
//	process   child processes, and the memory of this one
//	stat      repeated measurements of one quantity
//
// Every rate is measured where the program runs. Every quantity is measured several times and
// kept with all its samples (stat.Stat). Quantities that are compared are measured in turn. The
// sizes of the memory part are an exception: each has its own process. The comparison is made
// repetition by repetition (Stat.Over), so that a slow phase of the machine cancels. Figures
// are meaningful only on an otherwise idle machine.
//
// The part of a report about one problem (Report.Problem) is a report too: docs/bench.json
// is the part about the faces, which docs/speed.md shows.
package bench
