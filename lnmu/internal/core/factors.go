package core

import (
	"errors"
	"slices"

	"nmu/kernel"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/state"
)

// Part says which rows of a tall M, or columns of a wide one, a process has.
type Part struct {
	First, Whole int  // its first row or column, and their number in M as a whole
	Columns      bool // M is wide: the part has columns of it
}

// Window returns the window of M that a part of rows x cols entries covers.
func (p Part) Window(rows, cols int) Window {
	w := Window{Rows: group.Span{To: rows}, Cols: group.Span{To: cols}}
	along := &w.Rows
	if p.Columns {
		along = &w.Cols
	}
	*along = group.Span{From: p.First, To: p.First + along.To}
	return w
}

// CheckObserved returns the error for the first row, or column, without an observed entry, given which lines have one.
// If parted is true, the lines are those of the part, otherwise the same in all processes.
func (p Part) CheckObserved(c group.Comm, columns bool, found []bool, parted bool) (err error) {
	first := p.First
	if !parted {
		first = 0
		own := slices.Clone(found)
		group.Ring(c, group.Memory(found), func() {
			for i, x := range own {
				found[i] = found[i] || x
			}
		})
	}
	if i := slices.Index(found, false); i >= 0 {
		bad := &fault.ValueError{Matrix: "M", Row: first + i, Col: -1}
		if columns {
			bad.Row, bad.Col = bad.Col, bad.Row
		}
		err = bad
	}
	return group.Agree(c, err)
}

// Window is a range of rows and a range of columns of a matrix.
type Window struct{ Rows, Cols group.Span }

// Located makes an error about an entry of a window of M one about an entry of M.
func (w Window) Located(err error) error {
	if entry := (*fault.ValueError)(nil); errors.As(err, &entry) {
		entry.Row, entry.Col = entry.Row+w.Rows.From, entry.Col+w.Cols.From
	}
	return err
}

// Pair is V and W, or the parts of them that a process has.
type Pair[T kernel.Float] struct {
	V, W kernel.Matrix[T]
	Part Part
}

// Rank implements Factors.
func (p *Pair[T]) Rank() int { return p.V.Cols }

// First implements Factors.
func (p *Pair[T]) First(rank int) Factors {
	return &Pair[T]{V: p.V.Slice(0, p.V.Rows, 0, rank), W: p.W.Slice(0, rank, 0, p.W.Cols), Part: p.Part}
}

// Fields implements Factors. The factor of the shorter side of M is whole in every
// process.
func (p *Pair[T]) Fields() []state.Field {
	var v, w any = p.V, p.W
	if p.Part.Columns {
		w = group.Distributed[T]{X: p.W, Columns: true, First: p.Part.First, Whole: p.Part.Whole}
	} else {
		v = group.Distributed[T]{X: p.V, First: p.Part.First, Whole: p.Part.Whole}
	}
	return []state.Field{state.Factor("V", v), state.Factor("W", w)}
}
