// Package options names and describes the options of methods, and reads and writes their values
// as text: for the flags of the command, and for the C library, which Python, R and Julia call.
// Of returns the options of any method of package lnmu.
//
// An option sets one field of the struct of its method. It refuses a text that no method could
// take, in a message that begins with "choose". Package lnmu checks later whether the options
// go together. The words and limits used here come from package lnmu.
package options

import (
	"flag"
	"fmt"
	"math"
	"slices"

	"nmu/lnmu"
)

// Option is an option of a method, for a command line.
type Option struct {
	Name  string // of the flag
	Usage string // with the name of the value in back quotes
	Value flag.Value
}

// Choices returns the words that the option accepts, or nil if it takes other values, such as
// numbers.
func (o Option) Choices() []string {
	if w, ok := o.Value.(interface{ Choices() []string }); ok {
		return w.Choices()
	}
	return nil
}

// Type returns the type of the value: whole number, bytes, number, seconds, yes or no, word, size, file,
// matrix, name or list of ranks.
func (o Option) Type() string { return o.Value.(interface{ Kind() string }).Kind() }

// Describe returns the description of the method of that name, in letters of any case. The error wraps lnmu.ErrOption.
func Describe(name string) (Description, error) {
	all := Methods()
	var names []string
	for _, d := range all {
		names = append(names, d.Name)
	}
	word, err := Word(names, name)
	if err != nil {
		return Description{}, fmt.Errorf("%w: unknown method %q; %w", lnmu.ErrOption, name, err)
	}
	return all[slices.Index(names, word)], nil
}

// Of returns a copy of method and the options that set the copy. Their initial values are those
// of method.
func Of(method lnmu.Method) (lnmu.Method, []Option) {
	d := DescriptionOf(method)
	switch m := d.Method.(type) {
	case lnmu.NMF:
		return &m, append(slices.Concat(solver(d, &m.Solver, &m.Sweeps), ridge(&m.L2V, &m.L2W)),
			Option{"sum-to-one", "make the entries of each column of W (`FACTOR` w), or of\neach row of V (v), add up to 1, like the\nshares of materials in a pixel", side{&m.SumToOneV, &m.SumToOneW}})
	case lnmu.GNMU:
		return &m, lagrangian(d, &m)
	case lnmu.RNMU:
		return &m, slices.Concat([]Option{
			{"block", "number `B` of factors computed together (default 1)", count(&m.Block)},
			{"norm", "`NORM` of the error, l2 (the default) or l1 (robust\nagainst single large entries)", wordOf(d, "Norm", &m.Norm)},
		}, lagrangian(d, &m.GNMU), priors(d, &m))
	case lnmu.SNMF:
		return &m, slices.Concat(penalties(&m.PenaltyV, &m.PenaltyW), []Option{
			{"sparsity-v", "adapt the penalties until a fraction `S` of V is zero", number(&m.SparsityV, 1)},
			{"sparsity-w", "adapt the penalties until a fraction `S` of W is zero", number(&m.SparsityW, 1)},
		}, ridge(&m.L2V, &m.L2W), solver(d, &m.Solver, &m.Sweeps))
	case lnmu.KL:
		return &m, append(slices.Concat(penalties(&m.PenaltyV, &m.PenaltyW), ridge(&m.L2V, &m.L2W)),
			Option{"solver", "`SOLVER` multiplicative (updates of a whole factor, the default) or coordinate (then Newton steps for one entry after the other: nearer to a minimum in less time, 200 iterations at most by default)", wordOf(d, "Solver", &m.Solver)})
	case lnmu.Hoyer:
		return &m, []Option{
			{"hoyer-v", "give every column of V the sparsity sh = `H`", number(&m.HoyerV, 1)},
			{"hoyer-w", "give every row of W the sparsity sh = `H`", number(&m.HoyerW, 1)},
		}
	default: // no options
		return m, nil
	}
}

// penalties returns the options of SNMF and KL for fixed penalties.
func penalties(v, w *float64) []Option {
	return []Option{
		{"penalty-v", "fixed l1 penalty `X` on V: X times its sum is added to the squared\nerror, or with kl to the divergence", number(v, math.Inf(1))},
		{"penalty-w", "fixed l1 penalty `X` on W, likewise", number(w, math.Inf(1))},
	}
}

// ridge returns the options of NMF, SNMF and KL for l2 penalties.
func ridge(v, w *float64) []Option {
	return []Option{
		{"l2-v", "fixed l2 penalty `X` on V: X times its squares is added to the squared\nerror, or with kl to the divergence", number(v, math.Inf(1))},
		{"l2-w", "fixed l2 penalty `X` on W, likewise", number(w, math.Inf(1))},
	}
}

// solver returns the options of NMF and SNMF for their solver.
func solver(d Description, solver *lnmu.Choice, sweeps *int) []Option {
	return []Option{
		{"solver", "`SOLVER` accelerated (several sweeps for each product with M, and extrapolation) or hals (the paper's: the same error in about six times the time, 600 iterations by default); the default is accelerated, and hals with target sparsities or fixed factors", wordOf(d, "Solver", solver)},
		{"sweeps", "with --solver accelerated: at most `N` HALS sweeps for each product with M (default: by the ratio of their costs)", count(sweeps)},
	}
}

// lagrangian returns the options that GNMU and RNMU share.
func lagrangian(d Description, l *lnmu.GNMU) []Option {
	return []Option{
		{"solver", "`SOLVER` lagrangian (Algorithm L-NMU, the default) or\nadmm (augmented Lagrangian: fewer iterations, smaller\nviolation)", wordOf(d, "Solver", &l.Solver)},
		{"inner", "`T` HALS steps between two updates of the\nmultipliers (default 2; with --solver admm 4, or for\none factor at a time 1)", count(&l.Inner)},
		{"rho", "with --solver admm: penalty `RHO`; a larger one gives a\nsmaller violation and a larger error (default 1)", number(&l.Rho, math.Inf(1))},
		{"residual-tolerance", "with --solver admm: stop when the constraints hold up\nto `PART` of the norm of M (default 0.005)", number(&l.ResidualTolerance, 1)},
		{"sweeps", "`N` HALS sweeps for each product with M (default 1)", count(&l.Sweeps)},
		{"feasible", "guarantee V W <= M in floating point, without any\ntolerance: `WAY` final (at the end) or each (after every\nfactor or block); cheap on binary data, costly on dense\ndata", wordOf(d, "Feasible", &l.Feasible)},
		{"feasible-steps", "with --feasible: at most `N` exact steps, of V and W in\nturn, while the error falls (default 1)", count(&l.FeasibleSteps)},
		{"step-offset", "steps of length 1/(k+`N`) in the multipliers (default 0);\n1 as in the authors' program", count(&l.StepOffset)},
		{"multipliers", "first multipliers, `WAY`: zero (the default), or start\n(the violations of the start)", wordOf(d, "Multipliers", &l.Multipliers)},
	}
}

// priors returns the options for prior knowledge of the factors.
func priors(d Description, p *lnmu.RNMU) []Option {
	return []Option{
		{"threshold-v", "l1 penalty on each column of V, as a `PART`, 0 to 1, of its\nlargest entry; smaller entries become zero", number(&p.ThresholdV, 1)},
		{"threshold-w", "l1 penalty on each row of W, as a `PART`, 0 to 1, of its\nlargest entry; smaller entries become zero", number(&p.ThresholdW, 1)},
		{"sparsity-v", "adapt the penalty until a fraction `S` of each column of V\nis zero", number(&p.SparsityV, 1)},
		{"sparsity-w", "adapt the penalty until a fraction `S` of each row of W\nis zero", number(&p.SparsityW, 1)},
		{"smooth-v", "weight `X` of differences between neighbouring pixels, if the\ncolumns of V are pictures", number(&p.SmoothV, math.Inf(1))},
		{"smooth-w", "weight `X` of differences between neighbouring pixels, if the\nrows of W are pictures", number(&p.SmoothW, math.Inf(1))},
		{"smooth-norm", "`NORM` of these differences: l1 (keeps edges, the\ndefault) or l2", wordOf(d, "SmoothNorm", &p.SmoothNorm)},
		{"shape-v", "`SIZE` HxW of the pictures in V, stored by rows (default:\nthat of --image)", shape(&p.ShapeV)},
		{"shape-w", "`SIZE` HxW of the pictures in W, stored by rows (default:\nthat of --map)", shape(&p.ShapeW)},
	}
}
