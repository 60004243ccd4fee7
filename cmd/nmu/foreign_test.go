package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"nmu/internal/must"
	"nmu/internal/record"
)

// hostile is a result folder, in a folder of its own, with files of others beside it.
type hostile struct{ top, dir, input string }

const precious = "precious\n"

// newHostile makes one of a run.
func newHostile(t *testing.T) hostile {
	t.Helper()
	h := hostile{top: t.TempDir(), input: swimmerFile(t, false)}
	h.dir = filepath.Join(h.top, "run")
	succeed(t, "factor", h.input, "--rank", "2", "--method", "rnmu", "--iterations", "2", "--init", "svd", "--out", h.dir)
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
	if must.Do(t, os.MkdirAll(dir, 0o777)); file {
		write(t, path, text)
	}
}

// unharmed fails the test unless the file beside the folder holds what it did, and
// nothing was planted.
func (h hostile) unharmed(t *testing.T, args []string) {
	t.Helper()
	if text, err := os.ReadFile(filepath.Join(h.top, "victim")); string(text) != precious {
		t.Errorf("nmu %s: the file beside the folder holds %q, %v", strings.Join(args, " "), text, err)
	}
	must.Refuse(os.Lstat(filepath.Join(h.dir, "planted.html")))(t, fs.ErrNotExist, "", "nmu", strings.Join(args, " "), "planted.html is in the folder")
}

// commands are those that read a result, and those that write to its folder.
func (h hostile) commands() (reading, writing [][]string) {
	reading = [][]string{
		{"report", h.dir, h.input, "--out", filepath.Join(h.top, "r.html")},
		{"transform", h.dir, h.input},
		{"factor", h.input, "--rank", "2", "--iterations", "2", "--init", h.dir},
		{"factor", h.input, "--rank", "3", "--continue", h.dir},
		{"factor", h.input, "--rank", "2", "--iterations", "2", "--fix-v", h.dir},
	}
	return reading, [][]string{
		{"report", h.dir, h.input},
		{"factor", h.input, "--rank", "2", "--iterations", "2", "--restarts", "1", "--out", h.dir, "--force"},
	}
}

// What a killed command has left in a folder, or who may write there has planted, harms nothing of others:
// a set is completed by any command that reads or writes, what is in the way stays and is named, and what
// another user has put there does not count.
func TestTemporaryFolders(t *testing.T) {
	move := func(t *testing.T, from, to string, names ...string) {
		for _, name := range names {
			must.Do(t, os.Rename(filepath.Join(from, name), filepath.Join(to, name)))
		}
	}
	for name, c := range map[string]struct {
		plant  func(t *testing.T, h hostile)
		refuse bool // what writes
		iters  int  // of the result that is read
	}{
		"half a set": {func(t *testing.T, h hostile) {
			next := filepath.Join(h.top, "next")
			succeed(t, "factor", h.input, "--rank", "2", "--method", "rnmu", "--iterations", "3", "--init", "svd", "--out", next)
			h.plant(t, "run/.nmu-0abc/old/", "")
			move(t, h.dir, filepath.Join(h.dir, ".nmu-0abc", "old"), record.NameV, record.NameW, record.NameResult)
			move(t, next, h.dir, record.NameV) // it is in its place, the others are not
			h.plant(t, "run/.nmu-0abc/ready/", "")
			move(t, next, filepath.Join(h.dir, ".nmu-0abc", "ready"), record.NameW, record.NameResult)
		}, false, 3},
		"in the way": {func(t *testing.T, h hostile) { h.plant(t, "run/.nmu-0abc/ready/V.npy", "planted") }, true, 2},
		"another user": {func(t *testing.T, h hostile) {
			for dir, mode := range map[string]fs.FileMode{filepath.Dir(h.top): 0o755, h.top: 0o777 | fs.ModeSticky, h.dir: 0o777 | fs.ModeSticky} {
				must.Do(t, os.Chmod(dir, mode))
			}
			asAnother(t, h.top, "mkdir -p run/.nmu-0abc/ready run/.nmu-0abc/old; echo planted >run/.nmu-0abc/ready/planted.html; chmod -R a+rwX run/.nmu-0abc")
		}, false, 2},
	} {
		t.Run(name, func(t *testing.T) {
			reading, writing := hostile{}.commands()
			for i := range len(reading) + len(writing) {
				h := newHostile(t)
				c.plant(t, h)
				reading, writing := h.commands()
				if args := append(reading, writing...)[i]; i >= len(reading) && c.refuse {
					fails(t, []string{filepath.Join(h.dir, ".nmu-0abc"), "remove that folder"}, args...)
				} else {
					succeed(t, args...)
				}
				if i < len(reading) || c.refuse {
					if oneResult(t, h.dir); result(t, h.dir).Settings.Iterations != c.iters {
						t.Errorf("command %d reads another result", i)
					}
				}
				h.unharmed(t, append(reading, writing...)[i])
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
