// Package combination declares which features of a run go together. For each condition (M in
// files, sparse, incomplete, ...) it lists the features that the condition excludes, with the
// reason. One check serves all runs, and docs/combinations.md is generated from these lists.
package combination

import (
	"slices"

	"nmu/lnmu/internal/core"
)

// Feature is a method, an option or a start that a run may ask for.
type Feature int

// The features.
const (
	Products Feature = iota
	Penalties
	Divergence
	Coordinates
	Accelerated
	ADMM
	L1
	Priors
	Exact
	Violated
	Zeros
	SVD
	Pure
	SumToOne
	Fixed
	Missing
	Weights
	PerLine
	Unstored
	Overwrite
	Improve
)

// Features are the words of the table for each feature.
var Features = [...]string{
	Products:    "method hoyer",
	Penalties:   "method snmf",
	Divergence:  "method kl",
	Coordinates: "solver coordinate",
	Accelerated: "solver accelerated",
	ADMM:        "solver admm",
	L1:          "norm l1",
	Priors:      "penalties, target sparsities or smoothness of rnmu",
	Exact:       "feasible factors",
	Violated:    "first multipliers from the violations of the start",
	Zeros:       "one multiplier for all zeros",
	SVD:         "start svd",
	Pure:        "start spa or snpa",
	SumToOne:    "rows of V or columns of W that sum to one",
	Fixed:       "fixed factors or a baseline",
	Missing:     "missing entries",
	Weights:     "weights",
	PerLine:     "a Gram matrix for each row and column (missing solver exact)",
	Unstored:    "unstored entries as missing",
	Overwrite:   "overwriting M",
	Improve:     "improving factors",
}

// Request is a feature that a run asks for.
type Request struct {
	Feature
	Words   string // the feature as a message names it
	Instead string // what to choose instead; empty for a method
}

// Condition is a state of M, or an option, that excludes some features.
type Condition struct {
	Name   string             // in the table
	words  string             // after the words of a feature, in a message
	other  string             // what to do instead of dropping the feature
	Within *Condition         // a condition that holds as well, or nil
	Lacks  map[Feature]string // the excluded features, with the reasons
}

const (
	apart        = "its steps need the products of M with both factors before they update either one"
	allOfN       = "the step needs all products with M before it updates the factor"
	keepsZeros   = "multiplicative updates keep the zeros of this start"
	byColumns    = "its steps need whole rows and whole columns of M in memory"
	completeSums = "its denominators are sums over a complete matrix"
	oneByOne     = "its steps change all factors at once, including the fixed ones"
)

// The conditions.
var (
	InFiles = Condition{"dense, in files", "with a stored matrix", "keep M in memory", &InFull, nil}
	InParts = Condition{"in several processes", "on a matrix distributed over processes", "choose one process", nil, nil}
	InFull  = Condition{"dense", "on a dense matrix", "make M a CSR", nil, map[Feature]string{
		Zeros: "each zero of a dense matrix has its own multiplier", Unstored: "a dense matrix stores all entries",
	}}
	Sparse = Condition{"sparse", "on a sparse matrix", "make M dense", nil, map[Feature]string{
		Products: apart, L1: "the medians would be zero, like most entries", Priors: allOfN, Exact: "every zero of M is a constraint, so there are as many as for a dense matrix",
		Violated: "every zero can be violated, so this needs as many numbers as a dense matrix", Missing: "a mask needs an entry for every zero; if no zero is observed, set StoredOnly",
		Weights: "every zero needs a weight", PerLine: "a mask needs an entry for every zero", Overwrite: "a sparse matrix is never overwritten",
	}}
	SparseInFiles = Condition{"sparse, in files", "with a stored sparse matrix", "keep M in memory", &Sparse, map[Feature]string{Coordinates: byColumns}}
	SparseInParts = Condition{"sparse, in several processes", "on a sparse matrix distributed over processes", "choose one process", &Sparse, map[Feature]string{Coordinates: byColumns}}
	Incomplete    = Condition{"with missing entries", "with missing entries or weights", "", nil, map[Feature]string{
		Products: "it computes the change of the error for a complete matrix", Priors: "the penalties refer to the whole other factor", Fixed: "missing entries take the value of V W, which fixed factors restrict",
	}}
	Weighted = Condition{"with weights", "with weights", "", &Incomplete, map[Feature]string{
		ADMM: "the slack is not weighted", L1: "the medians are weighted by the other factor already",
	}}
	StoredOnly = Condition{"sparse, unstored entries missing", "with unstored entries missing", "make M dense and give a mask", &Sparse, map[Feature]string{
		Divergence: completeSums, Coordinates: completeSums,
		SVD: "singular vectors need all entries", Pure: "distances of columns need all entries", PerLine: "every row and column would need its own Gram matrix", ADMM: "missing entries have no slack", Zeros: "there are no zeros",
	}}
	Held = Condition{"with fixed factors", "with fixed factors or a baseline", "", nil, map[Feature]string{
		Penalties: "its penalties change the scale of all factors", Products: oneByOne, Accelerated: oneByOne, L1: "median steps do not keep the scale of a fixed factor", Exact: "the exact step changes all factors", SumToOne: "fixed factors may use up the sum",
	}}
)

// Counted is the condition of method kl, and Multiplied that of its solver multiplicative.
var (
	Counted    = Condition{"", "with method kl", "", nil, map[Feature]string{PerLine: "it uses no Gram matrices"}}
	Multiplied = Condition{"", "with solver multiplicative", "choose solver coordinate", &Counted, map[Feature]string{SVD: keepsZeros, Pure: keepsZeros}}
)

// Conditions are all conditions except those of method kl, in the order of the table.
var Conditions = []*Condition{&InFull, &InFiles, &InParts, &Sparse, &StoredOnly, &SparseInFiles, &SparseInParts, &Incomplete, &Weighted, &Held}

// Check returns an error if the condition, or one of its Within chain, excludes a feature.
// methods lists the methods that go with a condition, for the message. A nil condition excludes
// nothing.
func (c *Condition) Check(all []Request, methods func(*Condition) string) error {
	if c == nil {
		return nil
	}
	for _, r := range all {
		why, ok := c.Lacks[r.Feature]
		if !ok {
			continue
		}
		if r.Instead == "" {
			r.Instead = "choose " + methods(c)
		}
		if c.other != "" {
			r.Instead += ", or " + c.other
		}
		return core.Bad("%s %s: %s; %s", r.Words, c.words, why, r.Instead)
	}
	return c.Within.Check(all, methods)
}

// Allows reports whether the condition itself excludes none of the features. It ignores Within.
func (c *Condition) Allows(needs []Feature) bool {
	return !slices.ContainsFunc(needs, func(f Feature) bool { _, lacks := c.Lacks[f]; return lacks })
}
