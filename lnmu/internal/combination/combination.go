// Package combination declares what goes together: what a run may ask for beside plain
// factors, and for each condition under which it may be (M in files, sparse, incomplete, ...)
// what that lacks, with the reason. One check compares them, and the table in
// docs/combinations.md is made from them.
package combination

import (
	"slices"

	"nmu/lnmu/internal/core"
)

// Feature is something that a run may ask for.
type Feature int

// The features.
const (
	Products Feature = iota
	Penalties
	Divergence
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

// Features are the words of the table for each of them.
var Features = [...]string{
	Products:    "method hoyer",
	Penalties:   "method snmf",
	Divergence:  "method kl",
	Accelerated: "solver accelerated",
	ADMM:        "solver admm",
	L1:          "norm l1",
	Priors:      "penalties, target sparsities or smoothness of rnmu",
	Exact:       "feasible factors",
	Violated:    "multipliers that begin with the violations of the start",
	Zeros:       "a multiplier of the zeros",
	SVD:         "start svd",
	Pure:        "start spa or snpa",
	SumToOne:    "rows of V or columns of W that sum to one",
	Fixed:       "fixed factors or a baseline",
	Missing:     "missing entries",
	Weights:     "weights",
	PerLine:     "a Gram matrix for each row and column (missing solver exact)",
	Unstored:    "what is not stored is missing",
	Overwrite:   "overwriting M",
	Improve:     "improving factors",
}

// Request is a feature that a run asks for.
type Request struct {
	Feature
	Words   string // the feature as a message names it
	Instead string // what to choose instead; empty for a method
}

// Condition is a state of M, or an option, that not every feature goes with.
type Condition struct {
	Name   string             // in the table
	words  string             // after the words of a feature, in a message
	other  string             // another way out than to leave the feature
	Within *Condition         // one that holds as well, or nil
	Lacks  map[Feature]string // the reasons why it does not have these
}

const (
	apart      = "its steps need products of M with both factors before either is renewed"
	allOfN     = "it needs all products of a step before it renews the factor"
	keepsZeros = "its updates would keep the zeros of this start"
	oneByOne   = "its steps change all factors at once, also those that are fixed"
)

// The conditions.
var (
	InFiles = Condition{"dense, in files", "with a stored matrix", "keep M in memory", &InFull, nil}
	InParts = Condition{"of several processes", "on a matrix of which processes have parts", "choose one process", nil, nil}
	InFull  = Condition{"dense", "on a dense matrix", "make M a CSR", nil, map[Feature]string{
		Zeros: "each zero of M has a multiplier of its own", Unstored: "all of its entries are stored",
	}}
	Sparse = Condition{"sparse", "on a sparse matrix", "make M dense", nil, map[Feature]string{
		Products: apart, L1: "the median of a row whose zeros count is zero", Priors: allOfN, Exact: "each zero of M is a constraint, of which there are as many as of a dense one",
		Violated: "the violations on the zeros are as many as the entries of a dense matrix", Missing: "a mask says of every zero whether it is observed; set StoredOnly if none is",
		Weights: "weights have a number for every zero", PerLine: "a mask says of every zero whether it is observed", Overwrite: "it is left alone",
	}}
	SparseInParts = Condition{"sparse, of several processes", "on a sparse matrix of which processes have parts", "choose one process", &Sparse, nil}
	Incomplete    = Condition{"with missing entries", "with missing entries or weights", "", nil, map[Feature]string{
		Products: "its change of the error is that of a complete matrix", Priors: "their penalty refers to the whole of the other factor", Fixed: "what is missing takes the value of V W, which they bound",
	}}
	Weighted = Condition{"with weights", "with weights", "", &Incomplete, map[Feature]string{
		ADMM: "the slack has none", L1: "the median has others",
	}}
	StoredOnly = Condition{"sparse, the others missing", "for what a sparse matrix does not store", "make M dense and give a mask", &Sparse, map[Feature]string{
		Divergence: "its denominators are those of a complete matrix",
		SVD:        "the singular vectors are missing with the entries", Pure: "the distances of columns are missing with the entries", PerLine: "every row would have a Gram matrix", ADMM: "the missing entries have no slack", Zeros: "there are no zeros",
	}}
	Held = Condition{"with fixed factors", "with fixed factors or a baseline", "", nil, map[Feature]string{
		Penalties: "its penalties change the scale of all factors", Products: oneByOne, Accelerated: oneByOne, L1: "a median has no fixed scale", Exact: "the exact step changes them", SumToOne: "they may leave no sum for the others",
	}}
)

// Counted is the condition of method kl.
var Counted = Condition{"", "with method kl", "", nil, map[Feature]string{
	SVD: keepsZeros, Pure: keepsZeros, PerLine: "it has no Gram matrices",
}}

// Conditions are all of them but Counted, in the order of the table.
var Conditions = []*Condition{&InFull, &InFiles, &InParts, &Sparse, &StoredOnly, &SparseInParts, &Incomplete, &Weighted, &Held}

// Check returns an error if one of the features is not had under the condition. methods lists
// the methods that go with a condition, for its message. Every run passes the check of no
// condition, nil.
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

// Allows reports whether all these features are had under the condition itself, whatever else
// holds within it.
func (c *Condition) Allows(needs []Feature) bool {
	return !slices.ContainsFunc(needs, func(f Feature) bool { _, lacks := c.Lacks[f]; return lacks })
}
