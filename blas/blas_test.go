package blas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/testblas"

	"nmu/internal/isa"
	"nmu/kernel"
)

// TestBLAS runs gonum's tests of what is not inherited, at every level.
func TestBLAS(t *testing.T) {
	for _, level := range isa.Available() {
		t.Run(level.String(), func(t *testing.T) {
			defer isa.Set(level)()
			var impl Implementation
			t.Run("Dgemm", func(t *testing.T) { testblas.TestDgemm(t, impl) })
			t.Run("Dsyrk", func(t *testing.T) { testblas.DsyrkTest(t, impl) })
			t.Run("Dsyr2k", func(t *testing.T) { testblas.Dsyr2kTest(t, impl) })
			t.Run("Dsymm", func(t *testing.T) { testblas.DsymmTest(t, impl) })
			t.Run("Dtrmm", func(t *testing.T) { testblas.DtrmmTest(t, impl) })
			t.Run("Dtrsm", func(t *testing.T) { testblas.DtrsmTest(t, impl) })
			t.Run("Dgemv", func(t *testing.T) { testblas.DgemvTest(t, impl) })
			t.Run("Dger", func(t *testing.T) { testblas.DgerTest(t, impl) })
			t.Run("Ddot", func(t *testing.T) { testblas.DdotTest(t, impl) })
			t.Run("Dnrm2", func(t *testing.T) { testblas.Dnrm2Test(t, impl) })
			t.Run("Daxpy", func(t *testing.T) { testblas.DaxpyTest(t, impl) })
			t.Run("Dscal", func(t *testing.T) { testblas.DscalTest(t, impl) })
		})
	}
}

// update is a routine that computes C <- alpha ... + beta C. C is rows x cols with gap
// elements behind each row, and the routine writes the entries that written names.
type update[T kernel.Float] struct {
	name       string
	rows, cols int
	written    func(i, j int) bool
	run        func(alpha, beta T, c []T)
}

// gap is the number of elements between two rows of C.
const gap = 2

var (
	transposes = []blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans}
	triangles  = []blas.Uplo{blas.Lower, blas.Upper}
	sides      = []blas.Side{blas.Left, blas.Right}
	diagonals  = []blas.Diag{blas.Unit, blas.NonUnit}
)

// updates returns the updates of every routine, transpose, side and triangle.
func updates[T kernel.Float](r routines[T], s shape, a, b []T) (list []update[T]) {
	m, n, k := s.m, s.n, s.k
	do := func(name string, rows, cols int, written func(i, j int) bool, run func(alpha, beta T, c []T)) {
		list = append(list, update[T]{name, rows, cols, written, run})
	}
	all := func(i, j int) bool { return true }
	stored := func(t blas.Transpose, rows, cols int) int { // the distance of rows
		if t != blas.NoTrans {
			return rows
		}
		return cols
	}
	for _, tA := range transposes {
		for _, tB := range transposes {
			do(fmt.Sprintf("gemm %c%c", tA, tB), m, n, all, func(alpha, beta T, c []T) {
				r.gemm(tA, tB, m, n, k, alpha, a, max(1, stored(tA, m, k)), b, max(1, stored(tB, k, n)), beta, c, n+gap)
			})
		}
		for _, ul := range triangles {
			half := func(i, j int) bool { return i == j || (i > j) == (ul == blas.Lower) }
			ld := max(1, stored(tA, n, k))
			do(fmt.Sprintf("syrk %c%c", ul, tA), n, n, half, func(alpha, beta T, c []T) {
				r.syrk(ul, tA, n, k, alpha, a, ld, beta, c, n+gap)
			})
			do(fmt.Sprintf("syr2k %c%c", ul, tA), n, n, half, func(alpha, beta T, c []T) {
				r.syr2k(ul, tA, n, k, alpha, a, ld, b, ld, beta, c, n+gap)
			})
		}
		lenX, lenY := n, m
		if tA != blas.NoTrans {
			lenX, lenY = m, n
		}
		do(fmt.Sprintf("gemv %c", tA), 1, lenY, all, func(alpha, beta T, c []T) {
			r.gemv(tA, m, n, alpha, a, n, b[:lenX], 1, beta, c[:lenY], 1)
		})
	}
	for _, side := range sides {
		for _, ul := range triangles {
			order := n
			if side == blas.Left {
				order = m
			}
			do(fmt.Sprintf("symm %c%c", side, ul), m, n, all, func(alpha, beta T, c []T) {
				r.symm(side, ul, m, n, alpha, a, order, b, n, beta, c, n+gap)
			})
		}
	}
	return list
}

// TestBetaZero: with beta = 0, what C holds does not count: NaN in it give the bits that
// zeros give, and the entries that are not written stay.
func TestBetaZero(t *testing.T) { both(t, testBetaZero[float64], testBetaZero[float32]) }

func testBetaZero[T kernel.Float](t *testing.T, r routines[T]) {
	d := draws[T]{rand.New(rand.NewPCG(5, 6)), 9}
	nan := T(math.NaN())
	for _, s := range shapes() {
		a, b := d.numbers(s.room()), d.numbers(s.room())
		for _, u := range updates(r, s, a, b) {
			rows, cols := u.rows, u.cols
			got, want := slices.Repeat([]T{nan}, rows*(cols+gap)), make([]T, rows*(cols+gap))
			u.run(-0.75, 0, want)
			u.run(-0.75, 0, got)
			for i := range rows {
				for j := range cols + gap {
					at := i*(cols+gap) + j
					inside := j < cols && u.written(i, j)
					if inside && (want[at] != want[at] || got[at] != want[at]) || !inside && got[at] == got[at] {
						t.Fatalf("%s %v, written %v: entry (%d, %d) is %v of NaN and %v of 0", u.name, s, inside, i, j, got[at], want[at])
					}
				}
			}
		}
	}
}

// TestAlphaZero: with alpha = 0, what A and B hold does not count, NaN neither: C is
// multiplied by beta, and B of trmm and trsm is set to zero.
func TestAlphaZero(t *testing.T) { both(t, testAlphaZero[float64], testAlphaZero[float32]) }

func testAlphaZero[T kernel.Float](t *testing.T, r routines[T]) {
	nan := T(math.NaN())
	for _, s := range shapes() {
		a := slices.Repeat([]T{nan}, s.room())
		for _, u := range updates(r, s, a, a) {
			rows, cols := u.rows, u.cols
			for _, beta := range []T{0, 1, 2} {
				c, from := make([]T, rows*(cols+gap)), T(3)
				for i := range c {
					c[i] = from
				}
				u.run(0, beta, c)
				for i := range rows {
					for j := range cols + gap {
						want := from
						if j < cols && u.written(i, j) {
							want *= beta
						}
						if got := c[i*(cols+gap)+j]; got != want {
							t.Fatalf("%s %v, beta %v: entry (%d, %d) is %v, want %v", u.name, s, beta, i, j, got, want)
						}
					}
				}
			}
		}
		triangular := map[string]func(blas.Side, blas.Uplo, blas.Transpose, blas.Diag, int, int, T, []T, int, []T, int){"trmm": r.trmm, "trsm": r.trsm}
		for name, run := range triangular {
			for i := range 24 { // every side, triangle, transpose and diagonal
				side, ul, tA, diag := sides[i%2], triangles[i/2%2], transposes[i/4%3], diagonals[i/12]
				order := s.n
				if side == blas.Left {
					order = s.m
				}
				b := slices.Repeat([]T{nan}, s.m*(s.n+gap))
				run(side, ul, tA, diag, s.m, s.n, 0, a, order, b, s.n+gap)
				for i, x := range b {
					if inside := i%(s.n+gap) < s.n; inside != (x == 0) {
						t.Fatalf("%s %c%c%c%c %v: element %d is %v", name, side, ul, tA, diag, s, i, x)
					}
				}
			}
		}
	}
}

// shape is what a call is about: A, B and C have two of its extents each.
type shape struct{ m, n, k int }

// room is enough for a matrix with any two of the extents.
func (s shape) room() int { e := max(s.m, s.n, s.k); return e * e }

// shapes are squares of every size to 20, every pair of extents to 20 with some third
// one, and some that are larger than strips, panels and blocks. With -short the pairs are
// left out.
func shapes() []shape {
	var list []shape
	for m := 1; m <= 20; m++ {
		for n := 1; n <= 20; n++ {
			if testing.Short() && m != n {
				continue
			}
			for at, k := range []int{0, 1, 3, 4, m, n, 15, 16} {
				if at == (3*m+n)%8 || os.Getenv("NMU_FULL") != "" { // each m and each n has every k
					list = append(list, shape{m, n, k})
				}
			}
		}
	}
	return append(list, shape{25, 25, 25}, shape{30, 31, 32}, shape{49, 97, 3}, shape{97, 49, 50}, shape{5, 200, 20},
		shape{200, 5, 20}, shape{130, 120, 300}, shape{260, 261, 40}, shape{3, 500, 2})
}

// TestSymmetricIsProduct: symm, syrk and syr2k have the bits of the products that define them, with every
// number of threads. The extents leave blocks, strips and panels of one to five rows or columns.
func TestSymmetricIsProduct(t *testing.T) {
	both(t, testSymmetricIsProduct[float64], testSymmetricIsProduct[float32])
}

func testSymmetricIsProduct[T kernel.Float](t *testing.T, r routines[T]) {
	const alpha, beta = 0.7, -1
	each := func(what string, want []T, call func(c []T), c []T) {
		for _, threads := range []int{1, 2, 8} {
			old := runtime.GOMAXPROCS(threads)
			got := slices.Clone(c)
			call(got)
			runtime.GOMAXPROCS(old)
			if i := differs(got, want); i >= 0 {
				t.Errorf("%s, %d threads: element %d is %v, of the product %v", what, threads, i, got[i], want[i])
			}
		}
	}
	triangles := []blas.Uplo{blas.Upper, blas.Lower}
	for _, s := range [][2]int{{300, 75}, {300, 27}, {11, 300}, {40, 257}, {40, 260}, {257, 5}, {90, 5}, {600, 195}, {75, 300}, {3, 520}} {
		m, n := s[0], s[1]
		d := draws[T]{rand.New(rand.NewPCG(5, 6)), 9}
		b, ldb := d.matrix(m, n)
		c, ldc := d.matrix(m, n)
		for _, side := range []blas.Side{blas.Left, blas.Right} {
			order := n
			if side == blas.Left {
				order = m
			}
			a, lda := d.matrix(order, order)
			for _, ul := range triangles {
				whole := make([]T, order*order)
				for i := range order {
					for j := range order {
						whole[i*order+j] = a[min(i, j)*lda+max(i, j)]
						if ul == blas.Lower {
							whole[i*order+j] = a[max(i, j)*lda+min(i, j)]
						}
					}
				}
				want := slices.Clone(c)
				if side == blas.Left {
					r.gemm('N', 'N', m, n, m, alpha, whole, m, b, ldb, beta, want, ldc)
				} else {
					r.gemm('N', 'N', m, n, n, alpha, b, ldb, whole, n, beta, want, ldc)
				}
				each(fmt.Sprintf("symm %c%c %d x %d", side, ul, m, n), want, func(c []T) { r.symm(side, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc) }, c)
			}
		}
	}
	for _, s := range [][2]int{{25, 400}, {97, 300}, {100, 30}, {194, 80}, {21, 900}, {53, 17}} {
		n, k := s[0], s[1]
		for _, tr := range []blas.Transpose{blas.NoTrans, blas.Trans} {
			d := draws[T]{rand.New(rand.NewPCG(7, 8)), 9}
			a, lda := d.stored(tr, n, k)
			b, ldb := d.stored(tr, n, k)
			c, ldc := d.matrix(n, n)
			other := blas.Trans
			if tr == blas.Trans {
				other = blas.NoTrans
			}
			one, two := slices.Clone(c), slices.Clone(c)
			r.gemm(tr, other, n, n, k, alpha, a, lda, a, lda, beta, one, ldc)
			r.gemm(tr, other, n, n, k, alpha, a, lda, b, ldb, beta, two, ldc)
			r.gemm(tr, other, n, n, k, alpha, b, ldb, a, lda, 1, two, ldc)
			for _, ul := range triangles {
				triangle := func(whole []T) []T {
					want := slices.Clone(c)
					for i := range n {
						from, to := 0, i+1
						if ul == blas.Upper {
							from, to = i, n
						}
						copy(want[i*ldc+from:i*ldc+to], whole[i*ldc+from:i*ldc+to])
					}
					return want
				}
				what := fmt.Sprintf("%c%c n %d k %d", ul, tr, n, k)
				each("syrk "+what, triangle(one), func(c []T) { r.syrk(ul, tr, n, k, alpha, a, lda, beta, c, ldc) }, c)
				each("syr2k "+what, triangle(two), func(c []T) { r.syr2k(ul, tr, n, k, alpha, a, lda, b, ldb, beta, c, ldc) }, c)
			}
		}
	}
}
