package consensus

import (
	"unsafe"

	"nmu/lnmu"
	"nmu/lnmu/internal/agreement"
)

// EstimateOf returns an upper bound on the memory of Find in bytes, beside M, whose entries it does not
// read. The ranks, the method and the settings are those that WithDefaults returns.
func EstimateOf[T lnmu.Float](m lnmu.Unread[T], ranks []int, method lnmu.Method, s Settings) (int64, error) {
	teams := min(s.Threads, s.SideBySide, len(ranks)*s.Runs)
	run := s.Settings
	run.Threads, run.Checkpoint = s.Threads/teams, nil
	last := ranks[len(ranks)-1]
	e, err := lnmu.EstimateOf(lnmu.Matrix[T](m), last, method, run)
	if err != nil {
		return 0, err
	}
	size := float64(unsafe.Sizeof(T(0)))
	rows, sides, columns := float64(m.Rows), float64(m.Rows)+float64(m.Cols), float64(min(m.Cols, mostColumns))
	one := float64(e.Memory)
	j := job[T]{method: method}
	weights := float64(lnmu.EstimateTransform(m, last, *j.weighing(run.Threads))) // of the columns of a matrix in a basis
	// A run of drawn columns or counts has a matrix of its own, which is then perhaps one of drawn rows.
	matrix := size * rows * float64(m.Cols)
	if m.Sparse {
		matrix = (size+4)*float64(m.Entries) + 8*rows
	}
	switch s.Resample {
	case Columns:
		if m.Missing {
			matrix += rows * float64(m.Cols) / 8
		}
		if m.Weighted {
			matrix += 8 * rows * float64(m.Cols)
		}
	case "":
		matrix = 0
	}
	// A team that has finished the last run for a rank compares those.
	one = matrix + max(one, weights, agreement.ClusteringBytes(int(columns)))
	kept, points := 0.0, 0.0
	for x, r := range ranks {
		r := float64(r)
		if x >= len(ranks)-min(teams, 2) { // two ranks are under way at a time
			kept += float64(s.Runs) * size * r * sides // the factors of the runs
		}
		points += 3*size*r*sides + size*columns*columns
	}
	directions := float64(s.Runs) * size * float64(last) * rows
	return int64(float64(teams)*one + kept + directions + points), nil
}
