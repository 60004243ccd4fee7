package sparse

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
)

// Reader reads a sparse matrix from where it stays, in whole rows.
type Reader[T kernel.Float] interface {
	Dims() (rows, cols int)
	Entries() int
	Pointers(first, last int) ([]int, error)
	ReadRows(first, last int) (CSR[T], error)
}

// NewScan goes over M once: it checks it, cuts it into slabs, and returns its norm and its
// largest entry. What is not stored may be missing, rather than zero.
func NewScan[T kernel.Float](ctx context.Context, m Reader[T], missing bool) (x *Scan[T], norm, largest float64, err error) {
	rows, cols := m.Dims()
	x = &Scan[T]{m: m, ctx: ctx, missing: missing, whole: extentOfM{rows, m.Entries()}, cols: cols}
	norm, largest, err = x.run()
	return x, norm, largest, err
}

// Store writes M into scratch files in the given folder, tile by tile, with room for the
// state of a method on so many threads. They are gone with done, which must be called.
func (x *Scan[T]) Store(p core.Plan, threads int, scratch string) (in Input[T], done func(), err error) {
	t := x.tiles(p, threads, scratch)
	in = undivided(CSR[T]{Rows: x.whole.rows, Cols: x.cols}, x.whole.entries, t.slabs)
	in.tiles, in.stored = t, x.m
	return in, t.file.close, x.write(t, p, p.Block < p.Rank)
}

// Scan is what has to be known of a stored matrix before it can be put into tiles.
type Scan[T kernel.Float] struct {
	m       Reader[T]
	ctx     context.Context
	whole   extentOfM
	cols    int
	missing bool // what is not stored is missing, rather than zero

	slabs  []int // bounds of the rows of the slabs
	before []int // entries of earlier ones, for each bound
}

// readRows returns rows of a stored matrix, if they are valid.
func readRows[T kernel.Float](m Reader[T], first, last int) (CSR[T], error) {
	c, err := m.ReadRows(first, last)
	if err != nil {
		return c, fmt.Errorf("reading M: %w", err)
	}
	if _, cols := m.Dims(); c.Rows != last-first || c.Cols != cols {
		return c, fmt.Errorf("%w: the reader of M has read %d x %d numbers, not %d x %d", core.ErrShape, c.Rows, c.Cols, last-first, cols)
	}
	err = c.Validate("M", true)
	if value := (*core.ValueError)(nil); errors.As(err, &value) {
		value.Row += first
	} else if err != nil {
		err = fmt.Errorf("from row %d on: %w", first, err)
	}
	return c, err
}

// pointersAtOnce is how many row pointers are read at once.
const pointersAtOnce = 1 << 15

// each calls do for all rows from first to last-1, a few megabytes of them at a time.
func (x *Scan[T]) each(first, last int, do func(first int, c CSR[T]) error) error {
	together := max(1, block.ChunkBytes/(4+int(unsafe.Sizeof(T(0)))))
	for first < last {
		ptr, err := x.m.Pointers(first, min(last, first+pointersAtOnce))
		if err != nil {
			return fmt.Errorf("reading M: %w", err)
		}
		if want := min(last-first, pointersAtOnce) + 1; len(ptr) != want {
			return fmt.Errorf("%w: the reader of M has read %d row pointers, not %d", core.ErrShape, len(ptr), want)
		}
		for i := 0; i < len(ptr)-1; {
			if x.ctx.Err() != nil {
				return fmt.Errorf("factorization stopped early: %w", context.Cause(x.ctx))
			}
			end := i + 1
			for end < len(ptr)-1 && ptr[end+1]-ptr[i] <= together {
				end++
			}
			c, err := readRows(x.m, first+i, first+end)
			if err != nil {
				return err
			}
			for k := range end - i {
				if c.Ptr[k+1]-c.Ptr[k] != ptr[i+k+1]-ptr[i+k] {
					return fmt.Errorf("%w: row %d of M (from 0) has %d entries, or %d as its pointers say: some are zeros or stored twice, or it changes", core.ErrShape, first+i+k, c.Ptr[k+1]-c.Ptr[k], ptr[i+k+1]-ptr[i+k])
				}
			}
			if err := do(first+i, c); err != nil {
				return err
			}
			i = end
		}
		first += len(ptr) - 1
	}
	return nil
}

// run does what NewScan says.
func (x *Scan[T]) run() (norm, most float64, err error) {
	var all entriesSum[T]
	x.slabs, x.before = make([]int, 1), make([]int, 1) // no room for what is only claimed
	entries := 0
	var seen []bool
	if x.missing {
		seen = make([]bool, x.cols)
	}
	err = x.each(0, x.whole.rows, func(first int, c CSR[T]) error {
		if entries+len(c.Val) > x.whole.entries {
			return fmt.Errorf("%w: M has more entries than the %d that it claims", core.ErrShape, x.whole.entries)
		}
		all.add(c.Val)
		x.slabs = x.whole.cut(x.slabs, c.Ptr, first, entries)
		for _, bound := range x.slabs[len(x.before):] {
			x.before = append(x.before, entries+c.Ptr[bound-first])
		}
		entries += len(c.Val)
		if !x.missing {
			return nil
		}
		for i := range c.Rows {
			if c.Ptr[i] == c.Ptr[i+1] {
				return core.Unobserved("row", first+i)
			}
		}
		for _, j := range c.Idx {
			seen[j] = true
		}
		return nil
	})
	if err == nil && entries != x.whole.entries {
		err = fmt.Errorf("%w: M has %d entries, and claims %d", core.ErrShape, entries, x.whole.entries)
	}
	if err != nil {
		return 0, 0, err
	}
	if j := slices.Index(seen, false); j >= 0 {
		return 0, 0, core.Unobserved("column", j)
	}
	return all.result("M")
}

// tiles returns M without its entries, cut into units for a method on so many threads, for
// files in the given folder.
func (x *Scan[T]) tiles(p core.Plan, threads int, scratch string) *tiling[T] {
	t := &tiling[T]{byRows: ByRows(p, x.missing), rows: x.whole.rows, cols: x.cols, whole: x.whole, slabs: x.slabs, shared: newShare(group.Self{}, x.slabs)}
	blocks, each := 1, groupNumbers
	if !t.byRows {
		blocks, each = t.blocksFor(p.Block), groupEntries
	}
	t.setBlocks(blocks)
	t.setGroups(t.count(), each)
	for slab := range t.count() {
		t.tallest = max(t.tallest, t.slabs[slab+1]-t.slabs[slab])
	}

	// What is written in one go is that of one task.
	f := &tileFile[T]{scratch: scratch, units: []int{0}}
	ends := slices.Clone(t.groups[1:])
	for _, task := range group.NewSums[T](t.among(), threads, 1, 1, 1).Tasks {
		ends = append(ends, task.Last)
	}
	slices.Sort(ends)
	ends = slices.Compact(ends)
	full, bytes := unitBytes(t.blocks), 0
	for slab := range t.count() {
		here := slabBytes[T](x.slabs[slab+1]-x.slabs[slab], x.before[slab+1]-x.before[slab], t.blocks)
		first := f.units[len(f.units)-1]
		if _, end := slices.BinarySearch(ends, slab); slab > first && (end || bytes+here > full) {
			f.units, bytes = append(f.units, slab), 0
		}
		bytes += here
	}
	f.units = append(f.units, t.count())
	for _, slab := range t.groups {
		unit, _ := slices.BinarySearch(f.units, slab)
		f.groups = append(f.groups, unit)
	}
	t.file = f
	return t
}
