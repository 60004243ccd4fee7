package bench

import (
	"nmu/bench/internal/machine"
	"nmu/internal/isa"
)

// sparseWork is what an iteration has to do for each nonzero, in any program that touches only the
// nonzeros.
type sparseWork struct {
	read, copied     int // vectors of r numbers that are read alone, and that are added to; each takes r multiply-adds
	entries, columns int // values, and indices of 4 bytes, that come from the memory that holds the matrix or go there
}

// sparseLimit measures the least time of an iteration on nnz nonzeros: the longest of its
// multiply-adds, of its vectors if all of them are in L1, and of its entries.
func (s *session) sparseLimit(w sparseWork, nnz, rank int, t machine.Type) (seconds float64, by string, err error) {
	peak, err := machine.PeakRate(s.ctx, s.probe, t, 1)
	if err != nil {
		return 0, "", err
	}
	cpu := isa.CPU()
	near := max(machine.WorkingSet(machine.L1, cpu, 1, 0), machine.MinWorkingSet)
	loads, err := machine.ReadRate(s.ctx, s.probe, near, 1)
	if err != nil {
		return 0, "", err
	}
	copies, err := machine.CopyRate(s.ctx, s.probe, near, 1)
	if err != nil {
		return 0, "", err
	}
	stream, err := machine.ReadRate(s.ctx, s.probe, max(nnz*(4+t.Size()), machine.MinWorkingSet), 1)
	if err != nil {
		return 0, "", err
	}
	n, vector := float64(nnz), float64(rank*t.Size())
	for _, x := range []struct {
		by          string
		nanoseconds float64
	}{
		{"multiply-adds", n * float64(2*rank*(w.read+w.copied)) / peak},
		{"vectors in L1", n * vector * (float64(w.read)/loads + float64(2*w.copied)/copies)},
		{"nonzeros, read", n * float64(w.entries*t.Size()+4*w.columns) / stream},
	} {
		if x.nanoseconds > 1e9*seconds {
			seconds, by = 1e-9*x.nanoseconds, x.by
		}
	}
	return seconds, by, nil
}
