package compare

import (
	"context"
	"math"
	"slices"

	"nmu/internal/team"
	"nmu/lnmu"
	"nmu/lnmu/internal/agreement"
	"nmu/lnmu/internal/codec"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/state"
)

type heldOut[T lnmu.Float] struct {
	*job[T]
	parts       *partition
	ofM         float64 // mean square of the observed entries, or their mean divergence from their mean
	mean        float64 // of the observed entries, with the divergence
	comparisons Compared
}

// HeldOut compares ranks for the factorization of a nonnegative matrix M (m x n) by a method, NMF{}
// if it is nil. It measures the error at entries that the factorization did not see, how far runs
// from different starts agree, and the training error: relative errors, or relative divergences
// with lnmu.KL. M is dense or made so. The mask of an lnmu.Observed says which entries count, and
// its weights count in the runs and in all errors. With weights, V W counts at a held-out entry as at
// most the largest entry of its row and column that the run has seen.
//
// The observed entries are assigned at random to Settings.Folds folds. For each fold and rank
// there is one run without the entries of the fold, and there are Settings.Restarts runs of all
// observed entries. A recursion needs one run for all ranks, because its first r factors are
// the answer for rank r. Then the work is Folds + Restarts runs at the largest rank, and O(mnr)
// operations for the errors of each. Otherwise it is as many runs at each rank.
//
// HeldOut needs a byte for each entry, and a copy of M unless M is an lnmu.Dense. Each run needs
// the memory of lnmu.Factor.
//
// Errors wrap lnmu.ErrShape, lnmu.ErrOption, lnmu.ErrValue or lnmu.ErrCheckpoint. If ctx is
// cancelled, HeldOut returns the finished part of the result and the cause. After TimeLimit it
// returns the finished part without an error.
func HeldOut[T lnmu.Float](ctx context.Context, m lnmu.Matrix[T], ranks []int, method lnmu.Method, settings *Settings) (*HeldOutResult, error) {
	j, err := newJob(ctx, EvaluateHeldOut, m, ranks, method, settings)
	if err != nil {
		return nil, err
	}
	j.data.Weight = 0 // errors are relative
	h := &heldOut[T]{job: j}
	j.by = h
	if err := h.divide(); err != nil {
		return nil, err
	}
	if err := j.run(ctx); err != nil {
		return nil, err
	}
	s := &j.Settings
	res := &HeldOutResult{Folds: s.Folds, Restarts: s.Restarts, Prefixes: j.prefixes(), Compared: h.comparisons}
	res.Comparison, err = j.comparison(ctx)
	if h.comparisons != "" {
		res.Columns = len(j.columns)
	}
	if s.Folds > 1 {
		res.NeverHeldOut = h.parts.kept
	}
	for _, g := range j.series {
		res.Points = append(res.Points, g.points()...)
	}
	res.Advice = adviseByErrors(res.Points, min(j.rows, j.cols))
	return res, err
}

// divide assigns the entries to folds, and measures M.
func (h *heldOut[T]) divide() error {
	s, d := &h.Settings, &h.data
	var observed func(i, j int) bool
	if d.Mask != nil {
		observed = d.Mask.Observed
	}
	h.parts = speckle(h.rows, h.cols, s.Folds, s.Seed, observed)
	if d.Weights != nil {
		h.parts.weigh(d.Weights)
	}
	for f, held := range h.parts.held {
		if held == 0 && s.Folds > 1 {
			return fault.Bad("fold %d of %d would hold out nothing of %d observed entries; choose fewer folds, 1 for none", f+1, s.Folds, h.parts.observed)
		}
	}
	switch {
	case s.Restarts > 1:
		h.comparisons = ComparedRestarts
	case s.Folds > 1:
		h.comparisons = ComparedFolds
	}
	if h.divergence() {
		h.ofM, h.mean = meanDeviance(h.parts, d.dense)
	} else {
		h.ofM = mean(h.parts, d.dense, func(x float64) float64 { return x * x })
	}
	return nil
}

// factor implements evaluation. A recursion that is cut short has errors for its finished factors.
func (h *heldOut[T]) factor(ctx context.Context, u *unit[T], threads int) (complete bool, err error) {
	s := h.Settings.run()
	s.Restarts, s.Threads, s.Seed = 1, threads, u.seed
	observed := h.data.Observed
	if u.fold != whole {
		observed.Mask = h.parts.mask(u.fold)
	} else if h.Settings.Folds > 1 && observed.Mask == nil && observed.Weights == nil {
		s.MissingSolver = "" // which is for the runs of the folds
	}
	ranks := u.series.ranks
	res, complete, err := h.solve(ctx, u, lnmu.Matrix[T](observed), ranks[len(ranks)-1], s)
	if err != nil || !complete && !h.prefixes() {
		return false, err
	}
	for !complete && len(ranks) > 0 && ranks[len(ranks)-1] > res.V.Cols {
		ranks = ranks[:len(ranks)-1]
	}
	by := squaredError[T]()
	if h.Plan.divergence() {
		least := res.LargestEntry * matrix.Epsilon[T]() * matrix.Epsilon[T]() // as in the run
		if u.fold != whole {
			least = leastPart * h.mean
		}
		by = divergence(h.cols, T(least))
	}
	errs, weights := losses(by, h.parts, h.data.dense, res.V, res.W, ranks, u.fold), h.parts.total(u.fold)
	for x := range errs {
		errs[x] = h.relative(errs[x], weights)
	}
	if complete && h.compares(u) {
		u.directions, u.labels = agreement.Directions(res.V), agreement.Classes(res.V, res.W, ranks, h.columns)
	}
	u.errs = errs
	return complete, nil
}

// relative returns the mean of a loss divided by ofM, or the square root of this for squares.
// It is 0 if sum is 0. weights is the sum of the weights of the entries.
func (h *heldOut[T]) relative(sum, weights float64) float64 {
	switch {
	case sum == 0:
		return 0
	case h.divergence():
		return max(0, sum/weights/h.ofM)
	}
	return math.Sqrt(sum / weights / h.ofM)
}

// compares reports whether a unit is one of those that are compared.
func (h *heldOut[T]) compares(u *unit[T]) bool {
	return h.comparisons != "" && (u.fold == whole) == (h.comparisons == ComparedRestarts)
}

// compare implements evaluation. If ctx is cancelled, the agreements that are not ready are left out.
func (h *heldOut[T]) compare(ctx context.Context, g *series[T], _ int) error {
	var units []*unit[T]
	for _, u := range g.units {
		if h.compares(u) {
			units = append(units, u)
		}
	}
	if len(units) < 2 {
		return nil
	}
	sums := make([]float64, len(g.ranks))
	for a, u := range units {
		for _, other := range units[:a] {
			c := agreement.Cosines(u.directions, other.directions)
			for x, r := range g.ranks {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				sums[x] += agreement.Likeness(c, r)
			}
		}
	}
	pairs := float64(len(units) * (len(units) - 1) / 2)
	team.Share(h.Settings.Threads-1, len(g.ranks), func(x int) {
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
		if h.Settings.Consensus {
			g.agreements[x].Map = mapOf[float64](apart, len(h.columns))
		}
	})
	if slices.Contains(g.agreements, nil) {
		return ctx.Err()
	}
	return nil
}

// points returns the points of the ranks of a series.
func (g *series[T]) points() []HeldOutPoint {
	var best *unit[T] // of the whole runs: the one with the most ranks, and then the least error at its last rank
	for _, u := range g.units {
		n := len(u.errs)
		if u.fold == whole && n > 0 && (best == nil || n > len(best.errs) || n == len(best.errs) && u.errs[n-1] < best.errs[n-1]) {
			best = u
		}
	}
	points := make([]HeldOutPoint, len(g.ranks))
	for x, r := range g.ranks {
		p := &points[x]
		*p = HeldOutPoint{Rank: r, Agreement: g.agreements[x]}
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
			p.HeldOut = foldErrors(folds)
		}
	}
	return points
}

func (h *heldOut[T]) codeUnit(c codec.Coder, u *unit[T]) {
	ranks := u.series.ranks
	labels := lnmu.NewDense[float64](len(ranks), len(h.columns), nil)
	d, reads := c.(*codec.Decoder)
	if reads {
		u.errs, u.labels, u.directions = make([]float64, len(ranks)), nil, lnmu.NewDense[T](ranks[len(ranks)-1], h.rows, nil)
	}
	c.Do(state.Named("errors", u.errs))
	if u.series.compared || !h.compares(u) {
		return
	}
	for x, row := range u.labels {
		for y, label := range row {
			labels.Row(x)[y] = float64(label)
		}
	}
	c.Do(state.Factor("directions", u.directions), state.Named("labels", labels))
	for x := 0; reads && x < len(ranks); x++ {
		row := make([]int32, len(h.columns))
		for y, label := range labels.Row(x) {
			if row[y] = int32(label); float64(row[y]) != label {
				d.Damaged("label %v", label)
			}
		}
		u.labels = append(u.labels, row)
	}
}

func (h *heldOut[T]) codeSeries(c codec.Coder, g *series[T]) {
	_, reads := c.(*codec.Decoder)
	for x := range g.agreements {
		there := g.agreements[x] != nil
		if c.Do(state.Named("agreement", &there)); !there {
			continue
		}
		if reads {
			g.agreements[x] = new(Agreement)
			if h.Settings.Consensus {
				g.agreements[x].Map = lnmu.NewDense[float64](len(h.columns), len(h.columns), nil)
			}
		}
		a := g.agreements[x]
		c.Do(state.Named("runs", &a.Runs), state.Named("stability", &a.Stability), state.Named("cophenetic", &a.Cophenetic), state.Named("dispersion", &a.Dispersion))
		if h.Settings.Consensus {
			c.Do(state.Factor("map", a.Map))
		}
	}
}
