package main

import (
	"path/filepath"
	"slices"
	"testing"
)

// --skip-rows with the header of a scene leaves its bad bands out, like a list of their numbers.
func TestBadBands(t *testing.T) {
	good := make([]byte, 0, 2*sceneBands)
	for b := range sceneBands {
		good = append(good, map[bool]string{true: "0,", false: "1,"}[b == 1]...)
	}
	header := envi(t, sceneBands, "bbl = {"+string(good[:len(good)-1])+"}\n", scenePixel)
	flags := []string{"factor", header, "--rank", "2", "--method", "nmf", "--init", "svd", "--iterations", "20"}
	v := func(skip ...string) []float64 {
		dir := filepath.Join(t.TempDir(), "out")
		succeed(t, append(append(slices.Clone(flags), "--out", dir), skip...)...)
		return matrixOf(t, filepath.Join(dir, "V.npy")).Data
	}
	want := v("--skip-rows", textFile(t, "bad.txt", "2\n"))
	if got := v("--skip-rows", header); !slices.EqualFunc(got, want, alike) {
		t.Errorf("V is %v, want %v", got, want)
	}
	turned := []string{"rank", header, "--transpose", "--ranks", "1", "--iterations", "10", "--folds", "2"}
	succeed(t, append(turned, "--skip-cols", header)...)
	plain := envi(t, sceneBands, "", scenePixel)
	fails(t, []string{"--skip-rows", "marks no band as bad"}, append(slices.Clone(flags), "--skip-rows", plain)...)
}
