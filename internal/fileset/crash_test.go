package fileset

import (
	"crypto/sha256"
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
)

// crashEnv makes this test binary a process that writes a set to a folder, and is gone at a given step:
// FOLDER STEP.
const crashEnv = "NMU_TEST_CRASH"

func TestMain(m *testing.M) {
	syncFile = func(*os.File) error { return nil } // no test cuts the power, and the disk is slow
	if dir, step, ok := strings.Cut(os.Getenv(crashEnv), "\n"); ok {
		left, err := strconv.Atoi(step)
		if err != nil {
			panic(err)
		}
		atEveryStep(func(string) error {
			if left--; left < 0 {
				os.Exit(9) // no deferred call runs
			}
			return nil
		})
		if _, _, err := Write(dir, set("new", "v", "w", "record"), "record"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// atEveryStep calls before ahead of every call that moves or syncs a file, which fails with its error,
// and returns a function that ends this.
func atEveryStep(before func(path string) error) (restore func()) {
	oldRename, oldSync := rename, syncFile
	rename = func(root *os.Root, from, to string) error {
		if err := before(to); err != nil {
			return &os.LinkError{Op: "renameat", Old: from, New: to, Err: err}
		}
		return oldRename(root, from, to)
	}
	syncFile = func(f *os.File) error {
		if err := before(f.Name()); err != nil {
			return &fs.PathError{Op: "sync", Path: f.Name(), Err: err}
		}
		return oldSync(f)
	}
	return func() { rename, syncFile = oldRename, oldSync }
}

// sum returns the SHA-256 of a text, in hexadecimal.
func sum(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// earlier makes a folder with an earlier set and a file of someone else.
func earlier(t testing.TB) (dir, old, fresh string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "out")
	write(t, dir, "old", "v", "w", "image", "record")
	plant(t, dir, map[string]string{"mine": "mine own"})
	return dir, "image: old, mine: own, record: old, v: old, w: old", "mine: own, record: new, v: new, w: new"
}

// Whichever step of an overwrite fails, the old set is there afterwards, or, where a step can be done
// without, the new one.
func TestFailedAtEveryStep(t *testing.T) {
	failed, never := 0, syscall.ENOSPC
	for step, hit := 0, "begin"; hit != ""; step++ {
		dir, old, fresh := earlier(t)
		n := 0
		hit = ""
		restore := atEveryStep(func(path string) error {
			if n++; n == step+1 {
				hit = path
				return never
			}
			return nil
		})
		t.Chdir(filepath.Dir(dir))
		_, _, err := Write("out", set("new", "v", "w", "record"), "record")
		restore()
		want := fresh
		if err != nil {
			failed++
			if want = old; !errors.Is(err, never) || strings.Contains(err.Error(), prefix) || !strings.Contains(err.Error(), "out") || strings.Contains(err.Error(), dir) {
				t.Errorf("step %d, %s: error %v", step, hit, err)
			}
		}
		is(t, dir, want)
		is(t, filepath.Dir(dir), "out")
		if t.Failed() {
			t.Fatalf("step %d, %s, error %v", step, hit, err)
		}
	}
	if failed < 8 {
		t.Errorf("%d steps failed", failed)
	}
}

// A process that is killed at any step never leaves files of both sets, and leaves the old set or the new
// one for the next one that reads or writes. A file that is in the way by then stays.
func TestKilledAtEveryStep(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Skipf("NOT TESTED: a process of its own cannot be used on this machine: %v", err)
	}
	settle := map[string]func(dir string) error{
		"reader": func(dir string) error { return Read(dir, func() error { return nil }) },
		"writer": func(dir string) error { return Check(dir, nil) },
		"second kill": func(dir string) error { // at the first step
			cmd := exec.Command(self)
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s\n%d", crashEnv, dir, 1))
			cmd.Run()
			return Check(dir, nil)
		},
	}
	for who, settle := range settle {
		for step, seen := 0, map[string]bool{}; ; step++ {
			dir, old, fresh := earlier(t)
			cmd := exec.Command(self)
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s\n%d", crashEnv, dir, step))
			out, err := cmd.CombinedOutput()
			if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOEXEC) {
				t.Skipf("NOT TESTED: a process of its own cannot be used on this machine: %v", err)
			}
			var exit *exec.ExitError
			if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 9) {
				t.Fatalf("%v, %s", err, out)
			}
			if s := held(t, dir); strings.Contains(s, ": old") && strings.Contains(s, ": new") {
				t.Fatalf("%s, step %d: %q", who, step, s)
			}
			if err := settle(dir); err != nil {
				t.Fatalf("%s, step %d: %v", who, step, err)
			}
			got := held(t, dir)
			if who == "reader" { // which leaves what nobody needs
				got = strings.Join(strings.FieldsFunc(got, func(r rune) bool { return r == ',' || r == ' ' }), " ")
				for _, s := range []*string{&old, &fresh} {
					*s = strings.ReplaceAll(*s, ",", "")
				}
				if i := strings.Index(got, prefix); i >= 0 {
					got = got[:i] + got[i+len(prefix)+17:]
				}
			}
			if got != old && got != fresh {
				t.Fatalf("%s, step %d: %q", who, step, got)
			}
			seen[got] = true
			if err == nil {
				if len(seen) != 2 || step < 8 {
					t.Errorf("%d steps, seen %v", step, seen)
				}
				break
			}
		}
	}
}

// If a step of Add fails, there is what was there before; if all that follow fail too, as when the
// process ends, the next one completes it.
func TestAddFailsAtEveryStep(t *testing.T) {
	for _, forever := range []bool{false, true} {
		for step, done := 0, false; !done; step++ {
			dir := filepath.Join(t.TempDir(), "out")
			write(t, dir, "old", "v", "record")
			f := open(t, dir, false)
			left := step
			restore := atEveryStep(func(string) error {
				if left--; left == -1 || left < 0 && forever {
					return errors.New("no")
				}
				return nil
			})
			err := f.Add(set("new", "page")[0])
			restore()
			f.Close()
			done = left >= 0
			if checked := Check(dir, []string{"v"}); checked != nil {
				t.Fatal(checked)
			}
			with, without := "page: new, record: old, v: old", "record: old, v: old"
			if got := held(t, dir); got != with && (got != without || err == nil) {
				t.Errorf("step %d of %v: it holds %q, after %v", step, forever, got, err)
			}
		}
	}
}

// What killed processes left goes; what is not named as a temporary folder stays.
func TestStaleTemporaries(t *testing.T) {
	dir, _, fresh := earlier(t)
	plant(t, dir, map[string]string{
		".nmu-123456789/old/v": "v stale", ".nmu-0123456789abcdef/new/v": "v stale", ".nmu-00ab/": "", ".nmu-ab/commit": `{"Old"`,
		".nmu-other/new/v": "mine", ".nmu-": "mine", ".nmu-00ff/mine": "mine",
	})
	write(t, dir, "new", "v", "w", "record")
	is(t, dir, ".nmu-: mine, .nmu-00ff, .nmu-other, "+fresh)
}

// tree returns what is in a folder and below it: the paths with their modes and what they hold, in order.
func tree(t testing.TB, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %v", strings.TrimPrefix(path, dir), e.Type())
		if e.Type().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %q", text)
		}
		b.WriteString("\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A journal that came with a folder changes nothing outside of it, and no file there that is not what it
// says. What cannot be completed is refused by what writes, which says where it is.
func TestPlantedJournal(t *testing.T) {
	precious := sum("mine own")
	for name, c := range map[string]struct {
		files   map[string]string
		refused bool
	}{
		"moves from outside":   {map[string]string{".nmu-0abc/old/": "", ".nmu-0abc/new/": "", ".nmu-0abc/commit": `{"Old":{"../victim":"` + precious + `"}}`}, false},
		"moves an absolute":    {map[string]string{".nmu-0abc/old/": "", ".nmu-0abc/new/": "", ".nmu-0abc/commit": `{"Old":{"/victim":"` + precious + `"}}`}, false},
		"new is a link":        {map[string]string{".nmu-0abc/new": "-> ../../elsewhere", ".nmu-0abc/commit": `{}`}, true},
		"old is a link":        {map[string]string{".nmu-0abc/old": "-> ../../elsewhere", ".nmu-0abc/new/": "", ".nmu-0abc/commit": `{"Old":{"v":"` + sum("v old") + `"}}`}, true},
		"journal is a link":    {map[string]string{".nmu-0abc/new/mine": "x", ".nmu-0abc/commit": "-> ../../journal"}, false},
		"stage is a link":      {map[string]string{".nmu-0abc": "-> ../elsewhere"}, false},
		"replaces a file":      {map[string]string{".nmu-0abc/old/": "", ".nmu-0abc/new/mine": "x", ".nmu-0abc/commit": `{"Old":{"mine":"00"}}`}, true},
		"replaces without sum": {map[string]string{".nmu-0abc/old/": "", ".nmu-0abc/new/mine": "x", ".nmu-0abc/commit": `{"Old":{"mine":""}}`}, true},
		"moves a folder":       {map[string]string{"sub/x": "mine", ".nmu-0abc/old/": "", ".nmu-0abc/new/": "", ".nmu-0abc/commit": `{"Old":{"sub":""}}`}, false},
		"no JSON":              {map[string]string{".nmu-0abc/new/mine": "x", ".nmu-0abc/commit": `x`}, false},
		"half replaced": {map[string]string{".nmu-0abc/old/v": "v old", ".nmu-0abc/new/w": "w half", ".nmu-0abc/new/v": "v half",
			".nmu-0abc/commit": fmt.Sprintf(`{"Old":{"v":%q,"w":%q}}`, sum("v other"), sum("w other"))}, true},
	} {
		dir, _, _ := earlier(t)
		top := filepath.Dir(dir)
		plant(t, top, map[string]string{"victim": "mine own", "journal": `{"Old":{}}`, "elsewhere/new/planted": "x", "elsewhere/commit": `{}`})
		plant(t, dir, c.files)
		kept := func() string {
			var lines []string
			for line := range strings.Lines(tree(t, top)) {
				if !strings.HasPrefix(line, "/out/") || strings.HasPrefix(line, "/out/mine") || strings.HasPrefix(line, "/out/sub") {
					lines = append(lines, line)
				}
			}
			return strings.Join(lines, "")
		}
		before := kept()
		if err := Read(dir, func() error { return nil }); err != nil {
			t.Errorf("%s: Read: %v", name, err)
		}
		if err := Read(dir, func() error { return fs.ErrNotExist }); !errors.Is(err, fs.ErrNotExist) || c.refused && !strings.Contains(err.Error(), "nmu report") {
			t.Errorf("%s: Read: %v", name, err)
		}
		_, _, err := Write(dir, set("new", "v", "w", "record"), "record")
		if (err != nil) != c.refused || err != nil && !strings.Contains(err.Error(), filepath.Join(dir, ".nmu-0abc")) {
			t.Errorf("%s: Write: %v", name, err)
		}
		if after := kept(); after != before {
			t.Errorf("%s: there was\n%sand is now\n%s", name, before, after)
		}
		if _, err := os.Lstat(filepath.Join(dir, "planted")); err == nil {
			t.Errorf("%s: a file was planted", name)
		}
	}
}

// FuzzJournal completes a set with a journal of any content. What is outside of the folder stays, and so do
// files in it with other sums.
func FuzzJournal(f *testing.F) {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() { // in memory a case takes a twentieth of the time
		f.Setenv("TMPDIR", "/dev/shm")
	}
	for _, text := range []string{
		`{"Old":{"../victim":"` + sum("x") + `"},"Last":"record"}`, `{"Old":{"v":"` + sum("v old") + `","mine":"00"},"Last":"../v"}`,
		`{"Old":{"..\\victim":"","/v":"",".":"",".nmu-0abc":""}}`, `{"Old":null}`, `[]`, ``,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		dir, _, _ := earlier(t)
		plant(t, filepath.Dir(dir), map[string]string{"victim": "x", "out/.nmu-0abc/new/a": "x", "out/.nmu-0abc/old/b": "x", "out/.nmu-0abc/commit": string(text)})
		Check(dir, []string{"v", "w"})
		for path, want := range map[string]string{filepath.Join(filepath.Dir(dir), "victim"): "x", filepath.Join(dir, "mine"): "mine own"} {
			if got, err := os.ReadFile(path); err != nil || string(got) != want {
				t.Fatalf("%s holds %q, %v", path, got, err)
			}
		}
	})
}

// Someone who may write to the folder puts a link in the place of the temporary folder, at every step.
// Nothing changes where the link leads.
func TestTemporaryFolderSwappedAtEveryStep(t *testing.T) {
	for step, done := 0, false; !done; step++ {
		dir, _, _ := earlier(t)
		victim := t.TempDir()
		for _, name := range []string{"commit", "v", "w", "record"} {
			plant(t, victim, map[string]string{name: "mine", "new/" + name: "mine", "old/" + name: "mine"})
		}
		before, n := tree(t, victim), 0
		take := func() {
			if n++; n != step+1 {
				return
			}
			staged, _ := filepath.Glob(filepath.Join(dir, prefix+"*"))
			for i, path := range staged {
				if os.Rename(path, filepath.Join(dir, fmt.Sprint("taken-", i))) == nil {
					os.Symlink(victim, path)
				}
			}
		}
		restore := atEveryStep(func(string) error { take(); return nil })
		files := set("new", "v", "w", "record")
		for i, file := range files {
			files[i].Write = func(w io.Writer) error {
				take()
				return file.Write(w)
			}
		}
		Write(dir, files, "record") // with an error or without
		restore()
		if after := tree(t, victim); after != before {
			t.Fatalf("step %d: there was\n%sand is now\n%s", step, before, after)
		}
		done = n <= step
	}
}

// Whichever step of Rotate fails, a whole file is there: the new one, or the one before. No link is
// followed.
func TestRotate(t *testing.T) {
	dir := t.TempDir()
	f, err := Open(dir, nil, "", false)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rotate := func(s string) error { return f.Rotate(".nmu-x", ".nmu-x-old", text(s)) }
	for step, done := 0, false; !done; step++ {
		if err := errors.Join(rotate("one"), rotate("two")); err != nil {
			t.Fatal(err)
		}
		n := 0
		restore := atEveryStep(func(string) error {
			if n++; n == step+1 {
				return errors.New("no")
			}
			return nil
		})
		err := rotate("three")
		restore()
		done = n <= step
		got, failed := os.ReadFile(filepath.Join(dir, ".nmu-x"))
		if errors.Is(failed, fs.ErrNotExist) {
			got, failed = os.ReadFile(filepath.Join(dir, ".nmu-x-old"))
		}
		if want := map[bool]string{true: "two", false: "three"}[err != nil]; failed != nil || string(got) != want {
			t.Errorf("step %d failed: %q is there, want %q: %v, %v", step, got, want, err, failed)
		}
		if err := f.Discard(".nmu-x", ".nmu-x-new", ".nmu-x-old"); err != nil {
			t.Error(err)
		}
		is(t, dir, "")
	}
	plant(t, dir, map[string]string{"victim": "victim mine"})
	for _, name := range []string{".nmu-x-new", ".nmu-x", ".nmu-x-old"} {
		os.Remove(filepath.Join(dir, name))
		plant(t, dir, map[string]string{name: "-> victim"})
		if err := rotate("state"); err != nil {
			t.Fatal(err)
		}
		is(t, dir, map[string]string{
			".nmu-x-new": ".nmu-x: state, victim: mine", ".nmu-x": ".nmu-x: state, .nmu-x-old, victim: mine",
		}[name]+map[bool]string{true: ".nmu-x: state, .nmu-x-old: state, victim: mine"}[name == ".nmu-x-old"])
	}
	plant(t, dir, map[string]string{".nmu-x-new/full": ""})
	if err := rotate("later"); err == nil {
		t.Error("a folder is in the way, and there is no error")
	}
}
