package lnmu_test

import (
	"math"
	"os"
	"slices"
	"testing"

	"nmu/internal/must"
	"nmu/kernel"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/outcome"
)

// sameFactors reports whether two results have the same bits.
func sameFactors[T lnmu.Float](a, b *lnmu.Result[T]) bool {
	return factors.SHA256(a.V) == factors.SHA256(b.V) && factors.SHA256(a.W) == factors.SHA256(b.W)
}

// TestPriorsOfNothing checks that penalties that round to zero, which take the whole way of
// priors, give the bits of RNMU: its one pass has been taken apart without a trace.
func TestPriorsOfNothing(t *testing.T) {
	precisions(t, priorsOfNothing[float64], priorsOfNothing[float32])
}

func priorsOfNothing[T lnmu.Float](t *testing.T) {
	const none = math.SmallestNonzeroFloat64
	for _, shape := range [][2]int{{40, 30}, {30, 40}, {500, 9}, {9, 500}} {
		m := lnmutest.Data[T](shape[0], shape[1], 5)
		for _, l := range []lnmu.GNMU{{}, {Inner: 1}, {Inner: 3, StepOffset: 2, Multipliers: lnmu.MultipliersStart}} {
			s := lnmu.Settings{Limits: lnmu.Limits{Iterations: 25}, Start: lnmu.Start{Restarts: 1, Seed: 3}}
			want := must.Get(lnmu.Factor(t.Context(), m, 3, lnmu.RNMU{GNMU: l}, &s))(t)
			for _, p := range []lnmu.RNMU{{ThresholdV: none}, {ThresholdW: none}, {ThresholdV: none, ThresholdW: none}} {
				p.GNMU = l
				got := must.Get(lnmu.Factor(t.Context(), m, 3, p, &s))(t)
				if !sameFactors(got, want) {
					t.Errorf("%v, %+v: the bits are not those without priors", shape, p)
				}
			}
		}
	}
}

// TestSparsityTargets checks that the penalties reach the parts of zeros that are asked
// for, in either factor, and both.
func TestSparsityTargets(t *testing.T) {
	for _, shape := range [][2]int{{120, 60}, {60, 120}} {
		m := lnmutest.Data[float64](shape[0], shape[1], 6)
		for _, c := range [][2]float64{{0.6, 0}, {0, 0.7}, {0.5, 0.8}} {
			method := lnmu.RNMU{SparsityV: c[0], SparsityW: c[1]}
			res := must.Get(lnmu.Factor(t.Context(), m, 3, method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}}))(t)
			for k, x := range []lnmu.Dense[float64]{res.V.Transposed(), res.W} {
				for l := range x.Rows {
					if got := 1 - float64(positives(x.Row(l)))/float64(x.Cols); c[k] > 0 && math.Abs(got-c[k]) > 0.1 {
						t.Errorf("%v, targets %v: factor %d has the part %.3g of zeros", shape, c, l, got)
					}
				}
			}
		}
	}
}

func positives(x []float64) int {
	count := 0
	for _, a := range x {
		if a > 0 {
			count++
		}
	}
	return count
}

// allPriors are priors of every kind for a matrix of the given shape.
func allPriors(m, n int) []lnmu.RNMU {
	v, w := [2]int{m / 4, 4}, [2]int{4, n / 4}
	return []lnmu.RNMU{
		{ThresholdV: 0.2}, {ThresholdW: 0.2}, {ThresholdV: 0.3, ThresholdW: 0.1}, {SparsityV: 0.5}, {SparsityW: 0.5, ThresholdV: 0.1},
		{SmoothV: 0.1, ShapeV: v}, {SmoothW: 0.2, ShapeW: w, SmoothNorm: lnmu.L2},
		{SmoothV: 0.3, ShapeV: v, SmoothW: 0.05, ShapeW: w, ThresholdV: 0.1, SparsityW: 0.4},
	}
}

// TestPriorsThreads checks that the bits do not depend on the threads, also where there
// are tasks for all of them.
func TestPriorsThreads(t *testing.T) {
	for at, shape := range [][2]int{{48, 36}, {36, 48}, {16384, 8}, {8, 16384}} {
		m := lnmutest.Data[float32](shape[0], shape[1], 7)
		all := allPriors(shape[0], shape[1])
		turns := lnmutest.Rotate(len(all), 2, at/2) // each tall, or wide
		for i, p := range all {
			if !turns.Takes(i, at) {
				continue
			}
			var first *lnmu.Result[float32]
			for _, threads := range []int{1, 3} {
				res := must.Get(lnmu.Factor(t.Context(), m, 2, p, &lnmu.Settings{Limits: lnmu.Limits{Iterations: 8}, Start: lnmu.Start{Restarts: 2}, Threads: threads}))(t)
				if first == nil {
					first = res
				} else if !sameFactors(res, first) {
					t.Errorf("%v, %+v: another result with %d threads", shape, p, threads)
				}
			}
		}
	}
}

// TestPriorsOfExtremes runs priors on data of extreme size, on nothing, on rank one, and
// with weights that leave nothing of a factor. NMU_FULL asks for every prior of every matrix in both ways.
func TestPriorsOfExtremes(t *testing.T) {
	long(t)
	precisions(t, func(t *testing.T) { priorsOfExtremes[float64](t, 1e140, 1e-140) }, func(t *testing.T) { priorsOfExtremes[float32](t, 1e16, 1e-16) })
}

func priorsOfExtremes[T lnmu.Float](t *testing.T, units ...float64) {
	scaled := func(m lnmu.Dense[T], by float64) lnmu.Dense[T] { return times(m, T(by)) }
	for _, shape := range [][2]int{{24, 20}, {20, 24}} {
		rows, cols := shape[0], shape[1]
		one := lnmu.NewDense[T](rows, cols, nil)
		for i := range one.Data {
			one.Data[i] = T((1 + i/cols) * (1 + i%cols%3))
		}
		spot := lnmu.NewDense[T](rows, cols, nil)
		spot.Data[cols+3] = 5
		const maxSmooth = 1e6 // the largest
		priors := append(allPriors(rows, cols),
			lnmu.RNMU{ThresholdV: 1}, lnmu.RNMU{ThresholdW: 1}, lnmu.RNMU{ThresholdV: 1, ThresholdW: 1}, lnmu.RNMU{SparsityV: 1, SparsityW: 1},
			lnmu.RNMU{SmoothV: maxSmooth, ShapeV: [2]int{rows, 1}, SmoothW: maxSmooth, ShapeW: [2]int{1, cols}},
			lnmu.RNMU{SmoothV: maxSmooth, ShapeV: [2]int{rows, 1}, SmoothNorm: lnmu.L2})
		for at, p := range priors {
			for name, m := range map[string]lnmu.Dense[T]{
				"data": lnmutest.Data[T](rows, cols, 3), "zero": lnmu.NewDense[T](rows, cols, nil), "rank one": one, "one entry": spot,
				"large": scaled(lnmutest.Data[T](rows, cols, 3), units[0]), "small": scaled(lnmutest.Data[T](rows, cols, 3), units[1]),
			} {
				for k, l := range []lnmu.GNMU{{}, {Inner: 1, Multipliers: lnmu.MultipliersStart, StepOffset: 1}} {
					if (at+k+len(name))%2 != 0 && os.Getenv("NMU_FULL") == "" {
						continue
					}
					p.GNMU = l
					res := must.Get(lnmu.Factor(t.Context(), m, 3, p, &lnmu.Settings{Start: lnmu.Start{Restarts: 1, Seed: 2}}))(t, name, p)
					if !(res.RelativeError >= 0 && res.RelativeError <= 1.5) {
						t.Errorf("%s, %+v: relative error %v", name, p, res.RelativeError)
					}
					for _, x := range append(res.V.Data, res.W.Data...) {
						if !(x >= 0) || math.IsInf(float64(x), 0) {
							t.Fatalf("%s, %+v: an entry is %v", name, p, x)
						}
					}
					if fixed := p.ThresholdV == 1 || p.ThresholdW == 1; fixed && name != "zero" && !slices.ContainsFunc(res.Blocks, func(b outcome.Block) bool { return b.Lowered }) {
						t.Errorf("%s, %+v: nothing is said of penalties that leave nothing", name, p)
					}
				}
			}
		}
	}
}

// TestSmoothnessFlattens checks that a large weight makes pictures that are nearly the same
// everywhere.
func TestSmoothnessFlattens(t *testing.T) {
	m := lnmutest.Data[float64](60, 40, 3)
	for _, norm := range []lnmu.Choice{lnmu.L2, lnmu.L1} {
		last := math.Inf(1)
		for _, weight := range []float64{1e-3, 1000} {
			res := must.Get(lnmu.Factor(t.Context(), m, 1, lnmu.RNMU{SmoothV: weight, ShapeV: [2]int{10, 6}, SmoothNorm: norm}, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}}))(t)
			var rough float64
			for i := range 60 {
				for _, next := range neighbours(i, 10, 6) {
					rough += math.Abs(res.V.Data[i]-res.V.Data[next]) / kernel.Max(res.V.Data)
				}
			}
			must.Below(t, rough, last, norm, "weight", weight, "gives the roughness")
			last = rough
		}
		must.AtMost(t, last, 2, norm, "the weight 1000 leaves the roughness")
	}
}

func neighbours(i, height, width int) []int {
	var list []int
	y, x := i/width, i%width
	for _, n := range [][2]int{{y - 1, x}, {y + 1, x}, {y, x - 1}, {y, x + 1}} {
		if n[0] >= 0 && n[0] < height && n[1] >= 0 && n[1] < width {
			list = append(list, n[0]*width+n[1])
		}
	}
	return list
}
