package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"nmu/internal/memory"
	"nmu/internal/team"
	"nmu/lnmu"
	"nmu/lnmu/internal/check"
	"nmu/lnmu/internal/codec"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/outcome"
)

// job is one comparison: the runs of all ranks.
type job[T lnmu.Float] struct {
	Plan
	by         evaluation[T]
	data       data[T]
	rows, cols int
	columns    []int // of M in a consensus map
	series     []*series[T]
	units      []*unit[T] // of all series, in the order in which they are begun

	sync.Mutex // guards what follows, and the results of units and series

	begun    time.Time
	finished int       // units
	notes    []string  // on complete runs, in order, each once
	due      time.Time // of the next state
	changed  bool      // since the last state
	next     int       // unit
	parted   float64   // progress within the runs that are not finished, in runs
	shown    time.Time
	failed   error
}

// evaluation makes the runs of a job, and compares them.
type evaluation[T lnmu.Float] interface {
	// factor makes a run, and reports whether it is complete. If ctx is cancelled, it may not be.
	factor(ctx context.Context, u *unit[T], threads int) (complete bool, err error)

	// compare sets the result of a series whose units are finished. If ctx is cancelled, it returns an error.
	compare(ctx context.Context, g *series[T], threads int) error

	// codeUnit and codeSeries encode or decode the result of a unit, and of a series that is compared.
	codeUnit(c codec.Coder, u *unit[T])
	codeSeries(c codec.Coder, g *series[T])
}

// series is the ranks that share their runs: all of them if a run gives the factors of every
// rank, else one.
type series[T lnmu.Float] struct {
	ranks    []int
	units    []*unit[T]
	left     int  // units that are not finished
	compared bool // its units are

	agreements []*Agreement       // of HeldOut, by rank
	point      *StabilityPoint[T] // of Stability
}

// unit is a run and its result.
type unit[T lnmu.Float] struct {
	series *series[T]
	fold   int    // that HeldOut holds out, or whole
	seed   uint64 // of the run
	done   bool

	// HeldOut has the errors for the first ranks of the series, at the held-out entries or, in a whole run, at the
	// observed ones. Stability has one. A run that was cut short may have errors.
	errs []float64
	fall float64 // of the error in the last tenth of the iterations, relative

	// What is compared, until the series is.
	directions lnmu.Dense[T] // of HeldOut
	labels     [][]int32     // likewise, by rank
	v, w       lnmu.Dense[T] // of Stability: columns of V with the sum 1, or zero
	q          float64       // the weighted sum of squares, if there are weights
}

// whole is the fold of a run of all observed entries.
const whole = -1

// newJob checks the arguments of an evaluation, and lays out its runs.
func newJob[T lnmu.Float](ctx context.Context, e Evaluation, m lnmu.Matrix[T], ranks []int, method lnmu.Method, settings *Settings) (*job[T], error) {
	begun := time.Now()
	if err := check.Context(ctx); err != nil {
		return nil, err
	}
	o, p, err := withDefaults(e, m, ranks, method, settings)
	if err != nil {
		return nil, err
	}
	j := &job[T]{Plan: p, begun: begun}
	if j.data, err = newData(o, e == EvaluateHeldOut); err != nil {
		return nil, err
	}
	j.rows, j.cols = j.data.Dims()
	for x := range min(j.cols, mostColumns) {
		j.columns = append(j.columns, Mapped(j.cols, x))
	}
	for ranks := range slices.Chunk(p.Ranks, p.shared()) {
		g := &series[T]{ranks: ranks, agreements: make([]*Agreement, len(ranks)), left: p.each()}
		for q := range g.left {
			u := &unit[T]{series: g, fold: q, seed: p.Settings.Seed + uint64(q)}
			switch folds := p.folds(); {
			case e == EvaluateStability:
				u.seed = p.Settings.Seed + uint64(q)*uint64(p.Settings.Restarts)
			case q >= folds:
				u.fold, u.seed = whole, p.Settings.Seed+uint64(q-folds)
			}
			g.units = append(g.units, u)
		}
		j.series, j.units = append(j.series, g), append(j.units, g.units...)
	}
	return j, nil
}

// run makes all runs that are not done, some of them concurrently, until ctx is cancelled or the time limit is over, and
// compares them.
func (j *job[T]) run(ctx context.Context) error {
	if err := j.load(); err != nil {
		return err
	}
	inner, abandon := context.WithCancelCause(ctx)
	defer abandon(nil)
	if limit := j.Settings.TimeLimit; limit > 0 {
		var cancel context.CancelFunc
		inner, cancel = context.WithDeadline(inner, j.begun.Add(limit))
		defer cancel()
	}
	j.shown = time.Now()
	teams := j.teams()
	team.Together(teams, func() {
		for u := j.take(); u != nil && inner.Err() == nil; u = j.take() {
			if err := j.work(inner, u, j.Settings.Threads/teams); err != nil {
				j.Lock()
				j.failed = cmp.Or(j.failed, err)
				j.Unlock()
				abandon(err)
				return
			}
		}
	}, func() { abandon(errors.New("another run panicked")) })
	for _, g := range j.series { // whose last run was saved before it was compared
		if j.failed == nil && g.left == 0 && !g.compared && inner.Err() == nil {
			j.failed = j.conclude(inner, g, j.Settings.Threads)
		}
	}
	if j.failed == nil && !j.complete() {
		j.save(true)
	}
	return j.failed
}

// complete reports whether all runs are finished and compared.
func (j *job[T]) complete() bool {
	return !slices.ContainsFunc(j.series, func(g *series[T]) bool { return !g.compared })
}

// take returns the next unit that is not done, or nil.
func (j *job[T]) take() *unit[T] {
	j.Lock()
	defer j.Unlock()
	for j.next++; j.next <= len(j.units); j.next++ {
		if u := j.units[j.next-1]; !u.done {
			return u
		}
	}
	return nil
}

// work makes a run, and compares those of a series whose units are all finished.
func (j *job[T]) work(ctx context.Context, u *unit[T], threads int) error {
	complete, err := j.by.factor(ctx, u, threads)
	j.collect()
	if err != nil {
		return err
	}
	if complete {
		j.Lock()
		u.done, j.changed = true, true
		j.finished++
		u.series.left--
		last := u.series.left == 0
		j.Unlock()
		if last {
			err = j.conclude(ctx, u.series, threads)
		}
	}
	if err == nil {
		j.save(false)
	}
	return err
}

// conclude compares the units of a series, which are finished, unless ctx is cancelled.
func (j *job[T]) conclude(ctx context.Context, g *series[T], threads int) error {
	err := j.by.compare(ctx, g, threads)
	j.collect()
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	j.Lock()
	defer j.Unlock()
	g.compared, j.changed = true, true
	for _, u := range g.units {
		u.directions, u.labels, u.v, u.w = lnmu.Dense[T]{}, nil, lnmu.Dense[T]{}, lnmu.Dense[T]{}
	}
	return nil
}

// collect frees what a run or a comparison has taken, before the next one begins.
func (j *job[T]) collect() { memory.Collect(j.data.bytes()) }

// solve makes the run of a unit, reports its progress, and collects the notes on its result. If ctx is cancelled,
// the result is what was finished, or nil, and complete is false.
func (j *job[T]) solve(ctx context.Context, u *unit[T], m lnmu.Matrix[T], rank int, s lnmu.Settings) (res *lnmu.Result[T], complete bool, err error) {
	if s.Tolerance == 0 && !j.Method.Underapproximates() { // for fall; else the caller's interval decides when a run ends
		s.Record, s.CheckEvery = true, max(1, s.Iterations/10)
	}
	part := 0.0
	s.Progress = func(p lnmu.Progress) {
		now := float64(p.Elapsed) / float64(p.Elapsed+p.Remaining)
		j.add(now - part)
		part = now
	}
	res, err = lnmu.Factor(ctx, m, rank, j.Method, &s)
	j.add(-part)
	if err != nil && res != nil && ctx.Err() != nil {
		return res, false, nil
	}
	if err == nil {
		j.note(slices.DeleteFunc(res.Notes, func(note string) bool { // which differ from run to run: see moving
			return strings.HasPrefix(note, core.NotAtRest) || strings.HasPrefix(note, core.Exceeds)
		})...)
		u.fall = j.fall(res.Blocks)
	}
	return res, err == nil, err
}

// fall returns by which share the error, or the divergence, of a run fell in the last tenth of its iterations. It is
// 0 if they ended by a tolerance, and for underapproximations, whose errors may rise.
func (j *job[T]) fall(blocks []outcome.Block) float64 {
	if len(blocks) == 0 {
		return 0
	}
	last := blocks[len(blocks)-1]
	h := last.History
	if n := len(h); n >= 2 && last.Stop == outcome.StopIterations && h[n-1] > core.Fitted && !j.Method.Underapproximates() {
		return max(0, 1-h[n-1]/h[n-1-max(1, n/10)])
	}
	return 0
}

// moving returns a note on the ranks of whose runs half ended while they still moved, or nothing.
func (j *job[T]) moving() []string {
	var by []string
	for _, g := range j.series {
		falls := make([]float64, len(g.units))
		for x, u := range g.units {
			falls[x] = u.fall
		}
		slices.Sort(falls)
		if fall := quantile(falls, 0.5); g.compared && fall > core.Moving {
			by = append(by, fmt.Sprintf("%.2g %% at rank %d", 100*fall, g.ranks[0]))
		}
	}
	if by == nil {
		return nil
	}
	return []string{fmt.Sprintf("the runs ended at their limit of %d iterations, while the error still fell in the last tenth of them, by %s; with more iterations the advice may be another one", j.Settings.Iterations, strings.Join(by, ", "))}
}

// note adds notes to those of other runs.
func (j *job[T]) note(notes ...string) {
	j.Lock()
	defer j.Unlock()
	j.notes = append(j.notes, notes...)
	slices.Sort(j.notes)
	j.notes = slices.Compact(j.notes)
}

// add adds part, in runs, to the progress of unfinished runs, and calls Progress a few times per
// second.
func (j *job[T]) add(part float64) {
	const interval = 200 * time.Millisecond
	j.Lock()
	defer j.Unlock()
	j.parted += part
	now := time.Now()
	if j.Settings.Progress == nil || now.Sub(j.shown) < interval {
		return
	}
	j.shown = now
	elapsed := now.Sub(j.begun)
	p := lnmu.Progress{Restart: min(j.finished+1, len(j.units)), Restarts: len(j.units), Elapsed: elapsed}
	if done := float64(j.finished) + j.parted; done > 0 {
		left := float64(elapsed) * max(0, float64(p.Restarts)-done) / done
		p.Remaining = time.Duration(min(left, 1<<62)) // more would overflow a Duration
	}
	j.Settings.Progress(p)
}

// save passes a state to the caller if one is due, or at the end of a job that ends early.
func (j *job[T]) save(last bool) {
	c := j.Settings.Checkpoint
	if c == nil || c.Save == nil {
		return
	}
	j.Lock()
	defer j.Unlock()
	now := time.Now()
	if !j.changed || !last && now.Before(j.due) {
		return
	}
	c.Save(codec.Writer(func(w io.Writer) error { return j.encode(w) }))
	j.changed = false
	j.due = codec.Due(now, c.Every)
}

// comparison returns what the results of both evaluations have but the advice. The error is the cause of a
// cancelled ctx.
func (j *job[T]) comparison(ctx context.Context) (c Comparison, err error) {
	c = Comparison{
		Method: j.Method.Name(), Rows: j.rows, Cols: j.cols, Observed: j.data.observed(), Seed: j.Settings.Seed,
		Weighted: j.data.weighted(), AllRuns: len(j.units), Finished: j.finished, Notes: slices.Concat(j.notes, j.moving()),
	}
	if j.divergence() {
		c.Measure = Divergence
	}
	switch {
	case j.complete():
	case ctx.Err() != nil:
		c.Stop, err = outcome.StopCancelled, fmt.Errorf("comparison of %s stopped early: %w", j.Evaluation, context.Cause(ctx))
	default:
		c.Stop = outcome.StopTime
	}
	return c, err
}
