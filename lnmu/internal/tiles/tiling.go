package tiles

import (
	"unsafe"

	"nmu/internal/memory"
	"nmu/kernel"
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/group"
)

// Tiling is M in tiles: by rows if M is tall, and by columns, which are then called rows, if it
// is wide. A tile is a slab of rows in a block of columns. Threads share the slabs. The vectors
// of the other factor for a block stay in cache. The entries are stored tile by tile, each by
// rows, so that a pass meets the entries of a row in the order of their columns:
//
//	             block 0   block 1   block 2
//	slab 0      |    1    |    2    |    3    |
//	slab 1      |    4    |    5    |    6    |
//
// With several processes, slabs, groups and rows are those of this process.
type Tiling[T kernel.Float] struct {
	Wide    bool  // M is kept by columns
	ByRows  bool  // in one block, for factors of rank one
	Cols    int   // of all processes
	Slabs   []int // slab s has the rows [Slabs[s], Slabs[s+1])
	Blocks  int   // number of blocks of columns
	Width   int   // columns of a block
	Strip   int   // number of blocks that one task of a pass by blocks takes
	Groups  []int // group k has the slabs [Groups[k], Groups[k+1])
	Across  []int // slabs of columns, for the sweeps of the short factor
	Longest int   // number of entries of the longest row of a tile
	Tallest int   // number of rows of the tallest slab
	Whole   Extent
	Own     group.Span // the rows of this process
	Shared  *Share
	Arena   *arena.Arena // of the arrays; if it is that of an estimate, slabs have no bounds

	patterns [][]kernel.Pattern // of every slab
	val      []T
	file     *tileFile[T] // the tiles in files, or nil
}

// Form says how M and the state of a method are kept.
type Form struct {
	ByRows   bool // by its rows whatever its shape, in one block, for factors of rank one
	Rank     int  // of the factors of a problem
	Residual bool // the residual E takes the place of M
	State    bool // N or G differs from M
}

const (
	blockBytes    = 64 << 10  // bytes of the short factor that a block of columns touches: about L1
	stripBytes    = 256 << 10 // and a strip of blocks: a part of L2
	leastPerTile  = 8         // entries of a row of a tile, on average
	leastRowBytes = 2560      // bytes of the vectors that these touch
	leastTiles    = 32        // groups times strips, if that costs little
	groupEntries  = 8         // entries of a group for each sum that it needs
	groupNumbers  = 2         // the same where a sum is one number
	fewAcross     = 64        // slabs of columns that may be narrow
	leastAcross   = 64        // least width of these
	manyAcross    = 512       // least width if there are more
	sortedCols    = 2048
)

// MostGroups is the largest number of groups of slabs.
const MostGroups = 8

// blocksFor returns the number of blocks of columns for factors of the given rank, and of those of
// a strip.
// The vectors of a block stay in L1 while the entries of a slab are added to them. Those of a strip
// stay in L2. A row of a tile costs some time beyond its entries, so it has not too few.
func (t *Tiling[T]) blocksFor(rank int) (blocks, strip int) {
	size := int(unsafe.Sizeof(T(0)))
	vector := Padded[T](rank) * size
	strips := max(1, min(t.Cols*rank*size/stripBytes, t.Whole.Entries/(leastPerTile*t.Whole.Rows)))
	most := t.Whole.Entries / (max(leastPerTile, leastRowBytes/vector) * t.Whole.Rows)
	strip = max(1, min(t.Cols*vector/blockBytes, most)/strips)
	return strips * strip, strip
}

// Padded returns how many numbers a vector of r numbers takes in memory: whole cache lines, or the
// part of one that no other vector crosses.
func Padded[T kernel.Float](r int) int {
	line := kernel.Alignment / int(unsafe.Sizeof(T(0)))
	if r >= line {
		return (r + line - 1) / line * line
	}
	n := 1
	for n < r {
		n *= 2
	}
	return n
}

// cut makes about the given number of blocks, strips of so many, and groups with at least each
// entries per column.
func (t *Tiling[T]) cut(blocks, strip, each int) {
	if t.setBlocks(blocks); t.Arena.Dry() { // all bounds are possible
		t.Own, t.Tallest, t.Longest = group.Span{To: t.Whole.Rows}, min(MostRows, t.Whole.Rows), t.Cols
	} else {
		t.Own, t.Slabs = t.Shared.rows(t.Among().Rank()), t.Shared.own().bounds
		for s, i0 := range t.Slabs[:t.Count()] {
			t.Tallest = max(t.Tallest, t.Slabs[s+1]-i0)
		}
	}
	t.Strip = strip
	slabs := t.Among().Slabs
	count := max(1, min((leastTiles+t.Strips()-1)/t.Strips(), MostGroups, t.Whole.Entries/(each*t.Cols), slabs))
	groups := make([]int, count+1)
	for k := range groups {
		groups[k] = k * slabs / count
	}
	t.Groups = t.Shared.setGroups(groups)
}

// setBlocks cuts the columns into about the given number of blocks, and into slabs.
func (t *Tiling[T]) setBlocks(blocks int) {
	t.Width = (t.Cols + blocks - 1) / blocks
	t.Blocks = (t.Cols + t.Width - 1) / t.Width
	parts := max(1, min(fewAcross, t.Cols/leastAcross), t.Cols/manyAcross)
	for k := range parts + 1 {
		t.Across = append(t.Across, k*t.Cols/parts)
	}
}

// Strips returns the number of strips of blocks of columns.
func (t *Tiling[T]) Strips() int { return (t.Blocks + t.Strip - 1) / t.Strip }

// Count returns the number of slabs.
func (t *Tiling[T]) Count() int { return t.Among().Last - t.Among().First }

// Among returns the share of the slabs.
func (t *Tiling[T]) Among() *group.Reducer { return t.Shared.Slabs }

// Spans returns the rows of the layout that each process has.
func (t *Tiling[T]) Spans() []group.Span { return t.Shared.all() }

// IsFirst reports whether this process has the first slab.
func (t *Tiling[T]) IsFirst() bool { return t.Shared.Slabs.First == 0 }

// GoesOn reports whether the sums of a group begin with those of an earlier process.
func (t *Tiling[T]) GoesOn(group int) bool { return t.Shared.Begun && group == 0 }

// RowsOf returns x, whose rows are those of the layout, as a field of a state.
func (t *Tiling[T]) RowsOf(x kernel.Matrix[T]) group.Distributed[T] {
	return group.Distributed[T]{X: x, First: t.Shared.bounds[t.Shared.Slabs.First], Whole: t.Whole.Rows}
}

// arrays takes the memory of the tiles of a matrix of so many rows and entries. It sets that of the values, and returns that of the
// pointers and of the columns.
func (t *Tiling[T]) arrays(rows, entries int) (ptr []int, idx []int32) {
	t.val = memory.HugePages(arena.Slice[T](t.Arena, entries))
	return arena.Slice[int](t.Arena, t.Blocks*(rows+t.Count())), memory.HugePages(arena.Slice[int32](t.Arena, entries))
}

// reserve takes what tileRows or tileCols takes, and the slabs with their counts.
func (t *Tiling[T]) reserve(entries int) {
	rows := t.Whole.Rows
	arena.Slice[kernel.Pattern](t.Arena, t.Count()*t.Blocks)
	arena.Slice[int](t.Arena, 8*t.Count())
	arena.Slice[int32](t.Arena, rows+t.Cols)
	if t.Wide || t.Blocks > 1 {
		t.arrays(rows, entries)
		arena.Slice[int](t.Arena, rows)
	}
	if t.Wide {
		arena.Slice[int32](t.Arena, rows)
		arena.Slice[int](t.Arena, t.Cols)
	}
}

// tileRows fills the tiles with a matrix by its rows. It shares the memory of c if there is
// one block.
func (t *Tiling[T]) tileRows(c CSR[T]) {
	if t.Blocks == 1 {
		t.val = c.Val
		t.setPatterns(c.Ptr, c.Idx, false)
		return
	}
	ptr, idx := t.arrays(c.Rows, len(c.Val))
	ptr, idx, t.val = ptr[:0], idx[:0], t.val[:0]
	at := append([]int(nil), c.Ptr[:c.Rows]...) // the next entry of each row
	for s, i0 := range t.Slabs[:t.Count()] {
		for b := range t.Blocks {
			for i := i0; i < t.Slabs[s+1]; i++ {
				ptr = append(ptr, len(idx))
				first := at[i]
				for at[i] < c.Ptr[i+1] && int(c.Idx[at[i]]) < (b+1)*t.Width {
					at[i]++
				}
				idx = append(idx, c.Idx[first:at[i]]...)
				t.val = append(t.val, c.Val[first:at[i]]...)
			}
			ptr = append(ptr, len(idx))
		}
	}
	t.setPatterns(ptr, idx, true)
}

// tileCols fills the tiles with a matrix by its columns: a counting sort by slab, block and
// column. It takes some columns of all rows at a time, whose next entries stay in cache.
func (t *Tiling[T]) tileCols(c CSR[T]) {
	// place[j] is the index of the pointer of column j in block 0. Its pointer in the next
	// block comes step[j] later.
	place, step := make([]int, c.Cols), make([]int32, c.Cols)
	for s, j0 := range t.Slabs[:t.Count()] {
		for j := j0; j < t.Slabs[s+1]; j++ {
			step[j] = int32(t.Slabs[s+1] - j0 + 1)
			place[j] = t.Blocks*(j0+s) + j - j0
		}
	}
	ptr, idx := t.arrays(c.Cols, len(c.Val))
	for i := range c.Rows {
		b := i / t.Width
		for _, j := range c.Idx[c.Ptr[i]:c.Ptr[i+1]] {
			ptr[place[j]+b*int(step[j])]++
		}
	}
	before := 0
	for k, n := range ptr { // from counts to starts; the last of a tile counts none
		ptr[k], before = before, before+n
	}
	next := append([]int(nil), c.Ptr[:c.Rows]...) // entry of each row
	for j := 0; j < c.Cols; j += sortedCols {
		for i := range c.Rows {
			b, at, end := i/t.Width, next[i], c.Ptr[i+1]
			for ; at < end && int(c.Idx[at]) < j+sortedCols; at++ {
				j := c.Idx[at]
				p := &ptr[place[j]+b*int(step[j])]
				idx[*p], t.val[*p] = int32(i), c.Val[at]
				*p++
			}
			next[i] = at
		}
	}
	// Every pointer has moved to the end of its row, the beginning of the next one.
	copy(ptr[1:], ptr)
	ptr[0] = 0
	t.setPatterns(ptr, idx, true)
}

// setPatterns makes the tiles. If own is true, each tile has one pointer more than rows.
// Otherwise its last pointer is the first one of the next tile.
func (t *Tiling[T]) setPatterns(ptr []int, idx []int32, own bool) {
	for s, i0 := range t.Slabs[:t.Count()] {
		rows := t.Slabs[s+1] - i0
		line := make([]kernel.Pattern, t.Blocks)
		for b := range line {
			p, err := kernel.NewPattern(t.Cols, ptr[:rows+1], idx)
			if err != nil {
				panic(err) // impossible for a valid matrix
			}
			line[b] = p
			for i := range rows {
				t.Longest = max(t.Longest, ptr[i+1]-ptr[i])
			}
			ptr = ptr[rows:]
			if own {
				ptr = ptr[1:]
			}
		}
		t.patterns = append(t.patterns, line)
	}
}
