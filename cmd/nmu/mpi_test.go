//go:build mpi && linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/mpirun"
	"nmu/internal/checkpoint"
	"nmu/internal/mpi"
	"nmu/internal/must"
	"nmu/internal/process"
	"nmu/internal/record"
	"nmu/lnmu"
	"nmu/lnmu/outcome"
)

// manyEnv makes the test binary one that runs all command lines of a file, in one of the
// processes that mpirun has started: it takes mpirun longer to start them than most runs
// take.
const manyEnv = "NMU_TEST_COMMANDS"

func init() {
	path := os.Getenv(manyEnv)
	if path == "" {
		return
	}
	if err := runMany(path); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// ran is what became of a command line.
type ran struct {
	Status         int
	Stdout, Stderr string
}

// lasting is MPI that many runs use, one after the other.
type lasting struct{ *mpi.World }

func (lasting) Finalize() {}

// runMany runs the command lines, and lets process 0 write what became of them beside
// the file.
func runMany(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	w, err := mpi.Init()
	if err != nil {
		return err
	}
	defer w.Finalize()
	var all []ran
	for line := range strings.Lines(string(text)) {
		var stdout, stderr bytes.Buffer
		ctx := context.WithValue(context.Background(), mpirun.WorldKey{}, process.World(lasting{w}))
		status := execute(ctx, strings.Fields(line), strings.NewReader(""), &stdout, &stderr)
		all = append(all, ran{status, stdout.String(), stderr.String()})
	}
	if w.Rank() > 0 {
		for _, r := range all {
			if r != (ran{}) {
				return fmt.Errorf("process %d: %+v", w.Rank(), r)
			}
		}
		return nil
	}
	if text, err = json.Marshal(all); err != nil {
		return err
	}
	return os.WriteFile(path+".ran", text, 0o666)
}

// underMPI returns the command that starts this program in n processes, with what is in
// env as well.
func underMPI(t *testing.T, n int, env string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath("mpirun")
	if err != nil {
		t.Skipf("NOT TESTED: mpirun is not installed: %v", err)
	}
	self := must.Get(os.Executable())(t)
	cmd := exec.Command(path, slices.Concat([]string{"--oversubscribe", "-n", strconv.Itoa(n), self}, args)...)
	cmd.Env = append(os.Environ(), env, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	cmd.Stdout, cmd.Stderr = &bytes.Buffer{}, &bytes.Buffer{}
	return cmd
}

// plain builds the command without MPI, and returns its path.
func plain(t *testing.T) string {
	t.Helper()
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skipf("NOT TESTED: the go tool is not installed: %v", err)
	}
	path := filepath.Join(t.TempDir(), "nmu")
	build := exec.Command(tool, "build", "-o", path, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	return path
}

// Under mpirun any number of processes, with any number of threads, gives the result of
// the build without MPI. NMU_FULL asks for each line with each number of threads.
func TestMPI(t *testing.T) {
	alone, dir := plain(t), t.TempDir()
	sampled(t, dir)
	t.Chdir(dir)
	var lines, want []string
	full := os.Getenv("NMU_FULL") != ""
	for i, line := range slices.Concat(divided, dividedSparse) {
		line = "factor " + line + " --rank 4 --iterations 20 --json --quiet"
		out := must.Get(exec.Command(alone, strings.Fields(line)...).Output())(t, "nmu", line)
		for threads := 1; threads <= 2; threads++ {
			if !full && threads != 1+i%2 {
				continue
			}
			lines, want = append(lines, fmt.Sprintf("%s --mpi --threads %d", line, threads)), append(want, string(out))
		}
	}
	for _, n := range []int{1, 2, 3, 4, 7} {
		sameUnderMPI(t, n, lines, want, "")
	}
}

// sameUnderMPI runs command lines in n processes, and compares the results with those that are wanted. Each run says
// what is given, or nothing.
func sameUnderMPI(t *testing.T, n int, lines, want []string, says string) {
	t.Helper()
	write(t, "lines", strings.Join(lines, "\n"))
	cmd := underMPI(t, n, manyEnv+"=lines")
	if err := cmd.Run(); err != nil {
		t.Fatalf("%d processes: %v: %s", n, err, cmd.Stderr)
	}
	all := parsed[[]ran](t, readText(t, "lines.ran"))
	if len(all) != len(lines) {
		t.Fatalf("%d runs of %d", len(all), len(lines))
	}
	for i, r := range all {
		if line := fmt.Sprintf("%s, %d processes", lines[i], n); r.Status != 0 || (r.Stderr == "") != (says == "") || !strings.Contains(r.Stderr, says) {
			t.Errorf("%s: %+v", line, r)
		} else {
			sameRun(t, line, r.Stdout, want[i])
		}
	}
}

// Under mpirun processes that do not hold their parts of M in the memory that they are given
// read them from the file, and find what the build without MPI does in memory.
func TestMPIStored(t *testing.T) {
	alone, path := plain(t), partsFile(t)
	t.Chdir(filepath.Dir(path))
	var lines, want []string
	for _, method := range []string{"gnmu", "nmf", "rnmu --block 2 --transpose", "gnmu --solver admm"} {
		line := "factor " + filepath.Base(path) + " --rank 3 --iterations 3 --restarts 1 --threads 1 --json --method " + method
		out := must.Get(exec.Command(alone, strings.Fields(line)...).Output())(t, "nmu", line)
		status, _, stderr := nmuTogether(t, 2, strings.Fields(line+" --mpi --memory 1MB")...)
		lines, want = append(lines, fmt.Sprintf("%s --mpi --memory %dB --scratch .", line, neededBy(t, status, stderr))), append(want, string(out))
	}
	for _, n := range []int{2, 3} {
		sameUnderMPI(t, n, lines, want, fmt.Sprintf(" in each of %d processes", n))
	}
}

// endless is a command line whose run takes so long that it must be ended, in a folder
// with big.npy.
const endless = "factor big.npy --rank 6 --method gnmu --iterations 100000000 --restarts 1 --seed 3 --mpi --threads 1 --checkpoint-every 1ms --out "

// big writes big.npy to a new folder, and returns that.
func big(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	writeMatrix(t, filepath.Join(dir, "big.npy"), entries(4001, 40, func(i int) float64 { return float64(i * i % 17 * (i % 5)) }))
	return dir
}

// childrenOf returns the processes that one has started, which is mpirun.
func childrenOf(t *testing.T, pid int) (pids []int) {
	t.Helper()
	for _, s := range strings.Fields(readText(t, fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))) {
		pids = append(pids, must.Get(strconv.Atoi(s))(t))
	}
	return pids
}

// gone reports whether a process has ended, which its parent may not have seen yet.
func gone(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := strings.Cut(string(text), ") ")
	return err != nil || strings.HasPrefix(state, "Z")
}

// allGone fails the test unless all processes end within ten seconds, in which this one
// has had its turns: a machine may stop them all for longer.
func allGone(t *testing.T, pids []int) {
	t.Helper()
	begun := time.Now()
	for range 1000 {
		if !slices.ContainsFunc(pids, func(pid int) bool { return !gone(pid) }) {
			t.Logf("all have ended after %v", time.Since(begun))
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	for _, pid := range pids {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		t.Logf("%s", text)
	}
	t.Fatalf("of the processes %v some are there after %v", pids, time.Since(begun))
}

// A process that is killed takes all with it, within ten seconds, and leaves no result or
// a whole one; nmu resume goes on with another number of processes, to the bits of one.
// NMU_FULL asks for more.
func TestMPIKilled(t *testing.T) {
	kills := 2
	if os.Getenv("NMU_FULL") != "" {
		kills = 20
	}
	dir := big(t)
	t.Chdir(dir)
	line := strings.Replace(endless, "100000000", "400", 1)
	succeed(t, strings.Fields(strings.ReplaceAll(line, "--mpi", "")+"whole --force")...)
	want := result(t, "whole")
	rng := rand.New(rand.NewPCG(1, uint64(time.Now().UnixNano())))
	killed := 0
	for round := 0; killed < kills; round++ {
		out := "out" + strconv.Itoa(round)
		next, env := strings.Fields(line+out), commandEnv+"=1"
		for again := true; again; {
			n := 1 + rng.IntN(4)
			cmd := underMPI(t, n, env, next...)
			must.Do(t, cmd.Start())
			ended := ending(cmd)
			err, over := checkpointed(out, ended)
			if !over && killed < kills {
				time.Sleep(time.Duration(rng.IntN(100)) * time.Millisecond)
				if pids := childrenOf(t, cmd.Process.Pid); len(pids) == n {
					syscall.Kill(pids[rng.IntN(n)], syscall.SIGKILL)
					killed++
					allGone(t, pids)
				}
			}
			if !over {
				err = <-ended
			}
			if got := slices.DeleteFunc(names(t, out), func(name string) bool { return strings.HasPrefix(name, ".nmu-") }); len(got) > 0 {
				if !slices.Equal(got, []string{record.NameV, record.NameW, record.NameResult}) {
					t.Fatalf("half a result: %v", got)
				}
				again = false
			} else if err == nil {
				t.Fatalf("no result: %s", cmd.Stderr)
			}
			next = []string{"resume", out, "--mpi", "--threads", strconv.Itoa(1 + rng.IntN(2))}
		}
		if rep := result(t, out); rep.SHA256V != want.SHA256V || rep.SHA256W != want.SHA256W {
			t.Fatalf("another result after being killed: %+v, want %+v", rep, want)
		}
	}
	t.Logf("killed %d times", killed)
}

// A signal to mpirun, or to one of the processes, which passes it on, ends the run as one to a process that is alone:
// what there is is written, and the checkpoint stays.
func TestMPITerminated(t *testing.T) {
	t.Chdir(big(t))
	for rank := -1; rank < 3; rank++ { // -1 stands for mpirun
		out := fmt.Sprint("out", rank)
		cmd := underMPI(t, 3, commandEnv+"=1", strings.Fields(endless+out)...)
		if rank < 0 {
			cmd.Env = append(cmd.Env, "OMPI_MCA_odls_base_sigkill_timeout=3") // seconds, on a busy machine
		}
		must.Do(t, cmd.Start())
		ended := underway(t, cmd, out)
		pids := childrenOf(t, cmd.Process.Pid)
		if len(pids) != 3 {
			t.Fatalf("processes %v", pids)
		}
		syscall.Kill(append(pids, cmd.Process.Pid)[(rank+4)%4], syscall.SIGTERM)
		allGone(t, pids)
		var status *exec.ExitError
		if err := <-ended; !errors.As(err, &status) || rank >= 0 && status.ExitCode() != exit.StatusTerminated {
			t.Errorf("process %d terminated: %v", rank, err)
		}
		if rep := result(t, out); rep.Stop != outcome.StopCancelled || rep.Settings.Processes != 3 || !checkpoint.Has(out) {
			t.Errorf("process %d terminated: %+v", rank, rep)
		}
		if said := cmd.Stderr.(*bytes.Buffer).String(); !strings.Contains(said, "nmu: interrupted by SIGTERM: the factors as they were are written to "+out) {
			t.Errorf("process %d terminated, and the run says %s", rank, said)
		}
	}
}

// An error of one process is the error of all, once, with its number.
func TestMPIError(t *testing.T) {
	dir := big(t)
	t.Chdir(dir)
	d := lnmu.NewDense[float64](4001, 40, nil)
	d.Row(4000)[39] = -1
	writeMatrix(t, "bad.npy", d)
	begun := time.Now()
	cmd := underMPI(t, 3, commandEnv+"=1", strings.Fields("factor bad.npy --rank 2 --mpi --out out")...)
	err := cmd.Run()
	var status *exec.ExitError
	stderr := cmd.Stderr.(*bytes.Buffer).String()
	said := slices.DeleteFunc(strings.Split(stderr, "\n"), func(s string) bool { return !strings.HasPrefix(s, "nmu: ") })
	if !errors.As(err, &status) || status.ExitCode() != exit.StatusError || len(said) != 1 ||
		!strings.HasPrefix(said[0], "nmu: process 2: bad.npy: row 4001, column 40 of M = -1") || there("out") {
		t.Errorf("%v, %s", err, stderr)
	}
	t.Logf("it took %v", time.Since(begun))
}
