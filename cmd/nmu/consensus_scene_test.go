package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// Pixels of a scene without data are left out of all runs: the factors are those of the matrix
// without them, and the tables name the pixels that are left by their numbers.
func TestConsensusScene(t *testing.T) {
	const pixels = sceneHeight * sceneWidth
	empty := func(p int) bool { return p == 3 || p == 7 }
	image := make([]float64, pixels)
	var kept []float64
	for b := range sceneBands {
		for p := range pixels {
			if !empty(p) {
				kept = append(kept, scenePixel(b, p))
				image[p] = 1
			}
		}
	}
	want, dir := filepath.Join(t.TempDir(), "want"), t.TempDir()
	flags := []string{"--ranks", "2", "--runs", "4", "--iterations", "50"}
	succeed(t, append([]string{"consensus", npyFile(t, pixels-2, kept), "--out", want}, flags...)...)
	for name, input := range map[string][]string{
		"ignore": {envi(t, sceneBands, fmt.Sprintf("data ignore value = %d\n", ignored), scenePixel), "--missing", "allow"},
		"mask":   {envi(t, sceneBands, "", scenePixel), "--mask", npyFile(t, sceneWidth, image)},
	} {
		got := filepath.Join(dir, name)
		status, _, stderr := nmu(append(append([]string{"consensus", "--out", got}, input...), flags...)...)
		if status != 0 || !strings.Contains(stderr, fmt.Sprintf("2 columns of %d without an observed entry are left out", pixels)) {
			t.Fatalf("%s: %d, %s", name, status, stderr)
		}
		for _, file := range []string{"V-2.npy", "W-2.npy"} {
			if a, b := readText(t, got, file), readText(t, want, file); a != b {
				t.Errorf("%s: %s is not that of the matrix without empty pixels", name, file)
			}
		}
		lines := strings.Split(readText(t, got, "W-2.csv"), "\n")
		if !strings.HasPrefix(lines[3], "3,") || !strings.HasPrefix(lines[4], "5,") {
			t.Errorf("%s: pixels %.10q and %.10q", name, lines[3], lines[4])
		}
	}
}
