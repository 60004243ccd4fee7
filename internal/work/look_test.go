package work

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"nmu/internal/data"
	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
	"nmu/internal/options"
	"nmu/internal/page"
	"nmu/lnmu"
)

// looked returns a matrix, a mask of it, and factors.
func looked(rows, cols int) (m lnmu.Dense[float64], mask *lnmu.Mask, v, w lnmu.Dense[float64]) {
	m, mask = lnmu.NewDense[float64](rows, cols, nil), lnmu.NewMask(rows, cols)
	for i := range rows {
		for j := range cols {
			if (i+j)%3 > 0 {
				m.Row(i)[j] = float64(1 + (i*j)%11)
			}
			mask.Set(i, j, (i*i+j)%5 > 0)
		}
	}
	v, w = lnmu.NewDense[float64](rows, 2, nil), lnmu.NewDense[float64](2, cols, nil)
	for i := range v.Data {
		v.Data[i] = float64(i%7) / 5
	}
	for j := range w.Data {
		w.Data[j] = float64(1 + j%4)
	}
	return m, mask, v, w
}

// TestLookAtLines: the page looks at a tall or wide dense matrix in its file as at the one in memory.
func TestLookAtLines(t *testing.T) {
	for _, size := range [][2]int{{300, 40}, {40, 3000}} {
		m, mask, v, w := looked(size[0], size[1])
		path, stored := filepath.Join(t.TempDir(), "m.npy"), m
		if m.Rows < m.Cols {
			stored = m.Transposed()
		}
		must.Do(t, matiotest.WriteNpy(path, stored.Rows, stored.Cols, stored.Data, stored.Cols))
		file := must.Get(matio.Open(path, matio.Options{Transpose: m.Rows < m.Cols}))(t)
		defer file.Close()
		lines := must.Get(matio.OpenLines[float64](file))(t)
		for _, seen := range []*lnmu.Mask{nil, mask} {
			got, err := page.Measure((&denseFile[float64]{m: lines}).page(Plan{Selection: data.Selection{Observed: data.Observed{Mask: seen}}}), v, w, 11)
			if want := page.Look(m, seen, v, w, 11); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%d x %d, masked %v: another distance, error %v", m.Rows, m.Cols, seen != nil, err)
			}
		}
	}
}

// TestLookAtRows: the page looks at a sparse matrix in its folder as at the one in memory.
func TestLookAtRows(t *testing.T) {
	for _, size := range [][2]int{{300, 40}, {40, 3000}} {
		m, _, v, w := looked(size[0], size[1])
		csr := lnmu.NewCSR(m)
		parts := must.Get(matio.OpenParts(sparseFolder(t, csr), matio.Options{}))(t)
		defer parts.Close()
		for _, missing := range []bool{false, true} {
			got, err := page.Measure(storedRows[float64]{Parts: parts}.source(missing), v, w, 11)
			if want, _ := page.Measure(page.SparseSource(csr, missing), v, w, 11); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%d x %d, missing %v: another distance, error %v", m.Rows, m.Cols, missing, err)
			}
		}
	}
}

// sparseFolder returns the path of a folder with a sparse matrix.
func sparseFolder(t *testing.T, csr lnmu.CSR[float64]) string {
	files := map[string][]byte{}
	array := func(name, descr string, x []float64) {
		files[name+".npy"] = matiotest.NpyFile(1, descr, false, fmt.Sprintf("(%d,)", len(x)), matiotest.BytesOf(x, descr))
	}
	array("shape", "<i8", []float64{float64(csr.Rows), float64(csr.Cols)})
	array("indptr", "<i8", floats(csr.Ptr))
	array("indices", "<i4", floats(csr.Idx))
	array("data", "<f8", csr.Val)
	return matiotest.FolderOf(t, files)
}

// TestLibraryLeavesM: with a folder for scratch files, a library leaves M in its file, dense with missing entries or sparse,
// and finds the factors that it finds in memory.
func TestLibraryLeavesM(t *testing.T) {
	m, mask, _, _ := looked(60, 40)
	csr, dense := lnmu.NewCSR(m), filepath.Join(t.TempDir(), "m.npy")
	for k := range m.Data {
		if !mask.Observed(k/m.Cols, k%m.Cols) {
			m.Data[k] = math.NaN()
		}
	}
	must.Do(t, matiotest.WriteNpy(dense, m.Rows, m.Cols, m.Data, m.Cols))
	for path, missing := range map[string]string{dense: options.MissingAllow, sparseFolder(t, csr): ""} {
		var want []float64
		for _, scratch := range []string{"", t.TempDir()} {
			run := options.Run{Missing: missing}
			run.Scratch = scratch
			file := must.Get(matio.Open(path, data.Options(&run)))(t)
			defer file.Close()
			seen := must.Get(data.Select(&data.Request{Run: &run}, file, false, nil))(t)
			x := Task[float64]{Call: Call[float64]{Job: Job{Path: path, Run: run, Library: true}, File: file, Seen: seen}, Plan: Plan{Rank: 2, Method: lnmu.NMF{}}}
			x.Plan.Settings.Iterations = 5
			must.Do(t, x.Settle())
			need, got := must.Get(x.Need())(t), must.Get(x.Run(t.Context()))(t)
			if scratch == "" {
				want = got.V.Data
			} else if !slices.Equal(got.V.Data, want) || need.Reads == 0 {
				t.Errorf("%s: other factors, or M in memory: an iteration reads %d bytes", path, need.Reads)
			}
		}
	}
}

// floats returns numbers as float64.
func floats[T int | int32](x []T) []float64 {
	y := make([]float64, len(x))
	for i, e := range x {
		y[i] = float64(e)
	}
	return y
}
