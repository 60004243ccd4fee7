package consensus

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"nmu/internal/memory"
	"nmu/lnmu"
	"nmu/lnmu/internal/codec"
	"nmu/lnmu/internal/several"
)

// job is one call of Find.
type job[T lnmu.Float] struct {
	Settings
	data   data[T]
	rows   int
	cols   int
	ranks  []int
	method lnmu.Method
	series []*series[T]
	units  []*unit[T] // of all series, in the order in which they are begun

	runs    several.Runs // of the units; its lock guards what follows
	due     time.Time    // of the next state
	changed bool         // since the last state
	spare   []*data[T]   // matrices of runs that have ended, for the next ones
}

// series is the runs for a rank.
type series[T lnmu.Float] struct {
	rank  int
	units []*unit[T]
	left  int       // units that are not finished
	point *Point[T] // nil until all are
}

// unit is a run and its result.
type unit[T lnmu.Float] struct {
	series *series[T]
	run    int // from 0
	done   bool
	err    float64
	q      float64       // the weighted sum of squares, if there are weights
	fall   float64       // of the error between the last two checks, relative
	v, w   lnmu.Dense[T] // columns of V with the sum 1, or zero; until the series has its point
}

// plan lays out series and units.
func (j *job[T]) plan() {
	for _, r := range j.ranks {
		g := &series[T]{rank: r, left: j.Runs}
		for q := range j.Runs {
			g.units = append(g.units, &unit[T]{series: g, run: q})
		}
		j.series, j.units = append(j.series, g), append(j.units, g.units...)
	}
}

// run makes all runs, some of them concurrently, and returns the result.
func (j *job[T]) run(ctx context.Context) (*Result[T], error) {
	j.plan()
	if err := j.load(); err != nil {
		return nil, err
	}
	j.runs.Count = len(j.units)
	err := j.runs.Make(ctx, &j.Settings.Settings, j.SideBySide, func(x int) bool { return j.units[x].done }, func(ctx context.Context, x, threads int) error {
		return j.work(ctx, j.units[x], threads)
	})
	if err != nil {
		return nil, err
	}
	complete := j.runs.Finished == len(j.units)
	for _, g := range j.series {
		complete = complete && g.point != nil
	}
	if !complete {
		j.save(true)
	}
	res, err := j.result()
	if err == nil && !complete {
		res.Stop, err = several.Ended(ctx, "consensus")
	}
	return res, err
}

// work makes a run, and the point of a series whose units are all finished.
func (j *job[T]) work(ctx context.Context, u *unit[T], threads int) error {
	complete, err := j.factor(ctx, u, threads)
	j.collect()
	if err != nil {
		return err
	}
	last := false
	if complete {
		j.runs.Lock()
		u.done, j.changed = true, true
		j.runs.Finished++
		u.series.left--
		last = u.series.left == 0
		j.runs.Unlock()
	}
	if last {
		err = j.conclude(ctx, u.series, threads)
		j.collect()
	}
	if err == nil {
		j.save(false)
	}
	return err
}

// collect frees what a run or a comparison has taken, before the next one begins.
func (j *job[T]) collect() { memory.Collect(j.data.bytes()) }

// conclude sets the point of a series whose units are finished, unless ctx is cancelled.
func (j *job[T]) conclude(ctx context.Context, g *series[T], threads int) error {
	p, err := j.point(ctx, g.rank, g.units, threads)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	falls := make([]float64, len(g.units))
	for q, u := range g.units {
		falls[q] = u.fall
	}
	slices.Sort(falls)
	if fall := quantile(falls, 0.5); fall > moving {
		j.runs.Note(fmt.Sprintf("rank %d: the runs ended at their limit of %d iterations, while the error still fell by %.2g %% between the last two checks; choose more iterations (--iters), with which the parts may recur better", g.rank, j.Iterations, 100*fall))
	}
	j.runs.Lock()
	defer j.runs.Unlock()
	g.point = p
	for _, u := range g.units {
		u.v, u.w = lnmu.Dense[T]{}, lnmu.Dense[T]{}
	}
	j.changed = true
	return nil
}

// factor makes a run, and reports whether it is complete.
func (j *job[T]) factor(ctx context.Context, u *unit[T], threads int) (complete bool, err error) {
	first := j.Seed + uint64(u.run)*uint64(j.Restarts)
	of := j.spareMatrix()
	defer j.leave(of)
	if err := j.data.sample(j.Resample, first, of); err != nil {
		return false, err
	}
	s := j.Settings.Settings
	s.Threads, s.Seed, s.Checkpoint = threads, first, nil
	if s.Tolerance == 0 { // else the caller's interval decides when a run ends
		s.Record, s.CheckEvery = true, max(1, s.Iterations/10)
	}
	res, complete, err := several.Factor(ctx, &j.runs, of.matrix(), u.series.rank, j.method, s)
	if err != nil || !complete {
		return false, err
	}
	u.q = res.Q
	v, w := padded(res.V, res.W, u.series.rank)
	if j.Resample == Columns {
		j.collect()
		at, err := j.data.drawnRows(first, of)
		if err != nil {
			return false, err
		}
		t, err := lnmu.Transform(ctx, of.matrix(), rowsOf(v, at), lnmu.Dense[T]{}, j.weighing(threads))
		if err != nil {
			if ctx.Err() != nil {
				return false, nil
			}
			return false, err
		}
		w = t.W
	}
	scale(v, w)
	u.v, u.w, u.err, u.fall = v, w, res.RelativeError, j.fall(res.Blocks)
	if j.divergence() {
		u.err = res.RelativeDivergence
	}
	return true, nil
}

// A run still moves if its error falls by more than the share moving between its last two checks, a tenth of
// its iterations apart. Below an error of exact, M is fitted.
const (
	moving = 0.001
	exact  = 1e-6
)

// fall returns by which share the error, or the divergence, of a run fell last. It is 0 if its iterations ended
// by a tolerance, and for underapproximations, whose errors may rise.
func (j *job[T]) fall(blocks []lnmu.Block) float64 {
	if len(blocks) == 0 {
		return 0
	}
	last := blocks[len(blocks)-1]
	h := last.History
	if n := len(h); n >= 2 && last.Stop == lnmu.StopIterations && h[n-1] > exact && !j.method.Describe().Underapproximates {
		return max(0, 1-h[n-1]/h[n-2])
	}
	return 0
}

// spareMatrix returns the matrix of a run that has ended, or an empty one.
func (j *job[T]) spareMatrix() *data[T] {
	j.runs.Lock()
	defer j.runs.Unlock()
	last := len(j.spare) - 1
	if last < 0 {
		return new(data[T])
	}
	m := j.spare[last]
	j.spare = j.spare[:last]
	return m
}

// leave leaves the matrix of a run that has ended to the next one.
func (j *job[T]) leave(m *data[T]) {
	j.runs.Lock()
	defer j.runs.Unlock()
	j.spare = append(j.spare, m)
}

// divergence reports whether the method minimises the divergence.
func (j *job[T]) divergence() bool {
	_, ok := j.method.(lnmu.KL)
	return ok
}

// weighing returns the settings that find weights for the columns of a matrix in a basis, as the method
// finds those of its own columns but for penalties.
func (j *job[T]) weighing(threads int) *lnmu.TransformSettings {
	s := lnmu.TransformSettings{Threads: threads, Divergence: j.divergence(), Feasible: j.method.Describe().Underapproximates}
	if nmf, ok := j.method.(lnmu.NMF); ok {
		s.SumToOne = nmf.SumToOneW
	}
	return &s
}

// padded returns the factors with zero columns of V and rows of W up to a rank. A recursion ends
// early if nothing is left to factor.
func padded[T lnmu.Float](v, w lnmu.Dense[T], rank int) (lnmu.Dense[T], lnmu.Dense[T]) {
	if v.Cols == rank {
		return v, w
	}
	pv, pw := lnmu.NewDense[T](v.Rows, rank, nil), lnmu.NewDense[T](rank, w.Cols, nil)
	for i := range v.Rows {
		copy(pv.Row(i), v.Row(i))
	}
	for k := range w.Rows {
		copy(pw.Row(k), w.Row(k))
	}
	return pv, pw
}

// scale divides the columns of V by their sums, and multiplies the rows of W by them. Zero columns
// stay as they are.
func scale[T lnmu.Float](v, w lnmu.Dense[T]) {
	sums := make([]float64, v.Cols)
	for i := range v.Rows {
		for k, x := range v.Row(i) {
			sums[k] += float64(x)
		}
	}
	for i := range v.Rows {
		row := v.Row(i)
		for k, sum := range sums {
			if sum > 0 {
				row[k] = T(float64(row[k]) / sum)
			}
		}
	}
	for k, sum := range sums {
		row := w.Row(k)
		for j := range row {
			row[j] = T(float64(row[j]) * sum)
		}
	}
}

// save passes a state to the caller if one is due, or at the end of a run that ends early.
func (j *job[T]) save(last bool) {
	c := j.Checkpoint
	if c == nil || c.Save == nil {
		return
	}
	j.runs.Lock()
	defer j.runs.Unlock()
	now := time.Now()
	if !j.changed || !last && now.Before(j.due) {
		return
	}
	c.Save(codec.Writer(func(w io.Writer) error { return j.encode(w) }))
	j.changed = false
	j.due = codec.Due(now, c.Every)
}

// result returns the result of all runs. Ranks of which some runs are unfinished have points of
// the finished ones, if there are two.
func (j *job[T]) result() (*Result[T], error) {
	res := &Result[T]{
		Method: j.method.Describe().Name, Rows: j.rows, Cols: j.cols, Observed: j.data.observed(),
		Weighted: j.data.weighted(), Resample: j.Resample, Seed: j.Seed, Level: j.Level,
		Runs: len(j.units), RunsPerRank: j.Runs, Finished: j.runs.Finished,
		Notes: slices.Clone(j.runs.Notes),
	}
	if j.divergence() {
		res.Measure = Divergence
	}
	for _, g := range j.series {
		if g.point == nil {
			var done []*unit[T]
			for _, u := range g.units {
				if u.done {
					done = append(done, u)
				}
			}
			if len(done) < 2 {
				continue
			}
			p, err := j.point(context.Background(), g.rank, done, j.Threads)
			if err != nil {
				return nil, err
			}
			res.Points = append(res.Points, *p)
			continue
		}
		res.Points = append(res.Points, *g.point)
	}
	for _, p := range res.Points {
		res.Columns = p.Map.Cols
		res.Notes = append(res.Notes, p.notes()...)
	}
	res.Advice = advise(res.Points)
	return res, nil
}
