package fuzz

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"nmu/internal/checkasm"
	"nmu/internal/isa"
	"nmu/lnmu"
)

// FuzzGiven takes given factors further, as Improve and Transform do, at every
// level with several numbers of threads: the same bits, finite and nonnegative,
// and no worse than what they promise.
func FuzzGiven(f *testing.F) {
	for i := range 32 { // whole cases, all different
		f.Add([]byte{byte(i)})
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		s := newSource(input)
		if s.one(2) {
			given[float64](t, s)
		} else {
			given[float32](t, s)
		}
	})
}

// outcome is what was found for given factors.
type outcome[T lnmu.Float] struct {
	v, w     lnmu.Dense[T]
	relative float64
	excess   float64 // the largest violation
	more     string  // of the report
}

func given[T lnmu.Float](t *testing.T, s *source) {
	p := newProblem[T](t, s)
	v, w := p.start(p.m.Rows, p.opt.Rank), p.start(p.opt.Rank, p.m.Cols)
	var what string
	var run func(threads int) (*outcome[T], error)
	switch steps := 1 + s.n(30); s.n(3) {
	case 0:
		what = fmt.Sprintf("improve, %d iterations", steps)
		run = func(threads int) (*outcome[T], error) {
			res, err := lnmu.Improve(context.Background(), p.m, v, w, lnmu.Options[T]{Iterations: steps, Threads: threads, Tolerance: p.opt.Tolerance})
			if res == nil {
				return nil, err
			}
			return &outcome[T]{res.V, res.W, res.RelativeError, res.MaxViolation, fmt.Sprint(res.Iterations, res.Stop)}, err
		}
	case 1:
		opt := lnmu.TransformOptions[T]{Iterations: steps, Tolerance: p.opt.Tolerance}
		if s.one(2) {
			opt.W = w
		}
		what = fmt.Sprintf("transform, %d iterations, start %v", steps, opt.W.Data != nil)
		run = transform(p.m, v, opt)
	case 2:
		what = "transform under M"
		run = transform(p.m, v, lnmu.TransformOptions[T]{Under: true})
	}
	fail := func(format string, a ...any) { t.Fatalf("%v, %s: %s", p, what, fmt.Sprintf(format, a...)) }

	inputs := []*lnmu.Dense[T]{&p.m, &v, &w}
	var before [][]T
	for _, d := range inputs {
		before = append(before, slices.Clone(d.Data))
	}
	var first *outcome[T]
	var firstErr error
	for i, level := range isa.Available() {
		for j, n := range threads {
			restore := isa.Set(level)
			got, err := run(n)
			restore()
			for k, d := range inputs {
				if checkasm.Compare(d.Data, before[k], true) != nil {
					fail("an input was modified")
				}
			}
			switch {
			case err != nil && (p.sane || got != nil || !errors.Is(err, lnmu.ErrValue)):
				fail("%v, %v", got, err)
			case i == 0 && j == 0:
				first, firstErr = got, err
			case fmt.Sprint(err) != fmt.Sprint(firstErr):
				fail("level %v, %d threads: error %v, else %v", level, n, err, firstErr)
			case got != nil && (lnmu.SHA256(got.v) != lnmu.SHA256(first.v) || lnmu.SHA256(got.w) != lnmu.SHA256(first.w) || got.more != first.more):
				fail("level %v, %d threads: %+v; at level generic with 1 thread %+v", level, n, got, first)
			}
		}
	}
	if first == nil {
		return
	}
	for _, d := range []lnmu.Dense[T]{first.v, first.w} {
		for i := range d.Rows {
			for j, x := range d.Row(i) {
				if !(x >= 0) || math.IsInf(float64(x), 0) {
					fail("a factor has %v at [%d,%d]", x, i, j)
				}
			}
		}
	}
	if what == "transform under M" && first.excess != 0 {
		fail("V W exceeds M by %v", first.excess)
	}
}

func transform[T lnmu.Float](m, v lnmu.Dense[T], opt lnmu.TransformOptions[T]) func(threads int) (*outcome[T], error) {
	return func(threads int) (*outcome[T], error) {
		opt.Threads = threads
		res, err := lnmu.Transform(context.Background(), v, m, opt)
		if res == nil {
			return nil, err
		}
		return &outcome[T]{v, res.W, res.RelativeError, res.MaxViolation, fmt.Sprint(res.Iterations, res.KKT, res.Stop)}, err
	}
}
