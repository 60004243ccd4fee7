package blas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"

	"nmu/kernel"
)

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
