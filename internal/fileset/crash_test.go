package fileset

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"nmu/internal/must"
)

// crashEnv makes this test binary a process that writes to a folder and is gone at a step: FOLDER, JOB, STEP.
const crashEnv = "NMU_TEST_CRASH"

func TestMain(m *testing.M) {
	syncFile = func(*os.File) error { return nil } // no test cuts the power, and the disk is slow
	if asked := strings.Split(os.Getenv(crashEnv), "\n"); len(asked) == 3 {
		step, _ := strconv.Atoi(asked[2])
		atEveryStep(func(n int) error {
			if n == step {
				os.Exit(9) // no deferred call runs
			}
			return nil
		})
		if err := jobs[asked[1]].run(asked[0]); err != nil {
			panic(err)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// atEveryStep calls before with 0, 1, ... ahead of the calls that move, remove or sync a file, which fail
// with its error, and returns a function that ends this.
func atEveryStep(before func(n int) error) (restore func()) {
	oldRename, oldRemove, oldSync, n := rename, removeAll, syncFile, -1
	next := func() error { n++; return before(n) }
	rename = func(root *os.Root, from, to string) error {
		if err := next(); err != nil {
			return &os.LinkError{Op: "renameat", Old: from, New: to, Err: err}
		}
		return oldRename(root, from, to)
	}
	removeAll = func(root *os.Root, path string) error {
		if err := next(); err != nil {
			return err
		}
		return oldRemove(root, path)
	}
	syncFile = func(f *os.File) error {
		if err := next(); err != nil {
			return &fs.PathError{Op: "sync", Path: f.Name(), Err: err}
		}
		return oldSync(f)
	}
	return func() { rename, removeAll, syncFile = oldRename, oldRemove, oldSync }
}

// job changes the folder of earlier, which then holds fresh.
type job struct {
	do    func(f *Folder) error
	fresh string
}

func (j job) run(dir string) error { return in(dir, j.do) }

const (
	old    = ".nmu-x: own, image: old, mine: own, record.json: old, v: old, w: old"
	paged  = ".nmu-x: own, image: old, mine: own, page: new, record.json: old, v: old, w: old"
	fresh  = ".nmu-x: own, mine: own, record.json: new, v: new, w: new"
	placed = ".nmu-x: new, image: old, mine: own, record.json: old, v: old, w: old"
)

var jobs = map[string]job{
	"Write":   {func(f *Folder) error { _, _, err := f.Write(set("new", "v", "w", "record.json")); return err }, fresh},
	"Add":     {func(f *Folder) error { return f.Add(set("new", "page")[0]) }, paged},
	"Replace": {func(f *Folder) error { return f.Replace(".nmu-x", text(".nmu-x new")) }, placed},
}

// earlier makes a folder out with an earlier set, a checkpoint and a file of someone else.
func earlier(t testing.TB) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "out")
	must.Do(t, write(dir, "old", "v", "w", "image", "record.json"))
	plant(t, dir, map[string]string{"mine": "mine own", ".nmu-x": ".nmu-x own"})
	return dir
}

// Each job syncs the folder after the last file has taken its place. One that fails to write its file says so and
// changes nothing, and Discard removes what Replace has written, also if it is not there.
func TestPlacesAreSynced(t *testing.T) {
	for name, j := range jobs {
		dir, last := earlier(t), ""
		oldRename, oldSync := rename, syncFile
		rename = func(root *os.Root, from, to string) error { last = to; return oldRename(root, from, to) }
		syncFile = func(f *os.File) error { last = ""; return oldSync(f) }
		err := j.run(dir)
		rename, syncFile = oldRename, oldSync
		if must.Do(t, err, name); last != "" {
			t.Errorf("%s: no sync after %s has taken its place", name, last)
		}
	}
	dir, failed := earlier(t), errors.New("no space")
	for name, do := range map[string]func(f *Folder) error{
		"Replace": func(f *Folder) error { return f.Replace(".nmu-x", func(io.Writer) error { return failed }) },
		"Add":     func(f *Folder) error { return f.Add(File{"page", func(io.Writer) error { return failed }}) },
	} {
		must.Fail(t, in(dir, do), failed, "", name, "error")
		is(t, dir, old)
	}
	for range 2 {
		must.Do(t, in(dir, func(f *Folder) error { return f.Discard(".nmu-x") }))
		is(t, dir, strings.TrimPrefix(old, ".nmu-x: own, "))
	}
}

// Whatever happens at any step of a job, files of two sets are never beside each other, nor is a record beside
// a part of its set. The next command that reads or writes finds the old set or the new one: the new one
// unless there was an error. A link in the place of the temporary folder changes nothing where it leads.
func TestFaultAtEveryStep(t *testing.T) {
	killed := func(dir, job string, step int) (bool, error) {
		cmd := exec.Command(os.Args[0])
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
		defer atEveryStep(func(n int) error {
			if n == step || n > step && forever {
				hit = true
				return syscall.ENOSPC
			}
			return nil
		})()
		t.Chdir(filepath.Dir(dir))
		if err = jobs[job].run("out"); err != nil && (!strings.Contains(err.Error(), "out") || !strings.Contains(err.Error(), "half") && (!errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), prefix) || strings.Contains(err.Error(), dir))) {
			t.Errorf("%s, step %d: error %v", job, step, err)
		}
		return hit, err
	}
	swapped := func(dir, job string, step int) (hit bool, err error) { // by who may write to the folder
		victim := t.TempDir()
		plant(t, victim, map[string]string{"v": "mine", "new/v": "mine", "old/v": "mine", "ready/v": "mine"})
		before := tree(t, victim)
		defer atEveryStep(func(n int) error {
			staged, _ := filepath.Glob(filepath.Join(dir, prefix+"*"))
			if hit = hit || n == step; n == step && len(staged) > 0 && os.Rename(staged[0], filepath.Join(dir, "taken")) == nil {
				return os.Symlink(victim, staged[0])
			}
			return nil
		})()
		jobs[job].run(dir) // with an error or without
		if after := tree(t, victim); after != before {
			t.Fatalf("%s, step %d: there was\n%sand is now\n%s", job, step, before, after)
		}
		return hit, nil
	}
	writes := func(dir string) error { return in(dir, func(*Folder) error { return nil }) }
	reads := func(dir string) error { return Read(dir, func() error { return nil }) }
	for name, c := range map[string]struct {
		fault func(dir, job string, step int) (hit bool, err error)
		next  []func(dir string) error // each on a copy of the folder
	}{
		"killed":        {killed, []func(dir string) error{reads, writes, func(dir string) error { killed(dir, "Replace", 1); return writes(dir) }}},
		"fails":         {func(dir, job string, step int) (bool, error) { return fails(dir, job, step, false) }, []func(dir string) error{reads}},
		"swapped":       {swapped, nil},
		"fails forever": {func(dir, job string, step int) (bool, error) { return fails(dir, job, step, true) }, []func(dir string) error{writes}},
	} {
		for job, j := range jobs {
			for step, hit, seen := 0, true, map[string]bool{}; hit; step++ {
				dir := earlier(t)
				var err error
				hit, err = c.fault(dir, job, step)
				for k, next := range c.next {
					dir := dir
					if k < len(c.next)-1 {
						from := dir
						dir = filepath.Join(t.TempDir(), "out")
						must.Do(t, os.CopyFS(dir, os.DirFS(from)))
					}
					before := held(t, dir)
					failed := next(dir)
					got := held(t, dir)
					seen[got] = true
					mixed := strings.Contains(before, "record") && !strings.HasSuffix(before, old) && !strings.HasSuffix(before, j.fresh) ||
						job == "Write" && strings.Contains(before, ": old") && strings.Contains(before, ": new")
					if mixed || failed != nil || got != j.fresh && (got != old || err == nil) {
						t.Fatalf("%s, step %d of %s, then %d: %q, after %v; then %q, after %v", name, step, job, k, before, err, got, failed)
					}
					is(t, filepath.Dir(dir), "out")
				}
				if !hit && c.next != nil && len(seen) != 2 {
					t.Fatalf("%s, %s: seen %v", name, job, seen)
				}
			}
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
		"ready":             {map[string]string{".nmu-00ab/ready/page": "page new", ".nmu-00ab/old/v": "v older"}, paged, false},
		"not away":          {map[string]string{".nmu-00ab/new/page": "page new", ".nmu-00ab/old/page": "page old"}, strings.Replace(paged, "new", "old", 1), false},
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
		plant(t, top, map[string]string{"elsewhere/new/planted": "x", "elsewhere/ready/planted": "x"})
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
		if is(t, top, "elsewhere, out"); before != tree(t, filepath.Join(top, "elsewhere")) || t.Failed() {
			t.Fatalf("%s: elsewhere is %s", name, tree(t, filepath.Join(top, "elsewhere")))
		}
	}
}
