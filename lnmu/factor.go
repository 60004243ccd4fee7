package lnmu

import (
	"context"
	"fmt"
	"math"
	"time"

	"nmu/kernel"
)

// Factor factors the nonnegative m x n matrix M into V W with V, W >= 0 and,
// for the underapproximations, V W <= M up to small violations (the paper's
// remark on feasibility).
//
// It runs in O(mnr) per iteration (RNMU: O(mn) per iteration of each factor) and
// keeps one copy of M beside the state N (RNMU, and M with more columns than
// rows) or only N (else; NMF: only the copy). Nothing is allocated per
// iteration.
//
// The result depends on M, the options and nothing else: not on the processor,
// the operating system or the number of threads.
//
// Errors wrap ErrShape, ErrOption or ErrValue. If ctx is cancelled, Factor
// returns what is finished so far together with ctx.Err(): of several restarts
// the best finished one, of a recursion the finished factors, else the current
// V and W.
func Factor[T Float](ctx context.Context, m Dense[T], opt Options[T]) (*Result[T], error) {
	start := time.Now()
	if err := kernel.LevelError(); err != nil {
		return nil, err
	}
	if err := m.validate("M"); err != nil {
		return nil, err
	}
	opt, err := opt.withDefaults(m.Rows, m.Cols)
	if err != nil {
		return nil, err
	}
	norm, err := frobenius("M", m)
	if err != nil {
		return nil, err
	}
	if norm == 0 {
		return zeroResult(m, opt), nil
	}
	f := newFactoring(ctx, m, opt, norm, start)
	defer f.close()
	return f.best()
}

// frobenius returns ||M||_F, or an error if M holds an entry that is negative
// or not finite, or if its squares leave the range of T.
func frobenius[T Float](name string, m Dense[T]) (float64, error) {
	var squares float64
	for i := range m.Rows {
		row := m.Row(i)
		sum := float64(kernel.SumSquares(row))
		if kernel.Min(row) < 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
			if err := checkValues(name, Dense[T]{Rows: m.Rows, Cols: m.Cols, Data: m.Data, Stride: m.Stride}); err != nil {
				return 0, err
			}
			return 0, fmt.Errorf("%w: the squares of row %d of %s overflow; scale %s down", ErrValue, i, name, name)
		}
		if most := kernel.Max(row); most > 0 && !(float64(T(most*most)) > 0) {
			return 0, fmt.Errorf("%w: the squares of row %d of %s underflow; scale %s up", ErrValue, i, name, name)
		}
		squares += sum
	}
	return math.Sqrt(squares), nil
}

// zeroResult is the factorization of M = 0.
func zeroResult[T Float](m Dense[T], opt Options[T]) *Result[T] {
	return &Result[T]{
		V:           NewDense[T](m.Rows, opt.Rank, nil),
		W:           NewDense[T](opt.Rank, m.Cols, nil),
		Stop:        StopExact,
		Seed:        opt.Seed,
		BestRestart: 1,
		Level:       kernel.Level(),
	}
}

// factoring is one call of Factor.
type factoring[T Float] struct {
	run[T]
	layout  *layout[T]
	input   kernel.Matrix[T] // M in the layout of the pass
	m, n    int
	begun   time.Time
	shown   time.Time // of the last progress report
	restart int
}

func newFactoring[T Float](ctx context.Context, m Dense[T], opt Options[T], norm float64, start time.Time) *factoring[T] {
	f := &factoring[T]{m: m.Rows, n: m.Cols, begun: start, shown: start}
	f.run = run[T]{Options: opt, ctx: ctx, norm: norm}
	if opt.TimeLimit > 0 {
		f.deadline = start.Add(opt.TimeLimit)
	}
	f.layout = newLayout[T](m.Rows, m.Cols, newTeam(opt.Threads))
	f.input = f.layout.oriented(m)
	return f
}

func (f *factoring[T]) close() { f.layout.close() }

// best runs the restarts and returns the result of least error.
func (f *factoring[T]) best() (*Result[T], error) {
	var best *Result[T]
	for f.restart = 1; f.restart <= f.Restarts; f.restart++ {
		seed := f.Seed + uint64(f.restart-1)
		v, w := f.V, f.W
		if f.Init != InitGiven {
			v, w = randomStart[T](f.m, f.n, f.Rank, seed)
		}
		res := f.attempt(v, w)
		res.Seed, res.BestRestart, res.Level = seed, f.restart, kernel.Level()
		if res.Stop == StopCancelled || res.Stop == StopTime {
			if best == nil {
				best = res
			}
			best.Stop = res.Stop
			break
		}
		if best == nil || res.RelativeError < best.RelativeError {
			best = res
		}
	}
	if best.Stop == StopCancelled {
		return best, fmt.Errorf("factorization stopped early: %w", context.Cause(f.ctx))
	}
	return best, nil
}

// attempt runs the method once, from the given start.
func (f *factoring[T]) attempt(v, w Dense[T]) *Result[T] {
	if f.Method == RNMU {
		return f.recursion(v, w)
	}
	return f.global(v, w)
}

// global factors M at once, by NMF or G-NMU.
func (f *factoring[T]) global(v, w Dense[T]) *Result[T] {
	s := newSolver(f.layout, f.Rank)
	f.layout.m, s.n = f.input, f.input
	if f.Method == GNMU {
		s.n = kernel.NewMatrix[T](s.rows, s.cols)
		copy(s.n.Data, f.input.Data)
	}
	s.start(v, w, 0)
	if f.Init != InitGiven {
		s.scale()
	}
	f.report = func(k int, relative func() float64) { f.progress(0, k, relative) }
	tr := s.iterate(f.run, f.Method == GNMU)
	res := &Result[T]{
		V:          NewDense[T](f.m, f.Rank, nil),
		W:          NewDense[T](f.Rank, f.n, nil),
		Iterations: []int{tr.iterations},
		Stop:       tr.stop,
	}
	if tr.history != nil {
		res.History = [][]float64{tr.history}
	}
	s.finish(res.V, res.W, 0)
	e := s.residual(false)
	res.RelativeError = f.relative(e.squares)
	res.MaxViolation = max(0, -e.least)
	return res
}

// finish copies the factors to columns [k0, k0+rank) of v and rows of w.
func (s *solver[T]) finish(v, w Dense[T], k0 int) {
	vt, wk := s.h, s.g
	if !s.tall {
		vt, wk = s.g, s.h
	}
	transpose(kernel.Matrix[T]{Rows: v.Rows, Cols: s.rank, Data: v.Data[k0:], Stride: v.Stride}, vt)
	for k := range s.rank {
		copy(w.Row(k0+k), wk.Row(k))
	}
}

// progress reports a state to the caller, a few times per second.
func (f *factoring[T]) progress(factor, iteration int, relative func() float64) {
	const interval = 200 * time.Millisecond
	if f.Progress == nil {
		return
	}
	now := time.Now()
	if now.Sub(f.shown) < interval {
		return
	}
	f.shown = now
	blocks := float64((f.Rank + f.Block - 1) / f.Block)
	done := (float64(f.restart-1) + (float64(factor/f.Block)+float64(iteration)/float64(f.Iterations))/blocks) / float64(f.Restarts)
	elapsed := now.Sub(f.begun)
	p := Progress{
		Restart: f.restart, Restarts: f.Restarts,
		Factor: factor, Rank: f.Rank,
		Iteration: iteration, Iterations: f.Iterations,
		RelativeError: relative(),
		Elapsed:       elapsed,
	}
	if done > 0 {
		p.Remaining = time.Duration(float64(elapsed) * (1 - done) / done)
	}
	f.Progress(p)
}
