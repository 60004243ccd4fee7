package tiles

import (
	"math/rand/v2"
	"testing"

	"nmu/internal/dataset"
	"nmu/internal/must"
	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
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
	ptr, idx, val := dataset.Sparse[T](m, n, entries, seed)
	return CSR[T]{Rows: m, Cols: n, Ptr: ptr, Idx: idx, Val: val}
}

// inMemory returns a matrix as one process has it.
func inMemory[T kernel.Float](m CSR[T], byRows bool) Input[T] {
	return Redistribute(group.Self{}, m.Rows, m.Cols, core.Part{Whole: max(m.Rows, m.Cols), Columns: m.Cols > m.Rows}, m, byRows)
}

// TestManyTiles: the matrices that the tests of package lnmu take for large have several
// slabs, groups and blocks.
func TestManyTiles(t *testing.T) {
	for _, c := range []struct{ rows, cols, entries, rank, slabs, groups int }{{6000, 4000, 150000, 40, 6, 4}, {3000, 1500, 90000, 50, 1, 7}} {
		tall := generated[float64](t, c.rows, c.cols, c.entries, 1)
		for _, m := range []CSR[float64]{tall, tall.Transposed()} {
			in := inMemory(m, false)
			in.Tile(Form{Rank: c.rank})
			if x := in.Tiles; x.Count() < c.slabs || len(x.Groups) != c.groups+1 || x.Blocks < 2 || x.Wide != (m.Cols > m.Rows) {
				t.Errorf("%d slabs, %d groups, %d blocks are other ones", x.Count(), len(x.Groups)-1, x.Blocks)
			}
		}
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
			in := inMemory(m, false)
			share, whole := in.layout()
			x := &Tiling[float64]{Cols: byRow.Cols, Whole: whole, Shared: share}
			x.cut(blocks, 1, groupEntries)
			if m.Cols > m.Rows {
				x.tileCols(m)
			} else {
				x.tileRows(m)
			}
			next, longest := 0, 0
			at := append([]int(nil), byRow.Ptr...) // the next entry of each row
			for s, line := range x.patterns {
				if len(line) != x.Blocks || x.Blocks > blocks || x.Slabs[s+1]-x.Slabs[s] > x.Tallest {
					t.Fatalf("slab %d has %d blocks of %d, %d asked for", s, len(line), x.Blocks, blocks)
				}
				for b, tile := range line {
					for r := range tile.Rows() {
						i := x.Slabs[s] + r
						for _, j := range tile.Row(r) {
							if j != byRow.Idx[at[i]] || x.val[next] != byRow.Val[at[i]] || int(j)/x.Width != b {
								t.Fatalf("slab %d, block %d, row %d: column %d, want %d", s, b, i, j, byRow.Idx[at[i]])
							}
							at[i]++
							next++
						}
						longest = max(longest, len(tile.Row(r)))
					}
				}
			}
			if next != len(m.Val) || x.Longest != longest {
				t.Errorf("%d of %d entries in the tiles, longest row %d, want %d", next, len(m.Val), x.Longest, longest)
			}
			for name, bounds := range map[string][2]int{
				"slabs":  {x.Slabs[len(x.Slabs)-1], byRow.Rows},
				"across": {x.Across[len(x.Across)-1], x.Cols},
				"groups": {x.Groups[len(x.Groups)-1], len(x.patterns)},
			} {
				must.Equal(t, bounds[0], bounds[1], name, "end at")
			}
		}
	}
}
