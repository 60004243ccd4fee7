package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nmu/internal/matio"
	"nmu/internal/must"
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

// hash is the SHA-256 of the little-endian bytes.
func hash(t *testing.T, data any) string {
	t.Helper()
	b := must.Get(binary.Append(nil, binary.LittleEndian, data))(t)
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// The bits do not depend on the machine: run this test on each.
func TestGoldenHashes(t *testing.T) {
	random64 := Random[float64](37, 53, 5, 11)
	random32 := Random[float32](37, 53, 5, 11)
	_, idx, val := Sparse[float64](101, 997, 5000, 11)
	for _, c := range []struct {
		name string
		data any
		want string
	}{
		{"swimmer", Swimmer().Data, "6b70673b35f9feeb"},
		{"ground", Ground(0).Data, "7190f021352af24f"},
		{"random float64", random64, "03d322404592a3ea"},
		{"random float32", random32, "3e41f125867463f7"},
		{"sparse columns", idx, "2534d17384638fa3"},
		{"sparse values", val, "3a48c5f1fccd88d0"},
	} {
		must.Equal(t, hash(t, c.data), c.want, c.name, "hash")
	}
}

// The generated swimmer is the published matrix, entry by entry.
func TestSwimmerEqualsPublishedSet(t *testing.T) {
	f := must.Get(matio.Open(must.PaperFile(t, "Swimmer.mat"), matio.Options{}))(t)
	defer f.Close()
	rows, cols, data := must.Three(matio.Dense[float64](f))(t)
	s := Swimmer()
	if rows != s.Rows || cols != s.Cols {
		t.Fatalf("published matrix is %d x %d, generated %d x %d", rows, cols, s.Rows, s.Cols)
	}
	for i, x := range data {
		if s.Data[i] != x {
			t.Fatalf("entry [%d,%d] is %v, published %v", i/cols, i%cols, s.Data[i], x)
		}
	}
}

// Ground is what it says: the parts of a pixel are its light, every material is alone
// somewhere, and the data are the product with at most the noise added.
func TestGround(t *testing.T) {
	s := Ground(3)
	pixels, count := s.Height*s.Width, len(s.Materials)
	if len(s.Wavelengths) != sceneBands || s.Wavelengths[0] != "405" || s.Wavelengths[sceneBands-1] != "995" || len(s.Data) != sceneBands*pixels {
		t.Fatalf("wavelengths %v, %d numbers", s.Wavelengths, len(s.Data))
	}
	alone := make([]int, count)
	for p := range pixels {
		light := 0.0
		for k := range count {
			x := s.Abundances[k*pixels+p]
			if x < 0 {
				t.Fatalf("pixel %d has %v of %s", p, x, s.Materials[k])
			}
			light += x
		}
		for k := range count {
			if s.Abundances[k*pixels+p] == light {
				alone[k]++
			}
		}
		if light < 0.9-1e-12 || light > 1+1e-12 {
			t.Errorf("pixel %d has the light %v", p, light)
		}
		for b := range sceneBands {
			x := s.Data[b*pixels+p]
			for k := range count {
				x -= s.Spectra[b*count+k] * s.Abundances[k*pixels+p]
			}
			if x < -1e-12 || x > sceneNoise+1e-12 {
				t.Fatalf("band %d, pixel %d: noise %v", b, p, x)
			}
		}
	}
	for k, n := range alone {
		must.AtLeast(t, n, 20, s.Materials[k], "is alone in")
	}
}
