package lnmu

import "context"

// The instances of the generic functions of this package, for either type of element. The
// exported functions call them through these variables. Otherwise the compiler would
// instantiate them, with all that they call, in every package that calls this one: ten seconds
// and half a gigabyte for each.
var (
	factor32, factor64       = factor[float32], factor[float64]
	transform32, transform64 = transform[float32], transform[float64]
	update32, update64       = update[float32], update[float64]
	measure32, measure64     = measure[float32], measure[float64]
	estimate32, estimate64   = estimate[float32], estimate[float64]
)

type (
	factoring[T Float]    = func(ctx context.Context, m Matrix[T], start given[T], method Method, settings *Settings) (*Result[T], error)
	transforming[T Float] = func(ctx context.Context, v, w Dense[T], m Matrix[T], settings *TransformSettings) (*Transformed[T], error)
	updating[T Float]     = func(ctx context.Context, m Matrix[T], v Dense[T], past Sums[T], settings *UpdateSettings) (*Updated[T], error)
	measuring[T Float]    = func(m Matrix[T], v, w Dense[T], settings *Settings) (Measures, error)
	estimating[T Float]   = func(m Matrix[T], rank int, method Method, settings Settings) (Estimate, error)
)
