package tiles

import "testing"

// TestStrips checks the numbers of blocks and of those of a strip: a block has about 64 KiB of
// vectors of whole cache lines, unless a row of a tile would have too few entries, and a strip 256
// KiB.
func TestStrips(t *testing.T) {
	for _, c := range []struct {
		whole                      Extent
		cols, rank, blocks, strips int
	}{
		{Extent{20000, 5_170_000}, 3000, 25, 10, 2}, // 3000 vectors of 256 bytes
		{Extent{20000, 5_170_000}, 3000, 32, 10, 2}, // the same
		{Extent{20000, 5_170_000}, 3000, 4, 1, 1},   // of 32 bytes
		{Extent{3000, 90_000}, 1500, 50, 2, 2},      // 30 entries of a row
		{Extent{1600, 160_000}, 1500, 50, 10, 2},    // 100
		{Extent{20000, 200_000}, 10000, 50, 1, 1},   // 10
		{Extent{20000, 5_170_000}, 3000, 200, 18, 18},
		{Extent{20000, 1_000_000}, 3000, 200, 6, 6}, // 8 entries in a row of a tile
	} {
		x := &Tiling[float64]{Cols: c.cols, Whole: c.whole}
		blocks, strip := x.blocksFor(c.rank)
		if blocks != c.blocks || strip*c.strips != c.blocks {
			t.Errorf("%d entries, %d columns, rank %d: %d blocks, %d to a strip, want %d in %d strips", c.whole.Entries, c.cols, c.rank, blocks, strip, c.blocks, c.strips)
		}
	}
}

// TestPadded checks that no vector crosses the end of a cache line that it need not.
func TestPadded(t *testing.T) {
	want := map[int][2]int{1: {1, 1}, 2: {2, 2}, 3: {4, 4}, 5: {8, 8}, 8: {8, 8}, 9: {16, 16}, 16: {16, 16}, 17: {24, 32}, 25: {32, 32}}
	for r, n := range want {
		if a, b := Padded[float64](r), Padded[float32](r); a != n[0] || b != n[1] {
			t.Errorf("a vector of %d numbers takes %d of float64 and %d of float32, want %d and %d", r, a, b, n[0], n[1])
		}
	}
}
