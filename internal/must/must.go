// Package must ends a test on an error, and so shortens what prepares it:
//
//	res := must.Get(lnmu.Factor(t.Context(), m, rank, method, nil))(t, name)
package must

import (
	"os"
	"path/filepath"
	"testing"
)

// PaperFile returns the path of a file of the paper's data, in the folder NMU_DATA or in
// shared/data beside the module, or skips the test.
func PaperFile(t testing.TB, name string) string {
	t.Helper()
	folder := os.Getenv("NMU_DATA")
	if folder == "" {
		module := Get(os.Getwd())(t)
		for module != filepath.Dir(module) {
			if _, err := os.Stat(filepath.Join(module, "go.mod")); err == nil {
				break
			}
			module = filepath.Dir(module)
		}
		folder = filepath.Join(module, "..", "shared", "data")
	}
	path := filepath.Join(folder, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%v; NMU_DATA names the folder of the paper's data", err)
	}
	return path
}

// Do ends the test on an error. about says in which case.
func Do(t testing.TB, err error, about ...any) {
	if t.Helper(); err != nil {
		t.Fatal(append(about, err)...)
	}
}

// Get returns what returns x, and ends the test on an error.
func Get[X any](x X, err error) func(t testing.TB, about ...any) X {
	return func(t testing.TB, about ...any) X {
		t.Helper()
		Do(t, err, about...)
		return x
	}
}

// Two is Get for a function of two results.
func Two[X, Y any](x X, y Y, err error) func(t testing.TB, about ...any) (X, Y) {
	return func(t testing.TB, about ...any) (X, Y) {
		t.Helper()
		Do(t, err, about...)
		return x, y
	}
}

// Three is Get for a function of three results.
func Three[X, Y, Z any](x X, y Y, z Z, err error) func(t testing.TB, about ...any) (X, Y, Z) {
	return func(t testing.TB, about ...any) (X, Y, Z) {
		t.Helper()
		Do(t, err, about...)
		return x, y, z
	}
}
