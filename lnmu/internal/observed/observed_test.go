package observed

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"nmu/internal/must"
	"nmu/internal/together"
	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/group"
)

// bitsOf returns bits of which about every third is missing.
func bitsOf(rows, cols int, seed uint64) kernel.Bits {
	rng := rand.New(rand.NewPCG(seed, 1))
	b := Full(rows, cols)
	for i := range rows {
		for j := range cols {
			b.Set(i, j, rng.IntN(3) > 0)
		}
	}
	return b
}

// weightsOf returns weights from 1 to 4.
func weightsOf(rows, cols int, seed uint64) kernel.Matrix[float64] {
	rng := rand.New(rand.NewPCG(seed, 2))
	w := kernel.NewMatrix[float64](rows, cols)
	for i := range rows {
		for j := range cols {
			w.Row(i)[j] = 1 + 3*rng.Float64()
		}
	}
	return w
}

// partOf returns the rows of a tall matrix, or the columns of a wide one, that process p of a
// group has, and which they are.
func partOf(e Entries, rows, cols, p, size int) (Entries, core.Part, int, int) {
	first, last := group.Share(max(rows, cols), p, size)
	part := core.Part{First: first, Whole: max(rows, cols), Columns: cols > rows}
	w := core.Window{Rows: group.Span{From: first, To: last}, Cols: group.Span{To: cols}}
	if part.Columns {
		w = core.Window{Rows: group.Span{To: rows}, Cols: group.Span{From: first, To: last}}
	}
	own := Entries{}
	if e.Mask.Data != nil {
		own.Mask = Full(w.Rows.Len(), w.Cols.Len())
		for i := range w.Rows.Len() {
			for j := range w.Cols.Len() {
				own.Mask.Set(i, j, e.Mask.At(w.Rows.From+i, w.Cols.From+j))
			}
		}
	}
	if e.Weights != nil {
		x := kernel.NewMatrix[float64](w.Rows.Len(), w.Cols.Len())
		for i := range x.Rows {
			for j := range x.Row(i) {
				x.Row(i)[j] = e.Weights.At(w.Rows.From+i, w.Cols.From+j)
			}
		}
		own.Weights = x
	}
	return own, part, w.Rows.Len(), w.Cols.Len()
}

// TestTransposed compares bits of all shapes with those of their transpose.
func TestTransposed(t *testing.T) {
	for rows := range 19 {
		for _, cols := range []int{0, 1, 7, 8, 9, 16, 25} {
			b := bitsOf(rows, cols, 3)
			x := Transposed(nil, b)
			if x.Rows != cols || x.Cols != rows {
				t.Fatalf("%d x %d becomes %d x %d", rows, cols, x.Rows, x.Cols)
			}
			for i := range rows {
				for j := range cols {
					if b.At(i, j) != x.At(j, i) {
						t.Errorf("%d x %d: entry (%d, %d)", rows, cols, i, j)
					}
				}
			}
		}
	}
}

// TestCells compares weights that are formed where they are needed with a copy of them, and
// with their definition.
func TestCells(t *testing.T) {
	const rows, cols = 21, 13
	for _, masked := range []bool{false, true} {
		e := Entries{Weights: weightsOf(rows, cols, 1)}
		if masked {
			e.Mask = bitsOf(rows, cols, 2)
		}
		e = must.Get(e.Settle(group.Self{}, core.Part{}, rows, cols))(t)
		mask := Mask{Rows: e.Mask}
		if masked {
			mask.Cols = Transposed(nil, e.Mask)
		}
		for _, turned := range []bool{false, true} {
			formed := NewCells[float32](e, mask, turned)
			copied := formed.Copied(nil)
			lines, width := rows, cols
			if turned {
				lines, width = cols, rows
			}
			room := formed.NewRoom(nil, lines)
			for _, span := range [][2]int{{0, 3}, {3, 5}, {1, 9}, {1, 3}, {0, lines}} {
				a, b := formed.Weights(&room, span[0], span[1]), copied.Weights(nil, span[0], span[1])
				for i := range a.Rows {
					for j := range width {
						at, to := span[0]+i, j
						if turned {
							at, to = to, at
						}
						want := float32(e.Weights.At(at, to) / e.Largest)
						if masked && !e.Mask.At(at, to) {
							want = 0
						}
						if got := a.At(i, j); got != want || b.At(i, j) != want || got > 1 || (got > 0) != formed.Observed(span[0]+i, j) {
							t.Errorf("masked %v, turned %v: line %d, entry %d: %v, copied %v, want %v", masked, turned, span[0]+i, j, got, b.At(i, j), want)
						}
					}
				}
			}
		}
	}
}

// TestSettle: what the processes say of their parts is what one process says of M.
func TestSettle(t *testing.T) {
	const long, short = 700, 9
	corner := func(rows, cols int) kernel.Bits { // one entry is missing
		b := Full(rows, cols)
		b.Set(rows-1, cols-1, false)
		return b
	}
	level := func(rows, cols int) kernel.Matrix[float64] {
		w := kernel.NewMatrix[float64](rows, cols)
		for i := range rows {
			for j := range cols {
				w.Row(i)[j] = 2
			}
		}
		return w
	}
	for _, shape := range [][2]int{{long, short}, {short, long}} {
		rows, cols := shape[0], shape[1]
		one := level(rows, cols)
		one.Row(rows - 1)[cols-1] = 5
		none := level(rows, cols)
		none.Row(0)[0] = 0
		for name, e := range map[string]Entries{
			"nothing": {}, "all": {Mask: Full(rows, cols)}, "one missing": {Mask: corner(rows, cols)}, "some missing": {Mask: bitsOf(rows, cols, 5)},
			"equal weights": {Weights: level(rows, cols)}, "one other weight": {Weights: one}, "one weight of 0": {Weights: none},
			"weights": {Weights: weightsOf(rows, cols, 1)}, "both": {Mask: bitsOf(rows, cols, 5), Weights: weightsOf(rows, cols, 1)}, "one of 0 beside a mask": {Mask: corner(rows, cols), Weights: none},
		} {
			whole := core.Part{Whole: long, Columns: cols > rows}
			given := bytes.Clone(e.Mask.Data)
			want := must.Get(e.Settle(group.Self{}, whole, rows, cols))(t)
			if !bytes.Equal(given, e.Mask.Data) {
				t.Errorf("%s, %v: the mask of the caller is another one", name, shape)
			}
			seen, weights := want.Sums(group.Self{}, whole)
			if (seen != "") != (want.Mask.Data != nil) || (weights != "") != (want.Weights != nil) {
				t.Errorf("%s, %v: the sums of the mask and of the weights are %q and %q", name, shape, seen, weights)
			}
			for _, size := range []int{2, 3, 11} {
				together.Run(size, func(p *together.Process) {
					own, part, m, n := partOf(e, rows, cols, p.Rank(), size)
					got, err := own.Settle(p, part, m, n)
					if err != nil {
						t.Errorf("%s, %v, process %d of %d: %v", name, shape, p.Rank(), size, err)
						return
					}
					if (got.Mask.Data != nil) != (want.Mask.Data != nil) || (got.Weights != nil) != (want.Weights != nil) || got.Largest != want.Largest || got.Missing != want.Missing {
						t.Errorf("%s, %v, process %d of %d: a mask %v, weights %v up to %v", name, shape, p.Rank(), size, got.Mask.Data != nil, got.Weights != nil, got.Largest)
						return
					}
					if a, b := got.Sums(p, part); a != seen || b != weights {
						t.Errorf("%s, %v, process %d of %d: other sums", name, shape, p.Rank(), size)
					}
				})
			}
		}
	}
}

// TestSettleErrors: if one process has an error, all have one, and no process waits.
func TestSettleErrors(t *testing.T) {
	const long, short, size = 700, 9, 3
	hole := func(b kernel.Bits, at func(i, j int) bool) kernel.Bits {
		for i := range b.Rows {
			for j := range b.Cols {
				b.Set(i, j, !at(i, j))
			}
		}
		return b
	}
	for _, shape := range [][2]int{{long, short}, {short, long}} {
		rows, cols := shape[0], shape[1]
		last := func(i, j int) bool { return max(i, j) == long-1 && min(i, j) < short } // a line of process 2
		across := func(i, j int) bool { return rows > cols && j == 3 || rows < cols && i == 3 }
		negative := weightsOf(rows, cols, 1)
		negative.Row(rows - 1)[cols-1] = -1
		nan := weightsOf(rows, cols, 1)
		nan.Row(0)[0] = math.NaN()
		line, other := "row", "column"
		if cols > rows {
			line, other = other, line
		}
		for name, c := range map[string]struct {
			e    Entries
			who  int // the process with an error of its own; -1: all
			says string
			is   error
		}{
			"a line":   {Entries{Mask: hole(Full(rows, cols), last)}, 2, fmt.Sprintf("%s %d of M has no observed entry", line, long), fault.ErrValue},
			"a column": {Entries{Mask: hole(Full(rows, cols), across)}, -1, other + " 4 of M has no observed entry", fault.ErrValue},
			"negative": {Entries{Weights: negative}, 2, fmt.Sprintf("row %d, column %d of the weights = -1", rows, cols), fault.ErrValue},
			"NaN":      {Entries{Weights: nan}, 0, "row 1, column 1 of the weights = NaN", fault.ErrValue},
		} {
			together.Run(size, func(p *together.Process) {
				own, part, m, n := partOf(c.e, rows, cols, p.Rank(), size)
				e, err := own.Settle(p, part, m, n)
				if err == nil {
					err = e.CheckLines(p, part)
				}
				must.Fail(t, err, nil, c.says, name, "of", shape, "process", p.Rank(), "says")
				if own := c.who < 0 || c.who == p.Rank(); errors.Is(err, c.is) != own || errors.Is(err, group.ErrProcess) == own {
					t.Errorf("%s of %v: process %d: %v", name, shape, p.Rank(), err)
				}
			})
		}
		// A column that one process alone observes is observed, and so is a matrix of which
		// one process misses nothing.
		alone := hole(Full(rows, cols), func(i, j int) bool { return across(i, j) && max(i, j) < long-1 })
		together.Run(size, func(p *together.Process) {
			own, part, m, n := partOf(Entries{Mask: alone}, rows, cols, p.Rank(), size)
			e, err := own.Settle(p, part, m, n)
			if err == nil {
				err = e.CheckLines(p, part)
			}
			must.Equal(t, err, nil, shape, "process", p.Rank())
		})
		// Weights, or a mask, of another shape, and of some processes alone.
		for name, c := range map[string]func(own Entries, rank, m, n int) Entries{
			"shape": func(own Entries, rank, m, n int) Entries {
				if rank == 1 {
					own.Mask = Full(m+1, n)
				}
				return own
			},
			"weights' shape": func(own Entries, rank, m, n int) Entries {
				if rank == 1 {
					own.Weights = weightsOf(m, n+1, 1)
				}
				return own
			},
			"one process": func(own Entries, rank, m, n int) Entries {
				if rank == 1 {
					own.Weights = nil
				}
				return own
			},
		} {
			together.Run(size, func(p *together.Process) {
				own, part, m, n := partOf(Entries{Weights: weightsOf(rows, cols, 1)}, rows, cols, p.Rank(), size)
				if _, err := c(own, p.Rank(), m, n).Settle(p, part, m, n); err == nil {
					t.Errorf("%s of %v: process %d has no error", name, shape, p.Rank())
				}
			})
		}
	}
}

// gramOf returns the Gram matrix of line i, summed up in the order of its observed entries.
func gramOf(l Line[float32], i int) kernel.Matrix[float32] {
	b := kernel.NewMatrix[float32](l.Other.Rows, l.Other.Rows)
	for _, j := range Positions(nil, l.Mask, l.Other.Cols, i, true) {
		weight := float32(1)
		if l.Weighted() {
			weight = l.Weight(i, j)
		}
		for k := range b.Rows {
			for m := range b.Rows {
				b.Row(k)[m] += weight * l.Other.Row(k)[j] * l.Other.Row(m)[j]
			}
		}
	}
	return b
}

// TestColumns: the Gram matrices of the columns of which processes have parts are, bit for
// bit, those of one process.
func TestColumns(t *testing.T) {
	const lines, columns, rank = 700, 10, 4
	for _, e := range []Entries{
		{Mask: bitsOf(lines, columns, 3)},
		{Weights: weightsOf(lines, columns, 4)},
		{Mask: bitsOf(lines, columns, 3), Weights: weightsOf(lines, columns, 4)},
	} {
		h := kernel.NewMatrix[float32](rank, lines)
		for k := range rank {
			for i := range h.Row(k) {
				h.Row(k)[i] = float32((k+2)*i%17) / 5
			}
		}
		gram, inv := kernel.NewMatrix[float32](rank, rank), make([]float32, rank)
		kernel.Gram(gram, h)
		kernel.Reciprocals(inv, gram)
		cellsOf := func(e Entries) Cells[float32] {
			k := Mask{Rows: e.Mask}
			if e.Mask.Data != nil {
				k.Cols = Transposed(nil, e.Mask)
			}
			return NewCells[float32](e, k, false)
		}
		whole := must.Get(e.Settle(group.Self{}, core.Part{Whole: lines}, lines, columns))(t)
		one := NewColumns(nil, group.Self{}, cellsOf(whole).Copied(nil), lines, columns)
		one.Gather(h)
		want := make([][]float32, columns)
		for j := range want {
			b := gramOf(one.Line(gram, inv), j)
			for k := range rank {
				want[j] = append(want[j], b.Row(k)...)
			}
		}
		for _, size := range []int{2, 3, 5, 13} {
			together.Run(size, func(p *together.Process) {
				own, at, m, n := partOf(e, lines, columns, p.Rank(), size)
				own, err := own.Settle(p, at, m, n)
				if err != nil {
					t.Errorf("process %d of %d: %v", p.Rank(), size, err)
					return
				}
				x := NewColumns(nil, p, cellsOf(own), lines, columns)
				mine := h.Slice(0, rank, at.First, at.First+m)
				mine.Cols = m
				x.Gather(mine)
				found := kernel.NewMatrix[float32](rank, columns)
				for j := x.Own.From; j < x.Own.To; j++ {
					b := gramOf(x.Line(gram, inv), j-x.Own.From)
					for k := range rank {
						found.Row(k)[j] = float32(p.Rank())
						for l, a := range b.Row(k) {
							if a != want[j][k*rank+l] {
								t.Errorf("process %d of %d: column %d: %v, want %v", p.Rank(), size, j, b.Row(k), want[j][k*rank:(k+1)*rank])
								break
							}
						}
					}
				}
				x.Put(found)
				for j := range columns {
					who := float32(0) // whose column it is
					for q := range size {
						if columns*q/size <= j && j < columns*(q+1)/size {
							who = float32(q)
						}
					}
					for k := range rank {
						must.Equal(t, found.Row(k)[j], who, "process", p.Rank(), "of", size, "column", j, "is that of process")
					}
				}
			})
		}
	}
}
