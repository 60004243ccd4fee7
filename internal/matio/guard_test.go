//go:build unix

package matio_test

import (
	"errors"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"nmu/internal/matio"
	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

// mappedFile returns a .npy file that is mapped, and its data.
func mappedFile(t *testing.T) (f *matio.File, data []float64) {
	t.Helper()
	if element.HostBigEndian {
		t.Skip("mapped files cannot be used on this machine, whose order of bytes is not theirs")
	}
	const rows, cols = 1 << 9, 1 << 9
	path := t.TempDir() + "/a.npy"
	must.Do(t, matiotest.WriteNpy(path, rows, cols, make([]float64, rows*cols), cols))
	f = matiotest.Open(t, path, matio.Options{})
	_, _, data, err := matio.Dense[float64](f)
	if err != nil || !f.Mapped() {
		t.Fatalf("mapped: %t, error %v", f.Mapped(), err)
	}
	return f, data
}

// A mapped file that shrinks is an error, not the end of the process.
func TestGuardShrunk(t *testing.T) {
	f, data := mappedFile(t)
	err := f.Guard(func() error {
		must.Do(t, os.Truncate(f.Path(), 4096))
		sum := 0.0
		for _, x := range data {
			sum += x
		}
		t.Errorf("all data could be read, the sum is %v", sum)
		return nil
	})
	if !errors.Is(err, matio.ErrChanged) || !strings.Contains(err.Error(), "shrank") || !strings.HasPrefix(err.Error(), f.Path()) {
		t.Errorf("error %v", err)
	}
	if debug.SetPanicOnFault(false) {
		t.Error("a fault would still be a panic")
	}
}

// A mapped file that changes in any way is an error after the work, whatever
// that returned.
func TestGuardChanged(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"written": func(path string) error {
			file, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			time.Sleep(20 * time.Millisecond) // times of files advance in steps
			_, err = file.WriteAt([]byte{1}, 4096)
			return errors.Join(err, file.Close())
		},
		"shortened beyond what is read": func(path string) error { return os.Truncate(path, 1<<20) },
		"lengthened":                    func(path string) error { return os.Truncate(path, 1<<23) },
	} {
		f, data := mappedFile(t)
		for _, failure := range []error{nil, errors.New("of the work")} {
			err := f.Guard(func() error {
				must.Do(t, change(f.Path()))
				_ = data[0]
				return failure
			})
			must.Fail(t, err, matio.ErrChanged, f.Path(), name, "error", failure, "of the work: error")
		}
	}
}

// Where nothing changes, Guard returns what the work does, and panics pass.
func TestGuardPasses(t *testing.T) {
	f, _ := mappedFile(t)
	failure := errors.New("of the work")
	for _, want := range []error{nil, failure} {
		must.Equal(t, f.Guard(func() error { return want }), want, "error")
	}
	for _, want := range []any{failure, "text"} {
		func() {
			defer func() {
				must.Equal(t, recover(), want, "panic")
			}()
			f.Guard(func() error { panic(want) })
		}()
	}
	var beyond *int
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a nil pointer is no panic")
			}
		}()
		f.Guard(func() error { *beyond = 1; return nil })
	}()
}
