package compare

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu"
	"nmu/lnmu/internal/agreement"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/observed"
)

// mostColumns bounds the size of a consensus map.
const mostColumns = 1000

// Mapped returns the column of M that is column x of a consensus map, if M has n columns: all are
// in the map, or mostColumns of them, evenly spaced.
func Mapped(n, x int) int {
	k := min(n, mostColumns)
	return x*(n/k) + x*(n%k)/k
}

// mapOf returns the consensus map of n columns, given how they are separated.
func mapOf[T lnmu.Float](apart agreement.Triangle, n int) lnmu.Dense[T] {
	c := lnmu.NewDense[T](n, n, nil)
	for a := range n {
		for b := range n {
			c.Row(a)[b] = T(1 - apart.Of(a, b))
		}
	}
	return c
}

// point compares the finished runs for a rank.
func (b *stability[T]) point(ctx context.Context, rank int, runs []*unit[T], threads int) (*StabilityPoint[T], error) {
	parts := match(runs, threads)
	p := &StabilityPoint[T]{Rank: rank, Runs: len(runs)}
	errs := make([]float64, len(runs))
	for q, u := range runs {
		errs[q] = u.errs[0]
	}
	slices.Sort(errs)
	p.RunError = quantile(errs, 0.5)

	silhouettes, apart := parts.silhouettes()
	kept := filter(silhouettes, apart)
	p.Silhouettes = make([]float64, rank)
	p.Kept = make([]int, rank)
	for k := range rank {
		for q := range runs {
			p.Silhouettes[k] += silhouettes[q][k] / float64(len(runs))
			if kept[q][k] {
				p.Kept[k]++
			}
		}
	}
	b.summarise(p, runs, parts.of, kept, threads)
	relative, err := b.fit(ctx, p, threads)
	if err != nil {
		return nil, err
	}
	b.collect()
	if b.data.weighted() {
		p.Q, p.RunQ = relative*relative*b.data.squares(), runs[0].q
		for _, u := range runs {
			p.RunQ = min(p.RunQ, u.q)
		}
		p.ExpectedQ = observed.ExpectedQ(b.data.observed(), rank, b.rows, b.cols)
	}
	p.order()
	p.cover()
	b.widen(p)
	for k := range rank {
		p.Stability += p.Silhouettes[k] / float64(rank)
	}

	labels := make([][]int32, len(runs))
	team.Share(threads-1, len(runs), func(q int) {
		labels[q] = agreement.Classes(runs[q].v, runs[q].w, []int{rank}, b.columns)[0]
	})
	separation := agreement.Separation(labels)
	p.Cophenetic, p.Dispersion = separation.Cophenetic(), separation.Dispersion()
	p.Map = mapOf[T](separation, len(b.columns))
	return p, nil
}

// fit sets W and Error, and returns the relative error. Parts that are missing in V are missing in W.
func (b *stability[T]) fit(ctx context.Context, p *StabilityPoint[T], threads int) (relative float64, err error) {
	var some []int // parts
	for k, n := range p.Kept {
		if n > 0 {
			some = append(some, k)
		}
		for col := range b.cols {
			p.W.Row(k)[col] = T(math.NaN())
		}
	}
	if len(some) == 0 {
		p.Error = b.measured(1, math.Inf(1))
		return 1, nil
	}
	v := matrix.Rows(p.V.Transposed(), some).Transposed()
	for i := range v.Rows { // the fit refuses rows whose squares underflow
		if most := kernel.Max(v.Row(i)); most > 0 && most*most == 0 {
			clear(v.Row(i))
		}
		for at, k := range some {
			p.V.Row(i)[k] = v.At(i, at)
		}
	}
	t, err := lnmu.Transform(ctx, b.data.Observed, v, lnmu.Dense[T]{}, b.weighing(threads))
	if err != nil {
		return 0, err
	}
	for at, k := range some {
		copy(p.W.Row(k), t.W.Row(at))
	}
	p.Error = b.measured(t.RelativeError, t.RelativeDivergence)
	return t.RelativeError, nil
}

// notes says which parts have no entries or no intervals.
func (p *StabilityPoint[T]) notes() (list []string) {
	for k, n := range p.Kept {
		switch n {
		case 0:
			list = append(list, fmt.Sprintf("rank %d, part %d: it is an outlier in every run, so that its entries are missing (NaN)", p.Rank, k+1))
		case 1:
			list = append(list, fmt.Sprintf("rank %d, part %d: it is an outlier in every run but one, so that its entries have no intervals (NaN)", p.Rank, k+1))
		}
	}
	return list
}

// matching says which parts of the runs belong together.
type matching[T lnmu.Float] struct {
	directions []lnmu.Dense[T] // of the parts of each run
	of         [][]int         // of[q][k] is the part of run q that is part k of the consensus
	sums       lnmu.Dense[T]   // of the directions of matched parts
}

// rounds bounds the rounds of match. Each one but the last makes the parts nearer to their sums,
// so that there is an end; it comes after a few.
const rounds = 100

// match matches the parts of all runs, each with one part of every other run. It begins with
// the parts of the run of least error, matches those of each run with them by the Hungarian method,
// and goes on with the sums of the matched directions until nothing changes (the clustering of
// L. B. Alexandrov and others, Deciphering signatures of mutational processes operative in human
// cancer, 2013).
func match[T lnmu.Float](runs []*unit[T], threads int) *matching[T] {
	m := &matching[T]{directions: make([]lnmu.Dense[T], len(runs)), of: make([][]int, len(runs))}
	team.Share(threads-1, len(runs), func(q int) { m.directions[q] = agreement.Directions(runs[q].v) })
	best := 0
	for q, u := range runs {
		if u.errs[0] < runs[best].errs[0] {
			best = q
		}
	}
	center := m.directions[best]
	for range rounds {
		changed := make([]bool, len(runs))
		team.Share(threads-1, len(runs), func(q int) {
			of := agreement.Assign(agreement.Cosines(center, m.directions[q]), center.Rows)
			changed[q] = !slices.Equal(of, m.of[q])
			m.of[q] = of
		})
		if !slices.Contains(changed, true) {
			break
		}
		m.sums = lnmu.NewDense[T](center.Rows, center.Cols, nil)
		for q := range runs {
			for k, from := range m.of[q] {
				kernel.AddScaled(m.sums.Row(k), 1, m.directions[q].Row(from))
			}
		}
		center = agreement.Directions(m.sums.Transposed())
	}
	return m
}

// silhouettes returns the silhouette of each matched part (P. J. Rousseeuw, Silhouettes: a
// graphical aid to the interpretation and validation of cluster analysis, 1987) by the distance
// 1 - cosine, and its mean distance from the parts of the other runs that it is matched with. If
// there is only one part, the distance from others counts as 1.
//
// The sums of the directions give the mean distances, so that the work grows with the number
// of runs and not with its square.
func (m *matching[T]) silhouettes() (silhouettes, apart [][]float64) {
	n := float64(len(m.of))
	least := 64 * matrix.Epsilon[T]() // distances below are rounding
	round := func(d float64) float64 {
		if d < least {
			return 0
		}
		return d
	}
	for q, of := range m.of {
		s, a := make([]float64, len(of)), make([]float64, len(of))
		for k, from := range of {
			x := m.directions[q].Row(from)
			own := round(1 - (float64(kernel.Dot(x, m.sums.Row(k)))-float64(kernel.SumSquares(x)))/(n-1))
			other := 1.0
			for l := range of {
				if l != k {
					other = min(other, round(1-float64(kernel.Dot(x, m.sums.Row(l)))/n))
				}
			}
			if most := max(own, other); most > 0 {
				s[k] = (other - own) / most
			}
			a[k] = own
		}
		silhouettes, apart = append(silhouettes, s), append(apart, a)
	}
	return silhouettes, apart
}

// alike is the mean distance from the matched parts up to which no part is an outlier.
const alike = 0.01

// filter reports for each run which of its parts count. Outliers do not: parts that are nearer to
// those of another cluster, on average, and parts whose mean distance from the matched ones is more
// than three times the range between the quartiles above the third (J. W. Tukey, Exploratory data
// analysis, 1977).
func filter(silhouettes, apart [][]float64) [][]bool {
	kept := make([][]bool, len(apart))
	for q := range kept {
		kept[q] = make([]bool, len(apart[q]))
	}
	sorted := make([]float64, len(apart))
	for k := range apart[0] {
		for q := range apart {
			sorted[q] = apart[q][k]
		}
		slices.Sort(sorted)
		first, third := quantile(sorted, 0.25), quantile(sorted, 0.75)
		fence := max(alike, third+3*(third-first))
		for q := range apart {
			kept[q][k] = apart[q][k] <= fence && silhouettes[q][k] >= 0
		}
	}
	return kept
}

// quantile returns a quantile of sorted numbers: that of which the next number of the same kind is
// below with the probability share, on average (numpy.quantile with the method "weibull").
func quantile[T lnmu.Float](sorted []T, share float64) float64 {
	n := len(sorted)
	at := float64(share*float64(n+1)) - 1
	k := int(math.Floor(at))
	switch {
	case k < 0:
		return float64(sorted[0])
	case k >= n-1:
		return float64(sorted[n-1])
	}
	low, high := float64(sorted[k]), float64(sorted[k+1])
	return low + float64((at-float64(k))*(high-low))
}

// summarise sets V, its interval and that of W: the medians and quantiles of the parts that count.
// What fewer parts than that do not tell is missing: NaN.
func (b *stability[T]) summarise(p *StabilityPoint[T], runs []*unit[T], of [][]int, kept [][]bool, threads int) {
	r := p.Rank
	ofV, ofW := p.matrices()
	for x := range ofV {
		*ofV[x], *ofW[x] = lnmu.NewDense[T](b.rows, r, nil), lnmu.NewDense[T](r, b.cols, nil)
	}
	low, high := (1-b.Settings.Level)/2, (1+b.Settings.Level)/2
	spread := func(x []T) (median, least, most T) {
		nan := T(math.NaN())
		switch len(x) {
		case 0:
			return nan, nan, nan
		case 1:
			return x[0], nan, nan
		}
		slices.Sort(x)
		return T(quantile(x, 0.5)), T(quantile(x, low)), T(quantile(x, high))
	}
	const lines = 64 // of a task
	each := func(n int, entry func(u *unit[T], line, part int) T, set func(line, k int, median, least, most T)) {
		team.Share(threads-1, (n+lines-1)/lines, func(task int) {
			x := make([]T, 0, len(runs))
			for line := task * lines; line < min(n, (task+1)*lines); line++ {
				for k := range r {
					x = x[:0]
					for q, u := range runs {
						if kept[q][k] {
							x = append(x, entry(u, line, of[q][k]))
						}
					}
					median, least, most := spread(x)
					set(line, k, median, least, most)
				}
			}
		})
	}
	each(b.rows, func(u *unit[T], i, part int) T { return u.v.At(i, part) }, func(i, k int, median, least, most T) {
		p.V.Row(i)[k], p.VLow.Row(i)[k], p.VHigh.Row(i)[k] = median, least, most
	})
	each(b.cols, func(u *unit[T], j, part int) T { return u.w.At(part, j) }, func(j, k int, _, least, most T) {
		p.WLow.Row(k)[j], p.WHigh.Row(k)[j] = least, most
	})
	scale(p.V, lnmu.NewDense[T](r, 0, nil))
}

// matrices returns V and W, each with its lower and its upper ends.
func (p *StabilityPoint[T]) matrices() (ofV, ofW [3]*lnmu.Dense[T]) {
	return [3]*lnmu.Dense[T]{&p.V, &p.VLow, &p.VHigh}, [3]*lnmu.Dense[T]{&p.W, &p.WLow, &p.WHigh}
}

// order brings the parts into the order of decreasing sums of their weights, missing ones last.
func (p *StabilityPoint[T]) order() {
	sums, order := make([]float64, p.Rank), make([]int, p.Rank)
	for k := range sums {
		order[k] = k
		if p.Kept[k] == 0 {
			sums[k] = -1
			continue
		}
		for _, x := range p.W.Row(k) {
			sums[k] += float64(x)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sums[b], sums[a]) })
	ofV, ofW := p.matrices()
	for x := range ofV {
		*ofV[x], *ofW[x] = matrix.Rows(ofV[x].Transposed(), order).Transposed(), matrix.Rows(*ofW[x], order)
	}
	silhouettes, kept := slices.Clone(p.Silhouettes), slices.Clone(p.Kept)
	for k, from := range order {
		p.Silhouettes[k], p.Kept[k] = silhouettes[from], kept[from]
	}
}

// cover widens the intervals so that they hold the entries of V and W.
func (p *StabilityPoint[T]) cover() {
	ofV, ofW := p.matrices()
	for _, x := range [][3]*lnmu.Dense[T]{ofV, ofW} {
		for i := range x[0].Rows {
			low, high := x[1].Row(i), x[2].Row(i)
			for j, a := range x[0].Row(i) {
				low[j], high[j] = min(low[j], a), max(high[j], a)
			}
		}
	}
}

// widen raises the upper ends of the intervals to the least entry that can be told from 0, and sets lower ends
// below it to 0. An entry of M that is 0 by chance stays 0 in every resampled matrix, so that the runs show no
// spread there. Multiplicative steps come near to 0 and never reach it.
//
// A part k whose entry in row i of V is x adds x Σ_j w_kj counts to the row. If that is c = -log((1 -
// level)/2) or less, no count at all has a probability of (1 - level)/2 or more, even if all other entries
// are known. So an interval ends at c/Σ_j w_kj or above it, and likewise one of W at c/Σ_i v_ik. (For a level
// of 0.95, c is 3.7: the exact limit for 0 events of a Poisson distribution.) Noise whose variance is φ times
// the mean is that of counts in units of φ; see dispersion.
func (b *stability[T]) widen(p *StabilityPoint[T]) {
	unit := 0.0
	switch b.Settings.Resample {
	case Poisson:
		unit = 1
	case Columns:
		unit = b.dispersion(p)
	}
	if unit == 0 || b.data.weighted() { // which say what the noise is
		return
	}
	counts := -math.Log((1-b.Settings.Level)/2) * unit
	limit := func(sum float64, low, high *T) {
		at := T(counts / sum)
		if !(sum > 0) {
			return
		}
		if at > *high {
			*high = at
		}
		if *low < at {
			*low = 0
		}
	}
	// sums returns for each line across a part the sum of its entries x where the line is observed.
	sums := func(lines int, x []T, observed func(line, at int) bool) []float64 {
		var all float64
		for _, a := range x {
			all += float64(a)
		}
		sums := make([]float64, lines)
		for line := range sums {
			sums[line] = all
			for at := 0; b.data.Mask != nil && at < len(x); at++ {
				if !observed(line, at) {
					sums[line] -= float64(x[at])
				}
			}
		}
		return sums
	}
	mask, v := b.data.Mask, p.V.Transposed()
	for k := range p.Rank {
		for i, sum := range sums(b.rows, p.W.Row(k), mask.Observed) {
			limit(sum, &p.VLow.Row(i)[k], &p.VHigh.Row(i)[k])
		}
		for col, sum := range sums(b.cols, v.Row(k), func(col, i int) bool { return mask.Observed(i, col) }) {
			limit(sum, &p.WLow.Row(k)[col], &p.WHigh.Row(k)[col])
		}
	}
}

// dispersion returns the ratio φ of the variance of an entry of M to its mean, if it is the same for all
// entries: the sum of squares of M - V W over the sum of V W, for the numbers that are free.
func (b *stability[T]) dispersion(p *StabilityPoint[T]) float64 {
	d := b.data
	m := d.dense
	if d.sparse != nil {
		m = lnmu.NewDense[T](1, b.cols, nil)
	}
	parts := p.Rank // but for missing ones, which come last
	for parts > 0 && p.Kept[parts-1] == 0 {
		parts--
	}
	var squares, sum float64
	fit := make([]T, b.cols)
	for i := range b.rows {
		clear(fit)
		for k := range parts {
			kernel.AddScaled(fit, p.V.At(i, k), p.W.Row(k))
		}
		at := i
		if s := d.sparse; s != nil {
			at = 0
			clear(m.Data)
			for x := s.Ptr[i]; x < s.Ptr[i+1]; x++ {
				m.Data[s.Idx[x]] = s.Val[x]
			}
		}
		for col, x := range m.Row(at) {
			if d.Mask == nil || d.Mask.Observed(i, col) {
				e := float64(x) - float64(fit[col])
				squares += float64(e * e)
				sum += float64(fit[col])
			}
		}
	}
	n, free := float64(d.observed()), float64(parts*(b.rows+b.cols-1))
	if !(sum > 0) || n <= free {
		return 0
	}
	return squares / sum * n / (n - free)
}
