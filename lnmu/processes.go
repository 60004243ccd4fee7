package lnmu

import (
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
)

// Processes are those that factor one matrix together, each of them a part of it: as
// many programs, on one machine or on several, that call Factor at the same time with
// the same arguments but for M, of which each has its own Part.
//
// All methods are called in the same order by the processes that take part in them,
// from one goroutine.
type Processes interface {
	Rank() int // number of this process, from 0
	Size() int // number of processes

	// Exchange sends a message to a partner and receives one of exactly len(receive)
	// bytes from it; either may be empty, and then there is none. It does not return
	// if it fails: it ends the process.
	Exchange(partner int, send, receive []byte)

	// Broadcast makes data what it is in process 0, in all of them.
	Broadcast(data []byte)
}

// Part is the part of M that one of several processes holds: the rows that Share says of a
// tall M, the columns of a wide one, maybe none. Factor and FactorFrom take it.
//
// Result.V then has the rows of the part, if M is tall, or Result.W its columns. So has the V
// or W of a given start, and a mask or the weights of an Observed. Factors reads the whole of
// that factor, which no process holds. The other factor and all numbers are those of the
// whole, the same in every process and, bit for bit, the same as of one process alone.
//
// Method and settings must be the same in all processes. Restarts run one after the other.
// The context, TimeLimit, Progress and Checkpoint of process 0 count, and not those of
// others. If a process refuses its part, the error of the others wraps ErrProcess.
type Part[T Float] struct {
	Matrix[T]
	Processes  Processes
	Rows, Cols int // of M as a whole
}

// Share returns the rows of an m x n matrix, if m >= n, or else its columns, that a
// process has: those from first to last-1. They are whole slabs, of some hundred rows
// or columns each, so that of many processes some have none. Process 0 has at least one.
// There is nothing for a process that is not from 0 to size-1.
func Share(m, n, rank, size int) (first, last int) { return group.Share(max(m, n), rank, size) }

// startSums returns the hashes of V and W, of one of which each process has a part.
func startSums[T Float](all Processes, v, w Dense[T], part core.Part) (string, string) {
	if all.Size() == 1 {
		return SHA256(v), SHA256(w)
	}
	if part.Columns {
		return SHA256(v), (&DistributedFactor[T]{all, group.Distributed[T]{X: w, Columns: true, First: part.First, Whole: part.Whole}}).SHA256()
	}
	return (&DistributedFactor[T]{all, group.Distributed[T]{X: v, First: part.First, Whole: part.Whole}}).SHA256(), SHA256(w)
}
