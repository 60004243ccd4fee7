package paper

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"nmu/internal/render"
	"nmu/lnmu"
)

// Tradeoff is one run of an underapproximation method: its error, its violation and its time.
type Tradeoff struct {
	Set        string  `json:"set"`
	Source     string  `json:"source"` // file, or what was generated
	Method     string  `json:"method"`
	Solver     string  `json:"solver"`
	Rho        float64 `json:"rho,omitempty"` // with SolverADMM
	Iterations int     `json:"iterations"`    // at most, of each block
	Error      float64 `json:"relative_error"`
	Violation  float64 `json:"relative_violation"`
	SparsityV  float64 `json:"sparsity_v"`
	Seconds    float64 `json:"seconds"`
}

// Line returns the name of the run's series.
func (t Tradeoff) Line() string { return t.Method + ", " + t.Solver }

// Settings of each method: iterations of Algorithm L-NMU as fractions of the paper's, and
// penalties of the augmented Lagrangian.
var (
	tradeoffParts     = []int{12, 4, 1}
	tradeoffPenalties = []float64{1, 2, 4, 10}
)

// Tradeoffs runs G-NMU and R-NMU with both solvers, from one random start, on the data sets of
// the plan, or on all available ones. It calls tell, if set, before each run.
func Tradeoffs(ctx context.Context, plan Plan, tell func(what string)) ([]Tradeoff, error) {
	sets := plan.Sets
	if len(sets) == 0 {
		sets = Sets()
	}
	var runs []Tradeoff
	for _, name := range sets {
		if !slices.Contains(Sets(), name) {
			return nil, fmt.Errorf("paper: unknown data set %q; there are %v", name, Sets())
		}
		set, err := loadSet(name, plan.Data)
		if errors.Is(err, errNoData) && len(plan.Sets) == 0 {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, c := range tradeoffMethods() {
			d := c.method.Describe()
			run := Tradeoff{Set: name, Source: set.source, Method: d.Name, Solver: c.solver, Rho: c.rho}
			if tell != nil {
				tell(fmt.Sprintf("%s  %s  %s", name, d.Name, c.solver))
			}
			settings := lnmu.Settings{Restarts: 1, Seed: plan.Seed, Threads: plan.Threads, Iterations: c.iterations}
			_, with, err := lnmu.WithDefaults(set.m, set.rank, c.method, &settings)
			if err != nil {
				return nil, err
			}
			begun := time.Now()
			res, err := lnmu.Factor(ctx, set.m, set.rank, c.method, &settings)
			if err != nil {
				return nil, err
			}
			run.Seconds, run.Iterations = time.Since(begun).Seconds(), with.Iterations
			run.Error, run.Violation = res.RelativeError, res.RelativeViolation
			run.SparsityV = lnmu.RowSparsity(res.V.Transposed()).Zeros
			runs = append(runs, run)
		}
	}
	return runs, nil
}

// tradeoffCase is a method with its options.
type tradeoffCase struct {
	method     lnmu.Method
	solver     string
	rho        float64
	iterations int // 0: the default
}

func tradeoffMethods() []tradeoffCase {
	var cases []tradeoffCase
	for _, of := range []func(l lnmu.Lagrangian) lnmu.Method{
		func(l lnmu.Lagrangian) lnmu.Method { return lnmu.GNMU{Lagrangian: l} },
		func(l lnmu.Lagrangian) lnmu.Method { return lnmu.RNMU{Lagrangian: l} },
	} {
		plain := of(lnmu.Lagrangian{})
		for _, part := range tradeoffParts {
			cases = append(cases, tradeoffCase{plain, string(lnmu.SolverLagrangian), 0, plain.Describe().Iterations / part})
		}
		for _, rho := range tradeoffPenalties {
			cases = append(cases, tradeoffCase{of(lnmu.Lagrangian{Solver: lnmu.SolverADMM, Rho: rho}), string(lnmu.SolverADMM), rho, 0})
		}
	}
	return cases
}

// TradeoffPlots returns two plots of the runs on a data set: error against violation, and
// violation against seconds.
func TradeoffPlots(set string, runs []Tradeoff) (errors, seconds []byte, err error) {
	var byError, byTime []render.Point
	title := setSpecs[set].title
	for _, r := range runs {
		if r.Set == set {
			byError = append(byError, render.Point{Line: r.Line(), X: 100 * r.Violation, Y: 100 * r.Error})
			byTime = append(byTime, render.Point{Line: r.Line(), X: r.Seconds, Y: 100 * r.Violation})
		}
	}
	if errors, err = render.Lines(title, "Relative violation (%)", "Relative error (%)", byError); err != nil {
		return nil, nil, err
	}
	seconds, err = render.Lines(title, "Seconds", "Relative violation (%)", byTime)
	return errors, seconds, err
}
