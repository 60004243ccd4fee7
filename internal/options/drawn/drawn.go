// Package drawn draws random methods, options and settings from the lists of package options, for
// tests that compare the command, Go, C, Python and R.
package drawn

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"nmu/internal/options"
	"nmu/lnmu"
	"nmu/lnmu/factors"
)

// Rows, Cols and Rank are those of all factorizations.
const Rows, Cols, Rank = 23, 17, 4

// Value is a value of an option or a setting.
type Value struct{ Name, Text, Type string }

// Config is a configuration that lnmu accepts.
type Config struct {
	Method            string
	Options, Settings []Value
	Hashes            []string // SHA-256 of V and W that Go finds in float64, and of those in float32
}

// Gap says whether entry (i, j) of the matrix is missing, if the setting missing allows that.
func Gap(i, j int) bool { return (i+2*j)%5 == 1 }

// Matrix returns the matrix that is factored. Its gaps are NaN if it has some.
func Matrix(gaps bool) lnmu.Dense[float64] {
	m := lnmu.NewDense[float64](Rows, Cols, nil)
	for i := range Rows {
		for j := range Cols {
			m.Row(i)[j] = float64((i*i + 3*i*j + 5*j) % 7)
			if gaps && Gap(i, j) {
				m.Row(i)[j] = math.NaN()
			}
		}
	}
	return m
}

// Draw returns the next configuration of rng, and how many it had to refuse.
func Draw(rng *rand.Rand) (c Config, refused int) {
	d := pick(rng, options.Methods())
	for {
		c = Config{Method: d.Name}
		_, all := options.Of(d.Method)
		for _, o := range all {
			if rng.IntN(4) == 0 {
				c.Options = append(c.Options, value(rng, o))
			}
		}
		if c.Method == "hoyer" && c.Options == nil || c.Method == "snmf" && c.Options == nil { // which do nothing without
			c.Options = append(c.Options, value(rng, all[0]))
		}
		for _, s := range options.Settings(&options.Run{}) {
			plain := slices.Contains([]string{"whole number", "number", "word", "yes or no"}, s.Type())
			if s.Calls&options.Factor == 0 || !plain || !s.Flag || options.OfFile(s) || slices.Contains(elsewhere, s.Name) {
				continue
			}
			if rng.IntN(3) == 0 || s.Name == "iterations" { // which are few
				c.Settings = append(c.Settings, value(rng, s.Option))
			}
		}
		if factor[float64](&c) == nil && factor[float32](&c) == nil {
			return c, refused
		}
		refused++
	}
}

// elsewhere are settings for a sparse matrix or a run that goes on.
var elsewhere = []string{"sparse-missing", "continue"}

// value draws a value of an option.
func value(rng *rand.Rand, o options.Option) Value {
	v := Value{Name: o.Name, Type: o.Type()}
	for {
		switch v.Type {
		case "whole number":
			v.Text = strconv.Itoa(1 + rng.IntN(3))
			if o.Name == "iterations" {
				v.Text = strconv.Itoa(5 + rng.IntN(16))
			}
		case "number":
			v.Text = pick(rng, []string{"0.5", "0.25", "0.001", "2", "1e-2"})
		case "word":
			v.Text = pick(rng, o.Choices())
		case "size":
			v.Text = pick(rng, []string{"23x1", "1x23", "17x1", "1x17"})
		default:
			v.Text = "true"
		}
		if o.Value.Set(v.Text) == nil && v.Text != string(options.InitGiven) && (o.Name != "missing" || v.Text == options.MissingAllow) {
			return v
		}
	}
}

// Text writes values as C takes them.
func Text(values []Value) string {
	var parts []string
	for _, v := range values {
		parts = append(parts, v.Name+"="+v.Text)
	}
	return strings.Join(parts, ",")
}

// Gaps reports whether the matrix has gaps.
func (c Config) Gaps() bool {
	return slices.ContainsFunc(c.Settings, func(v Value) bool { return v.Name == "missing" })
}

// Flags writes the configuration as the command takes it.
func (c Config) Flags() []string {
	return slices.Concat([]string{"--method", c.Method, "--rank", strconv.Itoa(Rank)}, Flags(c.Options), Flags(c.Settings))
}

// Flags writes values as the command takes them.
func Flags(values []Value) (flags []string) {
	for _, v := range values {
		flags = append(flags, "--"+v.Name+"="+v.Text)
	}
	return flags
}

// String names the configuration.
func (c Config) String() string {
	return fmt.Sprintf("%s %q %q", c.Method, Text(c.Options), Text(c.Settings))
}

// factor finds what the configuration gives in Go.
func factor[T lnmu.Float](c *Config) error {
	d, err := options.Describe(c.Method)
	if err != nil {
		return err
	}
	method, all := options.Of(d.Method)
	if err := options.Parse(Text(c.Options), c.Method, "option", all); err != nil {
		return err
	}
	var r options.Run
	if err := r.Set(Text(c.Settings), options.Factor); err != nil {
		return err
	}
	from, m := Matrix(c.Gaps()), lnmu.NewDense[T](Rows, Cols, nil)
	for i, x := range from.Data {
		m.Data[i] = T(x)
	}
	seen := lnmu.Observed[T]{Matrix: m}
	if c.Gaps() {
		seen.Mask = lnmu.MaskOf[T](m)
	}
	res, err := lnmu.Factor(context.Background(), seen, Rank, method, &r.Settings)
	if err != nil {
		return err
	}
	if res.V.Cols < Rank {
		return fmt.Errorf("%d factors", res.V.Cols) // C fills up with zeros
	}
	c.Hashes = append(c.Hashes, factors.SHA256(res.V), factors.SHA256(res.W))
	return nil
}

func pick[E any](rng *rand.Rand, from []E) E { return from[rng.IntN(len(from))] }
