package method

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/state"
	"nmu/lnmu/outcome"
)

// The algorithm of P. O. Hoyer, Non-negative matrix factorization with
// sparseness constraints (JMLR 5, 2004), which section 4.1 compares with: every
// column of V, every row of W, or both, have a given sh(·).
//
// A factor under the constraint moves along its negative gradient and is then
// projected, vector by vector, onto the vectors of the wanted l1 norm; the step
// is halved until the error does not rise, and made 1.2 times as long for the
// next time. The l2 norm of a row of W is 1; a column of V keeps the one that the
// gradient step gives it. A free factor is renewed by the multiplicative rule;
// rows of W then get the norm 1 again, at the expense of V.
//
// Differences from Hoyer's description: V comes first, as in the other methods
// here. The first step is 1/max(M)² for W and 1 for V, like that of his program on M/max(M). So
// the scale of M does not matter. The change of the error is taken from the gradient, <G, Δ> +
// ½<B, Δ Δᵀ>, in O((m+n)r²) operations for each trial instead of O(mnr), and without the
// cancellation of a difference of two errors. Under the multiplicative rule an entry that starts
// at zero stays zero.
const (
	stepGrowth    = 1.2
	stepUnderflow = 0x1p-100 // relative to the first step; at a shorter step the iterations end
	hoyerPanel    = 256      // columns of a task
)

// Hoyer runs Hoyer's algorithm with these values of sh of the columns of V and the rows of
// W; 0 imposes none.
func (l *Loop) Hoyer(p core.Problem, v, w float64) Trace {
	if p, ok := p.(core.Products[float32]); ok {
		return hoyer(l, p, v, w)
	}
	return hoyer(l, p.(core.Products[float64]), v, w)
}

func hoyer[T kernel.Float](l *Loop, p core.Products[T], sparsenessV, sparsenessW float64) Trace {
	v := newConstrained(p, p.Tall(), sparsenessV, 1)
	w := newConstrained(p, !p.Tall(), sparsenessW, 1/float64(l.Largest*l.Largest))
	w.unit = true
	unitRows(v.x, w.x)
	for _, c := range []*constrained[T]{v, w} {
		if c.sparseness > 0 {
			matrix.CopyRows(c.next, c.x)
			p.Run(p.Rank(), c.projectTask)
			matrix.CopyRows(c.x, c.next)
		}
	}
	if alpha := T(p.Fit()); alpha > 0 && !math.IsInf(float64(alpha), 0) {
		for k := range v.x.Rows {
			kernel.Scale(v.x.Row(k), alpha)
		}
	}
	fields := func() []state.Field { return append(append(p.State(), v.state()), w.state()) }
	return l.iterate(fields, func(int) outcome.Stop {
		if !v.improve(l) || !w.improve(l) {
			if stop, ok := l.within(); ok {
				return stop
			}
			return outcome.StopStep
		}
		if w.sparseness == 0 {
			unitRows(v.x, w.x)
		}
		return ""
	})
}

// unitRows scales every row of W to norm 1, and multiplies the column of V by the old norm. v is
// Vᵀ.
func unitRows[T kernel.Float](v, w kernel.Matrix[T]) {
	divide := func(k int, norm T) {
		if inv := kernel.Reciprocal(norm); inv != 0 {
			kernel.Scale(w.Row(k), inv)
			kernel.Scale(v.Row(k), norm)
		}
	}
	for k := range w.Rows {
		if kernel.SumSquares(w.Row(k)) == 0 {
			divide(k, kernel.Max(w.Row(k))) // its squares may underflow
		}
		divide(k, T(math.Sqrt(float64(kernel.SumSquares(w.Row(k))))))
	}
}

// constrained is one factor (r x length, a vector per row).
type constrained[T kernel.Float] struct {
	p          core.Products[T]
	x          kernel.Matrix[T] // the factor itself
	long       bool             // the factor of the longer side of M
	sparseness float64          // 0: free
	unit       bool             // the vectors have l2 norm 1
	step       float64
	least      float64 // length of the shortest step that is tried

	product     kernel.Matrix[T] // M Wᵀ for V (transposed), Vᵀ M for W
	gram        kernel.Matrix[T] // of the other factor
	grad        kernel.Matrix[T] // of ½||M - V W||²
	next, delta kernel.Matrix[T] // x after the step, and next - x
	deltaGram   kernel.Matrix[T]
	scratch     [][]float64 // one per member
	fixed       [][]bool

	// made once: a closure per phase would allocate
	gradTask, projectTask, ruleTask, gramTask func(member, task int)
}

// newConstrained returns the factor of the longer side of M, or of the shorter one, with the
// length of its first step.
func newConstrained[T kernel.Float](p core.Products[T], long bool, sparseness, step float64) *constrained[T] {
	c := &constrained[T]{p: p, x: p.Factor(long), long: long, sparseness: sparseness, step: step, least: step * stepUnderflow}
	a := p.Memory()
	for _, x := range []*kernel.Matrix[T]{&c.grad, &c.next, &c.delta} {
		*x = arena.Matrix[T](a, c.x.Rows, c.x.Cols)
	}
	c.deltaGram = arena.Matrix[T](a, c.x.Rows, c.x.Rows)
	for range p.Size() {
		c.scratch = append(c.scratch, arena.Slice[float64](a, c.x.Cols))
		c.fixed = append(c.fixed, arena.Slice[bool](a, c.x.Cols))
	}
	c.gradTask, c.projectTask, c.ruleTask = c.gradient, c.project, c.rule
	c.gramTask = func(_, task int) { hals.Gram(c.deltaGram, c.delta, task) }
	return c
}

func (c *constrained[T]) state() state.Field { return state.Named("step", &c.step) }

// improve renews the factor. It returns false if no step lowers the error, or if the run is
// cancelled before one is found.
func (c *constrained[T]) improve(l *Loop) bool {
	if c.product, c.gram = c.p.Product(c.long); c.p.Aborted() {
		return false
	}
	panels := (c.x.Cols + hoyerPanel - 1) / hoyerPanel
	if c.sparseness == 0 {
		c.p.Run(panels, c.ruleTask)
		return true
	}
	c.p.Run(panels, c.gradTask)
	for c.step >= c.least && c.step > 0 && !l.Cancelled() {
		c.p.Run(c.x.Rows, c.projectTask)
		if c.change() <= 0 {
			matrix.CopyRows(c.x, c.next)
			c.step *= stepGrowth
			return true
		}
		c.step /= 2
	}
	return false
}

// gradient forms one panel of the gradient, gram·x - product.
func (c *constrained[T]) gradient(_, task int) {
	j0, j1 := task*hoyerPanel, min((task+1)*hoyerPanel, c.x.Cols)
	grad, product := matrix.View(c.grad, j0, j1), matrix.View(c.product, j0, j1)
	kernel.Product(grad, c.gram, matrix.View(c.x, j0, j1))
	for k := range grad.Rows {
		kernel.AddScaled(grad.Row(k), -1, product.Row(k))
	}
}

// rule is the multiplicative rule on one panel: x <- x product / (gram·x).
func (c *constrained[T]) rule(_, task int) {
	j0, j1 := task*hoyerPanel, min((task+1)*hoyerPanel, c.x.Cols)
	below, product, x := matrix.View(c.grad, j0, j1), matrix.View(c.product, j0, j1), matrix.View(c.x, j0, j1)
	kernel.Product(below, c.gram, x)
	for k := range x.Rows {
		row, p := x.Row(k), product.Row(k)
		for j, b := range below.Row(k) {
			if f := p[j] * kernel.Reciprocal(b); !math.IsInf(float64(row[j]*f), 0) {
				row[j] *= f
			}
		}
	}
}

// project sets vector k of next to the projection of x - step·gradient, and vector k of delta to
// its difference from x.
func (c *constrained[T]) project(member, k int) {
	x, next, grad := c.x.Row(k), c.next.Row(k), c.grad.Row(k)
	y := c.scratch[member]
	var squares float64
	for j, a := range x {
		y[j] = float64(a) - float64(c.step*float64(grad[j]))
		squares += float64(y[j] * y[j])
	}
	norm := 1.0
	if !c.unit {
		norm = math.Sqrt(squares)
	}
	projectSparse(y, c.fixed[member], l1For(c.sparseness, norm, len(y)), norm)
	delta := c.delta.Row(k)
	for j, a := range y {
		next[j] = T(a)
		delta[j] = next[j] - x[j]
	}
}

// change returns the change of ½||M - V W||² by the step.
func (c *constrained[T]) change() float64 {
	c.p.Run(hals.GramTasks(c.x.Rows), c.gramTask)
	var linear, square float64
	for k := range c.x.Rows {
		linear += float64(kernel.Dot(c.grad.Row(k), c.delta.Row(k)))
		square += float64(kernel.Dot(c.gram.Row(k), c.deltaGram.Row(k)))
	}
	return linear + float64(square/2)
}

// l1For returns the l1 norm that goes with sh = sparseness and an l2 norm in n
// dimensions (equation (HoyS)).
func l1For(sparseness, l2 float64, n int) float64 {
	root := math.Sqrt(float64(n))
	return float64(l2 * (root - float64((root-1)*sparseness)))
}

// projectSparse replaces x by the nearest nonnegative vector with the given l1 and l2 norms, l2
// <= l1 <= sqrt(n) l2, by Hoyer's projection. It projects x onto the plane of the l1 norm. From
// the centre of the face it moves x along the line through x onto the sphere of the l2 norm. Then
// it sets negative entries to zero and repeats this in the face of the other entries, until no
// entry is negative. There are at most n rounds of O(n) operations. fixed is scratch.
func projectSparse(x []float64, fixed []bool, l1, l2 float64) {
	if !(l2 > 0) {
		clear(x)
		return
	}
	clear(fixed)
	free := len(x)
	size := l2
	for _, a := range x {
		size = max(size, math.Abs(a))
	}
	toPlane(x, fixed, free, l1)
	for {
		centre := l1 / float64(free)
		var squares float64
		for j, a := range x {
			if !fixed[j] {
				squares += float64((a - centre) * (a - centre))
			}
		}
		if tie := float64(size * 1e-12); squares <= float64(tie*tie)*float64(free) {
			squares = 0 // the entries are equal up to rounding
		}
		// x = centre + α (x - centre), the centre being orthogonal to the plane
		room := float64(l2*l2) - float64(l1*centre)
		alpha := 0.0
		switch {
		case !(room > 0):
		case squares > 0:
			alpha = math.Sqrt(room / squares)
		case free > 1: // all directions are equally near: take that of the first entry
			first := true
			for j := range x {
				if !fixed[j] {
					x[j] = centre - 1
					if first {
						x[j] = centre + float64(free-1)
					}
					first = false
				}
			}
			alpha = math.Sqrt(room / (float64(free) * float64(free-1)))
		}
		negative := false
		for j, a := range x {
			if fixed[j] {
				continue
			}
			x[j] = centre + float64(alpha*(a-centre))
			if x[j] < 0 {
				x[j], fixed[j], negative = 0, true, true
				free--
			}
		}
		if !negative {
			return
		}
		toPlane(x, fixed, free, l1)
	}
}

// toPlane shifts the entries that are not fixed so that all add up to l1.
func toPlane(x []float64, fixed []bool, free int, l1 float64) {
	var sum float64
	for _, a := range x {
		sum += a
	}
	shift := (l1 - sum) / float64(free)
	for j := range x {
		if !fixed[j] {
			x[j] += shift
		}
	}
}
