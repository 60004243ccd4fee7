package checkasm

import (
	"nmu/internal/isa"
	"nmu/internal/kernels"
)

// Fuzz makes one call of a kernel, of the shape and with the places and values
// that were chosen, and requires that every level leaves the bits of level generic
// and changes nothing else. The class of the values may be AnyBits too.
func Fuzz[T Float](t Reporter, k kernels.Kernel[T], shape []int, values Values, choices Choices) {
	c := &Case[T]{t: t, k: &k, shape: shape, anyPlace: true, values: values, choices: choices}
	c.test(isa.Available()...)
}
