package rank

import (
	"context"
	"slices"
	"unsafe"

	"nmu/internal/memory"
	"nmu/internal/team"
	"nmu/lnmu"
	"nmu/lnmu/internal/agreement"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/several"
)

// job is one call of Curve.
type job[T lnmu.Float] struct {
	Settings
	m        lnmu.Dense[T]
	mask     *lnmu.Mask           // of the observed entries; nil: all
	weights  lnmu.Matrix[float64] // of the entries; nil: equal ones
	ranks    []int
	method   lnmu.Method
	prefixes bool
	parts    *partition
	ofM      float64 // mean square of the observed entries, or their mean divergence from their mean

	divergence bool    // errors are divergences, not squares
	mean       float64 // of the observed entries, if divergence
	compared   Compared
	columns    []int // of the consensus matrices
	groups     []*group[T]
	units      []*unit[T]   // of all groups, in the order in which they are begun
	runs       several.Runs // of the units
}

// group is the ranks that share their runs: all of them if a run gives the factors of every
// rank, else one.
type group[T lnmu.Float] struct {
	ranks      []int
	units      []*unit[T]
	left       int // units that are not finished
	agreements []*Agreement
}

// unit is a run and its results.
type unit[T lnmu.Float] struct {
	group *group[T]
	fold  int       // that is held out, or whole
	seed  uint64    // added to Settings.Seed
	errs  []float64 // for the first ranks of the group, at the held-out entries or, in a whole run, at the observed ones

	directions lnmu.Dense[T] // if it is compared
	labels     [][]int32
}

// whole is the fold of a run of all observed entries.
const whole = -1

// mostColumns bounds the size of a consensus matrix.
const mostColumns = 1000

// plan lays out groups and units.
func (j *job[T]) plan() {
	folds := j.Folds
	if folds == 1 {
		folds = 0
	}
	switch {
	case j.Restarts > 1:
		j.compared = Restarts
	case folds > 1:
		j.compared = Folds
	}
	if j.compared != "" {
		n := min(j.m.Cols, mostColumns)
		for x := range n {
			j.columns = append(j.columns, x*(j.m.Cols/n)+x*(j.m.Cols%n)/n)
		}
	}
	each := 1
	if j.prefixes {
		each = len(j.ranks)
	}
	for ranks := range slices.Chunk(j.ranks, each) {
		g := &group[T]{ranks: ranks, agreements: make([]*Agreement, len(ranks))}
		for f := range folds {
			g.units = append(g.units, &unit[T]{group: g, fold: f, seed: uint64(f)})
		}
		for q := range j.Restarts {
			g.units = append(g.units, &unit[T]{group: g, fold: whole, seed: uint64(q)})
		}
		g.left = len(g.units)
		j.groups, j.units = append(j.groups, g), append(j.units, g.units...)
	}
}

// run makes all runs, some of them concurrently, and returns the result.
func (j *job[T]) run(ctx context.Context) (*Result, error) {
	j.plan()
	if j.divergence {
		j.ofM, j.mean = meanDeviance(j.parts, j.m)
	} else {
		j.ofM = meanSquare(j.parts, j.m)
	}
	j.runs.Count = len(j.units)
	err := j.runs.Make(ctx, &j.Settings.Settings, j.SideBySide, func(int) bool { return false }, func(ctx context.Context, x, threads int) error {
		return j.work(ctx, j.units[x], threads)
	})
	if err != nil {
		return nil, err
	}
	res := j.result()
	if res.Finished < res.Runs {
		res.Stop, err = several.Ended(ctx, "comparison of ranks")
	}
	return res, err
}

// work makes a run, and compares those of a group whose units are all finished.
func (j *job[T]) work(ctx context.Context, u *unit[T], threads int) error {
	complete, err := j.factor(ctx, u, threads)
	j.collect()
	if err != nil || !complete {
		return err
	}
	j.runs.Lock()
	j.runs.Finished++
	u.group.left--
	last := u.group.left == 0
	j.runs.Unlock()
	if last {
		j.compare(ctx, u.group)
		j.collect()
	}
	return nil
}

// collect frees what a run or a comparison has taken, before the next one begins.
func (j *job[T]) collect() { memory.Collect(int64(len(j.m.Data)) * int64(unsafe.Sizeof(T(0)))) }

// factor makes a run, and reports whether it is complete.
func (j *job[T]) factor(ctx context.Context, u *unit[T], threads int) (complete bool, err error) {
	s := j.Settings.Settings
	s.Restarts, s.Threads, s.Seed = 1, threads, j.Seed+u.seed
	observed := lnmu.Observed[T]{Matrix: j.m, Mask: j.mask, Weights: j.weights}
	if u.fold != whole {
		observed.Mask = j.parts.mask(u.fold)
	}
	ranks := u.group.ranks
	res, complete, err := several.Factor(ctx, &j.runs, lnmu.Matrix[T](observed), ranks[len(ranks)-1], j.method, s)
	if err != nil {
		return false, err
	}
	if !complete {
		if !j.prefixes {
			return false, nil
		}
		for len(ranks) > 0 && ranks[len(ranks)-1] > res.V.Cols {
			ranks = ranks[:len(ranks)-1]
		}
	}
	weights := j.parts.total(u.fold)
	by := squaredError[T]()
	if j.divergence {
		least := res.LargestEntry * matrix.Epsilon[T]() * matrix.Epsilon[T]() // as in the run
		if u.fold != whole {
			least = leastPart * j.mean
		}
		by = divergence(j.m.Cols, T(least))
	}
	errs := losses(by, j.parts, j.m, res.V, res.W, ranks, u.fold)
	for x := range errs {
		errs[x] = j.relative(errs[x], weights)
	}
	if complete && j.comparesWith(u) {
		u.directions, u.labels = agreement.Directions(res.V), agreement.Classes(res.V, res.W, ranks, j.columns)
	}
	u.errs = errs
	return complete, nil
}

// comparesWith reports whether a unit is one of those that are compared.
func (j *job[T]) comparesWith(u *unit[T]) bool {
	return j.compared != "" && (u.fold == whole) == (j.compared == Restarts)
}

// compare sets the agreements of a group whose units are all finished. If ctx is cancelled, the
// agreements that are not ready are left out.
func (j *job[T]) compare(ctx context.Context, g *group[T]) {
	var units []*unit[T]
	for _, u := range g.units {
		if j.comparesWith(u) {
			units = append(units, u)
		}
	}
	if len(units) < 2 {
		return
	}
	sums := make([]float64, len(g.ranks))
	for a, u := range units {
		for _, other := range units[:a] {
			c := agreement.Cosines(u.directions, other.directions)
			for x, r := range g.ranks {
				if ctx.Err() != nil {
					return
				}
				sums[x] += agreement.Likeness(c, r)
			}
		}
	}
	pairs := float64(len(units) * (len(units) - 1) / 2)
	team.Share(j.Threads-1, len(g.ranks), func(x int) {
		if ctx.Err() != nil {
			return
		}
		labels := make([][]int32, len(units))
		for a, u := range units {
			labels[a] = u.labels[x]
		}
		apart := agreement.Separation(labels)
		g.agreements[x] = &Agreement{
			Runs: len(units), Stability: sums[x] / pairs,
			Cophenetic: apart.Cophenetic(), Dispersion: apart.Dispersion(),
		}
		if j.Consensus {
			g.agreements[x].Consensus = consensus(apart, len(j.columns))
		}
	})
	for _, u := range units {
		u.directions, u.labels = lnmu.Dense[T]{}, nil
	}
}

// consensus returns the consensus matrix of n columns, given how they are separated.
func consensus(apart agreement.Triangle, n int) lnmu.Dense[float64] {
	c := lnmu.NewDense[float64](n, n, nil)
	for i := range n {
		for k := range n {
			c.Row(i)[k] = 1 - apart.Of(i, k)
		}
	}
	return c
}

// result returns the result of all runs.
func (j *job[T]) result() *Result {
	res := &Result{
		Method: j.method.Describe().Name, Rows: j.m.Rows, Cols: j.m.Cols, Observed: j.parts.observed,
		Folds: j.Folds, Restarts: j.Restarts, Seed: j.Seed, Prefixes: j.prefixes,
		Weighted: j.weights != nil,
		Compared: j.compared, Columns: len(j.columns), Runs: len(j.units), Finished: j.runs.Finished,
		Notes: j.runs.Notes,
	}
	if j.divergence {
		res.Measure = Divergence
	}
	if j.Folds > 1 {
		res.NeverHeldOut = j.parts.kept
	}
	for _, g := range j.groups {
		res.Points = append(res.Points, g.points()...)
	}
	res.Advice = advise(res.Points, min(j.m.Rows, j.m.Cols))
	return res
}

// points returns the points of the ranks of a group.
func (g *group[T]) points() []Point {
	var best *unit[T] // of the whole runs: the one with the most ranks, and then the least error at its last rank
	for _, u := range g.units {
		n := len(u.errs)
		if u.fold == whole && n > 0 && (best == nil || n > len(best.errs) || n == len(best.errs) && u.errs[n-1] < best.errs[n-1]) {
			best = u
		}
	}
	points := make([]Point, len(g.ranks))
	for x, r := range g.ranks {
		p := &points[x]
		*p = Point{Rank: r, Agreement: g.agreements[x]}
		if best != nil && x < len(best.errs) {
			p.Training = &best.errs[x]
		}
		var folds []float64
		complete := true
		for _, u := range g.units {
			if u.fold == whole {
				continue
			}
			if complete = complete && x < len(u.errs); complete {
				folds = append(folds, u.errs[x])
			}
		}
		if complete && folds != nil {
			p.HeldOut = heldOut(folds)
		}
	}
	return points
}
