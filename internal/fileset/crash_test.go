package fileset

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
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
// after an exchange, and for the next one that writes after a journal. Until then a
// reader finds the old set or the new one, or that a set is half in its place.
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
				at := strings.Split(held(t, dir), ", ") // what every program sees
				at = slices.DeleteFunc(at, func(s string) bool { return strings.HasPrefix(s, prefix) })
				if s := strings.Join(at, ", "); way.foreign == "" && canExchange(t) && s != old && s != fresh {
					t.Fatalf("step %d: %q", step, s)
				}
				readsOrRefuses(t, dir)
				if err := Check(dir, nil); err != nil {
					t.Fatalf("step %d: %v", step, err)
				}
				got := held(t, dir)
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
	if err := lay(filepath.Join(dir, "image"), "image changed"); err != nil {
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
		if err := lay(late, "late own"); err != nil { // between the look and the exchange
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
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := errors.Join(root.Mkdir("a", 0o777), root.Mkdir("b", 0o777)); err != nil {
		t.Fatal(err)
	}
	err = exchangeFolders(root, "a", root, "b")
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
		filepath.Join(dir, ".nmu-123456789", oldFiles), filepath.Join(dir, ".nmu-0123456789abcdef", newFiles), filepath.Join(parent, ".nmu-out-0123456789abcdef", newFiles),
		filepath.Join(parent, ".nmu-other-0123456789abcdef", newFiles), filepath.Join(parent, ".nmu-out-mine"),
	} {
		if err := os.MkdirAll(path, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := lay(filepath.Join(path, "v"), "stale"); err != nil {
			t.Fatal(err)
		}
	}
	// What is left by a process that was killed at the end of an exchange: the journal
	// alone.
	cleared := filepath.Join(parent, ".nmu-out-00000000000000ab")
	if err := os.Mkdir(cleared, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := lay(filepath.Join(cleared, commitMark), `{"Files": {"v": "", "record": ""}, "Last": "record"}`); err != nil {
		t.Fatal(err)
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
					files[1].Write = func(io.Writer) error { return errors.ErrUnsupported }
				}
				if _, _, err := Write(dir, files, "record"); (err != nil) != (writer == 3) {
					t.Errorf("round %d: %v", round, err)
				}
			})
		}
		wg.Wait()
		got := held(t, dir)
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
