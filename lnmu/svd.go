package lnmu

import (
	"math"
	"math/rand/v2"

	"nmu/kernel"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/spectral"
)

// singular finds the leading singular triplets of the matrix N of a solver by
// block power iteration: it multiplies by N and Nᵀ in turn, a pass each, and
// makes the vectors orthonormal in between. All of its arithmetic is that of the
// kernels, or float64 without fused multiply-adds, so that the vectors have the
// same bits everywhere, as those of a library would not.
//
// h and g of the solver hold the vectors of the two sides, one per row. Vectors
// that the matrix does not have, its rank being too small, are zero.
type singular[T Float] struct {
	*solver[T]
	wanted       int       // how many vectors count
	sigma        []float64 // singular values, descending
	eigen        *spectral.Eigen
	small        kernel.Matrix[T] // a Gram matrix
	turn         kernel.Matrix[T] // what the vectors are multiplied by
	spareLong    kernel.Matrix[T]
	spareShort   kernel.Matrix[T]
	contractTask func(member, task int)
}

const (
	extraVectors  = 4    // beyond those asked for: they speed up the convergence of the last ones
	powerSteps    = 100  // at most; a start need not be exact
	powerAccuracy = 1e-6 // change of the singular values, relative to the first, that ends the iteration
	turnPanel     = 512
)

// newSingular returns the iteration for the given number of vectors.
func newSingular[T Float](l *layout[T], n kernel.Matrix[T], rank int) *singular[T] {
	q := min(rank+extraVectors, l.rows, l.cols)
	s := &singular[T]{solver: newSolver(l, q), wanted: rank, sigma: make([]float64, q), eigen: spectral.New(q)}
	s.n = n
	s.small, s.turn = kernel.NewMatrix[T](q, q), kernel.NewMatrix[T](q, q)
	s.spareLong, s.spareShort = kernel.NewMatrix[T](q, l.rows), kernel.NewMatrix[T](q, l.cols)
	s.contractTask = func(_, task int) {
		first, last := s.slab(task)
		for i0 := first; i0 < last && !s.aborted(); i0 += s.block {
			i1 := min(i0+s.block, last)
			kernel.Contract(matrix.View(s.long, i0, i1), s.n.Slice(i0, i1, 0, s.cols), s.short)
		}
	}
	return s
}

// iterate makes at most the given number of steps of 4mn(r+4) operations; it
// ends earlier when the wanted singular values settle. It returns false, without
// vectors, if it is over before that: every task of every phase asks, and does nothing then.
func (s *singular[T]) iterate(steps int, accuracy float64, over func() bool) bool {
	s.ends = over
	defer func() { s.ends = nil }()
	rng := rand.New(rand.NewPCG(0, 0))
	for k := range s.rank {
		row := s.short.Row(k)
		for j := range row {
			if k == 0 {
				row[j] = 1 // a nonnegative matrix has a nonnegative first vector (Perron and Frobenius)
			} else {
				row[j] = T(rng.Float64() - 0.5)
			}
		}
	}
	if !s.orthonormalise(&s.short, &s.spareShort) {
		return false
	}
	for step := range steps {
		s.Run(s.slabs, s.contractTask)
		if !s.orthonormalise(&s.long, &s.spareLong) {
			return false
		}
		s.pass(kernel.Never, 0, false)
		if s.ends() {
			return false
		}
		for k := range s.rank {
			copy(s.short.Row(k), s.c.Row(k)) // G = Qᵀ N, of which N is nearly Q G
		}
		before := append([]float64(nil), s.sigma...)
		if !s.ritz() {
			return false
		}
		var change float64
		for k := range s.wanted {
			change = max(change, math.Abs(s.sigma[k]-before[k]))
		}
		if s.ends() {
			return false // within the last rotation
		}
		if change <= float64(accuracy*s.sigma[0]) {
			return true
		}
		if step < 2 && !s.refill(rng) {
			return false
		}
	}
	return true
}

// ritz turns h and g, G = Hᵀ N, to singular vectors: with G Gᵀ = Z Θ Zᵀ they are
// Zᵀ H and Θ^(-1/2) Zᵀ G.
func (s *singular[T]) ritz() bool {
	if !s.decompose(s.short) {
		return false
	}
	least := s.negligible() * math.Sqrt(max(0, s.eigen.Values[0]))
	for k, theta := range s.eigen.Values {
		if s.sigma[k] = math.Sqrt(max(0, theta)); s.sigma[k] <= least {
			s.sigma[k] = 0
		}
	}
	s.rotate(&s.long, &s.spareLong, func(k int) float64 {
		if s.sigma[k] == 0 {
			return 0
		}
		return 1
	})
	s.rotate(&s.short, &s.spareShort, func(k int) float64 {
		if s.sigma[k] == 0 {
			return 0
		}
		return 1 / s.sigma[k]
	})
	return true
}

// decompose decomposes the Gram matrix of the rows of x. It returns false if it is over
// before that.
func (s *singular[T]) decompose(x kernel.Matrix[T]) bool {
	s.Run(gramTasks(s.rank), func(_, task int) {
		if !s.ends() {
			gram(s.small, x, task)
		}
	})
	return !s.ends() && spectral.Decompose(s.eigen, s.small, s.ends)
}

// negligible is the relative size below which a singular value that comes from a
// Gram matrix is rounding.
func (s *singular[T]) negligible() float64 {
	return math.Sqrt(matrix.Epsilon[T]() * float64(4*s.rank))
}

// orthonormalise makes the rows of x orthonormal, keeping their span; rows that
// depend on the others become zero. The rows are brought to norm 1 first; with
// X Xᵀ = Z Θ Zᵀ they become Θ^(-1/2) Zᵀ X, twice, since the first time is only as
// good as the rows were independent.
func (s *singular[T]) orthonormalise(x, spare *kernel.Matrix[T]) bool {
	for range 2 {
		for k := range x.Rows {
			if s.ends() {
				return false
			}
			row := x.Row(k)
			inv := kernel.Reciprocal(T(math.Sqrt(float64(kernel.SumSquares(row)))))
			for j := range row {
				row[j] *= inv
			}
		}
		if !s.decompose(*x) {
			return false
		}
		s.rotate(x, spare, func(k int) float64 {
			theta := s.eigen.Values[k]
			if theta <= float64(s.negligible()*s.negligible()) {
				return 0
			}
			return 1 / math.Sqrt(theta)
		})
	}
	return true
}

// rotate sets x to Zᵀ x, row k scaled by scale(k), and exchanges it with spare.
func (s *singular[T]) rotate(x, spare *kernel.Matrix[T], scale func(k int) float64) {
	for k := range s.rank {
		by := scale(k)
		for i := range s.rank {
			s.turn.Data[i*s.turn.Stride+k] = T(by * s.eigen.Vectors[i*s.rank+k])
		}
	}
	s.Run((x.Cols+turnPanel-1)/turnPanel, func(_, task int) {
		if s.ends() {
			return // and who called asks again
		}
		j0, j1 := task*turnPanel, min((task+1)*turnPanel, x.Cols)
		kernel.Product(matrix.View(*spare, j0, j1), s.turn, matrix.View(*x, j0, j1))
	})
	*x, *spare = *spare, *x
}

// refill replaces the zero rows of g by random ones that are orthogonal to the
// others. What a step cannot tell from rounding beside a large singular value,
// the next one finds when nothing larger is in the way.
func (s *singular[T]) refill(rng *rand.Rand) bool {
	for k := range s.rank {
		if s.ends() {
			return false
		}
		row := s.short.Row(k)
		if kernel.SumSquares(row) > 0 {
			continue
		}
		for j := range row {
			row[j] = T(rng.Float64() - 0.5)
		}
		for range 2 {
			for l := range s.rank {
				if l == k {
					continue
				}
				along := kernel.Dot(row, s.short.Row(l))
				for j, x := range s.short.Row(l) {
					row[j] -= T(along * x)
				}
			}
		}
		inv := kernel.Reciprocal(T(math.Sqrt(float64(kernel.SumSquares(row)))))
		for j := range row {
			row[j] *= inv
		}
	}
	return true
}
