package sparse

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"nmu/internal/dataset"
	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/start"
	"nmu/lnmu/internal/tiles"
)

// random returns an m x n matrix of which a fifth is stored.
func random(m, n int, seed uint64) tiles.CSR[float64] {
	rng := rand.New(rand.NewPCG(seed, 9))
	c := tiles.CSR[float64]{Rows: m, Cols: n, Ptr: make([]int, m+1)}
	for i := range m {
		for j := range n {
			if rng.IntN(5) == 0 {
				c.Idx, c.Val = append(c.Idx, int32(j)), append(c.Val, rng.Float64())
			}
		}
		c.Ptr[i+1] = len(c.Val)
	}
	return c
}

// generated returns a matrix of data sets.
func generated(m, n, entries int, seed uint64) tiles.CSR[float64] {
	ptr, idx, val := dataset.Sparse[float64](m, n, entries, seed)
	return tiles.CSR[float64]{Rows: m, Cols: n, Ptr: ptr, Idx: idx, Val: val}
}

// drawn returns the start of a seed.
func drawn(m, n, r int, seed uint64) (v, w kernel.Matrix[float64]) {
	return start.Draw[float64](m, n, r, seed, false, core.Part{Whole: m}.Window(m, n))
}

// inMemory returns a matrix as one process has it.
func inMemory(m tiles.CSR[float64], byRows bool) tiles.Input[float64] {
	return tiles.Redistribute(group.Self{}, m.Rows, m.Cols, core.Part{Whole: max(m.Rows, m.Cols), Columns: m.Cols > m.Rows}, m, byRows)
}

// entriesOf returns N.
func entriesOf(s *solver[float64]) (all []float64) {
	s.InOrder([3]block.Access{block.OfN: block.Reads}, false, func(_, n []float64) { all = slices.Concat(all, n) })
	return all
}

// TestMeasure compares the two ways to measure a result on every entry, and by a bound, for tall and
// wide matrices of several slabs, rows with all columns, and slabs shorter and longer than boundRows.
// Both ways ask whether they are over.
func TestMeasure(t *testing.T) {
	tall := generated(3000, 700, 60000, 3)
	for _, m := range []tiles.CSR[float64]{random(90, 70, 3), random(7, 1500, 4), tall, tall.Transposed()} {
		for _, scale := range []float64{0, 0.01, 0.1, 1} {
			tm := team.New(2)
			defer tm.Close()
			v, w := drawn(m.Rows, m.Cols, 4, 2)
			for i := range v.Data {
				v.Data[i] *= scale * float64(i%97) / 97
			}
			in := inMemory(m, false)
			in.Tile(tiles.Form{Rank: 4})
			e := measurement[float64]{Team: tm, m: in, v: v, w: w}
			want, done := e.everywhere(never)
			n := e.byRows()
			got := n.residual(0, never)
			onStored := got.Least
			least, also := e.leastOnZeros(onStored, math.Inf(1), never)
			got.Least = least
			bound := n.leastPossible(onStored)
			near := func(x, y float64) bool { return math.Abs(x-y) <= 1e-12*y }
			if !done || !also || !near(got.Squares, want.Squares) || !near(got.Excess, want.Excess) || !near(-got.Least, -want.Least) || bound > want.Least || bound < 10*want.Least {
				t.Errorf("%d x %d times %v: by the norms %+v, %v, by the entries %+v, %v; bound %v", m.Rows, m.Cols, scale, got, also, want, done, bound)
			}
			if onStored > want.Least && least != want.Least {
				t.Errorf("%d x %d times %v: least entry on the zeros %v, want the bits of %v", m.Rows, m.Cols, scale, least, want.Least)
			}
			if all := n.residual(math.Inf(1), never); all.Noise != 0 || !near(all.Squares, want.Squares) || !near(all.Excess, want.Excess) {
				t.Errorf("%d x %d times %v: by rows %+v, want %+v", m.Rows, m.Cols, scale, all, want)
			}
			var asked atomic.Int64
			over := func() bool { asked.Add(1); return true }
			if _, done := e.everywhere(over); done || asked.Swap(0) == 0 {
				t.Errorf("everywhere: done: %v, or did not ask", done)
			}
			if _, done := e.leastOnZeros(0, math.Inf(1), over); done || asked.Load() == 0 {
				t.Errorf("zeros: done: %v, or did not ask", done)
			}
			if _, done := e.leastOnZeros(0, 1, never); done {
				t.Errorf("zeros: done with one entry of V W")
			}
		}
	}
}

// TestRoundingOfRows: a row whose squares cancel is measured if that may take so long, and else the bound on its rounding
// errors holds.
func TestRoundingOfRows(t *testing.T) {
	m := generated(3000, 700, 60000, 3)
	v, w := drawn(m.Rows, m.Cols, 5, 2)
	for i := range v.Rows {
		v.Row(i)[4] = 0
	}
	clear(w.Row(4))
	v.Row(7)[4], w.Row(4)[m.Idx[m.Ptr[7]]] = 1e6, 1e6 // one isolated entry, which M has
	m.Val[m.Ptr[7]] += 1e12
	tm := team.New(2)
	defer tm.Close()
	e := measurement[float64]{Team: tm, m: inMemory(m, false), v: v, w: w}
	want, _ := e.everywhere(never)
	all, none := e.byRows().residual(math.Inf(1), never), e.byRows().residual(0, never)
	if far := func(r core.Residual) float64 { return math.Abs(r.Squares - want.Squares) }; all.Noise != 0 || far(all) > 1e-6*want.Squares || !(none.Noise > 0) || far(none) > none.Noise || none.Noise < 1e-6*want.Squares {
		t.Errorf("measured %+v, not measured %+v, want %+v", all, none, want)
	}
}

// TestRankOne compares the one walk with the two halves of a step by the
// kernels for any rank, on the way of an iteration, with and without an update of
// the multipliers, for matrices of one group and of several.
func TestRankOne(t *testing.T) {
	large := generated(3000, 2000, 60000, 3)
	for _, m := range []tiles.CSR[float64]{random(9, 40, 1), random(40, 9, 1), large, large.Transposed()} {
		v, w := drawn(m.Rows, m.Cols, 1, 1)
		tm := team.New(2)
		defer tm.Close()
		var solvers [2]*solver[float64]
		for i := range solvers {
			in := inMemory(m, true)
			in.Tile(tiles.Form{ByRows: true, Rank: 1})
			s := newSolver(tiles.NewLayout(in.Tiles, tiles.Form{State: true}, tm), 1, false)
			solvers[i] = s
			s.Reset()
			s.Take(v, w, 0)
			s.Scale()
			if !s.ByRows {
				t.Fatalf("%d x %d: not in one walk", m.Rows, m.Cols)
			}
		}
		one, two := solvers[0], solvers[1]
		for k, mu := range []float64{0, 0.5, 0, 0.3, 0} {
			one.g, two.g = 0.1*float64(k), 0.1*float64(k)
			one.renewRankOne(mu)
			two.renewLong(mu)
			two.renewShort(0)
			for name, pair := range map[string][2][]float64{
				"V": {one.long.X.Data, two.long.X.Data}, "W": {one.short.X.Data, two.short.X.Data}, "N": {entriesOf(one), entriesOf(two)},
				"VᵀV": {one.long.Gram.Data[:1], two.long.Gram.Data[:1]}, "sum of V": {one.long.Sum, two.long.Sum},
				"W Wᵀ": {one.short.Gram.Data[:1], two.short.Gram.Data[:1]}, "sum of W": {one.short.Sum, two.short.Sum},
			} {
				for i, x := range pair[0] {
					if y := pair[1][i]; !(math.Abs(x-y) <= 1e-13*(1+math.Abs(y))) {
						t.Fatalf("%d x %d, step %d: %s[%d] = %v in one walk, %v in two", m.Rows, m.Cols, k, name, i, x, y)
					}
				}
			}
		}
	}
}
