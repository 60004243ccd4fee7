package fileset

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"nmu/internal/must"
)

// names are those of the files of set.
var names = []string{"v", "w", "record.json", "page", "image"}

// in opens a folder for files that may replace any others, and closes it.
func in(dir string, use func(f *Folder) error) error {
	f, err := Open(dir, names, "record.json", true)
	if err == nil {
		defer f.Close()
		err = use(f)
	}
	return err
}

// write writes a set.
func write(dir, word string, names ...string) error {
	return in(dir, func(f *Folder) error { _, _, err := f.Write(set(word, names...)); return err })
}

func text(s string) func(w io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

// set returns files that hold their names and a word; "record.json" is a record.
func set(word string, names ...string) (files []File) {
	for _, name := range names {
		content := name + " " + word
		if name == "record.json" {
			content = fmt.Sprintf("{\n  \"word\": %q\n}\n", word)
		}
		files = append(files, File{name, text(content)})
	}
	return files
}

// plant makes files, whose names end in a slash if they are folders, or hold "-> " and where a link leads.
func plant(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(path), 0o777)
		if to, link := strings.CutPrefix(text, "-> "); err == nil && link {
			err = os.Symlink(to, path)
		} else if err == nil && strings.HasSuffix(name, "/") {
			err = os.MkdirAll(path, 0o777)
		} else if err == nil {
			err = os.WriteFile(path, []byte(text), 0o666)
		}
		must.Do(t, err)
	}
}

// held returns the files in a folder as "name: word, ...", the record by its word, and the rest by name.
func held(t testing.TB, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	var all []string
	for _, e := range entries {
		what := e.Name()
		if e.Type().IsRegular() {
			data, failed := os.ReadFile(filepath.Join(dir, what))
			_, word, found := strings.Cut(string(data), `"word": "`)
			if word, _, _ = strings.Cut(word, `"`); !found {
				word = strings.TrimPrefix(string(data), what+" ")
			}
			what, err = what+": "+word, errors.Join(err, failed)
		}
		all = append(all, what)
	}
	must.Do(t, err)
	return strings.Join(all, ", ")
}

func is(t testing.TB, dir, want string) {
	t.Helper()
	must.Equal(t, held(t, dir), want, filepath.Base(dir), "holds")
}

// tree returns what is in a folder and below it.
func tree(t testing.TB, dir string) (all string) {
	t.Helper()
	must.Do(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if all += "\n" + path; err == nil && e.IsDir() {
			all += ": " + held(t, path)
		}
		return err
	}))
	return all
}

// A record keeps what it holds and lists the other files, also one that joins the set and goes with it. What
// is no record is refused, and lists nothing. A set that fails leaves nothing, not even its folders.
func TestRecord(t *testing.T) {
	top := t.TempDir()
	dir, x := filepath.Join(top, "a", "b"), fmt.Sprintf("%x", sha256.Sum256([]byte("x")))
	for record, kept := range map[string]string{"{}": "{", "{\n  \"a\": [1]\n}\n": "{\n  \"a\": [1],", "[]": "", "3": "", "{": "", "{]}": ""} {
		err := in(dir, func(f *Folder) error {
			names, sums, err := f.Write([]File{{"record.json", text(record)}, {"v", text("x")}})
			if err == nil && (strings.Join(names, ", ") != "record.json, v" || len(sums) != 1 || sums["v"] != x) {
				t.Errorf("%q, %v", names, sums)
			}
			return err
		})
		got, _ := os.ReadFile(filepath.Join(dir, "record.json"))
		if kept == "" != (err != nil) || !strings.HasPrefix(string(got), kept) || err == nil && listIn(got)["v"] != x {
			t.Errorf("record %q: %s, %v", record, got, err)
		}
		is(t, top, map[bool]string{true: "a"}[err == nil])
		os.RemoveAll(filepath.Join(top, "a"))
	}
	if list := listIn([]byte(`{"files": {"v": "` + strings.Repeat("x", mostList) + `"}}`)); list != nil {
		t.Errorf("a list of %d bytes is decoded", mostList)
	}
	dir = earlier(t)
	page := func(word string) error { return in(dir, func(f *Folder) error { return f.Add(set(word, "page")[0]) }) }
	must.Do(t, errors.Join(page("first"), page("second")))
	is(t, dir, strings.Replace(old, "record", "page: second, record", 1))
	must.Do(t, jobs["Write"].run(dir))
	is(t, dir, fresh) // the page and the image go
	plant(t, dir, map[string]string{"victim": "x", "../victim": "x", "sub/x": "x"})
	for record, is := range map[string]bool{"": false, "mine": false, fmt.Sprintf(`{"files": {"../victim": %q, "sub/x": %[1]q, "victim": ""}}`, x): true} {
		os.Remove(filepath.Join(dir, "record.json"))
		if record != "" {
			plant(t, dir, map[string]string{"record.json": record})
		}
		before := tree(t, filepath.Dir(dir))
		if err := page("1"); (err == nil) != is || err != nil && tree(t, filepath.Dir(dir)) != before {
			t.Errorf("record %q: error %v, %s", record, err, held(t, dir))
		}
		must.Do(t, jobs["Write"].run(dir)) // files of others are of no set
	}
	is(t, dir, strings.NewReplacer("v:", "sub, v:", "w:", "victim: x, w:").Replace(fresh))
	is(t, filepath.Dir(dir), "out, victim: x")
}

// What others have put into a folder or in its place, before it is opened or since then, is not replaced
// unless that is forced. It is anything where no earlier set is recorded, and else what is in the way. Nor is
// a result of another command. The files of a long run find a place if nothing of others is there.
func TestForeignFiles(t *testing.T) {
	for _, c := range []struct {
		name  string
		there bool              // an earlier set, which has moved if what follows is in place of the folder
		files map[string]string // of others
		want  string            // of the error, or ""
		since string            // only since the folder is open: not forced
	}{
		{"empty", false, nil, "", ""},
		{"temporary", false, map[string]string{"out/.nmu-x": "-> ../victim/v"}, "", ""},
		{"other file", false, map[string]string{"out/thesis.tex": "mine"}, "holds thesis.tex, which is not of an earlier run", ""},
		{"other folder", false, map[string]string{"out/sub/": ""}, "holds sub, which is not of an earlier run", ""},
		{"other record", false, map[string]string{"out/record.json": "{}"}, "holds record.json, which is not of an earlier run", ""},
		{"an earlier set", true, nil, "", ""},
		{"beside one", true, map[string]string{"out/notes": "mine"}, "", ""},
		{"in the way", true, map[string]string{"out/w": "mine"}, "holds w, which is not of an earlier run", ""},
		{"changed", true, map[string]string{"out/v": "mine"}, "holds v, which is not of an earlier run", ""},
		{"a link", true, map[string]string{"out/w": "-> ../victim/v"}, "holds w, which is not of an earlier run", ""},
		{"a folder in the way", true, map[string]string{"out/w/": ""}, "w is in the way", "or before"},
		{"place of a link", true, map[string]string{"out": "-> victim"}, "was replaced meanwhile", "moved"},
		{"place of a file", true, map[string]string{"out": "out mine"}, "was replaced meanwhile", "moved"},
		{"place of a folder", true, map[string]string{"out/v": "v mine"}, "holds v", "moved"},
		{"no place", true, nil, "", "moved"},
		{"an empty place", true, map[string]string{"out/": ""}, "", "moved"},
		{"another result", true, map[string]string{"out/record.json": `{"files": {}}`}, "another command has changed", "changed"},
		{"a result", false, map[string]string{"out/record.json": `{"files": {}}`}, "another command has changed", "changed"},
	} {
		for how := range 4 {
			late, force := how%2 == 1 || c.since != "" && c.since != "or before", how/2 == 1 || c.since == "changed"
			for use, job := range jobs {
				top := t.TempDir()
				dir := filepath.Join(top, "out")
				plant(t, top, map[string]string{"victim/v": "v mine", "out/": ""})
				if c.there {
					must.Do(t, write(dir, "old", "v", "record.json"))
				}
				if !late {
					plant(t, top, c.files)
				}
				f, err := Open(dir, names, "record.json", force)
				if c.since == "changed" {
					f.Keep()
				} else if c.since == "moved" {
					must.Do(t, os.Rename(dir, filepath.Join(top, "moved")))
				}
				if late {
					plant(t, top, c.files)
				}
				before := tree(t, top)
				if err == nil {
					err = job.do(f)
					f.Close()
				}
				refused := c.want != "" && (!force || c.since != "")
				bad := !refused && use != "Add" && err != nil
				bad = bad || refused && use == "Write" && (err == nil || !strings.Contains(err.Error(), c.want))
				bad = bad || err == nil && !strings.Contains(held(t, dir)+" ", map[string]string{"Write": "v: new, w: new ", "Add": "page: new", "Replace": ".nmu-x: new"}[use])
				if bad || err != nil && c.want != "" && tree(t, top) != before {
					t.Fatalf("%s, late %v, force %v, %s: there was\n%sand is now\n%s, error %v", c.name, late, force, use, before, tree(t, top), err)
				}
				is(t, filepath.Join(top, "victim"), "v: mine")
			}
		}
	}
}

// A new file has the mode of the one that it replaces, a folder and a link to it stay what they are. A link
// to nothing is in the way.
func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("NOT TESTED: this system has no modes")
	}
	dir := earlier(t)
	top := filepath.Dir(dir)
	plant(t, top, map[string]string{"link": "-> out", "dangling": "-> nowhere"})
	modes := map[string]fs.FileMode{"v": 0o600, "w": 0o640, "record.json": 0o604, ".nmu-x": 0o400, ".": 0o750}
	for name, mode := range modes {
		must.Do(t, os.Chmod(filepath.Join(dir, name), mode))
	}
	before, _ := os.Stat(dir)
	t.Chdir(dir)
	for _, way := range []string{".", filepath.Join(top, "link")} {
		must.Do(t, errors.Join(jobs["Write"].run(way), jobs["Replace"].run(way)))
	}
	if after, err := os.Stat(dir); err != nil || !os.SameFile(before, after) {
		t.Errorf("the folder is another one, %v", err)
	}
	for name, mode := range modes {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s has mode %v, %v", name, info.Mode(), err)
		}
	}
	if write(filepath.Join(top, "dangling"), "1", "v") == nil || write(filepath.Join(top, "dangling", "x"), "1", "v") == nil {
		t.Error("a link to nothing is written through")
	}
	is(t, top, "dangling, link, out")
}

// Writers of one folder that is not there yet all succeed, and one set is there; those that fail meanwhile
// take nothing away.
func TestManyWritersNewFolder(t *testing.T) {
	for round := 0; round < 12 && !t.Failed(); round++ {
		dir := filepath.Join(t.TempDir(), "a", "out")
		var wg sync.WaitGroup
		for writer := range 4 {
			wg.Go(func() {
				files := set(strconv.Itoa(writer), "v", "w", "record.json")
				if writer == 3 {
					files[1].Write = func(io.Writer) error { return errors.ErrUnsupported }
				}
				err := in(dir, func(f *Folder) error { _, _, err := f.Write(files); return err })
				if errors.Is(err, errors.ErrUnsupported) != (writer == 3) || err != nil && writer != 3 {
					t.Errorf("round %d: %v", round, err)
				}
			})
		}
		wg.Wait()
		got := held(t, dir)
		is(t, dir, strings.ReplaceAll("record.json: W, v: W, w: W", "W", got[len(got)-1:]))
		is(t, filepath.Dir(dir), "out")
	}
}
