package lnmu

import (
	"fmt"
	"slices"

	"nmu/lnmu/internal/core"
)

// What goes together is declared here: what a run may ask for beside plain factors, and for
// each condition under which it may be (M in files, sparse, incomplete, ...) what that lacks,
// with the reason. One check compares them, and the table in docs/combinations.md is
// made from them.

// feature is something that a run may ask for.
type feature int

const (
	featProducts feature = iota
	featPenalties
	featAccelerated
	featADMM
	featL1
	featPriors
	featExact
	featViolated
	featZeros
	featSVD
	featFixed
	featMissing
	featWeights
	featPerLine
	featUnstored
	featOverwrite
	featImprove
)

// features are the words of the table for each of them.
var features = [...]string{
	featProducts:    "method hoyer",
	featPenalties:   "method snmf",
	featAccelerated: "solver accelerated",
	featADMM:        "solver admm",
	featL1:          "norm l1",
	featPriors:      "penalties, target sparsities or smoothness of rnmu",
	featExact:       "feasible factors",
	featViolated:    "multipliers that begin with the violations of the start",
	featZeros:       "a multiplier of the zeros",
	featSVD:         "start svd",
	featFixed:       "fixed factors or a baseline",
	featMissing:     "missing entries",
	featWeights:     "weights",
	featPerLine:     "a Gram matrix for each row and column (missing solver exact)",
	featUnstored:    "what is not stored is missing",
	featOverwrite:   "overwriting M",
	featImprove:     "improving factors",
}

// asked is a feature that a run asks for, as a message names it, and what to choose instead.
type asked struct {
	feature
	words, instead string
}

// asks returns the features that a method with its defaults and settings ask for.
func (p resolved) asks(s Settings, supports bool) []asked {
	d := p.method.Describe()
	var all []asked
	add := func(wanted bool, f feature, instead, format string, args ...any) {
		if wanted {
			all = append(all, asked{f, fmt.Sprintf(format, args...), instead})
		}
	}
	for _, f := range d.needs {
		add(true, f, "", "method %s", d.Name)
	}
	add(p.acceleration.on, featAccelerated, "choose hals", "solver %s", SolverAccelerated)
	add(p.lagrange.Solver == SolverADMM, featADMM, "choose lagrangian", "solver %s", SolverADMM)
	add(p.norm == L1, featL1, "choose l2", "norm %s", L1)
	add(p.priors.any(), featPriors, "leave them out", "penalties, target sparsities or smoothness of %s", d.Name)
	add(p.lagrange.Feasible != "", featExact, "leave it out", "feasible %s", p.lagrange.Feasible)
	add(p.lagrange.Multipliers == MultipliersStart, featViolated, "choose zero", "multipliers %s", MultipliersStart)
	add(p.lagrange.ZeroMultiplier != nil, featZeros, "leave it out", "a multiplier of the zeros")
	add(s.Init == InitSVD, featSVD, "choose random, nested or given", "start svd")
	add(s.Fixed.any(), featFixed, "leave them out", "fixed factors or a baseline")
	add(p.entries.Seen.Data != nil && p.entries.Weights == nil, featMissing, "leave them out", "missing entries")
	add(p.entries.Weights != nil, featWeights, "leave them out", "weights")
	add(p.incomplete() && s.MissingSolver == MissingExact, featPerLine, "choose majorize", "missing solver %s", MissingExact)
	add(p.storedOnly, featUnstored, "give a mask", "missing entries of a sparse matrix")
	add(s.Overwrite, featOverwrite, "leave it out", "overwrite")
	add(supports, featImprove, "leave it out", "improving factors")
	return all
}

// condition is a state of M, or an option, that not every feature goes with.
type condition struct {
	name   string             // in the table
	words  string             // after the words of a feature, in a message
	other  string             // another way out than to leave the feature
	within *condition         // one that holds as well, or nil
	lacks  map[feature]string // the reasons why it does not have these
}

const (
	apart    = "its steps need products of M with both factors before either is renewed"
	allOfN   = "it needs all products of a step before it renews the factor"
	oneByOne = "its steps change all factors at once, also those that are fixed"
)

// The conditions.
var (
	inFiles = condition{"dense, in files", "with a stored matrix", "keep M in memory", &inFull, nil}
	inParts = condition{"of several processes", "on a matrix of which processes have parts", "choose one process", nil, nil}
	inFull  = condition{"dense", "on a dense matrix", "make M a CSR", nil, map[feature]string{
		featZeros: "each zero of M has a multiplier of its own", featUnstored: "all of its entries are stored",
	}}
	nonzeros = condition{"sparse", "on a sparse matrix", "make M dense", nil, map[feature]string{
		featProducts: apart, featL1: "the median of a row whose zeros count is zero", featPriors: allOfN, featExact: "each zero of M is a constraint, of which there are as many as of a dense one",
		featViolated: "the violations on the zeros are as many as the entries of a dense matrix", featMissing: "a mask says of every zero whether it is observed; set StoredOnly if none is",
		featWeights: "weights have a number for every zero", featPerLine: "a mask says of every zero whether it is observed", featOverwrite: "it is left alone",
	}}
	nonzerosInParts = condition{"sparse, of several processes", "on a sparse matrix of which processes have parts", "choose one process", &nonzeros, nil}
	incomplete      = condition{"with missing entries", "with missing entries or weights", "", nil, map[feature]string{
		featProducts: "its change of the error is that of a complete matrix", featPriors: "their penalty refers to the whole of the other factor", featFixed: "what is missing takes the value of V W, which they bound",
	}}
	weighted = condition{"with weights", "with weights", "", &incomplete, map[feature]string{
		featADMM: "the slack has none", featL1: "the median has others",
	}}
	storedOnly = condition{"sparse, the others missing", "for what a sparse matrix does not store", "make M dense and give a mask", &nonzeros, map[feature]string{
		featSVD: "the singular vectors are missing with the entries", featPerLine: "every row would have a Gram matrix", featADMM: "the missing entries have no slack", featZeros: "there are no zeros",
	}}
	held = condition{"with fixed factors", "with fixed factors or a baseline", "", nil, map[feature]string{
		featPenalties: "its penalties change the scale of all factors", featProducts: oneByOne, featAccelerated: oneByOne, featL1: "a median has no fixed scale", featExact: "the exact step changes them",
	}}
)

// conditions are all of them, in the order of the table.
var conditions = []*condition{&inFull, &inFiles, &inParts, &nonzeros, &storedOnly, &nonzerosInParts, &incomplete, &weighted, &held}

// refuses returns an error if one of the features is not had under the condition.
func (c *condition) refuses(all []asked) error {
	if c == nil {
		return nil
	}
	for _, a := range all {
		why, ok := c.lacks[a.feature]
		if !ok {
			continue
		}
		if a.instead == "" { // it is the method
			a.instead = "choose " + names(c.goesWith)
		}
		if c.other != "" {
			a.instead += ", or " + c.other
		}
		return core.Bad("%s %s: %s; %s", a.words, c.words, why, a.instead)
	}
	return c.within.refuses(all)
}

// goesWith reports whether a method, by its description, is had under the condition.
func (c *condition) goesWith(d Description) bool {
	return !slices.ContainsFunc(d.needs, func(f feature) bool { _, lacks := c.lacks[f]; return lacks })
}

// describe fills in what the conditions say of a method.
func describe(d Description) Description {
	d.Fixes, d.Sparse, d.Partial, d.Distributed = held.goesWith(d), nonzeros.goesWith(d), incomplete.goesWith(d), inParts.goesWith(d)
	return d
}
