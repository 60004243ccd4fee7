package fileset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// crashEnv makes this test binary a process that writes a set to a folder, and
// is gone at a given step: FOLDER STEP.
const crashEnv = "NMU_TEST_CRASH"

func TestMain(m *testing.M) {
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

// atEveryStep calls before ahead of every call that changes a folder, which fails
// with its error, and returns a function that ends this.
func atEveryStep(before func(path string) error) (restore func()) {
	oldRename, oldLink, oldExchange := rename, link, exchange
	wrap := func(call func(a, b string) error) func(a, b string) error {
		return func(a, b string) error {
			if err := before(a); err != nil {
				return err
			}
			return call(a, b)
		}
	}
	rename, link, exchange = wrap(oldRename), wrap(oldLink), wrap(oldExchange)
	return func() { rename, link, exchange = oldRename, oldLink, oldExchange }
}

func text(s string) func(string) error {
	return func(path string) error { return os.WriteFile(path, []byte(s), 0o666) }
}

// set returns files that hold their names and a word; "record" is a record.
func set(word string, names ...string) []File {
	var files []File
	for _, name := range names {
		content := name + " " + word
		if name == "record" {
			content = fmt.Sprintf("{\n  \"word\": %q\n}\n", word)
		}
		files = append(files, File{name, text(content)})
	}
	return files
}

func write(t *testing.T, dir, word string, names ...string) {
	t.Helper()
	if _, _, err := Write(dir, set(word, names...), "record"); err != nil {
		t.Fatal(err)
	}
}

// content returns the regular files in a folder as "name: word, ...", the record
// by its word, and what else is there by name.
func content(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		if !e.Type().IsRegular() {
			all = append(all, e.Name())
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		word := strings.TrimPrefix(string(data), e.Name()+" ")
		if e.Name() == "record" {
			var rec struct{ Word string }
			if err := json.Unmarshal(data, &rec); err != nil {
				t.Fatal(err)
			}
			word = rec.Word
		}
		all = append(all, e.Name()+": "+word)
	}
	return strings.Join(all, ", ")
}

func is(t *testing.T, dir, want string) {
	t.Helper()
	if got := content(t, dir); got != want {
		t.Errorf("%s holds %q, want %q", filepath.Base(dir), got, want)
	}
}

func noFile(t *testing.T, path string) {
	t.Helper()
	if exists(path) {
		t.Errorf("%s is there", path)
	}
}

func TestWrite(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "a", "b")
	if err := Check(dir, []string{"x", "y"}); err != nil {
		t.Fatal(err)
	}
	noFile(t, filepath.Join(root, "a"))

	// A file that cannot be produced leaves nothing.
	broken := errors.New("broken")
	fail := func(string) error { return broken }
	if _, _, err := Write(dir, []File{{"x", text("x 1")}, {"y", fail}}, ""); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	noFile(t, filepath.Join(root, "a"))

	// Nor does one that cannot take its place.
	if err := os.MkdirAll(filepath.Join(dir, "y", "full"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Write(dir, set("1", "x", "y"), ""); err == nil {
		t.Error("a file took the place of a folder")
	}
	is(t, dir, "y")

	// The files of an earlier set stay until those of a new one are complete.
	if err := os.RemoveAll(filepath.Join(dir, "y")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		y    func(string) error
		word string
		want string
	}{
		{text("y 1"), "1", "x: 1, y: 1"},
		{fail, "2", "x: 1, y: 1"},
		{text("y 3"), "3", "x: 3, y: 3"},
	} {
		names, _, err := Write(dir, []File{{"x", text("x " + c.word)}, {"y", c.y}}, "")
		if err == nil && !slices.Equal(names, []string{"x", "y"}) {
			t.Errorf("names %q", names)
		}
		is(t, dir, c.want)
	}
	is(t, filepath.Dir(dir), "b")
}

// A record lists the other files and keeps what it holds.
func TestRecorded(t *testing.T) {
	dir := t.TempDir()
	for _, object := range []string{"{}", "{\n  \"a\": [1]\n}\n"} {
		_, sums, err := Write(dir, []File{{"record", text(object)}, {"v", text("v")}}, "record")
		if err != nil {
			t.Fatal(err)
		}
		got, err := Recorded(dir, "record")
		if want := "4c94485e0c21ae6c41ce1dfe7b6bfaceea5ab68e40a2476f50208e526f506080"; err != nil || !maps.Equal(got, map[string]string{"v": want}) || !maps.Equal(got, sums) {
			t.Errorf("%v, %v, %v", got, sums, err)
		}
	}
	if _, _, err := Write(dir, []File{{"record", text("[]")}}, "record"); err == nil {
		t.Error("a record that is no object is accepted")
	}
	for _, record := range []string{"", "none", "[]", `{"files": 3}`, `{"files": {"../x": ""}}`} {
		if err := os.WriteFile(filepath.Join(dir, "other"), []byte(record), 0o666); err != nil {
			t.Fatal(err)
		}
		if got, err := Recorded(dir, "other"); len(got) != 0 || err != nil {
			t.Errorf("%q: %v, %v", record, got, err)
		}
	}
}

// ways are the two ways to put a set in place: a file of someone else asks for the
// journal.
var ways = []struct{ name, foreign string }{{"exchange", ""}, {"journal", "mine"}}

// earlier makes a folder with an earlier set, and a file of someone else.
func earlier(t *testing.T, foreign string) (dir, old, fresh string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "out")
	write(t, dir, "old", "v", "w", "image", "record")
	old, fresh = "image: old, record: old, v: old, w: old", "record: new, v: new, w: new"
	if foreign != "" {
		if err := text(foreign + " own")(filepath.Join(dir, foreign)); err != nil {
			t.Fatal(err)
		}
		old, fresh = "image: old, mine: own, record: old, v: old, w: old", "mine: own, record: new, v: new, w: new"
	}
	return dir, old, fresh
}

// Whichever step of an overwrite fails, the old result is there afterwards, or,
// where a step can be done without, the new one.
func TestFailedOverwriteKeepsOldResult(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			failed, never := 0, errors.New("not permitted")
			for step := 0; ; step++ {
				dir, old, fresh := earlier(t, way.foreign)
				n, hit := 0, ""
				restore := atEveryStep(func(path string) error {
					if n++; n == step+1 {
						hit = filepath.Base(path)
						return never
					}
					return nil
				})
				_, _, err := Write(dir, set("new", "v", "w", "record"), "record")
				restore()
				want := fresh
				if err != nil {
					if want = old; !errors.Is(err, never) {
						t.Errorf("step %d: %v", step, err)
					}
					failed++
				}
				is(t, dir, want)
				is(t, filepath.Dir(dir), "out")
				if t.Failed() {
					t.Fatalf("step %d, %s, error %v", step, hit, err)
				}
				if hit == "" {
					break
				}
			}
			if failed < 3 {
				t.Errorf("%d steps failed", failed)
			}
		})
	}
}

// A file that cannot be replaced stays, and with it the others: every rename of w
// fails, as it does where w is immutable or another user's in a sticky folder.
func TestImmutableFile(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			dir, old, _ := earlier(t, way.foreign)
			w := filepath.Join(dir, "w")
			if out, err := exec.Command("chattr", "+i", w).CombinedOutput(); err == nil {
				defer exec.Command("chattr", "-i", w).Run()
			} else {
				t.Logf("chattr: %v, %s; the calls are made to fail", err, out)
				defer atEveryStep(func(path string) error {
					if data, _ := os.ReadFile(path); string(data) == "w old" {
						return fs.ErrPermission
					}
					return nil
				})()
			}
			if _, _, err := Write(dir, set("new", "v", "w", "record"), "record"); !errors.Is(err, fs.ErrPermission) {
				t.Errorf("error %v", err)
			}
			is(t, dir, old)
			is(t, filepath.Dir(dir), "out")
		})
	}
}

// A process that is killed at any step leaves the old set or the new one: at once
// after an exchange, and for a reader of this package after a journal.
func TestKilledAtEveryStep(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Skipf("NOT TESTED: a process of its own cannot be used on this machine: %v", err)
	}
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			for step, seen := 0, map[string]bool{}; ; step++ {
				dir, old, fresh := earlier(t, way.foreign)
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
				at := strings.Split(content(t, dir), ", ") // what every program sees
				at = slices.DeleteFunc(at, func(s string) bool { return strings.HasPrefix(s, prefix) })
				if s := strings.Join(at, ", "); way.foreign == "" && canExchange(t) && s != old && s != fresh {
					t.Fatalf("step %d: %q", step, s)
				}
				var got string
				if err := Read(dir, func() error { got = content(t, dir); return nil }); err != nil {
					t.Fatal(err)
				}
				if got != old && got != fresh {
					t.Fatalf("step %d: %q", step, got)
				}
				seen[got] = true
				is(t, filepath.Dir(dir), "out")
				if err == nil {
					if len(seen) != 2 || step < 4 {
						t.Errorf("%d steps, seen %v", step, seen)
					}
					break
				}
			}
		})
	}
}

// Files of others stay what and where they are, also one that is made while a set
// is being written, and one that this package wrote and someone changed.
func TestForeignFilesStay(t *testing.T) {
	dir, _, _ := earlier(t, "mine")
	if err := os.MkdirAll(filepath.Join(dir, "folder"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := text("image changed")(filepath.Join(dir, "image")); err != nil {
		t.Fatal(err)
	}
	stat := func() (infos []os.FileInfo) {
		for _, name := range []string{"mine", "folder", "image"} {
			info, err := os.Lstat(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			infos = append(infos, info)
		}
		return infos
	}
	before := stat()
	write(t, dir, "new", "v", "w", "record")
	is(t, dir, "folder, image: changed, mine: own, record: new, v: new, w: new")
	for i, info := range stat() {
		if !os.SameFile(info, before[i]) || info.ModTime() != before[i].ModTime() {
			t.Errorf("%s is another file", info.Name())
		}
	}

	dir, _, _ = earlier(t, "")
	late := filepath.Join(dir, "late")
	var made os.FileInfo
	restore := atEveryStep(func(path string) error {
		if filepath.Base(path) != newFiles || made != nil {
			return nil
		}
		if err := text("late own")(late); err != nil { // between the look and the exchange
			t.Error(err)
		}
		made, _ = os.Lstat(late)
		return nil
	})
	write(t, dir, "new", "v", "w", "record")
	restore()
	if made == nil && canExchange(t) {
		t.Fatal("no exchange")
	}
	if made != nil {
		is(t, dir, "late: own, record: new, v: new, w: new")
		if info, err := os.Lstat(late); err != nil || !os.SameFile(info, made) {
			t.Errorf("another file, %v", err)
		}
	}
	is(t, filepath.Dir(dir), "out")
}

// canExchange reports whether this system exchanges folders.
func canExchange(t *testing.T) bool {
	t.Helper()
	a, b := t.TempDir(), t.TempDir()
	err := exchangeFolders(a, b)
	if err != nil && runtime.GOOS == "linux" {
		t.Logf("no exchange: %v", err)
	}
	return err == nil
}

// What killed processes left goes, whatever state it is in; what is not named as a
// temporary folder stays.
func TestStaleTemporaries(t *testing.T) {
	dir, _, fresh := earlier(t, "mine")
	parent := filepath.Dir(dir)
	for _, path := range []string{
		filepath.Join(dir, ".nmu-123456789"), filepath.Join(dir, ".nmu-0123456789abcdef", newFiles), filepath.Join(parent, ".nmu-out-0123456789abcdef", newFiles),
		filepath.Join(parent, ".nmu-other-0123456789abcdef", newFiles), filepath.Join(parent, ".nmu-out-mine"),
	} {
		if err := os.MkdirAll(path, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := text("stale")(filepath.Join(path, "v")); err != nil {
			t.Fatal(err)
		}
	}
	write(t, dir, "new", "v", "w", "record")
	is(t, dir, fresh)
	is(t, parent, ".nmu-other-0123456789abcdef, .nmu-out-mine, out")
}

// Writers of one folder that is not there yet all succeed, and one set is there;
// those that fail meanwhile take nothing away.
func TestManyWritersNewFolder(t *testing.T) {
	for round := range 30 {
		dir := filepath.Join(t.TempDir(), "a", "out")
		var wg sync.WaitGroup
		for writer := range 4 {
			wg.Go(func() {
				if err := Check(dir, []string{"v", "w", "record"}); err != nil {
					t.Errorf("round %d: %v", round, err)
				}
				files := set(strconv.Itoa(writer), "v", "w", "record")
				if writer == 3 {
					files[1].Write = func(string) error { return errors.ErrUnsupported }
				}
				if _, _, err := Write(dir, files, "record"); (err != nil) != (writer == 3) {
					t.Errorf("round %d: %v", round, err)
				}
			})
		}
		wg.Wait()
		got := content(t, dir)
		if word := got[len(got)-1:]; got != strings.ReplaceAll("record: W, v: W, w: W", "W", word) {
			t.Errorf("round %d: %s", round, got)
		}
		is(t, filepath.Dir(dir), "out")
		if t.Failed() {
			return
		}
	}
}

// Folders that must not become other ones: the working directory, and one with
// other permissions keeps them; a link stays a link.
func TestFolderStays(t *testing.T) {
	dir, _, fresh := earlier(t, "")
	t.Chdir(dir)
	before, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	write(t, ".", "new", "v", "w", "record")
	is(t, dir, fresh)
	if after, err := os.Stat(dir); err != nil || !os.SameFile(before, after) {
		t.Errorf("the working directory is another one, %v", err)
	}
	if runtime.GOOS == "windows" {
		return // no permissions, and links only for some
	}
	t.Chdir(filepath.Dir(dir))
	if err := os.Chmod(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("out", "link"); err != nil {
		t.Fatal(err)
	}
	write(t, "link", "newer", "v", "w", "record")
	is(t, dir, strings.ReplaceAll(fresh, "new", "newer"))
	if info, err := os.Stat("out"); err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	is(t, filepath.Dir(dir), "link, out")

	// A link to nothing is in the way, and stays.
	if err := os.Symlink("nowhere", "dangling"); err != nil {
		t.Fatal(err)
	}
	if err := Check(filepath.Join("dangling", "x"), nil); err == nil {
		t.Error("a link to nothing is accepted")
	}
	if _, _, err := Write(filepath.Join("dangling", "x"), set("1", "v"), ""); err == nil {
		t.Error("a link to nothing is written to")
	}
	is(t, filepath.Dir(dir), "dangling, link, out")
}
