package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"nmu/cmd/internal/exit"
	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
	"nmu/internal/work"
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
// work.Program in place of the pages of the program. The test binary has more of them than the
// command, and how many of them the system reads in advance depends on what it has in its cache. A command
// that is refused has no peak, and said is what it would need.
func peakOf(t *testing.T, args ...string) (peak float64, said int64) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "memory")
	t.Setenv(peakEnv, path)
	var stderr strings.Builder
	if err := launch(t, &exec.Cmd{Args: append([]string{"nmu"}, args...), Stderr: &stderr}).Wait(); err != nil {
		return 0, neededBy(t, exit.StatusError, stderr.String())
	}
	self := must.Get(os.Executable())(t)
	text := must.Get(os.ReadFile(path))(t)
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			fmt.Sscanf(value, "%f kB", &peak)
		}
	}
	program := pagesOf(self, string(text))
	if peak == 0 || program == 0 {
		t.Fatalf("no peak, or no pages of the program %s, in\n%s", self, text)
	}
	return peak*1024 - program + work.Program, 0
}

// estimated are command lines whose estimate is compared with their peak. M is the matrix of a storage.
var estimated = []struct {
	few   string // storages in the short form
	often string // storages in the long form, each with each family of methods
	rest  string // storages in TestEstimateOfEveryCommand
	lines []string
}{
	{"", "dense masked", "wide float32 sparse", []string{"factor M --method nmf COMMON"}},
	{"", "wide sparse", "dense float32 masked", []string{"factor M --method nmf --solver hals COMMON"}},
	{"", "float32", "dense wide masked sparse", []string{"factor M --method nmf --init svd COMMON", "factor M --method rnmu --block 4 COMMON"}},
	{"", "", "dense wide float32 masked sparse", []string{"factor M --method nmf --init snpa COMMON"}},
	{"", "dense", "wide float32 sparse", []string{"factor M --method nmf --rank 30 --iterations 31 --threads 2 --restarts 10"}},
	{"", "", "tall dense", []string{"factor M --method kl --solver multiplicative --rank 30 --iterations 31 --threads 1 --restarts 6 STORED"}},
	{"wide", "wide float32 masked", "dense sparse", []string{"factor M --method gnmu COMMON"}},
	{"", "dense sparse", "wide float32 masked", []string{"factor M --method gnmu --solver admm COMMON"}},
	{"dense masked", "dense wide masked sparse", "float32", []string{"factor M --method rnmu COMMON"}},
	{"", "", "dense wide float32", []string{
		"factor M --method gnmu --feasible final COMMON", "factor M --method rnmu --norm l1 COMMON", "factor M --method rnmu --threshold-v 0.1 COMMON",
		"factor M --method rnmu --feasible each COMMON",
	}},
	{"", "dense wide masked sparse", "float32", []string{"factor M --method snmf --sparsity-v 0.5 COMMON"}},
	{"", "dense float32", "wide", []string{"factor M --method hoyer --hoyer-v 0.5 COMMON"}},
	{"float32", "dense sparse", "wide masked", []string{"factor M --method kl --solver multiplicative COMMON"}},
	{"", "wide float32 masked", "dense sparse", []string{"factor M --method kl --solver coordinate COMMON"}},
	{"", "tall", "", []string{"factor M --method nmf COMMON STORED", "factor M --transpose --method nmf COMMON"}},
	{"", "broad", "", []string{"factor M --method gnmu COMMON STORED"}},
	{"", "", "tall", []string{
		"factor M --method nmf --solver hals COMMON STORED", "factor M --method gnmu COMMON STORED", "factor M --method gnmu --solver admm COMMON STORED",
		"factor M --method rnmu --block 4 COMMON STORED", "factor M --method snmf --sparsity-v 0.5 COMMON STORED", "factor M --method kl --solver multiplicative COMMON STORED",
		"factor M --precision float32 --method rnmu COMMON STORED", "factor M --precision float32 --method nmf COMMON",
		"factor M --method nmf --init spa COMMON STORED", "factor M --method nmf --init svd COMMON STORED", "factor M --method nmf --rank 8 --iterations 3 --threads 1 --restarts 2 STORED",
		"factor M --method nmf --rank 30 --iterations 2 --threads 2 --restarts 1 STORED",
		"factor M --method kl --solver multiplicative --rank 60 --iterations 2 --threads 1 --restarts 1 STORED",
		"factor M --method rnmu --block 4 --rank 60 --iterations 2 --threads 1 --restarts 1 STORED",
		"consensus M --precision float32 --resample columns --ranks 6,8 --runs 3 --iterations 3",
	}},
	{"", "", "sparse tall broad", []string{"factor M --method rnmu COMMON STORED"}},
	{"", "", "broad", []string{
		"factor M --method nmf COMMON STORED", "factor M --method nmf --rank 30 --iterations 2 --threads 1 --restarts 1 STORED",
		"consensus M --precision float32 --method kl --ranks 6,8 --runs 3 --iterations 3",
	}},
	{"", "dense", "", []string{"factor M --method gnmu --mask k.npy --weights w.npy COMMON STORED", "transform basis.npy M --divergence --iterations 3"}},
	{"", "", "dense", []string{
		"factor M --weights w.npy COMMON", "factor M --method nmf --solver hals COMMON STORED", "factor M COMMON STORED", "factor M --method gnmu COMMON STORED", "factor M --weights w.npy COMMON STORED", "factor M --weights zeros.npy COMMON STORED",
		"factor M --missing-solver exact --weights w.npy COMMON STORED", "factor M --method rnmu COMMON STORED",
		"factor M --method kl --solver coordinate --weights w.npy COMMON STORED", "factor M --weights zeros.npy COMMON", "factor M --method rnmu --weights w.npy COMMON",
		"factor M --method rnmu --feasible each --weights w.npy COMMON", "transform basis.npy M --sum-to-one", "rank M --ranks 6,8 --folds 1 --restarts 3 --iterations 3",
		"rank M --weights w.npy --ranks 6,8 --folds 3 --iterations 3", "rank M --method kl --ranks 6,8 --folds 3 --iterations 3",
		"consensus M --resample poisson --method kl --ranks 6,8 --runs 3 --iterations 3", "consensus M --weights w.npy --ranks 6,8 --runs 3 --iterations 3",
	}},
	{"", "", "masked", []string{
		"factor M --method rnmu COMMON STORED", "factor M --method rnmu --feasible each COMMON STORED", "factor M --method rnmu --feasible each COMMON",
		"factor M --method gnmu --feasible final COMMON",
	}},
	{"dense", "dense", "", []string{"transform basis.npy M --weights w.npy"}},
	{"", "sparse", "dense float32 masked", []string{"transform basis.npy M"}},
	{"", "", "dense masked", []string{"transform basis.npy M --feasible"}},
	{"dense", "masked", "dense float32 sparse", []string{"rank M --ranks 6,8 --folds 3 --iterations 3"}},
	{"", "", "wide", []string{"rank M --ranks 2:8 --method rnmu --folds 3 --iterations 3"}},
	{"dense", "float32", "dense masked sparse tall", []string{"consensus M --ranks 6,8 --runs 3 --iterations 3"}},
	{"", "sparse", "wide", []string{"consensus M --resample columns --ranks 6,8 --runs 3 --iterations 3"}},
	{"", "m.csv", "m.csv.gz m.mtx m.mat", []string{"factor M --method nmf COMMON"}},
	{"graph.npy", "graph.mtx", "graph.npy", []string{"biclique M --starts 4"}},
	{"dense", "dense", "", []string{"report run M"}},
}

// TestEstimateIsTrue compares the memory by which --max-memory decides with the peak of a process that is
// just admitted: it is at least the peak, and at most a tenth and 6 MB more.
func TestEstimateIsTrue(t *testing.T) { estimatesAreTrue(t, false) }

// TestEstimateOfEveryCommand is TestEstimateIsTrue for the other command lines.
func TestEstimateOfEveryCommand(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("its matrices are large: with NMU_FULL only")
	}
	estimatesAreTrue(t, true)
}

// estimatesAreTrue compares the estimates of command lines: the rest, or those of the long or the short form.
func estimatesAreTrue(t *testing.T, rest bool) {
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
	t.Chdir(t.TempDir())
	full := os.Getenv("NMU_FULL") != ""
	m, n := 1000, 800
	if full {
		m, n = 2500, 2000
	}
	drawn := func(name string, rows, cols int, entry func(k int) float64) lnmu.Dense[float64] {
		d := entries(rows, cols, entry)
		writeMatrix(t, name, d)
		return d
	}
	d := drawn("m.npy", m, n, func(k int) float64 { return float64(1+k%13*7%13) * float64(1+k/n%5) })
	drawn("wide.npy", n, m, func(k int) float64 { return d.Data[k] })
	drawn("w.npy", m, n, func(k int) float64 { return float64(1 + k%3) })
	drawn("zeros.npy", m, n, func(k int) float64 { return float64((k*7 + k/n) % 4) })
	drawn("basis.npy", m, 8, func(k int) float64 { return float64(1 + k%7*5%7) })
	drawn("graph.npy", m, n, func(k int) float64 { return map[bool]float64{true: 1}[k*7%11 < 5] })
	succeed(t, "factor", "m.npy", "--rank", "8", "--iterations", "3", "--restarts", "1", "--out", "run")
	single, seen := make([]float32, len(d.Data)), make([]float32, len(d.Data))
	for k, x := range d.Data {
		single[k], seen[k] = float32(x), float32(min(1, k%9))
	}
	must.Do(t, errors.Join(matiotest.WriteNpy("f.npy", m, n, single, n), matiotest.WriteNpy("k.npy", m, n, seen, n)))
	if full {
		sparse := func(name, kind string, rows, cols, each int, entry func(i, k int) string) {
			var b strings.Builder
			fmt.Fprintf(&b, "%%%%MatrixMarket matrix coordinate %s general\n%d %d %d\n", kind, rows, cols, rows*each)
			for i := range rows {
				for k := range each {
					fmt.Fprintf(&b, "%d %s\n", i+1, entry(i, k))
				}
			}
			write(t, name, b.String())
		}
		sparse("graph.mtx", "pattern", m, n, 5, func(i, k int) string { return fmt.Sprint((i*7+k*311)%n + 1) })
		sparse("thin.mtx", "real", m, n, n/11, func(i, k int) string { return fmt.Sprint(k*11+i*7%11+1, 1+(i*7+k)%13) })
		sparse("tall.mtx", "real", 20000, 3000, 120, func(i, k int) string { return fmt.Sprint((k*25+i*7)%3000+1, 1+(i+3*k)%5) })
		var table strings.Builder
		for k, x := range d.Data {
			fmt.Fprint(&table, x, map[bool]string{true: "\n", false: ","}[(k+1)%n == 0])
		}
		write(t, "m.csv", table.String())
		write(t, "m.mtx", fmt.Sprintf("%%%%MatrixMarket matrix array real general\n%d %d\n%s", n, m, strings.ReplaceAll(table.String(), ",", "\n")))
		packed := new(bytes.Buffer)
		z := gzip.NewWriter(packed)
		_, err := io.WriteString(z, table.String())
		must.Do(t, errors.Join(err, z.Close(), matiotest.WriteMat("m.mat", matio.Variable[float64]{Name: "M", Labelled: matio.Labelled[float64]{Rows: m, Cols: n, Data: d.Data, Stride: n}})))
		write(t, "m.csv.gz", packed.String())
		succeed(t, "convert", "thin.mtx", "sparse")
		succeed(t, "convert", "tall.mtx", "tall")
		succeed(t, "convert", "tall.mtx", "broad", "--transpose")
	}
	for _, c := range estimated {
		of := c.few
		if full {
			of = map[bool]string{false: c.often, true: c.rest}[rest]
		}
		for _, storage := range strings.Fields(of) {
			matrix, ok := map[string]string{"dense": "m.npy", "wide": "wide.npy", "float32": "f.npy --precision float32", "masked": "m.npy --mask k.npy"}[storage]
			if !ok {
				matrix = storage // a file
			}
			for _, line := range c.lines {
				args := strings.NewReplacer(" M", " "+matrix, "COMMON", "--rank 8 --iterations 3 --threads 2 --restarts 1", "STORED", "--scratch .").Replace(line)
				if !strings.Contains(args, " --threads") && !strings.HasPrefix(args, "report") {
					args += " --threads 2"
				}
				least := 1_000_000
				if strings.HasPrefix(storage, "m.") { // whose reader says more with each part
					least = 8 * m * n
				}
				isTrue(t, strings.Replace(line, " M", " "+storage, 1), args, int64(least))
			}
		}
	}
}

// TestProgram compares work.Program with the pages of the program that it stands for.
func TestProgram(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("NOT TESTED: the program is built in the long form")
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" || os.Getpagesize() != 4096 {
		t.Skip("NOT TESTED: the pages of a program are read on Linux, and other processors have other code")
	}
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skipf("NOT TESTED: the go tool is not installed: %v", err)
	}
	t.Setenv("CGO_ENABLED", "0")
	program := filepath.Join(t.TempDir(), "nmu")
	if out, err := exec.Command(tool, "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	t.Chdir(t.TempDir())
	writeMatrix(t, "m.npy", lnmu.NewDense(4, 3, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}))
	most := 0.0
	for _, line := range []string{
		"factor m.npy --rank 1 --report --out out1", "factor m.npy --rank 2 --method rnmu --write csv,mat --out out2", "factor m.npy --rank 2 --method kl --out out3",
		"rank m.npy --ranks 1,2 --folds 2 --out out4", "consensus m.npy --ranks 2 --runs 3 --out out5",
	} {
		read, write := must.Two(os.Pipe())(t)
		fill(t, write) // so that the program waits with its last line
		cmd := exec.Command(program, strings.Fields(line)...)
		cmd.Stdout = write
		must.Do(t, cmd.Start())
		ended := ending(cmd)
		out := line[strings.LastIndex(line, " ")+1:]
		for written := false; !written; {
			select {
			case err := <-ended:
				t.Fatalf("%s: %v", line, err)
			case <-time.After(10 * time.Millisecond):
				files, _ := filepath.Glob(filepath.Join(out, "*.json"))
				written = len(files) > 0
			}
		}
		parts := must.Get(os.ReadFile(fmt.Sprintf("/proc/%d/smaps", cmd.Process.Pid)))(t)
		most = max(most, pagesOf(program, string(parts)))
		write.Close()
		read.Close() // which ends the program
		<-ended
	}
	if most > work.Program || most < work.Program-3<<20 {
		t.Errorf("the program has %.4g bytes of its file in memory; work.Program is %d", most, work.Program)
	}
	t.Logf("%.4g bytes of the program are in memory, and work.Program is %d", most, work.Program)
}

// fill fills a pipe.
func fill(t *testing.T, w *os.File) {
	t.Helper()
	must.Do(t, w.SetWriteDeadline(time.Now().Add(50*time.Millisecond)))
	for _, err := w.Write(make([]byte, 4096)); err == nil; {
		_, err = w.Write(make([]byte, 4096))
	}
}

// pagesOf returns how many bytes of a program's own file are in memory, given /proc/PID/smaps: those that it
// has not written to.
func pagesOf(program, smaps string) (bytes float64) {
	within := false // a mapping of the program
	for line := range strings.Lines(smaps) {
		var n float64
		switch name, value, _ := strings.Cut(line, ":"); {
		case strings.Contains(name, "-"): // the addresses of a mapping, and its file
			within = strings.HasSuffix(strings.TrimSpace(line), " "+program)
		case within && name == "Rss":
			fmt.Sscanf(value, "%f kB", &n)
			bytes += 1024 * n
		case within && name == "Anonymous":
			fmt.Sscanf(value, "%f kB", &n)
			bytes -= 1024 * n
		}
	}
	return bytes
}

// isTrue compares the least memory with which a command is admitted, from need bytes on, with what it then takes.
func isTrue(t *testing.T, name, command string, need int64) {
	limit := "--max-memory"
	if strings.Contains(command, "--scratch") {
		limit = "--memory"
	}
	t.Run(name, func(t *testing.T) {
		const noise = 2 << 20 // of when the collector runs; work.Program has as much room
		late := 0
		for range 9 { // what is read on the way may say more
			peak, said := peakOf(t, append(strings.Fields(command), limit, fmt.Sprint(need))...)
			if said > 0 {
				need = said
				continue
			}
			t.Logf("needs %d, takes %.4g: %+.1f %%", need, peak, 100*(float64(need)/peak-1))
			switch n := float64(need); {
			case n+noise < peak && late < 2: // on a loaded machine the collector waits for a core
				late++
				continue
			case n+noise < peak:
				t.Errorf("admitted with %d bytes, takes %.4g", need, peak)
			case n > 1.1*peak+6e6:
				t.Errorf("said to need %d bytes, takes %.4g", need, peak)
			}
			return
		}
		t.Errorf("refused with the %d bytes that it is said to need", need)
	})
}
