package tiles

import (
	"nmu/kernel"
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
)

// Input is the part of a sparse M that this process has after redistribution: rows, for sums in
// the same order as in one process, and columns to work on, if M is kept by columns.
type Input[T kernel.Float] struct {
	rows, cols int // of M
	Entries    int // that are stored, in all processes
	comm       group.Comm
	arena      *arena.Arena // of the tiles
	ofRows     *Share
	ofCols     *Share // nil unless M is kept by columns
	m          CSR[T] // the rows of this process, if they are in memory
	columns    CSR[T] // as rows, if several processes keep M by them
	Tiles      *Tiling[T]

	// for M in files
	stored      rowsOfM[T] // M, if it is not in memory
	sorted      *sorter[T] // the rows of this process, if there are several
	magnitude   *magnitude[T]
	interrupted func() bool // reports to all processes whether the work is over
}

// Redistribute distributes the rows x cols matrix M, of which each process has the part c. A
// wide M is kept by columns, unless byRows is true.
func Redistribute[T kernel.Float](p group.Comm, rows, cols int, part core.Part, c CSR[T], byRows bool) Input[T] {
	x := Input[T]{comm: p, rows: rows, cols: cols, m: c}
	entries := 0
	group.Ring(p, group.Bytes(&entries), func() { entries += len(c.Val) })
	x.Entries = entries
	var columns counts
	if part.Columns && !byRows {
		columns = c.columnCounts()
	}
	x.setShares(part.Columns, c.rowCounts(), columns)
	if p.Size() == 1 {
		return x
	}
	parts, first := x.shares(), make([]int, p.Size())
	if !part.Columns {
		x.m = moveEntries(p, c, parts, x.ofRows.all(), first, x.cols)
		return x
	}
	if x.ofCols != nil {
		x.columns = moveEntries(p, c.Transposed(), parts, x.ofCols.all(), first, x.rows)
	}
	for rank, s := range parts {
		first[rank] = s.From
	}
	x.m = moveEntries(p, c, x.everyone(x.rows), x.ofRows.all(), first, x.cols)
	return x
}

// Outline returns the input for an estimate: a process has a rows x cols part of M with so many entries.
func Outline[T kernel.Float](a *arena.Arena, rows, cols, entries int, byColumns bool) *Input[T] {
	x := &Input[T]{arena: a, comm: group.Self{}, rows: max(1, rows), cols: max(1, cols), Entries: entries}
	share := func(rows int) *Share { return &Share{Slabs: group.ForSlabs(x.comm, Extent{rows, entries}.Slabs())} }
	if x.ofRows = share(x.rows); byColumns {
		x.ofCols = share(x.cols)
	}
	return x
}

// setShares cuts the rows into slabs, and the columns, if they are counted. The counts are
// those of the part that this process was given: some columns of M, or some rows.
func (x *Input[T]) setShares(someColumns bool, rows, columns counts) {
	share := func(whole Extent, n counts, some bool) *Share {
		if some {
			return newShare(x.comm, whole.cut(x.comm, n))
		}
		return newShare(x.comm, whole.cut(group.Self{}, n.sum(x.comm)))
	}
	x.ofRows = share(Extent{x.rows, x.Entries}, rows, !someColumns)
	if columns != nil {
		x.ofCols = share(Extent{x.cols, x.Entries}, columns, someColumns)
	}
}

// layout returns the share of what the layout calls rows, and their extent.
func (x Input[T]) layout() (*Share, Extent) {
	if x.ofCols != nil {
		return x.ofCols, Extent{x.cols, x.Entries}
	}
	return x.ofRows, Extent{x.rows, x.Entries}
}

// newTiling returns the tiles without their entries.
func (x Input[T]) newTiling(f Form) *Tiling[T] {
	t := &Tiling[T]{Arena: x.arena, Wide: x.ofCols != nil, ByRows: f.ByRows, Cols: x.cols}
	if t.Shared, t.Whole = x.layout(); t.Wide {
		t.Cols = x.rows
	}
	blocks, strip, each := 1, 1, groupNumbers
	if !f.ByRows {
		blocks, strip = t.blocksFor(f.Rank)
		each = groupEntries
	}
	t.cut(blocks, strip, each)
	return t
}

// Tile makes the tiles of M in memory.
func (x *Input[T]) Tile(f Form) {
	x.Tiles = x.newTiling(f)
	switch {
	case x.arena.Dry():
		x.Tiles.reserve(x.Entries)
	case x.ofCols == nil:
		x.Tiles.tileRows(x.m)
	case x.comm.Size() == 1:
		x.Tiles.tileCols(x.m)
	default:
		x.Tiles.tileRows(x.columns)
	}
}

// Dims returns the rows and columns of M.
func (x Input[T]) Dims() (rows, cols int) { return x.rows, x.cols }

// Among returns the share of the slabs of rows of M.
func (x Input[T]) Among() *group.Reducer { return x.ofRows.Slabs }

// Slabs returns the bounds of the slabs of rows of M in this process, from 0 on.
func (x Input[T]) Slabs() []int { return x.ofRows.own().bounds }

// Bands returns the slabs of rows of M in this process at which bands begin, and their number at the
// end. A band has at least so many rows, or as many as are read at once if M is in files.
func (x Input[T]) Bands(rows int) []int {
	own, inFiles := x.ofRows.own(), x.sorted != nil || x.stored.Reader != nil
	slabs, bands := len(own.bounds)-1, []int{0}
	for s := range slabs {
		first := bands[len(bands)-1]
		if s == slabs-1 || own.bounds[s+1]-own.bounds[first] >= rows || inFiles && own.before[s+2]-own.before[first] > together[T]() {
			bands = append(bands, s+1)
		}
	}
	return bands
}

// together returns the number of entries that are read at once.
func together[T kernel.Float]() int { return block.ChunkBytes / int(bytesOfEntries[T](1)) }

// Rows returns a matrix m with rows first to last-1 of M in this process. Row 0 of m is row top
// of this process.
func (x Input[T]) Rows(first, last int) (m CSR[T], top int, err error) {
	switch {
	case x.sorted != nil:
		m, err = x.sorted.read(first, last)
	case x.stored.Reader != nil:
		m, err = x.stored.read(first, last)
	default:
		return x.m, 0, nil
	}
	return m, first, err
}

// Lines returns M by the rows of the layout and by its columns, as the rows of two matrices. M is in
// the memory of one process.
func (x Input[T]) Lines() (rows, columns CSR[T]) {
	if x.arena.Dry() {
		NewCSR[T](x.arena, x.rows+x.cols, 0, x.Entries)
		return rows, columns
	}
	t := x.m.Transposed()
	if x.ofCols != nil {
		return t, x.m
	}
	return x.m, t
}

// Norm returns ||M||_F and the largest entry of M, or an error if its squares leave the range
// of T. All processes call it.
func (x Input[T]) Norm() (norm, largest float64, err error) {
	var all magnitude[T]
	switch {
	case x.magnitude != nil:
		return x.magnitude.result("M", x.rows, x.cols)
	case x.sorted == nil:
		group.Ring(x.comm, group.Bytes(&all), func() { all.add(x.m.Val) })
		return all.result("M", x.rows, x.cols)
	}
	own, slab := x.ofRows.own(), 0
	err = group.RingRounds(x.comm, x.interrupted, group.Bytes(&all), func() (more bool, err error) {
		if slab == len(own.bounds)-1 {
			return false, nil
		}
		first := slab
		for slab++; slab < len(own.bounds)-1 && own.before[slab+1]-own.before[first] <= together[T](); slab++ {
		}
		c, err := x.sorted.read(own.bounds[first], own.bounds[slab])
		all.add(c.Val)
		return slab < len(own.bounds)-1, err
	})
	if err != nil {
		return 0, 0, err
	}
	return all.result("M", x.rows, x.cols)
}

// Close removes the files.
func (x Input[T]) Close() {
	x.sorted.close()
	if x.Tiles != nil && x.Tiles.file != nil {
		x.Tiles.file.close()
	}
}
