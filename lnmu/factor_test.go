package lnmu_test

import (
	"os"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
)

func abs(x float64) float64 { return max(x, -x) }

// TestThreads checks that the number of threads does not change a bit, from one slab
// to more than there are tasks.
func TestThreads(t *testing.T) { precisions(t, testThreads[float64], testThreads[float32]) }

func testThreads[T lnmu.Float](t *testing.T) {
	shapes := [][2]int{{300, 40}, {40, 300}, {65, 64}}
	if os.Getenv("NMU_FULL") != "" {
		shapes = append(shapes, [][2]int{{8200, 12}, {12, 8200}}...) // 32 slabs
	}
	for at, shape := range shapes {
		iterations, counts := 8, []int{1, 2, 3, 16}
		if os.Getenv("NMU_FULL") != "" {
			iterations, counts = 20, []int{1, 2, 3, 5, 16}
		}
		if at >= 3 {
			iterations, counts = 4, []int{1, 3, 16}
		}
		x := lnmutest.Data[T](shape[0], shape[1], 3)
		for _, method := range []lnmu.Method{lnmu.NMF{Solver: lnmu.SolverHALS}, lnmu.GNMU{}, lnmu.RNMU{}, lnmu.NMF{Solver: lnmu.SolverAccelerated}, lnmu.GNMU{Sweeps: 3}, lnmu.KL{}, lnmu.KL{Solver: lnmu.SolverCoordinate}} {
			var first *lnmu.Result[T]
			for _, threads := range counts {
				res := must.Get(lnmu.Factor(t.Context(), x, 6, method, &lnmu.Settings{Limits: lnmu.Limits{Iterations: iterations}, Start: lnmu.Start{Restarts: 2}, Threads: threads}))(t)
				if first == nil {
					first = res
					continue
				}
				if !sameFactors(res, first) {
					t.Fatalf("%v %s: V or W differs between 1 and %d threads", shape, lnmutest.NameOf(method), threads)
				}
			}
		}
	}
}
