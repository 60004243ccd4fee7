package main

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nmu/cmd/internal/commandtest"
	"nmu/cmd/internal/exit"
	"nmu/internal/record"
	"nmu/lnmu"
)

// extremes are matrices on which something degenerates, as text.
func extremes() map[string]string {
	rng := randomNumbers(7)
	table := func(m, n int, entry func(i, j int) float64) string {
		var s strings.Builder
		for i := range m {
			for j := range n {
				if j > 0 {
					s.WriteByte(',')
				}
				fmt.Fprintf(&s, "%g", entry(i, j))
			}
			s.WriteByte('\n')
		}
		return s.String()
	}
	return map[string]string{
		"zero":         table(4, 3, func(int, int) float64 { return 0 }),
		"one by one":   "2.5\n",
		"one row":      "1,0,3,2\n",
		"one column":   "1\n0\n3\n2\n",
		"one entry":    table(5, 6, func(i, j int) float64 { return map[bool]float64{true: 3}[i == 2 && j == 4] }),
		"rank one":     table(6, 4, func(i, j int) float64 { return float64(i * (j + 1)) }),
		"identity":     table(4, 4, func(i, j int) float64 { return map[bool]float64{true: 1}[i == j] }),
		"constant":     table(5, 5, func(int, int) float64 { return 1 }),
		"largest":      table(4, 5, func(i, j int) float64 { return 1e150 * rng() }),
		"smallest":     table(4, 5, func(i, j int) float64 { return 1e-150 * (1 + rng()) }),
		"wide range":   table(6, 5, func(i, j int) float64 { return math.Pow(10, 150-60*float64(j)) * rng() }),
		"huge":         table(3, 3, func(i, j int) float64 { return 1e200 * (1 + rng()) }),
		"tiny":         table(3, 3, func(i, j int) float64 { return 1e-200 * (1 + rng()) }),
		"one is tiny":  table(3, 4, func(i, j int) float64 { return map[bool]float64{true: 1e-160, false: 1}[i == 1 && j == 1] }),
		"single large": table(6, 6, func(i, j int) float64 { return map[bool]float64{true: 1e18, false: rng()}[i == 3 && j == 3] }),
		"single small": table(6, 6, func(i, j int) float64 { return map[bool]float64{true: 1e-18, false: rng()}[i == 3 && j == 3] }),
		"float32 ends": table(3, 4, func(i, j int) float64 { return []float64{1e18, 1e-18, 1, 0}[(i+j)%4] }),
	}
}

// randomNumbers returns a generator of numbers in [0, 1).
func randomNumbers(seed uint64) func() float64 {
	return func() float64 {
		seed = seed*6364136223846793005 + 1442695040888963407
		return float64(seed>>11) / (1 << 53)
	}
}

// TestExtremes runs every method on them in both precisions, to a folder and as
// JSON: either there is a result, of finite numbers that describe the files, or one
// line that says why not, and then no file. NMU_FULL asks for every way on every matrix,
// in one of the precisions, and for more ranks than the largest.
func TestExtremes(t *testing.T) {
	ways := [][]string{
		{"--method", "nmf"},
		{"--method", "nmf", "--init", "svd"},
		{"--method", "gnmu"},
		{"--method", "gnmu", "--feasible", "final", "--feasible-steps", "4"},
		{"--method", "gnmu", "--feasible", "each", "--improve"},
		{"--method", "rnmu"},
		{"--method", "rnmu", "--feasible", "each"},
		{"--method", "rnmu", "--feasible", "final", "--init", "svd"},
		{"--method", "rnmu", "--norm", "l1"},
		{"--method", "rnmu", "--inner", "7", "--tolerance", "1e-9", "--improve"},
		{"--method", "snmf", "--penalty-v", "0.1", "--penalty-w", "0.1"},
		{"--method", "snmf", "--sparsity-v", "0.9", "--sparsity-w", "0.9"},
		{"--method", "hoyer", "--hoyer-v", "0.8"},
		{"--method", "hoyer", "--hoyer-w", "0.9", "--improve"},
		{"--method", "hoyer", "--hoyer-v", "1", "--hoyer-w", "1"},
	}
	all := extremes()
	for at, name := range slices.Sorted(maps.Keys(all)) {
		text := all[name]
		rows := strings.Count(text, "\n")
		cols := strings.Count(text, ",")/rows + 1
		input := textFile(t, "m.csv", text)
		for i, precision := range []string{"float64", "float32"} {
			for k, way := range ways {
				ranks, often := slices.Compact([]int{1, min(2, rows, cols), min(rows, cols)}), 2
				if os.Getenv("NMU_FULL") == "" {
					ranks, often = ranks[len(ranks)-1:], 8 // each way on every fourth matrix, in either precision
				}
				if (at+i+k)%often > 0 {
					continue
				}
				for _, rank := range ranks {
					out := filepath.Join(t.TempDir(), "out")
					args := append([]string{"factor", input, "--rank", fmt.Sprint(rank), "--iterations", "25", "--restarts", "1", "--precision", precision, "--out", out, "--json"}, way...)
					t.Run(fmt.Sprintf("%s/%s/%s/%d", name, precision, strings.Join(way, " "), rank), func(t *testing.T) {
						checkExtreme(t, precision, rank, out, args)
					})
				}
			}
		}
	}
}

// checkExtreme runs one command line.
func checkExtreme(t *testing.T, precision string, rank int, out string, args []string) {
	status, stdout, stderr := nmu(args...)
	if status == exit.StatusUnconverged {
		lines := strings.SplitAfter(strings.TrimSuffix(stderr, "\n"), "\n")
		if last := lines[len(lines)-1]; !strings.Contains(last, "--tolerance was not reached") || !slices.Contains(args, "--tolerance") {
			t.Errorf("status %d, error %q", status, stderr)
		}
		status, stderr = 0, strings.Join(lines[:len(lines)-1], "")
	}
	if status != 0 {
		if status != exit.StatusError || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "m.csv: ") || !strings.Contains(stderr, "scale") && !strings.Contains(stderr, "float32") {
			t.Errorf("status %d, output %q, error %q", status, stdout, stderr)
		}
		noFile(t, out)
		return
	}
	if !commandtest.OnlyNotes(stderr) {
		t.Errorf("stderr %q", stderr)
	}
	printed := parsed[record.Factor](t, stdout)
	rep := result(t, out)
	if rep.RelativeError != printed.RelativeError || rep.Rank != rank {
		t.Errorf("error %v and rank %d in the file, %v printed", rep.RelativeError, rep.Rank, printed.RelativeError)
	}
	if !(rep.RelativeError >= 0 && rep.RelativeError < 100) || !(rep.MaxViolation >= 0) {
		t.Errorf("relative error %v, largest violation %v", rep.RelativeError, rep.MaxViolation)
	}
	const rounding = 1e-6
	for _, x := range []float64{rep.SparsityV, rep.SparsityW, rep.HoyerV, rep.HoyerW} {
		if !(x >= -rounding && x <= 1+rounding) {
			t.Errorf("a sparsity is %v", x)
		}
	}
	if precision == "float32" {
		checkFinite[float32](t, out)
	} else {
		checkFinite[float64](t, out)
	}
}

func checkFinite[T lnmu.Float](t *testing.T, out string) {
	for _, name := range []string{record.NameV, record.NameW} {
		d := factorIn[T](t, out, name)
		for _, x := range d.Data {
			if !(x >= 0) || math.IsInf(float64(x), 0) {
				t.Errorf("%s holds %v", name, x)
			}
		}
	}
}
