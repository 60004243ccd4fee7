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
	p, err := planOf(opt, options.Rank)
	if err != nil {
		return err
	}
	in, err := inputOf[T](g, p)
	if err != nil {
		return err
	}
	defer in.close()
	out, err := take("the result", result)
	if err != nil {
		return err
	}
	for _, x := range []struct {
		what     string
		capacity C.int64_t
		at       unsafe.Pointer
	}{{"points", out.point_capacity, unsafe.Pointer(out.point)}, {"entries of consensus matrices", out.consensus_capacity, unsafe.Pointer(out.consensus)}} {
		if err := checkRoom(x.what, x.capacity, x.at); err != nil {
			return err
		}
	}
	if p.Init == options.InitGiven {
		return fmt.Errorf("%w: init=given for a comparison of ranks; choose a start that there is for all of them", lnmu.ErrOption)
	}
	ranks, err := options.ParseRanks(p.Ranks, options.MostRank)
	if err != nil {
		return fmt.Errorf("%w: ranks=%s: %w", lnmu.ErrOption, p.Ranks, err)
	}
	m, err := observed(in, p)
	if err != nil {
		return err
	}
	settings := rank.Settings{Settings: p.Settings, Folds: p.Folds, Consensus: p.Consensus}
	if show := p.Settings.Progress; show != nil {
		settings.Report = func(now rank.Progress) {
			show(lnmu.Progress{Restart: now.Finished, Restarts: now.Runs, Elapsed: now.Elapsed, Remaining: max(0, time.Duration(now.Remaining))})
		}
	}
	var res *rank.Result
	err = in.guard(func() (err error) {
		res, err = rank.Curve(p.ctx, m, ranks, p.method, &settings)
		return err
	})
	if res == nil || err != nil && codeOf(err) != C.NMU_CANCELLED {
		return err
	}
	rankRecord().write(&out, struct {
		rank.Advice
		*rank.Result
	}{res.Advice, res})
	out.points, out.consensus_columns = C.int64_t(len(res.Points)), 0
	points := unsafe.Slice(out.point, min(int64(out.point_capacity), int64(len(res.Points))))
	for i := range points {
		pointRecord().write(&points[i], res.Points[i])
	}
	if p.Consensus {
		out.consensus_columns = C.int64_t(res.Columns)
		size := res.Columns * res.Columns
		room := unsafe.Slice((*float64)(unsafe.Pointer(out.consensus)), min(int64(out.consensus_capacity), int64(size*len(res.Points))))
		for i, x := range res.Points {
			if a := x.Agreement; a != nil && (i+1)*size <= len(room) {
				copy(room[i*size:], a.Consensus.Data)
			}
		}
	}
	give(result, &out)
	return errors.Join(err, in.notes())
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
