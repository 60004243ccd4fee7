package record

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"nmu/internal/picture"
	"nmu/internal/render"
	"nmu/lnmu"
	"nmu/lnmu/compare"
	"nmu/lnmu/outcome"
)

// checks records the error of the first invalid member of a file.
type checks struct {
	err   error
	nulls int // of the file, without those of infinite numbers that are met
}

// that records an error about a member unless ok is true.
func (c *checks) that(ok bool, format string, args ...any) {
	if !ok && c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

// count demands a whole number of least or more.
func (c *checks) count(name string, n, least int) {
	c.that(n >= least, "%s is %d", name, n)
}

// words are those of types that are words.
var words = map[reflect.Type][]string{
	reflect.TypeFor[outcome.Stop](): render.Strings([]outcome.Stop{
		"", outcome.StopIterations, outcome.StopTolerance, outcome.StopResidual, outcome.StopTarget, outcome.StopExact,
		outcome.StopStep, outcome.StopVanished, outcome.StopLeft, outcome.StopTime, outcome.StopCancelled,
	}),
	reflect.TypeFor[compare.Measure]():  {"", string(compare.Divergence)},
	reflect.TypeFor[compare.Compared](): {"", string(compare.ComparedRestarts), string(compare.ComparedFolds)},
}

// values demands of everything in v, the value of the member of that name, what follows from its type and its name:
// known words, numbers that are not negative, shares of at most 1 up to rounding, fractions that are finite in percent.
func (c *checks) values(name string, v reflect.Value) {
	const rounding, mostFraction = 1e-6, 1e300
	if v.CanFloat() && math.IsInf(v.Float(), 1) {
		c.nulls--
	}
	if c.err != nil && c.nulls <= 0 {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			c.values(name, v.Elem())
		}
	case reflect.Struct:
		for f, x := range v.Fields() {
			if member, _, _ := strings.Cut(f.Tag.Get("json"), ","); f.IsExported() && member != "-" {
				c.values(member, x)
			}
		}
	case reflect.Slice:
		for i := 0; i < v.Len() && v.Type().Elem().Kind() != reflect.String; i++ {
			c.values(name, v.Index(i))
		}
	case reflect.String:
		known := words[v.Type()]
		c.that(known == nil || slices.Contains(known, v.String()), "%s is %q", name, v)
	case reflect.Int:
		c.count(name, int(v.Int()), 0)
	case reflect.Float64:
		x, least, most := v.Float(), 0.0, math.Inf(1)
		switch {
		case name == "cophenetic":
			least, most = -1-rounding, 1+rounding
		case strings.HasPrefix(name, "sparsity_"), strings.HasPrefix(name, "hoyer_"), name == "stability", name == "dispersion":
			least, most = -rounding, 1+rounding
		case math.IsInf(x, 1): // null in the file
		case strings.HasPrefix(name, "relative_"), strings.HasSuffix(name, "error"), slices.Contains([]string{"history", "mean", "folds"}, name):
			most = mostFraction
		}
		c.that(x >= least && x <= most, "%s is %v", name, x)
	}
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
func (c *checks) size(name string, p picture.Pixels, n int) {
	c.that(!p.Known() || n%p.Height == 0 && n/p.Height == p.Width, "%s is %d x %d, of %d pixels", name, p.Height, p.Width, n)
}

// names demands n names, if there are any.
func (c *checks) names(name string, names []string, n int) {
	c.that(names == nil || len(names) == n, "%s has %d names for %d", name, len(names), n)
}

// validate reports what cannot be so in a result.json of nmu factor.
func (r *Factor) validate(c *checks) {
	c.parts(r, &r.Head, r.Files)
	r.Settings.validateMethod(c)
	c.count("rank", r.Rank, 1)
	c.count("rank of the settings", r.Settings.Rank, r.Rank)
	c.that(r.Stop != "", "stop is missing")
	oneOf(c, "missing_solver", lnmu.Choice(r.MissingSolver), "", lnmu.MissingMajorize, lnmu.MissingExact)
	before := 0
	for _, b := range r.Blocks {
		c.that(b.Rank > before && b.Rank <= r.Rank, "blocks have rank %d after %d, and the rank is %d", b.Rank, before, r.Rank)
		before = b.Rank
		c.that(b.Stop != "", "blocks: stop is missing")
		for _, s := range b.Exact {
			c.count("exact_steps: factors", s.Factors, 1)
			oneOf(c, "exact_steps: renewed", s.Renewed, "V", "W")
		}
	}
	for _, f := range r.Top {
		c.that(f.Factor >= 1 && f.Factor <= r.Rank, "top has factor %d", f.Factor)
		for _, e := range f.Rows {
			c.that(e.Index >= 1 && e.Index <= r.Rows, "top has row %d", e.Index)
		}
		for _, e := range f.Cols {
			c.that(e.Index >= 1 && e.Index <= r.Cols, "top has column %d", e.Index)
		}
	}
	c.sum("sha256_v", r.SHA256V)
	c.sum("sha256_w", r.SHA256W)
	if r.Past > 0 {
		c.sum("sha256_ww", r.SHA256WW)
		c.sum("sha256_mw", r.SHA256MW)
	}
}

// parts demands of a file what each of its kind has: the values of all its members, a matrix, settings, and the SHA-256
// of other files.
func (c *checks) parts(all any, h *Head, sums map[string]string) {
	h.Matrix.validate(c)
	h.Settings.validate(c)
	c.values("", reflect.ValueOf(all).Elem())
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		c.sum(fmt.Sprintf("files: %q", name), sums[name])
	}
}

// validate reports what cannot be so in a result.json of nmu transform.
func (r *Transform) validate(c *checks) {
	c.parts(r, &r.Head, r.Files)
	c.count("rank", r.Rank, 1)
	c.sum("sha256_w", r.SHA256W)
}
