package kerneltest

import (
	"errors"
	"io"
	"reflect"
	"slices"

	"nmu/kernel"
)

// Functions are functions to test in place of those of package kernel. A field has the name of the
// function whose comment specifies it. A nil field is not tested.
type Functions[T kernel.Float] struct {
	Dot                        func(x, y []T) T
	SumSquares, Max, Min       func(x []T) T
	CountLess                  func(x []T, t T) int
	Add                        func(c, x kernel.Matrix[T])
	Extrapolate                func(x, before kernel.Matrix[T], beta T) T
	UpdateMultiplier           func(n, m, p kernel.Matrix[T], mu T)
	RankOne                    func(acc, v []T, n kernel.Matrix[T], w []T, inv, vv T, up kernel.Multiplier[T]) T
	Contract                   func(a, x, g kernel.Matrix[T])
	Product, AddProduct        func(p, vt, w kernel.Matrix[T])
	UpdateMultiplierProduct    func(n, m, vt, w kernel.Matrix[T], mu T)
	Accumulate                 func(c, vt, x kernel.Matrix[T])
	AccumulateAhead            func(c, vt, x, n, m kernel.Matrix[T])
	UpdateAugmented            func(g, n, m kernel.Matrix[T], rho T)
	Target                     func(n, g, m kernel.Matrix[T], a, b T)
	RankOneAugmented           func(acc, v []T, g kernel.Matrix[T], w []T, inv, vv T, up kernel.Augmented[T]) T
	Keep                       func(x kernel.Matrix[T], seen kernel.Bits)
	Impute                     func(n, m kernel.Matrix[T], seen kernel.Bits)
	ImputeWeighted             func(n, m, weight kernel.Matrix[T])
	UpdateMultiplierMasked     func(n, m, p kernel.Matrix[T], seen kernel.Bits, mu T)
	UpdateAugmentedMasked      func(g, n, m kernel.Matrix[T], seen kernel.Bits, rho T)
	TargetMasked               func(n, g, m kernel.Matrix[T], seen kernel.Bits, a, b T)
	RankOneMasked              func(acc, den, v []T, n kernel.Matrix[T], w []T, seen kernel.Bits, up kernel.Multiplier[T])
	RankOneAugmentedMasked     func(acc, den, v []T, g kernel.Matrix[T], w []T, seen kernel.Bits, up kernel.Augmented[T])
	Gram                       func(b, g kernel.Matrix[T])
	Reciprocals                func(inv []T, b kernel.Matrix[T])
	Sweep                      func(h, a, b kernel.Matrix[T], inv []T, penalty T, mask kernel.Matrix[T])
	AccumulatePanel            func(c, v, x kernel.Matrix[T])
	AddScaled                  func(y []T, a T, x []T)
	AddScaledRows              func(y, v []T, x kernel.Matrix[T])
	Scale                      func(x []T, a T)
	Ratio                      func(x, m []T, least T)
	DotLog                     func(m, r []T) T
	LogDerivatives             func(x, last []T, step T, m, g []T, least T) (first, second T)
	AddSparseProduct           func(a kernel.Matrix[T], s kernel.Pattern, n []T, g T, x kernel.Matrix[T])
	AddTransposedSparseProduct func(c kernel.Matrix[T], s kernel.Pattern, n []T, g T, v kernel.Matrix[T])
	SampledProduct             func(p []T, s kernel.Pattern, v, x kernel.Matrix[T])
	AddRatioProduct            func(p []T, a kernel.Matrix[T], s kernel.Pattern, m []T, least T, v, x kernel.Matrix[T])
	AddTransposedRatioProduct  func(p []T, c kernel.Matrix[T], s kernel.Pattern, m []T, least T, v, x kernel.Matrix[T])
	SparseRankOne              func(c, v []T, s kernel.Pattern, n, w []T, step kernel.SparseStep[T])

	// Unchecked says that the callers of these functions check the arguments. Broken shapes are not tested then.
	Unchecked bool

	// Foreign says that the functions run code that is not Go's, such as C. A memory fault ends the process then. So
	// Check makes no buffer inaccessible to see which function touches it. Guard pages remain.
	Foreign bool

	// Trace, if not nil, gets a line before each call: the last one names the call that ended the process.
	Trace io.Writer
}

// ours returns the functions of package kernel.
func ours[T kernel.Float]() *Functions[T] {
	return &Functions[T]{
		Dot: kernel.Dot[T], SumSquares: kernel.SumSquares[T], Max: kernel.Max[T], Min: kernel.Min[T], CountLess: kernel.CountLess[T],
		Add: kernel.Add[T], Extrapolate: kernel.Extrapolate[T], UpdateMultiplier: kernel.UpdateMultiplier[T], RankOne: kernel.RankOne[T],
		Contract: kernel.Contract[T], Product: kernel.Product[T], AddProduct: kernel.AddProduct[T],
		UpdateMultiplierProduct: kernel.UpdateMultiplierProduct[T], Accumulate: kernel.Accumulate[T], AccumulateAhead: kernel.AccumulateAhead[T],
		UpdateAugmented: kernel.UpdateAugmented[T], Target: kernel.Target[T], RankOneAugmented: kernel.RankOneAugmented[T],
		Keep: kernel.Keep[T], Impute: kernel.Impute[T], ImputeWeighted: kernel.ImputeWeighted[T],
		UpdateMultiplierMasked: kernel.UpdateMultiplierMasked[T], UpdateAugmentedMasked: kernel.UpdateAugmentedMasked[T],
		TargetMasked: kernel.TargetMasked[T], RankOneMasked: kernel.RankOneMasked[T], RankOneAugmentedMasked: kernel.RankOneAugmentedMasked[T],
		Gram: kernel.Gram[T], Reciprocals: kernel.Reciprocals[T], Sweep: kernel.Sweep[T], AccumulatePanel: kernel.AccumulatePanel[T],
		AddScaled: kernel.AddScaled[T], AddScaledRows: kernel.AddScaledRows[T], Scale: kernel.Scale[T],
		Ratio: kernel.Ratio[T], DotLog: kernel.DotLog[T], LogDerivatives: kernel.LogDerivatives[T],
		AddSparseProduct: kernel.AddSparseProduct[T], AddTransposedSparseProduct: kernel.AddTransposedSparseProduct[T],
		SampledProduct: kernel.SampledProduct[T], AddRatioProduct: kernel.AddRatioProduct[T],
		AddTransposedRatioProduct: kernel.AddTransposedRatioProduct[T], SparseRankOne: kernel.SparseRankOne[T],
	}
}

// Kernels returns the kernels of the functions that are not nil, in the order of All.
func (f Functions[T]) Kernels() []Kernel[T] {
	fields := reflect.ValueOf(f)
	kernels := slices.DeleteFunc(All[T](), func(k Kernel[T]) bool { return fields.FieldByName(k.Name).IsNil() })
	for i := range kernels {
		kernels[i].own = &f
	}
	return kernels
}

// Check is Kernel.Check for each function in own that is not nil, at the active level. It returns an error if all are nil.
func Check[T kernel.Float](own Functions[T], effort Effort) error {
	kernels := own.Kernels()
	if len(kernels) == 0 {
		return errors.New("kerneltest: Functions has only nil fields: set the functions to check")
	}
	var all []error
	for _, k := range kernels {
		all = append(all, k.Check(effort))
	}
	return errors.Join(all...)
}
