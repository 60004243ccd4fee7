package rank

import (
	"unsafe"

	"nmu/lnmu"
)

// EstimateOf returns an upper bound on the memory of Curve in bytes, beside M, whose entries it does not
// read. The ranks, the method and the settings are those that WithDefaults returns.
func EstimateOf[T lnmu.Float](m lnmu.Unread[T], ranks []int, method lnmu.Method, s Settings) (int64, error) {
	teams := min(s.Threads, s.SideBySide, len(ranks)*(s.Folds+s.Restarts))
	run := s.Settings
	run.Restarts, run.Threads = 1, s.Threads/teams
	m.Missing = true // the entries of a fold
	last := ranks[len(ranks)-1]
	e, err := lnmu.EstimateOf(lnmu.Matrix[T](m), last, method, run)
	if err != nil {
		return 0, err
	}
	size := float64(unsafe.Sizeof(T(0)))
	entries, rows, r, columns := float64(m.Rows)*float64(m.Cols), float64(m.Rows), float64(last), float64(min(m.Cols, mostColumns))
	// A run has a mask, and two consensus matrices when it is the last one for a rank.
	one := float64(e.Memory) + entries/8 + 2*8*columns*columns
	// Directions and labels stay until the runs for a rank are compared. In a recursion these are all.
	compared := float64(max(s.Restarts, s.Folds)) * float64(len(ranks)) * (size*r*rows + 4*columns)
	listed := 256 * float64(s.Restarts+s.Folds) * float64(len(ranks))
	return int64(float64(teams)*one + entries + compared + listed), nil // a byte for the fold of each entry
}
