package tiles

import (
	"context"
	"fmt"
	"slices"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
)

// Scan is what has to be known of a stored matrix before it can be put into tiles.
type Scan[T kernel.Float] struct {
	ctx  context.Context
	rows reading[T]
}

// NewScan goes over M once: it checks it, counts its entries, and returns its norm and its
// largest entry. What is not stored may be missing, rather than zero.
func NewScan[T kernel.Float](ctx context.Context, m Reader[T], missing bool) (x *Scan[T], norm, largest float64, err error) {
	x = &Scan[T]{ctx: ctx, rows: reading[T]{rowsOfM: rowsOfM[T]{Reader: m}}}
	rows, cols := m.Dims()
	var all entriesSum[T]
	var seen []bool
	if missing {
		seen = make([]bool, cols)
	}
	entries := 0
	for x.rows.at < rows {
		if err := x.interrupted(); err != nil {
			return nil, 0, 0, err
		}
		first := x.rows.at
		c, err := x.rows.next(rows)
		if err != nil {
			return nil, 0, 0, err
		}
		if entries += len(c.Val); entries > m.Entries() {
			return nil, 0, 0, fmt.Errorf("%w: M has more entries than the %d that it claims", core.ErrShape, m.Entries())
		}
		all.add(c.Val)
		if !missing {
			continue
		}
		if i := slices.Index(c.rowCounts(), 0); i >= 0 {
			return nil, 0, 0, core.Unobserved("row", first+i)
		}
		for _, j := range c.Idx {
			seen[j] = true
		}
	}
	if entries != m.Entries() {
		return nil, 0, 0, fmt.Errorf("%w: M has %d entries, and claims %d", core.ErrShape, entries, m.Entries())
	}
	if j := slices.Index(seen, false); j >= 0 {
		return nil, 0, 0, core.Unobserved("column", j)
	}
	norm, largest, err = all.result("M")
	return x, norm, largest, err
}

// interrupted returns an error if the work is over.
func (x *Scan[T]) interrupted() error {
	if x.ctx.Err() == nil {
		return nil
	}
	return fmt.Errorf("factorization stopped early: %w", context.Cause(x.ctx))
}

// Store writes M into scratch files in the given folder, tile by tile, with room for the
// state of a method on so many threads. They are gone with done, which must be called.
func (x *Scan[T]) Store(f Form, threads int, scratch string) (in Input[T], done func(), err error) {
	in = Input[T]{comm: group.Self{}, stored: &x.rows.rowsOfM}
	in.rows, in.cols = x.rows.Dims()
	in.entries = x.rows.Entries()
	in.setShares(false, x.rows.counts, nil)
	in.tiles = in.newTiling(f)
	err = in.tiles.setFile(threads, scratch)
	done = in.tiles.file.close
	if err == nil {
		err = in.tiles.addState(f)
	}
	w := newWriter(in.tiles, x.rows.restart())
	for more := true; more && err == nil; {
		if err = x.interrupted(); err == nil {
			more, err = w.step()
		}
	}
	return in, done, err
}
