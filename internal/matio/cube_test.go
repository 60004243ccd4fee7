package matio_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
)

// TestCubes: an array of lines x samples x bands is the matrix of the ENVI cube of the same
// scene, with its size, and a note says so: in C order and in Fortran order, in NumPy's files
// and in MATLAB's, packed and turned.
func TestCubes(t *testing.T) {
	const lines, samples, bands = 2, 3, 4
	want := matiotest.New(bands, lines*samples, make([]float64, bands*lines*samples))
	inC, inFortran := make([]float64, len(want.Data)), make([]float64, len(want.Data))
	for y := range lines {
		for x := range samples {
			for b := range bands {
				value := float64(10*b + 3*y + x)
				want.Data[(b*lines+y)*samples+x] = value
				inC[(y*samples+x)*bands+b] = value
				inFortran[y+lines*(x+samples*b)] = value
			}
		}
	}
	cube := matiotest.MatArrayElement(matiotest.LE, "scene", [2]uint32{6, 0}, []uint32{lines, samples, bands}, matiotest.MatPart(matiotest.LE, true, 9, matiotest.BytesOf(inFortran, "<f8")))
	shape := fmt.Sprintf("(%d, %d, %d)", lines, samples, bands)
	for name, content := range map[string][]byte{
		"c.npy":       matiotest.NpyFile(1, "<f8", false, shape, matiotest.BytesOf(inC, "<f8")),
		"short.npy":   matiotest.NpyFile(1, ">i2", false, shape, matiotest.BytesOf(inC, ">i2")),
		"fortran.npy": matiotest.NpyFile(1, "<f4", true, shape, matiotest.BytesOf(inFortran, "<f4")),
		"scene.mat":   matiotest.MatFile5(matiotest.LE, cube),
		"packed.mat":  matiotest.MatFile5(matiotest.LE, matiotest.Deflated(matiotest.LE, cube)),
	} {
		path := matiotest.Write(t, name, content)
		matiotest.WantDense(t, path, "", want)
		f := matiotest.Open(t, path, matio.Options{})
		if h, w, ok := f.MapSize(); h != lines || w != samples || !ok {
			t.Errorf("%s: MapSize() = %d, %d, %v", name, h, w, ok)
		}
		if !slices.ContainsFunc(f.Notes(), func(note string) bool { return strings.Contains(note, "a cube of 2 x 3 pixels with 4 bands") }) {
			t.Errorf("%s: notes %q do not say that it is a cube", name, f.Notes())
		}
	}
	for _, fortran := range []bool{false, true} {
		empty := matiotest.Write(t, "empty.npy", matiotest.NpyFile(1, "<f8", fortran, "(0, 3, 2)", nil))
		matiotest.WantDense(t, empty, "", matiotest.New(2, 0, nil))
	}
}
