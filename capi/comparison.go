package main

// #include "call.h"
import "C"

import (
	"errors"
	"math"
	"unsafe"

	"nmu/internal/data"
	"nmu/internal/options"
	"nmu/lnmu"
	"nmu/lnmu/compare"
)

// compareRanks compares ranks by held-out errors and writes what is found.
func compareRanks[T lnmu.Float](c *call) error {
	w, plan := comparisonOf[T](c, options.Rank, compare.EvaluateHeldOut)
	defer w.close()
	out := take("the result", (*C.nmu_rank_result)(c.result))
	w.openStates()
	defer w.closeStates()
	plan.Settings.Checkpoint = w.Settings.Checkpoint
	res, err := found(w, func() (*compare.HeldOutResult, error) {
		return compare.HeldOut(w.ctx, w.Observed, plan.Ranks, plan.Method, &plan.Settings)
	})
	rankRecord().write(&out, struct {
		compare.Advice
		*compare.HeldOutResult
	}{res.Advice, res})
	out.points, out.consensus_columns = list(pointRecord(), out.point, out.point_capacity, res.Points), 0
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
	w, plan := comparisonOf[T](c, options.Consensus, compare.EvaluateStability)
	defer w.close()
	out := take("the result", (*C.nmu_consensus_result)(c.result))
	parts := 0
	for _, r := range plan.Ranks {
		parts += r
	}
	wanted := matrices(&out, w, parts)
	w.openStates()
	defer w.closeStates()
	plan.Settings.Checkpoint = w.Settings.Checkpoint
	res, err := found(w, func() (*compare.StabilityResult[T], error) {
		return compare.Stability(w.ctx, w.Observed, plan.Ranks, plan.Method, &plan.Settings)
	})
	for _, x := range wanted {
		x.write(w.Lines, res.Points)
	}
	consensusRecord().write(&out, res)
	out.points = list(consensusPointRecord(), out.point, out.point_capacity, res.Points)
	var all []options.Part
	for i, p := range res.Points {
		for k, s := range p.Silhouettes {
			all = append(all, options.Part{Silhouette: s, Kept: p.Kept[k]})
		}
		writeMap(out._map, out.map_capacity, i, p.Map)
	}
	out.parts, out.map_columns = list(partRecord(), out.part, out.part_capacity, all), C.int64_t(res.Columns)
	give((*C.nmu_consensus_result)(c.result), &out)
	return errors.Join(err, w.saved(res.Stop))
}

// comparisonOf reads the options of a call that compares ranks, and M, and plans the runs.
func comparisonOf[T lnmu.Float](c *call, call options.Call, e compare.Evaluation) (w work[T], plan compare.Plan) {
	p := planOf(c, call)
	ranks, err := options.ParseRanks(p.Ranks, options.MostRank)
	if err != nil {
		refuse(lnmu.ErrOption, "ranks=%s: %w", p.Ranks, err)
	}
	settings := p.Comparison()
	if report := p.Settings.Progress; report != nil { // as of restarts
		settings.Progress = func(now compare.Progress) {
			report(lnmu.Progress{Restart: now.Finished, Restarts: now.Runs, Elapsed: now.Elapsed, Remaining: max(0, now.Remaining)})
		}
	}
	w = workOf[T](c, p)
	if plan, err = compare.WithDefaults(e, w.Observed, ranks, p.method, &settings); err != nil {
		w.close()
		fail(err)
	}
	return w, plan
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

// partsOf is a matrix of the caller for the parts of all ranks, and where those of a rank are found.
type partsOf[T lnmu.Float] struct {
	name  string
	given *C.nmu_matrix
	tall  bool // parts are columns
	of    func(p *compare.StabilityPoint[T]) lnmu.Dense[T]
	view[T]
}

// write writes the parts of all points.
func (x partsOf[T]) write(l *data.Lines, points []compare.StabilityPoint[T]) {
	set(x.view, lnmu.Dense[T]{})
	at := 0
	for i := range points {
		d, part := x.of(&points[i]), x.view
		if x.tall {
			d, part.first = data.SpreadRows(l, d, T(math.NaN())), x.entry(0, at)
		} else {
			d, part.first = data.SpreadCols(l, d, T(math.NaN())), x.entry(at, 0)
		}
		part.rows, part.cols = d.Rows, d.Cols
		set(part, d)
		at += points[i].Rank
	}
}

// matrices returns the matrices of a result that the caller wants, for so many parts of M.
func matrices[T lnmu.Float](out *C.nmu_consensus_result, m work[T], parts int) (wanted []partsOf[T]) {
	type point = compare.StabilityPoint[T]
	for _, x := range []partsOf[T]{
		{name: "V", given: out.v, tall: true, of: func(p *point) lnmu.Dense[T] { return p.V }},
		{name: "the lower ends of V", given: out.v_low, tall: true, of: func(p *point) lnmu.Dense[T] { return p.VLow }},
		{name: "the upper ends of V", given: out.v_high, tall: true, of: func(p *point) lnmu.Dense[T] { return p.VHigh }},
		{name: "W", given: out.w, of: func(p *point) lnmu.Dense[T] { return p.W }},
		{name: "the lower ends of W", given: out.w_low, of: func(p *point) lnmu.Dense[T] { return p.WLow }},
		{name: "the upper ends of W", given: out.w_high, of: func(p *point) lnmu.Dense[T] { return p.WHigh }},
	} {
		if x.given == nil {
			continue
		}
		rows, cols := m.file.Dims()
		if x.tall {
			cols = parts
		} else {
			rows = parts
		}
		if x.view = resultOf[T](x.name, x.given); x.rows != rows || x.cols != cols {
			refuse(lnmu.ErrShape, "%s is %d x %d, and for %d parts of all ranks must be %d x %d", x.name, x.rows, x.cols, parts, rows, cols)
		}
		wanted = append(wanted, x)
	}
	return wanted
}
