package rank

import (
	"unsafe"

	"nmu/lnmu"
	"nmu/lnmu/internal/agreement"
)

// EstimateOf returns an upper bound on the memory of Curve in bytes, beside M, whose entries it does not
// read. The ranks, the method and the settings are those that WithDefaults returns.
func EstimateOf[T lnmu.Float](m lnmu.Unread[T], ranks []int, method lnmu.Method, s Settings) (int64, error) {
	teams := min(s.Threads, s.SideBySide, len(ranks)*(s.Folds+s.Restarts))
	run := s.Settings
	run.Restarts, run.Threads = 1, s.Threads/teams
	entries, masks := float64(m.Rows)*float64(m.Cols), 0.0
	if s.Folds > 1 { // the entries of a fold are missing
		m.Missing, masks = true, entries/8
	}
	last := ranks[len(ranks)-1]
	e, err := lnmu.EstimateOf(lnmu.Matrix[T](m), last, method, run)
	if err != nil {
		return 0, err
	}
	size := float64(unsafe.Sizeof(T(0)))
	rows, r, columns := float64(m.Rows), float64(last), float64(min(m.Cols, mostColumns))
	runs := float64(teams) * (float64(e.Memory) + masks)
	comparisons := 0.0
	if s.Restarts > 1 || s.Folds > 1 {
		// A team that has finished the last run for a rank compares those. A recursion compares all ranks in
		// the end.
		n := teams
		if prefixes(method) {
			n = min(s.Threads, len(ranks))
		}
		comparisons = float64(n) * agreement.ClusteringBytes(int(columns))
	}
	// Directions and labels stay until the runs for a rank are compared. In a recursion these are all.
	compared := float64(max(s.Restarts, s.Folds)) * float64(len(ranks)) * (size*r*rows + 4*columns)
	if s.Consensus {
		compared += 8 * float64(len(ranks)) * columns * columns
	}
	listed := 256 * float64(s.Restarts+s.Folds) * float64(len(ranks))
	return int64(max(runs, comparisons) + entries + compared + listed), nil // a byte for the fold of each entry
}
