package checkasm

import (
	"nmu/internal/instance"
	"nmu/internal/isa"
	"nmu/internal/kernels"
)

// Fuzz makes one call of a kernel with the given shape, class of values and choices. Every
// level must give the bits of level generic and change nothing else. values may also be
// AnyBits.
func Fuzz[T Float](t Reporter, k kernels.Kernel[T], shape []int, values Values, choices Choices) {
	instance.Of[func(Reporter, kernels.Kernel[T], []int, Values, Choices)](fuzz32, fuzz64)(t, k, shape, values, choices)
}

func fuzz[T Float](t Reporter, k kernels.Kernel[T], shape []int, values Values, choices Choices) {
	c := &Case[T]{t: t, k: &k, shape: shape, anyPlace: true, values: values, choices: choices}
	c.test(isa.Available()...)
}
