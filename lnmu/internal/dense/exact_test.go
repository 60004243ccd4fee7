package dense

import (
	"testing"
	"time"

	"nmu/internal/team"
	"nmu/internal/together"
	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
)

// TestExactRounds: several processes solve in rounds what one solves at once; if process 0
// ends the work between two of them, all end there.
func TestExactRounds(t *testing.T) {
	const m, n, rank = 900, 14, 4
	x := data(m, n, 4)
	v, w := drawn(m, n, rank, 1)
	// exactStep makes the exact step for V or W, of which process 0 is asked that often.
	exactStep := func(p group.Comm, round time.Duration, ofV bool, most int) (f core.Pair[float64], kkt float64, done bool, asked int) {
		share := group.ForRows(p, m)
		share.Control = group.NewControl(p, func() group.Signal {
			if asked++; asked > most {
				return group.Cancelled
			}
			return 0
		})
		l := newLayout[float64](nil, m, n, share, team.New(2))
		defer l.Close()
		l.m = x.Slice(l.first, l.first+l.rows, 0, n)
		l.m.Cols = n
		s := newSolver(l, rank)
		s.Over = func() bool { return share.Control.Last()&group.Cancelled != 0 }
		s.at = &place[float64]{Storage: &Storage[float64]{Session: core.Session{Over: s.Over}}}
		s.roundTime = round
		s.Take(v.Slice(l.first, l.first+l.rows, 0, rank), w, 0)
		kkt, done = s.Solve(ofV)
		f = core.Pair[float64]{V: matrix.New[float64](l.rows, rank, nil), W: matrix.New[float64](rank, n, nil)}
		s.finish(f.V, f.W, 0)
		return f, kkt, done, asked
	}
	defer func(old int) { block.ChunkBytes = old }(block.ChunkBytes)
	block.ChunkBytes = 1
	for _, ofV := range []bool{true, false} {
		want, worst, done, _ := exactStep(group.Self{}, 0, ofV, 0)
		if !done {
			t.Fatal("one process is not done")
		}
		rounds := 0
		together.Run(3, func(p *together.Process) {
			first, _ := group.Share(m, p.Rank(), p.Size())
			got, kkt, done, asked := exactStep(p, 50*time.Microsecond, ofV, 1<<20)
			if !done || kkt != worst || !equal(got.W, want.W) || !equal(got.V, want.V.Slice(first, first+got.V.Rows, 0, rank)) {
				t.Errorf("step for V is %v: process %d is done is %v, with residual %v, want %v", ofV, p.Rank(), done, kkt, worst)
			}
			if p.Rank() == 0 {
				rounds = asked
			}
		})
		if rounds == 0 {
			t.Errorf("step for V is %v: one round for all", ofV)
		}
		together.Run(3, func(p *together.Process) {
			if _, _, done, _ := exactStep(p, 50*time.Microsecond, ofV, 0); done {
				t.Errorf("step for V is %v: process %d does not end", ofV, p.Rank())
			}
		})
	}
}

// equal reports whether two matrices have the same entries.
func equal(a, b kernel.Matrix[float64]) bool {
	for i := range a.Rows {
		for j, x := range a.Row(i) {
			if x != b.Row(i)[j] {
				return false
			}
		}
	}
	return a.Rows == b.Rows && a.Cols == b.Cols
}
