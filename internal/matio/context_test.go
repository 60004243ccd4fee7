package matio_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

// A context ends the reading of every format, between two pieces of the file.
func TestContextEndsReading(t *testing.T) {
	const rows, cols = 300, 256
	rnd := rand.New(rand.NewPCG(1, 2))
	m := matiotest.Numbered(rows, cols)
	for i := range m.Data {
		m.Data[i] = rnd.Float64() // which no compression shortens much
	}
	npy := matiotest.NpyOf(m, "<f8", false)
	var csv, mtx strings.Builder
	fmt.Fprintf(&mtx, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", rows, cols, rows*cols)
	for i := range rows {
		for j := range cols {
			fmt.Fprintf(&csv, "%v,", m.Data[i*cols+j])
			fmt.Fprintf(&mtx, "%d %d %v\n", i+1, j+1, m.Data[i*cols+j])
		}
		csv.WriteString("1\n")
	}
	file := func(name string, content []byte) string { return matiotest.Write(t, name, content) }
	envi := filepath.Join(t.TempDir(), "cube.dat")
	cube := matio.Labelled[float64]{Rows: rows, Cols: cols, Data: m.Data, Stride: cols}
	must.Do(t, matiotest.WriteENVI(envi, cube, 16, 16))
	header := fmt.Sprintf("ENVI\nsamples = 16\nlines = 16\nbands = %d\ndata type = 5\ninterleave = bil\nbyte order = 0\n", rows)
	must.Do(t, os.WriteFile(strings.TrimSuffix(envi, "dat")+"hdr", []byte(header), 0o666))
	for _, c := range []struct {
		name, path string
		inOpen     bool // the numbers of text are read by Open
		whole      bool // a small file is read in one piece
	}{
		{"npy", file("a.npy", npy), false, true},
		{"npz", file("a.npz", matiotest.ZipFile(t, true, matiotest.NewMember("a.npy", npy))), false, false},
		{"mat", file("a.mat", matiotest.MatFile5(binary.LittleEndian, matiotest.Deflated(binary.LittleEndian, matiotest.MatDense(binary.LittleEndian, "a", m)))), false, false},
		{"csv.gz", file("a.csv.gz", matiotest.Gz([]byte(csv.String()))), true, false},
		{"csv", file("a.csv", []byte(csv.String())), true, false},
		{"mtx.gz", file("a.mtx.gz", matiotest.Gz([]byte(mtx.String()))), true, false},
		{"folder of npy", matiotest.FolderOf(t, map[string][]byte{"a.npy": npy, "b.npy": npy}), false, true},
		{"envi", envi, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			read := func(whole context.Context, looks int) error {
				f, err := matio.Open(c.path, matio.Options{Context: whole})
				if err != nil {
					return err
				}
				defer f.Close()
				f.Until(matiotest.Countdown(looks))
				if f.Sparse() {
					_, _, _, _, _, err = matio.Sparse[float32](f)
				} else {
					_, _, _, err = matio.Dense[float32](f)
				}
				return err
			}
			ended := func(err error) {
				t.Helper()
				if !errors.Is(err, context.Canceled) || errors.Is(err, matio.ErrFormat) {
					t.Errorf("error %v", err)
				}
			}
			must.Do(t, read(context.Background(), 1<<30))
			ended(read(matiotest.Countdown(0), 1<<30))
			if c.inOpen {
				ended(read(matiotest.Countdown(8), 1<<30))
			} else {
				ended(read(context.Background(), 0))
				if !c.whole {
					ended(read(context.Background(), 2))
				}
			}
		})
	}
}

// Images are read one after the other.
func TestContextEndsReadingImages(t *testing.T) {
	files := map[string][]byte{}
	for i := range 8 {
		files[fmt.Sprintf("%d.pgm", i)] = []byte("P5 2 2 255 abcd")
	}
	f := matiotest.Open(t, matiotest.FolderOf(t, files), matio.Options{})
	f.Until(matiotest.Countdown(3))
	if _, _, _, err := matio.Dense[float32](f); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
