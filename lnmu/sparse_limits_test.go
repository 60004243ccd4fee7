package lnmu_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unsafe"

	"nmu/internal/dataset"
	"nmu/internal/literal"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/internal/method"
)

// TestSparseMemory checks the formula of CSR, on a matrix that would
// need 800 MB if it were dense, and that iterations allocate nothing.
func TestSparseMemory(t *testing.T) {
	const rows, cols, nnz, rank = 20000, 10000, 400000, 5
	ptr, idx, val := dataset.Sparse[float32](rows, cols, nnz, 1)
	m := lnmu.CSR[float32]{Rows: rows, Cols: cols, Ptr: ptr, Idx: idx, Val: val}
	count := func(method lnmu.Method, threads, iterations int) (bytes, mallocs uint64) {
		var err error
		bytes, mallocs = allocated(func() {
			_, err = lnmu.Factor(t.Context(), m, rank, method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Threads: threads, Limits: lnmu.Limits{Iterations: iterations}})
		})
		must.Do(t, err)
		return bytes, mallocs
	}
	for _, c := range []struct {
		method   lnmu.Method
		perEntry uint64
	}{{lnmu.NMF{}, 5 + 4}, {lnmu.GNMU{}, 5 + 2*4}, {lnmu.RNMU{}, 5 + 3*4}} {
		limit := c.perEntry*nnz + (12*4*rank+16)*(rows+cols) + 1<<20 // see CSR
		_, few := count(c.method, 2, 4)                              // enough for the same measurement of the result
		bytes, many := count(c.method, 2, 6)
		must.AtMost(t, bytes, limit, lnmutest.NameOf(c.method), "takes")
		must.AtMost(t, many, few+20, lnmutest.NameOf(c.method), few, "allocations for 4 iterations")
	}
}

// TestSparseBadInput checks that what cannot be factored is refused with an
// error that says where and why.
func TestSparseBadInput(t *testing.T) {
	type csr = lnmu.CSR[float64]
	ok := csr{3, 4, []int{0, 2, 2, 4}, []int32{0, 3, 1, 2}, []float64{1, 2, 3, 4}}
	zerosBy := func(g func(k int) float64) lnmu.Method {
		return lnmu.RNMU{GNMU: lnmu.GNMU{ZeroMultiplier: g}}
	}
	with := func(change func(c *csr)) csr {
		c := csr{ok.Rows, ok.Cols, append([]int(nil), ok.Ptr...), append([]int32(nil), ok.Idx...), append([]float64(nil), ok.Val...)}
		change(&c)
		return c
	}
	for _, c := range []struct {
		name     string
		m        lnmu.Matrix[float64]
		method   lnmu.Method
		settings *lnmu.Settings
		is       error
		says     string
	}{
		{"empty", csr{}, nil, nil, lnmu.ErrShape, "M is empty (0 x 0)"},
		{"negative size", csr{Rows: -1, Cols: 2}, nil, nil, lnmu.ErrShape, "-1 rows"},
		{"no pointers", csr{Rows: 2, Cols: 2}, nil, nil, lnmu.ErrShape, "2 rows and 0 row pointers, want 3"},
		{"huge claim", csr{Rows: math.MaxInt32, Cols: 2}, nil, nil, lnmu.ErrShape, "0 row pointers"},
		{"lengths", with(func(c *csr) { c.Val = c.Val[:3] }), nil, nil, lnmu.ErrShape, "4 column indices for 3 values"},
		{"first pointer", with(func(c *csr) { c.Ptr[0] = 1 }), nil, nil, lnmu.ErrShape, "from 1 to 4"},
		{"last pointer", with(func(c *csr) { c.Ptr[3] = 5 }), nil, nil, lnmu.ErrShape, "from 0 to 5"},
		{"pointers", with(func(c *csr) { c.Ptr[1], c.Ptr[2] = 2, 1 }), nil, nil, lnmu.ErrShape, "row 1: its values are 2 to 1 of 4"},
		{"pointer beyond", with(func(c *csr) { c.Ptr[1] = 9 }), nil, nil, lnmu.ErrShape, "row 0: its values are 0 to 9 of 4"},
		{"column", with(func(c *csr) { c.Idx[3] = 4 }), nil, nil, lnmu.ErrShape, "row 2 has an entry in column 4 of 4"},
		{"negative column", with(func(c *csr) { c.Idx[0] = -1 }), nil, nil, lnmu.ErrShape, "row 0 has an entry in column -1"},
		{"unsorted", with(func(c *csr) { c.Idx[2], c.Idx[3] = 2, 1 }), nil, nil, lnmu.ErrShape, "row 2 has column 1 after column 2"},
		{"twice", with(func(c *csr) { c.Idx[3] = 1 }), nil, nil, lnmu.ErrShape, "row 2 has two entries in column 1"},
		{"negative", with(func(c *csr) { c.Val[2] = -0.5 }), nil, nil, lnmu.ErrValue, "row 3, column 2 of M = -0.5 is negative"},
		{"nan", with(func(c *csr) { c.Val[1] = math.NaN() }), nil, nil, lnmu.ErrValue, "row 1, column 4 of M = NaN is not finite"},
		{"inf", with(func(c *csr) { c.Val[1] = math.Inf(1) }), nil, nil, lnmu.ErrValue, "row 1, column 4 of M = +Inf is not finite"},
		{"huge", with(func(c *csr) { c.Val[1] = 1e200 }), nil, nil, lnmu.ErrValue, "overflow; scale M down"},
		{"least rows", csr{math.MinInt, 1, []int{0}, nil, nil}, nil, nil, lnmu.ErrShape, "rows"},
		{"pointers far beyond", csr{2, 2, []int{0, math.MaxInt, 1}, []int32{0}, []float64{1}}, nil, nil, lnmu.ErrShape, "row 0"},
		{"pointers far before", csr{2, 2, []int{0, math.MinInt, 1}, []int32{0}, []float64{1}}, nil, nil, lnmu.ErrShape, "row 0"},
		{"least column", csr{1, 2, []int{0, 1}, []int32{math.MinInt32}, []float64{1}}, nil, nil, lnmu.ErrShape, "row 0"},
		{"tiny", csr{2, 2, []int{0, 1, 1}, []int32{0}, []float64{1e-200}}, nil, nil, lnmu.ErrValue, "underflow; scale M up"},
		{"svd", lnmu.Observed[float64]{Matrix: ok, StoredOnly: true}, lnmu.NMF{}, &lnmu.Settings{Start: lnmu.Start{Init: lnmu.InitSVD}}, lnmu.ErrOption, "start svd with unstored entries missing"},
		{"overwrite", ok, nil, &lnmu.Settings{Overwrite: true}, lnmu.ErrOption, "overwrite on a sparse matrix"},
		{"norm", ok, lnmu.RNMU{Norm: lnmu.L1}, nil, lnmu.ErrOption, "norm l1 on a sparse matrix"},
		{"feasible", ok, lnmu.GNMU{Feasible: lnmu.FeasibleFinal}, nil, lnmu.ErrOption, "feasible final on a sparse matrix"},
		{"feasible recursion", ok, lnmu.RNMU{GNMU: lnmu.GNMU{Feasible: lnmu.FeasibleEach}}, nil, lnmu.ErrOption, "feasible each on a sparse matrix"},
		{"hoyer", ok, lnmu.Hoyer{HoyerV: 0.5}, nil, lnmu.ErrOption, "choose nmf, gnmu, rnmu, snmf or kl, or make M dense"},
		{"hoyer", ok, lnmu.Hoyer{HoyerV: 0.5}, nil, lnmu.ErrOption, "method hoyer on a sparse matrix"},
		{"decreasing", ok, zerosBy(func(k int) float64 { return 1 / float64(k) }), nil, lnmu.ErrOption, "0.5 in iteration 2, after 1"},
		{"negative multiplier", ok, zerosBy(func(int) float64 { return -1 }), nil, lnmu.ErrOption, "-1 in iteration 1"},
		{"infinite multiplier", ok, zerosBy(func(int) float64 { return math.Inf(1) }), nil, lnmu.ErrOption, "+Inf in iteration 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := lnmu.Factor(t.Context(), c.m, 2, c.method, c.settings)
			if res != nil || !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("result %v, error %v; want %v that says %q", res, err, c.is, c.says)
			}
		})
	}
	must.Equal(t, must.Get(lnmu.Factor(t.Context(), ok, 6, lnmu.NMF{}, nil))(t).V.Cols, 6, "a rank above both sides")
	must.Refuse(lnmu.Factor(t.Context(), ok.Dense(), 2, zerosBy(method.Lagrangian{}.Zeros(0.1, 9)), nil))(t, lnmu.ErrOption, "", "Factor with a multiplier of the zeros")
}

// TestCSR checks the conversions.
func TestCSR(t *testing.T) {
	d := lnmutest.Data[float32](13, 9, 4)
	c := lnmu.NewCSR(d)
	must.Do(t, c.Validate())
	must.Equal(t, factors.SHA256(c.Dense()), factors.SHA256(d), "a dense matrix changes on the way through CSR")
	x := c.Transposed()
	must.Do(t, x.Validate())
	if factors.SHA256(x.Dense()) != factors.SHA256(d.Transposed()) || len(x.Val) != len(c.Val) {
		t.Error("the transpose is not that of the dense matrix")
	}
}

// TestIsolatedLargeEntry: the numbers of a large sparse M with one isolated entry of 1e8 are those of its entries, in memory, and
// those of its blocks are those of the first factors, also in the history. Each scale has two methods in a
// precision, and the others in the other one. NMU_FULL asks for all pairs.
func TestIsolatedLargeEntry(t *testing.T) {
	precisions(t, func(t *testing.T) { testIsolatedLargeEntry[float64](t, 1e-5, 1, 0x1p-40, 0x1p480, 0x1p-525) },
		func(t *testing.T) { testIsolatedLargeEntry[float32](t, 1e-4, 1, 0x1p-40, 0x1p33, 0x1p-76) })
}

func testIsolatedLargeEntry[T lnmu.Float](t *testing.T, tolerance float64, scales ...float64) {
	turn := int(unsafe.Sizeof(T(0)) / 4)
	turns := lnmutest.Rotate(2, len(scales), turn)
	for i, shape := range [][2]int{{4300, 4000}, {4000, 4300}} {
		for k, scale := range scales {
			if !turns.Takes(i, k) {
				continue
			}
			rng := rand.New(rand.NewPCG(4, 4))
			entries := map[[2]int]T{{0, 0}: T(1e8 * scale)}
			for i := 1; i < 4000; i++ {
				for range 10 {
					if j := rng.IntN(40)*100 + i%100; j > 0 {
						entries[[2]int{i, j}] = T(scale * (0.5 + rng.Float64()))
					}
				}
			}
			m := must.Get(lnmu.CSRFrom(shape[0], shape[1], maps.All(entries)))(t)
			for at, method := range []lnmu.Method{lnmu.NMF{}, lnmu.GNMU{}, lnmu.RNMU{}, lnmu.KL{}} {
				if (at+k/2+turn)%2 != 0 && os.Getenv("NMU_FULL") == "" {
					continue
				}
				res := must.Get(lnmu.Factor(t.Context(), m, 4, method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{Iterations: 60, CheckEvery: 10}, Record: true}))(t)
				_, counts := method.(lnmu.KL)
				what := fmt.Sprintf("%v, %T, times %v", shape, method, scale)
				near := func(name string, got, want float64) {
					must.AtMost(t, math.Abs(got-want), tolerance*want+1e-16, what, name)
				}
				for _, b := range res.Blocks {
					squares, excess, most, norm := literal.Residual(m, res.V, res.W, b.Rank, scale)
					near(fmt.Sprint("error of the first ", b.Rank), b.Error, math.Sqrt(squares/norm))
					for _, h := range b.History { // which moves little
						if !counts && !(math.Abs(h-b.Error) <= 1e-2*b.Error) {
							t.Errorf("%s: history %v, error %v", what, b.History, b.Error)
						}
					}
					if b.Rank < res.V.Cols {
						continue
					}
					near("error", res.RelativeError, math.Sqrt(squares/norm))
					near("violation", res.RelativeViolation, math.Sqrt(excess/norm))
					if found := res.MaxViolation / scale; !res.ViolationBound && math.Abs(found-most) > tolerance*most+1e-7 || res.ViolationBound && (found < most*(1-tolerance) || found > 100*most*(1+tolerance)) {
						t.Errorf("%s: largest violation %v, a bound: %v, want %v", what, found, res.ViolationBound, most)
					}
				}
				if len(res.Notes) > 0 && !counts { // whose divergence may be infinite
					t.Errorf("%s: notes %q", what, res.Notes)
				}
			}
		}
	}
}
