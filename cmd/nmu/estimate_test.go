package main

import (
	"fmt"
	"runtime"
	"testing"

	"nmu/lnmu"
	"nmu/lnmu/biclique"
)

// What a run is said to need is what it takes: neither less, which would end it
// without a word, nor several times as much, which would refuse what is possible.
// Everything that is allocated counts, so there is one start, and little that is
// allocated in its course.
func TestMemoryNeeded(t *testing.T) {
	allocated := func(do func()) float64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		do()
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	compare := func(name string, need int64, took float64) {
		t.Helper()
		// A megabyte is what does not grow with the problem.
		if n := float64(need); took > n || n > 3*took+3<<20 {
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
	const iterations = 2
	sizes := [][2]int{{60, 3000}, {3000, 60}, {500, 400}}
	if testing.Short() {
		sizes = sizes[:1]
	}
	for _, size := range sizes {
		m, n := size[0], size[1]
		d := shape(m, n)
		for _, p := range []plan{
			{rank: 20, method: lnmu.NMF{}}, {rank: 20, method: lnmu.GNMU{}}, {rank: 20, method: lnmu.RNMU{}}, {rank: 20, method: lnmu.RNMU{Block: 4}},
			{rank: 20, method: lnmu.SNMF{SparsityV: 0.5}}, {rank: 20, method: lnmu.Hoyer{SparsenessV: 0.5}}, {rank: 20, method: lnmu.NMF{}, settings: lnmu.Settings{Init: lnmu.InitSVD}},
			{rank: 1, method: lnmu.RNMU{Norm: lnmu.L1}}, // with 1, as each factor allocates anew
			{rank: 20, method: lnmu.GNMU{Lagrangian: lnmu.Lagrangian{Feasible: lnmu.FeasibleFinal}}},
			{rank: 1, method: lnmu.RNMU{Lagrangian: lnmu.Lagrangian{Feasible: lnmu.FeasibleEach}}},
		} {
			p.settings.Iterations, p.settings.Restarts, p.settings.Threads = iterations, 1, 2
			p, err := p.withDefaults(m, n)
			if err != nil {
				t.Fatal(err)
			}
			took := allocated(func() { _, err = lnmu.Factor(t.Context(), d, p.rank, p.method, &p.settings) })
			if err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("%d x %d, %s %v, init %s", m, n, p.method.Describe().Name, optionsOf(p.method), p.settings.Init)
			compare(name, factorMemory[float64](m, n, p, true, false), took)
		}
		const rank, threads = 6, 64 // a thread for each panel of columns, as each allocates anew
		v := shape(m, rank)
		for _, under := range []bool{false, true} {
			var err error
			took := allocated(func() {
				_, err = lnmu.Transform(t.Context(), v, d, &lnmu.TransformSettings{Feasible: under, Threads: threads})
			})
			if err != nil {
				t.Fatal(err)
			}
			compare(fmt.Sprintf("%d x %d, transform, under %t", m, n, under), transformMemory(v, n, under, threads, false), took)
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
		for _, method := range []lnmu.Method{lnmu.NMF{}, lnmu.GNMU{}, lnmu.RNMU{}} {
			p, err := plan{rank: 3, method: method, settings: lnmu.Settings{Iterations: iterations, Restarts: 1, Threads: 2}}.withDefaults(m, n)
			if err != nil {
				t.Fatal(err)
			}
			took := allocated(func() { _, err = lnmu.FactorSparse(t.Context(), c, p.rank, p.method, &p.settings) })
			if err != nil {
				t.Fatal(err)
			}
			compare(fmt.Sprintf("%d x %d, sparse, %s", m, n, method.Describe().Name), factorSparseMemory[float64](m, n, len(c.Val), p), took)
		}
		took := allocated(func() {
			g, err := biclique.FromSparse(c)
			if err == nil {
				_, err = biclique.Find(t.Context(), g, biclique.Options{Starts: 1, Threads: 1, Iterations: 1})
			}
			if err != nil {
				t.Fatal(err)
			}
		})
		compare(fmt.Sprintf("%d x %d, biclique", m, n), graphMemory(m, n, len(c.Val), false, 1), took)
	}
}
