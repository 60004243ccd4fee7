package main

// #include "nmu.h"
import "C"

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"nmu/internal/options"
	"nmu/lnmu"
	"nmu/lnmu/rank"
	"nmu/lnmu/topics"
)

//export nmuGoRank
func nmuGoRank(dense *C.nmu_matrix, sparse *C.nmu_csr, options *C.nmu_options, result *C.nmu_rank_result, e *C.nmu_error) C.int {
	return call(e, func() error {
		m := given{dense, sparse, nil}
		if dense == nil && sparse == nil {
			return compare[float64](m, options, result)
		}
		return m.inPrecision(
			func() error { return compare[float64](m, options, result) },
			func() error { return compare[float32](m, options, result) })
	})
}

// compare compares ranks and writes what is found.
func compare[T lnmu.Float](g given, opt *C.nmu_options, result *C.nmu_rank_result) error {
	c, err := comparisonOf[T](g, opt, options.Rank)
	if err != nil {
		return err
	}
	defer c.close()
	out, err := take("the result", result)
	if err == nil {
		err = errors.Join(room{"points", out.point_capacity, unsafe.Pointer(out.point)}.check(),
			room{"entries of consensus matrices", out.consensus_capacity, unsafe.Pointer(out.consensus)}.check())
	}
	if err != nil {
		return err
	}
	settings := rank.Settings{Settings: c.Settings, Folds: c.Folds, Consensus: c.Consensus}
	if c.Progress != nil {
		settings.Report = func(now rank.Progress) { c.report(now.Finished, now.Runs, now.Elapsed, time.Duration(now.Remaining)) }
	}
	var res *rank.Result
	err = c.guard(func() (err error) {
		res, err = rank.Curve(c.ctx, c.m, c.ranks, c.method, &settings)
		return err
	})
	if res == nil || err != nil && codeOf(err) != C.NMU_CANCELLED {
		return err
	}
	rankRecord().write(&out, struct {
		rank.Advice
		*rank.Result
	}{res.Advice, res})
	out.points, out.consensus_columns = list(pointRecord(), out.point, out.point_capacity, res.Points), 0
	if c.Consensus {
		out.consensus_columns = C.int64_t(res.Columns)
		for i, x := range res.Points {
			if x.Agreement != nil {
				writeMap(out.consensus, out.consensus_capacity, i, x.Agreement.Consensus)
			}
		}
	}
	give(result, &out)
	return errors.Join(err, c.notes())
}

// comparison is what a call needs to compare ranks.
type comparison[T lnmu.Float] struct {
	*plan
	input[T]
	m     lnmu.Matrix[T]
	ranks []int
}

// comparisonOf reads the options of a call that compares ranks, and M. The caller closes it.
func comparisonOf[T lnmu.Float](g given, opt *C.nmu_options, call options.Call) (c comparison[T], err error) {
	if c.plan, err = planOf(opt, call); err != nil {
		return c, err
	}
	if c.Init == options.InitGiven {
		return c, fmt.Errorf("%w: init=given for a comparison of ranks; choose a start that there is for all of them", lnmu.ErrOption)
	}
	if c.ranks, err = options.ParseRanks(c.Ranks, options.MostRank); err != nil {
		return c, fmt.Errorf("%w: ranks=%s: %w", lnmu.ErrOption, c.Ranks, err)
	}
	if c.input, err = inputOf[T](g, c.plan); err != nil {
		return c, err
	}
	if c.m, err = observed(c.input, c.plan); err != nil {
		c.close()
	}
	return c, err
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
	room := unsafe.Slice((*float64)(unsafe.Pointer(to)), capacity)[i*size:]
	for k, x := range d.Data[:size] { // by rows, without gaps
		room[k] = float64(x)
	}
}

//export nmuGoTopics
func nmuGoTopics(v, w, mixtures *C.nmu_matrix, e *C.nmu_error) C.int {
	return call(e, func() error {
		return given{like: v}.inPrecision(
			func() error { return scale[float64](v, w, mixtures) },
			func() error { return scale[float32](v, w, mixtures) })
	})
}

// scale scales factors to topics in their places.
func scale[T lnmu.Float](givenV, givenW, givenMixtures *C.nmu_matrix) error {
	v, err := viewOf[T]("V", givenV)
	if err != nil {
		return err
	}
	w, err := viewOf[T]("W", givenW)
	if err != nil {
		return err
	}
	if err := errors.Join(v.writable(), w.writable()); err != nil {
		return err
	}
	var to view[T]
	if givenMixtures != nil {
		if to, err = viewOf[T]("the matrix of mixtures", givenMixtures); err == nil {
			err = to.writable()
		}
		if err == nil && (to.rows != w.rows || to.cols != w.cols) {
			err = fmt.Errorf("%w: W is %d x %d and the matrix of mixtures %d x %d; they must be the same", lnmu.ErrShape, w.rows, w.cols, to.rows, to.cols)
		}
		if err != nil {
			return err
		}
	}
	basis, weights := v.dense(), w.dense()
	if err := topics.Scale(basis, weights); err != nil {
		return err
	}
	if givenMixtures != nil {
		to.set(topics.Mixtures(weights))
	}
	v.set(basis)
	w.set(weights)
	return nil
}
