package lnmu_test

import (
	"io"
	"math"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/outcome"
)

// TestThresholds checks that Transform and Update end at their Tolerance, not before and not after.
func TestThresholds(t *testing.T) {
	m, v := lnmutest.Data[float64](40, 30, 3), lnmutest.Data[float64](40, 4, 2)
	for _, divergence := range []bool{false, true} {
		run := func(tolerance float64) *lnmu.Transformed[float64] {
			res := must.Get(transformOf(t.Context(), v, m, &lnmu.TransformSettings{Divergence: divergence, Iterations: 20, Tolerance: tolerance}))(t)
			return res
		}
		last := run(1e-300).KKT
		for _, part := range []float64{0.6, 0.9, 1.01, 1.5} {
			must.Equal(t, run(part*last).Stop, map[bool]outcome.Stop{true: outcome.StopTolerance, false: outcome.StopIterations}[part > 1], "divergence", divergence, "KKT residual", last, "after 20 iterations, tolerance", part*last)
		}
	}
	update := func(iterations int, tolerance float64) *lnmu.Updated[float64] {
		res := must.Get(lnmu.Update(t.Context(), m, lnmu.Updated[float64]{V: v}, &lnmu.TransformSettings{Iterations: iterations, Tolerance: tolerance}))(t)
		return res
	}
	one, two := update(1, 1e-300).New.RelativeError, update(2, 1e-300).New.RelativeError
	change := math.Abs(one-two) / two
	for _, part := range []float64{0.4, 0.9, 1.01, 1.5} {
		must.Equal(t, update(2, part*change).Stop, map[bool]outcome.Stop{true: outcome.StopTolerance, false: outcome.StopIterations}[part > 1], "a change of", change, "tolerance", part*change)
	}
}

// TestLoweredContinues checks that the blocks which Continue takes over keep all their fields.
func TestLoweredContinues(t *testing.T) {
	m := lnmutest.Data[float64](40, 30, 3)
	method := lnmu.RNMU{ThresholdV: 1, ThresholdW: 1}
	s := &lnmu.Settings{Start: lnmu.Start{Restarts: 1, Init: lnmu.InitNested}, Limits: lnmu.Limits{Iterations: 20}}
	first, err := lnmu.Factor(t.Context(), m, 1, method, s)
	if err != nil || !first.Blocks[0].Lowered {
		t.Fatalf("no penalty was lowered, %v", err)
	}
	res, err := first.Continue(t.Context(), m, 2, method, s)
	if err != nil || !res.Blocks[0].Lowered {
		t.Errorf("the first block has lost its lowered penalty, %v", err)
	}
}

// TestEstimateOfSaving checks that the estimate counts the copies of states that are saved: of each run
// at a time in memory, and of the one in files.
func TestEstimateOfSaving(t *testing.T) {
	d := lnmutest.Data[float64](300, 200, 1)
	for m, states := range map[lnmu.Matrix[float64]]int64{
		lnmu.Unread[float64]{Rows: 300, Cols: 200}: 4, &lnmutest.LinesOf[float64]{Dense: d}: 1, &lnmutest.RowsOfCSR[float64]{CSR: lnmu.NewCSR(d)}: 1,
	} {
		for _, method := range []lnmu.Method{lnmu.NMF{}, lnmu.GNMU{}, lnmu.RNMU{}} {
			estimate := func(saving *lnmu.Checkpoint) int64 {
				method, s := must.Two(lnmu.Check(m, 5, method, &lnmu.Settings{Threads: 4, Start: lnmu.Start{Restarts: 4}, Watch: lnmu.Watch{Checkpoint: saving}}))(t)
				e := must.Get(lnmu.EstimateOf(m, 5, method, &s))(t)
				return e.Memory
			}
			if with, without := estimate(&lnmu.Checkpoint{Save: func(io.WriterTo) {}}), estimate(nil); with < without+states*8*5*500 {
				t.Errorf("%T, %T: %d bytes with checkpoints, %d without", m, method, with, without)
			}
		}
	}
}

// TestEstimateFillsDefaults: the estimate for settings is that for the same settings with all defaults.
func TestEstimateFillsDefaults(t *testing.T) {
	m := lnmu.Unread[float64]{Rows: 900, Cols: 400}
	for _, s := range []*lnmu.Settings{nil, {Start: lnmu.Start{Restarts: 1}}, {Start: lnmu.Start{Restarts: 3}, Threads: 2}} {
		for _, method := range []lnmu.Method{nil, lnmu.RNMU{Block: 2}} {
			filled, with := must.Two(lnmu.Check(m, 5, method, s))(t)
			if got, want := must.Get(lnmu.EstimateOf(m, 5, method, s))(t), must.Get(lnmu.EstimateOf(m, 5, filled, &with))(t); got != want || got.Memory == 0 {
				t.Errorf("%#v, %+v: %+v, with all defaults %+v", method, s, got, want)
			}
		}
	}
}
