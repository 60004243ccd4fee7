package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/factor"
	"nmu/cmd/internal/progress"
	"nmu/internal/checkpoint"
	"nmu/internal/dataset"
	"nmu/internal/memory"
	"nmu/internal/must"
	"nmu/internal/record"
	"nmu/lnmu"
	"nmu/lnmu/outcome"
)

// started starts the command as a process of its own, in a folder.
func started(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	return launch(t, &exec.Cmd{Args: append([]string{"nmu"}, args...), Dir: dir, Stderr: &bytes.Buffer{}})
}

// ending returns the channel of the error with which a process ends.
func ending(cmd *exec.Cmd) chan error {
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	return ended
}

// underway waits for the first checkpoint of a run that must not end before.
func underway(t *testing.T, cmd *exec.Cmd, out string) (ended chan error) {
	t.Helper()
	ended = ending(cmd)
	if err, over := checkpointed(out, ended); over {
		t.Fatalf("the run has ended: %v, %s", err, cmd.Stderr)
	}
	return ended
}

// checkpointed waits until a run has left a checkpoint, or has ended.
func checkpointed(out string, ended <-chan error) (err error, over bool) {
	for !checkpoint.Has(out) {
		select {
		case err := <-ended:
			return err, true
		case <-time.After(time.Millisecond):
		}
	}
	return nil, false
}

// A run that is killed at any moment, again and again, is resumed to the bits of one
// that was left alone, whatever the method and the number of threads.
func TestKillResume(t *testing.T) {
	kills := 3
	if os.Getenv("NMU_FULL") != "" {
		kills = 50
	}
	dir := filepath.Dir(swimmerFile(t, false))
	rng := rand.New(rand.NewPCG(1, uint64(time.Now().UnixNano())))
	ways := []string{
		"--rank 6 --iterations 60 --restarts 1",
		"--rank 6 --iterations 60 --restarts 3 --precision float32",
		"--rank 5 --method nmf --iterations 200 --restarts 3",
		"--rank 5 --method gnmu --solver admm --iterations 100 --residual-tolerance 1e-9 --restarts 2",
		"--rank 5 --method snmf --sparsity-v 0.9 --sparsity-w 0.7 --iterations 150 --restarts 1",
		"--rank 5 --method hoyer --hoyer-v 0.8 --iterations 60 --restarts 1",
	}
	want := make([]record.Factor, len(ways))
	args := func(way int, out string) []string {
		return append(strings.Fields("factor swimmer.npy --seed 2 --checkpoint-every 1ms --out "+out), strings.Fields(ways[way])...)
	}
	done, killed := 0, 0
	for round := 0; killed < kills; round++ {
		way := round % len(ways)
		if want[way].SHA256V == "" {
			out := "whole" + strconv.Itoa(way)
			must.Do(t, started(t, dir, args(way, out)...).Wait())
			want[way] = result(t, filepath.Join(dir, out))
		}
		out := "out" + strconv.Itoa(round)
		next := args(way, out)
		times := 1 + rng.IntN(4) // that it is killed
		for again := true; again; {
			cmd := started(t, dir, next...)
			ended := ending(cmd)
			err, over := checkpointed(filepath.Join(dir, out), ended)
			if !over && times == 0 {
				err, over = <-ended, true
			} else if !over {
				select {
				case err = <-ended:
					over = true
				case <-time.After(time.Duration(rng.IntN(80_000)) * time.Microsecond):
					cmd.Process.Kill()
					err = <-ended
					over = err == nil
					killed++
					times--
				}
			}
			if over && err != nil {
				t.Fatalf("nmu %s: %v: %s", strings.Join(next, " "), err, cmd.Stderr)
			}
			if again = !over; again && !checkpoint.Has(filepath.Join(dir, out)) {
				break // killed after the last rename of its results
			}
			next = []string{"resume", out, "--threads", strconv.Itoa(1 + rng.IntN(3))}
		}
		rep := result(t, filepath.Join(dir, out))
		if w := want[way]; rep.SHA256V != w.SHA256V || rep.SHA256W != w.SHA256W || rep.BestSeed != w.BestSeed || !reflect.DeepEqual(rep.Blocks, w.Blocks) {
			t.Fatalf("%s: another result after being killed: %+v, want %+v", ways[way], rep, w)
		}
		holds(t, filepath.Join(dir, out), record.NameV, record.NameW, record.NameResult)
		done++
	}
	t.Logf("%d runs were killed %d times", done, killed)
}

// stopped leaves a run in out that SIGKILL has ended after its first checkpoint.
func stopped(t *testing.T, dir, out string, args ...string) {
	t.Helper()
	cmd := started(t, dir, append([]string{"factor", "--checkpoint-every", "1ms", "--out", out}, args...)...)
	ended := underway(t, cmd, filepath.Join(dir, out))
	cmd.Process.Kill()
	<-ended
}

// What nmu resume cannot go on from it refuses, and says what to do.
func TestResumeRefuses(t *testing.T) {
	dir := filepath.Dir(swimmerFile(t, false))
	t.Chdir(dir)
	stopped(t, dir, "out", "swimmer.npy", "--rank", "3", "--method", "nmf", "--iterations", "1000000000")
	fails(t, []string{"out has the checkpoint", "nmu resume out", "--force"}, "factor", "swimmer.npy", "--rank", "1", "--out", "out")

	last := filepath.Join("out", checkpoint.Name)
	good := readText(t, last)
	flipped := []byte(good)
	flipped[len(flipped)/2] ^= 4
	for _, bad := range []string{string(flipped), good[:len(good)/2]} {
		write(t, last, bad)
		fails(t, []string{"out: ", "cut short or damaged", "--force"}, "resume", "out")
	}
	write(t, last, good)

	input := readText(t, "swimmer.npy")
	write(t, "swimmer.npy", input[:len(input)-1]+"\x01")
	fails(t, []string{"swimmer.npy is not what it was", "--force"}, "resume", "out")
	must.Do(t, os.Remove("swimmer.npy"))
	fails(t, []string{"swimmer.npy", "cannot be read"}, "resume", "out")
	write(t, "swimmer.npy", input)
	fails(t, []string{"no checkpoint is there", "run it again"}, "resume", ".")

	// From another folder, with a limit of time; what is there stays resumable.
	t.Chdir(t.TempDir())
	stdout := succeed(t, "resume", filepath.Join(dir, "out"), "--time-limit", "100ms", "--json", "--quiet")
	if rep := parsed[record.Factor](t, stdout); rep.Stop != outcome.StopTime || rep.Rank != 3 || rep.Blocks[0].IterationsDone < 1 {
		t.Error(stdout)
	}
	if !checkpoint.Has(filepath.Join(dir, "out")) {
		t.Error("the checkpoint of a run that its time limit has ended is gone")
	}
	succeed(t, "factor", filepath.Join(dir, "swimmer.npy"), "--rank", "1", "--iterations", "2", "--restarts", "1", "--out", filepath.Join(dir, "out"), "--force")
	if checkpoint.Has(filepath.Join(dir, "out")) {
		t.Error("--force leaves the checkpoint of another run")
	}
}

// --continue has the bits of a run of the full rank, takes the options of the first
// run, and refuses others.
func TestContinueCommand(t *testing.T) {
	t.Chdir(filepath.Dir(swimmerFile(t, false)))
	ways := []string{
		"--init nested --restarts 1 --seed 5", "--init svd", "--init nested --restarts 1 --block 2 --precision float32",
		"--init nested --restarts 1 --norm l1", "--init nested --restarts 1 --solver admm --rho 2", "--init nested --restarts 1 --feasible each --tolerance 1e-2",
		"--init nested --restarts 1 --transpose", "--init nested --restarts 1 --mask mask.npy", "--init svd --weights mask.npy --missing-solver majorize",
	}
	set := dataset.Swimmer()
	mask := lnmu.NewDense[float64](set.Rows, set.Cols, nil)
	for i := range mask.Data {
		mask.Data[i] = float64(i % 7)
	}
	writeMatrix(t, "mask.npy", mask)
	if testing.Short() {
		ways = ways[:2]
	}
	run := func(rank, out string, more ...string) record.Factor {
		args := append(strings.Fields("factor swimmer.npy --method rnmu --force --rank "+rank+" --out "+out), more...)
		if status, _, stderr := nmu(args...); status != 0 && status != exit.StatusUnconverged {
			t.Fatalf("nmu %s: %s", args, stderr)
		}
		return result(t, out)
	}
	for _, way := range ways {
		way += " --iterations 30"
		whole := run("6", "whole", strings.Fields(way)...)
		run("4", "first", strings.Fields(way)...)
		got := run("6", "more", "--continue", "first")
		again := run("6", "first", "--continue", "first") // in its place
		for _, got := range []record.Factor{got, again} {
			if got.SHA256V != whole.SHA256V || got.SHA256W != whole.SHA256W || !slices.Equal(errorsOf(got), errorsOf(whole)) || got.Stop != whole.Stop || got.BestSeed != whole.BestSeed {
				t.Errorf("%s: another result: %+v, want %+v", way, got, whole)
			}
		}
		must.Equal(t, got.Settings.Continued, "first", "continued")
	}
	succeed(t, strings.Fields("factor swimmer.npy --rank 2 --method rnmu --iterations 3 --init nested --restarts 1 --out nested")...)
	for _, way := range []string{"--init nested --out ten", "--out random"} { // the best of ten goes on
		succeed(t, strings.Fields("factor swimmer.npy --rank 2 --method rnmu --iterations 3 "+way)...)
		dir := way[strings.LastIndex(way, " ")+1:]
		first := result(t, dir)
		got := run("3", "more", "--iterations", "3", "--continue", dir)
		if first.BestSeed == 0 || got.BestSeed != first.BestSeed || got.Blocks[1].Error != first.Blocks[1].Error || got.Settings.Restarts != 1 {
			t.Errorf("%s: %+v continues %+v", way, got, first)
		}
		if whole := run("3", "whole", "--iterations", "3", "--init", "nested", "--restarts", "1", "--seed", fmt.Sprint(first.BestSeed)); dir == "ten" && got.SHA256V != whole.SHA256V {
			t.Errorf("%s: another V", way)
		}
	}
	succeed(t, strings.Fields("factor swimmer.npy --rank 2 --iterations 3 --init nested --restarts 1 --method nmf --out nmf")...)
	for args, says := range map[string]string{
		"--continue nested --rank 1":                "has 2 factors already",
		"--continue nested --rank 3 --iterations 4": "--iterations 4, and nested was made with 3",
		"--continue nested --rank 3 --seed 4":       "--seed 4, and nested was made with 0",
		"--continue nested --rank 3 --inner 3":      "--inner 3, and nested was made with 2",
		"--continue nested --rank 3 --transpose":    "--transpose true, and nested was made with false",
		"--continue ten --rank 3 --restarts 2":      "--restarts 2, and ten goes on with 1",
		"--continue nmf --rank 3":                   "finds all factors at once",
		"--continue nested --rank 3 --init first":   "--init first, and nested was made with nested",
	} {
		status, _, stderr := nmu(append([]string{"factor", "swimmer.npy"}, strings.Fields(args)...)...)
		if status != exit.StatusUsage || !strings.Contains(stderr, says) {
			t.Errorf("%s: status %d, %s", args, status, stderr)
		}
	}
	other := []byte(readText(t, "swimmer.npy"))
	binary.LittleEndian.PutUint64(other[len(other)-8:], math.Float64bits(0.5))
	write(t, "other.npy", string(other))
	fails(t, []string{"--continue nested", "another"}, "factor", "other.npy", "--continue", "nested", "--rank", "3")
}

// TestCheckEvery: a run that goes on checks the tolerance as often as the one that it goes on from,
// on which its bits depend.
func TestCheckEvery(t *testing.T) {
	script(t, `
-- m.csv `+strings.ReplaceAll(tableOf(false), "\n", `\n`)+`
factor m.csv --header no --method rnmu --init nested --restarts 1 --tolerance 1e-2 --check-every 3 --rank 2 --out first
factor m.csv --header no --method rnmu --init nested --restarts 1 --tolerance 1e-2 --check-every 3 --rank 4 --out whole
factor m.csv --header no --rank 4 --continue first --out more | more/V.npy same: whole/V.npy | more/W.npy same: whole/W.npy | more/result.json: "check_every": 3
factor m.csv --header no --rank 4 --continue first --check-every 4 | refused: --check-every 4 | made with 3
`)
}

// A folder of foreign files is written to with --force only, and they stay.
func TestForeignFolder(t *testing.T) {
	for _, line := range []string{"factor m.csv --rank 1 --iterations 2 --out out", "transform basis m.csv --out out"} {
		script(t, strings.ReplaceAll(`
-- m.csv 1,2,3\n4,5,6\n
factor m.csv --rank 1 --iterations 2 --out basis
-- out/thesis.tex mine
LINE | refused: thesis.tex | --force
info | folder out: thesis.tex
LINE --force
LINE | out/thesis.tex: mine
-- out/W.npy mine
LINE | refused: W.npy | --force
`, "LINE", line))
	}
}

// --progress json writes lines that a program can read, and --quiet nothing, for each of the long commands.
func TestProgressJSON(t *testing.T) {
	input, out := swimmerFile(t, false), filepath.Join(t.TempDir(), "out")
	args := []string{"factor", input, "--rank", "30", "--method", "nmf", "--iterations", "1000000000", "--time-limit", "500ms", "--threads", "1", "--out", out}
	status, _, stderr := nmu(append(args, "--progress", "json")...)
	if begin := "nmu: note: nmu makes 10 runs from different starts and keeps the best; --restarts 1 makes one\n"; strings.Count(stderr, begin) != 1 {
		t.Errorf("%q is not once in %s", begin, stderr)
	}
	steps, ends := 0, 0
	for line := range strings.Lines(stderr) {
		if strings.HasPrefix(line, "nmu: note: ") {
			continue
		}
		var s struct {
			progress.Step
			Stop outcome.Stop
		}
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatalf("%v: %q", err, line)
		}
		must.Equal(t, s.Schema, progress.Schema, line, "has another schema than")
		switch s.Event {
		case "step":
			steps++
			if s.Restart < 1 || s.Restarts != 10 || s.Rank != 30 || s.Iterations != 1000000000 || s.Error == nil || !(*s.Error > 0) || !(s.Elapsed > 0) || s.Remaining == nil {
				t.Errorf("%q", line)
			}
		case "end":
			ends++
			must.Equal(t, s.Stop, outcome.StopTime, line)
		default:
			t.Errorf("%q", line)
		}
	}
	if status != 0 || steps < 1 || ends != 1 {
		t.Errorf("status %d, %d steps, %d ends: %s", status, steps, ends, stderr)
	}
	for _, line := range [][]string{{"resume", out, "--time-limit", "1s"}, append(args, "--restarts", "10")} { // which one has asked for
		if _, _, stderr := nmu(append(line, "--progress", "json")...); strings.Contains(stderr, "nmu makes") || !strings.Contains(stderr, `"step"`) {
			t.Errorf("%s: %s", line, stderr)
		}
	}
	skip := textFile(t, "skip.txt", "1\n")
	for line, compares := range map[string]bool{"factor INPUT --rank 3 --method gnmu --restarts 1": false, "rank INPUT --ranks 2 --folds 2": true, "consensus INPUT --ranks 2 --runs 3": true} {
		args := strings.Fields(strings.ReplaceAll(line, "INPUT", input) + " --iterations 30 --skip-rows " + skip)
		_, _, stderr := nmu(append(args, "--progress", "json")...)
		if !strings.Contains(stderr, "nmu: note: left out") || !strings.Contains(stderr, `"event":"end","stop":"`) || strings.Contains(stderr, `"stop":"","relative_error":null}`) != compares {
			t.Errorf("%s: %s", line, stderr)
		}
		if _, _, stderr := nmu(append(args, "--quiet")...); stderr != "" {
			t.Errorf("%s --quiet: %s", line, stderr)
		}
	}
}

// A run that --time-limit or a signal ends before its first checkpoint was due can be resumed,
// and then ends as a run that was not interrupted.
func TestResumeAfterEnd(t *testing.T) {
	input := swimmerFile(t, false)
	run := []string{"factor", input, "--rank", "12", "--iterations", "1000", "--restarts", "1", "--seed", "4", "--threads", "1", "--quiet"}
	whole := filepath.Join(t.TempDir(), "whole")
	succeed(t, append(run, "--out", whole)...)
	want := result(t, whole)
	for _, way := range []string{"time", "signal", "time, by default", "signal, by default"} {
		out := filepath.Join(t.TempDir(), "out")
		args := append(slices.Clone(run), "--out", out)
		way, byDefault := strings.CutSuffix(way, ", by default")
		if !byDefault {
			args = append(args, "--checkpoint-every", "1h")
		}
		if way == "time" {
			nmu(append(args, "--time-limit", "30ms")...)
		} else {
			signalled(t, syscall.SIGTERM, 143, "goes on from its checkpoint", args...)
		}
		if !checkpoint.Has(out) {
			t.Errorf("%s: no checkpoint", way)
			continue
		}
		resume := []string{"resume", out, "--quiet"}
		if way == "time" {
			resume = append(resume, "--time-limit", "10m")
		}
		succeed(t, resume...)
		if got := result(t, out); got.SHA256V != want.SHA256V || got.SHA256W != want.SHA256W || got.Stop == outcome.StopTime || got.Rank != want.Rank {
			t.Errorf("%s: %+v, want %+v", way, got, want)
		}
		if checkpoint.Has(out) {
			t.Errorf("%s: the checkpoint is still there", way)
		}
	}
}

// The checkpoint of a short run is in the way of no new run, unless --checkpoint-every was asked for.
// --checkpoint-every 0 leaves none, and neither does a run that ends by itself.
func TestCheckpointOfShortRun(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	cut := []string{"factor", swimmerFile(t, false), "--rank", "4", "--method", "nmf", "--restarts", "1", "--iterations", "1000000000", "--time-limit", "20ms", "--out", out, "--quiet"}
	for range 2 {
		succeed(t, cut...)
		if !checkpoint.Has(out) {
			t.Fatal("no checkpoint is there")
		}
	}
	if status, _, stderr := nmu("transform", out, swimmerFile(t, false), "--out", out); status == 0 || !strings.Contains(stderr, "nmu resume") {
		t.Errorf("nmu transform: status %d, %q", status, stderr)
	}
	succeed(t, append(cut, "--checkpoint-every", "0")...)
	if checkpoint.Has(out) {
		t.Error("a checkpoint is there in spite of --checkpoint-every 0")
	}
	succeed(t, cut...)
	succeed(t, append(cut, "--iterations", "2", "--time-limit", "10m")...)
	if checkpoint.Has(out) {
		t.Error("a finished run leaves a checkpoint")
	}
	succeed(t, append(cut, "--checkpoint-every", "1h")...)
	if status, _, stderr := nmu(cut...); status == 0 || !strings.Contains(stderr, "nmu resume") {
		t.Errorf("a run over a checkpoint that was asked for: status %d, %q", status, stderr)
	}
}

// needed returns the memory that a refused command line is said to need, rounded up by as
// much as the message may have rounded it down.
func needed(t *testing.T, args ...string) int64 {
	t.Helper()
	status, _, stderr := nmu(args...)
	return neededBy(t, status, stderr)
}

// neededBy is needed for a command line that has run.
func neededBy(t *testing.T, status int, stderr string) int64 {
	t.Helper()
	found := regexp.MustCompile(`needs ([0-9.]+ [kMG]?B) of memory`).FindStringSubmatch(stderr)
	if status != exit.StatusError || found == nil {
		t.Fatalf("status %d, %s", status, stderr)
	}
	n := must.Get(memory.Parse(found[1]))(t)
	return n + n/200
}

// inMemory runs nmu in so many processes, or alone if there are 0.
func inMemory(t *testing.T, processes int, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	if processes == 0 {
		return nmu(args...)
	}
	return nmuTogether(t, processes, args...)
}

// stored runs nmu in so many processes, or alone if there are 0, with the least memory in which the matrix can
// stay in its files.
func stored(t *testing.T, processes int, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	limit := int64(1_000_000)
	for range 6 { // what is read on the way may say more
		status, stdout, stderr = inMemory(t, processes, append(slices.Clone(args), "--memory", fmt.Sprint(limit, "B"))...)
		if status == 0 {
			return status, stdout, stderr
		}
		limit = neededBy(t, status, stderr)
	}
	t.Fatalf("refused with the %d bytes that it is said to need: %s", limit, stderr)
	return status, stdout, stderr
}

// nmu resume goes on within the memory in which the run began, whatever that is.
func TestResumeMemory(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("large matrices: with NMU_FULL only")
	}
	large := largeFile(t)
	t.Chdir(filepath.Dir(large))
	lines := []string{large + " --method gnmu"}
	if os.Getenv("NMU_FULL") != "" {
		lines = append(lines, large+" --method rnmu --restarts 2", largeFolder(t, 60, false)+" --method gnmu")
	}
	for _, line := range lines {
		args := append(strings.Fields(line), strings.Fields("--rank 3 --iterations 1000000 --threads 2 --scratch . --force --memory")...)
		least := needed(t, append([]string{"factor", "--checkpoint-every", "1h", "--out", "out"}, append(args, "1MB")...)...)
		stopped(t, ".", "out", append(args, strconv.FormatInt(least, 10))...)
		status, _, stderr := nmu("resume", "out", "--time-limit", "1ms")
		if strings.Contains(stderr, "of memory") || status != 0 && !strings.Contains(stderr, "--time-limit") {
			t.Errorf("%s in %d bytes: status %d, %s", line, least, status, stderr)
		}
		status, _, stderr = nmu("resume", "out", "--threads", "64")
		if status != exit.StatusError || !strings.HasPrefix(stderr, "nmu: fewer threads would need less: ") || !strings.Contains(stderr, "(--memory sets it)") {
			t.Errorf("%s with more threads: status %d, %s", line, status, stderr)
		}
	}
}

// TestRestore: a run goes on in another folder with its flags. Paths of files lead to the folder where
// it was started. The name of a start stays, even if that folder holds a file of this name.
func TestRestore(t *testing.T) {
	started := t.TempDir()
	for _, name := range []string{"random", "mask.csv"} {
		must.Do(t, os.WriteFile(filepath.Join(started, name), nil, 0o666))
	}
	t.Chdir(t.TempDir())
	from := &checkpoint.State{Note: checkpoint.Note{Folder: started, Flags: [][2]string{
		{"init", "random"}, {"mask", "mask.csv"}, {"out", "before"}, {"force", "true"}, {"threads", "3"}, {"seed", "7"},
	}}}
	c := factor.Command().Call(nil)
	must.Do(t, factor.Restore(c, "now", from, func(flag string) bool { return flag == "threads" }))
	for name, want := range map[string]string{
		"init": "random", "mask": filepath.Join(started, "mask.csv"), "out": "now", "force": "", "threads": "", "seed": "7",
	} {
		must.Equal(t, c.Text(name), want, "--"+name)
	}
}
