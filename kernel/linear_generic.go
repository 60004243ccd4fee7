package kernel

// The specification of the vector kernels in linear.go, without a build tag as
// kernel_generic.go. That of the panels is the one of Accumulate and AddProduct.

func addScaledGeneric[T Float](y []T, a T, x []T) {
	for j, b := range x {
		y[j] = fma(a, b, y[j])
	}
}

func scaleGeneric[T Float](x []T, a T) {
	for j := range x {
		x[j] *= a
	}
}
