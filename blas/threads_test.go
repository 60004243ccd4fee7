package blas

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/blas"

	"nmu/internal/checkasm"
	"nmu/internal/leak"
	"nmu/internal/must"
)

// TestThreadsAreShared: helpers are never more than the processors leave idle when a call
// begins, so that calls side by side have no more than a caller each beside them.
func TestThreadsAreShared(t *testing.T) {
	leak.Check(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for callers := 1; callers <= 6; callers++ {
		var at, most, done atomic.Int32
		var wg sync.WaitGroup
		for range callers {
			wg.Go(func() {
				for range 20 {
					parallel(parallelWork, 5, func(int) {
						now := at.Add(1)
						for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
						}
						runtime.Gosched()
						done.Add(1)
						at.Add(-1)
					})
				}
			})
		}
		wg.Wait()
		must.AtMost(t, most.Load(), int32(callers+3), callers, "callers")
		if done.Load() != int32(callers*20*5) {
			t.Errorf("%d callers: %d tasks of %d", callers, done.Load(), callers*20*5)
		}
		if busy.Load() != 0 {
			t.Fatalf("%d goroutines are busy after all calls", busy.Load())
		}
	}
}

// TestParallelCallers: calls of many goroutines, each of which is shared, have the bits
// of calls alone.
func TestParallelCallers(t *testing.T) {
	leak.Check(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	const n = 130
	a := make([]float64, n*n)
	for i := range a {
		a[i] = float64(i%23) / 7
	}
	want := make([]float64, n*n)
	mine.Dgemm(blas.NoTrans, blas.Trans, n, n, n, 1, a, n, a, n, 0, want, n)
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			for range 5 {
				got := make([]float64, n*n)
				mine.Dgemm(blas.NoTrans, blas.Trans, n, n, n, 1, a, n, a, n, 0, got, n)
				if i := differs(got, want); i >= 0 {
					t.Errorf("element %d is %v, alone %v", i, got[i], want[i])
				}
			}
		})
	}
	wg.Wait()
}

// TestNaN: a zero in A does not keep a NaN in B from the result, whatever the shape of a
// call that is not gonum's.
func TestNaN(t *testing.T) {
	for _, n := range []int{9, 40, 150} {
		a, b, c := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
		b[n+3] = math.NaN()
		mine.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, a, n, b, n, 0, c, n)
		for i := range n {
			for j := range n {
				if math.IsNaN(c[i*n+j]) != (j == 3) {
					t.Fatalf("n = %d: element (%d, %d) is %v", n, i, j, c[i*n+j])
				}
			}
		}
	}
}

// TestBadArguments: calls that are large enough for the kernels panic with gonum's
// words, before anything is written.
func TestBadArguments(t *testing.T) {
	const n = 64
	a, c := make([]float64, n*n), make([]float64, n*n)
	for what, call := range map[string]func(r routines[float64]){
		"short a":   func(r routines[float64]) { r.gemm('N', 'N', n, n, n, 1, a[1:], n, a, n, 0, c, n) },
		"short c":   func(r routines[float64]) { r.gemm('N', 'N', n, n, n, 1, a, n, a, n, 0, c[1:], n) },
		"transpose": func(r routines[float64]) { r.gemm('X', 'N', n, n, n, 1, a, n, a, n, 0, c, n) },
		"stride":    func(r routines[float64]) { r.gemm('N', 'N', n, n, n, 1, a, n-1, a, n, 0, c, n) },
		"negative":  func(r routines[float64]) { r.gemm('N', 'N', n, -n, n, 1, a, n, a, n, 0, c, n) },
		"triangle":  func(r routines[float64]) { r.syrk('X', 'N', n, n, 1, a, n, 0, c, n) },
		"syr2k":     func(r routines[float64]) { r.syr2k('U', 'N', n, n, 1, a, n, a[1:], n, 0, c, n) },
		"side":      func(r routines[float64]) { r.symm('X', 'U', n, n, 1, a, n, a, n, 0, c, n) },
		"diagonal":  func(r routines[float64]) { r.trsm('L', 'U', 'N', 'X', n, n, 1, a, n, c, n) },
		"trmm":      func(r routines[float64]) { r.trmm('L', 'U', 'N', 'U', n, n, 1, a, n, c[1:], n) },
		"gemv":      func(r routines[float64]) { r.gemv('N', n, n, 1, a, n, a[:n-1], 1, 0, c, 1) },
		"increment": func(r routines[float64]) { r.gemv('N', n, n, 1, a, n, a, 0, 0, c, 1) },
		"ger":       func(r routines[float64]) { r.ger(n, n, 1, a[:n], 2, a, 1, c, n) },
		"dot":       func(r routines[float64]) { r.dot(n*n, a, 1, a[1:], 1) },
		"axpy":      func(r routines[float64]) { r.axpy(n*n, 1, a[1:], 1, c, 1) },
		"scal":      func(r routines[float64]) { r.scal(n*n, 1, c[1:], 1) },
		"nrm2":      func(r routines[float64]) { r.nrm2(n*n, a[1:], 1) },
	} {
		for i := range c {
			c[i] = 1
		}
		got, want := checkasm.Catch(func() { call(mine64) }), checkasm.Catch(func() { call(their64) })
		if what == "ger" { // plainGer does not look
			want = checkasm.Catch(func() { their.Dger(n, n, 1, a[:n], 2, a, 1, c, n) })
		}
		if want == nil {
			t.Errorf("%s: gonum does not panic", what)
			continue
		}
		if got == nil || got.Value != want.Value {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
		for i := range c {
			if c[i] != 1 {
				t.Fatalf("%s: element %d of C was written", what, i)
			}
		}
	}
}

// TestNoAllocations: a call borrows its memory; only a shared one starts goroutines. The
// least of some calls counts, since a sync.Pool may lose what it is given: to a collection
// of garbage, and under the race detector one time in four.
func TestNoAllocations(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const n = 60
	a, b, c := make([]float32, n*n), make([]float32, n*n), make([]float32, n*n)
	for i := range n {
		a[i*n+i] = 1
	}
	for what, call := range map[string]func(){
		"gemm": func() { mine.Sgemm('N', 'T', n, n, n, 0.5, a, n, b, n, 0, c, n) },
		"gemv": func() { mine.Sgemv('N', n, n, 0.5, a, n, b, 2, 0, c, 2) },
		"ger":  func() { mine.Sger(n, n, 0.5, b, -1, b, 1, c, n) },
		"axpy": func() { mine.Saxpy(n*n, 0.5, a, 1, c, 1) },
	} {
		least := math.Inf(1)
		for range 20 {
			least = min(least, testing.AllocsPerRun(1, call))
		}
		must.AtMost(t, least, 0, what)
	}
}
