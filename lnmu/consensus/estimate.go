package consensus

import (
	"unsafe"

	"nmu/lnmu"
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
	sides, r, columns := float64(m.Rows)+float64(m.Cols), float64(last), float64(min(m.Cols, mostColumns))
	matrix := size * float64(m.Rows) * float64(m.Cols)
	if m.Sparse {
		matrix = (size+4)*float64(m.Entries) + 8*float64(m.Rows)
	}
	// A run of drawn columns or counts has a matrix of its own, and another one of drawn rows.
	one := float64(e.Memory)
	switch s.Resample {
	case Columns:
		one += 2 * matrix
	case Poisson:
		one += matrix
	}
	kept := float64(s.Runs) * size * r * sides // the factors of the runs for a rank
	points := float64(len(ranks)) * (3*size*r*sides + size*columns*columns)
	// The runs for two ranks are there at a time, and the directions of the parts of one.
	return int64(float64(teams)*one + 3*kept + points + 2*8*columns*columns), nil
}
