package fileset

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// crashEnv makes this test binary a process that writes to a folder and is gone at a step: FOLDER, JOB, STEP.
const crashEnv = "NMU_TEST_CRASH"

func TestMain(m *testing.M) {
	syncFile = func(*os.File) error { return nil } // no test cuts the power, and the disk is slow
	if asked := strings.Split(os.Getenv(crashEnv), "\n"); len(asked) == 3 {
		left, err := strconv.Atoi(asked[2])
		atEveryStep(func(string) error {
			if left--; left < 0 {
				os.Exit(9) // no deferred call runs
			}
			return nil
		})
		if err == nil {
			err = jobs[asked[1]].run(asked[0])
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// atEveryStep calls before ahead of every call that moves, removes or syncs a file, which fails with its
// error, and returns a function that ends this.
func atEveryStep(before func(path string) error) (restore func()) {
	oldRename, oldRemove, oldSync := rename, removeAll, syncFile
	rename = func(root *os.Root, from, to string) error {
		if err := before(to); err != nil {
			return &os.LinkError{Op: "renameat", Old: from, New: to, Err: err}
		}
		return oldRename(root, from, to)
	}
	removeAll = func(root *os.Root, path string) error {
		if err := before(path); err != nil {
			return err
		}
		return oldRemove(root, path)
	}
	syncFile = func(f *os.File) error {
		if err := before(f.Name()); err != nil {
			return &fs.PathError{Op: "sync", Path: f.Name(), Err: err}
		}
		return oldSync(f)
	}
	return func() { rename, removeAll, syncFile = oldRename, oldRemove, oldSync }
}

// job changes the folder of earlier: what that holds afterwards, and how many steps it has at least.
type job struct {
	run   func(dir string) error
	fresh string
	steps int
}

var jobs = map[string]job{
	"Write": {func(dir string) error { return write(dir, "new", "v", "w", "record.json") }, "mine: own, record.json: new, v: new, w: new", 20},
	"Add":   {func(dir string) error { return in(dir, func(f *Folder) error { return f.Add(set("new", "page")[0]) }) }, "image: old, mine: own, page: new, record.json: old, v: old, w: old", 12},
	"Replace": {func(dir string) error {
		return in(dir, func(f *Folder) error { return f.Replace("mine", text("mine new")) })
	}, "image: old, mine: new, record.json: old, v: old, w: old", 6},
}

const old = "image: old, mine: own, record.json: old, v: old, w: old"

// earlier makes a folder out with an earlier set and a file of someone else.
func earlier(t testing.TB) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "out")
	if err := write(dir, "old", "v", "w", "image", "record.json"); err != nil {
		t.Fatal(err)
	}
	plant(t, dir, map[string]string{"mine": "mine own"})
	return dir
}

// Whatever happens at any step of a job, files of two sets are never beside each other, and the next command
// that reads or writes finds the old set or the new one: the new one unless there was an error.
func TestFaultAtEveryStep(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Skipf("NOT TESTED: a process of its own cannot be used on this machine: %v", err)
	}
	killed := func(dir, job string, step int) (bool, error) {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s\n%s\n%d", crashEnv, dir, job, step))
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOEXEC) {
			t.Skipf("NOT TESTED: a process of its own cannot be used on this machine: %v", err)
		} else if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 9) {
			t.Fatalf("%v, %s", err, out)
		}
		return err != nil, err
	}
	fails := func(dir, job string, step int, forever bool) (hit bool, err error) {
		n := -1
		restore := atEveryStep(func(string) error {
			if n++; n == step || n > step && forever {
				hit = true
				return syscall.ENOSPC
			}
			return nil
		})
		defer restore()
		t.Chdir(filepath.Dir(dir))
		if err = jobs[job].run("out"); err != nil && (!strings.Contains(err.Error(), "out") || !strings.Contains(err.Error(), "half") && (!errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), prefix) || strings.Contains(err.Error(), dir))) {
			t.Errorf("%s, step %d: error %v", job, step, err)
		}
		return hit, err
	}
	writes := func(dir string) error { return in(dir, func(*Folder) error { return nil }) }
	reads := func(dir string) error { return Read(dir, func() error { return nil }) }
	for name, c := range map[string]struct {
		fault func(dir, job string, step int) (hit bool, err error)
		next  func(dir string) error
	}{
		"killed, then a reader": {killed, reads},
		"killed, then a writer": {killed, writes},
		"killed twice": {func(dir, job string, step int) (bool, error) {
			hit, err := killed(dir, job, step)
			killed(dir, job, 1)
			return hit, err
		}, writes},
		"fails":         {func(dir, job string, step int) (bool, error) { return fails(dir, job, step, false) }, reads},
		"fails forever": {func(dir, job string, step int) (bool, error) { return fails(dir, job, step, true) }, writes},
	} {
		for job, j := range jobs {
			for step, hit, seen := 0, true, map[string]bool{}; hit; step++ {
				dir := earlier(t)
				var err error
				hit, err = c.fault(dir, job, step)
				if s := held(t, dir); job == "Write" && strings.Contains(s, ": old") && strings.Contains(s, ": new") {
					t.Errorf("%s, %s: %q", job, name, s)
				}
				if err := c.next(dir); err != nil {
					t.Errorf("%s, %s: %v", job, name, err)
				}
				got := held(t, dir)
				if seen[got] = true; got != j.fresh && (got != old || err == nil) {
					t.Errorf("%s, %s: %q, after %v", job, name, got, err)
				}
				if is(t, filepath.Dir(dir), "out"); t.Failed() {
					t.Fatalf("at step %d", step)
				}
				if !hit && (step < j.steps || len(seen) != 2) {
					t.Errorf("%s, %s: %d steps, seen %v", job, name, step, seen)
				}
			}
		}
	}
}

// Someone who may write to the folder puts a link in the place of the temporary folder, at every step.
// Nothing changes where the link leads.
func TestTemporaryFolderSwappedAtEveryStep(t *testing.T) {
	for step, n := 0, 0; n >= step; step++ {
		dir, victim := earlier(t), t.TempDir()
		for _, sub := range []string{"", "new/", "old/", "ready/"} {
			plant(t, victim, map[string]string{sub + "v": "mine", sub + "w": "mine", sub + "record.json": "mine"})
		}
		before := tree(t, victim)
		n = 0
		restore := atEveryStep(func(string) error {
			if n++; n == step+1 {
				staged, _ := filepath.Glob(filepath.Join(dir, prefix+"*"))
				for i, path := range staged {
					if os.Rename(path, filepath.Join(dir, fmt.Sprint("taken-", i))) == nil {
						os.Symlink(victim, path)
					}
				}
			}
			return nil
		})
		jobs["Write"].run(dir) // with an error or without
		restore()
		if after := tree(t, victim); after != before {
			t.Fatalf("step %d: there was\n%sand is now\n%s", step, before, after)
		}
	}
}

// A temporary folder that a killed process left, or that came with the folder, changes nothing outside of
// it, and no file there. What nobody needs goes. What is in the way is named, and stays.
func TestPlantedTemporaryFolder(t *testing.T) {
	for name, c := range map[string]struct {
		files   map[string]string
		want    string // after a reader
		refused bool
	}{
		"empty":             {map[string]string{".nmu-00ab/": ""}, old, false},
		"not complete":      {map[string]string{".nmu-00ab/new/v": "v new", ".nmu-123456789/new/": ""}, old, false},
		"ready":             {map[string]string{".nmu-00ab/ready/page": "page new", ".nmu-00ab/old/v": "v older"}, "image: old, mine: own, page: new, record.json: old, v: old, w: old", false},
		"not away":          {map[string]string{".nmu-00ab/new/page": "page new", ".nmu-00ab/old/page": "page old"}, "image: old, mine: own, page: old, record.json: old, v: old, w: old", false},
		"in the way":        {map[string]string{".nmu-00ab/ready/mine": "x"}, ".nmu-00ab, " + old, true},
		"old in the way":    {map[string]string{".nmu-00ab/old/v": "v x", ".nmu-00ab/new/v": "v y"}, ".nmu-00ab, " + old, true},
		"ready is a link":   {map[string]string{".nmu-00ab/ready": "-> ../../elsewhere/new"}, old, false},
		"a link inside":     {map[string]string{".nmu-00ab/ready": "-> ../sub", "sub/x": "x"}, strings.Replace(old, "v:", "sub, v:", 1), false},
		"old is a link":     {map[string]string{".nmu-00ab/old": "-> ../../elsewhere/new", ".nmu-00ab/new/": ""}, old, false},
		"stage is a link":   {map[string]string{".nmu-00ab": "-> ../elsewhere"}, ".nmu-00ab, " + old, false},
		"no temporary":      {map[string]string{".nmu-other/new/v": "x", ".nmu-": "x", ".nmu-00ff/mine": "x"}, ".nmu-: x, .nmu-00ff, .nmu-other, " + old, false},
		"a file of a state": {map[string]string{".nmu-checkpoint": "x"}, ".nmu-checkpoint: x, " + old, false},
	} {
		dir := earlier(t)
		top := filepath.Dir(dir)
		plant(t, top, map[string]string{"victim": "mine own", "elsewhere/new/planted": "x", "elsewhere/ready/planted": "x"})
		plant(t, dir, c.files)
		before := tree(t, filepath.Join(top, "elsewhere"))
		for _, failed := range []error{nil, fs.ErrNotExist} {
			if err := Read(dir, func() error { return failed }); !errors.Is(err, failed) || failed != nil && c.refused != strings.Contains(err.Error(), "half in its place") {
				t.Errorf("%s: Read: %v", name, err)
			}
		}
		is(t, dir, c.want)
		if err := jobs["Write"].run(dir); (err != nil) != c.refused || err != nil && !strings.Contains(err.Error(), filepath.Join(dir, ".nmu-00ab")) {
			t.Errorf("%s: Write: %v", name, err)
		}
		if c.refused {
			is(t, dir, c.want)
		}
		if is(t, top, "elsewhere, out, victim: mine own"); before != tree(t, filepath.Join(top, "elsewhere")) {
			t.Errorf("%s: elsewhere is another folder now", name)
		}
		if t.Failed() {
			t.Fatal(name)
		}
	}
}

// sum returns the SHA-256 of a text, in hexadecimal.
func sum(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }
