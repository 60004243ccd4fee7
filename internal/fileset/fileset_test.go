package fileset

import (
	"encoding/json"
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
)

// names are those of the files of set.
var names = []string{"v", "w", "record.json", "page", "image"}

// in opens a folder for files that may replace any others, and closes it.
func in(dir string, use func(f *Folder) error) error {
	f, err := Open(dir, names, "record.json", true)
	if err != nil {
		return err
	}
	defer f.Close()
	return use(f)
}

// write writes a set.
func write(dir, word string, names ...string) error {
	return in(dir, func(f *Folder) error {
		_, _, err := f.Write(set(word, names...))
		return err
	})
}

func text(s string) func(w io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// set returns files that hold their names and a word; "record.json" is a record.
func set(word string, names ...string) []File {
	var files []File
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
		if err != nil {
			t.Fatal(err)
		}
	}
}

// held returns the files in a folder as "name: word, ...", the record by its word, and what else is there by
// name.
func held(t testing.TB, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	var all []string
	for _, e := range entries {
		data, failed := []byte(nil), error(nil)
		if !e.Type().IsRegular() {
			all = append(all, e.Name())
			continue
		} else if data, failed = os.ReadFile(filepath.Join(dir, e.Name())); failed != nil {
			err = failed
		}
		word := strings.TrimPrefix(string(data), e.Name()+" ")
		var rec struct{ Word string }
		if json.Unmarshal(data, &rec) == nil && e.Name() == "record.json" {
			word = rec.Word
		}
		all = append(all, e.Name()+": "+word)
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, ", ")
}

func is(t testing.TB, dir, want string) {
	t.Helper()
	if got := held(t, dir); got != want {
		t.Errorf("%s holds %q, want %q", filepath.Base(dir), got, want)
	}
}

// tree returns what is in a folder and below it.
func tree(t testing.TB, dir string) (all string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if all += "\n" + path; err == nil && e.IsDir() {
			all += ": " + held(t, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The files of an earlier set stay until those of a new one are complete. A set that fails leaves nothing,
// not even the folders that it was to be in.
func TestWrite(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "a", "b")
	broken := errors.New("broken")
	for _, c := range []struct {
		plant map[string]string
		w     func(io.Writer) error
		want  string // or what it holds, after an error
		err   string
	}{
		{nil, func(io.Writer) error { return broken }, "", "broken"},
		{map[string]string{"w/full/": ""}, text("w 1"), "w", "is in the way"},
		{nil, text("w 2"), "v: , w: 2", ""},
		{nil, func(io.Writer) error { return broken }, "v: , w: 2", "broken"},
		{nil, text("w 3"), "v: , w: 3", ""},
	} {
		plant(t, dir, c.plant)
		err := in(dir, func(f *Folder) error {
			f.record = ""
			got, sums, err := f.Write([]File{{"v", text("v ")}, {"w", c.w}})
			if err == nil && (len(got) != 2 || sums["v"] != sum("v ") || len(sums) != 2) {
				t.Errorf("%q, %v", got, sums)
			}
			return err
		})
		if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("error %v, want %q", err, c.err)
		}
		if c.want == "" {
			is(t, top, "")
		} else {
			is(t, dir, c.want)
		}
		if c.want == "w" {
			os.RemoveAll(filepath.Join(dir, "w"))
		}
	}
}

// A record keeps what it holds and lists the other files, also one that joins the set and goes with it. What
// is no record is refused, and lists nothing.
func TestRecord(t *testing.T) {
	dir := t.TempDir()
	for record, kept := range map[string]string{"{}": "{", "{\n  \"a\": [1]\n}\n": "{\n  \"a\": [1],", "[]": "", "3": "", "{": "", "{]}": ""} {
		os.RemoveAll(dir)
		var sums map[string]string
		err := in(dir, func(f *Folder) (err error) {
			_, sums, err = f.Write([]File{{"record.json", text(record)}, {"v", text("v")}})
			return err
		})
		got, _ := os.ReadFile(filepath.Join(dir, "record.json"))
		if kept == "" != (err != nil) || !strings.HasPrefix(string(got), kept) || err == nil && (len(sums) != 1 || listIn(got)["v"] != sum("v")) {
			t.Errorf("record %q: %s, %v, %v", record, got, sums, err)
		}
	}
	dir = earlier(t)
	for _, word := range []string{"first", "second"} {
		if err := in(dir, func(f *Folder) error { return f.Add(set(word, "page")[0]) }); err != nil {
			t.Fatal(err)
		}
		is(t, dir, "image: old, mine: own, page: "+word+", record.json: old, v: old, w: old")
	}
	if err := jobs["Write"].run(dir); err != nil {
		t.Fatal(err)
	}
	is(t, dir, jobs["Write"].fresh) // the page and the image go
	plant(t, dir, map[string]string{"victim": "x", "../victim": "x", "sub/x": "x"})
	for record, want := range map[string]string{
		"": "", "record.json mine": "", // files of others are of no set
		fmt.Sprintf(`{"files": {"../victim": %q, "sub/x": %[1]q, "victim": ""}}`, sum("x")): "image: new, mine: own, record.json: , sub, victim: x",
	} {
		os.Remove(filepath.Join(dir, "record.json"))
		if record != "" {
			plant(t, dir, map[string]string{"record.json": record})
		}
		before := held(t, dir)
		err := in(dir, func(f *Folder) error { return f.Add(set("1", "page")[0]) })
		if want == "" && (err == nil || held(t, dir) != before) {
			t.Errorf("record %q: error %v, %s", record, err, held(t, dir))
		} else if want != "" {
			if err = write(dir, "new", "image", "record.json"); err != nil {
				t.Error(err)
			}
		}
	}
	is(t, filepath.Dir(dir), "out, victim: x")
	is(t, filepath.Join(dir, "sub"), "x: x")
}

// What others have put into a folder, before a set is written or meanwhile, is not replaced unless that is
// forced. It is anything where no earlier set is recorded, and else what is in the way. No link is followed.
func TestForeignFiles(t *testing.T) {
	for _, c := range []struct {
		name  string
		there bool // an earlier set
		files map[string]string
		want  string
	}{
		{"empty", false, nil, ""},
		{"temporary", false, map[string]string{".nmu-checkpoint": "x"}, ""},
		{"other file", false, map[string]string{"thesis.tex": "mine"}, "thesis.tex"},
		{"other folder", false, map[string]string{"sub/": ""}, "sub"},
		{"other record", false, map[string]string{"record.json": "{}"}, "record.json"},
		{"an earlier set", true, nil, ""},
		{"beside one", true, map[string]string{"notes": "mine"}, ""},
		{"in the way", true, map[string]string{"w": "mine"}, "w"},
		{"changed", true, map[string]string{"v": "mine"}, "v"},
		{"a link", true, map[string]string{"w": "-> ../victim"}, "w"},
	} {
		for how := range 4 {
			late, force := how%2 == 1, how/2 == 1
			dir := filepath.Join(t.TempDir(), "out")
			plant(t, filepath.Dir(dir), map[string]string{"victim": "victim", "out/": ""})
			if c.there {
				if err := write(dir, "old", "v", "record.json"); err != nil {
					t.Fatal(err)
				}
			}
			if !late {
				plant(t, dir, c.files)
			}
			f, err := Open(dir, names, "record.json", force)
			var before string
			if err == nil {
				if late {
					plant(t, dir, c.files)
				}
				before = held(t, dir)
				_, _, err = f.Write(set("new", "v", "w", "record.json"))
				f.Close()
			}
			refused := c.want != "" && !force
			if refused != (err != nil) || refused && !strings.Contains(err.Error(), "holds "+c.want+", which is not of an earlier run") {
				t.Errorf("%s, late %v, force %v: error %v", c.name, late, force, err)
			} else if after := held(t, dir); late && refused && before != after {
				t.Errorf("%s: there was %q and is now %q", c.name, before, after)
			} else if err == nil && !strings.Contains(after, "record.json: new") {
				t.Errorf("%s, late %v, force %v: %q", c.name, late, force, after)
			}
			if got := held(t, filepath.Dir(dir)); got != "out, victim: victim" {
				t.Errorf("%s, late %v, force %v: beside it is %s", c.name, late, force, got)
			}
		}
	}
}

// If the folder that Open has found is removed or moved, the set goes to what has its path then, if that is
// an own folder and holds nothing of others. A record that another command has changed is not replaced.
func TestFolderChangedMeanwhile(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string // what is put there instead
		want  string
	}{
		"link":          {map[string]string{"out": "-> victim"}, "was replaced meanwhile"},
		"folder":        {map[string]string{"out/v": "v mine"}, "holds v"},
		"file":          {map[string]string{"out": "out mine"}, "was replaced meanwhile"},
		"gone":          {nil, ""},
		"remade":        {map[string]string{"out/": ""}, ""},
		"record":        {nil, "another command has changed"},
		"record is new": {nil, "another command has changed"},
	} {
		for how, use := range map[string]func(f *Folder) error{
			"Write": func(f *Folder) error {
				_, _, err := f.Write(set("new", "v", "w", "record.json"))
				return err
			},
			"Add":     func(f *Folder) error { return f.Add(set("new", "page")[0]) },
			"Replace": func(f *Folder) error { return f.Replace(".nmu-x", text(".nmu-x new")) },
		} {
			top := t.TempDir()
			dir := filepath.Join(top, "out")
			plant(t, top, map[string]string{"victim/v": "v mine", "victim/.nmu-x": ".nmu-x mine"})
			if name != "record is new" {
				if err := write(dir, "old", "v", "record.json"); err != nil {
					t.Fatal(err)
				}
			}
			f, err := Open(dir, names, "record.json", true)
			if err != nil {
				t.Fatal(err)
			}
			if f.Keep(); strings.HasPrefix(name, "record") {
				err = write(dir, "late", "v", "record.json")
			} else if err = os.Rename(dir, filepath.Join(top, "moved")); err != nil {
				t.Skipf("NOT TESTED: an open folder cannot be moved: %v", err)
			}
			if plant(t, top, c.files); err != nil {
				t.Fatal(err)
			}
			before, put := tree(t, top), how == "Write" || how == "Replace" && !strings.HasPrefix(c.want, "was")
			err = use(f)
			f.Close()
			switch after := tree(t, top); {
			case how == "Write" && c.want == "" && err == nil:
				is(t, dir, "record.json: new, v: new, w: new")
			case how == "Replace" && put && err == nil:
				if !strings.HasPrefix(held(t, dir), ".nmu-x: new") {
					t.Errorf("%s: %s", name, after)
				}
			case err == nil || how == "Write" && !strings.Contains(err.Error(), c.want):
				t.Errorf("%s, %s: error %v", name, how, err)
			case c.want != "" && after != before:
				t.Errorf("%s, %s: there was\n%sand is now\n%s", name, how, before, after)
			}
			is(t, filepath.Join(top, "victim"), ".nmu-x: mine, v: mine")
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
	modes := map[string]fs.FileMode{"v": 0o600, "w": 0o640, "record.json": 0o604, "mine": 0o400, ".": 0o750}
	for name, mode := range modes {
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	before, _ := os.Stat(dir)
	t.Chdir(dir)
	for _, way := range []string{".", filepath.Join(top, "link")} {
		if err := errors.Join(jobs["Write"].run(way), jobs["Replace"].run(way)); err != nil {
			t.Error(err)
		}
	}
	for name, mode := range modes {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s has mode %v, %v", name, info.Mode(), err)
		}
	}
	if after, err := os.Stat(dir); err != nil || !os.SameFile(before, after) {
		t.Errorf("the folder is another one, %v", err)
	}
	for _, path := range []string{"dangling", filepath.Join("dangling", "x")} {
		if err := write(filepath.Join(top, path), "1", "v"); err == nil {
			t.Error("a link to nothing is written through")
		}
	}
	is(t, top, "dangling, link, out")
}

// Writers of one folder that is not there yet all succeed, and one set is there; those that fail meanwhile
// take nothing away.
func TestManyWritersNewFolder(t *testing.T) {
	for round := 0; round < 30 && !t.Failed(); round++ {
		dir := filepath.Join(t.TempDir(), "a", "out")
		var wg sync.WaitGroup
		for writer := range 4 {
			wg.Go(func() {
				f, err := Open(dir, names, "record.json", false)
				if err != nil {
					t.Errorf("round %d: %v", round, err)
					return
				}
				defer f.Close()
				files := set(strconv.Itoa(writer), "v", "w", "record.json")
				if writer == 3 {
					files[1].Write = func(io.Writer) error { return errors.ErrUnsupported }
				}
				if _, _, err := f.Write(files); (err != nil) != (writer == 3) {
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
