package sparse

import (
	"nmu/kernel"
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/matrix"
)

// productNorm holds all factors so far, and the Gram matrices for the norm of their product.
type productNorm[T kernel.Float] struct {
	rank  int
	v, wt kernel.Matrix[T] // V and Wᵀ
	grams [2][]float64     // VᵀV and W Wᵀ, lower halves
}

func newProductNorm[T kernel.Float](a *arena.Arena, m, n, rank int) *productNorm[T] {
	return &productNorm[T]{
		rank: rank,
		v:    vectors[T](a, m, rank), wt: vectors[T](a, n, rank),
		grams: [2][]float64{arena.Slice[float64](a, rank*rank), arena.Slice[float64](a, rank*rank)},
	}
}

// clear makes all factors zero.
func (t *productNorm[T]) clear() {
	clear(t.v.Data)
	clear(t.wt.Data)
}

// set stores the factors of s as columns [k0, k0+s.rank) of V and rows of W.
func (t *productNorm[T]) set(s *solver[T], k0 int) {
	for i, f := range []struct {
		all kernel.Matrix[T]
		of  *hals.Side[T]
	}{{t.v, s.V}, {t.wt, s.W}} {
		gram := t.grams[i][k0*t.rank : (k0+s.rank)*t.rank]
		clear(gram)
		group.Ring(f.of.Among, group.Memory(gram), func() {
			for r := range f.all.Rows {
				row := f.all.Row(r)[:k0+s.rank]
				copy(row[k0:], f.of.X.Row(r))
				for k := k0; k < len(row); k++ {
					if x := float64(row[k]); x != 0 {
						g := gram[(k-k0)*t.rank:]
						for l, y := range row[:k+1] {
							g[l] += float64(x * float64(y))
						}
					}
				}
			}
		})
	}
}

// squares returns ||V W||² of the first rank factors.
func (t *productNorm[T]) squares(rank int) float64 {
	var sum float64
	for k := range rank {
		v, w := t.grams[0][k*t.rank:], t.grams[1][k*t.rank:]
		for l := range k {
			sum += float64(2 * float64(v[l]*w[l]))
		}
		sum += float64(v[k] * w[k])
	}
	return sum
}

// dense returns the first rank factors as V and W.
func (t *productNorm[T]) dense(rank int) (v, w kernel.Matrix[T]) {
	v, w = matrix.New[T](t.v.Rows, rank, nil), matrix.New[T](rank, t.wt.Rows, nil)
	matrix.CopyRows(v, t.v)
	wt := t.wt
	wt.Cols = rank
	w.SetTransposed(wt)
	return v, w
}
