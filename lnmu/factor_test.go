package lnmu

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nmu/internal/gonum"
)

// data returns a nonnegative m x n matrix of low rank with noise and zeros.
func data[T Float](m, n int, seed uint64) Dense[T] {
	rng := rand.New(rand.NewPCG(seed, 99))
	d := NewDense[T](m, n, nil)
	const rank = 4
	v, w := make([]float64, m*rank), make([]float64, rank*n)
	for _, f := range [][]float64{v, w} {
		for i := range f {
			f[i] = max(0, rng.Float64()-0.4)
		}
	}
	for i := range m {
		for j := range n {
			x := 0.05 * rng.Float64()
			for k := range rank {
				x += float64(v[i*rank+k] * w[k*n+j])
			}
			if rng.IntN(5) > 0 {
				d.Data[i*n+j] = T(x)
			}
		}
	}
	return d
}

// TestAgainstLiteral compares the fused passes with the literal form from the
// same start.
func TestAgainstLiteral(t *testing.T) {
	for _, shape := range [][2]int{{30, 20}, {20, 30}, {200, 17}, {17, 301}, {1, 9}, {9, 1}, {700, 11}} {
		for _, c := range []struct {
			name   string
			method Method
			rank   int
		}{
			{"nmf", NMF{}, 5}, {"nmf", NMF{}, 9}, {"gnmu", GNMU{}, 5}, {"gnmu", GNMU{}, 1},
			{"rnmu", RNMU{}, 5}, {"rnmu by 2", RNMU{Block: 2}, 5}, {"rnmu by 9", RNMU{Block: 9}, 9},
			{"gnmu, 3 sweeps", GNMU{Lagrangian{Sweeps: 3}}, 5}, {"rnmu by 2, 4 sweeps", RNMU{Block: 2, Lagrangian: Lagrangian{Sweeps: 4}}, 5},
		} {
			m, n := shape[0], shape[1]
			rank := min(c.rank, m, n)
			t.Run(fmt.Sprintf("%dx%d/%s-%d", m, n, c.name, rank), func(t *testing.T) {
				x := data[float64](m, n, 1)
				v, w := randomStart[float64](m, n, rank, 7)
				gm, gv, gw := gonum.To(x), gonum.To(v), gonum.To(w)
				if !c.method.Describe().Recursive {
					literalScale(gm, gv, gw)
					v, w = gonum.From[float64](gv), gonum.From[float64](gw)
				}
				res, err := FactorFrom(t.Context(), x, v, w, c.method, &Settings{Iterations: 50})
				if err != nil {
					t.Fatal(err)
				}
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

func testThreads[T Float](t *testing.T) {
	shapes := [][2]int{{300, 40}, {40, 300}, {65, 64}}
	if os.Getenv("NMU_FULL") != "" {
		shapes = append(shapes, [][2]int{{9500, 12}, {12, 17000}}...)
	}
	for _, shape := range shapes {
		x := data[T](shape[0], shape[1], 3)
		for _, method := range []Method{NMF{}, GNMU{}, RNMU{}, NMF{Solver: SolverAccelerated}, GNMU{Lagrangian{Sweeps: 3}}, KL{}, KL{Solver: SolverCoordinate}} {
			var first *Result[T]
			for _, threads := range []int{1, 2, 3, 5, 16} {
				res, err := Factor(t.Context(), x, 6, method, &Settings{Iterations: 20, Restarts: 2, Threads: threads})
				if err != nil {
					t.Fatal(err)
				}
				if first == nil {
					first = res
					continue
				}
				for i, a := range first.V.Data {
					if b := res.V.Data[i]; a != b {
						t.Fatalf("%v %s: V differs between 1 and %d threads at %d: %v, %v", shape, nameOf(method), threads, i, a, b)
					}
				}
				for i, a := range first.W.Data {
					if b := res.W.Data[i]; a != b {
						t.Fatalf("%v %s: W differs between 1 and %d threads at %d: %v, %v", shape, nameOf(method), threads, i, a, b)
					}
				}
			}
		}
	}
}
