package main

// #include "nmu.h"
import "C"

import (
	"errors"
	"fmt"
	"unsafe"

	"nmu/internal/options"
	"nmu/lnmu"
	"nmu/lnmu/consensus"
)

//export nmuGoConsensus
func nmuGoConsensus(dense *C.nmu_matrix, sparse *C.nmu_csr, options *C.nmu_options, result *C.nmu_consensus_result, e *C.nmu_error) C.int {
	return call(e, func() error {
		out, err := take("the result", result)
		if err != nil {
			return err
		}
		m := given{dense, sparse, out.v}
		return m.inPrecision(
			func() error { return agree[float64](m, options, result, out) },
			func() error { return agree[float32](m, options, result, out) })
	})
}

// partsOf is a matrix of the caller for the parts of all ranks, and where they are found.
type partsOf[T lnmu.Float] struct {
	given *C.nmu_matrix
	of    func(p *consensus.Point[T]) lnmu.Dense[T]
	tall  bool // parts are columns
	view[T]
}

// set writes the parts of all points.
func (x partsOf[T]) set(points []consensus.Point[T]) {
	all, at := lnmu.NewDense[T](x.rows, x.cols, nil), 0
	for i := range points {
		d := x.of(&points[i])
		for k := range d.Rows {
			if x.tall {
				copy(all.Row(k)[at:], d.Row(k))
			} else {
				copy(all.Row(at+k), d.Row(k))
			}
		}
		at += points[i].Rank
	}
	x.view.set(all)
}

// matrices returns the matrices of a result that the caller wants, for so many parts of an m x n
// matrix.
func matrices[T lnmu.Float](out *C.nmu_consensus_result, m, n, parts int) (wanted []partsOf[T], err error) {
	type point = consensus.Point[T]
	for _, x := range []partsOf[T]{
		{out.v, func(p *point) lnmu.Dense[T] { return p.V }, true, view[T]{name: "V"}},
		{out.v_low, func(p *point) lnmu.Dense[T] { return p.VLow }, true, view[T]{name: "the lower ends of V"}},
		{out.v_high, func(p *point) lnmu.Dense[T] { return p.VHigh }, true, view[T]{name: "the upper ends of V"}},
		{out.w, func(p *point) lnmu.Dense[T] { return p.W }, false, view[T]{name: "W"}},
		{out.w_low, func(p *point) lnmu.Dense[T] { return p.WLow }, false, view[T]{name: "the lower ends of W"}},
		{out.w_high, func(p *point) lnmu.Dense[T] { return p.WHigh }, false, view[T]{name: "the upper ends of W"}},
	} {
		if x.given == nil {
			continue
		}
		rows, cols := parts, n
		if x.tall {
			rows, cols = m, parts
		}
		if x.view, err = viewOf[T](x.name, x.given); err == nil {
			err = x.writable()
		}
		if err == nil && (x.rows != rows || x.cols != cols) {
			err = fmt.Errorf("%w: %s is %d x %d, and for %d parts of all ranks must be %d x %d", lnmu.ErrShape, x.name, x.rows, x.cols, parts, rows, cols)
		}
		if err != nil {
			return nil, err
		}
		wanted = append(wanted, x)
	}
	return wanted, nil
}

// agree compares many runs and writes what they have in common.
func agree[T lnmu.Float](g given, opt *C.nmu_options, result *C.nmu_consensus_result, out C.nmu_consensus_result) error {
	c, err := comparisonOf[T](g, opt, options.Consensus)
	if err != nil {
		return err
	}
	defer c.close()
	settings := consensus.Settings{Settings: c.Settings, Runs: c.Runs, Resample: consensus.Resample(c.Resample), Level: c.Level}
	if c.Progress != nil {
		settings.Report = func(now consensus.Progress) { c.report(now.Finished, now.Runs, now.Elapsed, now.Remaining) }
	}
	ranks, _, _, err := consensus.WithDefaults(c.m, c.ranks, c.method, &settings)
	parts := 0
	for _, r := range ranks {
		parts += r
	}
	if err == nil {
		err = errors.Join(room{"points", out.point_capacity, unsafe.Pointer(out.point)}.check(), room{"parts", out.part_capacity, unsafe.Pointer(out.part)}.check(),
			room{"entries of consensus maps", out.map_capacity, unsafe.Pointer(out._map)}.check())
	}
	if err != nil {
		return err
	}
	rows, cols := c.m.Dims()
	wanted, err := matrices[T](&out, rows, cols, parts)
	if err != nil {
		return err
	}
	if err := c.openStates(); err != nil {
		return err
	}
	defer c.closeStates()
	settings.Checkpoint = c.Settings.Checkpoint
	var res *consensus.Result[T]
	err = c.guard(func() (err error) {
		res, err = consensus.Find(c.ctx, c.m, ranks, c.method, &settings)
		return err
	})
	if res == nil || err != nil && codeOf(err) != C.NMU_CANCELLED {
		return err
	}
	for _, x := range wanted {
		x.set(res.Points)
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
	give(result, &out)
	return errors.Join(err, c.saved(res.Stop), c.notes())
}
