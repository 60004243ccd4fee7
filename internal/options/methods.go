package options

import (
	"reflect"
	"slices"
	"sync"

	"nmu/internal/combination"
	"nmu/lnmu"
)

// Description describes a method.
type Description struct {
	combination.Facts
	Title   string      // what it is, in a line
	Problem string      // what it solves
	Factors string      // what its factors are like
	Method  lnmu.Method // the described method, with its options
}

// Methods returns the descriptions of all methods, in the order of the paper, then KL.
func Methods() []Description { return slices.Clone(methods()) }

// methods returns the descriptions of all methods, which are made once.
var methods = sync.OnceValue(func() (all []Description) {
	for _, f := range combination.Methods {
		all = append(all, described[f.Name])
		all[len(all)-1].Facts = *f
	}
	return all
})

// described has the words about each method, by its name.
var described = map[string]Description{
	"nmf": {
		Title:   "nonnegative matrix factorization, by HALS",
		Problem: "min ||M - V W||, V, W >= 0, by HALS; maybe with l2 penalties on V and W (`--l2-v`, `--l2-w`)",
		Factors: "dense mixtures, least error",
		Method:  lnmu.NMF{},
	},
	"gnmu": {
		Title:   "global underapproximation, V W <= M: all factors at once",
		Problem: "min ||M - V W|| under V W <= M, by Lagrangian relaxation (Algorithm L-NMU)",
		Factors: "sparse",
		Method:  lnmu.GNMU{},
	},
	"rnmu": {
		Title:   "recursive underapproximation: one factor after the other",
		Problem: "L-NMU with r = 1, first on M, then on each residual; `--block B` finds B factors at a time; `--threshold-v`, `--sparsity-v`, `--smooth-v` and the same for W make factors sparse or smooth",
		Factors: "sparsest; the first k factors are the result for rank k",
		Method:  lnmu.RNMU{},
	},
	"snmf": {
		Title:   "nonnegative matrix factorization with l1 penalties",
		Problem: "NMF with l1 penalties on V and W, by HALS: fixed (`--penalty-v`, `--penalty-w`), maybe beside l2 penalties (`--l2-v`, `--l2-w`), or adapted to given shares of zeros (`--sparsity-v`, `--sparsity-w`)",
		Factors: "about as sparse as requested",
		Method:  lnmu.SNMF{},
	},
	"hoyer": {
		Title:   "nonnegative matrix factorization with a given sparseness",
		Problem: "NMF with a given sh of every column of V (`--hoyer-v`), every row of W (`--hoyer-w`) or both, by Hoyer's algorithm",
		Factors: "exactly as sparse as requested, by Hoyer's measure",
		Method:  lnmu.Hoyer{},
	},
	"kl": {
		Title:   "nonnegative matrix factorization by the Kullback-Leibler divergence, for counts",
		Problem: "min D(M | V W) = Σ m log(m/x) - m + x with X = V W, for counts; maybe with l1 and l2 penalties on V and W (`--penalty-v`, `--penalty-w`, `--l2-v`, `--l2-w`)",
		Factors: "dense mixtures, topics of counts",
		Method:  lnmu.KL{},
	},
}

// Inits returns the words for all starts.
func Inits() []string { return slices.Clone(combination.Inits) }

// DescriptionOf returns the description of a method with its options: a value, also for a pointer.
func DescriptionOf(method lnmu.Method) Description {
	all := methods()
	d := all[slices.IndexFunc(all, func(d Description) bool { return d.Name == method.Name() })]
	d.Method = reflect.Indirect(reflect.ValueOf(method)).Interface().(lnmu.Method)
	return d
}
