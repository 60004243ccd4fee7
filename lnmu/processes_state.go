package lnmu

import (
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
)

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
