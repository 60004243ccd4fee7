package poisson

import (
	"math"

	"nmu/internal/team"
	"nmu/kernel"
)

// Ending says when the updates of a column end: after Iterations updates, or when its KKT
// residual is at most Tolerance. The residual is the largest |min(p, g)| over the weights w, with
// the part p = w s/Σ m of the column sum and the gradient g = 1 - c/s. Here s is the sum of the
// column of V, and c its product with the ratio of M to V W.
type Ending struct {
	Iterations int
	Tolerance  float64
}

// Folded sums up the weights found for some columns.
type Folded struct {
	Iterations int     // the most updates of a column
	KKT        float64 // the largest KKT residual of a column
	Finished   int     // number of columns with weights

	Divergence, Null float64 // of the finished columns, from V W and from the mean of their entries
}

// foldedColumn has the terms of one column.
type foldedColumn struct {
	done       bool
	iterations int
	kkt        float64
	logs       float64 // Σ u m log(m/x), with X = V W and the weights u
	own        float64 // Σ u m log m
	m, x       float64 // Σ u m, Σ u x
	weights    float64 // Σ u
}

// FoldIn sets w (r x n) to the weights that minimise the divergence of each column of M from V W,
// given the transpose of V (r x m), by multiplicative updates. If given, they begin with w, whose
// zeros stay zero, else with equal parts of the sum of the column. A column takes O(r) operations
// for each positive entry and update. Its weights depend on V, the column and the start alone. If
// the run is cancelled, unfinished columns become 0.
//
// column returns column j of M. The next call for the same member may overwrite its slices.
func FoldIn[T kernel.Float](t *team.Team, over func() bool, vt, w kernel.Matrix[T], given bool, precision float64, end Ending, column func(member, j int) Line[T]) Folded {
	sums, ones := make([]T, vt.Rows), make([]T, vt.Cols)
	for i := range ones {
		ones[i] = 1
	}
	for k := range sums {
		sums[k] = kernel.Dot(vt.Row(k), ones)
	}
	folders := make([]*folder[T], t.Size())
	found := make([]foldedColumn, w.Cols)
	t.Run(w.Cols, func(member, j int) {
		if folders[member] == nil {
			folders[member] = newFolder(vt, sums, ones)
		}
		f := folders[member]
		for k := range f.w.Data {
			f.w.Data[k] = w.Row(k)[j]
		}
		found[j] = f.solve(over, column(member, j), given, precision, end)
		for k, x := range f.w.Data {
			w.Row(k)[j] = 0
			if found[j].done {
				w.Row(k)[j] = x
			}
		}
	})
	var s Folded
	var all foldedColumn
	for _, c := range found {
		if !c.done {
			continue
		}
		s.Iterations, s.KKT, s.Finished = max(s.Iterations, c.iterations), max(s.KKT, c.kkt), s.Finished+1
		all.logs, all.own, all.m, all.x, all.weights = all.logs+c.logs, all.own+c.own, all.m+c.m, all.x+c.x, all.weights+c.weights
	}
	if all.m > 0 {
		s.Divergence = max(0, all.logs+(all.x-all.m))
		s.Null = Null(all.own, all.m, all.weights, precision)
	}
	return s
}

// folder is the memory of one member for a column.
type folder[T kernel.Float] struct {
	vt         kernel.Matrix[T]
	sums, ones []T
	chosen     kernel.Matrix[T] // the columns of vt at the positive entries of M, side by side
	m, u, um   []T              // these entries, their weights, and the products of both
	ratio      kernel.Matrix[T] // 1 x m
	w, c       kernel.Matrix[T] // r x 1
	before     []T
	weighted   []T // the sums of the columns of V, with weights
}

func newFolder[T kernel.Float](vt kernel.Matrix[T], sums, ones []T) *folder[T] {
	r, m := vt.Rows, vt.Cols
	return &folder[T]{
		vt: vt, sums: sums, ones: ones, chosen: kernel.NewMatrix[T](r, m), m: make([]T, m), u: make([]T, m), um: make([]T, m),
		ratio: kernel.NewMatrix[T](1, m), w: vector[T](r), c: vector[T](r), before: make([]T, r), weighted: make([]T, r),
	}
}

// vector returns a column of r numbers with stride 1.
func vector[T kernel.Float](r int) kernel.Matrix[T] {
	return kernel.Matrix[T]{Rows: r, Cols: 1, Data: make([]T, r), Stride: 1}
}

// gather copies the positive entries of a column and the rows of V there. It returns the number
// of these entries, and the weighted sums of the columns of V.
func (f *folder[T]) gather(x Line[T]) (n int, sums []T) {
	for t, a := range x.M {
		i := t
		if x.Places != nil {
			i = int(x.Places[t])
		}
		u := T(1)
		if x.Weights != nil {
			u = x.Weights[i]
		}
		if !(a > 0) || u == 0 {
			continue
		}
		f.m[n], f.u[n], f.um[n] = a, u, u*a
		for k := range f.vt.Rows {
			f.chosen.Row(k)[n] = f.vt.Row(k)[i]
		}
		n++
	}
	if x.Weights == nil {
		return n, f.sums
	}
	for k := range f.weighted {
		f.weighted[k] = kernel.Dot(f.vt.Row(k), x.Weights)
	}
	return n, f.weighted
}

// solve finds the weights of a column.
func (f *folder[T]) solve(over func() bool, x Line[T], given bool, precision float64, end Ending) (s foldedColumn) {
	n, sums := f.gather(x)
	r := f.vt.Rows
	m, u, chosen := f.m[:n], f.u[:n], f.chosen.Slice(0, r, 0, n)
	s.weights = float64(f.vt.Cols)
	if x.Weights != nil {
		s.weights = float64(kernel.Dot(x.Weights, f.ones))
	}
	for _, a := range f.um[:n] {
		s.m += float64(a)
	}
	w, before := f.w.Data, f.before
	for k := range w {
		switch {
		case n == 0 || !(sums[k] > 0):
			w[k] = 0
		case !given:
			w[k] = T(s.m / float64(r) / float64(sums[k]))
		}
		before[k] = w[k]
	}
	if s.done = !over(); n == 0 || !s.done {
		return s
	}
	ratio := f.ratio.Slice(0, 1, 0, n)
	least := T(float64(kernel.Max(m)) * precision * precision)
	for ; ; s.iterations++ {
		kernel.Product(ratio, f.w, chosen)
		kernel.Ratio(ratio.Row(0), m, least)
		s.kkt = 0
		if x.Weights != nil {
			for t, a := range u {
				ratio.Row(0)[t] *= a
			}
		}
		kernel.Contract(f.c, ratio, chosen)
		for k, sum := range sums {
			if sum > 0 {
				p, g := float64(w[k])*float64(sum)/s.m, 1-float64(f.c.Data[k])/float64(sum)
				s.kkt = max(s.kkt, math.Abs(min(p, g)))
			}
		}
		if s.kkt <= end.Tolerance || s.iterations == end.Iterations {
			break
		}
		if s.done = !over(); !s.done {
			return s
		}
		Renew(w, before, f.c.Data, sums, 0, 0)
	}
	kernel.Product(ratio, f.w, chosen)
	kernel.Ratio(ratio.Row(0), m, least)
	s.logs = float64(kernel.DotLog(f.um[:n], ratio.Row(0)))
	s.own = float64(kernel.DotLog(f.um[:n], m))
	for k, sum := range sums {
		s.x += float64(float64(w[k]) * float64(sum))
	}
	return s
}
