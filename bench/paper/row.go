package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"nmu/internal/dataset"
	"nmu/internal/options"
	"nmu/internal/team"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/outcome"
)

// leastTarget replaces a target sparsity of 0, which would mean no target.
const leastTarget = 1e-9

// experiment is a row to be computed.
type experiment struct {
	set        *Set
	name       string // of the row
	like       string // the row whose sparsity is imposed
	variant    string
	asked      string
	starts     int
	seed       uint64      // of the first start
	method     lnmu.Method // nil means PCA
	iterations int         // 0 means those of the method
}

// recursive says whether the method finds one factor after the other.
func (t *experiment) recursive() bool {
	return t.method != nil && options.DescriptionOf(t.method).Recursive
}

// experiment returns a row as the paper describes it.
func (r *run) experiment(set *Set, spec rowSpec) experiment {
	t := experiment{set: set, name: spec.name, like: spec.like, starts: r.Restarts, seed: r.Seed, method: spec.method, iterations: r.iterations}
	switch spec.method.(type) {
	case nil:
		t.starts = 1
	case lnmu.SNMF:
		like := set.find(spec.like)
		t.impose(like.v.Zeros, like.w.Zeros)
	case lnmu.Hoyer:
		// only the sparser of the two factors
		if like := set.find(spec.like); like.v.Hoyer >= like.w.Hoyer {
			t.imposeHoyer(like.v.Hoyer, 0)
		} else {
			t.imposeHoyer(0, like.w.Hoyer)
		}
	}
	return t
}

// impose makes sNMF impose s(V) and s(W).
func (t *experiment) impose(sv, sw float64) {
	t.method = lnmu.SNMF{SparsityV: max(sv, leastTarget), SparsityW: max(sw, leastTarget)}
	t.asked = fmt.Sprintf("s(V) %.0f, s(W) %.0f", 100*sv, 100*sw)
}

// imposeHoyer makes the method impose sh(V) or sh(W); the other one is 0.
func (t *experiment) imposeHoyer(shv, shw float64) {
	t.method = lnmu.Hoyer{HoyerV: shv, HoyerW: shw}
	t.asked = fmt.Sprintf("sh(V) %.0f", 100*shv)
	if shw > 0 {
		t.asked = fmt.Sprintf("sh(W) %.0f", 100*shw)
	}
}

// compute runs all starts and describes the best.
func (r *run) compute(t experiment) (*Row, error) {
	row := &Row{Name: t.name, Variant: t.variant, Asked: t.asked}
	begun := time.Now()
	defer func() { row.Seconds = time.Since(begun).Seconds() }()
	r.Say(strings.TrimSuffix(t.set.Title+"  "+t.name+", "+t.variant, ", "))
	if t.method == nil {
		return row, r.components(t, row)
	}
	row.Method = t.method.Name()
	m := t.set.data.m
	_, settings, err := lnmu.Check(m, t.set.Rank, t.method, &lnmu.Settings{Limits: lnmu.Limits{Iterations: t.iterations}})
	if err != nil {
		return nil, err
	}
	row.Iterations = settings.Iterations
	runs, err := r.starts(t)
	if err != nil {
		return nil, err
	}
	best := runs[0]
	row.Least, row.Most = best.figures, best.figures
	for _, x := range runs[1:] {
		if x.res.RelativeError < best.res.RelativeError {
			best = x
		}
		for c, value := range x.figures {
			row.Least[c], row.Most[c] = min(row.Least[c], value), max(row.Most[c], value)
		}
	}
	row.Figures, row.v, row.w, row.basis = best.figures, best.v, best.w, best.res.V
	row.Seed, row.MaxViolation, row.Revived, row.Stop = best.res.BestSeed, best.res.MaxViolation, best.res.Revived, best.res.Stop
	if t.set.Name == setSwimmer && t.recursive() {
		row.Parts = checkParts(best.res.V)
	}
	return row, nil
}

// start is the result of one start of a method.
type start struct {
	res     *lnmu.Result[float64]
	figures Figures
	v, w    outcome.Sparsity
}

// starts runs the starts of a row, several at a time. One thread for each start is faster than
// several for one.
func (r *run) starts(t experiment) ([]start, error) {
	out, errs := make([]start, t.starts), make([]error, t.starts)
	workers := min(r.Threads, t.starts)
	team.Share(workers-1, t.starts, func(i int) { out[i], errs[i] = r.start(t, i, r.Threads/workers) })
	return out, cmp.Or(errs...)
}

// start runs one start and measures the result.
func (r *run) start(t experiment, i, threads int) (start, error) {
	m := t.set.data.m
	res, err := lnmu.Factor(r.ctx, m, t.set.Rank, t.method, &lnmu.Settings{
		Limits:  lnmu.Limits{Iterations: t.iterations},
		Start:   lnmu.Start{Restarts: 1, Seed: t.seed + uint64(i)},
		Threads: threads,
	})
	if err != nil {
		return start{}, err
	}
	better, err := res.Improve(r.ctx, m, lnmu.NMF{Solver: lnmu.SolverHALS}, &lnmu.Settings{Threads: threads})
	if err != nil {
		return start{}, err
	}
	measures, err := lnmu.Measure(m, res.V, res.W, nil)
	if err != nil {
		return start{}, err
	}
	v, w := factors.RowSparsity(res.V.Transposed()), factors.RowSparsity(res.W)
	return start{res, inPercent(res.RelativeError, measures.ScaledError, better.RelativeError, v, w, columnSparseness(res.V, res.W)), v, w}, nil
}

// inPercent returns figures in percent.
func inPercent(plain, scaled, improved float64, v, w outcome.Sparsity, columns float64) (f Figures) {
	for c, x := range []float64{plain, scaled, improved, v.Zeros, w.Zeros, v.Hoyer, w.Hoyer, columns} {
		f[c] = Figure(100 * x)
	}
	return f
}

// columnSparseness returns Hoyer's measure of the columns of W. In contrast to that of the rows
// it depends on the scale of the factors, so the largest entry of every column of V is scaled
// to 1.
func columnSparseness(v, w lnmu.Dense[float64]) float64 {
	scaled := lnmu.NewDense[float64](w.Rows, w.Cols, nil)
	for k := range w.Rows {
		var most float64
		for i := range v.Rows {
			most = max(most, v.At(i, k))
		}
		for j, x := range w.Row(k) {
			scaled.Row(k)[j] = x * most
		}
	}
	return factors.RowSparsity(scaled.Transposed()).Hoyer
}

// components fills in the row of PCA. It has the least error of all factorizations of its rank,
// so it cannot be scaled or improved.
func (r *run) components(t experiment, row *Row) error {
	if err := context.Cause(r.ctx); err != nil {
		return err
	}
	c, err := PCA(t.set.data.m, t.set.Rank)
	if err != nil {
		return err
	}
	least := c.RelativeError
	row.Figures = inPercent(least, least, least, c.Basis, c.Weights, math.NaN())
	if equal := equalValues(c.Values, t.set.Rank); equal != "" {
		unknown := outcome.Sparsity{Zeros: math.NaN(), Hoyer: math.NaN()}
		row.Figures = inPercent(least, least, least, unknown, unknown, math.NaN())
		row.Reasons = append(row.Reasons, equal+" are equal, so their vectors and the zeros of these vectors are not unique")
	}
	row.Least, row.Most = row.Figures, row.Figures
	return nil
}

// equalValues names equal numbers among the first rank singular values, as in σ7 to σ10, or
// returns "" if all differ from the others. The singular vectors of equal values are an arbitrary basis of
// their space.
func equalValues(sigma []float64, rank int) string {
	const rounding = 1e-9 // of the largest value
	for k := range rank {
		last := k
		for last+1 < len(sigma) && sigma[k]-sigma[last+1] <= rounding*sigma[0] {
			last++
		}
		if last > k {
			return fmt.Sprintf("σ%d to σ%d", k+1, last+1)
		}
	}
	return ""
}

// PartsCheck says which parts of the swimmer each basis image of R-NMU touches. An image
// touches a part if a pixel of the part exceeds 5 % of the image's largest.
type PartsCheck struct {
	Images   []string `json:"images"` // per image the parts, with commas
	Separate bool     `json:"separate"`
}

// touchFraction is the fraction of the largest pixel above which a pixel touches its part.
const touchFraction = 0.05

// checkParts says which parts each image touches.
func checkParts(v lnmu.Dense[float64]) *PartsCheck {
	parts := dataset.SwimmerParts()
	c := &PartsCheck{Separate: true}
	for k := range v.Cols {
		touched, outside := dataset.Touched(parts, v.Data, v.Rows, v.Stride, k, touchFraction)
		var names []string
		for _, i := range touched {
			names = append(names, parts[i].Name)
		}
		if outside > 0 {
			names = append(names, fmt.Sprintf("%d pixels outside of all", outside))
		}
		c.Images = append(c.Images, strings.Join(names, ", "))
		c.Separate = c.Separate && len(touched) == 1 && outside == 0
	}
	return c
}
