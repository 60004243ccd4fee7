package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nmu/cmd/internal/checkpoint"
	"nmu/cmd/internal/record"
)

// hostile is a result folder, in a folder of its own, with files of others beside it.
type hostile struct{ top, dir, input string }

const precious = "precious\n"

// newHostile makes one of a run.
func newHostile(t *testing.T) hostile {
	t.Helper()
	h := hostile{top: t.TempDir(), input: swimmerFile(t, false)}
	h.dir = filepath.Join(h.top, "run")
	succeed(t, "factor", h.input, "--rank", "2", "--iters", "2", "--init", "svd", "--out", h.dir)
	h.plant(t, "victim", precious)
	return h
}

// plant makes a file, with the folders that it is in, or only these if it ends in a
// slash.
func (h hostile) plant(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(h.top, filepath.FromSlash(name))
	dir, file := path, !strings.HasSuffix(name, "/")
	if file {
		dir = filepath.Dir(path)
	}
	err := os.MkdirAll(dir, 0o777)
	if err == nil && file {
		err = os.WriteFile(path, []byte(text), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// unharmed fails the test unless the file beside the folder holds what it did, and
// nothing was planted.
func (h hostile) unharmed(t *testing.T, args []string) {
	t.Helper()
	if text, err := os.ReadFile(filepath.Join(h.top, "victim")); string(text) != precious {
		t.Errorf("nmu %s: the file beside the folder holds %q, %v", strings.Join(args, " "), text, err)
	}
	if _, err := os.Lstat(filepath.Join(h.dir, "planted.html")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nmu %s: planted.html is in the folder: %v", strings.Join(args, " "), err)
	}
}

// commands are those that read a result, and those that write to its folder.
func (h hostile) commands() (reading, writing [][]string) {
	reading = [][]string{
		{"report", h.dir, h.input, "--out", filepath.Join(h.top, "r.html")},
		{"transform", h.dir, h.input},
		{"factor", h.input, "--rank", "2", "--iters", "2", "--init", h.dir},
		{"factor", h.input, "--rank", "3", "--continue", h.dir},
		{"factor", h.input, "--rank", "2", "--iters", "2", "--fix-v", h.dir},
	}
	return reading, [][]string{
		{"report", h.dir, h.input},
		{"factor", h.input, "--rank", "2", "--iters", "2", "--restarts", "1", "--out", h.dir, "--force"},
	}
}

// A journal that came with a result folder changes nothing outside of it, and replaces no file there that
// is not what it says: what reads passes it over, what writes refuses it and says where it is.
func TestPlantedJournal(t *testing.T) {
	gone := fmt.Sprintf("%x", sha256.Sum256([]byte(precious)))
	for _, journal := range []string{
		`{"Old":{"../victim":"` + gone + `"},"Last":"result.json"}`,
		`{"Old":{"V.npy":"` + gone + `"},"Last":"result.json"}`,
	} {
		h := newHostile(t)
		h.plant(t, "run/.nmu-0abc/new/V.npy", "planted")
		h.plant(t, "run/.nmu-0abc/old/", "")
		h.plant(t, "run/.nmu-0abc/commit", journal)
		reading, writing := h.commands()
		for _, args := range reading {
			succeed(t, args...)
			h.unharmed(t, args)
		}
		for _, args := range writing {
			fails(t, []string{filepath.Join(h.dir, ".nmu-0abc"), "remove that folder"}, args...)
			h.unharmed(t, args)
		}
		oneResult(t, h.dir)
	}
}

// What another user has planted in a folder with a sticky bit, where anyone may put
// files, is not followed: a journal beside the result folder, and those in it.
func TestPlantedByAnotherUser(t *testing.T) {
	h := newHostile(t)
	h.open(t)
	asAnother(t, h.top, `
mkdir -p run/.nmu-0abc/new run/.nmu-0abc/old
echo planted >run/.nmu-0abc/new/planted.html
echo '{"Old":{},"Last":"result.json"}' >run/.nmu-0abc/commit
chmod -R a+rwX run/.nmu-0abc`)
	reading, writing := h.commands()
	for _, args := range append(reading, writing...) {
		succeed(t, args...)
		h.unharmed(t, args)
	}
}

// open lets every user put files into the folder and beside it.
func (h hostile) open(t *testing.T) {
	t.Helper()
	for dir, mode := range map[string]fs.FileMode{filepath.Dir(h.top): 0o755, h.top: 0o777 | fs.ModeSticky, h.dir: 0o777 | fs.ModeSticky} {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
	}
}

// A link under the name of the next checkpoint, whoever has made it, is not written
// through.
func TestResumeFollowsNoLink(t *testing.T) {
	for _, planter := range []string{"this user", "another user"} {
		t.Run(planter, func(t *testing.T) {
			h := newHostile(t)
			stopped(t, h.top, "run", h.input, "--rank", "3", "--method", "nmf", "--iters", "1000000000")
			next := filepath.Join(h.dir, checkpoint.Name+"-new")
			if err := os.Remove(next); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			if planter == "this user" {
				if err := os.Symlink("../victim", next); err != nil {
					t.Skipf("NOT TESTED: links cannot be used on this machine by this user: %v", err)
				}
			} else {
				h.open(t)
				asAnother(t, h.dir, "ln -s ../victim .nmu-checkpoint-new")
			}
			args := []string{"resume", h.dir, "--checkpoint", "1ms", "--quiet"}
			before, err := os.Stat(filepath.Join(h.dir, checkpoint.Name))
			if err != nil {
				t.Fatal(err)
			}
			cmd := started(t, h.top, args...)
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			for {
				now, err := os.Stat(filepath.Join(h.dir, checkpoint.Name))
				if err == nil && !os.SameFile(before, now) {
					break
				}
				select {
				case err := <-ended:
					t.Fatalf("the run has ended: %v, %s", err, cmd.Stderr)
				case <-time.After(time.Millisecond):
				}
			}
			cmd.Process.Kill()
			<-ended
			h.unharmed(t, args)
			if info, err := os.Lstat(next); err == nil && !info.Mode().IsRegular() {
				t.Error("no checkpoint was written")
			}
		})
	}
}

// asAnother runs a shell script in a folder as another user.
func asAnother(t *testing.T, dir, script string) {
	t.Helper()
	cmd, err := anotherUser(script)
	if err != nil {
		t.Skipf("NOT TESTED: another user cannot be used on this machine: %v", err)
	}
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			t.Skipf("NOT TESTED: another user cannot be used on this machine: %v", err)
		}
		t.Fatalf("%v: %s", err, out)
	}
}

// A set that a killed command has left half in its place is completed by the next command that reads it.
func TestReaderOfHalfSet(t *testing.T) {
	reading, _ := hostile{}.commands()
	for i := range reading {
		h := newHostile(t)
		next := filepath.Join(h.top, "next")
		succeed(t, "factor", h.input, "--rank", "2", "--iters", "3", "--init", "svd", "--out", next)
		h.plant(t, "run/.nmu-0abc/old/", "")
		for _, name := range []string{record.NameV, record.NameW, record.NameResult} {
			if err := os.Rename(filepath.Join(h.dir, name), filepath.Join(h.dir, ".nmu-0abc", "old", name)); err != nil {
				t.Fatal(err)
			}
			to := "run/.nmu-0abc/new/" + name
			if name == record.NameV {
				to = "run/" + name // it is in its place, the others are not
			}
			h.plant(t, to, readText(t, filepath.Join(next, name)))
		}
		h.plant(t, "run/.nmu-0abc/commit", `{"Old":{"V.npy":"","W.npy":"","result.json":""},"Last":"result.json"}`)
		reading, _ := h.commands()
		succeed(t, reading[i]...)
		oneResult(t, h.dir)
		if result(t, h.dir).Iterations != 3 {
			t.Errorf("nmu %s reads another result", reading[i][0])
		}
	}
}
