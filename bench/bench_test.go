package bench

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/perf/benchmath"

	"nmu/internal/dataset"
	"nmu/internal/isa"
	"nmu/internal/matio"
	"nmu/internal/must"
	"nmu/internal/options"
	"nmu/lnmu"
)

// threadCounts returns the measured numbers of threads, as far as this process may use them.
func threadCounts() []int {
	counts := []int{1, 2, 4, 8, 16}
	return slices.DeleteFunc(counts, func(p int) bool { return p > runtime.GOMAXPROCS(0) })
}

// BenchmarkMachine measures the multiply-adds on registers, and the bandwidth of half of each cache and of
// a working set in memory, which all threads share.
func BenchmarkMachine(b *testing.B) {
	cpu := isa.CPU()
	for _, threads := range threadCounts() {
		for _, size := range []int{8, 4} {
			b.Run(fmt.Sprintf("fma=float%d/threads=%d", 8*size, threads), func(b *testing.B) {
				report(b, "GFLOP/s", samples(b, func() float64 { return peak(size, threads) }))
			})
		}
		for _, set := range []struct {
			name  string
			bytes int
		}{{"L1", threads * cpu.L1D / 2}, {"L2", threads * cpu.L2 / 2}, {"memory", max(256<<20, 4*cpu.L3)}} {
			for _, o := range []op{read, copied} {
				b.Run(fmt.Sprintf("%s=%s/threads=%d", o, set.name, threads), func(b *testing.B) {
					if set.bytes == 0 {
						b.Skip("the size of this cache is unknown")
					}
					report(b, "GB/s", samples(b, func() float64 { return bandwidth(o, set.bytes, threads) }))
				})
			}
		}
	}
}

// samples returns what measure returns, once for each pass of the benchmark.
func samples(b *testing.B, measure func() float64) []float64 {
	var x []float64
	for b.Loop() {
		x = append(x, measure())
	}
	return x
}

// unsettled counts the benchmarks whose samples differ by more than a tenth.
var unsettled int

// report reports the median of the samples under a unit, and their spread.
func report(b *testing.B, unit string, x []float64) (median float64) {
	median = medianOf(x)
	b.ReportMetric(median, unit)
	if len(x) > 1 {
		spread := 100 * (slices.Max(x) - slices.Min(x)) / median
		b.ReportMetric(spread, "%spread")
		if spread > 10 {
			unsettled++
		}
	}
	return median
}

func medianOf(x []float64) float64 {
	return benchmath.AssumeNothing.Summary(benchmath.NewSample(slices.Clone(x), &benchmath.DefaultThresholds), 0.95).Center
}

// method is a method under measurement.
type method struct {
	lnmu.Method
	steps int  // HALS steps of an iteration
	reads bool // whether the bandwidth bounds an iteration; else the multiply-adds do
}

var methods = []method{{lnmu.NMF{Solver: lnmu.SolverHALS}, 1, false}, {lnmu.GNMU{}, 2, false}, {lnmu.RNMU{}, 2, true}}

// clock times iterations, without the first one, which has no multipliers to update, and the last one.
type clock struct {
	iterations int // of a block
	begun      time.Time
	total      time.Duration
	count      int
}

func (c *clock) iterated(k int) {
	switch k {
	case 1:
		c.begun = time.Now()
	case c.iterations - 1:
		c.total += time.Since(c.begun)
		c.count += k - 1
	}
}

// seconds factors M once and returns the seconds of an iteration.
func seconds[T lnmu.Float](b *testing.B, m lnmu.Matrix[T], rank, iterations, threads int, with lnmu.Method) float64 {
	c := clock{iterations: iterations}
	must.Get(lnmu.Factor(context.Background(), m, rank, with, &lnmu.Settings{Limits: lnmu.Limits{Iterations: iterations}, Start: lnmu.Start{Restarts: 1, Seed: 1}, Threads: threads, Watch: lnmu.Watch{Iterated: c.iterated}}))(b)
	return c.total.Seconds() / float64(c.count)
}

// measure measures iterations with each number of threads, beside their limit.
func measure[T lnmu.Float](b *testing.B, name string, m lnmu.Matrix[T], rank, iterations int, with lnmu.Method, limit func(threads int) float64) {
	var one float64
	for _, threads := range threadCounts() {
		b.Run(fmt.Sprintf("%s/method=%s/type=float%d/threads=%d", name, with.Name(), 8*unsafe.Sizeof(T(0)), threads), func(b *testing.B) {
			var shares []float64
			took := samples(b, func() float64 {
				b.StopTimer()
				least := limit(threads)
				b.StartTimer()
				s := seconds(b, m, rank, iterations, threads, with)
				shares = append(shares, 100*least/s)
				return 1e3 * s
			})
			median := report(b, "ms/iteration", took)
			b.ReportMetric(medianOf(shares), "%limit")
			if threads == 1 {
				one = median
			}
			b.ReportMetric(100*one/median/float64(threads), "%efficiency")
		})
	}
}

// BenchmarkIteration measures iterations on the faces, as many as in the paper, so that the time of an
// operation is that of a job, and on two generated matrices.
func BenchmarkIteration(b *testing.B) {
	dense[float64](b)
	dense[float32](b)
}

func dense[T lnmu.Float](b *testing.B) {
	size := int(unsafe.Sizeof(T(0)))
	for _, data := range []struct {
		name             string
		rows, cols, rank int
	}{{"cbcl", 361, 2429, 49}, {"4000x2000", 4000, 2000, 20}, {"16384x1250", 16384, 1250, 20}} {
		var m lnmu.Dense[T]
		for _, x := range methods {
			describe, rank, pass := options.DescriptionOf(x), data.rank, data.rank
			_, settings, err := lnmu.Check(lnmu.Unread[T]{Rows: data.rows, Cols: data.cols}, rank, x.Method, nil)
			must.Do(b, err)
			if describe.Recursive {
				pass = 1
			}
			iterations := settings.Iterations
			if data.name != "cbcl" {
				iterations = 20
				if describe.Recursive {
					rank = 2
				}
			}
			if m.Data == nil {
				m = matrix[T](b, data.name, data.rows, data.cols, data.rank)
			}
			measure(b, "data="+data.name, m, rank, iterations, x.Method, func(threads int) float64 {
				w := workOf(m.Rows, m.Cols, pass, size, x.steps, describe.Underapproximates)
				if x.reads {
					return w.bytes / bandwidth(read, 2*m.Rows*m.Cols*size, threads) / 1e9
				}
				return w.operations / peak(size, threads) / 1e9
			})
		}
	}
}

// matrix returns the faces, or a generated matrix.
func matrix[T lnmu.Float](b *testing.B, name string, rows, cols, rank int) lnmu.Dense[T] {
	if name != "cbcl" {
		data := dataset.Random[T](rows, cols, rank, 1)
		return lnmu.NewDense(rows, cols, data)
	}
	file := must.Get(matio.Open(must.PaperFile(b, "CBCL.mat"), matio.Options{Var: "X"}))(b)
	defer file.Close()
	rows, cols, data := must.Three(matio.Dense[T](file))(b)
	return lnmu.NewDense(rows, cols, slices.Clone(data))
}

// BenchmarkSparse measures iterations of several ranks on a sparse matrix with the structure of texts.
func BenchmarkSparse(b *testing.B) {
	sparse[float64](b)
	sparse[float32](b)
}

func sparse[T lnmu.Float](b *testing.B) {
	const rows, cols, nnz = 9394, 36771, 1_200_000
	m, size := texts[T](rows, cols, nnz, 1), int(unsafe.Sizeof(T(0)))
	for _, x := range []struct {
		method lnmu.Method
		rank   int
		work   sparseWork
	}{
		{lnmu.RNMU{}, 1, sparseWork{read: 2, copied: 2, entries: 4, columns: 2}},
		{lnmu.GNMU{}, 10, sparseWork{read: 3, copied: 2, entries: 6, columns: 4}},
		{lnmu.NMF{Solver: lnmu.SolverHALS}, 25, sparseWork{read: 1, copied: 1, entries: 2, columns: 2}},
		{lnmu.KL{}, 25, sparseWork{read: 2, copied: 1, again: 1, entries: 2, columns: 2}},
	} {
		measure(b, "data=sparse", m, x.rank, 20, x.method, func(threads int) float64 {
			near := max(threads*isa.CPU().L1D/2, threads*leastSet)
			r := rates{peak(size, threads), bandwidth(read, near, threads), bandwidth(copied, near, threads), bandwidth(read, len(m.Val)*(4+size), threads)}
			return x.work.seconds(r, len(m.Val), x.rank, size)
		})
	}
}

// texts returns a sparse matrix with the structure of texts: a row for each text, a column for each
// word. Text lengths are lognormal, and word j has probability 1/j (Zipf's law). Columns are in random
// order. The matrix has about nnz entries, uniform in (0, 1].
func texts[T lnmu.Float](rows, cols, nnz int, seed uint64) lnmu.CSR[T] {
	rng := rand.New(rand.NewPCG(seed, 0))
	word := rng.Perm(cols)
	length, total := make([]float64, rows), 0.0
	for i := range length {
		length[i] = math.Exp(0.8 * rng.NormFloat64())
		total += length[i]
	}
	c := lnmu.CSR[T]{Rows: rows, Cols: cols, Ptr: make([]int, rows+1)}
	last := make([]int, cols) // 1-based number of the last row that contains the word
	for i := range rows {
		first := len(c.Idx)
		want := min(int(math.Round(length[i]/total*float64(nnz))), cols/4) // drawing all is slow
		for len(c.Idx)-first < want {
			// Uniform in the logarithm: the probability of j is log(1 + 1/j) / log(cols+1).
			j := word[min(int(math.Exp(rng.Float64()*math.Log(float64(cols+1))))-1, cols-1)]
			if last[j] != i+1 {
				last[j] = i + 1
				c.Idx = append(c.Idx, int32(j))
				c.Val = append(c.Val, T(1-rng.Float64()))
			}
		}
		slices.Sort(c.Idx[first:])
		c.Ptr[i+1] = len(c.Idx)
	}
	return c
}

// TestWork compares the formulas with counts by hand.
func TestWork(t *testing.T) {
	for _, c := range []struct {
		rows, cols, rank, size, steps int
		state                         bool
		want                          work
	}{
		{3, 5, 2, 8, 1, false, work{4*30 + 8*14, 15 * 8}},
		{3, 5, 2, 4, 2, true, work{2*(4*30+8*14) + 15*6, 15 * 4 * 4}},
		{361, 2429, 1, 8, 2, true, work{12*361*2429 + 8*(361+2429), 32 * 361 * 2429}},
	} {
		must.Equal(t, workOf(c.rows, c.cols, c.rank, c.size, c.steps, c.state), c.want, c)
	}
	r := rates{peak: 2, loads: 4, copies: 8, stream: 1}
	for _, c := range []struct {
		work sparseWork
		want float64
	}{{sparseWork{read: 1, copied: 1, again: 2}, 4e-6}, {sparseWork{read: 4}, 8e-6}, {sparseWork{entries: 2, columns: 1}, 2e-6}} {
		must.AtMost(t, math.Abs(c.work.seconds(r, 100, 10, 8)/c.want-1), 1e-12, c.work)
	}
}

// TestMain says how busy the machine is before benchmarks.
func TestMain(m *testing.M) {
	if bench := slices.ContainsFunc(os.Args, func(a string) bool { return len(a) > 12 && a[:12] == "-test.bench=" }); bench {
		if text, err := os.ReadFile("/proc/loadavg"); err == nil {
			var load float64
			fmt.Sscan(string(text), &load)
			fmt.Printf("load: %.2f on %d processors\n", load, runtime.NumCPU())
			if load > 0.5 {
				fmt.Println("Another process uses this machine: these figures are too large. Measure again when it is idle.")
			}
		}
	}
	status := m.Run()
	if unsettled > 0 {
		fmt.Printf("The samples of %d benchmarks differ by more than 10 %%: another process may have used this machine.\n", unsettled)
	}
	os.Exit(status)
}
