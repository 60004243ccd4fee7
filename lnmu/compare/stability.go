package compare

import (
	"context"
	"reflect"
	"slices"

	"nmu/lnmu"
	"nmu/lnmu/internal/codec"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/state"
)

type stability[T lnmu.Float] struct {
	*job[T]
	spare chan *data[T] // matrices that runs have left, for the next ones
}

// newStability returns the evaluation of a job, with an empty matrix for each team.
func newStability[T lnmu.Float](j *job[T]) *stability[T] {
	b := &stability[T]{j, make(chan *data[T], j.teams())}
	for range cap(b.spare) {
		b.spare <- new(data[T])
	}
	return b
}

// Stability makes many runs for each rank of the factorization of a nonnegative matrix M (m x n) by a
// method, NMF{} if it is nil, and compares them: how far they find the same parts, what the parts
// have in common, and how far each entry of V (m x r) and W (r x n) can be trusted. M may be dense or a
// CSR; the weights and the mask of an lnmu.Observed count in all runs.
//
// By Settings.Resample the Settings.Runs runs differ in their starts alone, or in M as well. Parts are
// matched by the Hungarian method (L. B. Alexandrov and others, Deciphering signatures of
// mutational processes operative in human cancer, 2013). Their medians, without outliers, are the
// consensus parts, to which the weights are fitted again. The work for a rank is that of the runs,
// O(r³ + mr²) operations for each to match its parts, and O(n²) to O(n³) for a map of n columns.
//
// Stability keeps the factors of all runs for the ranks under way, and the points of the others.
//
// Errors wrap lnmu.ErrShape, lnmu.ErrOption, lnmu.ErrValue or lnmu.ErrCheckpoint. If ctx is
// cancelled, Stability returns the finished part of the result and the cause: a rank has a point if two
// of its runs are finished. After TimeLimit it returns the finished part without an error.
func Stability[T lnmu.Float](ctx context.Context, m lnmu.Matrix[T], ranks []int, method lnmu.Method, settings *Settings) (*StabilityResult[T], error) {
	j, err := newJob(ctx, EvaluateStability, m, ranks, method, settings)
	if err != nil {
		return nil, err
	}
	note, err := j.data.check(j.Settings.Resample)
	if err != nil {
		return nil, err
	}
	b := newStability(j)
	j.by = b
	if err := j.run(ctx); err != nil {
		return nil, err
	}
	res := &StabilityResult[T]{Resample: j.Settings.Resample, Level: j.Settings.Level, Runs: j.Settings.Runs}
	var stopped error
	res.Comparison, stopped = j.comparison(ctx)
	for _, g := range j.series {
		p := g.point
		if p == nil {
			done := slices.DeleteFunc(slices.Clone(g.units), func(u *unit[T]) bool { return !u.done })
			if len(done) < 2 {
				continue
			}
			if p, err = b.point(context.Background(), g.ranks[0], done, j.Settings.Threads); err != nil {
				return nil, err
			}
		}
		res.Points, res.Columns = append(res.Points, *p), len(j.columns)
		res.Notes = append(res.Notes, p.notes()...)
	}
	if note != "" {
		res.Notes = append(res.Notes, note)
	}
	res.Advice = adviseByParts(res.Points)
	return res, stopped
}

func (b *stability[T]) compare(ctx context.Context, g *series[T], threads int) (err error) {
	g.point, err = b.point(ctx, g.ranks[0], g.units, threads)
	return err
}

func (b *stability[T]) factor(ctx context.Context, u *unit[T], threads int) (complete bool, err error) {
	how, rank := b.Settings.Resample, u.series.ranks[0]
	of := <-b.spare
	defer func() { b.spare <- of }()
	if err := b.data.sample(how, u.seed, of); err != nil {
		return false, err
	}
	s := b.Settings.run()
	s.Threads, s.Seed = threads, u.seed
	res, complete, err := b.solve(ctx, u, of.Observed, rank, s)
	if err != nil || !complete {
		return false, err
	}
	v, w := padded(res.V, res.W, rank)
	if how == Columns {
		b.collect()
		at, err := b.data.drawn(draws(u.seed, rowStream), true, of)
		if err != nil {
			return false, err
		}
		t, err := lnmu.Transform(ctx, of.Observed, matrix.Rows(v, at), lnmu.Dense[T]{}, b.weighing(threads))
		if err != nil {
			if ctx.Err() != nil {
				return false, nil
			}
			return false, err
		}
		w = t.W
	}
	scale(v, w)
	u.v, u.w, u.q, u.errs = v, w, res.Q, []float64{b.measured(res.RelativeError, res.RelativeDivergence)}
	return true, nil
}

// weighing returns the settings that find weights for the columns of a matrix in a basis, as the method
// finds those of its own columns but for penalties.
func (p *Plan) weighing(threads int) *lnmu.TransformSettings {
	s := lnmu.TransformSettings{Threads: threads, Divergence: p.divergence(), Feasible: p.Method.Underapproximates()}
	if nmf, ok := p.Method.(lnmu.NMF); ok {
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
	matrix.CopyRows(pv.Slice(0, v.Rows, 0, v.Cols), v)
	matrix.CopyRows(pw.Slice(0, w.Rows, 0, w.Cols), w)
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

func (b *stability[T]) codeUnit(c codec.Coder, u *unit[T]) {
	if u.series.compared {
		return
	}
	if _, reads := c.(*codec.Decoder); reads {
		rank := u.series.ranks[0]
		u.errs, u.v, u.w = make([]float64, 1), lnmu.NewDense[T](b.rows, rank, nil), lnmu.NewDense[T](rank, b.cols, nil)
	}
	c.Do(state.Named("error", u.errs), state.Named("Q", &u.q), state.Factor("V", u.v), state.Factor("W", u.w))
}

func (b *stability[T]) codeSeries(c codec.Coder, g *series[T]) {
	rank, n := g.ranks[0], len(b.columns)
	d, reads := c.(*codec.Decoder)
	if reads {
		g.point = &StabilityPoint[T]{Rank: rank, Runs: b.Settings.Runs, Silhouettes: make([]float64, rank), Kept: make([]int, rank), Map: lnmu.NewDense[T](n, n, nil)}
		ofV, ofW := g.point.matrices()
		for x := range ofV {
			*ofV[x], *ofW[x] = lnmu.NewDense[T](b.rows, rank, nil), lnmu.NewDense[T](rank, b.cols, nil)
		}
	}
	p := g.point
	var numbers []*float64
	for _, x := range reflect.ValueOf(p).Elem().Fields() {
		if at, ok := x.Addr().Interface().(*float64); ok {
			numbers = append(numbers, at)
		}
	}
	values := make([]float64, len(numbers)) // of which an error may be infinite
	for x, at := range numbers {
		values[x] = *at
	}
	c.Do(state.Named("numbers", values), state.Named("silhouettes", p.Silhouettes))
	for x, at := range numbers {
		*at = values[x]
	}
	for k := range p.Kept {
		if c.Do(state.Named("kept", &p.Kept[k])); reads && (p.Kept[k] < 0 || p.Kept[k] > p.Runs) {
			d.Damaged("%d of %d runs keep a part", p.Kept[k], p.Runs)
		}
	}
	c.Do(
		state.Named("V", p.V), state.Named("least V", p.VLow), state.Named("largest V", p.VHigh),
		state.Named("W", p.W), state.Named("least W", p.WLow), state.Named("largest W", p.WHigh), state.Factor("map", p.Map),
	)
}
