package lnmu

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"time"

	"nmu/kernel"
)

// Improve is the column "Improved" of the paper's tables (section 4.5): it rounds
// V and W by the 0.1 % rule, keeps the zeros as they are then, and makes HALS
// steps on the other entries, 100 unless opt.Iterations says otherwise. It
// compares the supports of solutions, whatever else their methods had to respect.
//
// V (m x r) and W (r x n) are not changed. Of the options it takes Iterations,
// Threads, Tolerance, CheckEvery, TimeLimit and Progress; any other one is an
// error. Errors and cancellation are those of Factor.
func Improve[T Float](ctx context.Context, m, v, w Dense[T], opt Options[T]) (*Result[T], error) {
	others := opt
	others.Iterations, others.Threads, others.Tolerance, others.CheckEvery, others.TimeLimit, others.Progress = 0, 0, 0, 0, 0, nil
	if !reflect.ValueOf(others).IsZero() {
		return nil, fmt.Errorf("%w: Improve takes iterations, threads, tolerance, check interval, time limit and progress only", ErrOption)
	}
	if err := checkFactors(m, v, w); err != nil {
		return nil, err
	}
	if opt.Iterations == 0 {
		opt.Iterations = 100
	}
	opt.Method, opt.Rank = NMF, v.Cols
	opt.V, opt.W = clone(v), clone(w)
	RoundBasis(opt.V)
	RoundWeights(opt.W)
	return factor(ctx, m, opt, true)
}

// clone returns a copy without gaps between the rows.
func clone[T Float](d Dense[T]) Dense[T] {
	c := NewDense[T](d.Rows, d.Cols, nil)
	for i := range d.Rows {
		copy(c.Row(i), d.Row(i))
	}
	return c
}

// checkFactors reports whether V and W are a factorization of an m x n matrix.
func checkFactors[T Float](m, v, w Dense[T]) error {
	if err := validate("M", m); err != nil {
		return err
	}
	if err := checkStart("V", v, m.Rows, v.Cols); err != nil {
		return err
	}
	if err := checkStart("W", w, v.Cols, m.Cols); err != nil {
		return err
	}
	return checkProduct("V W", v, w)
}

// keepSupports lets the following sweeps change only what is positive now.
func (s *solver[T]) keepSupports() {
	support := func(x kernel.Matrix[T]) kernel.Matrix[T] {
		mask := kernel.NewMatrix[T](x.Rows, x.Cols)
		for k := range x.Rows {
			row := mask.Row(k)
			for j, a := range x.Row(k) {
				if a > 0 {
					row[j] = 1
				}
			}
		}
		return mask
	}
	s.maskH, s.maskG = support(s.h), support(s.g)
}

// Scaled is the column "Scaled" of the paper's tables (section 4.8): it returns
// the α that minimises ||M - α V W||_F (equation (scaling)), and that error
// divided by ||M||_F. If V W = 0 or M = 0, α is 0 or 1, and the error 1 or 0.
// O(mnr) operations. Errors wrap ErrShape or ErrValue.
func Scaled[T Float](m, v, w Dense[T]) (alpha, relativeError float64, err error) {
	if err := checkFactors(m, v, w); err != nil {
		return 0, 0, err
	}
	norm, most, err := frobenius("M", m)
	if err != nil {
		return 0, 0, err
	}
	if norm == 0 {
		return 1, 0, nil
	}
	j := newJob(context.Background(), m, Options[T]{Method: NMF, Rank: v.Cols}, norm, most, time.Now())
	a := newAttempt(j, runtime.GOMAXPROCS(0))
	defer a.Close()
	s := a.solverOf(v.Cols)
	s.start(v, w, 0)
	alpha = s.fit()
	if math.IsNaN(alpha) || math.IsInf(alpha, 0) {
		return 0, 1, nil
	}
	for i := range s.g.Data {
		s.g.Data[i] *= T(alpha)
	}
	return alpha, j.relative(s.residual(false).squares), nil
}
