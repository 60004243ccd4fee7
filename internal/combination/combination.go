// Package combination declares the methods, their words, and which features of a run go together. Two tables have a cell for each
// feature with each condition (M in files, sparse, incomplete, ...) and for each pair of features:
// yes, or the reason why not. An empty cell fails a test and refuses the run. One check serves all
// runs, and docs/combinations.md is generated from the tables.
package combination

import (
	"fmt"
	"slices"
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
	Ridge
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
	Ridge:       "l2 penalties",
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

// cell says whether two things go together: yes, or a reason why not. An empty cell has been
// forgotten.
type cell string

const (
	yes cell = "yes"
	up  cell = "as under the condition within" // which a condition with Within says

	other      cell = "no method has both"
	noMatrix   cell = "one is for a dense matrix, the other one for a sparse one"
	l2Target   cell = "the target of the solver is for the norm l2"
	l2Steps    cell = "the steps are for the norm l2"
	l2Exact    cell = "the exact step is for the norm l2"
	admmSteps  cell = "the steps of solver admm have no such terms"
	zeroStart  cell = "its multipliers begin as 0"
	exactAlone cell = "the exact step does not regard them"
	oneStart   cell = "a run has one start"
	given      cell = "the factors that are improved are the start"
	zerosStay  cell = "zeros that stay may leave no such sums"

	apart        cell = "its steps need the products of M with both factors before they update either one"
	ownZeros     cell = "each zero of a dense matrix has its own multiplier"
	allStored    cell = "a dense matrix stores all entries"
	zeroMedian   cell = "the medians would be zero, like most entries"
	asDense      cell = "every zero of M is a constraint, so there are as many as for a dense matrix"
	allZeros     cell = "every zero can be violated, so this needs as many numbers as a dense matrix"
	zeroMask     cell = "a mask needs an entry for every zero; if no zero is observed, set StoredOnly"
	zeroWeight   cell = "every zero needs a weight"
	lineMask     cell = "a mask needs an entry for every zero"
	neverOver    cell = "a sparse matrix is never overwritten"
	vectors      cell = "singular vectors need all entries"
	distances    cell = "distances of columns need all entries"
	ownGrams     cell = "every row and column would need its own Gram matrix"
	noSlack      cell = "missing entries have no slack"
	noZeros      cell = "there are no zeros"
	changes      cell = "it computes the change of the error for a complete matrix"
	wholeOther   cell = "the penalties refer to the whole other factor"
	restricted   cell = "missing entries take the value of V W, which fixed factors restrict"
	slack        cell = "the slack is not weighted"
	medians      cell = "the medians are weighted by the other factor already"
	rescales     cell = "its penalties change the scale of all factors"
	scale        cell = "median steps do not keep the scale of a fixed factor"
	exactAll     cell = "the exact step changes all factors"
	usedUp       cell = "fixed factors may use up the sum"
	noGrams      cell = "it uses no Gram matrices"
	byColumns    cell = "its steps need whole rows and whole columns of M in memory"
	allOfN       cell = "the step needs all products with M before it updates the factor"
	completeSums cell = "its denominators are sums over a complete matrix"
	oneByOne     cell = "its steps change all factors at once, including the fixed ones"
	keepsZeros   cell = "multiplicative updates keep the zeros of this start"
)

// Condition is a state of M, or an option, that excludes some features.
type Condition struct {
	column int        // of table
	Name   string     // on the page
	words  string     // after the words of a feature, in a message
	other  string     // what to do instead of dropping the feature
	Within *Condition // a condition that holds as well, or nil
}

// The conditions. Counted is that of method kl, Multiplied that of its solver multiplicative, and
// ByLine that of missing solver exact.
var (
	InFull        = Condition{0, "dense", "on a dense matrix", "make M a CSR", nil}
	InFiles       = Condition{1, "dense, in files", "with a stored matrix", "keep M in memory", &InFull}
	InParts       = Condition{2, "in several processes", "on a matrix distributed over processes", "choose one process", nil}
	Sparse        = Condition{3, "sparse", "on a sparse matrix", "make M dense", nil}
	StoredOnly    = Condition{4, "sparse, unstored entries missing", "with unstored entries missing", "make M dense and give a mask", &Sparse}
	SparseInFiles = Condition{5, "sparse, in files", "with a stored sparse matrix", "keep M in memory", &Sparse}
	SparseInParts = Condition{6, "sparse, in several processes", "on a sparse matrix distributed over processes", "choose one process", &Sparse}
	Incomplete    = Condition{7, "with missing entries", "with missing entries or weights", "", nil}
	Weighted      = Condition{8, "with weights", "with weights", "", &Incomplete}
	Held          = Condition{9, "with fixed factors", "with fixed factors or a baseline", "", nil}
	Counted       = Condition{10, "with method kl", "with method kl", "", nil}
	Multiplied    = Condition{11, "with method kl, solver multiplicative", "with solver multiplicative", "choose solver coordinate", &Counted}
	ByLine        = Condition{12, "with missing solver exact", "with missing solver exact", "choose missing solver majorize", &Incomplete}
)

// Conditions are all conditions, in the order of the table.
var Conditions = [...]*Condition{&InFull, &InFiles, &InParts, &Sparse, &StoredOnly, &SparseInFiles, &SparseInParts, &Incomplete, &Weighted, &Held, &Counted, &Multiplied, &ByLine}

// table has a row for each feature, with a cell for each condition.
var table = [len(Features)][len(Conditions)]cell{
	// as Conditions: InFull, InFiles, InParts, Sparse, StoredOnly, SparseInFiles, SparseInParts,
	// Incomplete, Weighted, Held, Counted, Multiplied, ByLine
	Products:    {yes, up, yes, apart, up, up, up, changes, up, oneByOne, other, up, up},
	Penalties:   {yes, up, yes, yes, up, up, up, yes, up, rescales, other, up, yes},
	Divergence:  {yes, up, yes, yes, completeSums, up, up, yes, up, yes, yes, up, noGrams},
	Coordinates: {yes, up, yes, yes, completeSums, byColumns, byColumns, yes, up, yes, yes, other, noGrams},
	Accelerated: {yes, up, yes, yes, up, up, up, yes, up, oneByOne, other, up, yes},
	ADMM:        {yes, up, yes, yes, noSlack, up, up, yes, slack, yes, other, up, yes},
	L1:          {yes, up, yes, zeroMedian, up, up, up, yes, medians, scale, other, up, yes},
	Priors:      {yes, up, yes, allOfN, up, up, up, wholeOther, up, yes, other, up, up},
	Ridge:       {yes, up, yes, yes, up, up, up, yes, up, yes, yes, up, yes},
	Exact:       {yes, up, yes, asDense, up, up, up, yes, up, exactAll, other, up, yes},
	Violated:    {yes, up, yes, allZeros, up, up, up, yes, up, yes, other, up, yes},
	Zeros:       {ownZeros, up, yes, yes, noZeros, up, up, yes, up, yes, other, up, noMatrix},
	SVD:         {yes, up, yes, yes, vectors, up, up, yes, up, yes, yes, keepsZeros, yes},
	Pure:        {yes, up, yes, yes, distances, up, up, yes, up, yes, yes, keepsZeros, yes},
	SumToOne:    {yes, up, yes, yes, up, up, up, yes, up, usedUp, other, up, yes},
	Fixed:       {yes, up, yes, yes, up, up, up, restricted, up, yes, yes, up, up},
	Missing:     {yes, up, yes, zeroMask, up, up, up, yes, up, restricted, yes, up, yes},
	Weights:     {yes, up, yes, zeroWeight, up, up, up, yes, up, restricted, yes, up, yes},
	PerLine:     {yes, up, yes, lineMask, ownGrams, up, up, yes, up, restricted, noGrams, up, yes},
	Unstored:    {allStored, up, yes, yes, up, up, up, yes, up, restricted, yes, up, ownGrams},
	Overwrite:   {yes, up, yes, neverOver, up, up, up, yes, up, yes, yes, up, yes},
	Improve:     {yes, up, yes, yes, yes, up, up, yes, up, yes, other, up, yes},
}

// pairs has a row for each feature that is not a condition as well, with a cell for each such
// feature before it.
var pairs = [len(Features)][len(Features)]cell{
	Products:    {},
	Penalties:   {Products: other},
	Coordinates: {Products: other, Penalties: other},
	Accelerated: {Products: other, Penalties: yes, Coordinates: other},
	ADMM:        {Products: other, Penalties: other, Coordinates: other, Accelerated: other},
	L1:          {Products: other, Penalties: other, Coordinates: other, Accelerated: other, ADMM: l2Target},
	Priors:      {Products: other, Penalties: other, Coordinates: other, Accelerated: other, ADMM: admmSteps, L1: l2Steps},
	Ridge:       {Products: other, Penalties: yes, Coordinates: yes, Accelerated: yes, ADMM: other, L1: other, Priors: other},
	Exact:       {Products: other, Penalties: other, Coordinates: other, Accelerated: other, ADMM: yes, L1: l2Exact, Priors: exactAlone, Ridge: other},
	Violated:    {Products: other, Penalties: other, Coordinates: other, Accelerated: other, ADMM: zeroStart, L1: yes, Priors: yes, Ridge: other, Exact: yes},
	Zeros:       {Products: other, Penalties: other, Coordinates: other, Accelerated: other, ADMM: yes, L1: noMatrix, Priors: noMatrix, Ridge: other, Exact: noMatrix, Violated: noMatrix},
	SVD:         {Products: yes, Penalties: yes, Coordinates: yes, Accelerated: yes, ADMM: yes, L1: yes, Priors: yes, Ridge: yes, Exact: yes, Violated: yes, Zeros: yes},
	Pure:        {Products: yes, Penalties: yes, Coordinates: yes, Accelerated: yes, ADMM: yes, L1: yes, Priors: yes, Ridge: yes, Exact: yes, Violated: yes, Zeros: yes, SVD: oneStart},
	SumToOne:    {Products: other, Penalties: other, Coordinates: other, Accelerated: yes, ADMM: other, L1: other, Priors: other, Ridge: yes, Exact: other, Violated: other, Zeros: other, SVD: yes, Pure: yes},
	Overwrite:   {Products: yes, Penalties: yes, Coordinates: yes, Accelerated: yes, ADMM: yes, L1: yes, Priors: yes, Ridge: yes, Exact: yes, Violated: yes, Zeros: noMatrix, SVD: yes, Pure: yes, SumToOne: yes},
	Improve:     {Products: other, Penalties: other, Coordinates: other, Accelerated: yes, ADMM: other, L1: other, Priors: other, Ridge: yes, Exact: other, Violated: other, Zeros: other, SVD: given, Pure: given, SumToOne: zerosStay, Overwrite: yes},
}

// asCondition lists the features whose row in table has a column as well, so that pairs has no
// cells for them.
var asCondition = []Feature{Divergence, Fixed, Missing, Weights, Unstored, PerLine}

// Reason returns why the condition itself excludes a feature, if it does. It ignores Within.
func (c *Condition) Reason(f Feature) (why string, excluded bool) {
	return table[f][c.column].reason(Features[f], c.Name)
}

// ReasonOf returns why two features exclude each other, if they do.
func ReasonOf(f, g Feature) (why string, excluded bool) {
	if f == g || slices.Contains(asCondition, f) || slices.Contains(asCondition, g) {
		return "", false
	}
	return pairs[max(f, g)][min(f, g)].reason(Features[f], Features[g])
}

// reason returns the reason of a cell, if it has one. An empty cell excludes.
func (c cell) reason(a, b string) (why string, excluded bool) {
	switch c {
	case yes, up:
		return "", false
	case "":
		return "package combination does not say whether " + a + " goes with " + b, true
	}
	return string(c), true
}

// Check returns an error if the condition, or one of its Within chain, excludes a feature.
// methods lists the methods that go with a condition, for the message. A nil condition excludes
// nothing.
func (c *Condition) Check(all []Request, methods func(*Condition) string) error {
	if c == nil {
		return nil
	}
	for _, r := range all {
		why, ok := c.Reason(r.Feature)
		if !ok {
			continue
		}
		if r.Instead == "" {
			r.Instead = "choose " + methods(c)
		}
		if c.other != "" {
			r.Instead += ", or " + c.other
		}
		return fmt.Errorf("%s %s: %s; %s", r.Words, c.words, why, r.Instead)
	}
	return c.Within.Check(all, methods)
}

// CheckPairs returns an error if two of the features exclude each other.
func CheckPairs(all []Request) error {
	for i, r := range all {
		for _, q := range all[:i] {
			if why, ok := ReasonOf(q.Feature, r.Feature); ok {
				return fmt.Errorf("%s with %s: %s; leave one of them out", r.Words, q.Words, why)
			}
		}
	}
	return nil
}

// Allows reports whether the condition itself excludes none of the features. It ignores Within.
func (c *Condition) Allows(needs []Feature) bool {
	return !slices.ContainsFunc(needs, func(f Feature) bool { _, lacks := c.Reason(f); return lacks })
}
