package sparse

import (
	"errors"
	"fmt"
	"io"
	"sort"
	"unsafe"

	"nmu/internal/direct"
	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/core"
)

// A sparse M that does not fit into memory lies in scratch files, tile by tile: the places
// of the entries in one, their values in another, and what is left of them, E, and N or G
// in files like that. A unit is some slabs, whose tiles of one block of columns lie
// together, as a part that begins at a page:
//
//	             block 0   block 1   block 2
//	slab 0      |    1    |    3    |    5    |
//	slab 1      |    2    |    4    |    6    |    unit 0: 1 2 | 3 4 | 5 6
//	slab 2      |    7    |    8    |    9    |    unit 1: 7   | 8   | 9
//
// renewLong, which takes a slab after the other, reads whole units, renewShort, which
// takes a block of columns of a group of slabs, their parts in this block. Both are next
// to each other in the files.
type tileFile[T kernel.Float] struct {
	scratch string // folder of the files
	places  block.File
	files   [3]block.File // E, N and M itself; the first two may be nil
	units   []int         // unit u has the slabs [units[u], units[u+1])
	groups  []int         // group k has the units [groups[k], groups[k+1])
	parts   []partOfFile  // of unit u and block b at u*blocks+b, and one more at the end
	most    [2]int64      // bytes of a unit in the files of the values and of the places
}

// partOfFile says where the tiles of a unit in a block of columns begin.
type partOfFile struct {
	values, places int64 // bytes in the files
	entries        int
}

// ofGiven is M itself beside block.OfM and block.OfN, where what is left of it is in another file.
const ofGiven = 2

// leastPart is the size of a part, in chunks, where there are so many blocks of columns
// that a part of a unit of one chunk would be smaller. A unit has at most mostOfUnit chunks.
const (
	leastPart  = 32
	mostOfUnit = 4
)

// unitBytes is about how much a unit has of places and values, unless a slab has more.
func unitBytes(blocks int) int {
	return block.ChunkBytes * max(1, min(blocks/leastPart, mostOfUnit))
}

// slabBytes is what so many rows with so many entries count of that.
func slabBytes[T kernel.Float](rows, entries, blocks int) int {
	return entries*(4+int(unsafe.Sizeof(T(0)))) + rows*blocks*int(unsafe.Sizeof(0))
}

// close removes the files.
func (f *tileFile[T]) close() {
	for _, file := range append(f.files[:], f.places) {
		if file != nil {
			_ = file.Close() // what it holds is of no use any more
		}
	}
}

// store is M and the state of a solver where they are in files.
type store[T kernel.Float] struct {
	block.Prefetcher[chunk[T]]
	*tiling[T]
	kept [2]bool // E is not M, and N is not E

	// what the current phase does
	use      [3]block.Access
	byBlocks bool // goes over parts, one block of columns after the other, rather than units
}

// chunk is a unit, or one part of it.
type chunk[T kernel.Float] struct {
	unit, b0, b1 int  // the blocks b0 to b1-1
	filled       bool // holds what it should
	rooms        [3][]T
	x            [3][]T
	room         []T // for the places
	patterns     []kernel.Pattern
}

// tile is a tile with the arrays that its entries are in.
type tile[T kernel.Float] struct {
	kernel.Pattern
	m, n, given []T // M or E, N or G, and M. What a phase does not touch is nil.
}

// newStore returns the store of a solver, which may write E and N.
func newStore[T kernel.Float](t *tiling[T], d core.Plan, members int) *store[T] {
	s := &store[T]{tiling: t}
	s.kept[block.OfM] = d.Recursive && t.file.files[block.OfM] != nil
	s.kept[block.OfN] = d.Underapproximates
	s.Slots, s.Take, s.Fill, s.Put = block.SlotsOfEach, s.takeParts, s.readParts, s.putParts
	s.After = func(chunk int) int { return chunk + 1 }
	s.Cancelled = func() bool { return false }
	s.Start(members)
	return s
}

// aborted reports whether the phase has come to nothing: what it has summed up is of no
// use.
func (d *store[T]) aborted() bool { return d != nil && d.Aborted() }

// place returns in which file something is.
func (d *store[T]) place(which int) int {
	if which == block.OfN && !d.kept[block.OfN] {
		which = block.OfM
	}
	if which == block.OfM && !d.kept[block.OfM] {
		which = ofGiven
	}
	return which
}

// begin begins a phase.
func (d *store[T]) begin(use [3]block.Access, byBlocks, cut bool) {
	d.use, d.byBlocks = [3]block.Access{}, byBlocks
	all := block.Untouched
	for which, u := range use {
		d.use[d.place(which)] |= u
		all |= u
	}
	limit := len(d.file.units) - 1
	if byBlocks {
		limit *= d.blocks
	}
	d.Open(limit, all&block.Writes != 0, cut)
}

// tile returns a tile, unless the pass is aborted.
func (d *store[T]) tile(member, slab, b int) (x tile[T], ok bool) {
	f, c := d.file, d.Current(member)
	if c == nil || slab < f.units[c.unit] || slab >= f.units[c.unit+1] || b < c.b0 || b >= c.b1 {
		chunk := sort.SearchInts(f.units, slab+1) - 1
		if d.byBlocks {
			group := sort.SearchInts(f.groups, chunk+1) - 1
			first, last := f.groups[group], f.groups[group+1]
			chunk = d.blocks*first + b*(last-first) + chunk - first
		}
		c = d.Acquire(member, chunk)
	}
	if !c.filled || d.aborted() {
		return x, false
	}
	slabs := f.units[c.unit+1] - f.units[c.unit]
	x.Pattern = c.patterns[(b-c.b0)*slabs+slab-f.units[c.unit]]
	at := int(d.part(c.unit, b).values-d.part(c.unit, c.b0).values) / int(unsafe.Sizeof(T(0)))
	of := func(which int) []T {
		if all := c.x[d.place(which)]; all != nil {
			return all[at:]
		}
		return nil
	}
	x.m, x.n, x.given = of(block.OfM), of(block.OfN), of(ofGiven)
	return x, true
}

// part returns the part of a unit in a block, or the one that comes after the last.
func (d *store[T]) part(unit, b int) *partOfFile { return &d.file.parts[unit*d.blocks+b] }

// takeParts makes c the chunk of a number.
func (d *store[T]) takeParts(c *chunk[T], chunk int) {
	f := d.file
	c.filled, c.unit, c.b0, c.b1 = false, chunk, 0, d.blocks
	if d.byBlocks {
		group := 0
		for chunk >= d.blocks*f.groups[group+1] {
			group++
		}
		first, count := f.groups[group], f.groups[group+1]-f.groups[group]
		chunk -= d.blocks * first
		c.unit, c.b0, c.b1 = first+chunk%count, chunk/count, chunk/count+1
	}
	size := int(unsafe.Sizeof(T(0)))
	from, to := d.part(c.unit, c.b0), d.part(c.unit, c.b1)
	for which, use := range d.use {
		c.x[which] = nil
		if use == block.Untouched {
			continue
		}
		if c.rooms[which] == nil {
			c.rooms[which] = direct.Make[T](int(f.most[0]) / size)
		}
		c.x[which] = c.rooms[which][:int(to.values-from.values)/size]
	}
	if c.room == nil {
		c.room = direct.Make[T](int(f.most[1]) / size)
	}
}

// readParts reads what a phase needs of a chunk.
func (d *store[T]) readParts(c *chunk[T]) error {
	from, to := d.part(c.unit, c.b0), d.part(c.unit, c.b1)
	read := func(file block.File, p []byte, offset int64) error {
		n, err := file.ReadAt(p, offset)
		if err == nil && n < len(p) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return fmt.Errorf("reading the scratch file in %s: %w", d.file.scratch, err)
		}
		return nil
	}
	if err := read(d.file.places, direct.Bytes(c.room)[:to.places-from.places], from.places); err != nil {
		return err
	}
	if err := d.setPatterns(c); err != nil {
		return fmt.Errorf("the scratch file in %s is damaged: %w", d.file.scratch, err)
	}
	for which, use := range d.use {
		if use&block.Reads == 0 {
			continue
		}
		if err := read(d.file.files[which], direct.Bytes(c.x[which]), from.values); err != nil {
			return err
		}
	}
	c.filled = true
	return nil
}

// setPatterns makes the patterns of the tiles of a chunk, whose places have been read. The
// kernels rely on them, so that all of what was read is checked.
func (d *store[T]) setPatterns(c *chunk[T]) error {
	f := d.file
	s0, s1 := f.units[c.unit], f.units[c.unit+1]
	rows := d.slabs[s1] - d.slabs[s0]
	memory := direct.Bytes(c.room)
	c.patterns = c.patterns[:0]
	for b := c.b0; b < c.b1; b++ {
		part := d.part(c.unit, b)
		ptr, idx := placesIn(memory[part.places-d.part(c.unit, c.b0).places:], rows, part.entries)
		if ptr[0] != 0 || ptr[rows] != part.entries {
			return errors.New("it has other entries")
		}
		for i := range rows {
			if n := ptr[i+1] - ptr[i]; n < 0 || n > d.longest {
				return fmt.Errorf("a row has %d entries", n)
			}
		}
		for slab := s0; slab < s1; slab++ {
			p, err := kernel.NewPattern(d.cols, ptr[d.slabs[slab]-d.slabs[s0]:d.slabs[slab+1]-d.slabs[s0]+1], idx)
			if err != nil {
				return err
			}
			c.patterns = append(c.patterns, p)
		}
	}
	return nil
}

// placesIn returns the pointers and the columns of a part with so many rows and entries,
// which lie in memory that begins at a page.
func placesIn(memory []byte, rows, entries int) (ptr []int, idx []int32) {
	head := (rows + 1) * int(unsafe.Sizeof(0))
	begin := unsafe.Pointer(unsafe.SliceData(memory[:head+4*entries]))
	return unsafe.Slice((*int)(begin), rows+1), unsafe.Slice((*int32)(unsafe.Add(begin, head)), entries)
}

// putParts writes what has changed in a chunk.
func (d *store[T]) putParts(c *chunk[T]) error {
	if !c.filled {
		return nil
	}
	for which, use := range d.use {
		if use&block.Writes == 0 {
			continue
		}
		if err := d.file.files[which].WriteAt(direct.Bytes(c.x[which]), d.part(c.unit, c.b0).values); err != nil {
			return fmt.Errorf("writing the scratch file in %s: %w", d.file.scratch, err)
		}
	}
	return nil
}
