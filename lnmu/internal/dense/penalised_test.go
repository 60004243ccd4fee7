package dense

import (
	"testing"

	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/method"
)

// TestUnskew checks that bringing the penalties together changes no bit of what
// follows, but for the powers of two.
func TestUnskew(t *testing.T) {
	for _, shape := range [][2]int{{40, 30}, {30, 40}} {
		x := data(shape[0], shape[1], 4)
		v, w := drawn(shape[0], shape[1], 3, 1)
		run := func(unskew bool) (*solver[float64], float64) {
			l := newLayout[float64](nil, x.Rows, x.Cols, group.ForRows(group.Self{}, max(x.Rows, x.Cols)), team.New(1))
			defer l.Close()
			s := newSolver(l, 3)
			s.m = kernel.NewMatrix[float64](l.rows, l.cols)
			if l.tall {
				for i := range x.Rows {
					copy(s.m.Row(i), x.Row(i))
				}
			} else {
				s.m.SetTransposed(x)
			}
			s.n = s.m
			s.Take(v, w, 0)
			s.Begin()
			p := method.Penalties{V: core.Penalty{L1: 0.5}, W: core.Penalty{L1: 0.1}}
			for range 3 {
				s.Penalise(p.V, p.W)
				s.Step()
				if unskew {
					s.Shift(p.Unskew())
				}
			}
			return s, p.V.L1 / 0.5
		}
		plain, _ := run(false)
		other, c := run(true)
		if c != 0.5 {
			t.Fatalf("the penalty of V changed by the factor %v, want 1/2", c)
		}
		v1, w1 := plain.V, plain.W
		v2, w2 := other.V, other.W
		for _, f := range []struct {
			name        string
			plain, with kernel.Matrix[float64]
			by          float64
		}{{"V", v1.X, v2.X, 2}, {"W", w1.X, w2.X, 0.5}} {
			for k := range 3 {
				for i, x := range f.plain.Row(k) {
					if f.with.Row(k)[i] != f.by*x {
						t.Fatalf("%v %s[%d,%d] = %v, want %v times %v", shape, f.name, k, i, f.with.Row(k)[i], f.by, x)
					}
				}
			}
		}
	}
}
