package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/mpirun"
	"nmu/internal/matio/matiotest"
	"nmu/internal/mpi"
	"nmu/internal/must"
	"nmu/internal/process"
	"nmu/internal/record"
	"nmu/internal/release"
	"nmu/internal/together"
	"nmu/internal/work"
	"nmu/lnmu"
	"nmu/lnmu/distributed"
)

// local is a process that is a goroutine of this one.
type local struct{ *together.Process }

func (p local) Local() int      { return p.Size() }
func (p local) Processors() int { return 1 }
func (p local) Threads(int) int { return 1 }
func (p local) Abort(int)       { panic("aborted") }
func (p local) Finalize()       {}
func (p local) Signal(byte)     {}

func (p local) Limit(int64) int64 { return 0 }

func (p local) Signalled() (byte, bool) { return 0, false }

// nmuTogether runs a command line in several processes, and returns what they print and
// the status of the first one. Others must end with 0 and print nothing.
func nmuTogether(t *testing.T, n int, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	return nmuEach(t, n, func(int) []string { return args })
}

// nmuEach is nmuTogether for processes whose command lines may differ, each of which seen
// gets in the end.
func nmuEach(t *testing.T, n int, args func(rank int) []string, seen ...func(p *together.Process)) (status int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	together.Run(n, func(p *together.Process) {
		defer func() {
			for _, look := range seen {
				look(p)
			}
		}()
		ctx := context.WithValue(t.Context(), mpirun.WorldKey{}, process.World(local{p}))
		if p.Rank() == 0 {
			status = execute(ctx, args(0), strings.NewReader(""), &out, &err)
			return
		}
		var silent bytes.Buffer
		if status := execute(ctx, args(p.Rank()), strings.NewReader(""), &silent, &silent); status != 0 || silent.Len() > 0 {
			t.Errorf("process %d of nmu %s: status %d, %s", p.Rank(), strings.Join(args(p.Rank()), " "), status, &silent)
		}
	})
	return status, out.String(), err.String()
}

// sampled writes matrices to the folder dir in every form that processes read: those
// that they read by parts, and others.
func sampled(t *testing.T, dir string) {
	t.Helper()
	write := func(name string, d lnmu.Dense[float64]) { writeMatrix(t, filepath.Join(dir, name), d) }
	sample := func(m, n int) lnmu.Dense[float64] {
		d := lnmu.NewDense[float64](m, n, nil)
		for i := range m {
			for j := range n {
				if (i*i+3*j)%5 > 1 {
					d.Row(i)[j] = float64(1+i%7)*float64(1+j%3) + float64(i*j%11)
				}
			}
		}
		return d
	}
	tall := sample(1009, 12) // slabs of unequal length
	write("tall.npy", tall)
	write("wide.npy", tall.Transposed())
	mask, weights, gaps := lnmu.NewDense[float64](1009, 12, nil), lnmu.NewDense[float64](1009, 12, nil), sample(1009, 12)
	for i := range mask.Rows {
		for j := range mask.Cols {
			mask.Row(i)[j] = float64((i + j) % 4)
			weights.Row(i)[j] = float64((i*j + 1) % 3)
		}
	}
	gaps.Row(1000)[7] = math.NaN() // in one process alone
	write("mask.npy", mask)
	write("weights.npy", weights)
	write("gaps.npy", gaps)
	write("small.npy", sample(7, 5)) // as many rows as processes, all of them in one slab
	must.Do(t, os.Mkdir(filepath.Join(dir, "parts"), 0o777))
	for k, first := 0, 0; first < tall.Rows; k++ {
		last := min(first+1+97*k, tall.Rows)
		write(filepath.Join("parts", fmt.Sprintf("rows-%d.npy", k)), tall.Slice(first, last, 0, tall.Cols))
		first = last
	}
	must.Do(t, matiotest.WriteCSV(filepath.Join(dir, "tall.csv"), record.Labelled(tall, nil, nil)))
	for name, d := range map[string]lnmu.Dense[float64]{"tall.mtx": tall, "wide.mtx": tall.Transposed()} {
		var text strings.Builder
		entries := 0
		for i := range d.Rows {
			for j, x := range d.Row(i) {
				if x > 0 {
					fmt.Fprintf(&text, "%d %d %g\n", i+1, j+1, x)
					entries++
				}
			}
		}
		head := fmt.Sprintf("%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", d.Rows, d.Cols, entries)
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(head+text.String()), 0o666))
	}
}

// divided are command lines that several processes must do as one does.
var divided = []string{
	"tall.npy --method nmf --restarts 2",
	"wide.npy --method nmf --restarts 1 --tolerance 0.9 --check-every 5",
	"parts --method gnmu --restarts 2 --seed 5",
	"wide.npy --method gnmu --solver admm --restarts 1",
	"tall.npy --method rnmu --restarts 2",
	"wide.npy --method rnmu --restarts 1 --precision float32",
	"tall.npy --transpose --method rnmu --solver admm --restarts 2",
	"small.npy --method rnmu --block 2 --restarts 2",
	"small.npy --method nmf --restarts 3 --target-error 0.2",
	"tall.csv --method gnmu --init nested --restarts 2 --top 2",
	"tall.mtx --dense --method nmf --restarts 1",
	"tall.npy --method snmf --sparsity-v 0.5 --restarts 2",
	"wide.npy --method hoyer --hoyer-v 0.5 --restarts 1",
	"tall.npy --method gnmu --feasible final --restarts 1",
	"wide.npy --method rnmu --norm l1 --restarts 1",
	"parts --method rnmu --threshold-v 0.1 --sparsity-w 0.3 --init svd",
	"wide.npy --method nmf --baseline --restarts 1",
	"tall.npy --method nmf --restarts 1 --mask mask.npy",
	"tall.npy --method rnmu --restarts 1 --transpose --mask mask.npy --weights weights.npy",
	"gaps.npy --method gnmu --restarts 1 --missing allow",
	"gaps.npy --method nmf --restarts 1 --transpose --missing allow --mask mask.npy --missing-solver exact",
	"tall.npy --method nmf --restarts 1 --missing allow",
}

// dividedSparse are those of sparse matrices.
var dividedSparse = []string{
	"tall.mtx --method nmf --restarts 2",
	"wide.mtx --method gnmu --restarts 1",
	"wide.mtx --method rnmu --restarts 2",
	"tall.mtx --method rnmu --solver admm --restarts 1",
	"wide.mtx --method nmf --restarts 1 --sparse-missing",
	"wide.mtx --method snmf --sparsity-v 0.5 --restarts 1",
	"tall.mtx --method rnmu --init svd",
	"wide.mtx --method nmf --baseline --restarts 1",
}

// sameRun compares two results of the same command line by different processes.
func sameRun(t *testing.T, line, got, want string) {
	t.Helper()
	for _, path := range []string{"settings.processes", "settings.threads", "result.seconds", "version", "go"} {
		got, want = edited(got, path, ""), edited(want, path, "")
	}
	must.Equal(t, got, want, line)
}

// repeated runs a command line again in n processes, or in this one for 0, compares the result with the one
// that it had, and returns what the run says. With onDisk it has so little memory that M stays on disk.
func repeated(t *testing.T, want string, n int, onDisk bool, args ...string) (said string) {
	t.Helper()
	run, line := inMemory, fmt.Sprintf("%s, %d processes", strings.Join(args, " "), n)
	if args = slices.Clone(args); n > 0 {
		args = append(args, "--mpi")
	}
	if onDisk {
		run, args = stored, append(args, "--scratch", must.Get(os.Getwd())(t))
	}
	status, stdout, said := run(t, n, args...)
	if status != 0 || onDisk && !strings.Contains(said, " stays ") {
		t.Errorf("%s: status %d, %s", line, status, said)
	} else {
		sameRun(t, line, stdout, want)
	}
	return said
}

// dividedIncomplete are those of matrices of which rows and columns are left out, by lists or because nothing of
// them is observed, of masks and weights in any order of lines and names, which count together what only one
// process misses and what is equal in each part, and of --improve.
var dividedIncomplete = []string{
	"tall.npy --method gnmu --skip-rows rows.txt --skip-cols cols.txt",
	"wide.npy --method nmf --skip-rows cols.txt --skip-cols rows.txt --improve",
	"tall.csv --method nmf --transpose --skip-cols rows.txt --scale topics",
	"parts --method rnmu --skip-rows rows.txt",
	"small.npy --method nmf --skip-rows few.txt", // wide then, where it was tall
	"tall.npy --method nmf --skip-cols cols.txt --mask seen.npy",
	"tall.npy --method nmf --skip-rows rows.txt --mask seen.npy --weights confidence.npy",
	"hollow.npy --method gnmu --skip-cols cols.txt --missing allow --mask seen.npy",
	"hollow.npy --method nmf --skip-rows rows.txt --missing allow --weights confidence.npy",
	"scene.npy --method nmf --missing allow",
	"scene.npy --method rnmu --missing allow --skip-rows few.txt",
	"tall.mtx --method gnmu --skip-rows rows.txt --skip-cols cols.txt",
	"wide.mtx --method nmf --skip-rows cols.txt --skip-cols rows.txt",
	"tall.npy --method nmf --row-names names.txt --mask turned.csv",
	"tall.npy --method nmf --mask ones.npy --weights ones.npy",
	"tall.npy --method nmf --weights levels.npy",
	"tall.npy --method nmf --transpose --mask mask.npy --weights levels.npy",
	"tall.npy --method gnmu --mask ones.npy --weights weights.npy",
	"coded.npy --method nmf --missing-value -9 --negative clip --improve",
	"coded.npy --method gnmu --transpose --missing-value -9 --negative missing",
	"tall.mtx --method nmf --missing-value 3 --dense",
	"tall.npy --method gnmu --improve",
	"wide.npy --method nmf --improve",
	"gaps.npy --method nmf --missing allow --improve",
	"tall.mtx --method nmf --improve",
	"wide.mtx --method gnmu --improve",
	"wide.mtx --method nmf --sparse-missing --improve",
	"small.npy --method rnmu --improve",
	"tall.npy --method nmf --mask mask.npy --weights weights.npy --transpose --improve",
}

// Any number of processes, with any number of threads, gives the result of one: also if
// most of them have nothing, as with NMU_FULL, which asks for one to seven processes.
func TestProcesses(t *testing.T) {
	dir := t.TempDir()
	sampled(t, dir)
	t.Chdir(dir)
	lists(t, 1009, 12)
	withGaps(t)
	write(t, "few.txt", "2\n3\n6\n")
	cubeFile(t, "scene.npy", 25, 20, 6, func(p int) bool { return p%9 == 4 || p > 300 && p < 390 })
	sizes := []int{3}
	if os.Getenv("NMU_FULL") != "" {
		sizes = []int{1, 2, 3, 4, 7}
	}
	for i, line := range slices.Concat(divided, dividedSparse, dividedIncomplete) {
		improves := strings.Contains(line, "--improve")
		args := strings.Fields("factor " + line + " --rank 3 --json --quiet --iterations " + map[bool]string{false: "10", true: "5"}[improves])
		if !strings.Contains(line, "--restarts") && !strings.Contains(line, "--init") {
			args = append(args, "--restarts", "1")
		}
		want := succeed(t, args...)
		if skips := strings.Contains(line, "--skip") || strings.Contains(line, "scene") || strings.Contains(line, "hollow"); skips != strings.Contains(want, "whose factors are NaN") {
			t.Errorf("%s: something is left out: %v", line, !skips)
		}
		if x := parseReport(t, []byte(want)).Improved; improves && (x == nil || !(x.Error <= x.ScaledError*(1+1e-9)) || !(x.Scale > 0)) {
			t.Errorf("%s: %+v", line, x)
		}
		for _, n := range sizes {
			for k, threads := range []string{"1", "2"} {
				if os.Getenv("NMU_FULL") == "" && (i+k)%2 > 0 {
					continue
				}
				must.Equal(t, repeated(t, want, n, false, append(args, "--threads", threads)...), "", line, n, "processes")
			}
		}
	}
}

// What several processes cannot do they refuse, once, and say what to do.
func TestProcessesRefuse(t *testing.T) {
	dir := t.TempDir()
	sampled(t, dir)
	t.Chdir(dir)
	succeed(t, "factor", "small.npy", "--rank", "2", "--out", "few")
	for line, says := range map[string]string{
		"-":                           "name a file",
		"small.npy --mask tall.npy":   "tall.npy is 1009 x 12 and the matrix is 7 x 5",
		"gaps.npy":                    "row 1001, column 8",
		"small.npy --fix-v small.npy": "choose a larger rank",
		"tall.mtx --mask mask.npy":    "--dense",
		"small.npy --continue parts":  "--continue is not for several processes",
		"small.npy --memory 1GB --max-memory 1GB":                  "choose one",
		"tall.npy --memory 100kB":                                  "a smaller rank or --restarts 1 would need less",
		"tall.csv --memory 60kB":                                   "nmu convert",
		"small.npy --rank 1000000000":                              "rank 1000000000",
		"nothing.npy":                                              "nothing.npy",
		"tall.csv --image 3x3":                                     "--image",
		"tall.npy --init few":                                      "--init few",
		"tall.npy --skip-rows none.txt":                            "none.txt",
		"tall.npy --mask gaps.npy":                                 "--mask: row 1001, column 8 of gaps.npy is no number",
		"tall.npy --weights gaps.npy":                              "--weights gaps.npy: ",
		"tall.npy --method nmf --mask mask.npy --weights gaps.npy": "--weights gaps.npy: ",
	} {
		args := append([]string{"factor", "--rank", "2", "--mpi"}, strings.Fields(line)...)
		status, stdout, stderr := nmuTogether(t, 3, args...)
		if status != exit.StatusError && status != exit.StatusUsage || stdout != "" || strings.Count(stderr, "\n")-strings.Count(stderr, "nmu: note: ") != 1 || !strings.Contains(stderr, says) {
			t.Errorf("%s: status %d, %s%s", line, status, stdout, stderr)
		}
		if names := names(t, "."); slices.Contains(names, "out") {
			t.Errorf("%s: it has written %v", line, names)
		}
	}
	if !mpi.Available {
		fails(t, []string{"this build has no MPI", "go build -tags mpi"}, "factor", "small.npy", "--rank", "2", "--mpi")
		fails(t, []string{"this build has no MPI"}, "resume", "parts", "--mpi")
	}
}

// Process 0 tells the error of another one, and that others have other files, and which.
func TestProcessesDiffer(t *testing.T) {
	dir := t.TempDir()
	sampled(t, dir)
	t.Chdir(dir)
	bad := lnmu.NewDense[float64](1009, 12, nil)
	bad.Row(1008)[3] = -2
	writeMatrix(t, "bad.npy", bad)
	near := must.Get(readFactor[float64]("tall.npy"))(t)
	near.Row(700)[5]++ // in the part of process 2
	writeMatrix(t, "near.npy", near)
	const contents = ": the contents of tall.npy are not those that process 0 has; give all of them the same files\n"
	for _, c := range []struct{ inputs, says string }{
		{"tall.npy tall.npy near.npy", "nmu: process 2" + contents},
		{"tall.npy near.npy near.npy", "nmu: processes 1 and 2" + contents},
		{"near.npy tall.npy tall.mtx", "nmu: processes 1 and 2" + strings.Replace(contents, "tall", "near", 1)},
	} {
		status, stdout, stderr := nmuEach(t, 3, func(rank int) []string {
			return []string{"factor", strings.Fields(c.inputs)[rank], "--rank", "2", "--mpi", "--iterations", "5", "--out", "out"}
		})
		if status != exit.StatusError || stdout != "" || stderr != c.says {
			t.Errorf("%s: status %d, %s%s", c.inputs, status, stdout, stderr)
		}
	}
	// The result.json beside a start and beside fixed factors has their names; process 1 has another one, or none.
	succeed(t, "factor", "tall.npy", "--rank", "2", "--iterations", "2", "--restarts", "1", "--out", "0")
	must.Do(t, os.CopyFS("1", os.DirFS("0")))
	for _, change := range []func() error{func() error { return os.WriteFile("1/result.json", []byte("{}"), 0o666) }, func() error { return os.Remove("1/result.json") }} {
		must.Do(t, change())
		for _, flag := range []string{"--init %d", "--fix-v %d", "--fix-w %d/W.npy"} {
			_, _, stderr := nmuEach(t, 2, func(rank int) []string {
				return append([]string{"factor", "tall.npy", "--rank", "2", "--mpi"}, strings.Fields(fmt.Sprintf(flag, rank))...)
			})
			must.Equal(t, stderr, "nmu: process 1"+contents, flag)
		}
	}
	for other, says := range map[string]string{
		"nothing.npy": "nmu: process 2: nothing.npy: no such file",
		"wide.npy":    "nmu: process 2: it has version " + release.Version() + " and a matrix of 12 x 1009, and process 0 has version",
		"bad.npy":     "nmu: process 2: bad.npy: row 1009, column 4 of M = -2 is negative",
	} {
		status, stdout, stderr := nmuEach(t, 3, func(rank int) []string {
			input := "tall.npy"
			if rank == 2 || other == "bad.npy" { // of which process 2 reads the end
				input = other
			}
			return []string{"factor", input, "--rank", "2", "--mpi", "--iterations", "5", "--out", "out"}
		})
		if status != exit.StatusError || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, says) {
			t.Errorf("%s: status %d, %s%s", other, status, stdout, stderr)
		}
	}
	noFile(t, "out")
}

// The error of one process that has no folder for its scratch file names that process.
func TestProcessesWithoutScratch(t *testing.T) {
	path, scratch := partsFile(t), t.TempDir()
	gnmu := []string{"factor", path, "--rank", "3", "--method", "gnmu", "--mpi", "--quiet", "--memory"}
	status, _, stderr := nmuTogether(t, 3, append(gnmu, "1MB")...)
	within := fmt.Sprint(neededBy(t, status, stderr), "B")
	status, stdout, stderr := nmuEach(t, 3, func(rank int) []string {
		folder := scratch
		if rank == 2 {
			folder = filepath.Join(scratch, "none")
		}
		return append(slices.Clone(gnmu), within, "--scratch", folder)
	})
	if status != exit.StatusError || stdout != "" || !strings.Contains(stderr, "nmu: process 2: ") || !strings.Contains(stderr, "no such file or directory") {
		t.Errorf("no folder for the scratch file of process 2: status %d, %s%s", status, stdout, stderr)
	}
}

// Where a run has its matrix does not bind nmu resume: in memory, in its file, or in several
// processes.
func TestResumeElsewhere(t *testing.T) {
	large, larger := largeFile(t), ""
	if os.Getenv("NMU_FULL") != "" {
		larger = partsFile(t)
	}
	t.Chdir(t.TempDir())
	for i, c := range []struct {
		input, began, goes string
		inFile             bool
	}{
		{large, "--memory LEAST --scratch .", "--max-memory 1GB", false},
		{large, "--memory LEAST --scratch .", "--mpi", false}, // that holds a third of it
		{large, "--max-memory 1GB", "--memory LEAST", true},
		{large, "--max-memory 1GB", "--mpi", false},
		{larger, "--memory LEAST --scratch .", "--mpi", true},
	} {
		if os.Getenv("NMU_FULL") == "" && i != 0 && i != 2 {
			continue
		}
		out := fmt.Sprint("out", i)
		args := strings.Fields(c.input + " --rank 3 --method gnmu --iterations 1000000 --restarts 1 --threads 1")
		least := fmt.Sprint(needed(t, slices.Concat([]string{"factor"}, args, []string{"--checkpoint-every", "1h", "--out", out, "--memory", "1MB"})...), "B")
		c.began, c.goes = strings.ReplaceAll(c.began, "LEAST", least), strings.ReplaceAll(c.goes, "LEAST", least)
		stopped(t, ".", out, append(args, strings.Fields(c.began)...)...)
		status, stderr := exit.StatusError, ""
		for limit := 200 * time.Millisecond; status != 0 && limit < 4*time.Minute; limit *= 4 { // until the time is enough for a factor
			status, _, stderr = nmuTogether(t, 1+2*strings.Count(c.goes, "mpi"), strings.Fields(fmt.Sprintf("resume %s --time-limit %v %s", out, limit, c.goes))...)
		}
		if inFile := strings.Contains(stderr, "stays in its file"); status != 0 || inFile != c.inFile {
			t.Errorf("%s, then %s: status %d, %s", c.began, c.goes, status, stderr)
		}
	}
}

// The factors that process 0 writes are those of the result, also as tables and pictures.
func TestProcessesWrite(t *testing.T) {
	dir := t.TempDir()
	sampled(t, dir)
	t.Chdir(dir)
	cubeFile(t, "scene.npy", 25, 20, 6, func(p int) bool { return p%9 == 4 || p > 300 && p < 390 })
	for _, input := range []string{"tall.npy --write csv,mat", "wide.npy --write csv,mat", "scene.npy --missing allow --write envi"} {
		args := strings.Fields("factor " + input + " --rank 3 --iterations 10 --restarts 1 --quiet --out ")
		succeed(t, append(args, "alone")...)
		if status, _, stderr := nmuTogether(t, 4, append(args, "together", "--mpi")...); status != 0 {
			t.Fatal(stderr)
		}
		a, b := result(t, "alone"), result(t, "together")
		if b.Settings.Processes != 4 || a.Settings.Processes != 0 || len(b.Files) != 5 || !maps.Equal(a.Files, b.Files) {
			t.Errorf("%s: %d processes, files %v, want %v", input, b.Settings.Processes, b.Files, a.Files)
		}
		if strings.HasPrefix(input, "scene") { // a run that leaves pixels out is no start
			continue
		}
		args = append(args, "again", "--init", "alone", "--json", "--force")
		repeated(t, succeed(t, args...), 3, false, args...)
	}
}

// The longer factor goes to its file in pieces, of which process 0 has one at a time; the
// files are those of one process.
func TestProcessesPieces(t *testing.T) {
	t.Chdir(t.TempDir())
	const most = 8192 * 8 // bytes
	writeMatrix(t, "long.npy", entries(30_011, 2, func(i int) float64 { return float64(i%911*(i%911)%911) + float64(i%7) }))
	for _, line := range []string{
		"long.npy --rank 2",
		"long.npy --rank 1 --precision float32",
		"long.npy --rank 2 --method nmf --transpose",
	} {
		args := strings.Fields("factor " + line + " --iterations 2 --restarts 1 --top 3 --quiet --json --force --out ")
		want := succeed(t, append(args, "alone")...)
		for _, size := range []int{1, 3} {
			status, stdout, stderr := nmuEach(t, size, func(int) []string { return slices.Concat(args, []string{"together", "--mpi"}) }, func(p *together.Process) {
				for bytes, count := range p.Received {
					must.AtMost(t, bytes, most, line, "process", p.Rank(), "of", size, "gets", count, "messages of")
				}
			})
			if status != 0 || stderr != "" {
				t.Fatalf("%s: status %d, %s", line, status, stderr)
			}
			sameRun(t, line, stdout, want)
			a, b := result(t, "alone"), result(t, "together")
			if len(b.Files) != 2 || !maps.Equal(a.Files, b.Files) {
				t.Errorf("%s, %d processes: files %v, want %v", line, size, b.Files, a.Files)
			}
		}
	}
}

// A process needs memory for its part, the first one for the longer factor as well where
// it writes tables or pictures of it.
func TestProcessesMemory(t *testing.T) {
	const m, n, rank = 400_000, 100, 5
	need := func(p *process.Group, gathers bool) (dense, sparse float64) {
		x := work.Plan{Rank: rank, Method: lnmu.GNMU{}, Settings: lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Threads: 1}, Gathers: gathers}
		if p != nil {
			x.World = p.World
		}
		whole, stored := lnmu.Unread[float64]{Rows: m, Cols: n}, lnmu.Unread[float64]{Rows: m, Cols: n, Sparse: true, Entries: m * n / max(p.Count(), 1) / 10}
		return float64(work.Memory(&work.Job{}, whole, x, true)), float64(work.Memory(&work.Job{}, stored, x, true))
	}
	wholeDense, wholeSparse := need(nil, false)
	together.Run(8, func(s *together.Process) {
		all := &process.Group{World: local{s}}
		dense, sparse := need(all, false)
		first, last := distributed.Share(m, n, s.Rank(), 8) // the last one has fewer rows, and fewer sums
		least := 0.99 * min(1./8, float64(last-first)/m)
		if dense < least*wholeDense || dense > wholeDense/6 || sparse < least*wholeSparse || sparse > wholeSparse/6 {
			t.Errorf("process %d of 8 needs %.3g and %.3g bytes, one alone %.3g and %.3g", s.Rank(), dense, sparse, wholeDense, wholeSparse)
		}
		more := 0.0
		if s.Rank() == 0 {
			more = 2 * 8 * rank * m
		}
		if d, s := need(all, true); d != dense+more || s != sparse+more {
			t.Errorf("the longer factor needs %.3g and %.3g bytes", d-dense, s-sparse)
		}
	})
}
