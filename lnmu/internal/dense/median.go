package dense

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/state"
	"nmu/lnmu/internal/tree"
)

// medianColumns is the number of columns of N that are copied out together.
const medianColumns = 8

// relaxedL1 is the relaxation of a dense problem of rank 1 in the l1 norm.
type relaxedL1[T kernel.Float] struct {
	*solver[T]
	kept                       factors[T]
	work                       []*medianWork[T] // one per member
	panels                     int
	rows, columns, multipliers func(member, task int)
}

// relaxedL1 returns the relaxation of s, whose state and factors are set. If the work
// is over, a step may leave rows and columns as they were.
func (s *solver[T]) relaxedL1(over func() bool) *relaxedL1[T] {
	r := &relaxedL1[T]{solver: s, kept: s.keep(), panels: (s.cols + medianColumns - 1) / medianColumns}
	for range s.Size() {
		r.work = append(r.work, newMedianWork[T](s.rows, s.cols))
	}
	r.rows = func(member, task int) {
		i0, i1 := s.slab(task)
		for i := i0; i < i1 && !over(); i++ {
			r.work[member].renew(&s.long.Row(0)[i], s.n.Row(i), s.short.Row(0), s.cells.Rows, i)
		}
	}
	r.columns = func(member, task int) {
		if !over() {
			r.work[member].columns(s, task*medianColumns)
		}
	}
	r.multipliers = func(member, task int) {
		i0, i1 := s.slab(task)
		s.updateMultiplier(member, i0, i1)
	}
	return r
}

// Keep implements core.Relaxed.
func (r *relaxedL1[T]) Keep(float64) { r.kept.save() }

// Step implements core.Relaxed.
func (r *relaxedL1[T]) Step(float64, bool, bool) (alive bool) {
	if r.tall {
		r.Run(r.slabs, r.rows)
		r.Run(r.panels, r.columns)
	} else {
		r.Run(r.panels, r.columns)
		r.Run(r.slabs, r.rows)
	}
	return kernel.Max(r.long.Row(0)) > 0 && kernel.Max(r.short.Row(0)) > 0
}

// Update implements core.Relaxed.
func (r *relaxedL1[T]) Update(mu float64) {
	r.mu = T(mu)
	r.Run(r.slabs, r.multipliers)
}

// Restore implements core.Relaxed.
func (r *relaxedL1[T]) Restore() {
	r.kept.restore()
	r.halveMultipliers()
}

// dust is the part of an entry, in units in the last place, up to which what a
// factor leaves of it is rounding.
const dust = 16

// settle sets what is rounding in a row e of the residual to zero, given the row m
// of the one before, and returns the sum of the absolute values of e, which also
// takes the place of m if told to. Left alone, rounding where a factor explains M
// would attract the medians of the next one.
func settle[T kernel.Float](e, m []T, inPlace bool) float64 {
	var sum float64
	for j, x := range e {
		size := math.Abs(float64(x))
		if size <= dust*matrix.Epsilon[T]()*math.Abs(float64(m[j])) {
			e[j], size = 0, 0
		}
		sum += size
	}
	if inPlace {
		copy(m, e)
	}
	return sum
}

// absolute returns the sum of the absolute values of x.
func (s *solver[T]) absolute(x kernel.Matrix[T]) float64 {
	sums := make([]float64, s.slabs)
	s.Run(s.slabs, func(_, task int) {
		i0, i1 := s.slab(task)
		for i := i0; i < i1; i++ {
			var row float64
			for _, a := range x.Row(i) {
				row += math.Abs(float64(a))
			}
			sums[task] += row
		}
	})
	return tree.Sum(sums, func(a, b float64) float64 { return a + b })
}

// medianWork is the workspace of one member of a team.
type medianWork[T kernel.Float] struct {
	ratio, weight []float64
	panel         kernel.Matrix[T] // columns of N, as rows
}

func newMedianWork[T kernel.Float](rows, cols int) *medianWork[T] {
	n := max(rows, cols)
	return &medianWork[T]{make([]float64, n), make([]float64, n), kernel.NewMatrix[T](medianColumns, rows)}
}

// columns renews g in a panel of columns from j0.
func (w *medianWork[T]) columns(s *solver[T], j0 int) {
	j1 := min(j0+medianColumns, s.cols)
	x := w.panel.Slice(0, j1-j0, 0, s.rows)
	matrix.Transpose(x, s.n.Slice(0, s.rows, j0, j1))
	for j := j0; j < j1; j++ {
		w.renew(&s.short.Row(0)[j], x.Row(j-j0), s.long.Row(0), s.cells.Cols, j)
	}
}

// renew sets v to the minimum of Σ |n_j - v w_j| over v >= 0, be it over what row i of
// seen has.
func (w *medianWork[T]) renew(v *T, n, weights []T, seen kernel.Bits, i int) {
	count := 0
	var total float64
	for j, b := range weights {
		if b > 0 && (seen.Data == nil || seen.At(i, j)) {
			w.ratio[count], w.weight[count] = float64(n[j])/float64(b), float64(b)
			total += float64(b)
			count++
		}
	}
	if count == 0 {
		return
	}
	x := T(max(0, weightedMedian(w.ratio[:count], w.weight[:count], total/2, float64(*v))))
	if !math.IsInf(float64(x), 0) { // else w is too small for its reciprocals
		*v = x
	}
}

// weightedMedian returns the smallest x such that the elements of x up to it have
// a total weight of at least half. It reorders both slices. The guess is where it
// cuts first; after that, at the median of three. The time is linear in the
// length, but for data made to defeat it.
func weightedMedian(x, weight []float64, half, guess float64) float64 {
	pivot := guess
	for {
		// [0, less) < pivot, [less, i) = pivot, [more, len) > pivot
		less, more := 0, len(x)
		var below, at float64
		for i := 0; i < more; {
			switch a := x[i]; {
			case a < pivot:
				below += weight[i]
				x[i], x[less] = x[less], x[i]
				weight[i], weight[less] = weight[less], weight[i]
				less++
				i++
			case a > pivot:
				more--
				x[i], x[more] = x[more], x[i]
				weight[i], weight[more] = weight[more], weight[i]
			default:
				at += weight[i]
				i++
			}
		}
		switch {
		case less > 0 && (below >= half || more == less && more == len(x)):
			x, weight = x[:less], weight[:less]
		case more > less && (below+at >= half || more == len(x)):
			return pivot
		default:
			half -= below + at
			x, weight = x[more:], weight[more:]
		}
		pivot = middle(x[0], x[len(x)/2], x[len(x)-1])
	}
}

// middle returns the median of three numbers.
func middle(a, b, c float64) float64 {
	return max(min(a, b), min(max(a, b), c))
}

// State implements core.Relaxed.
func (r *relaxedL1[T]) State() []state.Field { return append(r.solver.State(), state.Named("N", r.n)) }
