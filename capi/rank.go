package main

// #include "call.h"
import "C"

import (
	"time"
	"unsafe"

	"nmu/internal/options"
	"nmu/lnmu"
	"nmu/lnmu/rank"
	"nmu/lnmu/topics"
)

// compareRanks compares ranks and writes what is found.
func compareRanks[T lnmu.Float](c *call) error {
	w, ranks := comparisonOf[T](c, options.Rank)
	defer w.close()
	out := take("the result", (*C.nmu_rank_result)(c.result))
	settings := rank.Settings{Settings: w.Settings, Folds: w.Folds, Consensus: w.Consensus}
	if w.Progress != nil {
		settings.Report = func(now rank.Progress) { w.report(now.Finished, now.Runs, now.Elapsed, time.Duration(now.Remaining)) }
	}
	res, err := found(w, func() (*rank.Result, error) { return rank.Curve(w.ctx, w.m, ranks, w.method, &settings) })
	rankRecord().write(&out, struct {
		rank.Advice
		*rank.Result
	}{res.Advice, res})
	out.points, out.consensus_columns = list(pointRecord(), out.point, out.point_capacity, res.Points), 0
	if w.Consensus {
		out.consensus_columns = C.int64_t(res.Columns)
		for i, x := range res.Points {
			if x.Agreement != nil {
				writeMap(out.consensus, out.consensus_capacity, i, x.Agreement.Consensus)
			}
		}
	}
	give((*C.nmu_rank_result)(c.result), &out)
	return err
}

// comparisonOf reads the options of a call that compares ranks, M, and the ranks.
func comparisonOf[T lnmu.Float](c *call, call options.Call) (w work[T], ranks []int) {
	p := planOf(c, call)
	if p.Init == options.InitGiven {
		refuse(lnmu.ErrOption, "init=given for a comparison of ranks; choose a start that there is for all of them")
	}
	ranks, err := options.ParseRanks(p.Ranks, options.MostRank)
	if err != nil {
		refuse(lnmu.ErrOption, "ranks=%s: %w", p.Ranks, err)
	}
	return workOf[T](c, p), ranks
}

// report tells the caller of finished runs, as of restarts.
func (p *plan) report(finished, runs int, elapsed, remaining time.Duration) {
	p.Settings.Progress(lnmu.Progress{Restart: finished, Restarts: runs, Elapsed: elapsed, Remaining: max(0, remaining)})
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

// scale scales factors to topics in their places, and writes the mixtures, unless they are NULL.
func scale[T lnmu.Float](c *call) error {
	v, w := resultOf[T]("V", c.v), resultOf[T]("W", c.w)
	to := w
	if c.mixtures != nil {
		to = resultOf[T]("the matrix of mixtures", c.mixtures)
	}
	if to.rows != w.rows || to.cols != w.cols {
		refuse(lnmu.ErrShape, "W is %d x %d and the matrix of mixtures %d x %d; they must be the same", w.rows, w.cols, to.rows, to.cols)
	}
	basis, weights := denseOf(v), denseOf(w)
	fail(topics.Scale(basis, weights))
	if c.mixtures != nil {
		set(to, topics.Mixtures(weights))
	}
	set(v, basis)
	set(w, weights)
	return nil
}
