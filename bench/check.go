package bench

import "nmu/bench/report"

// Check compares the measurements of a report with the bars of this program. It stores the
// result in the report and returns it. A bar without a measurement is Unmeasured. The bars
// have these names:
//
//	limit/METHOD/PROBLEM/TYPE/THREADS         share of the limit of an iteration
//	around/METHOD/PROBLEM/TYPE/THREADS        overhead with the first and last iteration, in iterations
//	precision/rnmu/cbcl/THREADS               float64 over float32
//	threads/METHOD/PROBLEM/TYPE               one thread over two
//	peer/PEER/METHOD/PROBLEM/float64/THREADS  another program over this one
//	solver/METHOD/PROBLEM                     the default solver over the other
//	growth/AXIS/METHOD                        growth of time over growth of work
//	memory/METHOD/MB, memory/METHOD/wide/MB   peak memory of a process
//	width/KERNEL/TYPE/COLUMNS                 rate on long rows over rate on short rows
//	allocations                               allocations per iteration
//	sparse/METHOD/RANK/TYPE                   time of an iteration over time of a plain pass
//	blas/PEER/gemm/N, blas/gonum/PROGRAM/N    gonum or NumPy over this one
//	blas/threads/gemm/N                       one thread over two
//	blas/small                                gonum over this one, for the slowest small call
//	model/METHOD/AXIS                         prediction and measurement, the smaller over the larger
//	processes/METHOD/cbcl                     speed of two one-thread processes over one with two threads
func Check(r *report.Report) []report.Check {
	c := &checker{report: r, Index: r.Index()}
	c.checkShares()
	c.checkLarge()
	c.checkThreads()
	c.checkWidths()
	c.checkPeers()
	c.checkSolvers()
	c.checkGrowth()
	c.checkPeak()
	c.checkAllocations()
	c.checkSparse()
	c.checkBLAS()
	c.checkModel()
	c.checkProcesses()
	r.Checks = c.checks
	return c.checks
}
