package fileset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// tree returns what is in a folder and below it: the paths with their modes and what
// they hold, in order.
func tree(t testing.TB, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %v", name, e.Type())
		switch {
		case e.Type().IsRegular():
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %q", text)
		case e.Type()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %s", to)
		}
		b.WriteString("\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// readsOrRefuses reads the set in dir as its record says, and fails the test if that
// changes anything, or if what is there is no set and Read does not say why.
func readsOrRefuses(t *testing.T, dir string) {
	t.Helper()
	before := tree(t, dir)
	err := Read(dir, func() error {
		list, err := Recorded(dir, "record")
		if err == nil && (list["v"] == "" || list["w"] == "") {
			err = errors.New("v and w are not those of the record")
		}
		return err
	})
	var unfinished *UnfinishedError
	if err != nil && !errors.As(err, &unfinished) {
		t.Errorf("error %v in\n%s", err, before)
	}
	if after := tree(t, dir); after != before {
		t.Errorf("reading has changed\n%sto\n%s", before, after)
	}
}

// plant makes files, whose names end in a slash if they are folders, or hold "-> " and
// where a link leads.
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

// sumOfText returns the SHA-256 of a text, in hexadecimal.
func sumOfText(t testing.TB, text string) string {
	t.Helper()
	sum, err := hash(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// A journal from elsewhere changes nothing outside the folder, nothing at all when the
// folder is read, and none that is not plain is followed by what writes.
func TestForeignJournal(t *testing.T) {
	x, precious := sumOfText(t, "x"), sumOfText(t, "precious")
	stage := func(files ...string) map[string]string {
		m := map[string]string{}
		for i := 0; i < len(files); i += 2 {
			m["out/.nmu-0abc/"+files[i]] = files[i+1]
		}
		if m["out/.nmu-0abc/old"] == "" {
			m["out/.nmu-0abc/old/"] = ""
		}
		return m
	}
	for _, c := range []struct {
		name    string
		files   map[string]string
		refused bool // by what writes
	}{
		{"replaces outside", stage("victim", "x", "new/", "", "old/", "", "commit", `{"Files":{"../victim":"00"},"Gone":{},"Fresh":[],"Last":"record"}`), true},
		{"replaces outside, with its sum", stage("victim", "x", "new/", "", "old/", "", "commit", `{"Files":{"../victim":"`+x+`"},"Last":"record"}`), true},
		{"deletes outside", stage("new/", "", "old/", "", "commit", `{"Files":{},"Gone":{"../victim":"`+precious+`"}}`), true},
		{"deletes outside, of no set", stage("new/", "", "commit", `{"Gone":{"../victim":"`+precious+`"}}`), true},
		{"undoes outside", stage("victim", "x", "new/", "", "old/", "", "undo", `{"Files":{"../victim":"00"}}`), true},
		{"removes outside by undoing", stage("new/", "", "old/", "", "undo", `{"Files":{"../victim":"`+precious+`"},"Fresh":["../victim"]}`), true},
		{"absolute", stage("new/", "", "commit", `{"Files":{"/etc/nmu":"00"}}`), true},
		{"backslash", stage("new/", "", "commit", `{"Files":{"..\\victim":"00"}}`), true},
		{"temporary name", stage("new/.nmu-x", "x", "commit", `{"Files":{".nmu-x":"`+x+`"}}`), true},
		{"folder itself", stage("new/", "", "commit", `{"Files":{".":""}}`), true},
		{"empty name", stage("new/", "", "commit", `{"Files":{"":""}}`), true},
		{"no folder of old files", map[string]string{"out/.nmu-0abc/new/v": "x", "out/.nmu-0abc/commit": `{"Files":{"v":"` + x + `"}}`}, true},
		{"fresh one not of the set", stage("new/", "", "commit", `{"Files":{},"Fresh":["v"]}`), true},
		{"other text", stage("new/v", "x", "commit", `{"Files":{"v":"00"}}`), true},
		{"part of a set", stage("new/v", "x", "commit", `{"Files":{"v":"`+x+`","w":"`+x+`"}}`), true},
		{"no JSON", stage("new/", "", "commit", "x"), true},
		{"too long", stage("new/", "", "commit", `{"Files":{"v":"`+strings.Repeat("0", maxJournal)+`"}}`), true},
		{"journal is a link", stage("new/", "", "commit", "-> ../../journal"), true},
		{"journal is a folder", stage("new/", "", "commit/", ""), true},
		{"new is a link", stage("new", "-> ../..", "commit", `{"Files":{"victim":"`+precious+`"}}`), true},
		{"old is a link", stage("old", "-> ../..", "undo", `{"Files":{"victim":"00"}}`), true},
		{"the file is a link", stage("new/v", "-> ../../../victim", "commit", `{"Files":{"v":"`+precious+`"}}`), true},
		{"temporary folder is a link", map[string]string{"out/.nmu-0abc": "-> ../elsewhere", "elsewhere/new/v": "x", "elsewhere/commit": `{"Files":{"v":"` + x + `"}}`}, false},
		{"beside, outside", map[string]string{".nmu-out-0abc/victim": "x", ".nmu-out-0abc/new/": "", ".nmu-out-0abc/old/": "", ".nmu-out-0abc/commit": `{"Files":{"../victim":""}}`}, false},
		{"beside, a link", map[string]string{".nmu-out-0abc": "-> elsewhere", "elsewhere/new/planted": "x", "elsewhere/commit": `{"Files":{}}`}, false},
		{"beside, new is a link", map[string]string{".nmu-out-0abc/new": "-> ../elsewhere", "elsewhere/planted": "x", ".nmu-out-0abc/commit": `{"Files":{}}`}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if runtime.GOOS == "windows" && strings.Contains(fmt.Sprint(c.files), "-> ") {
				t.Skip("NOT TESTED: links cannot be used on this machine by every user")
			}
			top := t.TempDir()
			dir := filepath.Join(top, "out")
			write(t, dir, "old", "v", "w", "record")
			plant(t, top, map[string]string{"victim": "precious", "journal": `{"Files":{}}`})
			plant(t, top, c.files)
			outside := func() string {
				var kept []string
				for line := range strings.Lines(tree(t, top)) {
					if !strings.HasPrefix(line, "out") {
						kept = append(kept, line)
					}
				}
				return strings.Join(kept, "")
			}
			before := outside()
			readsOrRefuses(t, dir)
			err := Check(dir, []string{"v"})
			if (err != nil) != c.refused {
				t.Errorf("Check: error %v", err)
			}
			if err != nil && !strings.Contains(err.Error(), filepath.Join(dir, ".nmu-0abc")) {
				t.Errorf("the error does not say where: %v", err)
			}
			_, _, err = Write(dir, set("new", "v", "w", "record"), "record")
			if (err != nil) != c.refused {
				t.Errorf("Write: error %v", err)
			}
			if err := Add(dir, set("new", "page")[0], "record"); (err != nil) != c.refused {
				t.Errorf("Add: error %v", err)
			}
			if after := outside(); after != before {
				t.Errorf("there was\n%sand is now\n%s", before, after)
			}
			if text, err := os.ReadFile(filepath.Join(dir, "v")); err != nil || string(text) != map[bool]string{true: "v old", false: "v new"}[c.refused] {
				t.Errorf("v holds %q, %v", text, err)
			}
			if exists(filepath.Join(dir, "planted")) {
				t.Error("a file was planted")
			}
		})
	}
}

// A set that a process has left half in its place, and whose files were replaced since
// by someone who could not complete it, replaces nothing.
func TestHalfSetReplacesNothing(t *testing.T) {
	dir, _, _ := earlier(t, "mine")
	plant(t, dir, map[string]string{
		".nmu-0abc/new/w": "w half", ".nmu-0abc/old/v": "v old",
		".nmu-0abc/commit": fmt.Sprintf(`{"Files": {"v": %q, "w": %q}}`, sumOfText(t, "v half"), sumOfText(t, "w half")),
	})
	before := tree(t, dir)
	if err := Check(dir, nil); err == nil || !strings.Contains(err.Error(), "v is not that of its set") {
		t.Errorf("error %v", err)
	}
	if after := tree(t, dir); after != before {
		t.Errorf("there was\n%sand is now\n%s", before, after)
	}
	plant(t, dir, map[string]string{"v": "v half"})
	if err := Check(dir, nil); err != nil {
		t.Fatal(err)
	}
	is(t, dir, "image: old, mine: own, record: old, v: half, w: half")
}

// Files of a set have plain names.
func TestPlainNames(t *testing.T) {
	for _, name := range []string{"", ".", "..", "../v", "a/b", `a\b`, "/v", ".nmu-v"} {
		dir := t.TempDir()
		if _, _, err := Write(dir, []File{{name, text("x")}}, ""); err == nil {
			t.Errorf("a file is written as %q", name)
		}
		is(t, dir, "")
	}
}

// FuzzJournal writes a journal into a temporary folder: of the folder or beside it, of
// a set to be completed or undone. Whatever it holds, what is outside of the folder
// stays, a reader changes nothing, and files of the set stay whole.
func FuzzJournal(f *testing.F) {
	if exists("/dev/shm") { // in memory a case takes a twentieth of the time
		f.Setenv("TMPDIR", "/dev/shm")
	}
	x, y, v := sumOfText(f, "x"), sumOfText(f, "y"), sumOfText(f, "old")
	for _, text := range []string{
		`{"Files":{"../victim":"00"},"Gone":{},"Fresh":[],"Last":"record"}`, `{"Gone":{"../victim":"` + x + `"}}`,
		`{"Files":{"v":"` + x + `","w":"` + y + `"},"Fresh":["w"],"Last":"v"}`, `{"Files":{"a":"` + x + `"},"Gone":{"v":"` + v + `"}}`,
		`{"Files":{"..\\victim":"","/v":"",".":"",".nmu-0":""}}`, `{"Files":null}`, `[]`, ``,
	} {
		for kind := range byte(4) {
			f.Add(kind, []byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, kind byte, text []byte) {
		if _, err := parseJournal(text); err != nil && len(text)%16 > 0 {
			return // it is refused, so that few of these are worth a folder
		}
		journalCase(t, kind, text)
	})
}

// journalCase runs a case of FuzzJournal in an empty folder.
func journalCase(t testing.TB, kind byte, text []byte) {
	t.Helper()
	top := t.TempDir()
	dir := filepath.Join(top, "out")
	mark := [2]string{commitMark, undoMark}[kind&1]
	stage := [2]string{"out/.nmu-0abc/", ".nmu-out-0abc/"}[kind>>1&1]
	files := map[string]string{
		"victim": "x", "victims/v": "x", "out/v": "old", "out/w": "old", "out/mine": "mine", "out/record": "{}",
		stage + "victim": "y", stage + "v": "y", stage + mark: string(text),
	}
	for name, text := range map[string]string{"v": "x", "w": "y", "a": "x"} {
		files[stage+newFiles+"/"+name] = text
		files[stage+oldFiles+"/"+name] = text
	}
	plant(t, top, files)
	before := tree(t, top)
	Read(dir, func() error { _, err := Recorded(dir, "record"); return err })
	if after := tree(t, top); after != before {
		t.Fatalf("reading has changed\n%sto\n%s", before, after)
	}
	err := Check(dir, []string{"v", "w"})
	for _, name := range []string{"victim", "victims/v"} {
		if text, err := os.ReadFile(filepath.Join(top, name)); err != nil || string(text) != "x" {
			t.Fatalf("%s holds %q, %v", name, text, err)
		}
	}
	for _, name := range []string{"v", "w", "mine", "record"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil && !strings.Contains(" x y old mine {} ", " "+string(text)+" ") || err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("%s holds %q, %v", name, text, err)
		}
	}
	if entries, failed := os.ReadDir(top); failed != nil || err == nil && len(entries) > 4 {
		t.Fatalf("%v, %v", entries, failed)
	}
	if err == nil && exists(filepath.Join(dir, ".nmu-0abc")) {
		t.Fatal("the temporary folder is there")
	}
	if _, _, failed := Write(dir, set("new", "v", "w"), ""); (failed != nil) != (err != nil) {
		t.Fatalf("Check: %v, Write: %v", err, failed)
	}
}
