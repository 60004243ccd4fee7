package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/lnmu"
	"nmu/lnmu/biclique"
)

// readFactor reads a matrix that a command has written.
func readFactor[T lnmu.Float](path string) (lnmu.Dense[T], error) {
	file, err := matio.Open(path, matio.Options{})
	if err != nil {
		return lnmu.Dense[T]{}, err
	}
	defer file.Close()
	d, err := readMatrix[T](file)
	d.Data = slices.Clone(d.Data)
	return d, err
}

// wideFile writes a sparse matrix of 3 rows and as many columns as a sparse one
// may have, in 79 bytes.
func wideFile(t *testing.T) string {
	t.Helper()
	return textFile(t, "wide.mtx", "%%MatrixMarket matrix coordinate real general\n3 2147483647 2\n1 1 1\n2 2 1\n")
}

// What the whole run needs is refused in one line, which says how much that is,
// however small the file, and before anything is written.
func TestMaxMemory(t *testing.T) {
	wide := wideFile(t)
	if info, err := os.Stat(wide); err != nil || info.Size() > 80 {
		t.Errorf("the file has %d bytes", info.Size())
	}
	dir := t.TempDir()
	basis := filepath.Join(dir, "V.npy")
	writeMatrix(t, basis, lnmu.NewDense(3, 2, []float64{1, 0, 0, 1, 1, 1}))
	tall := filepath.Join(dir, "start")
	if err := os.Mkdir(tall, 0o777); err != nil {
		t.Fatal(err)
	}
	const rows = 200_000
	writeMatrix(t, filepath.Join(tall, nameV), lnmu.NewDense[float64](rows, 2, nil))
	writeMatrix(t, filepath.Join(tall, nameW), lnmu.NewDense[float64](2, 1, nil))
	column := filepath.Join(dir, "column.npy")
	writeMatrix(t, column, lnmu.NewDense[float64](rows, 2, nil))
	out := filepath.Join(dir, "out")
	for _, c := range []struct {
		says, limit, args string
	}{
		{"wide.mtx: factoring it at rank 1 by rnmu needs 722 GB", "6GB", "factor " + wide + " --rank 1 --out " + out},
		{"wide.mtx: factoring it at rank 3 by gnmu needs ", "6 GB", "factor " + wide + " --rank 3 --method gnmu --precision float32 --restarts 1 --out " + out},
		{"wide.mtx: factoring it at rank 1 by rnmu needs 2", "6GB", "factor " + wide + " --rank 1 --dense --out " + out},
		{"wide.mtx: factoring it at rank 1 by rnmu needs 7", "6GB", "factor " + wide + " --rank 1 --transpose --out " + out},
		{"wide.mtx: finding its weights at rank 2 needs ", "6GB", "transform " + basis + " " + wide + " --out " + out},
		{"wide.mtx: finding its weights at rank 2 needs ", "6GB", "transform " + basis + " " + wide + " --under --out " + out},
		{"wide.mtx: a search in it needs ", "6GB", "biclique " + wide},
		{"wide.mtx: a search in it needs ", "6GB", "biclique " + wide + " --threads 1"},
		{"V.npy: reading it needs 3.2 MB of memory; the limit is 3 MB", "3MB", "factor " + column + " --rank 2 --init " + tall + " --out " + out},
		{"V.npy: reading it needs 3.2 MB of memory; the limit is 3 MB", "3MB", "transform " + filepath.Join(tall, nameV) + " " + column + " --out " + out},
		{"column.npy: factoring it at rank 2 by nmf needs ", "3MB", "factor " + column + " --rank 2 --method nmf --out " + out},
	} {
		args := strings.Fields(c.args)
		says := []string{c.says}
		if strings.Contains(c.says, "needs") {
			says = append(says, " of memory; the limit is "+strings.Replace(strings.Replace(c.limit, " ", "", 1), "B", "", 1)[:1], "--max-memory")
		}
		fails(t, says, append(args, "--max-memory", c.limit)...)
		noFile(t, out)
	}
	for _, size := range []string{"", "0", "-1", "lots", "1e9", "5 apples", "99999999999T"} {
		for _, command := range []string{"factor x --rank 1", "transform x y", "biclique x"} {
			fails(t, []string{"--max-memory", fmt.Sprintf("%q", size), "--help"}, append(strings.Fields(command), "--max-memory", size)...)
		}
	}
	succeed(t, "factor", column, "--rank", "1", "--max-memory", "100MB")
}

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

// A file that can stay where it is need not be converted for that.
func TestMemoryHint(t *testing.T) {
	path := largeFile(t)
	fails(t, []string{"the limit is 5 MB (--memory sets it)\n"}, "factor", path, "--rank", "3", "--memory", "5MB")
	table := textFile(t, "t.csv", strings.Repeat("1,2,3\n4,5,6\n", 40_000))
	fails(t, []string{"nmu convert writes a file that can stay where it is (--memory sets it)"}, "factor", table, "--rank", "3", "--memory", "2MB")
}
