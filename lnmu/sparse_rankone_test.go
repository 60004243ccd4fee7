package lnmu

import (
	"testing"

	"nmu/internal/dataset"
	"nmu/internal/team"
	"nmu/lnmu/internal/core"
)

// TestSparseRankOne compares the one walk with the two halves of a step by the
// kernels for any rank, on the way of an iteration, with and without an update of
// the multipliers, for matrices of one group and of several.
func TestSparseRankOne(t *testing.T) {
	t.Run("float64", func(t *testing.T) { testSparseRankOne[float64](t, 1e-13) })
	t.Run("float32", func(t *testing.T) { testSparseRankOne[float32](t, 1e-5) })
}

func testSparseRankOne[T Float](t *testing.T, tolerance float64) {
	ptr, idx, val, err := dataset.Sparse[T](3000, 2000, 60000, 3)
	if err != nil {
		t.Fatal(err)
	}
	large := CSR[T]{Rows: 3000, Cols: 2000, Ptr: ptr, Idx: idx, Val: val}
	for _, m := range []CSR[T]{sparseData[T](9, 40, 1), sparseData[T](40, 9, 1), large, large.Transposed()} {
		v, w := randomStart[T](m.Rows, m.Cols, 1, 1)
		tm := team.New(2)
		defer tm.Close()
		var solvers [2]*sparseSolver[T]
		for i := range solvers {
			solvers[i] = newSparseSolver(newSparseLayout(newTiledByRows(csr[T](m)), core.Plan{Underapproximates: true, Recursive: true}, tm), 1)
			s := solvers[i]
			s.Reset()
			s.start(v, w, 0)
			s.Scale()
			if !s.fusedRankOne() {
				t.Fatalf("%d x %d: not in one walk", m.Rows, m.Cols)
			}
		}
		one, two := solvers[0], solvers[1]
		for k, mu := range []float64{0, 0.5, 0, 0.3, 0} {
			one.g, two.g = T(0.1*float64(k)), T(0.1*float64(k))
			one.renewRankOne(mu)
			two.renewLong(mu)
			two.renewShort(0)
			for name, pair := range map[string][2][]T{
				"V": {one.long.h.Data, two.long.h.Data}, "W": {one.short.h.Data, two.short.h.Data}, "N": {one.n, two.n},
				"VᵀV": {one.long.gram.Data[:1], two.long.gram.Data[:1]}, "sum of V": {one.long.sum, two.long.sum},
				"W Wᵀ": {one.short.gram.Data[:1], two.short.gram.Data[:1]}, "sum of W": {one.short.sum, two.short.sum},
			} {
				for i, x := range pair[0] {
					if y := pair[1][i]; !(abs(float64(x)-float64(y)) <= tolerance*(1+abs(float64(y)))) {
						t.Fatalf("%d x %d, step %d: %s[%d] = %v in one walk, %v in two", m.Rows, m.Cols, k, name, i, x, y)
					}
				}
			}
		}
	}
}
