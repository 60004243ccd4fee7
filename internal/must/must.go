// Package must ends a test on an error, and so shortens what prepares it:
//
//	res := must.Get(lnmu.Factor(t.Context(), m, rank, method, nil))(t, name)
package must

import "testing"

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
