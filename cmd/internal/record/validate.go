package record

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"nmu/cmd/internal/picture"
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
	r.Matrix.validate(&c)
	r.Settings.validate(&c)
	r.Settings.validateMethod(&c)
	r.Found.validate(&c)
	c.count("rank of the settings", r.Settings.Rank, r.Rank)
	for _, f := range r.Top {
		c.that(f.Factor >= 1 && f.Factor <= r.Rank, "top has factor %d", f.Factor)
		for _, e := range f.Rows {
			c.that(e.Index >= 1 && e.Index <= r.Rows, "top has row %d", e.Index)
		}
		for _, e := range f.Cols {
			c.that(e.Index >= 1 && e.Index <= r.Cols, "top has column %d", e.Index)
		}
	}
	c.files(r.Files)
	return c.err
}

// validate reports what cannot be so in the result of a factorization.
func (f *Found) validate(c *checks) {
	c.count("rank", f.Rank, 1)
	c.count("restarts_begun", f.RestartsBegun, 0)
	c.count("restarts_finished", f.RestartsFinished, 0)
	c.count("best_restart", f.BestRestart, 0)
	c.count("revived", f.Revived, 0)
	c.count("past_cols", f.Past, 0)
	c.nonnegative("seconds", f.Seconds)
	c.nonnegative("max_violation", f.MaxViolation)
	c.nonnegative("largest_entry", f.LargestEntry)
	c.nonnegative("q", float64(f.Q), f.ExpectedQ)
	c.fractions("relative_error", f.RelativeError)
	c.fractions("relative_violation", f.RelativeViolation)
	c.fraction("relative_l1", f.RelativeL1)
	c.fraction("relative_divergence", (*float64)(f.Divergence))
	c.share("sparsity_v", f.SparsityV)
	c.share("sparsity_w", f.SparsityW)
	c.share("hoyer_v", f.HoyerV)
	c.share("hoyer_w", f.HoyerW)
	if x := f.Improved; x != nil {
		c.fractions("improved", x.Error, x.ScaledError)
		c.nonnegative("improved: scale", x.Scale)
	}
	oneOf(c, "missing_solver", f.MissingSolver, "", lnmu.MissingMajorize, lnmu.MissingExact)
	oneOf(c, "stop", f.Stop, stops...)
	before := 0
	for _, b := range f.Blocks {
		c.that(b.Rank > before && b.Rank <= f.Rank, "blocks have rank %d after %d, and the rank is %d", b.Rank, before, f.Rank)
		before = b.Rank
		c.count("blocks: iterations", b.Iterations, 0)
		oneOf(c, "blocks: stop", b.Stop, stops...)
		c.fractions("blocks: relative_error", b.Error)
		c.fractions("blocks: relative_l1", b.L1)
		for _, e := range append(b.History, b.Divergence) {
			c.fraction("blocks: history", &e)
		}
		for _, s := range b.Exact {
			c.count("exact_steps: factors", s.Factors, 1)
			oneOf(c, "exact_steps: renewed", s.Renewed, "V", "W")
			c.fractions("exact_steps", s.Before, s.After)
			c.nonnegative("exact_steps", s.Violation, s.KKT)
		}
	}
	c.sum("sha256_v", f.SHA256V)
	c.sum("sha256_w", f.SHA256W)
	if f.Past > 0 {
		c.sum("sha256_ww", f.SHA256WW)
		c.sum("sha256_mw", f.SHA256MW)
	}
}

// files demands the SHA-256 of files.
func (c *checks) files(sums map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		c.sum(fmt.Sprintf("files: %q", name), sums[name])
	}
}

// validate reports what cannot be so in a result.json of nmu transform.
func (r *Transform) validate() error {
	var c checks
	r.Matrix.validate(&c)
	r.Settings.validate(&c)
	c.count("rank", r.Rank, 1)
	c.count("iterations", r.Iterations, 0)
	c.nonnegative("seconds", r.Seconds)
	c.nonnegative("kkt", r.KKT)
	c.nonnegative("max_violation", r.MaxViolation)
	c.fractions("relative_error", r.RelativeError)
	c.fraction("relative_divergence", (*float64)(r.Divergence))
	oneOf(&c, "stop", r.Stop, slices.Concat(stops, []lnmu.Stop{""})...)
	c.sum("sha256_w", r.SHA256W)
	c.files(r.Files)
	return c.err
}
