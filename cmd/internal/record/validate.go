package record

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"nmu/cmd/internal/flags"
	"nmu/cmd/internal/picture"
	"nmu/internal/options"
	"nmu/lnmu"
)

// checks records the error of the first invalid member of a file.
type checks struct{ err error }

// that records an error about a member unless ok is true.
func (c *checks) that(ok bool, format string, args ...any) {
	if !ok && c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

// mostFraction is the largest fraction allowed in a file. In percent it is still finite.
const mostFraction = 1e300

// count demands a whole number of least or more.
func (c *checks) count(name string, n, least int) {
	c.that(n >= least, "%s is %d", name, n)
}

// fractions demands numbers that are not negative, and a percentage each.
func (c *checks) fractions(name string, list ...float64) {
	for _, x := range list {
		c.that(x >= 0 && x <= mostFraction, "%s is %v", name, x)
	}
}

// fraction is fractions for a number that may be missing or infinite.
func (c *checks) fraction(name string, x *float64) {
	if x != nil && !math.IsInf(*x, 1) {
		c.fractions(name, *x)
	}
}

// nonnegative demands numbers that are not negative.
func (c *checks) nonnegative(name string, list ...float64) {
	for _, x := range list {
		c.that(x >= 0, "%s is %v", name, x)
	}
}

// share demands a number from 0 to 1, up to rounding.
func (c *checks) share(name string, x float64) {
	const rounding = 1e-6
	c.that(x >= -rounding && x <= 1+rounding, "%s is %v", name, x)
}

// oneOf demands one of some words.
func oneOf[W ~string](c *checks, name string, word W, words ...W) {
	c.that(slices.Contains(words, word), "%s is %q", name, word)
}

// sum demands a SHA-256.
func (c *checks) sum(name, sum string) {
	c.that(len(sum) == 64 && strings.Trim(sum, "0123456789abcdef") == "", "%s is no SHA-256: %q", name, sum)
}

// size demands an image of n pixels, if there is one.
func (c *checks) size(name string, s *picture.Size, n int) {
	if s == nil {
		return
	}
	c.that(s.Height > 0 && s.Width > 0 && n%s.Height == 0 && n/s.Height == s.Width, "%s is %d x %d, of %d pixels", name, s.Height, s.Width, n)
	oneOf(c, name+": order", s.Order, "columns", "rows")
}

// names demands n names, if there are any.
func (c *checks) names(name string, names []string, n int) {
	c.that(names == nil || len(names) == n, "%s has %d names for %d", name, len(names), n)
}

var stops = []lnmu.Stop{
	lnmu.StopIterations, lnmu.StopTolerance, lnmu.StopResidual, lnmu.StopTarget, lnmu.StopExact,
	lnmu.StopStep, lnmu.StopVanished, lnmu.StopTime, lnmu.StopCancelled,
}

// validate reports what cannot be so in a result.json of nmu factor.
func (r *Factor) validate() error {
	var c checks
	method, err := options.Describe(r.Method)
	if err != nil {
		return fmt.Errorf("method is %q", r.Method)
	}
	c.count("rows", r.Rows, 1)
	c.count("cols", r.Cols, 1)
	c.count("rank", r.Rank, 1)
	c.count("rank_asked", r.RankAsked, r.Rank)
	c.count("block", r.Block, 0)
	c.count("iterations", r.Iterations, 0)
	c.count("inner", r.Inner, 0)
	c.count("restarts", r.Restarts, 0)
	c.count("restarts_begun", r.Begun, 0)
	c.count("restarts_finished", r.Finished, 0)
	c.count("best_restart", r.BestRestart, 0)
	c.count("processes", r.Processes, 0)
	c.count("threads", r.Threads, 0)
	c.count("revived", r.Revived, 0)
	c.count("lowered", r.Lowered, 0)
	c.count("check_every", r.CheckEvery, 0)
	c.count("entries", r.Entries, 0)
	r.Partial.validate(&c)
	c.nonnegative("tol", r.Tolerance)
	c.nonnegative("target_error", r.TargetError)
	c.nonnegative("seconds", r.Seconds)
	c.nonnegative("max_violation", r.MaxViolation)
	c.nonnegative("largest_entry", r.LargestEntry)
	c.nonnegative("q", float64(r.Q), r.ExpectedQ)
	c.fractions("relative_error", r.RelativeError)
	c.fractions("relative_violation", r.Violation)
	c.fraction("relative_l1", r.RelativeL1)
	c.fraction("relative_divergence", (*float64)(r.Divergence))
	c.share("sparsity_v", r.SparsityV)
	c.share("sparsity_w", r.SparsityW)
	c.share("hoyer_v", r.HoyerV)
	c.share("hoyer_w", r.HoyerW)
	if x := r.Improved; x != nil {
		c.fractions("improved", x.Error, x.ScaledError)
		c.nonnegative("improved: scale", x.Scale)
	}
	oneOf(&c, "precision", r.Precision, flags.Precisions...)
	oneOf(&c, "stop", r.Stop, stops...)
	oneOf(&c, "scale", r.Scale, "", ScaleTopics)
	oneOf(&c, "norm", r.Norm, "", lnmu.L2, lnmu.L1)
	oneOf(&c, "feasible", r.Feasible, "", lnmu.FeasibleFinal, lnmu.FeasibleEach)
	r.validateOptions(&c, method)
	r.validateBlocks(&c)
	c.size("image", r.Image, r.Rows)
	c.size("map", r.Map, r.Cols)
	c.names("row_names", r.RowNames, r.Rows)
	c.names("col_names", r.ColNames, r.Cols)
	for _, f := range r.Top {
		c.that(f.Factor >= 1 && f.Factor <= r.Rank, "top has factor %d", f.Factor)
		for _, e := range f.Rows {
			c.that(e.Index >= 1 && e.Index <= r.Rows, "top has row %d", e.Index)
		}
		for _, e := range f.Cols {
			c.that(e.Index >= 1 && e.Index <= r.Cols, "top has column %d", e.Index)
		}
	}
	c.count("past_cols", r.Past, 0)
	if r.Past > 0 {
		c.sum("sha256_ww", r.SHA256WW)
		c.sum("sha256_mw", r.SHA256MW)
	}
	c.sum("sha256_v", r.SHA256V)
	c.sum("sha256_w", r.SHA256W)
	c.files(r.Files)
	return c.err
}

// files demands the SHA-256 of files.
func (c *checks) files(sums map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		c.sum(fmt.Sprintf("files: %q", name), sums[name])
	}
}

// validateOptions demands options of the method: --continue sets flags of their names.
func (r *Factor) validateOptions(c *checks, method lnmu.Description) {
	_, all := options.Of(method.Method)
	var known []string
	for _, o := range all {
		known = append(known, o.Name)
	}
	for _, name := range slices.Concat(slices.Sorted(maps.Keys(r.Options)), r.Given) {
		c.that(slices.Contains(known, name), "%s has no option %q", r.Method, name)
	}
}

// validateBlocks demands that what is said of the blocks of factors belongs together.
func (r *Factor) validateBlocks(c *checks) {
	n := len(r.ErrorPerRank)
	c.that(len(r.RankOfError) == n, "error_per_rank has %d entries, rank_of_error %d", n, len(r.RankOfError))
	before := 0
	for _, k := range r.RankOfError {
		c.that(k > before && k <= r.Rank, "rank_of_error has %d after %d, and the rank is %d", k, before, r.Rank)
		before = k
	}
	c.fractions("error_per_rank", r.ErrorPerRank...)
	if r.L1PerRank != nil {
		c.that(len(r.L1PerRank) == n, "error_per_rank has %d entries, l1_per_rank %d", n, len(r.L1PerRank))
		c.fractions("l1_per_rank", r.L1PerRank...)
	}
	blocks := len(r.IterationsPerBlock)
	c.that(len(r.StopPerBlock) == blocks, "iterations_per_block has %d entries, stop_per_block %d", blocks, len(r.StopPerBlock))
	if blocks > 0 {
		c.that(n == 0 || n == blocks, "error_per_rank has %d entries, iterations_per_block %d", n, blocks)
		c.that(len(r.History) <= blocks, "history has %d entries, iterations_per_block %d", len(r.History), blocks)
	}
	for _, k := range r.IterationsPerBlock {
		c.count("iterations_per_block", k, 0)
	}
	for _, s := range r.StopPerBlock {
		oneOf(c, "stop_per_block", s, stops...)
	}
	for i := range r.History {
		for _, e := range r.Errors(i) {
			c.fraction("history", &e)
		}
	}
	for _, s := range r.FeasibleSteps {
		c.count("feasible_steps: factors", s.Factors, 1)
		oneOf(c, "feasible_steps: renewed", s.Renewed, "V", "W")
		c.fractions("feasible_steps", s.Before, s.After)
		c.nonnegative("feasible_steps", s.Violation, s.KKT)
	}
}

// validate demands what can be of a matrix with missing entries.
func (p *Partial) validate(c *checks) {
	c.count("missing_entries", p.Missing, 0)
	oneOf(c, "missing_solver", p.Solver, "", lnmu.MissingMajorize, lnmu.MissingExact)
}

// validate reports what cannot be so in a result.json of nmu transform.
func (r *Transform) validate() error {
	var c checks
	c.count("rows", r.Rows, 1)
	c.count("cols", r.Cols, 1)
	c.count("rank", r.Rank, 1)
	c.count("iterations", r.Iterations, 0)
	r.Partial.validate(&c)
	c.nonnegative("seconds", r.Seconds)
	c.nonnegative("kkt_residual", r.KKT)
	c.nonnegative("max_violation", r.MaxViolation)
	c.fractions("relative_error", r.RelativeError)
	c.fraction("relative_divergence", (*float64)(r.Divergence))
	oneOf(&c, "precision", r.Precision, flags.Precisions...)
	oneOf(&c, "stop", r.Stop, slices.Concat(stops, []lnmu.Stop{""})...)
	c.names("col_names", r.ColNames, r.Cols)
	c.sum("sha256_w", r.SHA256W)
	c.files(r.Files)
	return c.err
}
