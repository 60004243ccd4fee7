package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/solve"
	"nmu/internal/matio"
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
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			fmt.Sscanf(value, "%f kB", &peak)
		}
	}
	program := pagesOf(self, string(text))
	if peak == 0 || program == 0 {
		t.Fatalf("no peak, or no pages of the program %s, in\n%s", self, text)
	}
	return peak*1024 - program + solve.Program, 0
}

// TestEstimateIsTrue compares the memory by which --max-memory decides with the peak of a process that is
// just admitted: it is at least the peak, and at most a tenth and 6 MB more.
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

		const rows, cols, each = 20000, 3000, 120
		b.Reset()
		fmt.Fprintf(&b, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", rows, cols, rows*each)
		for i := range rows {
			for k := range each {
				fmt.Fprintln(&b, i+1, (k*cols/each+i*7)%cols+1, 1+(i+3*k)%5)
			}
		}
		file := textFile(t, "tall.mtx", b.String())
		succeed(t, "convert", file, path("sparse-tall"))
		succeed(t, "convert", file, path("sparse-wide"), "--transpose")
	}

	weights, spotted := lnmu.NewDense[float64](m, n, nil), lnmu.NewDense[float64](m, n, nil)
	basis, graph := lnmu.NewDense[float64](m, 8, nil), lnmu.NewDense[float64](m, n, nil)
	for k := range d.Data {
		weights.Data[k], spotted.Data[k] = float64(1+k%3), float64((k*7+k/n)%4)
		if k*7%11 < 5 {
			graph.Data[k] = 1
		}
	}
	for k := range basis.Data {
		basis.Data[k] = float64(1 + k%7*5%7)
	}
	writeMatrix(t, path("w.npy"), weights)
	writeMatrix(t, path("zeros.npy"), spotted)
	writeMatrix(t, path("basis.npy"), basis)
	writeMatrix(t, path("graph.npy"), graph)
	if full {
		var b strings.Builder
		fmt.Fprintf(&b, "%%%%MatrixMarket matrix coordinate pattern general\n%d %d %d\n", m, n, m*5)
		for i := range m {
			for j := range 5 {
				fmt.Fprintln(&b, i+1, (i*7+j*311)%n+1)
			}
		}
		write("graph.mtx", os.WriteFile(path("graph.mtx"), []byte(b.String()), 0o600))
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
			isTrue(t, "factor "+storage+" "+r.method, "factor "+path(storages[storage])+" --method "+r.method+common)
		}
	}
	const ranks, runs, weighted = " --ranks 6,8 --folds 3 --iters 3", " --rank 6,8 --runs 3 --iters 3", " --weights w.npy"
	const stored = common + " --scratch ."
	for i, line := range []string{
		"transform basis.npy m.npy --weights w.npy", "rank m.npy" + ranks, "consensus m.npy" + runs, "biclique graph.npy --starts 4", // in the short form as well
		"transform basis.npy m.npy", "transform basis.npy f.npy --precision float32", "transform basis.npy m.npy --under", "transform basis.npy m.npy --sum-to-one",
		"transform basis.npy m.npy --divergence --iters 3", "transform basis.npy m.npy --mask k.npy", "transform basis.npy m.npy --under --mask k.npy", "transform basis.npy sparse",
		"rank f.npy --precision float32" + ranks, "rank m.npy --ranks 6,8 --folds 1 --restarts 3 --iters 3", "rank wide.npy --ranks 2:8 --method rnmu --folds 3 --iters 3",
		"rank m.npy --mask k.npy" + ranks, "rank m.npy" + weighted + ranks, "rank m.npy --method kl" + ranks, "rank sparse" + ranks,
		"consensus f.npy --precision float32" + runs, "consensus wide.npy --resample columns" + runs, "consensus m.npy --resample poisson --method kl" + runs,
		"consensus m.npy --mask k.npy" + runs, "consensus m.npy" + weighted + runs, "consensus sparse" + runs, "consensus sparse --resample columns" + runs,
		"consensus sparse-tall" + runs, "consensus sparse-tall --precision float32 --resample columns" + runs, "consensus sparse-wide --precision float32 --method kl" + runs,
		"biclique graph.mtx --starts 4",
		"factor m.npy" + weighted + common, "factor m.npy --weights zeros.npy" + common, "factor m.npy --method rnmu" + weighted + common,
		"factor m.npy --method rnmu --feasible each --mask k.npy" + common, "factor m.npy --method rnmu --feasible each" + weighted + common, "factor m.npy --feasible final --method gnmu --mask k.npy" + common,
		"factor m.npy" + stored, "factor m.npy --method gnmu" + stored, "factor m.npy" + weighted + stored, "factor m.npy --weights zeros.npy" + stored, "factor m.npy --method gnmu --mask k.npy" + weighted + stored,
		"factor m.npy --missing-solver exact" + weighted + stored, "factor m.npy --method rnmu" + stored, "factor m.npy --method rnmu --mask k.npy" + stored,
		"factor m.npy --method rnmu --feasible each --mask k.npy" + stored, "factor m.npy --method kl --solver coordinate" + weighted + stored,
		"factor sparse --method rnmu" + stored, // which takes less in memory
		"factor sparse-tall --method nmf" + stored, "factor sparse-tall --method nmf --solver accelerated" + stored, "factor sparse-tall --method gnmu" + stored,
		"factor sparse-tall --method gnmu --solver admm" + stored, "factor sparse-tall --method rnmu" + stored, "factor sparse-tall --method rnmu --block 4" + stored,
		"factor sparse-tall --method snmf --sparsity-v 0.5" + stored, "factor sparse-tall --method kl --solver multiplicative" + stored,
		"factor sparse-tall --precision float32 --method rnmu" + stored, "factor sparse-tall --precision float32 --method nmf" + common, "factor sparse-tall --transpose --method nmf" + common, "factor sparse-tall --method nmf --init spa" + stored,
		"factor sparse-tall --method nmf --rank 8 --iters 3 --threads 1 --restarts 2 --scratch .", "factor sparse-wide --method nmf" + stored,
		"factor sparse-wide --method gnmu" + stored, "factor sparse-wide --method rnmu" + stored,
		"factor sparse-wide --method nmf --rank 30 --iters 2 --threads 1 --restarts 1 --scratch .", "factor sparse-tall --method nmf --rank 30 --iters 2 --threads 2 --restarts 1 --scratch .",
		"factor sparse-tall --method kl --solver multiplicative --rank 60 --iters 2 --threads 1 --restarts 1 --scratch .", "factor sparse-tall --method rnmu --block 4 --rank 60 --iters 2 --threads 1 --restarts 1 --scratch .",
	} {
		if !full && i >= 4 {
			break
		}
		args := strings.Fields(line)
		for k, a := range args {
			if strings.HasPrefix(a, "sparse") || a == "." || strings.Contains(a, ".npy") || strings.Contains(a, ".mtx") {
				args[k] = path(a)
			}
		}
		if !strings.Contains(line, " --threads") {
			args = append(args, "--threads", "2")
		}
		isTrue(t, line, strings.Join(args, " "))
	}
}

// TestProgram compares solve.Program with the pages of the program that it stands for.
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
		"rank m.npy --ranks 1,2 --folds 2 --out out4", "consensus m.npy --rank 2 --runs 3 --out out5",
	} {
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		fill(t, write) // so that the program waits with its last line
		cmd := exec.Command(program, strings.Fields(line)...)
		cmd.Stdout = write
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
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
		parts, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps", cmd.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, pagesOf(program, string(parts)))
		write.Close()
		read.Close() // which ends the program
		<-ended
	}
	if most > solve.Program || most < solve.Program-3<<20 {
		t.Errorf("the program has %.4g bytes of its file in memory; solve.Program is %d", most, solve.Program)
	}
	t.Logf("%.4g bytes of the program are in memory, and solve.Program is %d", most, solve.Program)
}

// fill fills a pipe.
func fill(t *testing.T, w *os.File) {
	t.Helper()
	if err := w.SetWriteDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
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

// isTrue compares the least memory with which a command is admitted with what it then takes.
func isTrue(t *testing.T, name, command string) {
	limit := "--max-memory"
	if strings.Contains(command, "--scratch") {
		limit = "--memory"
	}
	t.Run(name, func(t *testing.T) {
		const noise = 2 << 20 // of when the collector runs; solve.Program has as much room
		need, late := int64(1_000_000), 0
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
