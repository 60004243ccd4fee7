package work

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"nmu/internal/data"
	"nmu/internal/must"
	"nmu/internal/options"
	"nmu/lnmu"
	"nmu/lnmu/biclique"
)

// What a run is said to need is what it takes: neither less, which would end it
// without a word, nor much more, which would refuse what is possible.
// Everything that is allocated counts, so there is one start, and little that is
// allocated in its course. NMU_FULL asks for each method at every size
// of a dense matrix.
func TestMemoryNeeded(t *testing.T) {
	allocated := func(do func()) float64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		do()
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	compare := func(name string, need int64, took, most float64) {
		t.Helper()
		// A quarter of a megabyte does not grow with the problem.
		if n := float64(need); took > n || n > most*took+1<<18 {
			t.Errorf("%s: said to need %d bytes, took %.0f", name, need, took)
		}
	}
	shape := func(m, n int) lnmu.Dense[float64] {
		d := lnmu.NewDense[float64](m, n, nil)
		for k := range d.Data {
			d.Data[k] = float64(k%13*7%13) + 1
		}
		return d
	}
	must.Get(lnmu.Factor(t.Context(), lnmu.Matrix[float64](shape(2, 2)), 1, lnmu.Method(lnmu.NMF{}), nil))(t) // reads what a process reads once
	const iterations = 2
	full := testing.Short() || os.Getenv("NMU_FULL") != ""
	sizes := [][2]int{{60, 3000}, {3000, 60}, {500, 400}}
	if testing.Short() {
		sizes = sizes[:1]
	}
	for at, size := range sizes {
		m, n := size[0], size[1]
		d := shape(m, n)
		seen, weighted := data.Selection{Observed: data.Observed{Mask: lnmu.NewMask(m, n)}}, data.Selection{Observed: data.Observed{Weights: d}}
		for i := range min(m, n) {
			seen.Mask.Set(i, i, false)
		}
		for k, p := range []Plan{
			{Rank: 20, Method: lnmu.NMF{}}, {Rank: 20, Method: lnmu.GNMU{}}, {Rank: 20, Method: lnmu.RNMU{}}, {Rank: 20, Method: lnmu.RNMU{Block: 4}},
			{Rank: 20, Method: lnmu.SNMF{SparsityV: 0.5}}, {Rank: 20, Method: lnmu.Hoyer{HoyerV: 0.5}}, {Rank: 20, Method: lnmu.KL{}}, {Rank: 20, Method: lnmu.KL{Solver: lnmu.SolverCoordinate}}, {Rank: 20, Method: lnmu.NMF{}, Settings: lnmu.Settings{Start: lnmu.Start{Init: lnmu.InitSVD}}},
			{Rank: 1, Method: lnmu.RNMU{Norm: lnmu.L1}}, // with 1, as each factor allocates anew
			{Rank: 20, Method: lnmu.GNMU{Feasible: lnmu.FeasibleFinal}},
			{Rank: 1, Method: lnmu.RNMU{GNMU: lnmu.GNMU{Feasible: lnmu.FeasibleEach}}},
			{Rank: 20, Method: lnmu.NMF{Solver: lnmu.SolverHALS}, Settings: lnmu.Settings{Start: lnmu.Start{Init: lnmu.InitSPA}}}, {Rank: 1, Method: lnmu.RNMU{ThresholdV: 0.1, ThresholdW: 0.1}},
			{Rank: 20, Method: lnmu.GNMU{Solver: lnmu.SolverADMM}}, {Rank: 20, Method: lnmu.RNMU{Block: 4, GNMU: lnmu.GNMU{Solver: lnmu.SolverADMM}}},
			{Rank: 20, Method: lnmu.GNMU{}, Selection: seen}, {Rank: 20, Method: lnmu.GNMU{Feasible: lnmu.FeasibleFinal}, Selection: weighted},
		} {
			if (at+k)%2 != 0 && !full {
				continue // the next size has it
			}
			p.Settings.Iterations, p.Settings.Restarts, p.Settings.Threads = iterations, 1, 2
			p, err := Start[float64]{}.WithDefaults(p, m, n)
			must.Do(t, err)
			took := allocated(func() { _, err = lnmu.Factor(t.Context(), matrix[float64](p, d), p.Rank, p.Method, &p.Settings) })
			must.Do(t, err)
			name := fmt.Sprintf("%d x %d, %s %v, init %s", m, n, p.Method.Name(), options.Text(p.Method), p.Settings.Init)
			compare(name, Memory(&Job{}, lnmu.Unread[float64]{Rows: m, Cols: n}, p, true), took, 1.2)
		}
		const rank = 6
		v := shape(m, rank)
		for _, how := range []lnmu.TransformSettings{{}, {Feasible: true}, {Divergence: true}} {
			threads := 64 // one for each panel of columns, as each panel allocates anew
			if how.Feasible || how.Divergence {
				threads = 1 // as one that gets no column allocates nothing
			}
			var err error
			took := allocated(func() {
				how.Threads = threads
				_, err = lnmu.Transform(t.Context(), d, v, lnmu.Dense[float64]{}, &how)
			})
			must.Do(t, err)
			compare(fmt.Sprintf("%d x %d, transform %+v", m, n, how), lnmu.Unread[float64]{Rows: m, Cols: n}.EstimateTransform(rank, &how).Memory, took, 1.7)
		}
	}
	if testing.Short() {
		return // the large ones take a minute on an emulated machine
	}
	for _, size := range [][2]int{{200_000, 3}, {3, 50_000}, {4000, 4000}} {
		m, n := size[0], size[1]
		c := lnmu.CSR[float64]{Rows: m, Cols: n, Ptr: make([]int, m+1)}
		for i := range m {
			for j := i % 7; j < n; j += max(7, n/20) {
				c.Idx, c.Val = append(c.Idx, int32(j)), append(c.Val, 1)
			}
			c.Ptr[i+1] = len(c.Idx)
		}
		for _, method := range []lnmu.Method{lnmu.NMF{}, lnmu.GNMU{}, lnmu.RNMU{}, lnmu.KL{}, lnmu.KL{Solver: lnmu.SolverCoordinate}} {
			p, err := Start[float64]{}.WithDefaults(Plan{Rank: 3, Method: method, Settings: lnmu.Settings{Limits: lnmu.Limits{Iterations: iterations}, Start: lnmu.Start{Restarts: 1}, Threads: 2}}, m, n)
			must.Do(t, err)
			took := allocated(func() { _, err = lnmu.Factor(t.Context(), c, p.Rank, p.Method, &p.Settings) })
			must.Do(t, err)
			compare(fmt.Sprintf("%d x %d, sparse, %s", m, n, method.Name()), Memory(&Job{}, lnmu.Unread[float64]{Rows: m, Cols: n, Sparse: true, Entries: len(c.Val)}, p, true), took, 1.7)
		}
		took := allocated(func() {
			g, err := biclique.FromSparse(c)
			if err == nil {
				_, err = biclique.Find(t.Context(), g, biclique.Options{Starts: 1, Threads: 1, Iterations: 1})
			}
			must.Do(t, err)
		})
		build, find := biclique.EstimateOf(m, n, len(c.Val), 1)
		compare(fmt.Sprintf("%d x %d, biclique", m, n), build+find, took, 1.7)
	}
}
