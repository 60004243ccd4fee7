package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// energies returns the squared singular values of s, largest first.
func energies(t *testing.T, s Set) []float64 {
	t.Helper()
	var gram mat.SymDense
	gram.SymOuterK(1, mat.NewDense(s.Rows, s.Cols, s.Data).T())
	var eigen mat.EigenSym
	if !eigen.Factorize(&gram, false) {
		t.Fatal("eigenvalues did not converge")
	}
	values := eigen.Values(nil)
	for i, j := 0, len(values)-1; i < j; i, j = i+1, j-1 {
		values[i], values[j] = values[j], values[i]
	}
	return values
}

// relativeError is that of the best approximation of the given rank.
func relativeError(energies []float64, rank int) float64 {
	total, tail := 0.0, 0.0
	for k, e := range energies {
		total += e
		if k >= rank {
			tail += max(0, e)
		}
	}
	return math.Sqrt(tail / total)
}

func checkRange(t *testing.T, s Set) {
	t.Helper()
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, x := range s.Data {
		if math.IsNaN(x) {
			t.Fatal("NaN")
		}
		lo, hi = min(lo, x), max(hi, x)
	}
	if lo != 0 || hi > 1 || hi < 0.95 {
		t.Errorf("entries from %v to %v, want from 0 to about 1", lo, hi)
	}
}

// The paper's PCA of rank 8 has the relative error 0.01 %; that of rank 7 must
// show that all eight materials are there.
func TestTelescopeIsNearlyRankEight(t *testing.T) {
	for _, seed := range []uint64{1, 2, 12345} {
		s := Telescope(seed)
		checkRange(t, s)
		e := energies(t, s)
		if got := relativeError(e, 8); got < 2e-5 || got > 2e-4 {
			t.Errorf("seed %d: relative error of rank 8 is %.3g, want about 1e-4", seed, got)
		}
		if got := relativeError(e, 7); got < 1e-3 {
			t.Errorf("seed %d: relative error of rank 7 is %.3g, want at least 1e-3", seed, got)
		}
	}
}

// Every material has pure pixels and some pixels are mixed; about half of the
// image is background, and nothing is cut off at the border.
func TestTelescopeLayout(t *testing.T) {
	var pure [materials]int
	mixed, empty := 0, 0
	for x := range telescopeSize {
		for y := range telescopeSize {
			abundance, covered := telescopePixel(y, x)
			if !covered {
				empty++
				continue
			}
			if x == 0 || y == 0 || x == telescopeSize-1 || y == telescopeSize-1 {
				t.Errorf("pixel (%d,%d) on the border is covered", y, x)
			}
			present, last := 0, 0
			for m, a := range abundance {
				if a > 0 {
					present, last = present+1, m
				}
			}
			if present == 1 {
				pure[last]++
			} else {
				mixed++
			}
		}
	}
	for m, n := range pure {
		// Glue is pure only at one end of its section.
		if n < 20 && m != glue {
			t.Errorf("material %d has %d pure pixels, want at least 20", m, n)
		}
	}
	if mixed < 1000 {
		t.Errorf("%d mixed pixels, want at least 1000", mixed)
	}
	if share := float64(empty) / (telescopeSize * telescopeSize); share < 0.45 || share > 0.65 {
		t.Errorf("background is %.2f of the image, want about one half", share)
	}
}

// Like the paper's set: one factor holds more than 70 % of the squared norm,
// and rank 5 leaves a relative error of a few percent (there 4.4 %).
func TestLitSurfaceEnergies(t *testing.T) {
	for _, seed := range []uint64{1, 2, 12345} {
		s := LitSurface(seed)
		checkRange(t, s)
		e := energies(t, s)
		one := relativeError(e, 1)
		if share := 1 - one*one; share < 0.70 || share > 0.80 {
			t.Errorf("seed %d: one factor holds %.3f of the squared norm", seed, share)
		}
		if got := relativeError(e, 5); got < 0.02 || got > 0.05 {
			t.Errorf("seed %d: relative error of rank 5 is %.4f", seed, got)
		}
	}
}

// Light from the right makes the right half brighter, light from the left the
// left half: the lights are where the documentation says.
func TestLitSurfaceDirections(t *testing.T) {
	s := LitSurface(3)
	mean := func(j, xLo, xHi, yLo, yHi int) float64 {
		sum := 0.0
		for x := xLo; x < xHi; x++ {
			for y := yLo; y < yHi; y++ {
				sum += s.Data[(y+64*x)*s.Cols+j]
			}
		}
		return sum / float64((xHi-xLo)*(yHi-yLo))
	}
	for j := range s.Cols {
		left, right := mean(j, 0, 32, 0, 64), mean(j, 32, 64, 0, 64)
		switch j % 5 {
		case 0, 1:
			if left >= right {
				t.Errorf("image %d is lit from the left, yet darkness is %.3f left and %.3f right", j, left, right)
			}
		case 3, 4:
			if right >= left {
				t.Errorf("image %d is lit from the right, yet darkness is %.3f left and %.3f right", j, left, right)
			}
		}
		if top, bottom := mean(j, 0, 64, 0, 16), mean(j, 0, 64, 48, 64); (j/5 == 0) && top >= bottom || (j/5 == 3) && bottom >= top {
			t.Errorf("image %d: darkness %.3f at the top, %.3f at the bottom", j, top, bottom)
		}
	}
}

func TestStandInsAreLabelled(t *testing.T) {
	for _, s := range []Set{Telescope(7), LitSurface(7)} {
		if !strings.Contains(s.Name, "synthetic stand-in") || !strings.Contains(s.Name, "seed 7") {
			t.Errorf("name %q does not say that it is a stand-in, and its seed", s.Name)
		}
		if s.Rows != s.ImageHeight*s.ImageWidth || len(s.Data) != s.Rows*s.Cols {
			t.Errorf("%s: %d x %d, %d numbers, images of %d x %d", s.Name, s.Rows, s.Cols, len(s.Data), s.ImageHeight, s.ImageWidth)
		}
	}
}

// hash is the SHA-256 of the little-endian bytes.
func hash(t *testing.T, data any) string {
	t.Helper()
	b, err := binary.Append(nil, binary.LittleEndian, data)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// The bits do not depend on the machine: run this test on each.
func TestGoldenHashes(t *testing.T) {
	random64, err := Random[float64](37, 53, 5, 11)
	if err != nil {
		t.Fatal(err)
	}
	random32, err := Random[float32](37, 53, 5, 11)
	if err != nil {
		t.Fatal(err)
	}
	_, idx, val, err := Sparse[float64](101, 997, 5000, 11)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		data any
		want string
	}{
		{"swimmer", Swimmer().Data, "6b70673b35f9feeb"},
		{"telescope", Telescope(1).Data, "02fc420067e41a8c"},
		{"lit surface", LitSurface(1).Data, "6fbf59c246e3fc2e"},
		{"cube", Cube(1, 0.05).Data, "764d40672e586ae1"},
		{"random float64", random64, "03d322404592a3ea"},
		{"random float32", random32, "3e41f125867463f7"},
		{"sparse columns", idx, "2534d17384638fa3"},
		{"sparse values", val, "3a48c5f1fccd88d0"},
	} {
		if got := hash(t, c.data); got != c.want {
			t.Errorf("%s: hash %s, want %s", c.name, got, c.want)
		}
	}
}
