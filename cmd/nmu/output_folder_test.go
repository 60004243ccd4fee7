package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"nmu/internal/checkpoint"
	"nmu/internal/fileset"
	"nmu/internal/must"
	"nmu/internal/record"
	"nmu/lnmu/factors"
)

// command starts the command in a process of its own.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	return launch(t, &exec.Cmd{Args: append([]string{"nmu"}, args...)})
}

// launch starts the command as cmd says, but for its path and environment.
func launch(t *testing.T, cmd *exec.Cmd) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err == nil {
		cmd.Path, cmd.Env = self, append(os.Environ(), commandEnv+"=1")
		if err = cmd.Start(); err == nil {
			return cmd
		}
	}
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOEXEC) {
		t.Skipf("NOT TESTED: a process of its own cannot be used on this machine: %v", err)
	}
	t.Fatal(err)
	return nil
}

// oneResult fails the test unless the folder holds the files of one run and no
// others: an odd seed stands for a run with --image.
func oneResult(t *testing.T, dir string) {
	t.Helper()
	rep := result(t, dir)
	v, err := readFactor[float64](filepath.Join(dir, record.NameV))
	if err != nil || factors.SHA256(v) != rep.SHA256V {
		t.Fatalf("V is not that of result.json: %v", err)
	}
	w, err := readFactor[float64](filepath.Join(dir, record.NameW))
	if err != nil || factors.SHA256(w) != rep.SHA256W {
		t.Fatalf("W is not that of result.json: %v", err)
	}
	want := []string{record.NameV, record.NameW, record.NameResult}
	if rep.BestSeed%2 == 1 {
		want = []string{record.NameV, record.NameW, record.NameBasis, record.NameResult}
	}
	got := slices.DeleteFunc(names(t, dir), func(name string) bool { return strings.HasPrefix(name, ".nmu-") })
	if !slices.Equal(got, want) {
		t.Fatalf("files %v of a run with seed %d", got, rep.BestSeed)
	}
}

// kill -9 at any moment leaves one result for every command that reads it, the old or the new one, also
// with a file of someone else in the folder. NMU_FULL asks for more kills.
func TestKillLeavesOneResult(t *testing.T) {
	kills := 9
	if os.Getenv("NMU_FULL") != "" {
		kills = 400
	}
	input := swimmerFile(t, false)
	top := t.TempDir()
	dir := filepath.Join(top, "out")
	args := func(seed int) []string {
		a := []string{"factor", input, "--rank", "2", "--method", "rnmu", "--iterations", "2", "--restarts", "1", "--init", "nested", "--seed", fmt.Sprint(seed), "--out", dir, "--force"}
		if seed%2 == 1 {
			a = append(a, "--image", "20x11")
		}
		return a
	}
	readers := [][]string{
		{"transform", dir, input},
		{"report", dir, input, "--out", filepath.Join(top, "page.html")},
		{"factor", input, "--rank", "2", "--iterations", "2", "--init", dir},
		{"factor", input, "--rank", "3", "--continue", dir},
		{"factor", input, "--rank", "2", "--iterations", "2", "--fix-v", dir},
		{"report", dir, input},
		{"resume", dir},
	}
	begun := time.Now()
	must.Do(t, command(t, args(0)...).Wait())
	whole := time.Since(begun)
	killed, replaced, half, foreign := 0, 0, 0, filepath.Join(dir, "mine")
	for seed := 1; seed <= kills; seed++ {
		before := result(t, dir).BestSeed
		begun := time.Now()
		cmd := command(t, append(args(seed), "--checkpoint-every", "1ms")...)
		switch seed % 3 {
		case 0: // any moment
			time.Sleep(rand.N(whole))
		case 1: // while files are being written
			for time.Since(begun) < 9*whole && len(staged(t, dir, "new", "*")) == 0 {
			}
			time.Sleep(rand.N(whole / 8))
		case 2: // while they take their places
			for time.Since(begun) < 9*whole && len(staged(t, dir, "old")) == 0 {
			}
			time.Sleep(rand.N(time.Millisecond))
		}
		cmd.Process.Kill()
		if cmd.Wait() != nil {
			killed++
		}
		if len(staged(t, dir, "old")) > 0 {
			half++
		}
		reader := readers[seed%len(readers)]
		if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
			reader = []string{"factor", input, "--rank", "2", "--iterations", "2", "--out", dir, "--force", "--seed", "0"}
		}
		if reader[0] != "resume" || checkpoint.Has(dir) {
			succeed(t, reader...)
		} else {
			must.Get(fileset.Open(dir, nil, "", true))(t).Close()
		}
		os.Remove(foreign)
		if err := os.Remove(filepath.Join(dir, record.NameReport)); err != nil && !errors.Is(err, fs.ErrNotExist) { // which oneResult does not expect
			t.Fatal(err)
		}
		oneResult(t, dir)
		if result(t, dir).BestSeed != before {
			replaced++
		}
		if seed%2 == 0 {
			must.Do(t, os.WriteFile(foreign, nil, 0o666))
		}
	}
	t.Logf("%d of %d were killed, %d with the files on their way, %d had replaced the result", killed, kills, half, replaced)
	if killed == 0 || replaced == 0 {
		t.Error("none was killed, or none too late")
	}
	must.Do(t, os.WriteFile(foreign, nil, 0o666))
	succeed(t, args(1)...)
	holds(t, dir, record.NameV, record.NameW, record.NameBasis, "mine", record.NameResult)
}

// staged returns what is at a path in the temporary folders in dir.
func staged(t *testing.T, dir string, path ...string) []string {
	t.Helper()
	found := must.Get(filepath.Glob(filepath.Join(append([]string{dir, ".nmu-*"}, path...)...)))(t)
	return found
}

// Two processes that write to one folder, which is not there yet, both succeed,
// and the files are those of one of them. NMU_FULL asks for more rounds.
func TestTwoProcessesNewFolder(t *testing.T) {
	input, rounds := swimmerFile(t, false), 4
	if os.Getenv("NMU_FULL") != "" {
		rounds = 10
	}
	for round := range rounds {
		dir := filepath.Join(t.TempDir(), "a", "out")
		var both []*exec.Cmd
		for seed := range 2 {
			args := []string{"factor", input, "--rank", "2", "--iterations", "2", "--restarts", "1", "--seed", fmt.Sprint(seed), "--out", dir}
			if seed == 1 {
				args = append(args, "--image", "20x11")
			}
			both = append(both, command(t, args...))
		}
		for _, cmd := range both {
			must.Equal(t, cmd.Wait(), nil, "round", round)
		}
		oneResult(t, dir)
		must.EqualSlices(t, append(names(t, filepath.Dir(dir)), staged(t, dir)...), []string{"out"}, "left behind")
	}
}

// The picture of an earlier run goes; a picture of someone else stays.
func TestOldImageGoes(t *testing.T) {
	input := swimmerFile(t, false)
	dir := filepath.Join(t.TempDir(), "out")
	args := []string{"factor", input, "--rank", "2", "--iterations", "2", "--restarts", "1", "--out", dir}
	succeed(t, append(args, "--image", "20x11")...)
	holds(t, dir, record.NameV, record.NameW, record.NameBasis, record.NameResult)
	succeed(t, args...)
	holds(t, dir, record.NameV, record.NameW, record.NameResult)
	mine := filepath.Join(dir, record.NameBasis)
	must.Do(t, os.WriteFile(mine, []byte("mine"), 0o666))
	fails(t, []string{"basis.png, which is not of an earlier run", "--force"}, args...)
	succeed(t, append(args, "--force")...)
	if text, err := os.ReadFile(mine); string(text) != "mine" {
		t.Errorf("%q, %v", text, err)
	}
}

// Factors that are not those of the result beside them are refused; without a
// result they are the user's own.
func TestStartOfTwoRuns(t *testing.T) {
	input := swimmerFile(t, false)
	dir, other := filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "other")
	for _, precision := range []string{"float32", "float64"} {
		args := []string{"factor", input, "--rank", "2", "--iterations", "2", "--precision", precision, "--force"}
		succeed(t, append(args, "--restarts", "1", "--out", dir)...)
		succeed(t, append(args, "--restarts", "1", "--seed", "1", "--out", other)...)
		for _, p := range []string{"float32", "float64"} {
			succeed(t, "factor", input, "--rank", "2", "--iterations", "2", "--init", dir, "--precision", p)
			succeed(t, "transform", dir, input, "--precision", p)
		}
		for _, c := range []struct{ name, refuses string }{{record.NameW, "factor"}, {record.NameV, "transform"}} {
			text := must.Get(os.ReadFile(filepath.Join(other, c.name)))(t)
			must.Do(t, os.WriteFile(filepath.Join(dir, c.name), text, 0o666))
			say := []string{filepath.Join(dir, c.name) + " is not that of result.json"}
			if c.refuses == "factor" {
				fails(t, say, "factor", input, "--rank", "2", "--iterations", "2", "--init", dir)
				succeed(t, "transform", dir, input)
			} else {
				fails(t, say, "transform", dir, input)
				succeed(t, "transform", filepath.Join(dir, record.NameV), input)
			}
		}
		must.Do(t, os.Remove(filepath.Join(dir, record.NameResult)))
		succeed(t, "factor", input, "--rank", "2", "--iterations", "2", "--init", dir)
	}
}

// Weights do not replace the result that holds their basis, but may join a basis of
// the user's own.
func TestTransformKeepsBasis(t *testing.T) {
	input := swimmerFile(t, false)
	dir := filepath.Join(t.TempDir(), "out")
	succeed(t, "factor", input, "--rank", "2", "--iterations", "2", "--restarts", "1", "--out", dir)
	for _, basis := range []string{dir, filepath.Join(dir, record.NameV)} {
		fails(t, []string{"--out: " + dir, "holds the basis"}, "transform", basis, input, "--out", dir)
	}
	oneResult(t, dir)
	must.Do(t, os.Remove(filepath.Join(dir, record.NameResult)))
	basis := filepath.Join(dir, record.NameV)
	fails(t, []string{dir + " holds no result.json", "choose " + basis}, "transform", dir, input)
	fails(t, []string{"V.npy, which is not of an earlier run", "--force"}, "transform", basis, input, "--out", dir)
	succeed(t, "transform", basis, input, "--out", dir, "--force")
	holds(t, dir, record.NameV, record.NameW, record.NameResult)
}
