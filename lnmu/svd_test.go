package lnmu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nmu/internal/gonum"
	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
)

// arranged returns a solver's layout and a copy of x in it.
func arranged[T Float](x Dense[T], threads int) (*layout[T], kernel.Matrix[T]) {
	l := newLayout[T](x.Rows, x.Cols, group.ForRows(group.Self{}, max(x.Rows, x.Cols)), team.New(threads))
	n := kernel.NewMatrix[T](l.rows, l.cols)
	if l.tall {
		for i := range x.Rows {
			copy(n.Row(i), x.Row(i))
		}
	} else {
		matrix.Transpose(n, x)
	}
	return l, n
}

// spread returns an m x n matrix with the singular values 1, 1/4, 1/16, ..., of
// the given rank, and its entries' signs mixed.
func spread(m, n, rank int) Dense[float64] {
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
		m        Dense[float64]
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
			l, n := arranged(c.m, 1)
			defer l.Close()
			s := newSingular(l, n, c.rank)
			s.iterate(3000, 1e-15, never)
			var svd mat.SVD
			if !svd.Factorize(gonum.To(c.m), mat.SVDThin) {
				t.Fatal("no SVD")
			}
			var u, v mat.Dense
			svd.UTo(&u)
			svd.VTo(&v)
			want := svd.Values(nil)
			for k := range c.rank {
				if d := math.Abs(s.sigma[k]-want[k]) / want[0]; !(d < 1e-12) {
					t.Errorf("singular value %d is %v, want %v", k, s.sigma[k], want[k])
				}
				// Both vectors have the sign of the library's, or neither has.
				var us, vs float64
				for i, x := range s.factorV().Row(k) {
					us += x * u.At(i, k)
				}
				for j, x := range s.factorW().Row(k) {
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
	l, n := arranged(spread(60, 40, 3), 1)
	defer l.Close()
	s := newSingular(l, n, 6)
	s.iterate(powerSteps, powerAccuracy, never)
	for k := range 6 {
		if zero := s.sigma[k] == 0 && kernel.SumSquares(s.long.Row(k)) == 0 && kernel.SumSquares(s.short.Row(k)) == 0; zero != (k >= 3) {
			t.Errorf("singular value %d is %v", k, s.sigma[k])
		}
	}
}

// TestInitSVD checks that the start from singular vectors is nonnegative, better
// than a random one (with blocks of one or two hardly: a step forgets the start), used
// by every method and the same with any number of threads.
func TestInitSVD(t *testing.T) {
	for _, shape := range [][2]int{{300, 40}, {40, 300}} {
		m := data[float64](shape[0], shape[1], 9)
		for _, method := range []Method{
			NMF{}, GNMU{}, RNMU{}, RNMU{Block: 2}, SNMF{SparsityV: 0.3, SparsityW: 0.3}, Hoyer{SparsenessV: 0.3},
		} {
			t.Run(fmt.Sprintf("%v/%s", shape, nameOf(method)), func(t *testing.T) {
				random, err := Factor(t.Context(), m, 4, method, &Settings{Iterations: 1, Restarts: 1})
				if err != nil {
					t.Fatal(err)
				}
				s := Settings{Init: InitSVD, Iterations: 1, Restarts: 1, Threads: 1}
				res, err := Factor(t.Context(), m, 4, method, &s)
				if err != nil {
					t.Fatal(err)
				}
				if err := checkValues("V", res.V); err != nil {
					t.Error(err)
				}
				if err := checkValues("W", res.W); err != nil {
					t.Error(err)
				}
				blocks := 0.0
				if method.Describe().Recursive {
					blocks = float64(len(res.Blocks))
				}
				if !(res.RelativeError < random.RelativeError*(1+blocks/100)) {
					t.Errorf("after one iteration from singular vectors the error is %v, from random ones %v", res.RelativeError, random.RelativeError)
				}
				s.Threads = 3
				other, err := Factor(t.Context(), m, 4, method, &s)
				if err != nil || SHA256(other.V) != SHA256(res.V) || SHA256(other.W) != SHA256(res.W) {
					t.Errorf("the result differs between 1 and 3 threads (error %v)", err)
				}
			})
		}
	}
}

// TestInitSVDRankOne checks that for r = 1 the start is the optimum, up to the
// scale of the two factors (Perron and Frobenius, section 2.1).
func TestInitSVDRankOne(t *testing.T) {
	m := data[float64](50, 70, 9)
	var svd mat.SVD
	svd.Factorize(gonum.To(m), mat.SVDNone)
	var rest, all float64
	for k, sigma := range svd.Values(nil) {
		all += sigma * sigma
		if k > 0 {
			rest += sigma * sigma
		}
	}
	res, err := Factor(t.Context(), m, 1, NMF{}, &Settings{Init: InitSVD, Iterations: 1})
	if err != nil {
		t.Fatal(err)
	}
	if want := math.Sqrt(rest / all); math.Abs(res.RelativeError-want) > 1e-9 {
		t.Errorf("relative error %v, the least is %v", res.RelativeError, want)
	}
}

// TestInitSVDLowRank checks a matrix of smaller rank than is asked for: the
// factors beyond are not lost.
func TestInitSVDLowRank(t *testing.T) {
	m := NewDense(4, 4, []float64{1, 0, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 0, 1, 0, 1}) // rank 3, nonnegative rank 4
	res, err := Factor(t.Context(), m, 4, NMF{}, &Settings{Init: InitSVD, Iterations: 2000})
	if err != nil || !(res.RelativeError < 1e-3) {
		t.Errorf("relative error %v, %v; want 0", res.RelativeError, err)
	}
}

// TestSingularInterrupted ends the iteration at every question whether it is over: each phase
// asks for every task and block of rows, and does no more of them then.
func TestSingularInterrupted(t *testing.T) {
	const steps = 3
	l, n := arranged(data[float64](700, 120, 4), 1)
	defer l.Close()
	s := newSingular(l, n, 10)
	asked := 0
	if !s.iterate(steps, 0, func() bool { asked++; return false }) {
		t.Fatal("it has ended early")
	}
	tasks := s.slabs + gramTasks(s.rank) + (l.rows+turnPanel-1)/turnPanel
	if least := steps * (2*s.slabs + 5*gramTasks(s.rank)); asked < least {
		t.Errorf("asked %d times, want at least %d", asked, least)
	}
	for end := range asked {
		count := 0
		if s.iterate(steps, 0, func() bool { count++; return count > end }) {
			t.Errorf("over at question %d, it goes on to the end", end+1)
		}
		if more := count - end; more > 2*tasks {
			t.Errorf("over at question %d, it asks %d times more", end+1, more)
		}
		clear(s.sigma) // of an earlier run, which may be those of this one
	}
}

// TestSVDStartCancelled: what ends before there is a start has no factors, for all methods,
// and asks for no pass over M any more.
func TestSVDStartCancelled(t *testing.T) {
	m := data[float64](300, 60, 3)
	for _, method := range []Method{NMF{}, GNMU{}, RNMU{}, RNMU{Block: 4}, RNMU{Norm: L1}, SNMF{SparsityV: 0.5}, Hoyer{SparsenessV: 0.5}} {
		for _, at := range []int64{1, 5, 50} {
			res, err := Factor(newCountdown(at), m, 8, method, &Settings{Init: InitSVD, Iterations: 3})
			if !errors.Is(err, context.Canceled) || res == nil || res.Stop != StopCancelled {
				t.Fatalf("%s, %d: %+v, %v", nameOf(method), at, res, err)
			}
			if res.V.Cols != 0 || res.W.Rows != 0 || res.V.Rows != 300 || res.W.Cols != 60 || res.RelativeError != 1 || res.MaxViolation != 0 {
				t.Errorf("%s, %d: V is %d x %d, W %d x %d, error %v", nameOf(method), at, res.V.Rows, res.V.Cols, res.W.Rows, res.W.Cols, res.RelativeError)
			}
		}
	}
}
