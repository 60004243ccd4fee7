// Package must shortens tests. Do and Get end a test on an error of what prepares it; Equal, AtMost,
// Fail, Say and others report a fault, and the test goes on. The values about say in which case:
//
//	res := must.Get(lnmu.Factor(t.Context(), m, rank, method, nil))(t, name)
//	must.Equal(t, res.Stop, outcome.StopExact, name)
//	must.Refuse(lnmu.Factor(t.Context(), m, 0, method, nil))(t, lnmu.ErrOption, "rank 0", name)
package must

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// Do ends the test on an error.
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

// Equal reports a value that is not the one wanted.
func Equal[X comparable](t testing.TB, got, want X, about ...any) {
	if got != want { // which may be asked for each entry of a matrix
		t.Helper()
		report(t, got, want, about)
	}
}

// EqualSlices reports a slice whose elements are not those wanted.
func EqualSlices[S ~[]X, X comparable](t testing.TB, got, want S, about ...any) {
	if !slices.Equal(got, want) {
		t.Helper()
		report(t, got, want, about)
	}
}

// AtMost reports a value that is not at most a bound. A NaN is above and below every bound.
func AtMost[X cmp.Ordered](t testing.TB, got, bound X, about ...any) {
	if !(got <= bound) {
		t.Helper()
		report(t, got, fmt.Sprint("at most ", bound), about)
	}
}

// AtLeast reports a value that is not at least a bound.
func AtLeast[X cmp.Ordered](t testing.TB, got, bound X, about ...any) {
	if !(got >= bound) {
		t.Helper()
		report(t, got, fmt.Sprint("at least ", bound), about)
	}
}

// Below reports a value that is not below a bound.
func Below[X cmp.Ordered](t testing.TB, got, bound X, about ...any) {
	if !(got < bound) {
		t.Helper()
		report(t, got, fmt.Sprint("less than ", bound), about)
	}
}

// Above reports a value that is not above a bound.
func Above[X cmp.Ordered](t testing.TB, got, bound X, about ...any) {
	if !(got > bound) {
		t.Helper()
		report(t, got, fmt.Sprint("more than ", bound), about)
	}
}

// Fail reports an error that is nil, does not wrap is, or does not contain says. is may be nil.
func Fail(t testing.TB, err, is error, says string, about ...any) {
	if err == nil || is != nil && !errors.Is(err, is) || !strings.Contains(err.Error(), says) {
		t.Helper()
		report(t, err, fmt.Sprintf("%v that says %q", is, says), about)
	}
}

// Say reports a text that does not contain some words.
func Say(t testing.TB, text, words string, about ...any) {
	if !strings.Contains(text, words) {
		t.Helper()
		report(t, text, fmt.Sprintf("a text that says %q", words), about)
	}
}

// Refuse is Fail for the error of a function of two results.
func Refuse[X any](_ X, err error) func(t testing.TB, is error, says string, about ...any) {
	return func(t testing.TB, is error, says string, about ...any) {
		t.Helper()
		Fail(t, err, is, says, about...)
	}
}

// report reports a fault. It cuts long texts.
func report(t testing.TB, got, want any, about []any) {
	t.Helper()
	t.Errorf("%sgot %.10000s, want %.10000s", fmt.Sprintln(about...), fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want))
}
