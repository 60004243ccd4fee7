package matio_test

import (
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

func TestCBCL(t *testing.T) {
	path := must.PaperFile(t, "CBCL.mat")
	f := matiotest.Open(t, path, matio.Options{})
	r, c, data := must.Three(matio.Dense[float64](f))(t)
	if f.Sparse() || r != 361 || c != 2429 || len(data) != r*c {
		t.Errorf("%s: %d x %d, sparse %v", f.Path(), r, c, f.Sparse())
	}
	top := 0.0
	for i, v := range data {
		if !(v > 0 && v <= 1) {
			t.Fatalf("element %d, %d is %v, outside (0, 1]", i/c, i%c, v)
		}
		top = max(top, v)
	}
	must.Equal(t, top, 1, "the largest element")
	_, _, turned := must.Three(matio.Dense[float64](matiotest.Open(t, path, matio.Options{Var: "X", Transpose: true})))(t)
	for i := range r {
		for j := range c {
			if turned[j*r+i] != data[i*c+j] {
				t.Fatalf("the transpose differs at %d, %d", j, i)
			}
		}
	}
}
