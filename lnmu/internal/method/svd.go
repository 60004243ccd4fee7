package method

import (
	"math"
	"math/rand/v2"

	"nmu/kernel"
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/spectral"
)

// StartSVD replaces the factors of p by the nonnegative double SVD of N (C. Boutsidis and E.
// Gallopoulos, SVD based initialization: a head start for nonnegative matrix factorization,
// 2008). Each singular triplet σ u v gives the larger of the nonnegative rank-one matrices σ u⁺
// v⁺ and σ u⁻ v⁻. If the rank of N is too small for a factor, the factor keeps its direction but
// becomes small.
//
// The iteration for the vectors ends once no singular value changes by more than 1e-6 of
// the first one. This error of a value means an error of some 1e-3 in its vectors.
//
// HALS can leave the zeros of this start, Hoyer's multiplicative rule cannot. If the run is
// cancelled before the end, StartSVD returns false and the factors do not change.
func StartSVD(p core.Problem, over func() bool) (ok bool) {
	if x, ok := p.(core.Startable[float32]); ok {
		return startSVD(x, p.Rank(), over)
	}
	return startSVD(p.(core.Startable[float64]), p.Rank(), over)
}

func startSVD[T kernel.Float](p core.Startable[T], rank int, over func() bool) (ok bool) {
	p.Impute()
	defer p.Forget()
	h, g, s := p.Load(true), p.Load(false), singularFor(p, rank, over)
	if !s.iterate(powerSteps, powerAccuracy) {
		return false
	}
	const small = 0.1 // of the norm of the first factor
	for k := range rank {
		h, g := h.Row(k), g.Row(k)
		u, v := s.row(s.long, k), s.row(s.short, k)
		positive := halves(u, 1) * halves(v, 1)
		negative := halves(u, -1) * halves(v, -1)
		sign := T(1)
		if negative > positive {
			sign = -1
		}
		size := 0.0
		if k < len(s.sigma) {
			size = math.Sqrt(s.sigma[k] * max(positive, negative))
		}
		if size == 0 {
			size = math.Sqrt(s.sigma[0]) * small
		} else {
			for i, u := range u {
				h[i] = max(0, sign*u)
			}
			for j, v := range v {
				g[j] = max(0, sign*v)
			}
		}
		for _, x := range [2][]T{h, g} {
			kernel.Scale(x, T(size*float64(kernel.Reciprocal(T(math.Sqrt(float64(kernel.SumSquares(x))))))))
		}
	}
	p.Store(true, h)
	p.Store(false, g)
	return true
}

// halves returns the norm of the entries of x that have the given sign.
func halves[T kernel.Float](x []T, sign T) float64 {
	var squares float64
	for _, a := range x {
		if a := float64(sign * a); a > 0 {
			squares += float64(a * a)
		}
	}
	return math.Sqrt(squares)
}

// singular finds the leading singular triplets of N by
// block power iteration: it multiplies by N and by Nᵀ, a pass each, and
// makes the vectors orthonormal in between. Its arithmetic is that of the kernels, or float64
// without fused multiply-adds. So the vectors have the same bits on every machine.
//
// Vectors beyond the rank of N are zero.
type singular[T kernel.Float] struct {
	core.Multiplier[T]
	rank        int              // number of vectors
	wanted      int              // number of vectors that must converge
	long, short kernel.Matrix[T] // the vectors of the two sides, one per row
	sigma       []float64        // singular values, descending
	over        func() bool

	eigen                 *spectral.Eigen
	small                 kernel.Matrix[T] // a Gram matrix
	rotation              kernel.Matrix[T] // the matrix of rotate
	spareLong, spareShort kernel.Matrix[T]
}

const (
	extraVectors  = 4    // beyond those asked for: they speed up the convergence of the last ones
	powerSteps    = 100  // at most; a start need not be exact
	powerAccuracy = 1e-6 // change of the singular values, relative to the first, that ends the iteration
	turnPanel     = 512
)

// singularFor returns the iteration for the start of factors.
func singularFor[T kernel.Float](p core.Startable[T], rank int, over func() bool) *singular[T] {
	long, short := p.Dims()
	q := min(rank+extraVectors, long, short)
	return newSingular(p.Multiplier(q), rank, q, over)
}

// newSingular returns the iteration for q vectors. The first wanted of them must converge.
func newSingular[T kernel.Float](m core.Multiplier[T], wanted, q int, over func() bool) *singular[T] {
	a := m.Memory()
	s := &singular[T]{Multiplier: m, rank: q, wanted: min(wanted, q), sigma: make([]float64, q), eigen: spectral.New(a, q), over: over}
	long, short := s.Dims()
	s.long, s.spareLong = arena.Matrix[T](a, q, long), arena.Matrix[T](a, q, long)
	s.short, s.spareShort = arena.Matrix[T](a, q, short), arena.Matrix[T](a, q, short)
	s.small, s.rotation = arena.Matrix[T](a, q, q), arena.Matrix[T](a, q, q)
	return s
}

// row returns vector k of x, or zeros if x has fewer vectors.
func (s *singular[T]) row(x kernel.Matrix[T], k int) []T {
	if k < x.Rows {
		return x.Row(k)
	}
	return make([]T, x.Cols)
}

// iterate makes at most the given number of steps of 4mn(r+4) operations; it
// ends earlier when the wanted singular values settle. If the run is cancelled, every task
// returns at once, and iterate returns false, without vectors.
func (s *singular[T]) iterate(steps int, accuracy float64) bool {
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
		s.Multiply(false, s.long, s.short)
		if !s.orthonormalise(&s.long, &s.spareLong) {
			return false
		}
		s.Multiply(true, s.spareShort, s.long)
		if s.over() {
			return false
		}
		s.short, s.spareShort = s.spareShort, s.short // G = Qᵀ N, and N is nearly Q G
		before := append([]float64(nil), s.sigma...)
		if !s.ritz() {
			return false
		}
		var change float64
		for k := range s.wanted {
			change = max(change, math.Abs(s.sigma[k]-before[k]))
		}
		if s.over() {
			return false // the last rotation may be incomplete
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

// ritz turns the vectors H = long and G = short, where G = H N, into singular vectors. With G Gᵀ
// = Z Θ Zᵀ these are Zᵀ H and Θ^(-1/2) Zᵀ G.
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

// decompose decomposes the Gram matrix of the rows of x. It returns false if the run is
// cancelled.
func (s *singular[T]) decompose(x kernel.Matrix[T]) bool {
	s.Run(hals.GramTasks(s.rank), func(_, task int) {
		if !s.over() {
			hals.Gram(s.small, x, task)
		}
	})
	return !s.over() && spectral.Decompose(s.eigen, s.small, s.over)
}

// negligible is the relative size below which a singular value that comes from a
// Gram matrix is rounding.
func (s *singular[T]) negligible() float64 {
	return math.Sqrt(matrix.Epsilon[T]() * float64(4*s.rank))
}

// orthonormalise makes the rows of x orthonormal, keeping their span; rows that
// depend on the others become zero. The rows are brought to norm 1 first; with X Xᵀ = Z Θ Zᵀ they
// become Θ^(-1/2) Zᵀ X. This is done twice, since the first time is inaccurate if the rows are
// nearly dependent.
func (s *singular[T]) orthonormalise(x, spare *kernel.Matrix[T]) bool {
	for range 2 {
		for k := range x.Rows {
			if s.over() {
				return false
			}
			normalise(x.Row(k))
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
			s.rotation.Data[i*s.rotation.Stride+k] = T(by * s.eigen.Vectors[i*s.rank+k])
		}
	}
	s.Run((x.Cols+turnPanel-1)/turnPanel, func(_, task int) {
		if s.over() {
			return // the caller checks again
		}
		j0, j1 := task*turnPanel, min((task+1)*turnPanel, x.Cols)
		kernel.Product(matrix.View(*spare, j0, j1), s.rotation, matrix.View(*x, j0, j1))
	})
	*x, *spare = *spare, *x
}

// refill replaces the zero rows of short by random ones that are orthogonal to the others. A step
// loses small singular values in the rounding errors of large ones. The next step can find them
// in the new rows.
func (s *singular[T]) refill(rng *rand.Rand) bool {
	for k := range s.rank {
		if s.over() {
			return false
		}
		row := s.short.Row(k)
		if kernel.SumSquares(row) > 0 {
			continue
		}
		for j := range row {
			row[j] = T(rng.Float64() - 0.5)
		}
		separate(row, s.short, k)
		normalise(row)
	}
	return true
}
