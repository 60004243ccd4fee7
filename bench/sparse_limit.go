package bench

import (
	"nmu/bench/internal/machine"
	"nmu/internal/isa"
)

// sparseWork is what an iteration has to do for each nonzero, in any program that touches only the
// nonzeros.
type sparseWork struct {
	read, copied     int // vectors of r numbers that are read alone, and that are added to; each takes r multiply-adds
	again            int // r multiply-adds more with a vector that was read
	entries, columns int // values, and indices of 4 bytes, that come from the memory that holds the matrix or go there
}

// sparseRates are the rates of one thread that bound the work on nonzeros.
type sparseRates struct {
	peak          float64 // 1e9 operations a second
	loads, copies float64 // 1e9 bytes a second of vectors in L1
	stream        float64 // the same of the nonzeros, from where they fit
}

// sparseRates measures them at this moment.
func (s *session) sparseRates(nnz int, t machine.Type) (r sparseRates, err error) {
	near := max(machine.WorkingSet(machine.L1, isa.CPU(), 1, 0), machine.MinWorkingSet)
	if r.peak, err = machine.PeakRate(s.ctx, s.probe, t, 1); err != nil {
		return r, err
	}
	if r.loads, err = machine.ReadRate(s.ctx, s.probe, near, 1); err != nil {
		return r, err
	}
	if r.copies, err = machine.CopyRate(s.ctx, s.probe, near, 1); err != nil {
		return r, err
	}
	r.stream, err = machine.ReadRate(s.ctx, s.probe, max(nnz*(4+t.Size()), machine.MinWorkingSet), 1)
	return r, err
}

// limit returns the least time of the work on nnz nonzeros: the longest of its multiply-adds, of
// its vectors if all of them are in L1, and of its nonzeros.
func (r sparseRates) limit(w sparseWork, nnz, rank int, t machine.Type) (seconds float64, by string) {
	n, vector := float64(nnz), float64(rank*t.Size())
	for _, x := range []struct {
		by          string
		nanoseconds float64
	}{
		{"multiply-adds", n * float64(2*rank*(w.read+w.copied+w.again)) / r.peak},
		{"vectors in L1", n * vector * (float64(w.read)/r.loads + float64(2*w.copied)/r.copies)},
		{"nonzeros, read", n * float64(w.entries*t.Size()+4*w.columns) / r.stream},
	} {
		if x.nanoseconds > 1e9*seconds {
			seconds, by = 1e-9*x.nanoseconds, x.by
		}
	}
	return seconds, by
}
