package storages

import (
	"os"
	"sync/atomic"
	"testing"

	"nmu/internal/must"
	"nmu/internal/together"
	"nmu/lnmu"
	"nmu/lnmu/distributed"
	"nmu/lnmu/internal/lnmutest"
)

// TestStoredEstimate: an iteration reads and writes what is said of it.
func TestStoredEstimate(t *testing.T) {
	smallChunks(t, 8000, 2) // and panels of 12 columns, in 7 passes
	for _, shape := range [][2]int{{5120, 80}, {80, 5120}} {
		d := lnmutest.Data[float64](shape[0], shape[1], 3)
		for name, c := range map[string]struct {
			method lnmu.Method
			rank   int
		}{
			"nmf": {lnmu.NMF{}, 3}, "gnmu": {lnmu.GNMU{}, 3}, "hoyer": {lnmu.Hoyer{HoyerV: 0.5}, 3}, "priors": {lnmu.RNMU{ThresholdV: 0.1, ThresholdW: 0.1}, 1},
			"l1": {lnmu.RNMU{Norm: lnmu.L1}, 1}, "admm": {lnmu.GNMU{Solver: lnmu.SolverADMM, ResidualTolerance: 1e-9}, 1},
		} {
			if os.Getenv("NMU_FULL") == "" && (shape[0] < shape[1]) == (name == "gnmu" || name == "hoyer" || name == "nmf") {
				continue
			}
			var moved watched
			restore := moved.replace()
			run := func(iterations int) (int64, int64) {
				var m lnmutest.LinesOf[float64]
				m.Dense = d
				moved.read.Lines.Store(0)
				moved.written.Lines.Store(0)
				s := &lnmu.Settings{Limits: lnmu.Limits{Iterations: iterations}, Start: lnmu.Start{Restarts: 1}, Threads: 1, Scratch: t.TempDir()}
				must.Get(lnmu.Factor(t.Context(), &m, c.rank, c.method, s))(t)
				return moved.read.Lines.Load() + 8*int64(min(d.Rows, d.Cols))*m.Lines.Load(), moved.written.Lines.Load()
			}
			r1, w1 := run(1)
			r2, w2 := run(3)
			restore()
			method, s := must.Two(lnmu.Check(d, c.rank, c.method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Threads: 1}))(t)
			needs := must.Get(lnmu.EstimateOf(&lnmutest.LinesOf[float64]{Dense: d}, c.rank, method, &s))(t)
			for what, x := range map[string][2]float64{
				"reads": {float64(r2-r1) / 2, float64(needs.Reads)}, "writes": {float64(w2-w1) / 2, float64(needs.Writes)},
			} {
				if ratio := x[0] / x[1]; x[0] != x[1] && !(ratio >= 0.95 && ratio <= 1.1) {
					t.Errorf("%s of %v %s %.0f, said to be %.0f", name, shape, what, x[0], x[1])
				}
			}
		}
	}
}

// TestEstimateOf: an iteration reads and writes what is said of it, and the files are as large.
func TestEstimateOf(t *testing.T) {
	smallChunks(t, 50_000, 2)
	m := sparseOf[float64](t, 4000, 1000, 100_000)
	wide := m.Transposed()
	for name, c := range map[string]struct {
		method lnmu.Method
		rank   int
		m      lnmu.CSR[float64]
	}{
		"nmf": {lnmu.NMF{Solver: lnmu.SolverHALS}, 50, m}, "nmf, one block of columns": {lnmu.NMF{Solver: lnmu.SolverHALS}, 5, m}, "rank 1": {lnmu.NMF{Solver: lnmu.SolverHALS}, 1, m}, "accelerated": {lnmu.NMF{Solver: lnmu.SolverAccelerated}, 5, m}, "gnmu": {lnmu.GNMU{}, 5, m},
		"gnmu, 3 steps": {lnmu.GNMU{Inner: 3}, 50, m}, "rank 1, gnmu": {lnmu.GNMU{ZeroMultiplier: func(int) float64 { return 0 }}, 1, m}, "admm": {lnmu.GNMU{Solver: lnmu.SolverADMM, ResidualTolerance: 1e-9}, 5, m},
		"wide": {lnmu.NMF{Solver: lnmu.SolverHALS}, 5, wide}, "wide, gnmu": {lnmu.GNMU{}, 5, wide}, "wide, blocks": {lnmu.RNMU{Block: 3}, 5, wide}, "wide, by rows": {lnmu.RNMU{}, 2, wide},
	} {
		if os.Getenv("NMU_FULL") == "" && c.rank > 5 { // which take their time
			continue
		}
		var all watched
		stored := &lnmutest.RowsOfCSR[float64]{CSR: c.m}
		run := func(iterations int) (int64, int64) {
			defer all.replace()()
			all.read.Lines.Store(0)
			all.written.Lines.Store(0)
			s := &lnmu.Settings{Limits: lnmu.Limits{Iterations: iterations}, Start: lnmu.Start{Restarts: 1}, Threads: 1, Scratch: t.TempDir()}
			must.Get(lnmu.Factor(t.Context(), stored, c.rank, c.method, s))(t)
			return all.read.Lines.Load(), all.written.Lines.Load()
		}
		r1, w1 := run(1)
		r2, w2 := run(3)
		method, s := must.Two(lnmu.Check(c.m, c.rank, c.method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Threads: 1}))(t)
		needs := must.Get(lnmu.EstimateOf(stored, c.rank, method, &s))(t)
		sizes := map[string][2]float64{"scratch": {float64(all.bytes.Lines.Load()), float64(needs.Scratch)}}
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
	must.Refuse(lnmu.EstimateOf(&lnmutest.RowsOfCSR[float64]{CSR: m}, 3, lnmu.SNMF{}, nil))(t, lnmu.ErrOption, "", "snmf")
}

// TestEstimateIncomplete: what is missing, weights and Gram matrices of lines take memory,
// and the accelerated solver reads M for the error.
func TestEstimateIncomplete(t *testing.T) {
	for _, shape := range [][2]int{{5000, 400}, {400, 5000}} {
		m := &lnmutest.LinesOf[float32]{Dense: lnmu.NewDense[float32](shape[0], shape[1], nil)}
		last := lnmu.Estimate{}
		k, w := lnmutest.Gaps(shape[0], shape[1], 0.1, 1), formed{shape[0], shape[1], 0, 0}
		for _, c := range []condition{{}, {mask: k}, {mask: k, weights: w, solver: lnmu.MissingMajorize}, {mask: k, weights: w, solver: lnmu.MissingExact}} {
			seen := lnmu.Observed[float32]{Matrix: m, Mask: c.mask, Weights: c.weights}
			method, s := must.Two(lnmu.Check(seen, 8, lnmu.NMF{Solver: lnmu.SolverAccelerated}, &lnmu.Settings{Threads: 2, MissingSolver: c.solver}))(t)
			e, err := lnmu.EstimateOf(seen, 8, method, &s)
			equal := c.solver == lnmu.MissingExact // where the norm by the weights takes more than either run
			if err != nil || e.Memory < last.Memory || e.Memory == last.Memory && !equal {
				t.Errorf("%v: %+v, %v, before %+v", shape, e, err, last)
			}
			reads := int64(shape[0] * shape[1] * 4)
			if c.mask != nil {
				reads *= 2
			}
			must.Equal(t, e.Reads, reads, shape, "an iteration reads")
			last = e
		}
	}
}

// TestEstimateOfProcess: a process needs memory and scratch space for its part.
func TestEstimateOfProcess(t *testing.T) {
	for _, shape := range [][2]int{{40_000, 500}, {500, 40_000}} {
		x := problem[float64]{dense: lnmu.NewDense[float64](shape[0], shape[1], nil)}
		estimate := func(s storage, p distributed.Processes) lnmu.Estimate {
			of := x.place(s, p)
			m := of.own
			if p != nil {
				m = of.whole.Part(m)
			}
			e, err := lnmu.EstimateOf(m, 100, lnmu.GNMU{}, &lnmu.Settings{Threads: 1, Start: lnmu.Start{Restarts: 1}})
			must.Equal(t, err, nil)
			return e
		}
		files := storagesOf(false)[0]
		whole := estimate(files, nil)
		var scratch, reads, writes, memory atomic.Int64
		together.Run(4, func(p *together.Process) {
			e := estimate(files, p)
			scratch.Add(e.Scratch)
			reads.Add(e.Reads)
			writes.Add(e.Writes)
			memory.Add(e.Memory)
		})
		if scratch.Load() != whole.Scratch || reads.Load() != whole.Reads || writes.Load() != whole.Writes || memory.Load() > 2*whole.Memory {
			t.Errorf("%v: one process needs %+v, 4 of them %d, %d, %d and %d", shape, whole, memory.Load(), scratch.Load(), reads.Load(), writes.Load())
		}
	}
}

// TestEstimateOfShare: processes that can all read a sparse M share that out, and keep in files what
// is said of them.
func TestEstimateOfShare(t *testing.T) {
	smallChunks(t, 20_000, 2)
	tall := scattered[float64](9000, 300, 200_000)
	for i, m := range []lnmu.CSR[float64]{tall, tall.Transposed()} {
		x := problem[float64]{run: run{name: "share", method: []lnmu.Method{lnmu.GNMU{}, lnmu.RNMU{Block: 2}}[i], rank: 4, settings: lnmu.Settings{Limits: lnmu.Limits{Iterations: 1}}}, sparse: &m}
		s := storagesOf(true)[6]
		folders := []string{t.TempDir(), t.TempDir(), t.TempDir()}
		var needs int64
		var rows [3]*lnmutest.Disk
		w := &watched{}
		restore := w.replace()
		x.found(t, s, func(rank int, of *process[float64]) {
			of.settings.Scratch, of.settings.Threads = folders[rank], 1
			method, filled, err := lnmu.Check(of.whole.Part(of.own), 4, x.method, &of.settings)
			must.Equal(t, err, nil)
			e, err := lnmu.EstimateOf(of.whole.Part(of.own), 4, method, &filled)
			must.Equal(t, err, nil)
			atomic.AddInt64(&needs, e.Scratch)
			rows[rank] = of.disk
		})
		restore()
		for rank, d := range rows {
			if d.Lines.Load() != 2*int64(m.Rows)/3 {
				t.Errorf("process %d has read %d rows of %d", rank, d.Lines.Load(), m.Rows)
			}
		}
		if most := w.bytes.Lines.Load(); !(float64(needs) > 0.9*float64(most) && float64(needs) < 1.3*float64(most)) || w.bytes.Reads.Load() != 0 {
			t.Errorf("%d x %d: files of %d bytes, said to be %d; %d are left", m.Rows, m.Cols, most, needs, w.bytes.Reads.Load())
		}
	}
}
