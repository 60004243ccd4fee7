package lnmu

import (
	"cmp"
	"fmt"

	"nmu/internal/combination"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/fault"
)

// requests returns the features that a method with its defaults and settings ask for.
func (p resolved) requests(s Settings, supports bool) []combination.Request {
	var all []combination.Request
	add := func(wanted bool, f combination.Feature, instead, format string, args ...any) {
		if wanted {
			all = append(all, combination.Request{Feature: f, Words: fmt.Sprintf(format, args...), Instead: instead})
		}
	}
	for _, f := range p.Needs() {
		add(true, f, "", "method %s", p.Name)
	}
	add(p.acceleration.on, combination.Accelerated, "choose hals", "solver %s", SolverAccelerated)
	add(p.coordinates, combination.Coordinates, "choose multiplicative", "solver %s", SolverCoordinate)
	add(p.lagrange.Solver == SolverADMM, combination.ADMM, "choose lagrangian", "solver %s", SolverADMM)
	add(p.norm == L1, combination.L1, "choose l2", "norm %s", L1)
	add(p.priors != [2]core.Prior{}, combination.Priors, "leave them out", "penalties, target sparsities or smoothness of %s", p.Name)
	add(p.ridged, combination.Ridge, "leave them out", "l2 penalties")
	add(p.lagrange.Feasible != "", combination.Exact, "leave it out", "feasible %s", p.lagrange.Feasible)
	add(p.lagrange.Multipliers == MultipliersStart, combination.Violated, "choose zero", "multipliers %s", MultipliersStart)
	add(p.lagrange.ZeroMultiplier != nil, combination.Zeros, "leave it out", "a multiplier of the zeros")
	add(s.Init == InitSVD, combination.SVD, "choose random, nested or given", "start svd")
	add(s.Init == InitSPA || s.Init == InitSNPA, combination.Pure, "choose random, nested or given", "start %s", s.Init)
	add(p.sumV || p.sumW, combination.SumToOne, "leave them out", "sums of one")
	add(s.fixes(), combination.Fixed, "leave them out", "fixed factors or a baseline")
	add(p.Entries.Mask.Data != nil && p.Entries.Weights == nil, combination.Missing, "leave them out", "missing entries")
	add(p.Entries.Weights != nil, combination.Weights, "leave them out", "weights")
	add(p.Incomplete() && s.MissingSolver == MissingExact, combination.PerLine, "choose majorize", "missing solver %s", MissingExact)
	add(p.StoredOnly, combination.Unstored, "give a mask", "missing entries of a sparse matrix")
	add(s.Overwrite, combination.Overwrite, "leave it out", "overwrite")
	add(supports, combination.Improve, "leave it out", "improving factors")
	return all
}

// check returns an error if a condition excludes a feature that a method and settings ask for, or if
// two of these features exclude each other.
func (p resolved) check(c *combination.Condition, s Settings, supports bool) error {
	all := p.requests(s, supports)
	err := c.Check(all, func(c *combination.Condition) string {
		return names(func(f *combination.Facts) bool { return c.Allows(f.Needs()) })
	})
	if err = cmp.Or(err, combination.CheckPairs(all)); err != nil {
		return fault.Bad("%w", err)
	}
	return nil
}
