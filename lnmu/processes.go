package lnmu

import (
	"nmu/lnmu/internal/group"
)

// Processes connects the processes that factor one matrix together, on one machine or on
// several. They call Factor at the same time with the same arguments, except M: each has its
// own Part.
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

// Part is the part of M that one of several processes holds: the rows of a tall M, or the
// columns of a wide one, that Share returns, maybe none. Factor and FactorFrom take it.
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
// others. If a process refuses its part, the error of the others wraps ErrProcess.
type Part[T Float] struct {
	Matrix[T]
	Processes  Processes
	Rows, Cols int // of M as a whole
}

// Share returns the part of an m x n matrix that a process of a group holds: rows first to
// last-1 if m >= n, else these columns. A part consists of whole slabs of some hundred lines,
// so some of many processes may have none. Process 0 has at least one line. A rank outside 0 to
// size-1 has none.
func Share(m, n, rank, size int) (first, last int) { return group.Share(max(m, n), rank, size) }
