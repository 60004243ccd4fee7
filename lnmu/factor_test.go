package lnmu_test

import (
	"fmt"
	"os"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nmu/internal/gonum"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
)

// TestAgainstLiteral compares the fused passes with the literal form from the
// same start.
func TestAgainstLiteral(t *testing.T) {
	for _, shape := range [][2]int{{30, 20}, {20, 30}, {200, 17}, {17, 301}, {1, 9}, {9, 1}, {700, 11}} {
		for _, c := range []struct {
			name   string
			method lnmu.Method
			rank   int
		}{
			{"nmf", lnmu.NMF{}, 5}, {"nmf", lnmu.NMF{}, 9}, {"gnmu", lnmu.GNMU{}, 5}, {"gnmu", lnmu.GNMU{}, 1},
			{"rnmu", lnmu.RNMU{}, 5}, {"rnmu by 2", lnmu.RNMU{Block: 2}, 5}, {"rnmu by 9", lnmu.RNMU{Block: 9}, 9},
			{"gnmu, 3 sweeps", lnmu.GNMU{lnmu.Lagrangian{Sweeps: 3}}, 5}, {"rnmu by 2, 4 sweeps", lnmu.RNMU{Block: 2, Lagrangian: lnmu.Lagrangian{Sweeps: 4}}, 5},
		} {
			m, n := shape[0], shape[1]
			rank := min(c.rank, m, n)
			t.Run(fmt.Sprintf("%dx%d/%s-%d", m, n, c.name, rank), func(t *testing.T) {
				x := lnmutest.Data[float64](m, n, 1)
				v, w := lnmutest.RandomStart[float64](m, n, rank, 7)
				gm, gv, gw := gonum.To(x), gonum.To(v), gonum.To(w)
				if !c.method.Describe().Recursive {
					literalScale(gm, gv, gw)
					v, w = gonum.From[float64](gv), gonum.From[float64](gw)
				}
				res := must.Get(lnmu.FactorFrom(t.Context(), x, v, w, c.method, &lnmu.Settings{Iterations: 50}))(t)
				want := literal(c.method, gm, gv, gw, 50, 2)
				var got, diff mat.Dense
				got.Mul(gonum.To(res.V), gonum.To(res.W))
				diff.Sub(&got, want)
				if rel := mat.Norm(&diff, 2) / mat.Norm(want, 2); !(rel < 1e-9) {
					t.Errorf("relative difference of V W is %.3g", rel)
				}
				diff.Sub(gm, &got)
				if e := mat.Norm(&diff, 2) / mat.Norm(gm, 2); !(abs(e-res.RelativeError) < 1e-12) {
					t.Errorf("relative error %v, recomputed %v", res.RelativeError, e)
				}
				if viol := max(0, -mat.Min(&diff)); !(abs(viol-res.MaxViolation) < 1e-12) {
					t.Errorf("largest violation %v, recomputed %v", res.MaxViolation, viol)
				}
			})
		}
	}
}

func abs(x float64) float64 { return max(x, -x) }

// TestThreads checks that the number of threads does not change a bit, from one slab
// to more than there are tasks.
func TestThreads(t *testing.T) {
	t.Run("float32", testThreads[float32])
	t.Run("float64", testThreads[float64])
}

func testThreads[T lnmu.Float](t *testing.T) {
	shapes := [][2]int{{300, 40}, {40, 300}, {65, 64}}
	if os.Getenv("NMU_FULL") != "" {
		shapes = append(shapes, [][2]int{{8200, 12}, {12, 8200}}...) // 32 slabs
	}
	for at, shape := range shapes {
		iterations, counts := 20, []int{1, 2, 3, 5, 16}
		if at >= 3 {
			iterations, counts = 4, []int{1, 3, 16}
		}
		x := lnmutest.Data[T](shape[0], shape[1], 3)
		for _, method := range []lnmu.Method{lnmu.NMF{}, lnmu.GNMU{}, lnmu.RNMU{}, lnmu.NMF{Solver: lnmu.SolverAccelerated}, lnmu.GNMU{lnmu.Lagrangian{Sweeps: 3}}, lnmu.KL{}, lnmu.KL{Solver: lnmu.SolverCoordinate}} {
			var first *lnmu.Result[T]
			for _, threads := range counts {
				res := must.Get(lnmu.Factor(t.Context(), x, 6, method, &lnmu.Settings{Iterations: iterations, Restarts: 2, Threads: threads}))(t)
				if first == nil {
					first = res
					continue
				}
				for i, a := range first.V.Data {
					if b := res.V.Data[i]; a != b {
						t.Fatalf("%v %s: V differs between 1 and %d threads at %d: %v, %v", shape, lnmutest.NameOf(method), threads, i, a, b)
					}
				}
				for i, a := range first.W.Data {
					if b := res.W.Data[i]; a != b {
						t.Fatalf("%v %s: W differs between 1 and %d threads at %d: %v, %v", shape, lnmutest.NameOf(method), threads, i, a, b)
					}
				}
			}
		}
	}
}
