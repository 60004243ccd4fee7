package lnmu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
	"unsafe"

	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
)

// StoredCSR reads a sparse matrix from where it stays, such as files, in parts: whole
// rows. Its methods are called concurrently.
type StoredCSR[T Float] interface {
	Dims() (rows, cols int)

	// Entries returns how many entries are stored.
	Entries() int

	// Pointers returns last-first+1 numbers: where the entries of rows first to last-1
	// begin, and the last of them end, counted from the first entry of the matrix.
	Pointers(first, last int) ([]int, error)

	// ReadRows returns rows first to last-1 as a matrix. What it returned before must
	// not change.
	ReadRows(first, last int) (CSR[T], error)
}

// FactorStoredSparse is FactorSparse for a matrix that is not in memory. It is read twice,
// to be checked and to be put, in the order in which the passes go over it, into files in
// Settings.Scratch, where the state of an underapproximation and what a recursion leaves
// of M are as well. The passes read them ahead and write behind, in pieces of a few
// megabytes for each thread; the factors, and what is of their size, are in memory. The
// bits are those that M in memory would lead to.
//
// M must have at least as many rows as columns, but for factors one by one (RNMU with
// Block 1 and SolverLagrangian, or rank 1). What FactorSparse refuses, and several
// processes, are refused.
//
// An error of m, or of a scratch file, ends the run and is its error. TimeLimit and
// cancellation end what makes the files, and then there are no factors, and a pass; the
// result then has its error from one or two more, for which as much of TimeLimit is kept
// back as the first reading of M took.
func FactorStoredSparse[T Float](ctx context.Context, m StoredCSR[T], rank int, method Method, settings *Settings) (*Result[T], error) {
	return instance[factoring[T, StoredCSR[T]]](factorStored32, factorStored64)(ctx, m, given[T]{rank: rank}, method, settings)
}

// FactorStoredSparseFrom is FactorStoredSparse from the start V and W, as FactorFrom is Factor.
func FactorStoredSparseFrom[T Float](ctx context.Context, m StoredCSR[T], v, w Dense[T], method Method, settings *Settings) (*Result[T], error) {
	return instance[factoring[T, StoredCSR[T]]](factorStored32, factorStored64)(ctx, m, given[T]{rank: v.Cols, v: v, w: w, start: true}, method, settings)
}

func factorStoredSparse[T Float](ctx context.Context, m StoredCSR[T], start given[T], method Method, settings *Settings) (*Result[T], error) {
	begun := time.Now()
	if err := cmp.Or(kernel.LevelError(), checkContext(ctx)); err != nil {
		return nil, err
	}
	p, s, err := prepareStored(m, start.rank, method, settings, start.start)
	if err != nil {
		return nil, err
	}
	rows, cols := m.Dims()
	if err := start.check(rows, cols); err != nil {
		return nil, err
	}
	surveyed := time.Now()
	limited, release := s.within(ctx)
	defer release()
	x := scan[T]{m: m, ctx: limited, missing: s.SparseMissing, whole: extentOfM{rows, m.Entries()}, cols: cols}
	norm, most, err := x.run()
	switch {
	case ended(limited, err):
		return unfinished[T](ctx, rows, cols, s, err)
	case err != nil:
		return nil, err
	}
	if norm == 0 {
		return zeroResult[T](rows, cols, start.rank, s), nil
	}
	j := newJob(ctx, p, s, start, rows, cols, begun)
	j.Norm, j.Largest = norm, most
	j.Files, j.Reading = true, time.Since(surveyed)
	tiles := x.tiles(p, s)
	defer tiles.file.close()
	switch err := x.write(tiles, j.Plan, p.block < start.rank); {
	case ended(limited, err):
		return unfinished[T](ctx, rows, cols, s, err)
	case err != nil:
		return nil, err
	}
	in := undivided(CSR[T]{Rows: rows, Cols: cols}, x.whole.entries, tiles.slabs)
	in.tiles, in.stored = tiles, m
	d := &sparseStorage[T]{input: in, rows: rows, cols: cols, part: core.Part{Whole: max(rows, cols), Columns: cols > rows}, v: start.v, w: start.w}
	return factorTiles(j, d, p, s)
}

// prepareStored checks the arguments, but for the entries of M and what is given.
func prepareStored[T Float](m StoredCSR[T], rank int, method Method, settings *Settings, given bool) (p resolved, s Settings, err error) {
	if m == nil {
		return p, s, fmt.Errorf("%w: M is nil", ErrShape)
	}
	rows, cols := m.Dims()
	if err := matrix.CheckDims("M", rows, cols); err != nil {
		return p, s, err
	}
	if max(rows, cols) > math.MaxInt32 {
		return p, s, tooLong("M", rows, cols)
	}
	if n := m.Entries(); n < 0 || n/rows > cols || n > math.MaxInt/64 {
		return p, s, fmt.Errorf("%w: M is %d x %d and claims %d entries", ErrShape, rows, cols, n)
	}
	if settings != nil && settings.Processes != nil {
		return p, s, core.Bad("a stored matrix of which processes have parts; give each of them its part in memory, or choose one process")
	}
	p, s, err = prepare(rows, cols, rank, method, settings, given)
	if err == nil {
		err = p.forSparse(s)
	}
	if err == nil && cols > rows && !p.fusedRankOne(s) {
		err = fmt.Errorf("%w: a stored sparse matrix has fewer rows than columns (%d x %d), and method %s goes over the longer side; store its transpose, whose V and W are the transposes of W and V", ErrShape, rows, cols, p.method.Describe().Name)
	}
	return p, s, err
}

// fusedRankOne reports whether renewRankOne is used.
func (p resolved) fusedRankOne(s Settings) bool { return p.canFuseRankOne() && !s.SparseMissing }

// scan is what has to be known of a stored matrix before it can be put into tiles.
type scan[T Float] struct {
	m       StoredCSR[T]
	ctx     context.Context
	whole   extentOfM
	cols    int
	missing bool // what is not stored is missing, rather than zero

	slabs  []int // bounds of the rows of the slabs
	before []int // entries of earlier ones, for each bound
}

// readRows returns rows of a stored matrix, if they are valid.
func readRows[T Float](m StoredCSR[T], first, last int) (CSR[T], error) {
	c, err := m.ReadRows(first, last)
	if err != nil {
		return c, fmt.Errorf("reading M: %w", err)
	}
	if _, cols := m.Dims(); c.Rows != last-first || c.Cols != cols {
		return c, fmt.Errorf("%w: the reader of M has read %d x %d numbers, not %d x %d", ErrShape, c.Rows, c.Cols, last-first, cols)
	}
	err = c.validate("M", true)
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
func (x *scan[T]) each(first, last int, do func(first int, c CSR[T]) error) error {
	together := max(1, block.ChunkBytes/(4+int(unsafe.Sizeof(T(0)))))
	for first < last {
		ptr, err := x.m.Pointers(first, min(last, first+pointersAtOnce))
		if err != nil {
			return fmt.Errorf("reading M: %w", err)
		}
		if want := min(last-first, pointersAtOnce) + 1; len(ptr) != want {
			return fmt.Errorf("%w: the reader of M has read %d row pointers, not %d", ErrShape, len(ptr), want)
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
					return fmt.Errorf("%w: row %d of M (from 0) has %d entries, or %d as its pointers say: some are zeros or stored twice, or it changes", ErrShape, first+i+k, c.Ptr[k+1]-c.Ptr[k], ptr[i+k+1]-ptr[i+k])
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

// run goes over M once: it checks it, cuts it into slabs, and returns its norm and its
// largest entry.
func (x *scan[T]) run() (norm, most float64, err error) {
	var all entriesSum[T]
	x.slabs, x.before = make([]int, 1), make([]int, 1) // no room for what is only claimed
	entries := 0
	var seen []bool
	if x.missing {
		seen = make([]bool, x.cols)
	}
	err = x.each(0, x.whole.rows, func(first int, c CSR[T]) error {
		if entries+len(c.Val) > x.whole.entries {
			return fmt.Errorf("%w: M has more entries than the %d that it claims", ErrShape, x.whole.entries)
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
				return unobserved("row", first+i)
			}
		}
		for _, j := range c.Idx {
			seen[j] = true
		}
		return nil
	})
	if err == nil && entries != x.whole.entries {
		err = fmt.Errorf("%w: M has %d entries, and claims %d", ErrShape, entries, x.whole.entries)
	}
	if err != nil {
		return 0, 0, err
	}
	if j := slices.Index(seen, false); j >= 0 {
		return 0, 0, unobserved("column", j)
	}
	return all.result("M")
}

// tiles returns M without its entries, cut into units for a method.
func (x *scan[T]) tiles(p resolved, s Settings) *tiled[T] {
	t := &tiled[T]{byRows: p.fusedRankOne(s), rows: x.whole.rows, cols: x.cols, whole: x.whole, slabs: x.slabs, shared: newSparseShare(group.Self{}, x.slabs)}
	blocks, each := 1, groupNumbers
	if !t.byRows {
		blocks, each = t.blocksFor(p.block), groupEntries
	}
	t.setBlocks(blocks)
	t.setGroups(t.count(), each)
	for slab := range t.count() {
		t.tallest = max(t.tallest, t.slabs[slab+1]-t.slabs[slab])
	}

	// What is written in one go is that of one task.
	f := &tiledFile[T]{scratch: s.Scratch, units: []int{0}}
	ends := slices.Clone(t.groups[1:])
	for _, task := range group.NewSums[T](t.among(), s.Threads, 1, 1, 1).Tasks {
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
