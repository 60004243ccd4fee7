package storages

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"nmu/internal/must"
	"nmu/internal/together"
	"nmu/lnmu"
	"nmu/lnmu/distributed"
	"nmu/lnmu/internal/lnmutest"
)

// TestRefused: what one process refuses of its part, or has otherwise than the others, ends all of
// them. The error names the process and the entry of M.
func TestRefused(t *testing.T) {
	const all = -1
	with := func(change func(m lnmu.Dense[float32])) lnmu.Dense[float32] {
		m := positive[float32](900, 4, 2)
		change(m)
		return m
	}
	column := func(x float32) lnmu.Dense[float32] { // no part of it overflows or underflows by itself
		return with(func(m lnmu.Dense[float32]) {
			for i := range m.Rows {
				m.Row(i)[1] = x
			}
		})
	}
	good := with(func(lnmu.Dense[float32]) {})
	negative := with(func(m lnmu.Dense[float32]) { m.Row(899)[2] = -1 })
	infinite := with(func(m lnmu.Dense[float32]) { m.Row(600)[1] = 1e30 })
	sparse := scattered[float32](900, 20, 9000)
	row := 899
	for sparse.Ptr[row] == sparse.Ptr[row+1] {
		row--
	}
	entry := func(x float32, at int) lnmu.CSR[float32] {
		m := sparse
		m.Val = append([]float32(nil), m.Val...)
		m.Val[at] = x
		return m
	}
	wrong := entry(-1, sparse.Ptr[row])
	col := sparse.Idx[sparse.Ptr[row]] + 1
	seen := condition{mask: lnmutest.Gaps(900, 4, 0.3, 2), weights: lnmutest.WeightsOf(lnmu.NewMask(900, 4), true)}
	type change = func(of *process[float32])
	for name, c := range map[string]struct {
		x      problem[float32]
		who    int // of 3, or all
		change change
		target error
		says   string
	}{
		"negative entry":       {problem[float32]{dense: negative}, 2, nil, lnmu.ErrValue, "row 900, column 3 of M = -1 is negative"},
		"negative entry, wide": {problem[float32]{dense: negative.Transposed()}, 2, nil, lnmu.ErrValue, "row 3, column 900 of M = -1 is negative"},
		"large entry":          {problem[float32]{dense: infinite}, 1, nil, lnmu.ErrValue, "the squares of row 601 of M overflow"},
		"large row, wide":      {problem[float32]{dense: column(8e17).Transposed()}, all, nil, lnmu.ErrValue, "the squares of row 2 of M overflow"},
		"small row, wide":      {problem[float32]{dense: column(1e-30).Transposed()}, all, nil, lnmu.ErrValue, "the squares of row 2 of M underflow"},
		"sparse":               {problem[float32]{sparse: &wrong}, 2, nil, lnmu.ErrValue, fmt.Sprintf("row %d, column %d of M = -1 is negative", row+1, col)},
		"sparse, large":        {problem[float32]{sparse: ptr(entry(1e30, 0))}, all, nil, lnmu.ErrValue, "the squares of M overflow"},
		"sparse, wide":         {problem[float32]{sparse: ptr(wrong.Transposed())}, 2, nil, lnmu.ErrValue, fmt.Sprintf("row %d, column %d of M = -1 is negative", col, row+1)},
		"no matrix":            {problem[float32]{dense: good}, 0, func(of *process[float32]) { of.own = nil }, lnmu.ErrShape, "M is nil"},
		"another place":        {problem[float32]{dense: good}, 1, func(of *process[float32]) { of.whole.Rows += 300 }, lnmu.ErrShape, "Share"},
		"another width":        {problem[float32]{dense: good}, 0, func(of *process[float32]) { of.whole.Cols++ }, lnmu.ErrShape, "Share"},
		"no size":              {problem[float32]{dense: good}, all, func(of *process[float32]) { of.whole.Rows, of.whole.Cols = 0, 0 }, lnmu.ErrShape, "Rows and Cols of the Whole"},
		"sides":                {problem[float32]{dense: good}, all, func(of *process[float32]) { of.whole.Rows, of.whole.Cols = of.whole.Cols, of.whole.Rows }, lnmu.ErrShape, ""},
		"another seed":         {problem[float32]{dense: good}, 2, func(of *process[float32]) { of.settings.Seed = 7 }, lnmu.ErrOption, "all processes the same"},
		"another method":       {problem[float32]{dense: good}, 1, func(of *process[float32]) { of.method = lnmu.NMF{} }, lnmu.ErrOption, "all processes the same"},
		"another rank":         {problem[float32]{dense: good}, 1, func(of *process[float32]) { of.rank++ }, lnmu.ErrOption, "all processes the same"},
		"in memory": {problem[float32]{dense: good}, 1, func(of *process[float32]) {
			if of.disk != nil {
				of.own = of.own.(*lnmutest.LinesOf[float32]).Dense
			} else {
				of.own = &lnmutest.LinesOf[float32]{Dense: of.own.(lnmu.Dense[float32])}
			}
		}, lnmu.ErrOption, "process 1 has its part of M in "},
		"in another form": {problem[float32]{dense: good}, 1, func(of *process[float32]) {
			d := lnmutest.Ones[float32](of.own.Dims())
			of.own = lnmu.NewCSR(d)
		}, lnmu.ErrOption, "process 1 has its part of M in memory, sparse, and process 0 in "},
		"a row is missing": {problem[float32]{dense: good, seen: seen}, 2, func(of *process[float32]) {
			for j := range 4 {
				of.seen.mask.Set(5, j, false)
			}
		}, lnmu.ErrValue, "has no observed entry"},
		"a column is missing": {problem[float32]{dense: good, seen: condition{mask: noColumn(900, 4)}}, all, nil, lnmu.ErrValue, "column 2 of M has no observed entry"},
		"a mask of M":         {problem[float32]{dense: good, seen: seen}, 1, func(of *process[float32]) { of.seen.mask = seen.mask }, lnmu.ErrShape, "the mask is 900 x 4 and M is"},
		"a negative weight": {problem[float32]{dense: good, seen: seen}, 2, func(of *process[float32]) {
			w := lnmutest.Ones[float64](of.seen.weights.Dims())
			w.Row(0)[0], of.seen.weights = -2, w
			of.seen.mask.Set(0, 0, true)
		}, lnmu.ErrValue, "column 1 of the weights = -2"},
		"no weights":                      {problem[float32]{dense: good, seen: seen}, all, func(of *process[float32]) { of.seen.weights = nil }, lnmu.ErrOption, "others have none"},
		"another solver":                  {problem[float32]{dense: good, seen: seen}, 2, func(of *process[float32]) { of.settings.MissingSolver = lnmu.MissingMajorize }, lnmu.ErrOption, "all processes the same"},
		"an unknown solver":               {problem[float32]{dense: good, seen: seen}, 2, func(of *process[float32]) { of.settings.MissingSolver = "best" }, lnmu.ErrOption, "unknown solver for missing entries"},
		"nothing stored in a row":         {problem[float32]{sparse: ptr(without(func(i, _ int) bool { return i == 650 })), seen: condition{stored: true}}, all, nil, lnmu.ErrValue, "row 651 of M has no observed entry"},
		"nothing stored in a column":      {problem[float32]{sparse: ptr(without(func(_, j int) bool { return j == 16 })), seen: condition{stored: true}}, all, nil, lnmu.ErrValue, "column 17 of M has no observed entry"},
		"nothing stored in a row of wide": {problem[float32]{sparse: ptr(without(func(_, j int) bool { return j == 16 }).Transposed()), seen: condition{stored: true}}, all, nil, lnmu.ErrValue, "row 17 of M has no observed entry"},
		"a NaN": {problem[float32]{dense: with(func(m lnmu.Dense[float32]) { m.Row(400)[0] = float32(math.NaN()) }), seen: condition{mask: seen.mask}}, 1, func(of *process[float32]) {
			of.seen.mask.Set(100, 0, true)
		}, lnmu.ErrValue, "column 1 of M = NaN"},
	} {
		for _, s := range storagesOf(false)[1:] {
			x := c.x
			if s.processes < 3 || x.sparse != nil && !s.files {
				continue
			}
			s.processes = 3
			x.name, x.method, x.rank = name, lnmu.RNMU{}, 2
			_, errs := x.in(s, func(rank int, of *process[float32]) {
				of.settings.Iterations, of.settings.Scratch = 2, t.TempDir()
				if c.change != nil && (rank == c.who || c.who == all && (rank == 0 || name != "no weights")) {
					c.change(of)
				}
			})
			if c.who >= 0 {
				ended(t, name+" in "+s.name, errs, c.who, c.target)
			}
			for rank, err := range errs {
				if c.who == all && !errors.Is(err, c.target) && !errors.Is(err, lnmu.ErrProcess) || err == nil || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%s in %s: process %d: %v, want %q", name, s.name, rank, err, c.says)
				}
			}
			if c.change != nil {
				continue
			}
			if _, errs := x.in(memory, nil); !errors.Is(errs[0], c.target) || !strings.Contains(errs[0].Error(), c.says) {
				t.Errorf("%s: one process: %v", name, errs[0])
			}
		}
	}
	must.Refuse(lnmu.Factor(t.Context(), distributed.Whole[float32]{Rows: 900, Cols: 4}.Part(good), 2, nil, nil))(t, lnmu.ErrOption, "", "a part without processes")
	m, three := positive[float32](900, 4, 2), storagesOf(false)[1]
	x := problem[float32]{run: run{name: "improve", method: lnmu.NMF{}, rank: 2, given: "improve"}, dense: m}
	together.Run(3, func(p *together.Process) {
		own, rank := x.place(three, p), 2+p.Rank()%2
		v, w := lnmutest.RandomStart[float32](900, 4, rank, 1)
		v, w = startOf(v, w, p)
		want := []error{lnmu.ErrProcess, lnmu.ErrOption, lnmu.ErrProcess}[p.Rank()]
		must.Refuse((&lnmu.Result[float32]{V: v, W: w}).Improve(t.Context(), own.matrix(), lnmu.NMF{}, nil))(t, want, "", "other ranks of a start: process", p.Rank())
		if own.own = linesOf(m, p); p.Rank() == 1 {
			own.own = lnmu.NewCSR(linesOf(m, p))
		}
		v, w = lnmutest.RandomStart[float32](900, 4, 2, 1)
		v, w = startOf(v, w, p)
		must.Refuse(lnmu.Measure(own.matrix(), v, w, nil))(t, want, "", "other forms of M: process", p.Rank())
	})
	// Squares that do not overflow, although it takes a look at the whole row to tell.
	x = problem[float32]{run: run{name: "large", method: lnmu.NMF{}, rank: 2, settings: lnmu.Settings{Limits: lnmu.Limits{Iterations: 1}}}, dense: column(5e17).Transposed()}
	x.found(t, storagesOf(false)[2], nil)
}

// without returns a sparse matrix that stores nothing where empty says so.
func without(empty func(i, j int) bool) lnmu.CSR[float32] {
	d := positive[float32](700, 30, 2)
	for i := range d.Rows {
		for j := range d.Cols {
			if empty(i, j) || (i+j)%3 == 0 {
				d.Row(i)[j] = 0
			}
		}
	}
	return lnmu.NewCSR(d)
}

func ptr[T any](x T) *T { return &x }

// noColumn returns a mask without the second column.
func noColumn(m, n int) *lnmu.Mask {
	k := lnmu.NewMask(m, n)
	for i := range m {
		k.Set(i, 1, false)
	}
	return k
}
