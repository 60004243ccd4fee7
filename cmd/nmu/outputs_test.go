package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"nmu/internal/checkpoint"
	"nmu/internal/matio"
	"nmu/internal/must"
	"nmu/internal/record"
)

// No command replaces a file of someone else without --force, whatever output of it has its name. With
// --force a link is replaced, not written through.
func TestOutputsAndForeignFiles(t *testing.T) {
	input := swimmerFile(t, false)
	run := filepath.Join(t.TempDir(), "run")
	succeed(t, "factor", input, "--rank", "2", "--iterations", "2", "--restarts", "1", "--out", run)
	parts := filepath.Join(t.TempDir(), "parts")
	succeed(t, "factor", input, "--rank", "2", "--iterations", "2", "--restarts", "1", "--method", "nmf", "--out", parts)
	const out = "OUT"
	untried := map[string]bool{}
	for _, cmd := range rootCommand().Commands() {
		untried[cmd.Name()] = cmd.Flags().Lookup("out") != nil || cmd.Flags().Lookup("force") != nil
	}
	for _, c := range []struct {
		line []string // OUT is the folder
		only string   // the output to try, or all
	}{
		{[]string{"factor", input, "--rank", "2", "--iterations", "2", "--restarts", "1", "--method", "kl", "--scale", "topics", "--write", "csv,mat,envi", "--image", "20x11", "--map", "16x16", "--report", "--out", out}, ""},
		{[]string{"factor", input, "--continue", parts, "--iterations", "2", "--out", out}, ""},
		{[]string{"transform", run, input, "--write", "csv,mat", "--out", out}, ""},
		{[]string{"consensus", input, "--ranks", "2", "--runs", "2", "--iterations", "2", "--out", out}, ""},
		{[]string{"rank", input, "--ranks", "1:2", "--iterations", "2", "--folds", "1", "--out", out}, ""},
		{[]string{"report", run, "--out", out + "/page.html"}, ""},
		{[]string{"convert", input, out + "/m.npy"}, ""},
		{[]string{"convert", input, out + "/m.npy", "--order", "columns"}, ""},
		{[]string{"convert", input, out + "/m.sli"}, ""},
		{[]string{"convert", input, out}, ""},
		{[]string{"man", out}, "nmu-factor.1"},
		{[]string{"demo", "--out", out}, "nmf.png"},
	} {
		args := func(dir string, more ...string) (line []string) {
			for _, word := range append(slices.Clone(c.line), more...) {
				line = append(line, strings.Replace(word, out, dir, 1))
			}
			return line
		}
		untried[c.line[0]] = false
		outputs := []string{c.only}
		if c.only == "" {
			dir := t.TempDir()
			succeed(t, args(dir)...)
			if outputs = names(t, dir); len(outputs) == 0 {
				t.Fatalf("nmu %v writes nothing", c.line)
			}
		}
		for i, name := range outputs {
			for _, link := range []bool{false, true} {
				if link && runtime.GOOS == "windows" {
					continue
				}
				top := t.TempDir()
				dir := filepath.Join(top, "dir")
				foreign := filepath.Join(dir, name)
				must.Do(t, os.Mkdir(dir, 0o777))
				if link {
					foreign = filepath.Join(top, "victim")
					must.Do(t, os.Symlink(foreign, filepath.Join(dir, name)))
				}
				must.Do(t, os.WriteFile(foreign, []byte("mine"), 0o600))
				if status, _, stderr := nmu(args(dir)...); status == 0 || !strings.Contains(stderr, "--force") || !strings.Contains(stderr, name) && !strings.Contains(stderr, dir+" is there") {
					t.Errorf("%s, link %v: nmu %v: status %d, %s", name, link, c.line, status, stderr)
				}
				must.Equal(t, string(must.Get(os.ReadFile(foreign))(t)), "mine", name, "link", link, "nmu", c.line, "the file holds")
				if i > 0 || c.line[0] == "demo" { // which takes a while
					continue
				}
				succeed(t, args(dir, "--force")...)
				text, err := os.ReadFile(foreign)
				if err != nil || (string(text) == "mine") != link {
					t.Errorf("%s, link %v: nmu %v --force: the file holds %.20q, %v", name, link, c.line, text, err)
				}
				if info, err := os.Stat(foreign); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o600) {
					t.Errorf("%s, link %v: nmu %v --force: the file has mode %v, %v", name, link, c.line, info.Mode(), err)
				}
			}
		}
	}
	for name, left := range untried {
		if left {
			t.Errorf("nmu %s writes files and is not in the table", name)
		}
	}
	// The page in the folder of the run.
	page := filepath.Join(run, record.NameReport)
	must.Do(t, os.WriteFile(page, []byte("mine"), 0o666))
	fails(t, []string{record.NameReport, "no page of nmu report", "--force"}, "report", run)
	succeed(t, "report", run, "--force")
	succeed(t, "report", run) // its own page
}

// launched starts the command with its errors in stderr.
func launched(t *testing.T, stderr *bytes.Buffer, args ...string) *exec.Cmd {
	t.Helper()
	return launch(t, &exec.Cmd{Args: append([]string{"nmu"}, args...), Stderr: stderr})
}

// Of two runs that go on from the result in a folder and replace it, the one that ends last writes
// nothing and says why: the result that it began with is no longer there.
func TestTwoRunsGoOnFromOneResult(t *testing.T) {
	t.Chdir(t.TempDir())
	stream(t, 12, 10, 3)
	begin := strings.Fields("factor 0.npy --rank 2 --restarts 1 --iterations 5 --init nested --method nmf --out")
	for _, how := range []string{
		"factor 0.npy --rank 2 --method nmf --init dir", "factor 0.npy --rank 2 --method nmf --fix-v dir/V.npy", "resume dir",
	} {
		os.RemoveAll("dir")
		if succeed(t, append(begin, "dir")...); how == "resume dir" {
			stopped(t, ".", "dir", strings.Fields("--force 0.npy --rank 2 --method nmf --iterations 1000000000")...)
		} else {
			how += " --restarts 1 --iterations 1000000000 --out dir"
		}
		before, _ := os.Stat(filepath.Join("dir", checkpoint.Name))
		var stderr bytes.Buffer
		cmd := launched(t, &stderr, append(strings.Fields(how), "--checkpoint-every", "1ms")...)
		ended := ending(cmd)
		for now := before; (now == nil || os.SameFile(before, now)) && len(ended) == 0; now, _ = os.Stat(filepath.Join("dir", checkpoint.Name)) { // then it has read the result
		}
		if how == "resume dir" {
			succeed(t, "resume", "dir", "--time-limit", "1ms")
		} else {
			succeed(t, append(begin, "dir", "--seed", "7", "--force")...)
		}
		want := result(t, "dir")
		if err := cmd.Process.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
			cmd.Process.Kill()
			t.Skipf("NOT TESTED: no process can be interrupted here: %v", err)
		}
		<-ended
		if said := stderr.String(); !strings.Contains(said, "another command has changed "+filepath.Join("dir", record.NameResult)) || !strings.Contains(said, "nothing is written") || result(t, "dir").SHA256V != want.SHA256V {
			t.Errorf("%v: %s", how, said)
		}
	}
	succeed(t, append(begin, "parts")...)
	succeed(t, "factor", "0.npy", "--continue", "parts", "--out", "sums")
	refused := 0
	for round := 0; round < 20 && refused == 0; round++ {
		before, after := result(t, "sums").Past, 0
		var said [2]bytes.Buffer
		for _, cmd := range []*exec.Cmd{
			launched(t, &said[0], "factor", "1.npy", "--continue", "sums", "--out", "sums", "--iterations", "2000"),
			launched(t, &said[1], "factor", "2.npy", "--continue", "sums", "--out", "sums", "--iterations", "2000"),
		} {
			if cmd.Wait() == nil {
				after += 10
			} else {
				refused++
			}
		}
		for i := range said {
			if s := said[i].String(); s != "" && !strings.Contains(s, "another command has changed") && strings.Contains(s, "nmu: --") {
				t.Error(s)
			}
		}
		if past := result(t, "sums").Past; past != before+after {
			t.Fatalf("round %d: %d columns became %d, and commands for %d ended well", round, before, past, after)
		}
	}
	if refused == 0 {
		t.Log("the updates never met")
	}
}

// A spectral library that a killed command has left half in its place is never read as a raster with
// the header of another, and is completed by the command that reads it. So are a sparse matrix and the cube of a result.
func TestReaderOfHalfMatrix(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, rows := range map[string]int{"old.npy": 4, "new.npy": 6} {
		writeMatrix(t, name, entries(rows, 3, func(i int) float64 { return float64(i%5 + 1) }))
	}
	for _, c := range []struct{ out, read string }{{"m.sli", "m.sli"}, {"m.sli", "m.hdr"}, {"", "."}} {
		for placed := 0; ; placed++ {
			dir, fresh := t.TempDir(), t.TempDir()
			for input, to := range map[string]string{"old.npy": dir, "new.npy": fresh} {
				succeed(t, "convert", input, filepath.Join(to, c.out))
			}
			files := names(t, dir)
			stage := filepath.Join(dir, ".nmu-0abc")
			for _, sub := range []string{"old", "ready"} {
				must.Do(t, os.MkdirAll(filepath.Join(stage, sub), 0o777))
			}
			for i, name := range files {
				to := filepath.Join(stage, "ready", name)
				if i < placed {
					to = filepath.Join(dir, name)
				}
				must.Do(t, os.Rename(filepath.Join(dir, name), filepath.Join(stage, "old", name)))
				must.Do(t, os.Rename(filepath.Join(fresh, name), to))
			}
			file := must.Get(matio.Open(filepath.Join(dir, c.read), matio.Options{}))(t, c, placed, "of", files)
			if rows, cols := file.Dims(); rows != 6 || cols != 3 {
				t.Errorf("%v, %d of %v: read as %d x %d", c, placed, files, rows, cols)
			}
			file.Close()
			if placed == len(files) {
				break
			}
		}
	}
}

// Errors of --out name the folder, not a temporary file in it.
func TestOutErrorNamesTheFolder(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("NOT TESTED: no folder is known that nobody can write to")
	}
	input := swimmerFile(t, false)
	for _, args := range [][]string{
		{"factor", input, "--rank", "2", "--iterations", "2", "--force", "--out", "/proc/self"}, {"rank", input, "--ranks", "1:2", "--force", "--out", "/proc/self"},
		{"convert", input, "/proc/self/m.sli"}, {"man", "/proc/self"},
	} {
		_, _, stderr := nmu(args...)
		if strings.Contains(stderr, ".nmu-") || !strings.Contains(stderr, "/proc/") {
			t.Errorf("nmu %v: %s", args, stderr)
		}
	}
}
