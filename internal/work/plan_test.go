package work

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"nmu/internal/data"
	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/outcome"
)

// TestDefaultsOnceGapsAreKnown: a plan gets the defaults of a matrix with missing entries once the
// matrix has been read, however often defaults were filled in before, and keeps its checkpoints.
func TestDefaultsOnceGapsAreKnown(t *testing.T) {
	x := &Task[float64]{Plan: Plan{Rank: 1, Method: lnmu.NMF{}, Selection: data.Selection{Observed: data.Observed{Gaps: true}}, Settings: lnmu.Settings{Record: true}}}
	for range 2 {
		must.Do(t, x.settle(3, 2))
	}
	defaults := func(when string, solver lnmu.Choice) {
		p := x.Plan
		if m := p.Method.(lnmu.NMF); m.Solver != lnmu.SolverAccelerated || p.Settings.Iterations != 500 || p.Settings.MissingSolver != solver {
			t.Errorf("%s: solver %s, %d iterations, missing solver %q", when, m.Solver, p.Settings.Iterations, p.Settings.MissingSolver)
		}
	}
	defaults("before", "")
	x.Plan.Settings.Checkpoint = &lnmu.Checkpoint{}
	must.Do(t, x.observing(lnmu.MaskOf[float64](lnmu.NewDense(3, 2, []float64{1, 2, 3, math.NaN(), 5, 6}))))
	defaults("after", lnmu.MissingMajorize)
	if x.Plan.Settings.Checkpoint == nil {
		t.Error("the checkpoints are lost")
	}
}

// TestGapsOfPart: the gaps of the part of a process are those of its rows, or its columns, and
// come to those of a mask.
func TestGapsOfPart(t *testing.T) {
	const rows, cols, first, last = 9, 5, 3, 7
	m := lnmu.NewDense[float64](rows, cols, nil)
	for i := range m.Data {
		if m.Data[i] = float64(i); i%4 == 1 {
			m.Data[i] = math.NaN()
		}
	}
	path := filepath.Join(t.TempDir(), "m.npy")
	must.Do(t, matiotest.WriteNpy(path, rows, cols, m.Data, cols))
	for _, transposed := range []bool{false, true} {
		file := must.Get(matio.Open(path, matio.Options{Transpose: transposed}))(t)
		defer file.Close()
		lines := must.Get(matio.OpenLines[float64](file))(t)
		part := matio.Block{I0: first, I1: last, J1: cols}
		if transposed {
			part = part.Transposed()
		}
		given := lnmu.NewMask(part.Rows(), part.Cols())
		given.Set(1, 1, false)
		for _, seen := range []*lnmu.Mask{nil, given} {
			without := seen != nil
			got := must.Get((&denseFile[float64]{Call: &Call[float64]{File: file}, m: lines.Block(part)}).gaps(Plan{Selection: data.Selection{Observed: data.Observed{Mask: seen}}}))(t)
			for i := range part.Rows() {
				for j := range part.Cols() {
					row, col := part.I0+i, part.J0+j
					if transposed {
						row, col = col, row
					}
					want := !math.IsNaN(m.At(row, col)) && !(without && i == 1 && j == 1)
					if got.Observed(i, j) != want {
						t.Errorf("transposed %v: entry (%d, %d) of the part is observed: %v", transposed, i, j, !want)
					}
				}
			}
		}
	}
}

// A note says where the error rises.
func TestNoteRising(t *testing.T) {
	r := Reply[float64]{Result: &lnmu.Result[float64]{}, Plan: Plan{Rank: 4, Method: lnmu.RNMU{}}}
	for k, e := range []float64{0.5, 0.25, 0.3, 0.4} {
		r.Blocks = append(r.Blocks, outcome.Block{Rank: k + 1, Error: e})
	}
	if r.note(5, 5); !slices.Equal(r.Notes, []string{"the error rises from 25.00 % at rank 2 to 30.00 % at rank 3"}) {
		t.Errorf("notes %q", r.Notes)
	}
}
