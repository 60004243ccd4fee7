package compare

import (
	"unsafe"

	"nmu/lnmu"
	"nmu/lnmu/internal/agreement"
)

// EstimateOf returns the estimate for a comparison, whose memory is beside M. It does not read the entries
// of M. The plan is the one that Check returns.
func EstimateOf[T lnmu.Float](m lnmu.Unread[T], p Plan) (lnmu.Estimate, error) {
	s, teams, last := &p.Settings, p.teams(), p.Ranks[len(p.Ranks)-1]
	run := s.run()
	run.Threads = s.Threads / teams
	heldOut, folds := p.Evaluation == EvaluateHeldOut, p.folds()
	if heldOut {
		run.Restarts = 1
		m.Missing = m.Missing || folds > 0 // the entries of a fold
	}
	e, err := lnmu.EstimateOf(lnmu.Matrix[T](m), last, p.Method, &run)
	if err != nil {
		return e, err
	}
	size, count, one := float64(unsafe.Sizeof(T(0))), float64(len(p.Ranks)), float64(e.Memory)
	rows, cols, r := float64(m.Rows), float64(m.Cols), float64(last)
	entries, columns := rows*cols, float64(min(m.Cols, mostColumns))
	comparison := agreement.ClusteringBytes(int(columns))
	if heldOut {
		if folds > 0 {
			one += entries / 8
		}
		comparisons := 0.0
		if s.Restarts > 1 || folds > 0 {
			// A team that has finished the last run for a rank compares those. A recursion compares all ranks in
			// the end.
			n := teams
			if p.prefixes() {
				n = min(s.Threads, len(p.Ranks))
			}
			comparisons = float64(n) * comparison
		}
		// Directions and labels stay until the runs for a rank are compared. In a recursion these are all.
		compared := float64(max(s.Restarts, folds)) * count * (size*r*rows + 4*columns)
		if s.Consensus {
			compared += 8 * count * columns * columns
		}
		listed := 256 * float64(p.each()) * count
		return lnmu.Estimate{Memory: int64(max(float64(teams)*one, comparisons) + entries + compared + listed)}, nil // a byte for the fold of each entry
	}
	weights := float64(m.EstimateTransform(last, p.weighing(run.Threads)).Memory) // of the columns of a matrix in a basis
	// A run of drawn columns or counts has a matrix of its own, which is then perhaps one of drawn rows.
	matrix := size * entries
	if m.Sparse {
		matrix = (size+4)*float64(m.Entries) + 8*rows
	}
	switch s.Resample {
	case Columns:
		if m.Missing {
			matrix += entries / 8
		}
		if m.Weighted {
			matrix += 8 * entries
		}
	case Starts:
		matrix = 0
	}
	one = matrix + max(one, weights, comparison)
	kept, points := 0.0, 0.0
	for x, r := range p.Ranks {
		r := float64(r)
		if x >= len(p.Ranks)-min(teams, 2) { // two ranks are under way at a time
			kept += float64(s.Runs) * size * r * (rows + cols) // the factors of the runs
		}
		points += 3*size*r*(rows+cols) + size*columns*columns
	}
	directions := float64(s.Runs) * size * r * rows
	return lnmu.Estimate{Memory: int64(float64(teams)*one + kept + directions + points)}, nil
}
