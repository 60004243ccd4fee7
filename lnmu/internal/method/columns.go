package method

import (
	"math"
	"slices"

	"nmu/kernel"
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/matrix"
)

// StartColumns replaces the factors of p by columns of N and weights for them: V gets columns of
// N, chosen one after the other, each as far as possible from the earlier ones.
//
//   - The successive projection algorithm measures the distance from their span
//     (M. C. U. Araújo et al., The successive projections algorithm for variable selection in
//     spectroscopic multicomponent analysis, Chemometrics and Intelligent Laboratory Systems
//     57, 2001; N. Gillis and S. A. Vavasis, Fast and robust recursive algorithms for separable
//     nonnegative matrix factorization, IEEE Trans. PAMI 36, 2014).
//   - The successive nonnegative projection algorithm, if nonnegative, measures the distance
//     from their convex combinations with 0 (N. Gillis, Successive nonnegative projection
//     algorithm for robust nonnegative blind source separation, SIAM J. Imaging Sciences 7,
//     2014). The projections are exact here.
//
// Among columns whose squared distances agree to 1e-6 it chooses the longest one, and among
// equally long ones the first. W has the weights of the combinations that are nearest to the
// columns of N. If the chosen columns explain N, the remaining factors keep their direction, which
// is drawn from seed 0, but become small.
//
// Each column costs two passes over N. It also costs O(n r²) operations, or at most O(n r³) with
// exact projections. Hoyer's multiplicative rule cannot leave the zeros of this start. If the run
// is cancelled before the end, StartColumns returns false and the factors do not change. light is the median of the
// sums of these weights, which are at most 1: less than 1 for columns darker than mixtures of the chosen ones.
func StartColumns(p core.Problem, nonnegative bool, over func() bool) (light float64, ok bool) {
	if x, ok := p.(core.Startable[float32]); ok {
		return startColumns(x, p.Rank(), nonnegative, over)
	}
	return startColumns(p.(core.Startable[float64]), p.Rank(), nonnegative, over)
}

func startColumns[T kernel.Float](p core.Startable[T], rank int, nonnegative bool, over func() bool) (light float64, ok bool) {
	p.Impute()
	defer p.Forget()
	s := newSelection(p.Multiplier(1), rank, over)
	find := s.project
	if nonnegative {
		find = s.projectNonnegative
	}
	if !find() {
		return 0, false
	}
	tall := s.Tall()
	h, g := p.Load(tall), p.Load(!tall) // of V, of W
	for k := range rank {
		v, w := h.Row(k), g.Row(k)
		if k < len(s.chosen) {
			copy(v, s.columns.Row(k))
			for j, x := range s.weights.Row(k) {
				w[j] = T(x)
			}
		} else if k > 0 {
			shorten(v, h.Row(0))
			shorten(w, g.Row(0))
		}
	}
	p.Store(tall, h)
	p.Store(!tall, g)
	return s.light(), true
}

// light returns the median sum of the weights of a column.
func (s *selection[T]) light() float64 {
	sums := make([]float64, s.weights.Cols)
	for k := range s.chosen {
		for j, x := range s.weights.Row(k) {
			sums[j] += x
		}
	}
	slices.Sort(sums)
	return sums[len(sums)/2]
}

func shorten[T kernel.Float](x, y []T) {
	const small = 0.1
	kernel.Scale(x, T(small*math.Sqrt(float64(kernel.SumSquares(y))))*kernel.Reciprocal(T(math.Sqrt(float64(kernel.SumSquares(x))))))
}

// selection chooses columns of N. Its arithmetic is that of the kernels, or float64 without fused
// multiply-adds. Only exact projections ask for fused multiply-adds. So the columns are the same
// on every machine.
type selection[T kernel.Float] struct {
	core.Multiplier[T]
	rank    int
	whole   []float64 // squared norms of the columns of N; formed by the first choose
	left    []float64 // squared distances of the columns
	chosen  []int
	columns kernel.Matrix[T]       // the chosen columns, as rows,
	product kernel.Matrix[T]       // their products with N, or those of the orthonormal vectors,
	gram    kernel.Matrix[float64] // and their products with each other
	weights kernel.Matrix[float64] // of every column of N
	unit    kernel.Matrix[T]       // scratch: a column of the identity
	basis   kernel.Matrix[T]       // an orthonormal one of the chosen columns
	over    func() bool
}

const (
	equal        = 1e-6 // relative difference of two distances that count as equal
	columnsPanel = 256  // columns of a task
)

func newSelection[T kernel.Float](m core.Multiplier[T], rank int, over func() bool) *selection[T] {
	s := &selection[T]{Multiplier: m, rank: rank, over: over}
	rows, cols := s.Dims()
	if !s.Tall() {
		rows, cols = cols, rows
	}
	a := m.Memory()
	s.whole, s.left = arena.Slice[float64](a, cols), arena.Slice[float64](a, cols)
	s.columns, s.basis, s.product, s.unit = arena.Matrix[T](a, rank, rows), arena.Matrix[T](a, rank, rows), arena.Matrix[T](a, rank, cols), arena.Matrix[T](a, 1, cols)
	s.gram, s.weights = arena.Matrix[float64](a, rank, rank), arena.Matrix[float64](a, rank, cols)
	return s
}

// project is the successive projection algorithm. It multiplies N by an orthonormal basis of the
// chosen columns.
func (s *selection[T]) project() bool {
	for s.choose() {
		k := len(s.chosen) - 1
		u, q := s.basis.Row(k), s.product.Row(k)
		copy(u, s.columns.Row(k))
		separate(u, s.basis.Slice(0, k, 0, len(u)), -1)
		normalise(u)
		s.multiply(k, u)
		for j, x := range q {
			s.left[j] = max(0, s.left[j]-float64(float64(x)*float64(x)))
		}
	}
	if s.over() {
		return false
	}
	s.unproject()
	return s.weigh()
}

// separate makes x orthogonal to the rows of basis, whose norm is 1, except row k of them. The second round removes the
// rounding errors of the first.
func separate[T kernel.Float](x []T, basis kernel.Matrix[T], k int) {
	for range 2 {
		for l := range basis.Rows {
			if l == k {
				continue
			}
			along := kernel.Dot(x, basis.Row(l))
			for i, y := range basis.Row(l) {
				x[i] -= T(along * y)
			}
		}
	}
}

func normalise[T kernel.Float](x []T) {
	kernel.Scale(x, kernel.Reciprocal(T(math.Sqrt(float64(kernel.SumSquares(x))))))
}

// unproject replaces the products of the orthonormal vectors by those of the chosen columns.
// Chosen column k is a combination of vectors 0 to k.
func (s *selection[T]) unproject() {
	n := len(s.chosen)
	parts := make([]float64, n*n) // coefficient of vector l in column k
	for l := range n {
		for k := l; k < n; k++ {
			parts[l*n+k] = float64(s.product.Row(l)[s.chosen[k]])
		}
	}
	for j := range s.product.Cols {
		for k := n - 1; k >= 0; k-- {
			var sum float64
			for l := range k + 1 {
				sum += float64(parts[l*n+k] * float64(s.product.Row(l)[j]))
			}
			s.product.Row(k)[j] = T(sum)
		}
	}
}

// projectNonnegative is the successive nonnegative projection algorithm.
func (s *selection[T]) projectNonnegative() bool {
	for s.choose() {
		k := len(s.chosen) - 1
		s.multiply(k, s.columns.Row(k))
		if s.over() || !s.weigh() {
			return false
		}
	}
	return !s.over()
}

// choose takes the column of the largest distance. It returns false if rank columns are chosen,
// if all distances are rounding errors, or if the run is cancelled.
func (s *selection[T]) choose() bool {
	if s.chosen == nil {
		s.ColumnSquares(s.whole)
		copy(s.left, s.whole)
	}
	if s.over() || len(s.chosen) == s.rank {
		return false
	}
	var most, longest float64
	for j, d := range s.left {
		most, longest = max(most, d), max(longest, s.whole[j])
	}
	if !(most > float64(float64(16*s.rank)*matrix.Epsilon[T]())*longest) {
		return false
	}
	best := -1
	for j, d := range s.left {
		if d >= float64((1-equal)*most) && (best < 0 || s.whole[j] > s.whole[best]) {
			best = j
		}
	}
	k := len(s.chosen)
	s.chosen = append(s.chosen, best)
	s.unit.Data[best] = 1
	s.Multiply(!s.Tall(), s.columns.Slice(k, k+1, 0, s.columns.Cols), s.unit)
	s.unit.Data[best] = 0
	return !s.over()
}

// multiply sets row k of product to the products of x with N.
func (s *selection[T]) multiply(k int, x []T) {
	s.Multiply(s.Tall(), s.product.Slice(k, k+1, 0, s.product.Cols), matrix.AsRow(x))
}

// weigh sets the weights of all columns and their distances, given the products of the chosen
// columns with N. It returns false if the work is over.
func (s *selection[T]) weigh() bool {
	n := len(s.chosen)
	all := hals.Simplices(s.Size(), n+1) // the last vertex is 0
	for k := range n {
		for l := range n { // symmetric: the two products of a pair of columns differ in their last bits
			s.gram.Row(k)[l] = float64(s.product.Row(min(k, l))[s.chosen[max(k, l)]])
		}
	}
	for _, x := range all {
		for k := range n {
			copy(x.Gram.Row(k), s.gram.Row(k)[:n])
		}
	}
	s.Run((s.product.Cols+columnsPanel-1)/columnsPanel, func(member, task int) {
		if s.over() {
			return
		}
		x := all[member]
		h, c := x.Weights, x.Products
		for j := task * columnsPanel; j < min((task+1)*columnsPanel, s.product.Cols); j++ {
			h[n], c[n] = 1, 0
			for k := range n {
				h[k], c[k] = s.weights.Row(k)[j], float64(s.product.Row(k)[j])
				h[n] -= h[k]
			}
			h[n] = max(0, h[n])
			x.Solve(h, c)
			d := s.whole[j]
			for k, a := range h[:n] {
				s.weights.Row(k)[j] = a
				for l, b := range h[:n] {
					d += float64(float64(a*b) * s.gram.Row(k)[l])
				}
				d -= float64(2 * float64(a*c[k]))
			}
			s.left[j] = max(0, d)
		}
	})
	return !s.over()
}
