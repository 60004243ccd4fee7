package sparse

import (
	"unsafe"

	"nmu/kernel"
	"nmu/lnmu/internal/group"
)

// tiling is M, by rows if it is tall and by columns if it is wide (which are
// called its rows then), cut into tiles: slabs of rows, which are shared out to
// threads, by blocks of columns, whose vectors of the other factor stay in cache.
// The entries are stored tile by tile, each by rows, so that those of a row are
// met in the order of their columns, tile after tile:
//
//	             block 0   block 1   block 2
//	slab 0      |    1    |    2    |    3    |
//	slab 1      |    4    |    5    |    6    |
type tiling[T kernel.Float] struct {
	wide       bool // M is kept by columns
	byRows     bool // in one block, for factors of rank one
	rows, cols int
	slabs      []int              // slab s has the rows [slabs[s], slabs[s+1])
	tiles      [][]kernel.Pattern // of every slab
	val        []T
	file       *tileFile[T] // what the tiles are in instead, or nil
	blocks     int          // number of blocks of columns
	width      int          // columns of a block
	groups     []int        // group k has the slabs [groups[k], groups[k+1])
	across     []int        // slabs of columns, for the sweeps of the short factor
	longest    int          // number of entries of the longest row of a tile
	tallest    int          // number of rows of the tallest slab

	whole  extentOfM // of all processes
	shared *share    // what this process has of the slabs
}

// extentOfM is the number of rows of the layout and of stored entries.
type extentOfM struct{ rows, entries int }

const (
	slabEntries   = 1 << 13   // least work of a slab
	entriesPerRow = 4         // the work of a row, in entries
	cachedVectors = 256 << 10 // bytes of the short factor that a block of columns touches
	leastPerTile  = 8         // entries of a row of a tile, on average
	leastTiles    = 32        // groups times blocks, if that costs little
	maxGroups     = 8
	groupEntries  = 8  // entries of a group for each sum that it needs
	groupNumbers  = 2  // the same where a sum is one number
	fewAcross     = 64 // up to so many slabs of columns,
	leastAcross   = 64 // one has at least 64, beyond,
	manyAcross    = 512
)

// slabsOf cuts rows into slabs of about the same work. They follow from M alone,
// since the Gram matrices are summed slab by slab. Row i has ptr[i+1] - ptr[i] entries.
func slabsOf(ptr []int) []int {
	rows := len(ptr) - 1
	whole := extentOfM{rows, ptr[rows]}
	return whole.cut(make([]int, 1, whole.slabs()+1), ptr, 0, 0)
}

// slabs is the largest number of slabs.
func (x extentOfM) slabs() int { return max(1, min(work(x.rows, x.entries)/slabEntries, x.rows)) }

// work is that of so many rows with so many entries.
func work(rows, entries int) int { return entries + entriesPerRow*rows }

// cut appends to the bounds of the slabs those within the rows of ptr, which come after
// first rows with before entries.
func (x extentOfM) cut(bounds, ptr []int, first, before int) []int {
	total, count := work(x.rows, x.entries), x.slabs()
	for i := 1; i < len(ptr); i++ {
		if first+i == x.rows || float64(work(first+i, before+ptr[i])) >= float64(total)*float64(len(bounds))/float64(count) {
			bounds = append(bounds, first+i)
		}
	}
	return bounds
}

// newTiledByRows returns a valid matrix by rows, in one block, as renewRankOne needs it.
func newTiledByRows[T kernel.Float](c CSR[T]) *tiling[T] {
	t := &tiling[T]{byRows: true, rows: c.Rows, cols: c.Cols, whole: extentOfM{c.Rows, len(c.Val)}}
	t.cut(c, 1, groupNumbers)
	return t
}

// newTiled returns a valid matrix in tiles, for factors of the given rank.
func newTiled[T kernel.Float](c CSR[T], rank int) *tiling[T] {
	t := &tiling[T]{wide: c.Cols > c.Rows, rows: c.Rows, cols: c.Cols}
	if t.wide {
		t.rows, t.cols = c.Cols, c.Rows
	}
	t.whole = extentOfM{t.rows, len(c.Val)}
	t.cut(c, t.blocksFor(rank), groupEntries)
	return t
}

// blocksFor returns the number of blocks of columns for factors of the given rank.
func (t *tiling[T]) blocksFor(rank int) int {
	var zero T
	bytes := t.cols * rank * int(unsafe.Sizeof(zero))
	return max(1, min(bytes/cachedVectors, t.whole.entries/(leastPerTile*t.whole.rows)))
}

// cut makes the tiles, for about the given number of blocks and for groups of at least
// so many entries for each column.
func (t *tiling[T]) cut(c CSR[T], blocks, each int) {
	t.setBlocks(blocks)
	switch {
	case t.shared != nil:
		t.tileRows(c, t.shared.own())
	case t.wide:
		t.tileCols(c)
	default:
		t.tileRows(c, slabsOf(c.Ptr))
	}
	if t.shared == nil {
		t.shared = newShare(group.Self{}, t.slabs)
	}
	t.setGroups(t.among().Slabs, each)
	t.groups = t.shared.setGroups(t.groups)
}

// setBlocks cuts the columns into about so many blocks, and into slabs.
func (t *tiling[T]) setBlocks(blocks int) {
	t.width = (t.cols + blocks - 1) / blocks
	t.blocks = (t.cols + t.width - 1) / t.width
	parts := max(1, min(fewAcross, t.cols/leastAcross), t.cols/manyAcross)
	for k := range parts + 1 {
		t.across = append(t.across, k*t.cols/parts)
	}
}

// setGroups makes groups of so many slabs, of at least so many entries for each column.
func (t *tiling[T]) setGroups(slabs, each int) {
	groups := max(1, min((leastTiles+t.blocks-1)/t.blocks, maxGroups, t.whole.entries/(each*t.cols), slabs))
	for k := range groups + 1 {
		t.groups = append(t.groups, k*slabs/groups)
	}
}

// tileRows keeps M by rows, in the given slabs. It shares the memory of c if there is one block.
func (t *tiling[T]) tileRows(c CSR[T], slabs []int) {
	t.slabs = slabs
	if t.blocks == 1 {
		t.val = c.Val
		t.patterns(c.Ptr, c.Idx, false)
		return
	}
	t.val = make([]T, 0, len(c.Val))
	idx := make([]int32, 0, len(c.Val))
	ptr := make([]int, 0, t.blocks*(c.Rows+len(t.slabs)-1))
	at := append([]int(nil), c.Ptr[:c.Rows]...) // the next entry of each row
	for s, i0 := range t.slabs[:len(t.slabs)-1] {
		for b := range t.blocks {
			for i := i0; i < t.slabs[s+1]; i++ {
				ptr = append(ptr, len(idx))
				first := at[i]
				for at[i] < c.Ptr[i+1] && int(c.Idx[at[i]]) < (b+1)*t.width {
					at[i]++
				}
				idx = append(idx, c.Idx[first:at[i]]...)
				t.val = append(t.val, c.Val[first:at[i]]...)
			}
			ptr = append(ptr, len(idx))
		}
	}
	t.patterns(ptr, idx, true)
}

// tileCols keeps M by columns: a counting sort by slab, block and column.
func (t *tiling[T]) tileCols(c CSR[T]) {
	count := make([]int, c.Cols+1)
	for _, j := range c.Idx {
		count[j+1]++
	}
	for j := range c.Cols {
		count[j+1] += count[j]
	}
	t.slabs = slabsOf(count)
	// place[j] is where the pointer of column j in block 0 is; those of the next
	// block of its slab come step[j] later.
	place, step := count[:c.Cols], make([]int32, c.Cols)
	for s, j0 := range t.slabs[:len(t.slabs)-1] {
		for j := j0; j < t.slabs[s+1]; j++ {
			step[j] = int32(t.slabs[s+1] - j0 + 1)
			place[j] = t.blocks*(j0+s) + j - j0
		}
	}
	ptr := make([]int, t.blocks*(c.Cols+len(t.slabs)-1))
	each := func(f func(at int, p *int)) {
		for i := range c.Rows {
			b := i / t.width
			for at := c.Ptr[i]; at < c.Ptr[i+1]; at++ {
				j := c.Idx[at]
				f(at, &ptr[place[j]+b*int(step[j])])
			}
		}
	}
	each(func(_ int, p *int) { *p++ })
	before := 0
	for k, n := range ptr { // from counts to starts; the last of a tile counts none
		ptr[k], before = before, before+n
	}
	idx := make([]int32, len(c.Val))
	t.val = make([]T, len(c.Val))
	row := 0
	each(func(at int, p *int) {
		for at >= c.Ptr[row+1] {
			row++
		}
		idx[*p], t.val[*p] = int32(row), c.Val[at]
		*p++
	})
	// Every pointer has moved to the end of its row, the start of the next one.
	copy(ptr[1:], ptr)
	ptr[0] = 0
	t.patterns(ptr, idx, true)
}

// patterns makes the tiles. A tile has one pointer more than rows, unless they
// are shared with the next one.
func (t *tiling[T]) patterns(ptr []int, idx []int32, own bool) {
	for s, i0 := range t.slabs[:len(t.slabs)-1] {
		rows := t.slabs[s+1] - i0
		t.tallest = max(t.tallest, rows)
		line := make([]kernel.Pattern, t.blocks)
		for b := range line {
			p, err := kernel.NewPattern(t.cols, ptr[:rows+1], idx)
			if err != nil {
				panic(err) // not for a valid matrix
			}
			line[b] = p
			for i := range rows {
				t.longest = max(t.longest, ptr[i+1]-ptr[i])
			}
			ptr = ptr[rows:]
			if own {
				ptr = ptr[1:]
			}
		}
		t.tiles = append(t.tiles, line)
	}
}
