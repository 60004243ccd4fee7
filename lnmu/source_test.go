package lnmu_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"
	"unsafe"

	"nmu/internal/must"
	"nmu/internal/options"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/internal/matrix"
)

// foreign is a matrix of another package's type.
type foreign[T lnmu.Float] struct {
	rows, cols int
	at         func(i, j int) T
}

func (f foreign[T]) Dims() (rows, cols int) { return f.rows, f.cols }
func (f foreign[T]) At(i, j int) T          { return f.at(i, j) }

// gap is what lies between the entries of a matrix: nothing that reads it has a
// finite result.
var gap = math.NaN()

// layouts returns copies of m in memory of their own, in every order there is.
func layouts[T lnmu.Float](m lnmu.Dense[T]) map[string]lnmu.Matrix[T] {
	strided := func(rowStride, colStride, before, after int) lnmu.Strided[T] {
		s := lnmu.Strided[T]{Rows: m.Rows, Cols: m.Cols, RowStride: rowStride, ColStride: colStride}
		all := make([]T, before+(m.Rows-1)*rowStride+(m.Cols-1)*colStride+1+after)
		for i := range all {
			all[i] = T(gap)
		}
		s.Data = all[before:]
		for i := range m.Rows {
			for j := range m.Cols {
				s.Data[i*rowStride+j*colStride] = m.At(i, j)
			}
		}
		return s
	}
	columns := strided(1, m.Rows, 0, 0)
	byRows := strided(m.Cols+3, 1, 2, 5)
	return map[string]lnmu.Matrix[T]{
		"dense":                         matrix.Clone(m),
		"dense with gaps":               lnmu.Dense[T]{Rows: m.Rows, Cols: m.Cols, Data: byRows.Data, Stride: byRows.RowStride},
		"by rows":                       strided(m.Cols, 1, 0, 0),
		"by rows with gaps":             strided(m.Cols+3, 1, 2, 5),
		"by columns":                    byColumns(m.Rows, m.Cols, columns.Data),
		"by columns with gaps":          strided(1, m.Rows+3, 2, 5),
		"every other, by rows":          strided(2*m.Cols+1, 2, 1, 1),
		"every other, by columns":       strided(2, 2*m.Rows+1, 1, 1),
		"foreign":                       foreign[T]{m.Rows, m.Cols, m.At},
		"foreign of a pointer's method": &foreign[T]{m.Rows, m.Cols, m.At},
	}
}

// TestLayouts checks that how M lies in memory does not change a bit of any result.
// NMU_FULL asks for more shapes.
func TestLayouts(t *testing.T) { precisions(t, testLayouts[float64], testLayouts[float32]) }

func testLayouts[T lnmu.Float](t *testing.T) {
	methods := []lnmu.Method{
		lnmu.RNMU{Block: 2}, lnmu.RNMU{Norm: lnmu.L1}, lnmu.SNMF{SparsityV: 0.5},
		lnmu.GNMU{Feasible: lnmu.FeasibleFinal, FeasibleSteps: 3}, lnmu.RNMU{GNMU: lnmu.GNMU{Feasible: lnmu.FeasibleFinal}},
		lnmu.GNMU{Feasible: lnmu.FeasibleEach}, lnmu.RNMU{GNMU: lnmu.GNMU{Feasible: lnmu.FeasibleEach}},
		lnmutest.AugmentedOf(0, 1, 2), lnmutest.AugmentedOf(1, 1, 1),
	}
	for _, d := range options.Methods() {
		methods = append(methods, typical(d))
	}
	// More than one panel and tile in each direction, one row or column, and, with
	// NMU_FULL, several slabs.
	shapes := [][2]int{{90, 41}, {41, 90}, {1, 19}, {19, 1}}
	if os.Getenv("NMU_FULL") != "" {
		shapes = append(shapes, [][2]int{{33, 33}, {300, 17}, {17, 300}}...)
	}
	turns := lnmutest.Rotate(len(methods), 3, int(unsafe.Sizeof(T(0))/4))
	for at, shape := range shapes {
		m := lnmutest.Data[T](shape[0], shape[1], 7)
		rank := min(3, m.Rows, m.Cols)
		v, w := lnmutest.RandomStart[T](m.Rows, m.Cols, rank, 5)
		for i, method := range methods {
			if !turns.Takes(i, at) {
				continue
			}
			for _, s := range []lnmu.Settings{
				{Start: lnmu.Start{Restarts: 1}, Threads: 1, Overwrite: true}, {Start: lnmu.Start{Restarts: 2}, Threads: 1}, {Start: lnmu.Start{Init: lnmu.InitSVD}, Threads: 2},
			} {
				if _, ok := method.(lnmu.KL); ok && s.Init == lnmu.InitSVD {
					continue // whose zeros would stay
				}
				s.Iterations = 3
				runLayouts(t, fmt.Sprintf("%dx%d %#v %+v", m.Rows, m.Cols, method, s), m, s.Overwrite, func(m lnmu.Matrix[T]) (string, error) {
					res, err := lnmu.Factor(t.Context(), m, rank, method, &s)
					return summary(res), err
				})
			}
			runLayouts(t, fmt.Sprintf("%dx%d %#v from a start", m.Rows, m.Cols, method), m, false, func(m lnmu.Matrix[T]) (string, error) {
				res, err := lnmu.FactorFrom(t.Context(), m, v, w, method, &lnmu.Settings{Limits: lnmu.Limits{Iterations: 3}, Threads: 1})
				return summary(res), err
			})
		}
		name := fmt.Sprintf("%dx%d", m.Rows, m.Cols)
		runLayouts(t, name+" Improve", m, false, func(m lnmu.Matrix[T]) (string, error) {
			res, err := (&lnmu.Result[T]{V: v, W: w}).Improve(t.Context(), m, lnmu.NMF{}, &lnmu.Settings{Limits: lnmu.Limits{Iterations: 3}, Threads: 1})
			return summary(res), err
		})
		runLayouts(t, name+" Scaled", m, false, func(m lnmu.Matrix[T]) (string, error) {
			alpha, e, err := scaledOf(m, v, w)
			return fmt.Sprint(alpha, e), err
		})
		for _, s := range []*lnmu.TransformSettings{{Threads: 1}, {Feasible: true, Threads: 1}, {Threads: 2}} {
			runLayouts(t, fmt.Sprintf("%s Transform %+v", name, s), m, false, func(m lnmu.Matrix[T]) (string, error) {
				res, err := transformOf(t.Context(), v, m, s)
				if err != nil {
					return "", err
				}
				return fmt.Sprint(factors.SHA256(res.W), res.RelativeError, res.MaxViolation, res.KKT, res.IterationsDone), nil
			})
		}
		runLayouts(t, name+" TransformFrom", m, false, func(m lnmu.Matrix[T]) (string, error) {
			res, err := lnmu.Transform(t.Context(), m, v, w, &lnmu.TransformSettings{Threads: 1})
			if err != nil {
				return "", err
			}
			return fmt.Sprint(factors.SHA256(res.W), res.RelativeError, res.MaxViolation, res.KKT, res.IterationsDone), nil
		})
	}
}

// summary says what may not depend on the layout of M.
func summary[T lnmu.Float](res *lnmu.Result[T]) string {
	if res == nil {
		return ""
	}
	return fmt.Sprintf("V %s W %s error %v l1 %v violation %v blocks %+v stop %s restart %d largest %v",
		factors.SHA256(res.V), factors.SHA256(res.W), res.RelativeError, res.RelativeL1, res.MaxViolation, res.Blocks, res.Stop, res.BestRestart, res.LargestEntry)
}

// runLayouts does the same with every layout of m. What it finds must be the same, and
// M must be left alone unless it may be overwritten: the gaps always.
func runLayouts[T lnmu.Float](t *testing.T, name string, m lnmu.Dense[T], overwrite bool, do func(m lnmu.Matrix[T]) (string, error)) {
	t.Helper()
	want := must.Get(do(matrix.Clone(m)))(t, name)
	for layout, x := range layouts(m) {
		got, err := do(x)
		if err != nil || got != want {
			t.Errorf("%s, %s: %s, %v; want %s", name, layout, got, err, want)
		}
		fresh := layouts(m)[layout]
		if now, before := memory(x), memory(fresh); overwrite {
			for i, b := range before {
				if (b != b) != (now[i] != now[i]) {
					t.Fatalf("%s, %s: element %d, which is no entry of M, has been overwritten", name, layout, i)
				}
			}
		} else {
			for i, b := range before {
				if b == b && now[i] != b || b != b && now[i] == now[i] {
					t.Fatalf("%s, %s: element %d was %v and is %v", name, layout, i, b, now[i])
				}
			}
		}
	}
}

// memory returns the memory of a matrix, gaps included.
func memory[T lnmu.Float](m lnmu.Matrix[T]) []T {
	switch m := m.(type) {
	case lnmu.Dense[T]:
		return m.Data
	case lnmu.Strided[T]:
		return m.Data
	}
	return nil
}

// TestBadMatrix checks that a matrix of which an entry lies outside its memory is
// refused, by numbers that overflow too, and no matrix at all.
func TestBadMatrix(t *testing.T) {
	all := make([]float64, 12)
	for i := range all {
		all[i] = 1
	}
	v, w := lnmu.NewDense(3, 1, []float64{1, 1, 1}), lnmu.NewDense(1, 4, []float64{1, 1, 1, 1})
	seen := lnmu.NewMask(3, 4)
	seen.Set(0, 0, false)
	check := func(name string, m lnmu.Matrix[float64], says string) {
		t.Helper()
		for where, do := range entryPoints(t, v, w) {
			if m != nil && slices.Contains([]string{"Check", "Check of a start", "EstimateOf"}, where) {
				continue // which look at the size alone
			}
			got, err := do(m)
			if where == "Update" && errors.Is(err, lnmu.ErrOption) {
				continue // which takes no mask
			}
			must.Fail(t, err, lnmu.ErrShape, says, name, where, got, "error")
		}
	}
	for name, s := range map[string]lnmu.Strided[float64]{
		"negative row stride":    {RowStride: -4, ColStride: 1, Data: all},
		"negative column stride": {RowStride: 1, ColStride: -3, Data: all},
		"both negative":          {RowStride: -1, ColStride: -3, Data: all},
		"least":                  {RowStride: math.MinInt, ColStride: math.MinInt, Data: all},
		"short by rows":          {RowStride: 4, ColStride: 1, Data: all[:11]},
		"short by columns":       {RowStride: 1, ColStride: 3, Data: all[:11]},
		"short with gaps":        {RowStride: 8, ColStride: 2, Data: all},
		"no data":                {RowStride: 4, ColStride: 1},
		"no data, no strides":    {},
		"overflow by rows":       {RowStride: math.MaxInt, ColStride: 1, Data: all},
		"overflow by columns":    {RowStride: 1, ColStride: math.MaxInt, Data: all},
		"overflow of the sum":    {RowStride: half, ColStride: half, Data: all},
	} {
		s.Rows, s.Cols = 3, 4
		check(name+" in a mask", lnmu.Observed[float64]{Matrix: &s, Mask: seen}, "3 x 4 with strides")
		check(name, s, fmt.Sprintf("3 x 4 with strides %d and %d but holds %d elements", s.RowStride, s.ColStride, len(s.Data)))
	}
	good := lnmu.NewCSR(lnmu.NewDense(3, 4, all))
	for name, c := range map[string]lnmu.CSR[float64]{
		"negative column":    {Ptr: good.Ptr, Idx: []int32{-4, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}},
		"column far outside": {Ptr: good.Ptr, Idx: []int32{0, 1, 2, 3, 0, 1, 2, 1e9, 0, 1, 2, 3}},
		"column twice":       {Ptr: good.Ptr, Idx: []int32{0, 1, 2, 3, 0, 1, 1, 3, 0, 1, 2, 3}},
		"columns backwards":  {Ptr: good.Ptr, Idx: []int32{0, 1, 2, 3, 0, 1, 2, 3, 3, 2, 1, 0}},
		"few columns":        {Ptr: good.Ptr, Idx: good.Idx[:11]},
		"pointer outside":    {Ptr: []int{0, 99, 8, 12}, Idx: good.Idx},
		"negative pointer":   {Ptr: []int{0, -4, 8, 12}, Idx: good.Idx},
		"pointers backwards": {Ptr: []int{0, 8, 4, 12}, Idx: good.Idx},
		"pointers beyond":    {Ptr: []int{0, 4, 8, 13}, Idx: good.Idx},
		"few pointers":       {Ptr: good.Ptr[:3], Idx: good.Idx},
		"no pointers":        {Idx: good.Idx},
	} {
		c.Rows, c.Cols, c.Val = 3, 4, all
		check(name, c, "M ")
		check(name+" in a mask", &lnmu.Observed[float64]{Matrix: &c, Mask: seen}, "M ")
		check(name+" of weights", lnmu.Observed[float64]{Matrix: lnmu.NewDense(3, 4, all), Weights: c}, "the weights ")
	}
	check("few weights", lnmu.Observed[float64]{Matrix: lnmu.NewDense(3, 4, all), Weights: lnmu.Dense[float64]{Rows: 3, Cols: 4, Stride: 4, Data: all[:11]}}, "the weights is 3 x 4 with stride 4 but holds 11 elements")
	check("small mask", lnmu.Observed[float64]{Matrix: lnmu.NewDense(3, 4, all), Mask: lnmu.NewMask(3, 3)}, "the mask is 3 x 3")
	check("small weights", lnmu.Observed[float64]{Matrix: lnmu.NewDense(3, 4, all), Weights: lnmu.NewDense(2, 4, all[:8])}, "the weights are 2 x 4")
	ok := lnmu.Strided[float64]{Rows: 3, Cols: 4, RowStride: 0, ColStride: 0, Data: all[:1]}
	if _, err := lnmu.Factor(t.Context(), ok, 1, nil, nil); err != nil {
		t.Errorf("one element for all entries: %v", err)
	}
	var none lnmu.Matrix[float64]
	check("no matrix", none, "M is nil")
	for name, err := range map[string]error{
		"empty":         second(lnmu.Factor(t.Context(), lnmu.Strided[float64]{}, 1, nil, nil)),
		"negative":      second(lnmu.Factor(t.Context(), lnmu.Strided[float64]{Rows: -1, Cols: -1, Data: all}, 1, nil, nil)),
		"huge":          second(lnmu.Factor(t.Context(), lnmu.Strided[float64]{Rows: math.MaxInt, Cols: math.MaxInt, RowStride: 4, ColStride: 1, Data: all}, 1, nil, nil)),
		"overflow to 0": second(lnmu.Factor(t.Context(), lnmu.Strided[float64]{Rows: 5, Cols: 1, RowStride: half, ColStride: 1, Data: all}, 1, nil, nil)),
		"empty foreign": second(lnmu.Factor(t.Context(), foreign[float64]{rows: 0, cols: 4}, 1, nil, nil)),
		"none foreign":  second(lnmu.Factor(t.Context(), foreign[float64]{rows: -1, cols: -4}, 1, nil, nil)),
	} {
		must.Fail(t, err, lnmu.ErrShape, "", name)
	}
	// A bad entry is named by its place in M, however that lies in memory.
	m := lnmutest.Data[float64](20, 30, 1)
	m.Row(17)[29] = -0.5
	for layout, x := range layouts(m) {
		must.Refuse(lnmu.Factor(t.Context(), x, 2, nil, nil))(t, lnmu.ErrValue, "row 18, column 30 of M = -0.5 is negative", layout)
	}
}

// TestEntries: a matrix has the size and the entries of the dense one in every form, in memory and as it is read.
func TestEntries(t *testing.T) {
	m := lnmutest.SparseData[float64](23, 17, 5)
	d := m.Dense()
	for _, x := range []lnmu.Matrix[float64]{m, &lnmutest.RowsOfCSR[float64]{CSR: m}, byColumns(23, 17, d.Transposed().Data)} {
		if rows, cols := x.Dims(); rows != 23 || cols != 17 {
			t.Errorf("%T is %d x %d", x, rows, cols)
		}
		for i := range d.Rows {
			for j := range d.Cols {
				if x.At(i, j) != d.At(i, j) {
					t.Fatalf("%T: entry (%d, %d) is %v, want %v", x, i, j, x.At(i, j), d.At(i, j))
				}
			}
		}
	}
}
