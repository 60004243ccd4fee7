package lnmu

import (
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
)

// Processes are those that factor one matrix together, each of them a part of it: as
// many programs, on one machine or on several, that call Factor at the same time with
// the same arguments but for M, of which each has its own part. See Settings.Processes.
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

// Part says which part of M a process has, of the longer side of M: rows if M has as
// many rows as columns or more, else columns. It must be that of Share.
type Part struct {
	First, Whole int  // its first row or column, and their number in M as a whole
	Columns      bool // M is wide: the part has columns of it
}

// Share returns the rows of an m x n matrix, if m >= n, or else its columns, that a
// process has: those from first to last-1. They are whole slabs, of some hundred rows
// or columns each, so that of many processes some have none. Process 0 has at least one.
// There is nothing for a process that is not from 0 to size-1.
func Share(m, n, rank, size int) (first, last int) { return group.Share(max(m, n), rank, size) }

// processesOf returns those of settings that may be nil: a group of one without any.
func processesOf(s *Settings) group.Comm {
	if s == nil {
		return group.Self{}
	}
	return group.Or(s.Processes)
}

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
