package direct

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"nmu/internal/must"
)

// TestMake: memory begins at a page, and its capacity ends at one.
func TestMake(t *testing.T) {
	for n := range 2100 {
		x := Make[float32](n)
		at := uintptr(unsafe.Pointer(unsafe.SliceData(x)))
		if len(x) != n || at%Page != 0 || cap(x)*4%Page != 0 || len(Bytes(x)) != 4*n || cap(Bytes(x)) != 4*cap(x) {
			t.Fatalf("%d numbers: %d at %x, capacity %d, %d bytes", n, len(x), at, cap(x), len(Bytes(x)))
		}
	}
}

// TestFiles: what is written to a scratch file is read from it, a file that is read ends
// where it ends, and nothing is left of a scratch file.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	rng := rand.NewChaCha8([32]byte{1})
	want := Bytes(Make[float32](3 * Page / 4))
	rng.Read(want)

	f, err := Scratch(dir, 5*Page)
	must.Do(t, err)
	must.Do(t, f.WriteAt(want, Page))
	got := Bytes(Make[float32](8 * Page / 4))
	if n, err := f.ReadAt(got, 0); err != nil || n != 5*Page || !bytes.Equal(got[Page:4*Page], want) {
		t.Errorf("%d bytes of a scratch file of %d, error %v", n, 5*Page, err)
	}
	for _, x := range append(got[:Page:Page], got[4*Page:5*Page]...) {
		if x != 0 {
			t.Fatal("what was not written is not zero")
		}
	}
	must.Do(t, f.Close())
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%v is left", left)
	}

	path := filepath.Join(dir, "file")
	must.Do(t, os.WriteFile(path, want[:2*Page+77], 0o666))
	if f, err = Open(path); err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if n, err := f.ReadAt(got[:2*Page], Page); err != nil || n != Page+77 || !bytes.Equal(got[:n], want[Page:2*Page+77]) {
		t.Errorf("%d bytes at the end of a file, error %v", n, err)
	}
	must.Equal(t, must.Get(f.ReadAt(got[:Page], 4*Page))(t), 0, "bytes behind the end of a file")
	must.Do(t, os.Truncate(path, 10))
	must.Equal(t, must.Get(f.ReadAt(got[:Page], 0))(t), 10, "bytes of a file that has shrunk")
}

// TestNoRoom: a scratch file that cannot be is an error at once.
func TestNoRoom(t *testing.T) {
	if _, err := Scratch(filepath.Join(t.TempDir(), "none"), Page); !os.IsNotExist(err) {
		t.Errorf("a scratch file in no folder: %v", err)
	}
	dir := t.TempDir()
	if f, err := Scratch(dir, 1<<62); err == nil {
		f.Close()
		t.Error("there is room for 4 EiB")
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// TestSpeeds: they are positive, and a file that does not tell is an error.
func TestSpeeds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	must.Do(t, os.WriteFile(path, make([]byte, piece+1), 0o666))
	if x, err := ReadSpeed(path); err != nil || !(x > 0) {
		t.Errorf("reading: %v, %v", x, err)
	}
	for _, reads := range []bool{false, true} {
		if x, y, err := ScratchSpeeds(filepath.Dir(path), 3*piece, reads); err != nil || !(x > 0) || (y > 0) != reads {
			t.Errorf("writing and reading %v: %v, %v, %v", reads, x, y, err)
		}
	}
	if _, _, err := ScratchSpeeds(filepath.Dir(path), 10, true); err == nil {
		t.Error("10 bytes show how fast they are written")
	}
	if _, err := ReadSpeed(filepath.Dir(path)); err == nil {
		t.Error("a folder is read")
	}
}

// TestScratchWithoutFolder checks that a scratch file without a folder is in the system's for temporary files.
func TestScratchWithoutFolder(t *testing.T) {
	f := must.Get(Scratch("", Page))(t)
	defer f.Close()
	must.Equal(t, f.folder, os.TempDir(), "it is in")
}

// Errors about a scratch file name its folder, not the file, whose name is gone.
func TestScratchErrorsNameFolder(t *testing.T) {
	dir := t.TempDir()
	f := must.Get(Scratch(dir, Page))(t)
	must.Do(t, f.Close())
	p := Bytes(Make[float64](Page / 8))
	_, read := f.ReadAt(p, 0)
	for _, err := range []error{read, f.WriteAt(p, 0)} {
		if err == nil || !strings.Contains(err.Error(), "a scratch file in "+dir) || strings.Contains(err.Error(), ".nmu-") {
			t.Errorf("error %v", err)
		}
	}
}
