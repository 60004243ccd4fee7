package main

// #include "call.h"
import "C"

import (
	"errors"
	"math"
	"unsafe"

	"nmu/internal/data"
	"nmu/internal/options"
	"nmu/internal/work"
	"nmu/lnmu"
	"nmu/lnmu/compare"
)

// compareRanks compares ranks by held-out errors and writes what is found.
func compareRanks[T lnmu.Float](c *call) error {
	out := take("the result", (*C.nmu_rank_result)(c.result))
	w := openJob[T](c, planOf(c, options.Rank))
	defer w.close()
	x := w.comparison(compare.EvaluateHeldOut)
	res, err := x.HeldOut(w.ctx)
	err = w.settled(err, res != nil)
	write(&out, struct {
		compare.Advice
		*compare.HeldOutResult
	}{res.Advice, res})
	out.points, out.consensus_columns = list(out.point, out.point_capacity, res.Points), 0
	if w.Consensus {
		out.consensus_columns = C.int64_t(res.Columns)
		for i, x := range res.Points {
			if x.Agreement != nil {
				writeMap(out.consensus, out.consensus_capacity, i, x.Agreement.Map)
			}
		}
	}
	give((*C.nmu_rank_result)(c.result), &out)
	return errors.Join(err, w.saved(res.Stop))
}

// agree compares many runs and writes what they have in common.
func agree[T lnmu.Float](c *call) error {
	w := openJob[T](c, planOf(c, options.Consensus))
	defer w.close()
	x := w.comparison(compare.EvaluateStability)
	out := take("the result", (*C.nmu_consensus_result)(c.result))
	parts := 0
	for _, r := range x.Plan.Ranks {
		parts += r
	}
	wanted := matrices(&out, w, parts)
	res, err := x.Stability(w.ctx)
	err = w.settled(err, res != nil)
	for _, write := range wanted {
		write(res.Points)
	}
	write(&out, res)
	out.points = list(out.point, out.point_capacity, res.Points)
	var all []options.Part
	for i, p := range res.Points {
		for k, s := range p.Silhouettes {
			all = append(all, options.Part{Silhouette: s, Kept: p.Kept[k]})
		}
		writeMap(out._map, out.map_capacity, i, p.Map)
	}
	out.parts, out.map_columns = list(out.part, out.part_capacity, all), C.int64_t(res.Columns)
	give((*C.nmu_consensus_result)(c.result), &out)
	return errors.Join(err, w.saved(res.Stop))
}

// comparison reads M and plans the runs of a call that compares ranks.
func (w job[T]) comparison(e compare.Evaluation) *work.Comparison[T] {
	ranks, err := options.ParseRanks(w.Ranks, options.MostRank)
	if err != nil {
		refuse(lnmu.ErrOption, "ranks=%s: %w", w.Ranks, err)
	}
	x := &work.Comparison[T]{Call: *w.Call, Evaluation: e, Ranks: ranks, Method: w.method, Settings: w.Comparison()}
	fail(x.Settle())
	fail(x.Read())
	w.openStates()
	x.Plan.Settings.Progress, x.Plan.Settings.Checkpoint = w.Settings.Progress, w.Settings.Checkpoint // as of restarts
	return x
}

// writeMap writes the consensus matrix of point i, if there is one and room for it.
func writeMap[T lnmu.Float](to *C.double, capacity C.int64_t, i int, d lnmu.Dense[T]) {
	size := d.Rows * d.Cols
	if (i+1)*size > intOf(capacity) {
		return
	}
	room := unsafe.Slice((*float64)(unsafe.Pointer(to)), (i+1)*size)[i*size:]
	for k, x := range d.Data[:size] { // by rows, without gaps
		room[k] = float64(x)
	}
}

// matrices returns what writes each matrix of a result that the caller wants, for so many parts of M of all ranks.
func matrices[T lnmu.Float](out *C.nmu_consensus_result, m job[T], parts int) (wanted []func([]compare.StabilityPoint[T])) {
	type point = compare.StabilityPoint[T]
	for _, x := range []struct {
		name  string
		given *C.nmu_matrix
		tall  bool // parts are columns
		of    func(p *point) lnmu.Dense[T]
	}{
		{"V", out.v, true, func(p *point) lnmu.Dense[T] { return p.V }},
		{"the lower ends of V", out.v_low, true, func(p *point) lnmu.Dense[T] { return p.VLow }},
		{"the upper ends of V", out.v_high, true, func(p *point) lnmu.Dense[T] { return p.VHigh }},
		{"W", out.w, false, func(p *point) lnmu.Dense[T] { return p.W }},
		{"the lower ends of W", out.w_low, false, func(p *point) lnmu.Dense[T] { return p.WLow }},
		{"the upper ends of W", out.w_high, false, func(p *point) lnmu.Dense[T] { return p.WHigh }},
	} {
		if x.given == nil {
			continue
		}
		rows, cols := m.File.Dims()
		if x.tall {
			cols = parts
		} else {
			rows = parts
		}
		to := resultOf[T](x.name, x.given)
		if to.rows != rows || to.cols != cols {
			refuse(lnmu.ErrShape, "%s is %d x %d, and for %d parts of all ranks must be %d x %d", x.name, to.rows, to.cols, parts, rows, cols)
		}
		wanted = append(wanted, func(points []point) {
			set(to, lnmu.Dense[T]{})
			at := 0
			for i := range points {
				d, part := x.of(&points[i]), to
				if x.tall {
					d, part.first = data.SpreadRows(m.Seen.Lines, d, T(math.NaN())), to.entry(0, at)
				} else {
					d, part.first = data.SpreadCols(m.Seen.Lines, d, T(math.NaN())), to.entry(at, 0)
				}
				part.rows, part.cols = d.Rows, d.Cols
				set(part, d)
				at += points[i].Rank
			}
		})
	}
	return wanted
}
