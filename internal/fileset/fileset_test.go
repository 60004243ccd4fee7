package fileset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// crashEnv makes this test binary a process that writes a set to a folder, and
// is gone at a given step: FOLDER STEP.
const crashEnv = "NMU_TEST_CRASH"

func TestMain(m *testing.M) {
	syncFile = func(*os.File) error { return nil } // no test cuts the power, and the disk is slow
	if dir, victim, ok := strings.Cut(os.Getenv(swapEnv), "\n"); ok {
		swapUntilEOF(dir, victim)
		os.Exit(0)
	}
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
	wrap := func(call func(from *os.Root, a string, to *os.Root, b string) error) func(from *os.Root, a string, to *os.Root, b string) error {
		return func(from *os.Root, a string, to *os.Root, b string) error {
			if err := before(filepath.Join(from.Name(), a)); err != nil {
				return err
			}
			return call(from, a, to, b)
		}
	}
	rename, link, exchange = wrap(oldRename), wrap(oldLink), wrap(oldExchange)
	return func() { rename, link, exchange = oldRename, oldLink, oldExchange }
}

func text(s string) func(w io.Writer) error { return content([]byte(s)) }

// lay writes a file that is not of a set.
func lay(path, text string) error { return os.WriteFile(path, []byte(text), 0o666) }

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

// held returns the regular files in a folder as "name: word, ...", the record
// by its word, and what else is there by name.
func held(t *testing.T, dir string) string {
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
	if got := held(t, dir); got != want {
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
	fail := func(io.Writer) error { return broken }
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
		y    func(io.Writer) error
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
		if err := lay(filepath.Join(dir, foreign), foreign+" own"); err != nil {
			t.Fatal(err)
		}
		old, fresh = "image: old, mine: own, record: old, v: old, w: old", "mine: own, record: new, v: new, w: new"
	}
	return dir, old, fresh
}
