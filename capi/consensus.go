package main

// #include "call.h"
import "C"

import (
	"errors"

	"nmu/internal/options"
	"nmu/lnmu"
	"nmu/lnmu/consensus"
)

// agree compares many runs and writes what they have in common.
func agree[T lnmu.Float](c *call) error {
	w, ranks := comparisonOf[T](c, options.Consensus)
	defer w.close()
	out := take("the result", (*C.nmu_consensus_result)(c.result))
	settings := consensus.Settings{Settings: w.Settings, Runs: w.Runs, Resample: consensus.Resample(w.Resample), Level: w.Level}
	if w.Progress != nil {
		settings.Report = func(now consensus.Progress) { w.report(now.Finished, now.Runs, now.Elapsed, now.Remaining) }
	}
	ranks, _, _, err := consensus.WithDefaults(w.m, ranks, w.method, &settings)
	fail(err)
	parts := 0
	for _, r := range ranks {
		parts += r
	}
	wanted := matrices(&out, w.m, parts)
	w.openStates()
	defer w.closeStates()
	settings.Checkpoint = w.Settings.Checkpoint
	res, err := found(w, func() (*consensus.Result[T], error) { return consensus.Find(w.ctx, w.m, ranks, w.method, &settings) })
	for _, x := range wanted {
		x.write(res.Points)
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

// partsOf is a matrix of the caller for the parts of all ranks, and where those of a rank are found.
type partsOf[T lnmu.Float] struct {
	name  string
	given *C.nmu_matrix
	tall  bool // parts are columns
	of    func(p *consensus.Point[T]) lnmu.Dense[T]
	view[T]
}

// write writes the parts of all points.
func (x partsOf[T]) write(points []consensus.Point[T]) {
	set(x.view, lnmu.Dense[T]{})
	at := 0
	for i := range points {
		d, part := x.of(&points[i]), x.view
		if part.rows, part.cols = d.Rows, d.Cols; x.tall {
			part.first = x.entry(0, at)
		} else {
			part.first = x.entry(at, 0)
		}
		set(part, d)
		at += points[i].Rank
	}
}

// matrices returns the matrices of a result that the caller wants, for so many parts of M.
func matrices[T lnmu.Float](out *C.nmu_consensus_result, m lnmu.Matrix[T], parts int) (wanted []partsOf[T]) {
	type point = consensus.Point[T]
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
		rows, cols := m.Dims()
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
