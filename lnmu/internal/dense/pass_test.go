package dense

import (
	"math"
	"math/rand/v2"
	"testing"

	"nmu/internal/must"
	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/group"
)

// The number of rows that a pass works on at once follows from the caches, and
// must not show in the results.
func TestBlock(t *testing.T) {
	const rows, cols, rank = 210, 45, 5
	team := team.New(1)
	defer team.Close()
	var want []uint64
	for _, block := range []int{8, 40, 56, 224} {
		rng := rand.New(rand.NewPCG(3, 0))
		random := func(x kernel.Matrix[float64]) {
			for i := range x.Rows {
				for j := range x.Cols {
					x.Row(i)[j] = rng.Float64()
				}
			}
		}
		l := newLayout[float64](nil, rows, cols, group.ForRows(group.Self{}, max(rows, cols)), team)
		l.m = kernel.NewMatrix[float64](rows, cols)
		s := newSolver(l, rank)
		s.n = kernel.NewMatrix[float64](rows, cols)
		if s.slabs < 2 || s.block < 8 || s.block > s.slabRows+7 {
			t.Fatalf("%d slabs of %d rows, in blocks of %d", s.slabs, s.slabRows, s.block)
		}
		s.block = block
		s.generalPass() // with scratch of that size
		random(l.m)
		random(s.n)
		random(s.long.X)
		random(s.short.X)
		for _, when := range []kernel.When{kernel.Never, kernel.Before, kernel.After} {
			s.formB()
			s.pass(when, 0.3, true)
			s.renewShort()
		}
		var got []uint64
		for _, x := range []kernel.Matrix[float64]{s.n, s.long.X, s.short.X} {
			for _, v := range x.Data {
				got = append(got, math.Float64bits(v))
			}
		}
		if want == nil {
			want = got
		}
		must.EqualSlices(t, got, want, "blocks of", block, "rows give other bits than blocks of 8")
	}
}
