package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"nmu/cmd/internal/solve"
	"nmu/internal/matio"
	"nmu/internal/memory"
	"nmu/lnmu"
)

// peakEnv names a file to which the command writes what the system says of its memory.
const peakEnv = "NMU_TEST_PEAK"

// writePeak writes to a file what the system says of the memory of this process, and of each part of
// its address space. It returns an exit status.
func writePeak(path string) int {
	status, err := os.ReadFile("/proc/self/status")
	parts, failed := os.ReadFile("/proc/self/smaps")
	if err != nil || failed != nil || os.WriteFile(path, append(status, parts...), 0o600) != nil {
		return 255
	}
	return 0
}

// peakOf returns the largest resident memory of the command in a process of its own, with
// solve.Program in place of the pages of the program. The test binary has more of them than the
// command, and how many of them the system reads in advance depends on what it has in its cache.
func peakOf(t *testing.T, args ...string) float64 {
	t.Helper()
	path := filepath.Join(t.TempDir(), "memory")
	t.Setenv(peakEnv, path)
	if err := launch(t, &exec.Cmd{Args: append([]string{"nmu"}, args...)}).Wait(); err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var peak, program float64
	within := false // a mapping of the program
	for line := range strings.Lines(string(text)) {
		var n float64
		switch name, value, _ := strings.Cut(line, ":"); {
		case name == "VmHWM":
			fmt.Sscanf(value, "%f kB", &peak)
		case strings.Contains(name, "-"): // the addresses of a mapping, and its file
			within = strings.HasSuffix(strings.TrimSpace(line), " "+self)
		case within && name == "Rss":
			fmt.Sscanf(value, "%f kB", &n)
			program += n
		case within && name == "Anonymous": // what the program has written there
			fmt.Sscanf(value, "%f kB", &n)
			program -= n
		}
	}
	if peak == 0 || program == 0 {
		t.Fatalf("no peak, or no pages of the program %s, in\n%s", self, text)
	}
	return (peak-program)*1024 + solve.Program
}

// TestEstimateIsTrue compares the memory by which --max-memory decides with the peak of a process: it
// is at least the peak, and at most a tenth or 6 MB more.
func TestEstimateIsTrue(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("NOT TESTED: the peak of a process is read on Linux, and the runtime of other processors takes other memory")
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if (s.Key == "-race" || s.Key == "-asan") && s.Value == "true" {
				t.Skip("NOT TESTED: a build with -race takes memory of its own")
			}
		}
	}
	dir := t.TempDir()
	full := os.Getenv("NMU_FULL") != ""
	m, n := 1000, 800
	if full {
		m, n = 2500, 2000
	}
	d := lnmu.NewDense[float64](m, n, nil)
	for k := range d.Data {
		d.Data[k] = float64(1+k%13*7%13) * float64(1+k/n%5)
	}
	thin := lnmu.NewDense[float64](m, n, nil)
	for k := range d.Data {
		if k*7%11 == 0 {
			thin.Data[k] = d.Data[k]
		}
	}
	path := func(name string) string { return filepath.Join(dir, name) }
	write := func(name string, err error) {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	writeMatrix(t, path("m.npy"), d)
	writeMatrix(t, path("wide.npy"), lnmu.Dense[float64]{Rows: n, Cols: m, Data: d.Data, Stride: m})
	single, seen := make([]float32, len(d.Data)), make([]float32, len(d.Data))
	for k, x := range d.Data {
		single[k], seen[k] = float32(x), float32(min(1, k%9))
	}
	write("f.npy", matio.WriteNpy(path("f.npy"), m, n, single, n))
	write("k.npy", matio.WriteNpy(path("k.npy"), m, n, seen, n))
	if full {
		var b strings.Builder
		c := lnmu.NewCSR(thin)
		fmt.Fprintf(&b, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", m, n, len(c.Val))
		for i := range m {
			for at := c.Ptr[i]; at < c.Ptr[i+1]; at++ {
				fmt.Fprintln(&b, i+1, c.Idx[at]+1, c.Val[at])
			}
		}
		succeed(t, "convert", textFile(t, "thin.mtx", b.String()), path("sparse"))
	}

	storages := map[string]string{"dense": "m.npy", "wide": "wide.npy", "float32": "f.npy --precision float32", "masked": "m.npy --mask " + path("k.npy"), "sparse": "sparse"}
	type row struct{ storages, method string }
	const everywhere, inFull = "dense wide float32 masked sparse", "dense wide float32"
	rows := []row{
		{"wide", "gnmu"}, {"dense masked", "rnmu"}, {"float32", "kl --solver multiplicative"}, // in the short form as well
		{everywhere, "nmf"}, {everywhere, "nmf --solver accelerated"}, {"dense float32 masked sparse", "gnmu"}, {everywhere, "gnmu --solver admm"},
		{inFull, "gnmu --feasible final"}, {"wide float32 sparse", "rnmu"}, {everywhere, "rnmu --block 4"}, {inFull, "rnmu --norm l1"}, {inFull, "rnmu --penalty-v 0.1"}, {inFull, "rnmu --feasible each"},
		{everywhere, "snmf --sparsity-v 0.5"}, {inFull, "hoyer --hoyer-v 0.5"}, {"dense wide masked sparse", "kl --solver multiplicative"}, {everywhere, "kl --solver coordinate"},
		{everywhere, "nmf --init svd"}, {everywhere, "nmf --init snpa"},
	}
	if !full {
		rows = rows[:3]
	}
	const common = " --rank 8 --iters 3 --threads 2 --restarts 1"
	for _, r := range rows {
		for _, storage := range strings.Fields(r.storages) {
			isTrue(t, storage+", "+r.method, "factor "+path(storages[storage])+" --method "+r.method+common)
		}
	}
}

// isTrue compares the memory that a command is said to need with its peak.
func isTrue(t *testing.T, name, command string) {
	t.Helper()
	args := strings.Fields(command)
	peak := peakOf(t, args...)
	_, _, stderr := nmu(append(args, "--max-memory", fmt.Sprint(int64(peak*0.995)))...) // the text of a size has three digits
	said := regexp.MustCompile(` needs ([0-9.]+ [kMG]?B) of memory`).FindStringSubmatch(stderr)
	if said == nil {
		t.Errorf("%s: it takes %.4g bytes and is not refused with less: %s", name, peak, stderr)
		return
	}
	need, err := memory.Parse(said[1])
	if err != nil || float64(need) > max(1.1*peak, peak+6e6) {
		t.Errorf("%s: said to need %d bytes, takes %.4g (%v)", name, need, peak, err)
	}
	t.Logf("%-40s needs %d, takes %.4g: %+.1f %%", name, need, peak, 100*(float64(need)/peak-1))
}
