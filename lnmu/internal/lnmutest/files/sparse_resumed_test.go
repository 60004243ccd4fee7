package files

import (
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"nmu/internal/direct"
	"nmu/lnmu"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/lnmutest"
)

// TestStoredSparseCheckpoint: the states of a run on a stored matrix are those of one in
// memory, and either goes on from those of the other.
func TestStoredSparseCheckpoint(t *testing.T) {
	smallChunks(t, 1, 2)
	tall := sparseOf[float32](t, 1500, 60, 20000)
	wide := tall.Transposed()
	for name, method := range storedSparseCases() {
		m := tall
		if strings.Contains(name, "gnmu") || name == "accelerated" {
			m = wide
		}
		run := func(stored bool, from []byte) (res *lnmu.Result[float32], states [][]byte) {
			c := collecting(t, name, &states, from)
			s := &lnmu.Settings{Iterations: 4, Restarts: 1, Threads: 1, Checkpoint: c, Scratch: t.TempDir()}
			var err error
			if stored {
				res, err = lnmu.Factor(t.Context(), &lnmutest.RowsOfCSR[float32]{CSR: m}, 3, method, s)
			} else {
				res, err = lnmu.Factor(t.Context(), m, 3, method, s)
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return res, states
		}
		want, states := run(true, nil)
		_, others := run(false, nil)
		if len(states) != len(others) || len(states) == 0 {
			t.Fatalf("%s has %d states, in memory %d", name, len(states), len(others))
		}
		each := 3
		if testing.Short() {
			each = len(states)
		}
		for i := 1; i < len(states); i += each {
			for _, stored := range []bool{false, true} {
				from := states[i]
				if stored {
					from = others[i]
				}
				if got, _ := run(stored, from); !lnmutest.SameBits(got, want) || got.RelativeError != want.RelativeError {
					t.Errorf("%s goes on from state %d to another result", name, i)
				}
			}
		}
	}
}

// TestContinueStoredSparse: factors are added as in memory.
func TestContinueStoredSparse(t *testing.T) {
	smallChunks(t, 1, 2)
	m := sparseOf[float64](t, 1500, 60, 20000)
	s := &lnmu.Settings{Iterations: 4, Restarts: 1, Init: lnmu.InitNested, Threads: 2, Scratch: t.TempDir()}
	for _, method := range []lnmu.Method{lnmu.RNMU{Block: 2}, lnmu.RNMU{}} {
		m = m.Transposed()
		stored := &lnmutest.RowsOfCSR[float64]{CSR: m}
		first, err := lnmu.Factor(t.Context(), stored, 2, method, s)
		if err != nil {
			t.Fatal(err)
		}
		got, err := lnmu.Continue(t.Context(), stored, first, 4, method, s)
		if err != nil {
			t.Fatal(err)
		}
		want, err := lnmu.Factor(t.Context(), m, 4, method, s)
		if err != nil || !lnmutest.SameBits(got, want) {
			t.Errorf("other factors than in memory, error %v", err)
		}
		from, err := lnmu.FactorFrom(t.Context(), stored, want.V, want.W, method, &lnmu.Settings{Iterations: 2, Scratch: t.TempDir()})
		again, err2 := lnmu.FactorFrom(t.Context(), m, want.V, want.W, method, &lnmu.Settings{Iterations: 2})
		if err != nil || err2 != nil || !lnmutest.SameBits(from, again) {
			t.Errorf("other factors from a start, %v, %v", err, err2)
		}
	}
}

// moved counts what goes through scratch files, and their bytes.
type moved struct {
	block.File
	size int64
	*traffic
}

type traffic struct{ read, written, held, most atomic.Int64 }

// open makes a scratch file that is counted.
func (c *traffic) open(dir string, size int64) (block.File, error) {
	f, err := direct.Scratch(dir, size)
	c.most.Store(max(c.most.Load(), c.held.Add(size)))
	return moved{f, size, c}, err
}

func (f moved) ReadAt(p []byte, offset int64) (int, error) {
	f.read.Add(int64(len(p)))
	return f.File.ReadAt(p, offset)
}

func (f moved) WriteAt(p []byte, offset int64) error {
	f.written.Add(int64(len(p)))
	return f.File.WriteAt(p, offset)
}

func (f moved) Close() error {
	f.held.Add(-f.size)
	return f.File.Close()
}

// TestEstimateOf: an iteration reads and writes what is said of it, and the files are as large.
func TestEstimateOf(t *testing.T) {
	smallChunks(t, 200_000, 2)
	m := sparseOf[float64](t, 12000, 1500, 400_000)
	wide := m.Transposed()
	for name, c := range map[string]struct {
		method lnmu.Method
		rank   int
		m      lnmu.CSR[float64]
	}{
		"nmf": {lnmu.NMF{}, 50, m}, "nmf, one block of columns": {lnmu.NMF{}, 5, m}, "rank 1": {lnmu.NMF{}, 1, m}, "accelerated": {lnmu.NMF{Solver: lnmu.SolverAccelerated}, 5, m}, "gnmu": {lnmu.GNMU{}, 5, m},
		"gnmu, 3 steps": {lnmu.GNMU{Lagrangian: lnmu.Lagrangian{StepsPerUpdate: 3}}, 50, m}, "rank 1, gnmu": {lnmu.GNMU{Lagrangian: lnmu.Lagrangian{ZeroMultiplier: func(int) float64 { return 0 }}}, 1, m}, "admm": {lnmu.GNMU{Lagrangian: lnmu.Lagrangian{Solver: lnmu.SolverADMM, ResidualTolerance: 1e-9}}, 5, m},
		"wide": {lnmu.NMF{}, 5, wide}, "wide, gnmu": {lnmu.GNMU{}, 5, wide}, "wide, blocks": {lnmu.RNMU{Block: 3}, 5, wide}, "wide, by rows": {lnmu.RNMU{}, 2, wide},
	} {
		if os.Getenv("NMU_FULL") == "" && c.rank > 5 { // which take their time
			continue
		}
		var all traffic
		stored := &lnmutest.RowsOfCSR[float64]{CSR: c.m}
		run := func(iterations int) (int64, int64) {
			old := block.NewScratch
			block.NewScratch = all.open
			defer func() { block.NewScratch = old }()
			all.read.Store(0)
			all.written.Store(0)
			s := &lnmu.Settings{Iterations: iterations, Restarts: 1, Threads: 1, Scratch: t.TempDir()}
			if _, err := lnmu.Factor(t.Context(), stored, c.rank, c.method, s); err != nil {
				t.Fatal(err)
			}
			return all.read.Load(), all.written.Load()
		}
		r1, w1 := run(1)
		r2, w2 := run(3)
		method, s, err := lnmu.WithDefaults(c.m, c.rank, c.method, &lnmu.Settings{Restarts: 1, Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		needs, err := lnmu.EstimateOf(stored, c.rank, method, s)
		if err != nil {
			t.Fatal(err)
		}
		sizes := map[string][2]float64{"scratch": {float64(all.most.Load()), float64(needs.Scratch)}}
		if _, recursive := c.method.(lnmu.RNMU); !recursive { // which does more for each block
			sizes["reads"] = [2]float64{float64(r2-r1) / 2, float64(needs.Reads)}
			sizes["writes"] = [2]float64{float64(w2-w1) / 2, float64(needs.Writes)}
		}
		for what, x := range sizes {
			if ratio := x[1] / x[0]; x[0] != x[1] && !(ratio >= 0.95 && ratio <= 1.25) {
				t.Errorf("%s: %s %.0f, said to be %.0f", name, what, x[0], x[1])
			}
		}
	}
	if _, err := lnmu.EstimateOf(&lnmutest.RowsOfCSR[float64]{CSR: m}, 3, lnmu.SNMF{}, lnmu.Settings{}); !errors.Is(err, lnmu.ErrOption) {
		t.Errorf("snmf: %v", err)
	}
}

// TestResumeOrder: restarts that were side by side, and then one after the other, come in
// any order, in which the first need not be the first on its memory.
func TestResumeOrder(t *testing.T) {
	d, c := lnmutest.Data[float64](120, 80, 5), sparseOf[float64](t, 120, 80, 2000)
	for name, run := range map[string]func(s *lnmu.Settings) (*lnmu.Result[float64], error){
		"dense": func(s *lnmu.Settings) (*lnmu.Result[float64], error) {
			return lnmu.Factor(t.Context(), d, 3, lnmu.RNMU{}, s)
		},
		"sparse": func(s *lnmu.Settings) (*lnmu.Result[float64], error) {
			return lnmu.Factor(t.Context(), c, 3, lnmu.RNMU{}, s)
		},
	} {
		s := lnmu.Settings{Iterations: 40, Restarts: 3, Threads: 1}
		want, err := run(&s)
		if err != nil {
			t.Fatal(err)
		}
		resume := func(threads int, from []byte) (states [][]byte) {
			s := s
			s.Threads, s.Checkpoint = threads, collecting(t, name, &states, from)
			got, err := run(&s)
			if err != nil {
				t.Fatal(name, err)
			}
			if lnmu.SHA256(got.V) != lnmu.SHA256(want.V) || lnmu.SHA256(got.W) != lnmu.SHA256(want.W) || got.BestRestart != want.BestRestart {
				t.Errorf("%s: restart %d is the best, with the error %v; want %d with %v", name, got.BestRestart, got.RelativeError, want.BestRestart, want.RelativeError)
			}
			return states
		}
		states := resume(3, nil)
		for i := 0; i < len(states); i += 1 + len(states)/4 {
			next := resume(1, states[i])
			for k := 0; k < len(next); k += 1 + len(next)/8 {
				resume(1, next[k])
			}
		}
	}
}
