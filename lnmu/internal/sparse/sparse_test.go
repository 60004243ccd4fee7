package sparse

import (
	"math"
	"math/rand/v2"
	"testing"

	"nmu/internal/dataset"
	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/start"
)

// random returns an m x n matrix of which a fifth is stored.
func random[T kernel.Float](m, n int, seed uint64) CSR[T] {
	rng := rand.New(rand.NewPCG(seed, 9))
	c := CSR[T]{Rows: m, Cols: n, Ptr: make([]int, m+1)}
	for i := range m {
		for j := range n {
			if rng.IntN(5) == 0 {
				c.Idx, c.Val = append(c.Idx, int32(j)), append(c.Val, T(rng.Float64()))
			}
		}
		c.Ptr[i+1] = len(c.Val)
	}
	return c
}

// generated returns a matrix of data sets.
func generated[T kernel.Float](t *testing.T, m, n, entries int, seed uint64) CSR[T] {
	ptr, idx, val, err := dataset.Sparse[T](m, n, entries, seed)
	if err != nil {
		t.Fatal(err)
	}
	return CSR[T]{Rows: m, Cols: n, Ptr: ptr, Idx: idx, Val: val}
}

// drawn returns the start of a seed.
func drawn[T kernel.Float](m, n, r int, seed uint64) (v, w kernel.Matrix[T]) {
	return start.Draw[T](m, n, r, seed, false, core.Part{Whole: m}.Window(m, n))
}

// TestManyTiles: the matrices that the tests of package lnmu take for large have several
// slabs, groups and blocks.
func TestManyTiles(t *testing.T) {
	for _, c := range []struct{ rows, cols, entries, rank, slabs int }{{6000, 4000, 150000, 40, 6}, {3000, 1500, 90000, 50, 1}} {
		tall := generated[float64](t, c.rows, c.cols, c.entries, 1)
		for _, m := range []CSR[float64]{tall, tall.Transposed()} {
			if x := newTiled(m, c.rank); len(x.tiles) < c.slabs || len(x.groups) < 4 || x.blocks < 2 || x.wide != (m.Cols > m.Rows) {
				t.Errorf("%d slabs, %d groups, %d blocks are too few", len(x.tiles), len(x.groups)-1, x.blocks)
			}
		}
	}
}

// TestMeasure compares the two ways to measure a result, and the first one with an end.
func TestMeasure(t *testing.T) {
	m := random[float64](90, 70, 3)
	tm := team.New(1)
	defer tm.Close()
	v, w := drawn[float64](90, 70, 4, 2)
	for i := range v.Data {
		v.Data[i] *= 0.1
	}
	e := measurement[float64]{Team: tm, m: m, of: InMemory(m), tiles: newTiled(m, 4), v: v, w: w}
	want, done := e.everywhere(func() bool { return false })
	if got := e.bounded(); !done || math.Abs(got.Squares-want.Squares) > 1e-12*want.Squares || math.Abs(got.Excess-want.Excess) > 1e-7*want.Excess || got.Least > want.Least || got.Least < -10 {
		t.Errorf("by the norms %+v, by the entries %+v, %v", got, want, done)
	}
	asked := 0
	if _, done := e.everywhere(func() bool { asked++; return true }); done || asked == 0 {
		t.Errorf("asked %d times; done: %v", asked, done)
	}
}

// TestTiles checks that the tiles hold the matrix, each entry in its place.
func TestTiles(t *testing.T) {
	tall := generated[float64](t, 3000, 1100, 60000, 1)
	for _, m := range []CSR[float64]{tall, tall.Transposed(), random[float64](40, 9, 1), random[float64](9, 40, 1)} {
		byRow := m
		if m.Cols > m.Rows {
			byRow = m.Transposed()
		}
		for _, blocks := range []int{1, 2, 3, 7} {
			x := &tiling[float64]{wide: m.Cols > m.Rows, rows: byRow.Rows, cols: byRow.Cols}
			x.cut(m, blocks, groupEntries)
			next, longest := 0, 0
			at := append([]int(nil), byRow.Ptr...) // the next entry of each row
			for s, line := range x.tiles {
				if len(line) != x.blocks || x.blocks > blocks || x.slabs[s+1]-x.slabs[s] > x.tallest {
					t.Fatalf("slab %d has %d blocks of %d, %d asked for", s, len(line), x.blocks, blocks)
				}
				for b, tile := range line {
					for r := range tile.Rows() {
						i := x.slabs[s] + r
						for _, j := range tile.Row(r) {
							if j != byRow.Idx[at[i]] || x.val[next] != byRow.Val[at[i]] || int(j)/x.width != b {
								t.Fatalf("slab %d, block %d, row %d: column %d, want %d", s, b, i, j, byRow.Idx[at[i]])
							}
							at[i]++
							next++
						}
						longest = max(longest, len(tile.Row(r)))
					}
				}
			}
			if next != len(m.Val) || x.longest != longest {
				t.Errorf("%d of %d entries in the tiles, longest row %d, want %d", next, len(m.Val), x.longest, longest)
			}
			for name, bounds := range map[string][2]int{
				"slabs":  {x.slabs[len(x.slabs)-1], x.rows},
				"across": {x.across[len(x.across)-1], x.cols},
				"groups": {x.groups[len(x.groups)-1], len(x.tiles)},
			} {
				if bounds[0] != bounds[1] {
					t.Errorf("%s end at %d, want %d", name, bounds[0], bounds[1])
				}
			}
		}
	}
}

// TestRankOne compares the one walk with the two halves of a step by the
// kernels for any rank, on the way of an iteration, with and without an update of
// the multipliers, for matrices of one group and of several.
func TestRankOne(t *testing.T) {
	t.Run("float64", func(t *testing.T) { testRankOne[float64](t, 1e-13) })
	t.Run("float32", func(t *testing.T) { testRankOne[float32](t, 1e-5) })
}

func testRankOne[T kernel.Float](t *testing.T, tolerance float64) {
	large := generated[T](t, 3000, 2000, 60000, 3)
	for _, m := range []CSR[T]{random[T](9, 40, 1), random[T](40, 9, 1), large, large.Transposed()} {
		v, w := drawn[T](m.Rows, m.Cols, 1, 1)
		tm := team.New(2)
		defer tm.Close()
		var solvers [2]*solver[T]
		for i := range solvers {
			solvers[i] = newSolver(newLayout(newTiledByRows(m), core.Plan{Underapproximates: true, Recursive: true}, tm), 1)
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
					if y := pair[1][i]; !(math.Abs(float64(x)-float64(y)) <= tolerance*(1+math.Abs(float64(y)))) {
						t.Fatalf("%d x %d, step %d: %s[%d] = %v in one walk, %v in two", m.Rows, m.Cols, k, name, i, x, y)
					}
				}
			}
		}
	}
}
