package lnmu

import "context"

// The instances of the functions that make up this package, for either type of
// element. A function of it that others call calls them by these variables: it would
// else be compiled anew, with all that it calls, in every package that calls it. That
// took ten seconds and half a gigabyte for each.
var (
	factor32       factoring[float32, Matrix[float32]]    = factor[float32]
	factor64       factoring[float64, Matrix[float64]]    = factor[float64]
	factorSparse32 factoring[float32, CSR[float32]]       = factorSparse[float32]
	factorSparse64 factoring[float64, CSR[float64]]       = factorSparse[float64]
	factorStored32 factoring[float32, StoredCSR[float32]] = factorStoredSparse[float32]
	factorStored64 factoring[float64, StoredCSR[float64]] = factorStoredSparse[float64]

	transform32 transforming[float32] = transform[float32]
	transform64 transforming[float64] = transform[float64]
	measure32   measuring[float32]    = measure[float32]
	measure64   measuring[float64]    = measure[float64]

	needs32       needing[Reader[float32], Needs]          = needsOf[float32]
	needs64       needing[Reader[float64], Needs]          = needsOf[float64]
	sparseNeeds32 needing[StoredCSR[float32], SparseNeeds] = needsOfSparse[float32]
	sparseNeeds64 needing[StoredCSR[float64], SparseNeeds] = needsOfSparse[float64]
)

type (
	factoring[T Float, M any] func(ctx context.Context, m M, start given[T], method Method, settings *Settings) (*Result[T], error)
	transforming[T Float]     func(ctx context.Context, v, w Dense[T], m Matrix[T], settings *TransformSettings) (*Transformed[T], error)
	measuring[T Float]        func(m Matrix[T], v, w Dense[T], settings *Settings) (Measures, error)
	needing[M, N any]         func(m M, rank int, method Method, settings Settings) (N, error)
)

// instance returns the one of the two, of float32 and of float64, that is an F.
func instance[F any](f32, f64 any) F {
	if f, ok := f32.(F); ok {
		return f
	}
	return f64.(F)
}
