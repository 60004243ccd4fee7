package storages

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"nmu/internal/literal"
	"nmu/internal/must"
	"nmu/internal/together"
	"nmu/lnmu"
	"nmu/lnmu/distributed"
	"nmu/lnmu/internal/lnmutest"
)

// measuredLiterally are the numbers of Measure by their definitions.
func measuredLiterally(m, u, v, w lnmu.Dense[float64]) (res lnmu.Measures) {
	p := literal.Problem{M: m, U: u}
	for k, x := range m.Data {
		if u.Data[k] > 0 {
			res.LargestEntry = max(res.LargestEntry, x)
		}
	}
	switch norm := p.Norm(); {
	case norm == 0:
		res.Scale = 1
		res.MaxViolation, _ = p.Violation(v, w)
	case literal.Sum(v) == 0:
		res.RelativeError, res.ScaledError = 1, 1
	default:
		res.RelativeError = math.Sqrt(p.Squares(v, w)) / norm
		most, over := p.Violation(v, w)
		res.MaxViolation, res.RelativeViolation = most, over/norm
		v, w = literal.Clone(v), literal.Clone(w)
		before := v.Data[0] * w.Data[0]
		p.Scale(v, w)
		res.Scale, res.ScaledError = v.Data[0]*w.Data[0]/before, math.Sqrt(p.Squares(v, w))/norm
	}
	return res
}

// TestMeasure: Measure has the numbers of its definition for a matrix in memory and in files,
// dense and sparse, with missing entries and weights. A matrix in files has the bits of the one in
// memory.
func TestMeasure(t *testing.T) {
	smallChunks(t, 2000, 3)
	for _, shape := range [][2]int{{301, 9}, {9, 301}, {40, 41}} {
		rows, cols := shape[0], shape[1]
		d := lnmutest.SparseData[float64](rows, cols, 7).Dense()
		for i := range max(rows, cols) { // every row and column stores something
			d.Row(i % rows)[i%cols] = 0.5
		}
		m := lnmu.NewCSR(d)
		ones, stored, weights, seen := lnmutest.Ones[float64](rows, cols), lnmu.NewDense[float64](rows, cols, nil), lnmu.NewDense[float64](rows, cols, nil), lnmu.NewMask(rows, cols)
		unseen := lnmutest.Ones[float64](rows, cols)
		for i := range rows {
			for j := range cols {
				weights.Row(i)[j] = float64(1 + (i+2*j)%4)
				if d.At(i, j) != 0 {
					stored.Row(i)[j] = 1
				}
				if (3*i+j)%5 == 1 {
					seen.Set(i, j, false)
					unseen.Row(i)[j] = 0
				}
			}
		}
		zero, v, w := lnmu.NewDense[float64](rows, cols, nil), lnmu.Dense[float64]{}, lnmu.Dense[float64]{}
		lines := func(d lnmu.Dense[float64]) lnmu.Matrix[float64] { return &lnmutest.LinesOf[float64]{Dense: d} }
		rowsOf := func(d lnmu.Dense[float64]) lnmu.Matrix[float64] {
			return &lnmutest.RowsOfCSR[float64]{CSR: lnmu.NewCSR(d)}
		}
		type of = lnmu.Observed[float64]
		check := func(name string, d, u lnmu.Dense[float64], same ...lnmu.Matrix[float64]) {
			t.Helper()
			want := measuredLiterally(d, u, v, w)
			var first lnmu.Measures
			for k, x := range same {
				got, err := lnmu.Measure(x, v, w, &lnmu.Settings{Threads: 1 + k, Scratch: t.TempDir()})
				if err != nil {
					t.Fatalf("%s of %v, %T: %v", name, shape, x, err)
				}
				for what, x := range map[string][2]float64{
					"error": {got.RelativeError, want.RelativeError}, "scale": {got.Scale, want.Scale},
					"scaled error": {got.ScaledError, want.ScaledError}, "violation": {got.MaxViolation, want.MaxViolation},
					"relative violation": {got.RelativeViolation, want.RelativeViolation}, "largest entry": {got.LargestEntry, want.LargestEntry},
				} {
					must.AtMost(t, math.Abs(x[0]-x[1]), 1e-12*math.Abs(x[1]), name, "of", shape, "matrix", k, what)
				}
				if k == 0 {
					first = got
				} else if got != first {
					t.Errorf("%s of %v: %+v in files, %+v in memory", name, shape, got, first)
				}
			}
		}
		for rank := 1; rank <= 3; rank += 2 {
			v, w = lnmutest.RandomStart[float64](rows, cols, rank, 1)
			name := fmt.Sprintf("rank %d, ", rank)
			check(name+"dense", d, ones, d, lines(d))
			check(name+"masked", d, unseen, of{Matrix: d, Mask: seen}, of{Matrix: lines(d), Mask: seen}, of{Matrix: m, Mask: seen})
			check(name+"weighted", d, weights, of{Matrix: d, Weights: weights}, of{Matrix: lines(d), Weights: weights}, of{Matrix: m, Weights: weights})
			check(name+"sparse", d, ones, m, rowsOf(d))
			check(name+"stored", d, stored, of{Matrix: m, StoredOnly: true}, of{Matrix: rowsOf(d), StoredOnly: true})
			check(name+"zero", zero, ones, zero, lines(zero))
			check(name+"sparse zero", zero, ones, lnmu.NewCSR(zero), rowsOf(zero))
			v = lnmu.NewDense[float64](rows, rank, nil)
			check(name+"V = 0", d, ones, d, lines(d))
			check(name+"sparse, V = 0", d, ones, m, rowsOf(d))
		}
		v, w = lnmutest.RandomStart[float64](rows, cols, 3, 1)
		for after := int64(1); after < 4; after++ {
			dense, sparse := &lnmutest.LinesOf[float64]{Dense: d}, &lnmutest.RowsOfCSR[float64]{CSR: m}
			dense.ErrAfter.Store(after)
			sparse.ErrAfter.Store(after)
			for _, x := range []lnmu.Matrix[float64]{dense, sparse} {
				if _, err := lnmu.Measure(x, v, w, &lnmu.Settings{Scratch: t.TempDir()}); !errors.Is(err, lnmutest.ErrReader) {
					t.Errorf("%T of %v, after %d reads: error %v", x, shape, after, err)
				}
			}
		}
	}
	v, w := lnmutest.RandomStart[float64](20, 10, 2, 1)
	must.Refuse(lnmu.Measure(lnmu.Dense[float64]{}, v, w, nil))(t, lnmu.ErrShape, "", "no matrix")
}

// TestMeasureStorages: any number of processes measure what one measures, in every storage, and an
// error of one process is an error of all.
func TestMeasureStorages(t *testing.T) {
	smallChunks(t, 3000, 2)
	for _, m := range matrices[float64]() {
		x := m.problem
		x.name = m.name
		rows, cols := x.dims()
		v, w := lnmutest.RandomStart[float64](rows, cols, 2, 1)
		want := x.measured(t, v, w)
		for _, s := range storagesOf(x.sparse != nil) {
			measure := func(change func(rank int, of *process[float64])) []error {
				errs := make([]error, max(1, s.processes))
				do := func(rank int, p distributed.Processes) {
					of := x.place(s, p)
					change(rank, of)
					v, w := v, w
					if p != nil {
						v, w = startOf(v, w, p)
					}
					got, err := lnmu.Measure(of.matrix(), v, w, &lnmu.Settings{Threads: of.settings.Threads, Scratch: t.TempDir()})
					if errs[rank] = err; err == nil && got != want {
						t.Errorf("%s in %s, process %d: %+v, want %+v", x.name, s.name, rank, got, want)
					}
				}
				if s.processes == 0 {
					do(0, nil)
				} else {
					together.Run(s.processes, func(p *together.Process) { do(p.Rank(), p) })
				}
				return errs
			}
			must.Equal(t, errors.Join(measure(func(int, *process[float64]) {})...), nil, m.name, "in", s.name)
			if who := max(0, s.processes-1) / 2; s.files && rows > 1000 && x.sparse == nil {
				ended(t, m.name+" in "+s.name, measure(func(rank int, of *process[float64]) {
					if rank == who {
						of.disk.ErrAfter.Store(2)
					}
				}), who, lnmutest.ErrReader)
			}
		}
	}
}
