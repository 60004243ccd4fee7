package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"nmu/internal/dataset"
	"nmu/internal/render"
	"nmu/lnmu"
)

// solverGroup is the group of the measurements of how soon the solvers of the methods
// come to one result on a problem.
func solverGroup(problem string) string { return "solvers, " + problem }

// problemText is a sparse problem: words of documents.
const problemText = "text"

// race is two solvers of a method on their way to the same result from the same start.
type race struct {
	method       string
	plain, quick lnmu.Method
	iterations   int
	to           string // what is the same
	most         func(res *lnmu.Result[float64]) float64
}

// solvers measures whole runs: those of the solvers that the methods have by default,
// and those of the others up to the same error, or the same violation, once for each
// repetition, each from a seed of its own. scikit-learn makes the iterations of the
// first, to the same error.
func (s *session) solvers() error {
	p := s.problem(problemCBCL)
	if p == nil {
		p = s.problem(problemDense)
	}
	violation := func(res *lnmu.Result[float64]) float64 { return res.RelativeViolation }
	admm := lnmu.Lagrangian{Solver: lnmu.SolverADMM, ResidualTolerance: 1e-9} // goes on
	paper := func(method lnmu.Method) int { return s.iterations(method.Describe().Iterations) }
	nmf := race{
		"nmf", lnmu.NMF{}, lnmu.NMF{Solver: lnmu.SolverAccelerated}, paper(lnmu.NMF{}), "error",
		func(res *lnmu.Result[float64]) float64 { return res.RelativeError },
	}
	dense := func(ctx context.Context, method lnmu.Method, settings *lnmu.Settings) (*lnmu.Result[float64], error) {
		return lnmu.Factor(ctx, p.m, p.rank, method, settings)
	}
	for _, r := range []race{
		nmf,
		{"gnmu", lnmu.GNMU{}, lnmu.GNMU{Lagrangian: admm}, paper(lnmu.GNMU{}), "violation", violation},
		{"rnmu", lnmu.RNMU{}, lnmu.RNMU{Lagrangian: admm}, paper(lnmu.RNMU{}), "violation", violation},
	} {
		if err := s.race(p.name, r, dense); err != nil {
			return err
		}
	}
	if err := s.peerRace(p, nmf); err != nil {
		return err
	}
	words, documents, topics, length := 8000, 4000, 20, 150
	if s.plan.small {
		words, documents, topics, length = 60, 40, 3, 10
	}
	ptr, idx, val, err := dataset.Text[float64](words, documents, topics, length, 1)
	if err != nil {
		return fmt.Errorf("bench: the problem %s: %w", problemText, err)
	}
	m := lnmu.CSR[float64]{Rows: words, Cols: documents, Ptr: ptr, Idx: idx, Val: val}
	return s.race(problemText, nmf, func(ctx context.Context, method lnmu.Method, settings *lnmu.Settings) (*lnmu.Result[float64], error) {
		return lnmu.FactorSparse(ctx, m, topics, method, settings)
	})
}

// race measures both solvers in turn.
func (s *session) race(problem string, r race, factor func(context.Context, lnmu.Method, *lnmu.Settings) (*lnmu.Result[float64], error)) error {
	timed := func(method lnmu.Method, settings lnmu.Settings) (*lnmu.Result[float64], float64, error) {
		settings.Restarts, settings.Threads = 1, s.machine.Threads
		runtime.GC() // not in the middle of the measurement
		begun := time.Now()
		res, err := factor(s.ctx, method, &settings)
		took := time.Since(begun).Seconds()
		if err != nil {
			return nil, 0, fmt.Errorf("bench: %s on %s: %w", r.method, problem, err)
		}
		return res, took, nil
	}
	var times [2][]float64
	var last [2]*lnmu.Result[float64]
	for rep := range s.machine.Repetitions {
		s.say("solvers of %s on %s, repetition %d of %d", r.method, problem, rep+1, s.machine.Repetitions)
		seed := uint64(rep + 1)
		plain, took, err := timed(r.plain, lnmu.Settings{Seed: seed, Iterations: r.iterations})
		if err != nil {
			return err
		}
		target := r.most(plain)
		settings := lnmu.Settings{Seed: seed, Iterations: r.iterations}
		var quick *lnmu.Result[float64]
		var sooner float64
		if r.to == "error" {
			settings.TargetError, settings.CheckEvery = target, 1
			quick, sooner, err = timed(r.quick, settings)
		} else {
			for k := 5; ; k += max(5, k/4/5*5) { // the first number of iterations that comes so far
				settings.Iterations = min(k, r.iterations)
				quick, sooner, err = timed(r.quick, settings)
				if err != nil || r.most(quick) <= target || k >= r.iterations {
					break
				}
			}
		}
		if err != nil {
			return err
		}
		if r.most(quick) > target {
			s.note("%s on %s, seed %d: the other solver did not come to the %s of %d iterations", r.method, problem, seed, r.to, r.iterations)
		}
		times[0], times[1] = append(times[0], took), append(times[1], sooner)
		last[0], last[1] = plain, quick
	}
	for i, method := range []lnmu.Method{r.plain, r.quick} {
		done := 0
		for _, b := range last[i].Blocks {
			done += b.Iterations
		}
		note := render.Plural(done, "iteration")
		if r.to == "violation" {
			note += fmt.Sprintf(", violation %.3f %%", 100*last[i].RelativeViolation)
		}
		s.report.Add(Measurement{
			Group: solverGroup(problem), Case: r.method + ", to the same " + r.to, Series: solverOf(method), Unit: "s",
			Stat: NewStat(times[i]), RelativeError: last[i].RelativeError, Note: note,
		})
	}
	return nil
}

// solverOf returns the name of the solver of a method.
func solverOf(method lnmu.Method) string {
	method, _, err := lnmu.WithDefaults(1, 1, 1, method, nil)
	if err != nil {
		return ""
	}
	_, options := method.Describe().Options()
	for _, o := range options {
		if o.Name == "solver" {
			return o.Value.String()
		}
	}
	return ""
}

// peerRace measures scikit-learn, if it is there, on its way to the error of HALS.
func (s *session) peerRace(p *problem, r race) error {
	for _, peer := range Peers() {
		if peer.Name() != "scikit-learn" || s.plan.Peers != nil && !slices.Contains(s.plan.Peers, peer.Name()) {
			continue
		}
		if _, err := peer.Available(s.ctx); err != nil {
			if s.ctx.Err() == nil {
				s.note("solvers: %v", err)
			}
			return s.ctx.Err()
		}
		var times []float64
		var last Outcome
		for range s.machine.Repetitions {
			out, err := peer.Run(s.ctx, p.job(r.plain, s.machine.Threads, r.iterations))
			if err != nil {
				if errors.Is(err, context.Canceled) || s.ctx.Err() != nil {
					return err
				}
				s.note("solvers by scikit-learn: %v", err)
				return nil
			}
			times, last = append(times, out.Seconds), out
		}
		s.report.Add(Measurement{
			Group: solverGroup(p.name), Case: r.method + ", to the same " + r.to, Series: peer.Name(), Unit: "s",
			Stat: NewStat(times), RelativeError: last.RelativeError, Note: last.Version + ", " + render.Plural(r.iterations, "iteration"),
		})
	}
	return nil
}

// barSolvers are the bars of solvers: time of the default over that of the other.
var barSolvers = []struct {
	method, to, problem, plain, quick string
	bar                               float64
}{
	{"nmf", "error", problemCBCL, "hals", "accelerated", 4},
	{"nmf", "error", problemText, "hals", "accelerated", 2},
	{"gnmu", "violation", problemCBCL, "lagrangian", "admm", 1},
	{"rnmu", "violation", problemCBCL, "lagrangian", "admm", 6},
}

// solvers is the default solver against the other.
func (c *checker) solvers() {
	for _, b := range barSolvers {
		k := Check{
			Name: fmt.Sprintf("solver/%s/%s", b.method, b.problem),
			What: fmt.Sprintf("%s, %s, time to the same %s: %s over %s", b.method, b.problem, b.to, b.plain, b.quick), Unit: "x", Bar: b.bar,
		}
		key := caseKey{solverGroup(b.problem), b.method + ", to the same " + b.to, b.plain}
		plain, ok := c.index[key]
		key.series = b.quick
		quick, also := c.index[key]
		if !ok || !also {
			c.missing(k, "")
			continue
		}
		k.Value = plain.Over(quick.Stat)
		k.Note = fmt.Sprintf("%s and %s s; %s, %s", render.Number(plain.Median), render.Number(quick.Median), plain.Note, quick.Note)
		c.add(k)
	}
}
