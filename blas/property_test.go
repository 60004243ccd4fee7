package blas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"nmu/internal/isa"
	"nmu/kernel"
)

// routines are those of one precision that this package overrides.
type routines[T kernel.Float] struct {
	gemm  func(tA, tB blas.Transpose, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int)
	syrk  func(ul blas.Uplo, t blas.Transpose, n, k int, alpha T, a []T, lda int, beta T, c []T, ldc int)
	syr2k func(ul blas.Uplo, t blas.Transpose, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int)
	symm  func(s blas.Side, ul blas.Uplo, m, n int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int)
	trmm  func(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha T, a []T, lda int, b []T, ldb int)
	trsm  func(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha T, a []T, lda int, b []T, ldb int)
	gemv  func(t blas.Transpose, m, n int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int)
	ger   func(m, n int, alpha T, x []T, incX int, y []T, incY int, a []T, lda int)
	axpy  func(n int, alpha T, x []T, incX int, y []T, incY int)
	scal  func(n int, alpha T, x []T, incX int)
	dot   func(n int, x []T, incX int, y []T, incY int) T
	nrm2  func(n int, x []T, incX int) T
}

var (
	mine  Implementation
	their gonum.Implementation

	mine64 = routines[float64]{mine.Dgemm, mine.Dsyrk, mine.Dsyr2k, mine.Dsymm, mine.Dtrmm, mine.Dtrsm,
		mine.Dgemv, mine.Dger, mine.Daxpy, mine.Dscal, mine.Ddot, mine.Dnrm2}
	mine32 = routines[float32]{mine.Sgemm, mine.Ssyrk, mine.Ssyr2k, mine.Ssymm, mine.Strmm, mine.Strsm,
		mine.Sgemv, mine.Sger, mine.Saxpy, mine.Sscal, mine.Sdot, mine.Snrm2}
	their64 = routines[float64]{their.Dgemm, their.Dsyrk, their.Dsyr2k, their.Dsymm, their.Dtrmm, their.Dtrsm,
		their.Dgemv, plainGer, their.Daxpy, their.Dscal, their.Ddot, their.Dnrm2}
)

// plainGer is Dger; gonum's is wrong for negative increments on amd64.
func plainGer(m, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	vx, _ := vectorOf(x, m, incX)
	vy, _ := vectorOf(y, n, incY)
	for i := range m {
		for j := range n {
			a[i*lda+j] += alpha * *vx.at(i) * *vy.at(j)
		}
	}
}

// draws makes the arguments of a call. For one seed those of both precisions are the
// same numbers.
type draws[T kernel.Float] struct {
	*rand.Rand
	most int // extents
}

// pick returns one of several values.
func pick[A any](d interface{ IntN(n int) int }, of ...A) A { return of[d.IntN(len(of))] }

// extent returns an extent, mostly a small one, often one at the edge of a tile.
func (d draws[T]) extent() int {
	switch d.IntN(4) {
	case 0:
		return 1 + d.IntN(9)
	case 1:
		return min(pick[int](d, 7, 8, 23, 24, 25, 47, 48, 49, 96, 97, 192, 193, 384, 400), d.most)
	}
	return 1 + d.IntN(d.most)
}

func (d draws[T]) number() T { return T(d.IntN(2001)-1000) / 512 }

func (d draws[T]) scalar() T { return pick[T](d, 0, 1, -1, 0.75) }

func (d draws[T]) numbers(n int) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = d.number()
	}
	return x
}

// matrix returns a matrix with rows of its own distance.
func (d draws[T]) matrix(rows, cols int) (x []T, ld int) {
	ld = cols + d.IntN(3)*d.IntN(9)
	return d.numbers((rows-1)*ld + cols), ld
}

// stored is matrix of one that is rows x cols after t.
func (d draws[T]) stored(t blas.Transpose, rows, cols int) (x []T, ld int) {
	if t != blas.NoTrans {
		rows, cols = cols, rows
	}
	return d.matrix(rows, cols)
}

// triangle returns a matrix that is well conditioned.
func (d draws[T]) triangle(n int) (x []T, ld int) {
	x, ld = d.matrix(n, n)
	for i := range x {
		x[i] /= T(n)
	}
	for i := range n {
		x[i*ld+i] = 1 + T(d.IntN(512))/512
	}
	return x, ld
}

func (d draws[T]) vector(n int) (x []T, inc int) {
	inc = pick[int](d, 1, 1, -1, 2, -3)
	return d.numbers((n-1)*max(inc, -inc) + 1 + d.IntN(3)), inc
}

// call is a call of a random routine with random arguments, which changes out.
type call[T kernel.Float] struct {
	name string
	out  []T
	do   func(r routines[T], out []T)
}

// run makes the call and returns all numbers that it may have changed.
func (c call[T]) run(r routines[T]) []T {
	out := slices.Clone(c.out)
	c.do(r, out)
	return out
}

func (d draws[T]) transposes() blas.Transpose {
	return pick[blas.Transpose](d, blas.NoTrans, blas.Trans, blas.ConjTrans)
}

func randomCall[T kernel.Float](seed uint64, most int) call[T] {
	d := draws[T]{rand.New(rand.NewPCG(seed, 1)), most}
	t, t2 := d.transposes(), d.transposes()
	ul, side, diag := pick[blas.Uplo](d, blas.Lower, blas.Upper), pick[blas.Side](d, blas.Left, blas.Right), pick[blas.Diag](d, blas.Unit, blas.NonUnit)
	alpha, beta := d.scalar(), d.scalar()
	m, n, k := d.extent(), d.extent(), d.extent()
	say := func(name string) string {
		return fmt.Sprintf("seed %d: %s %c%c%c%c%c m %d n %d k %d alpha %v beta %v", seed, name, t, t2, ul, side, diag, m, n, k, alpha, beta)
	}
	order := n
	if side == blas.Left {
		order = m
	}
	switch d.IntN(12) {
	case 0, 1:
		a, lda := d.stored(t, m, k)
		b, ldb := d.stored(t2, k, n)
		c, ldc := d.matrix(m, n)
		return call[T]{say("gemm"), c, func(r routines[T], c []T) { r.gemm(t, t2, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) }}
	case 2:
		a, lda := d.stored(t, n, k)
		c, ldc := d.matrix(n, n)
		return call[T]{say("syrk"), c, func(r routines[T], c []T) { r.syrk(ul, t, n, k, alpha, a, lda, beta, c, ldc) }}
	case 3:
		a, lda := d.stored(t, n, k)
		b, ldb := d.stored(t, n, k)
		c, ldc := d.matrix(n, n)
		return call[T]{say("syr2k"), c, func(r routines[T], c []T) { r.syr2k(ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc) }}
	case 4:
		a, lda := d.matrix(order, order)
		b, ldb := d.matrix(m, n)
		c, ldc := d.matrix(m, n)
		return call[T]{say("symm"), c, func(r routines[T], c []T) { r.symm(side, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc) }}
	case 5, 6:
		a, lda := d.triangle(order)
		b, ldb := d.matrix(m, n)
		solve := d.IntN(2) == 0
		return call[T]{say(fmt.Sprintf("trmm or trsm (%v)", solve)), b, func(r routines[T], b []T) {
			if solve {
				r.trsm(side, ul, t, diag, m, n, alpha, a, lda, b, ldb)
			} else {
				r.trmm(side, ul, t, diag, m, n, alpha, a, lda, b, ldb)
			}
		}}
	case 7:
		a, lda := d.matrix(m, n)
		lenX, lenY := n, m
		if t != blas.NoTrans {
			lenX, lenY = m, n
		}
		x, incX := d.vector(lenX)
		y, incY := d.vector(lenY)
		y = y[:(lenY-1)*max(incY, -incY)+1] // what lies behind, gonum's Sgemv clears
		return call[T]{say("gemv"), y, func(r routines[T], y []T) { r.gemv(t, m, n, alpha, a, lda, x, incX, beta, y, incY) }}
	case 8:
		x, incX := d.vector(m)
		y, incY := d.vector(n)
		a, lda := d.matrix(m, n)
		return call[T]{say("ger"), a, func(r routines[T], a []T) { r.ger(m, n, alpha, x, incX, y, incY, a, lda) }}
	}
	n *= pick[int](d, 1, 20)
	x, incX := d.vector(n)
	y, incY := d.vector(n)
	switch d.IntN(3) {
	case 0:
		return call[T]{say("axpy"), y, func(r routines[T], y []T) { r.axpy(n, alpha, x, incX, y, incY) }}
	case 1:
		return call[T]{say("scal"), x, func(r routines[T], x []T) { r.scal(n, alpha, x, max(incX, 1)) }}
	}
	return call[T]{say("dot, nrm2"), make([]T, 2), func(r routines[T], out []T) {
		out[0], out[1] = r.dot(n, x, incX, y, incY), r.nrm2(n, x, max(incX, 1))
	}}
}

// both runs a test with the routines of each precision.
func both(t *testing.T, double func(*testing.T, routines[float64]), single func(*testing.T, routines[float32])) {
	t.Run("float64", func(t *testing.T) { double(t, mine64) })
	t.Run("float32", func(t *testing.T) { single(t, mine32) })
}

// TestRandomCalls compares random calls with gonum's in float64, and their bits between
// levels and numbers of threads.
func TestRandomCalls(t *testing.T) { both(t, testRandomCalls[float64], testRandomCalls[float32]) }

func testRandomCalls[T kernel.Float](t *testing.T, r routines[T]) {
	calls, most := 200, 120
	if os.Getenv("NMU_FULL") != "" {
		calls, most = 600, 260
	}
	epsilon := math.Pow(2, -52)
	if unsafe.Sizeof(T(0)) == 4 {
		epsilon = math.Pow(2, -23)
	}
	for seed := range uint64(calls) {
		c := randomCall[T](seed, most)
		want := randomCall[float64](seed, most).run(their64)
		largest := 1.0
		for _, x := range want {
			largest = max(largest, math.Abs(x))
		}
		var first []T
		for _, level := range isa.Available() {
			restore := isa.Set(level)
			for _, threads := range []int{1, 3} {
				old := runtime.GOMAXPROCS(threads)
				got := c.run(r)
				runtime.GOMAXPROCS(old)
				for i, x := range got {
					if diff := math.Abs(float64(x) - want[i]); !(diff <= 60*epsilon*largest) {
						t.Fatalf("%s: level %v, %d threads: element %d is %v, want %v", c.name, level, threads, i, x, want[i])
					}
				}
				if first == nil {
					first = got
				}
				if i := differs(got, first); i >= 0 {
					t.Fatalf("%s: level %v, %d threads: element %d is %v, at the first level %v", c.name, level, threads, i, got[i], first[i])
				}
			}
			restore()
		}
	}
}

// differs returns where the bits of two vectors are not the same, or -1.
func differs[T kernel.Float](x, y []T) int {
	for i := range x {
		if math.Float64bits(float64(x[i])) != math.Float64bits(float64(y[i])) {
			return i
		}
	}
	return -1
}

// TestLarge has products of many blocks in each extent, with more threads than there
// are tasks and with one.
func TestLarge(t *testing.T) {
	for _, s := range []struct{ m, n, k int }{{700, 50, 400}, {9, 2100, 30}, {130, 1100, 200}, {1500, 30, 9}, {40, 45, 1500}} {
		d := draws[float64]{rand.New(rand.NewPCG(3, 4)), 9}
		a, lda := d.matrix(s.m, s.k)
		b, ldb := d.matrix(s.k, s.n)
		want := make([]float64, s.m*s.n)
		their.Dgemm(blas.NoTrans, blas.NoTrans, s.m, s.n, s.k, 1, a, lda, b, ldb, 0, want, s.n)
		var first []float64
		for _, threads := range []int{1, 2, 16} {
			old := runtime.GOMAXPROCS(threads)
			got := make([]float64, s.m*s.n)
			mine.Dgemm(blas.NoTrans, blas.NoTrans, s.m, s.n, s.k, 1, a, lda, b, ldb, 0, got, s.n)
			runtime.GOMAXPROCS(old)
			if first == nil {
				first = got
			}
			if i := differs(got, first); i >= 0 {
				t.Errorf("%v: %d threads: element %d is %v, with one %v", s, threads, i, got[i], first[i])
			}
			for i := range got {
				if math.Abs(got[i]-want[i]) > 1e-11*(1+math.Abs(want[i])) {
					t.Fatalf("%v: %d threads: element %d is %v, want %v", s, threads, i, got[i], want[i])
				}
			}
		}
	}
}
