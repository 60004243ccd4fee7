package lnmu

import "context"

// The instances of the generic functions of this package, for either type of element. The
// exported functions call them through these variables. Otherwise the compiler would
// instantiate them, with all that they call, in every package that calls this one: ten seconds
// and half a gigabyte for each.
var (
	factor32 factoring[float32] = factor[float32]
	factor64 factoring[float64] = factor[float64]

	transform32 transforming[float32] = transform[float32]
	transform64 transforming[float64] = transform[float64]
	update32    updating[float32]     = update[float32]
	update64    updating[float64]     = update[float64]
	measure32   measuring[float32]    = measure[float32]
	measure64   measuring[float64]    = measure[float64]

	estimate32 estimating[float32] = estimate[float32]
	estimate64 estimating[float64] = estimate[float64]
)

type (
	factoring[T Float]    func(ctx context.Context, m Matrix[T], start given[T], method Method, settings *Settings) (*Result[T], error)
	transforming[T Float] func(ctx context.Context, v, w Dense[T], m Matrix[T], settings *TransformSettings) (*Transformed[T], error)
	updating[T Float]     func(ctx context.Context, m Matrix[T], v Dense[T], past Sums[T], settings *UpdateSettings) (*Updated[T], error)
	measuring[T Float]    func(m Matrix[T], v, w Dense[T], settings *Settings) (Measures, error)
	estimating[T Float]   func(m Matrix[T], rank int, method Method, settings Settings) (Estimate, error)
)
