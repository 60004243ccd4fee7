package tiles

import (
	"errors"
	"fmt"
	"sort"
	"unsafe"

	"nmu/internal/direct"
	"nmu/kernel"
	"nmu/lnmu/internal/block"
)

// store gives passes the tiles of M and the state of a solver from files.
type store[T kernel.Float] struct {
	block.Prefetcher[chunk[T]]
	*Tiling[T]
	form Form

	// what the current pass does
	use      [3]block.Access
	byBlocks bool // takes parts, one block of columns after the other, instead of units
}

// chunk is a unit, or one part of it.
type chunk[T kernel.Float] struct {
	unit, b0, b1 int  // the blocks b0 to b1-1
	filled       bool // its contents have been read
	rooms        [3][]T
	x            [3][]T
	room         []T // for the places
	patterns     []kernel.Pattern
}

// Tile is a tile with the arrays that its entries are in.
type Tile[T kernel.Float] struct {
	kernel.Pattern
	M, N, Given []T // M or E, N or G, and M. What a pass does not touch is nil.
}

// start makes the store ready for a team that may write E and N.
func (s *store[T]) start(members int) {
	s.Slots, s.Take, s.Fill, s.Put = block.SlotsOfEach, s.takeParts, s.readParts, s.putParts
	s.After = func(chunk int) int { return chunk + 1 }
	s.Cancelled, s.Share = func() bool { return false }, s.Among()
	s.Start(members)
}

// place returns the index of the file with M or E, N or G, or M itself. N without a file is M
// or E, and E without a file is M itself.
func (d *store[T]) place(which int) int {
	if which == block.OfN && !d.form.State {
		which = block.OfM
	}
	if which == block.OfM && !d.form.Residual {
		which = OfGiven
	}
	return which
}

func (d *store[T]) begin(use [3]block.Access, byBlocks, cut bool) {
	d.use, d.byBlocks = [3]block.Access{}, byBlocks
	all := block.Untouched
	for which, u := range use {
		d.use[d.place(which)] |= u
		all |= u
	}
	limit := len(d.file.units) - 1
	if byBlocks {
		limit *= d.Blocks
	}
	d.Open(limit, all&block.Writes != 0, cut)
}

// tile returns a tile, unless the pass is aborted.
func (d *store[T]) tile(member, slab, b int) (x Tile[T], ok bool) {
	f, c := d.file, d.Current(member)
	if c == nil || slab < f.units[c.unit] || slab >= f.units[c.unit+1] || b < c.b0 || b >= c.b1 {
		chunk := sort.SearchInts(f.units, slab+1) - 1
		if d.byBlocks {
			group := sort.SearchInts(f.groups, chunk+1) - 1
			first, last := f.groups[group], f.groups[group+1]
			chunk = d.Blocks*first + b*(last-first) + chunk - first
		}
		c = d.Acquire(member, chunk)
	}
	if !c.filled || d.Aborted() {
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
	x.M, x.N, x.Given = of(block.OfM), of(block.OfN), of(OfGiven)
	return x, true
}

// part returns the part of a unit in a block, or the one that comes after the last.
func (d *store[T]) part(unit, b int) *partOfFile { return &d.file.parts[unit*d.Blocks+b] }

// takeParts makes c the chunk with this number, whose contents are to come.
func (d *store[T]) takeParts(c *chunk[T], chunk int) {
	f := d.file
	c.filled, c.unit, c.b0, c.b1 = false, chunk, 0, d.Blocks
	if d.byBlocks {
		group := 0
		for chunk >= d.Blocks*f.groups[group+1] {
			group++
		}
		first, count := f.groups[group], f.groups[group+1]-f.groups[group]
		chunk -= d.Blocks * first
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

// readParts reads what a pass needs of a chunk.
func (d *store[T]) readParts(c *chunk[T]) error {
	from, to := d.part(c.unit, c.b0), d.part(c.unit, c.b1)
	if err := d.file.places.Read(direct.Bytes(c.room)[:to.places-from.places], from.places); err != nil {
		return err
	}
	if err := d.setPatterns(c); err != nil {
		return d.file.places.Damaged(err)
	}
	for which, use := range d.use {
		if use&block.Reads == 0 {
			continue
		}
		if err := d.file.values[which].Read(direct.Bytes(c.x[which]), from.values); err != nil {
			return err
		}
	}
	c.filled = true
	return nil
}

// setPatterns makes the patterns of the tiles of a chunk, whose places have been read. It
// checks all of them, because the kernels rely on them.
func (d *store[T]) setPatterns(c *chunk[T]) error {
	f := d.file
	s0, s1 := f.units[c.unit], f.units[c.unit+1]
	rows := d.Slabs[s1] - d.Slabs[s0]
	memory := direct.Bytes(c.room)
	c.patterns = c.patterns[:0]
	for b := c.b0; b < c.b1; b++ {
		part := d.part(c.unit, b)
		ptr, idx := placesIn(memory[part.places-d.part(c.unit, c.b0).places:], rows, part.entries)
		if ptr[0] != 0 || ptr[rows] != part.entries {
			return errors.New("it has other entries")
		}
		for i := range rows {
			if n := ptr[i+1] - ptr[i]; n < 0 || n > d.Longest {
				return fmt.Errorf("a row has %d entries", n)
			}
		}
		for slab := s0; slab < s1; slab++ {
			p, err := kernel.NewPattern(d.Cols, ptr[d.Slabs[slab]-d.Slabs[s0]:d.Slabs[slab+1]-d.Slabs[s0]+1], idx)
			if err != nil {
				return err
			}
			c.patterns = append(c.patterns, p)
		}
	}
	return nil
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
		if err := d.file.values[which].Write(direct.Bytes(c.x[which]), d.part(c.unit, c.b0).values); err != nil {
			return err
		}
	}
	return nil
}
