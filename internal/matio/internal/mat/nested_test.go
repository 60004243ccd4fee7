package mat_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

// Fields and cells of files of Octave are those that it saved:
//
//	s.name = "x"; s.data = [0 .25 .5; .75 1 1.25]; s.inner.deep = sparse([0 1 2; 3 100 5]); s.none = [];
//	t(1).m = [1 2]; t(2).m = [3; 4];
//	c = {7, [0 .25 .5; .75 1 1.25]; "text", struct("x", uint8([1 2 3]))};
func TestNested(t *testing.T) {
	for _, name := range []string{"nested6.mat", "nested7.mat"} {
		path := filepath.Join("testdata", name)
		matiotest.WantDense(t, path, "s.data", matiotest.Quarters)
		matiotest.WantSparse(t, path, "s.inner.deep", matiotest.Counts)
		matiotest.WantDense(t, path, "t(1).m", matiotest.New(1, 2, []float64{1, 2}))
		matiotest.WantDense(t, path, "t(2).m", matiotest.New(2, 1, []float64{3, 4}))
		matiotest.WantDense(t, path, "c{1}", matiotest.New(1, 1, []float64{7}))
		matiotest.WantDense(t, path, "c{3}", matiotest.Quarters)
		matiotest.WantDense(t, path, "c{4}.x", matiotest.New(1, 3, []float64{1, 2, 3}))
		for v, want := range map[string]string{
			"":          "name a field or a cell of one, such as s.data",
			"s":         "want a real numeric matrix",
			"s.name":    "want a real numeric matrix",
			"s.date":    "s.data",
			"s{1}":      "has no cells",
			"c.x":       "has no fields",
			"c{5}":      "has no cell 5",
			"c{0}":      "is no number in brackets",
			"c{1":       "is no number in brackets",
			"t.m":       "has 2 elements; choose one, such as t(1).m",
			"t(3).m":    "has no element 3",
			"s.data.x":  "has no fields",
			"s.":        "a field without a name",
			"s(1)":      "is followed by a field",
			"u.data":    "u.data",
			"s.data{1}": "has no cells",
		} {
			_, err := matio.Open(path, matio.Options{Var: v})
			if err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, matio.ErrVar) && !errors.Is(err, matio.ErrUnsupported) {
				t.Errorf("%s: %q: %v, want %q", name, v, err, want)
			}
		}
		f := matiotest.Open(t, path, matio.Options{Var: "s.none"})
		if rows, cols := f.Dims(); rows != 0 || cols != 0 {
			t.Errorf("%d x %d", rows, cols)
		}
	}
}

// Damaged files are refused, or give the same numbers where the damage is elsewhere. No claim
// takes memory.
func TestNestedDamaged(t *testing.T) {
	content := must.Get(os.ReadFile(filepath.Join("testdata", "nested6.mat")))(t)
	read := func(content []byte) error {
		f, err := matio.Open(matiotest.Write(t, "a.mat", content), matio.Options{Var: "s.inner.deep", MaxMemory: 1 << 20})
		if err != nil {
			return err
		}
		defer f.Close()
		_, _, _, _, _, err = matio.Sparse[float64](f)
		return err
	}
	known := func(err error) bool {
		return errors.Is(err, input.ErrFormat) || errors.Is(err, matio.ErrVar) || errors.Is(err, matio.ErrUnsupported) || errors.Is(err, matio.ErrTooLarge)
	}
	for at := 128; at < len(content); at += 7 {
		damaged := append([]byte{}, content...)
		damaged[at] ^= 0xff
		if err := read(damaged); err != nil && !known(err) {
			t.Errorf("byte %d: %v", at, err)
		}
		if err := read(content[:at]); at < 700 && !known(err) {
			t.Errorf("%d bytes: %v", at, err)
		}
	}
}
