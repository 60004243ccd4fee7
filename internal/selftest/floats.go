package selftest

import (
	"fmt"
	"math"
	"runtime"
	"sync"

	"nmu/internal/checkasm"
	"nmu/kernel"
)

// float is a check of the arithmetic on the calling thread.
type float struct {
	name  string
	parts []func(d *differences)
}

// check returns a line for each wrong result.
func (f float) check() []string {
	var d differences
	for _, part := range f.parts {
		part(&d)
	}
	return d
}

// floats are the checks of the arithmetic.
var floats = []float{
	{"sums rounded to nearest, ties to even", []func(*differences){sums[float64], sums[float32]}},
	{"denormals kept", []func(*differences){denormals[float64], denormals[float32]}},
	{"multiply-adds rounded once", []func(*differences){multiplyAdds[float64], multiplyAdds[float32]}},
	{"products and sums rounded one by one", []func(*differences){roundedEach[float64], roundedEach[float32]}},
	{"quotients and roots rounded to nearest", []func(*differences){quotients}},
}

// onThreads runs a check on this many threads at once.
func onThreads(threads int, check func() []string, r *report) {
	lines := make([][]string, threads)
	var all, there sync.WaitGroup
	there.Add(threads)
	for i := range lines {
		all.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			there.Done()
			there.Wait() // no two of them one after the other on the same thread
			lines[i] = check()
		})
	}
	all.Wait()
	for i := range lines {
		for _, line := range lines[i] {
			r.Errorf("thread %d of %d: %s", i+1, threads, line)
		}
	}
}

// differences lists wrong results.
type differences []string

// wants compares bits: a comparison of numbers may take a denormal for zero.
func wants[T kernel.Float](d *differences, what string, got, want T) {
	if checkasm.Bits(got) != checkasm.Bits(want) {
		*d = append(*d, fmt.Sprintf("%T: %s is %v (%#x), want %v (%#x)", got, what, got, checkasm.Bits(got), want, checkasm.Bits(want)))
	}
}

// numbers are operands that the compiler does not know, so that the processor
// computes with them: e is the distance from 1 to the next number.
//
//go:noinline
func numbers[T kernel.Float]() (one, e, tiny, normal, huge T) {
	_, normal, huge, e = checkasm.Limits[T]()
	switch tiny := any(&tiny).(type) { // by its bits, not by a conversion, which may flush it
	case *float32:
		*tiny = math.Float32frombits(1)
	case *float64:
		*tiny = math.Float64frombits(1)
	}
	return 1, e, tiny, normal, huge
}

// sums fails for every rounding mode but round to nearest even.
func sums[T kernel.Float](d *differences) {
	one, e, _, _, _ := numbers[T]()
	half := e / 2
	more := half + half*e
	wants(d, "1 + e/2", one+half, 1)
	wants(d, "-1 - e/2", -one-half, -1)
	wants(d, "(1 + e) + e/2", (one+e)+half, 1+2*e)
	wants(d, "1 + (e/2 + e*e/2)", one+more, 1+e)
	wants(d, "-1 - (e/2 + e*e/2)", -one-more, -1-e)
}

// denormals fails if a denormal result or operand is flushed to zero.
func denormals[T kernel.Float](d *differences) {
	one, e, tiny, normal, _ := numbers[T]()
	wants(d, "the smallest normal number times e", normal*e, tiny)
	wants(d, "the smallest number over e", tiny/e, normal)
	wants(d, "the smallest number, doubled and halved", (tiny+tiny)*(one/2), tiny)
}

// multiplyAdds fails unless c + a*b is rounded once. Element 0 and the element 128 bytes behind
// it are in the same lane of a scalar product.
func multiplyAdds[T kernel.Float](d *differences) {
	one, e, _, _, _ := numbers[T]()
	fma := func(a, b, c T) T {
		lanes := 16
		if checkasm.Precision[T]() == "float32" {
			lanes = 32
		}
		x, y := make([]T, lanes+1), make([]T, lanes+1)
		x[0], y[0] = c, one
		x[lanes], y[lanes] = a, b
		return kernel.Dot(x, y)
	}
	wants(d, "(1 + e)*(1 - e) - 1 in a scalar product", fma(one+e, one-e, -one), -e*e)
	// The exact sum is just below the middle of two numbers. Rounding first to a longer format
	// gives the middle, and then the even number.
	a, b, c := one+e, (one-e)*(e/2), one+e
	wants(d, "(1 + e) + (1 + e)*(1 - e)*e/2 in a scalar product", fma(a, b, c), 1+e)
	if checkasm.Precision[T]() == "float64" {
		wants(d, "(1 + e) + (1 + e)*(1 - e)*e/2", T(math.FMA(float64(a), float64(b), float64(c))), 1+e)
	}
}

// roundedEach fails if a result has extra digits or an extended range.
func roundedEach[T kernel.Float](d *differences) {
	one, e, _, _, huge := numbers[T]()
	wants(d, "(1 + e)*(1 - e), rounded, - 1", T((one+e)*(one-e))-one, 0)
	wants(d, "the largest number, doubled and halved", T(huge*2)/2, T(math.Inf(1)))
	wants(d, "(1 + e) + e*(1/2 - 1/16384)", (one+e)+e*(one/2-one/16384), 1+e)
}

func quotients(d *differences) {
	one64, _, _, _, _ := numbers[float64]()
	one32, _, _, _, _ := numbers[float32]()
	wants(d, "1/3", one64/3, 1.0/3)
	wants(d, "2/3", (one64+one64)/3, 2.0/3)
	wants(d, "the root of 2", math.Sqrt(one64+one64), math.Sqrt2)
	wants(d, "1/3", one32/3, 1.0/3)
	wants(d, "2/3", (one32+one32)/3, 2.0/3)
}
