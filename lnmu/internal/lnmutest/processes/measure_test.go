package processes

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"nmu/internal/together"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
)

// TestMeasureTogether: any number of processes measure what one measures, for matrices and factors of
// which each has its part.
func TestMeasureTogether(t *testing.T) {
	fewBytes(t, 3000)
	for _, shape := range [][2]int{{700, 6}, {6, 700}, {5, 4}} {
		d := positive[float64](shape[0], shape[1], 3)
		filled := lnmutest.SparseData[float64](shape[0], shape[1], 3).Dense()
		for k := range max(shape[0], shape[1]) { // every row and column stores something
			filled.Row(k % shape[0])[k%shape[1]] = 0.5
		}
		sparse := lnmu.NewCSR(filled)
		v, w := lnmutest.RandomStart[float64](shape[0], shape[1], 3, 1)
		mask, weights := lnmu.NewMask(shape[0], shape[1]), lnmu.NewDense[float64](shape[0], shape[1], nil)
		for i := range shape[0] {
			for j := range shape[1] {
				mask.Set(i, j, (i+j)%3 > 0)
				weights.Row(i)[j] = float64(1 + (i*j)%5)
			}
		}
		seen := incomplete{mask: mask, weights: weights}
		for name, c := range map[string]struct {
			whole lnmu.Matrix[float64]
			part  func(p lnmu.Processes) lnmu.Part[float64]
		}{
			"dense": {d, func(p lnmu.Processes) lnmu.Part[float64] { return share(d, p) }},
			"files": {d, func(p lnmu.Processes) lnmu.Part[float64] { _, part := shareStored(d, p); return part }},
			"incomplete": {lnmu.Observed[float64]{Matrix: d, Mask: mask, Weights: weights}, func(p lnmu.Processes) lnmu.Part[float64] {
				own, part := seen, share(d, p)
				shareMissing(&own, p)
				part.Matrix = lnmu.Observed[float64]{Matrix: part.Matrix, Mask: own.mask, Weights: own.weights}
				return part
			}},
			"sparse": {sparse, func(p lnmu.Processes) lnmu.Part[float64] { return shareSparse(sparse, p) }},
			"stored": {lnmu.Observed[float64]{Matrix: sparse, StoredOnly: true}, func(p lnmu.Processes) lnmu.Part[float64] {
				part := shareSparse(sparse, p)
				part.Matrix = lnmu.Observed[float64]{Matrix: part.Matrix, StoredOnly: true}
				return part
			}},
			"sparse files": {sparse, func(p lnmu.Processes) lnmu.Part[float64] { _, part := shareStoredSparse(sparse, p); return part }},
			"shared": {sparse, func(p lnmu.Processes) lnmu.Part[float64] {
				return lnmu.Part[float64]{Matrix: &lnmutest.RowsOfCSR[float64]{CSR: sparse}, Processes: p, Rows: shape[0], Cols: shape[1]}
			}},
		} {
			want, err := lnmu.Measure(c.whole, v, w, nil)
			if err != nil {
				t.Fatalf("%s of %v: %v", name, shape, err)
			}
			for _, size := range []int{1, 2, 5} {
				folder := t.TempDir()
				together.Run(size, func(p *together.Process) {
					ofV, ofW := startOf(v, w, p)
					if got, err := lnmu.Measure(c.part(p), ofV, ofW, &lnmu.Settings{Threads: 1 + p.Rank()%2, Scratch: folder}); err != nil || got != want {
						t.Errorf("%s of %v, process %d of %d: %+v, %v, want %+v", name, shape, p.Rank(), size, got, err, want)
					}
				})
			}
		}
	}
}

// TestMeasureTogetherFails: an error of one process is an error of all, and none waits for another.
func TestMeasureTogetherFails(t *testing.T) {
	fewBytes(t, 3000)
	d := positive[float64](1200, 6, 3)
	v, w := lnmutest.RandomStart[float64](1200, 6, 2, 1)
	for name, part := range map[string]func(p lnmu.Processes) (lnmu.Matrix[float64], error){
		"a value": func(p lnmu.Processes) (lnmu.Matrix[float64], error) {
			own := share(d, p)
			if p.Rank() == 1 {
				bad := lines(d, p).Transposed().Transposed()
				bad.Row(3)[2] = -1
				own.Matrix = bad
			}
			return own, lnmu.ErrValue
		},
		"the disk": func(p lnmu.Processes) (lnmu.Matrix[float64], error) {
			of, own := shareStored(d, p)
			if p.Rank() == 1 {
				of.errAfter.Store(3)
			}
			return own, errFire
		},
		"kinds": func(p lnmu.Processes) (lnmu.Matrix[float64], error) {
			own := share(d, p)
			if p.Rank() == 1 {
				own.Matrix = lnmu.NewCSR(lines(d, p))
			}
			return own, lnmu.ErrOption
		},
	} {
		together.Run(3, func(p *together.Process) {
			ofV, ofW := startOf(v, w, p)
			m, want := part(p)
			if p.Rank() != 1 {
				want = lnmu.ErrProcess
			}
			if _, err := lnmu.Measure(m, ofV, ofW, nil); !errors.Is(err, want) {
				t.Errorf("%s, process %d: error %v, want %v", name, p.Rank(), err, want)
			}
		})
	}
}

// TestLargeSparseResult: the error and the largest violation of a sparse M of more than 2^24 entries
// are those of V W, tall and wide, of one process and of three, in memory and in files. Where a
// search finds the violation, it is exact. Where the iterations were too few, it is a bound.
func TestLargeSparseResult(t *testing.T) {
	t.Run("float64", func(t *testing.T) { testLargeSparseResult[float64](t, 1e-9) })
	t.Run("float32", func(t *testing.T) { testLargeSparseResult[float32](t, 1e-4) })
}

func testLargeSparseResult[T lnmu.Float](t *testing.T, tolerance float64) {
	fewBytes(t, 3000)
	for _, c := range []struct {
		rows, cols int
		method     lnmu.Method
		iterations int
		bound      bool
	}{
		{4400, 4000, lnmu.NMF{}, 20, false},
		{4000, 4400, lnmu.GNMU{}, 20, false},
		{4000, 4400, lnmu.NMF{Solver: lnmu.SolverAccelerated}, 20, false},
		{4400, 4000, lnmu.NMF{}, 1, true},
	} {
		m := scattered[T](c.rows, c.cols, 30000)
		s := lnmu.Settings{Restarts: 1, Iterations: c.iterations}
		one, err := lnmu.Factor(t.Context(), m, 3, c.method, &s)
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("%d x %d, %s, %d iterations", c.rows, c.cols, lnmutest.NameOf(c.method), c.iterations)
		var squares, norm, violation float64
		row := make([]float64, m.Cols)
		for i := range m.Rows {
			clear(row)
			for k := range 3 {
				for j, w := range one.W.Row(k) {
					row[j] -= float64(one.V.At(i, k)) * float64(w)
				}
			}
			for t := m.Ptr[i]; t < m.Ptr[i+1]; t++ {
				row[m.Idx[t]] += float64(m.Val[t])
				norm += float64(m.Val[t]) * float64(m.Val[t])
			}
			for _, e := range row {
				squares, violation = squares+e*e, max(violation, -e)
			}
		}
		if want := math.Sqrt(squares / norm); math.Abs(one.RelativeError-want) > tolerance || one.ViolationBound != c.bound || one.MaxViolation < violation-tolerance || !c.bound && one.MaxViolation > violation+tolerance {
			t.Errorf("%s: error %v, violation %v, a bound: %v; want %v and %v", name, one.RelativeError, one.MaxViolation, one.ViolationBound, want, violation)
		}
		for _, size := range []int{1, 3} {
			for _, stored := range []bool{false, true} {
				scratch := t.TempDir()
				parts := inParts(t, size, &s, func(p lnmu.Processes, s *lnmu.Settings) (*lnmu.Result[T], error) {
					of := shareSparse(m, p)
					if stored {
						_, of = shareStoredSparse(m, p)
					}
					s.Scratch = scratch
					return lnmu.Factor(t.Context(), of, 3, c.method, s)
				})
				alike(t, fmt.Sprintf("%s, %d processes, in files: %v", name, size, stored), joined(t, m.Rows, m.Cols, parts), one)
			}
		}
	}
}
