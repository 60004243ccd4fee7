package checkasm

import (
	"math"
	"math/rand/v2"
	"unsafe"
)

// Values is a class of input values.
type Values int

const (
	Signed      Values = iota // uniform in [-1, 1)
	Nonnegative               // half zeros, half uniform in [0, 1)
	Special                   // signed zeros, denormals, huge, tiny, near one, values that cancel exactly
	NonFinite                 // Special with infinities and NaNs
	AnyBits                   // every bit pattern, as often as any other
)

// All lists every class except AnyBits.
var All = []Values{Signed, Nonnegative, Special, NonFinite}

// String returns the name of the class.
func (v Values) String() string {
	return [...]string{"signed", "nonnegative", "special", "nonfinite", "any bits"}[v]
}

// Draw returns a value of class v.
func Draw[T Float](v Values, r *rand.Rand) T {
	switch v {
	case Signed:
		return T(2*r.Float64() - 1)
	case Nonnegative:
		if r.IntN(2) == 0 {
			return 0
		}
		return T(r.Float64())
	case AnyBits:
		bits := r.Uint64()
		return *(*T)(unsafe.Pointer(&bits))
	case NonFinite:
		switch r.IntN(16) {
		case 0:
			return T(math.Inf(1))
		case 1:
			return T(math.Inf(-1))
		case 2:
			return T(math.NaN())
		}
	}
	return special[T](r)
}

// Fill sets every element of x to a value of class v. In class Special some values are followed
// by their negatives, so that sums cancel exactly.
func Fill[T Float](x []T, v Values, r *rand.Rand) {
	for i := range x {
		if i > 0 && (v == Special || v == NonFinite) && r.IntN(8) == 0 {
			x[i] = -x[r.IntN(i)]
			continue
		}
		x[i] = Draw[T](v, r)
	}
}

// special returns a value that is critical for floating-point code.
func special[T Float](r *rand.Rand) T {
	tiny, normal, huge, eps := Limits[T]()
	var x T
	switch r.IntN(12) {
	case 0, 1:
		x = 0
	case 2:
		x = tiny * T(1+r.IntN(1000)) // denormal
	case 3:
		x = normal - tiny*T(r.IntN(2)) // smallest normal, largest denormal
	case 4:
		x = normal * T(1+r.Float64())
	case 5:
		x = huge // the largest finite value
	case 6:
		x = huge * T(r.Float64())
	case 7: // its square is at the edge of overflow or of underflow
		x = T(math.Sqrt(float64(huge)) * (0.5 + r.Float64()))
		if r.IntN(2) == 0 {
			x = T(math.Sqrt(float64(normal)) * (0.5 + r.Float64()))
		}
	case 8:
		x = 1 + eps*T(r.IntN(5)-2)
	case 9:
		x = T(r.IntN(4)) // sums of small integers cancel
	default:
		x = T(r.Float64())
	}
	if r.IntN(2) == 0 {
		return -x
	}
	return x
}

// Limits returns the smallest denormal, the smallest normal and the largest
// finite value of T, and the distance from 1 to the next larger value.
func Limits[T Float]() (tiny, normal, huge, eps T) {
	if unsafe.Sizeof(tiny) == 4 {
		var t, n, h, e float64 = math.SmallestNonzeroFloat32, 0x1p-126, math.MaxFloat32, 0x1p-23
		return T(t), T(n), T(h), T(e)
	}
	var t, n, h, e float64 = math.SmallestNonzeroFloat64, 0x1p-1022, math.MaxFloat64, 0x1p-52
	return T(t), T(n), T(h), T(e)
}
