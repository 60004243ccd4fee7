package checkasm

import (
	"fmt"
	"unsafe"

	"nmu/kernel"
)

// Float is the set of element types that kernels work on.
type Float = kernel.Float

// Precision returns the name of T, float32 or float64.
func Precision[T Float]() string { return fmt.Sprintf("%T", *new(T)) }

// Bits returns the bit pattern of x. A float32 is in the lower half.
func Bits[T Float](x T) uint64 {
	if unsafe.Sizeof(x) == 4 {
		return uint64(*(*uint32)(unsafe.Pointer(&x)))
	}
	return *(*uint64)(unsafe.Pointer(&x))
}

// Same says whether x and y have the same bits. Without payloads, any two NaNs are the same as
// well.
func Same[T Float](x, y T, payloads bool) bool {
	return Bits(x) == Bits(y) || !payloads && x != x && y != y
}

// Compare returns nil if all elements of got and want are the same by Same. Its error gives the
// first difference with both bit patterns, and counts the others.
func Compare[T Float](got, want []T, payloads bool) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d elements, want %d", len(got), len(want))
	}
	first, count := 0, 0
	for i := range got {
		if !Same(got[i], want[i], payloads) {
			if count == 0 {
				first = i
			}
			count++
		}
	}
	if count == 0 {
		return nil
	}
	return fmt.Errorf("element %d is %s, want %s; %d of %d differ",
		first, Show(got[first]), Show(want[first]), count, len(got))
}

// Show writes a value with its bit pattern.
func Show[T Float](x T) string {
	return fmt.Sprintf("%v (0x%0*x)", x, 2*int(unsafe.Sizeof(x)), Bits(x))
}
