package fileset

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// A file that joins a set is of it: it is recorded, goes with it, and the rest of the
// record and all other files are as before.
func TestAdd(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	write(t, dir, "old", "v", "w", "record")
	if err := os.WriteFile(filepath.Join(dir, "notes"), []byte("notes mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"first", "second"} {
		if err := Add(dir, set(word, "page")[0], "record"); err != nil {
			t.Fatal(err)
		}
		is(t, dir, "notes: mine, page: "+word+", record: old, v: old, w: old")
		files, err := Recorded(dir, "record")
		if err != nil || len(files) != 3 || files["page"] == "" || files["v"] == "" || files["w"] == "" {
			t.Errorf("recorded are %v, %v", files, err)
		}
	}
	write(t, dir, "new", "v", "w", "record")
	is(t, dir, "notes: mine, record: new, v: new, w: new")

	broken := errors.New("broken")
	if err := Add(dir, File{"page", func(io.Writer) error { return broken }}, "record"); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	if err := Add(dir, set("1", "page")[0], "nothing"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a record: error %v", err)
	}
	if err := Add(dir, set("1", "page")[0], "notes"); err == nil {
		t.Error("a record that is no JSON is accepted")
	}
	if err := Add(filepath.Join(dir, "nowhere"), set("1", "page")[0], "record"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a folder: error %v", err)
	}
	is(t, dir, "notes: mine, record: new, v: new, w: new")
}

// If a step of it fails, there is what was there before; if all that follow fail too,
// as when the process ends, the next one completes it.
func TestAddFailsAtEveryStep(t *testing.T) {
	for _, forever := range []bool{false, true} {
		done := false
		for step := 0; !done; step++ {
			dir := filepath.Join(t.TempDir(), "out")
			write(t, dir, "old", "v", "record")
			left := step
			restore := atEveryStep(func(string) error {
				left--
				if left == -1 || left < 0 && forever {
					return errors.New("no")
				}
				return nil
			})
			err := Add(dir, set("new", "page")[0], "record")
			restore()
			done = left >= 0
			if err == nil && !done && forever {
				t.Errorf("step %d failed, and there is no error", step)
			}
			if checked := Check(dir, []string{"v"}); checked != nil {
				t.Fatal(checked)
			}
			with, without := "page: new, record: old, v: old", "record: old, v: old"
			switch got := held(t, dir); {
			case got == with:
			case got == without && err != nil:
			default:
				t.Errorf("step %d of %v: it holds %q, after %v", step, forever, got, err)
			}
			files, err := Recorded(dir, "record")
			if err != nil || (files["page"] != "") != exists(filepath.Join(dir, "page")) {
				t.Errorf("step %d: recorded are %v, %v", step, files, err)
			}
		}
	}
}
