package lnmu_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nmu/internal/gonum"
	"nmu/internal/literal"
	"nmu/internal/must"
	"nmu/internal/options"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/outcome"
)

// TestInitSVD checks that the start from singular vectors is nonnegative, better
// than a random one (with blocks of one or two hardly: a step forgets the start), used
// by every method and the same with any number of threads.
func TestInitSVD(t *testing.T) {
	for _, shape := range [][2]int{{300, 40}, {40, 300}} {
		m := lnmutest.Data[float64](shape[0], shape[1], 9)
		for _, method := range []lnmu.Method{
			lnmu.NMF{}, lnmu.GNMU{}, lnmu.RNMU{}, lnmu.RNMU{Block: 2}, lnmu.SNMF{SparsityV: 0.3, SparsityW: 0.3}, lnmu.Hoyer{HoyerV: 0.3},
		} {
			t.Run(fmt.Sprintf("%v/%s", shape, lnmutest.NameOf(method)), func(t *testing.T) {
				random := must.Get(lnmu.Factor(t.Context(), m, 4, method, &lnmu.Settings{Limits: lnmu.Limits{Iterations: 1}, Start: lnmu.Start{Restarts: 1}}))(t)
				s := lnmu.Settings{Start: lnmu.Start{Init: lnmu.InitSVD, Restarts: 1}, Limits: lnmu.Limits{Iterations: 1}, Threads: 1}
				res := must.Get(lnmu.Factor(t.Context(), m, 4, method, &s))(t)
				must.Equal(t, checkValues("V", res.V), nil)
				must.Equal(t, checkValues("W", res.W), nil)
				blocks := 0.0
				if options.DescriptionOf(method).Recursive {
					blocks = float64(len(res.Blocks))
				}
				if !(res.RelativeError < random.RelativeError*(1+blocks/100)) {
					t.Errorf("after one iteration from singular vectors the error is %v, from random ones %v", res.RelativeError, random.RelativeError)
				}
				s.Threads = 3
				other, err := lnmu.Factor(t.Context(), m, 4, method, &s)
				if err != nil || factors.SHA256(other.V) != factors.SHA256(res.V) || factors.SHA256(other.W) != factors.SHA256(res.W) {
					t.Errorf("the result differs between 1 and 3 threads (error %v)", err)
				}
			})
		}
	}
}

// TestInitSVDRankOne checks that for r = 1 the start is the optimum, up to the
// scale of the two factors (Perron and Frobenius, section 2.1).
func TestInitSVDRankOne(t *testing.T) {
	m := lnmutest.Data[float64](50, 70, 9)
	var svd mat.SVD
	svd.Factorize(gonum.To(m), mat.SVDNone)
	var rest, all float64
	for k, sigma := range svd.Values(nil) {
		all += sigma * sigma
		if k > 0 {
			rest += sigma * sigma
		}
	}
	res := must.Get(lnmu.Factor(t.Context(), m, 1, lnmu.NMF{}, &lnmu.Settings{Start: lnmu.Start{Init: lnmu.InitSVD}, Limits: lnmu.Limits{Iterations: 1}}))(t)
	must.AtMost(t, math.Abs(res.RelativeError-math.Sqrt(rest/all)), 1e-9, "relative error")
}

// TestInitSVDSparse checks that the vectors of a sparse matrix, which are approximate, lead to the factors of the dense one.
func TestInitSVDSparse(t *testing.T) {
	for _, shape := range [][3]int{{60, 40, 4}, {40, 60, 4}, {60, 40, 1}, {40, 60, 1}} {
		m := lnmutest.SparseData[float64](shape[0], shape[1], 7)
		for _, method := range []lnmu.Method{lnmu.NMF{Solver: lnmu.SolverHALS}, lnmu.NMF{Solver: lnmu.SolverAccelerated, Sweeps: 1}} {
			s := &lnmu.Settings{Start: lnmu.Start{Init: lnmu.InitSVD}, Limits: lnmu.Limits{Iterations: 30}}
			got, want := must.Get(lnmu.Factor(t.Context(), m, shape[2], method, s))(t), must.Get(lnmu.Factor(t.Context(), m.Dense(), shape[2], method, s))(t)
			must.AtMost(t, max(literal.Apart(got.V, want.V), literal.Apart(got.W, want.W)), 1e-4, shape, method, "V and W differ by")
		}
	}
}

// TestInitSVDLowRank checks a matrix of smaller rank than is asked for: the
// factors beyond are not lost.
func TestInitSVDLowRank(t *testing.T) {
	m := lnmu.NewDense(4, 4, []float64{1, 0, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 0, 1, 0, 1}) // rank 3, nonnegative rank 4
	res, err := lnmu.Factor(t.Context(), m, 4, lnmu.NMF{}, &lnmu.Settings{Start: lnmu.Start{Init: lnmu.InitSVD}, Limits: lnmu.Limits{Iterations: 2000}})
	if err != nil || !(res.RelativeError < 1e-3) {
		t.Errorf("relative error %v, %v; want 0", res.RelativeError, err)
	}
}

// TestFoundStartCancelled: what ends before there is a start has no factors, for all methods
// and all starts that M is read for, and asks for no pass over M any more.
func TestFoundStartCancelled(t *testing.T) {
	m := lnmutest.Data[float64](300, 60, 3)
	for _, method := range []lnmu.Method{lnmu.NMF{}, lnmu.GNMU{}, lnmu.RNMU{}, lnmu.RNMU{Block: 4}, lnmu.RNMU{Norm: lnmu.L1}, lnmu.SNMF{SparsityV: 0.5}, lnmu.Hoyer{HoyerV: 0.5}} {
		for i, at := range []int64{1, 5, 50, 3, 7, 3, 7} {
			init := []lnmu.Choice{lnmu.InitSVD, lnmu.InitSVD, lnmu.InitSVD, lnmu.InitSPA, lnmu.InitSPA, lnmu.InitSNPA, lnmu.InitSNPA}[i]
			res, err := lnmu.Factor(lnmutest.NewCountdown(at), m, 8, method, &lnmu.Settings{Start: lnmu.Start{Init: init}, Limits: lnmu.Limits{Iterations: 3}})
			if !errors.Is(err, context.Canceled) || res == nil || res.Stop != outcome.StopCancelled {
				t.Fatalf("%s, %d: %+v, %v", lnmutest.NameOf(method), at, res, err)
			}
			if res.V.Cols != 0 || res.W.Rows != 0 || res.V.Rows != 300 || res.W.Cols != 60 || res.RelativeError != 1 || res.MaxViolation != 0 {
				t.Errorf("%s, %d: V is %d x %d, W %d x %d, error %v", lnmutest.NameOf(method), at, res.V.Rows, res.V.Cols, res.W.Rows, res.W.Cols, res.RelativeError)
			}
		}
	}
}
