// Package distributed factors one matrix in several processes, on one machine or on several. Each process holds
// whole slabs of the longer side of M. Sums follow the same tree as in one process, so that the result has its bits.
//
//	whole := distributed.Whole[float64]{Processes: processes, Rows: rows, Cols: cols}
//	first, last := distributed.Share(rows, cols, processes.Rank(), processes.Size())
//	res, err := lnmu.Factor(ctx, whole.Part(m), rank, method, settings) // m has rows first to last-1 of a tall M
//	v, w, err := whole.Factors(res.V, res.W)                            // no process holds the longer one
package distributed

import (
	"nmu/lnmu"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/outline"
)

// Processes connects the processes that factor one matrix together. They call lnmu.Factor at the same time with
// the same arguments, except M: each has its own part.
//
// All processes call these methods in the same order, each from one goroutine.
type Processes interface {
	Rank() int // number of this process, from 0
	Size() int // number of processes

	// Exchange sends a message to a partner and receives one of exactly len(receive) bytes
	// from it. An empty slice stands for no message. If it fails, it ends the process.
	Exchange(partner int, send, receive []byte)

	// Broadcast copies data of process 0 to all processes.
	Broadcast(data []byte)
}

// Share returns the part of an m x n matrix that a process of a group holds: rows first to
// last-1 if m >= n, else these columns. A part consists of whole slabs of some hundred lines,
// so some of many processes may have none. Process 0 has at least one line. A rank outside 0 to
// size-1 has none.
func Share(m, n, rank, size int) (first, last int) { return group.Share(max(m, n), rank, size) }

// Whole is a matrix M of which each of several processes holds a part. Without Processes, one process holds all of it.
type Whole[T lnmu.Float] struct {
	Processes  Processes
	Rows, Cols int // of M
}

// Part returns the part of M that this process holds, as package lnmu takes it: m has the rows of a tall M, or the
// columns of a wide one, that Share returns, maybe none. Factor, FactorFrom and Measure take it, and Improve.
//
// Result.V then has the rows of the part, if M is tall, or Result.W its columns. So has the V
// or W of a given start, and a mask or the weights of an Observed. Factors gives access to the
// whole of that factor, which no process holds. The other factor and all numbers refer to the
// whole M. They are the same in every process, with the bits of a single one.
//
// With Hoyer, InitSVD, priors, exact steps and the norm L1, each process holds vectors as long
// as the whole M. For exact steps and the norm L1, the processes share the columns of a tall M,
// or the rows of a wide one, and exchange them in panels of at most 256 MiB.
//
// Method and settings must be the same in all processes: FixedV and FixedW are those of the whole M. Restarts
// run one after the other.
// The context, TimeLimit, Progress and Checkpoint of process 0 count, and not those of
// others. If a process refuses its part, the error of the others wraps lnmu.ErrProcess.
func (x Whole[T]) Part(m lnmu.Matrix[T]) lnmu.Matrix[T] {
	return outline.Part[T]{Any: m, Processes: x.Processes, Rows: x.Rows, Cols: x.Cols}
}
