package main

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"nmu/internal/render"
	"nmu/lnmu"
)

// sparsityFlags are the flags of nmu factor that impose a sparsity (snmf, hoyer).
type sparsityFlags struct {
	PenaltyV  float64 `json:"penalty_v,omitempty"`
	PenaltyW  float64 `json:"penalty_w,omitempty"`
	SparsityV float64 `json:"target_sparsity_v,omitempty"`
	SparsityW float64 `json:"target_sparsity_w,omitempty"`
	HoyerV    float64 `json:"target_hoyer_v,omitempty"`
	HoyerW    float64 `json:"target_hoyer_w,omitempty"`
}

// sparsityFlag is one of them.
type sparsityFlag struct {
	name, usage string
	value       *float64
	most        float64
}

func (f *sparsityFlags) flags() []sparsityFlag {
	return []sparsityFlag{
		{"penalty-v", "snmf: `X` is the l1 penalty on V, kept fixed; needs --penalty-w", &f.PenaltyV, math.MaxFloat64},
		{"penalty-w", "snmf: `X` is the l1 penalty on W, kept fixed; needs --penalty-v", &f.PenaltyW, math.MaxFloat64},
		{"sparsity-v", "snmf: `S`, above 0 and at most 1, is the part of zeros in V\ntowards which the penalties are adapted", &f.SparsityV, 1},
		{"sparsity-w", "snmf: the same for W", &f.SparsityW, 1},
		{"hoyer-v", "hoyer: `SH`, above 0 and at most 1, is Hoyer's measure that\nevery column of V is given", &f.HoyerV, 1},
		{"hoyer-w", "hoyer: the same for the rows of W", &f.HoyerW, 1},
	}
}

// add makes the flags known.
func (f *sparsityFlags) add(fs *pflag.FlagSet) {
	for _, x := range f.flags() {
		fs.Float64Var(x.value, x.name, 0, x.usage)
	}
}

// check rejects what is out of range, and 0, which would stand for none.
func (f *sparsityFlags) check(given func(flag string) bool) error {
	for _, x := range f.flags() {
		switch {
		case !given(x.name) || *x.value > 0 && *x.value <= x.most:
		case x.most == 1:
			return fmt.Errorf("--%s %v; choose a number above 0 and at most 1", x.name, *x.value)
		default:
			return fmt.Errorf("--%s %v; choose a positive finite number", x.name, *x.value)
		}
	}
	return nil
}

// text says what is imposed.
func (f *sparsityFlags) text() string {
	var b strings.Builder
	for _, x := range f.flags() {
		if *x.value > 0 {
			fmt.Fprintf(&b, ", %s %v", strings.ReplaceAll(x.name, "-", " "), *x.value)
		}
	}
	return b.String()
}

// improve adds to the report what the columns "Scaled" and "Improved" of the
// paper's tables show, in the time that is left of the run that began then.
func improve[T lnmu.Float](ctx context.Context, rep *report, m lnmu.Dense[T], res *lnmu.Result[T], opt lnmu.Options[T], begun time.Time) error {
	again := lnmu.Options[T]{Threads: opt.Threads}
	if opt.TimeLimit > 0 {
		again.TimeLimit = opt.TimeLimit - time.Since(begun)
		if again.TimeLimit <= 0 {
			rep.Notes = append(rep.Notes, "no time was left for --improve")
			return nil
		}
	}
	scale, scaled, err := lnmu.Scaled(m, res.V, res.W)
	if err != nil {
		return err
	}
	better, err := lnmu.Improve(ctx, m, res.V, res.W, again)
	if err != nil {
		return err
	}
	if better.Stop == lnmu.StopTime {
		rep.Notes = append(rep.Notes, fmt.Sprintf("--improve had time for %s only", render.Plural(better.Iterations[0], "iteration")))
	}
	rep.Improved = &improvement{Scale: scale, ScaledError: scaled, Error: better.RelativeError}
	return nil
}

// improvement is what --improve adds to a report.
type improvement struct {
	Scale       float64 `json:"scale"`        // α of the best multiple α V W
	ScaledError float64 `json:"scaled_error"` // relative error of α V W
	Error       float64 `json:"relative_error"`
}
