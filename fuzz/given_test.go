package fuzz

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"nmu/internal/checkasm"
	"nmu/internal/isa"
	"nmu/lnmu"
	"nmu/lnmu/factors"
)

// FuzzGiven takes given factors further, as Improve and Transform do, at the fastest level and another
// one, at times the generic one, with some number of threads: the same bits, finite and nonnegative,
// and no worse than what they promise.
func FuzzGiven(f *testing.F) {
	for i := range 32 { // whole cases, all different
		f.Add([]byte{byte(i)})
	}
	f.Fuzz(either(given[float64], given[float32]))
}

// found is what was found for given factors.
type found[T lnmu.Float] struct {
	v, w     lnmu.Dense[T]
	relative float64
	excess   float64 // the largest violation
	more     string  // of the report
}

func given[T lnmu.Float](t *testing.T, s *source) {
	entries := 300
	if s.one(16) { // few of the others are worth twenty times as long
		entries = mostEntries
	}
	p := newProblem[T](t, s, entries)
	v, w := p.start(p.m.Rows, p.rank), p.start(p.rank, p.m.Cols)
	var what string
	var run func(threads int) (*found[T], error)
	switch steps := 1 + s.n(30); s.n(3) {
	case 0:
		what = fmt.Sprintf("improve, %d iterations", steps)
		run = func(threads int) (*found[T], error) {
			res, err := (&lnmu.Result[T]{V: v, W: w}).Improve(context.Background(), p.m, lnmu.NMF{}, &lnmu.Settings{Limits: lnmu.Limits{Iterations: steps, Tolerance: p.settings.Tolerance}, Threads: threads})
			if res == nil {
				return nil, err
			}
			return &found[T]{res.V, res.W, res.RelativeError, res.MaxViolation, fmt.Sprint(res.Blocks, res.Stop)}, err
		}
	case 1:
		from := s.one(2)
		what = fmt.Sprintf("transform, %d iterations, start %v", steps, from)
		run = func(threads int) (*found[T], error) {
			settings := &lnmu.TransformSettings{Iterations: steps, Tolerance: p.settings.Tolerance, Threads: threads}
			if from {
				return transformed(v)(lnmu.Transform(context.Background(), p.m, v, w, settings))
			}
			return transformed(v)(lnmu.Transform(context.Background(), p.m, v, lnmu.Dense[T]{}, settings))
		}
	case 2:
		what = "transform under M"
		run = func(threads int) (*found[T], error) {
			return transformed(v)(lnmu.Transform(context.Background(), p.m, v, lnmu.Dense[T]{}, &lnmu.TransformSettings{Feasible: true, Threads: threads}))
		}
	}
	fail := func(format string, a ...any) { t.Fatalf("%v, %s: %s", p, what, fmt.Sprintf(format, a...)) }

	inputs := []*lnmu.Dense[T]{&p.m, &v, &w}
	var before [][]T
	for _, d := range inputs {
		before = append(before, slices.Clone(d.Data))
	}
	levels := isa.Available() // the generic one first
	fastest, other := levels[len(levels)-1], levels[0]
	if !s.one(8) { // the generic one takes most of the time
		other = levels[len(levels)-1-s.n(min(2, len(levels)))]
	}
	first := agree(p, t, []place{{fastest, 1}, {other, threads[s.n(len(threads))]}}, run, func(_ place, got *found[T], err error) {
		for k, d := range inputs {
			if checkasm.Compare(d.Data, before[k], true) != nil {
				fail("an input was modified")
			}
		}
		if err != nil && (p.sane || got != nil || !errors.Is(err, lnmu.ErrValue)) {
			fail("%v, %v", got, err)
		}
	}, func(first, got *found[T]) string {
		if factors.SHA256(got.v) != factors.SHA256(first.v) || factors.SHA256(got.w) != factors.SHA256(first.w) || got.more != first.more {
			return fmt.Sprintf("%s: %+v, %+v", what, got, first)
		}
		return ""
	})
	if first == nil {
		return
	}
	p.nonnegative(first.v, first.w)
	if what == "transform under M" && first.excess != 0 {
		fail("V W exceeds M by %v", first.excess)
	}
}

// transformed returns what makes an outcome of new weights for V.
func transformed[T lnmu.Float](v lnmu.Dense[T]) func(res *lnmu.Transformed[T], err error) (*found[T], error) {
	return func(res *lnmu.Transformed[T], err error) (*found[T], error) {
		if res == nil {
			return nil, err
		}
		return &found[T]{v, res.W, res.RelativeError, res.MaxViolation, fmt.Sprint(res.IterationsDone, res.KKT, res.Stop)}, err
	}
}
