package method

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nmu/internal/gonum"
	"nmu/internal/must"
	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/hals"
)

// multiplied is a matrix that vectors are multiplied by, entry by entry: tall, or the
// transpose of a wide one.
type multiplied struct {
	*team.Team
	m      kernel.Matrix[float64]
	turned bool        // it is the transpose
	slabs  int         // tasks of a product,
	over   func() bool // of which each asks
}

// newMultiplied returns the matrix on one thread.
func newMultiplied(m kernel.Matrix[float64]) *multiplied {
	turned := m.Cols > m.Rows
	if turned {
		t := kernel.NewMatrix[float64](m.Cols, m.Rows)
		for i := range m.Rows {
			for j, x := range m.Row(i) {
				t.Row(j)[i] = x
			}
		}
		m = t
	}
	return &multiplied{Team: team.New(1), m: m, turned: turned, slabs: 7, over: never}
}

func never() bool { return false }

func (x *multiplied) Dims() (long, short int) { return x.m.Rows, x.m.Cols }
func (x *multiplied) Tall() bool              { return !x.turned }
func (x *multiplied) Memory() *arena.Arena    { return nil }

func (x *multiplied) ColumnSquares(sums []float64) {
	rows, cols := x.m.Rows, x.m.Cols
	if x.turned {
		rows, cols = cols, rows
	}
	for i := range rows {
		for j := range cols {
			if x.turned {
				sums[j] += x.m.At(j, i) * x.m.At(j, i)
			} else {
				sums[j] += x.m.At(i, j) * x.m.At(i, j)
			}
		}
	}
}

func (x *multiplied) Multiply(short bool, dst, src kernel.Matrix[float64]) {
	for k := range dst.Rows {
		clear(dst.Row(k))
	}
	x.Run(x.slabs, func(_, slab int) {
		if x.over() {
			return
		}
		for i := slab * x.m.Rows / x.slabs; i < (slab+1)*x.m.Rows/x.slabs; i++ {
			row := x.m.Row(i)
			for k := range dst.Rows {
				if !short {
					dst.Row(k)[i] = kernel.Dot(row, src.Row(k))
					continue
				}
				to, by := dst.Row(k), src.Row(k)[i]
				for j, a := range row {
					to[j] += by * a
				}
			}
		}
	})
}

// data returns an m x n matrix of random numbers.
func data[T kernel.Float](m, n int, seed uint64) kernel.Matrix[T] {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := kernel.Matrix[T]{Rows: m, Cols: n, Data: make([]T, m*n), Stride: n}
	for i := range x.Data {
		x.Data[i] = T(rng.Float64())
	}
	return x
}

// singularOf returns the iteration for so many singular vectors of m.
func singularOf(t *testing.T, m kernel.Matrix[float64], rank int) (*singular[float64], *multiplied) {
	x := newMultiplied(m)
	t.Cleanup(x.Close)
	return newSingular(x, rank, min(rank+extraVectors, m.Rows, m.Cols), func() bool { return x.over() }), x
}

// spread returns an m x n matrix with the singular values 1, 1/4, 1/16, ..., of
// the given rank, and its entries' signs mixed.
func spread(m, n, rank int) kernel.Matrix[float64] {
	var u, v mat.SVD
	u.Factorize(gonum.To(data[float64](m, rank, 5)), mat.SVDThin)
	v.Factorize(gonum.To(data[float64](n, rank, 6)), mat.SVDThin)
	var uu, vv, x mat.Dense
	u.UTo(&uu)
	v.UTo(&vv)
	for k := range rank {
		for i := range m {
			uu.Set(i, k, uu.At(i, k)*math.Exp2(float64(-2*k)))
		}
	}
	x.Mul(&uu, vv.T())
	return gonum.From[float64](&x)
}

// TestSingular compares the leading singular triplets with those of a library.
func TestSingular(t *testing.T) {
	for _, c := range []struct {
		name     string
		m        kernel.Matrix[float64]
		rank     int
		accuracy float64
	}{
		{"random tall", data[float64](80, 50, 1), 3, 1e-6},
		{"random wide", data[float64](50, 300, 2), 3, 1e-6},
		{"spread", spread(60, 40, 10), 6, 1e-9},
		{"low rank", spread(60, 40, 3), 3, 1e-9},
		{"rank one", spread(30, 50, 1), 1, 1e-9},
		{"one row", data[float64](1, 9, 3), 1, 1e-12},
		{"one column", data[float64](9, 1, 3), 1, 1e-12},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _ := singularOf(t, c.m, c.rank)
			s.iterate(3000, 1e-15)
			var svd mat.SVD
			if !svd.Factorize(gonum.To(c.m), mat.SVDThin) {
				t.Fatal("no SVD")
			}
			var u, v mat.Dense
			svd.UTo(&u)
			svd.VTo(&v)
			want := svd.Values(nil)
			for k := range c.rank {
				must.Below(t, math.Abs(s.sigma[k]-want[k])/want[0], 1e-12, "singular value", k, "is", s.sigma[k])
				// Both vectors have the sign of the library's, or neither has.
				ofV, ofW := s.long, s.short
				if c.m.Cols > c.m.Rows {
					ofV, ofW = ofW, ofV
				}
				var us, vs float64
				for i, x := range ofV.Row(k) {
					us += x * u.At(i, k)
				}
				for j, x := range ofW.Row(k) {
					vs += x * v.At(j, k)
				}
				if !(math.Abs(us-vs) < c.accuracy && math.Abs(us*us-1) < c.accuracy) {
					t.Errorf("vectors %d have the cosines %v and %v with the right ones", k, us, vs)
				}
			}
		})
	}
}

// TestSingularRankDeficient checks that vectors that are not there are zero.
func TestSingularRankDeficient(t *testing.T) {
	s, _ := singularOf(t, spread(60, 40, 3), 6)
	s.iterate(powerSteps, powerAccuracy)
	for k := range 6 {
		must.Equal(t, s.sigma[k] == 0 && kernel.SumSquares(s.long.Row(k)) == 0 && kernel.SumSquares(s.short.Row(k)) == 0, k >= 3, "singular value", k, "is", s.sigma[k])
	}
}

// TestSingularInterrupted ends the iteration at every question whether it is over: each phase
// asks for every task and block of rows, and does no more of them then.
func TestSingularInterrupted(t *testing.T) {
	const steps = 3
	s, x := singularOf(t, data[float64](700, 120, 4), 10)
	asked := 0
	x.over = func() bool { asked++; return false }
	if !s.iterate(steps, 0) {
		t.Fatal("it has ended early")
	}
	tasks := x.slabs + hals.GramTasks(s.rank) + (x.m.Rows+turnPanel-1)/turnPanel
	must.AtLeast(t, asked, steps*(2*x.slabs+5*hals.GramTasks(s.rank)), "asked")
	for end := range asked {
		count := 0
		x.over = func() bool { count++; return count > end }
		if s.iterate(steps, 0) {
			t.Errorf("over at question %d, it goes on to the end", end+1)
		}
		must.AtMost(t, count-end, 2*tasks, "over at question", end+1, "it asks")
		clear(s.sigma) // of an earlier run, which may be those of this one
	}
}
