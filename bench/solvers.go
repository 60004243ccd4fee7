package bench

import (
	"context"
	"errors"
	"fmt"

	"nmu/bench/internal/engine"
	"nmu/bench/internal/peer"
	"nmu/bench/internal/stat"
	"nmu/bench/internal/subject"
	"nmu/bench/report"
	"nmu/internal/render"
)

// barSolvers are the bars of solvers: time of the default solver over time of the other one.
var barSolvers = []struct {
	method, to, problem, plain, quick string
	bar                               float64
}{
	{"nmf", "error", subject.CBCL, "hals", "accelerated", 4},
	{"nmf", "error", subject.Text, "hals", "accelerated", 2},
	{"gnmu", "violation", subject.CBCL, "lagrangian", "admm", 1},
	{"rnmu", "violation", subject.CBCL, "lagrangian", "admm", 6},
}

// solverCase returns the case of two solvers of a method that reach the same result.
func solverCase(method, to string) string { return method + ", to the same " + to }

// measureSolvers measures whole runs of the default solver of each method, and of another
// solver up to the same error or violation. Every repetition has its own seed. scikit-learn
// makes the iterations of the default solver of NMF.
func (s *session) measureSolvers() error {
	p := s.problem(subject.CBCL)
	if p == nil {
		p = s.problem(subject.Dense)
	}
	for _, method := range subject.Methods {
		if err := s.race(p.Name, engine.Dense(p.M), p.Rank, subject.SolversOf(method)); err != nil {
			return err
		}
	}
	nmf, err := subject.MethodByName(subject.NMF)
	if err != nil {
		return err
	}
	if err := s.racePeer(p, nmf); err != nil {
		return err
	}
	words, documents, topics, length := 8000, 4000, 20, 150
	if s.plan.small {
		words, documents, topics, length = 60, 40, 3, 10
	}
	m, err := subject.Documents(words, documents, topics, length)
	if err != nil {
		return err
	}
	return s.race(subject.Text, engine.Sparse(m), topics, subject.SolversOf(nmf))
}

// race measures the two solvers of a method in turn.
func (s *session) race(problem string, source engine.Source[float64], rank int, c subject.Contenders) error {
	iterations := s.iterations(c.Iterations)
	solve := func(solver subject.Solver, goal engine.Goal) (engine.Solution, error) {
		got, err := engine.Solve(s.ctx, source, rank, solver.Method, s.opts.Threads, goal)
		if err != nil {
			return got, fmt.Errorf("bench: %s on %s: %w", c.Method, problem, err)
		}
		return got, nil
	}
	reached := func(got engine.Solution) float64 {
		if c.To == subject.ToError {
			return got.RelativeError
		}
		return got.RelativeViolation
	}
	solvers := []subject.Solver{c.Default, c.Other}
	var times [2][]float64
	var last [2]engine.Solution
	for rep := range s.opts.Repetitions {
		s.say("solvers of %s on %s, repetition %d of %d", c.Method, problem, rep+1, s.opts.Repetitions)
		goal := engine.Goal{Seed: uint64(rep + 1), Iterations: iterations}
		plain, err := solve(c.Default, goal)
		if err != nil {
			return err
		}
		target := reached(plain)
		var quick engine.Solution
		if c.To == subject.ToError {
			goal.TargetError = target
			quick, err = solve(c.Other, goal)
		} else {
			for k := 5; ; k += max(5, k/4/5*5) { // the first number of iterations that reaches the target
				goal.Iterations = min(k, iterations)
				quick, err = solve(c.Other, goal)
				if err != nil || reached(quick) <= target || k >= iterations {
					break
				}
			}
		}
		if err != nil {
			return err
		}
		if reached(quick) > target {
			s.note("%s on %s, seed %d: the other solver did not come to the %s of %d iterations", c.Method, problem, goal.Seed, c.To, iterations)
		}
		last = [2]engine.Solution{plain, quick}
		for i, got := range last {
			times[i] = append(times[i], got.Seconds)
		}
	}
	for i, got := range last {
		note := render.Plural(got.Iterations, "iteration")
		if c.To == subject.ToViolation {
			note += fmt.Sprintf(", violation %.3f %%", 100*got.RelativeViolation)
		}
		s.report.Add(report.Measurement{
			Group: report.SolverGroup(problem), Case: solverCase(c.Method, c.To), Series: solvers[i].Name, Unit: "s",
			Stat: stat.New(times[i]), RelativeError: got.RelativeError, Note: note,
		})
	}
	return nil
}

// racePeer measures scikit-learn, if it is installed, for the iterations of the default
// solver of NMF.
func (s *session) racePeer(p *subject.Problem, nmf subject.Method) error {
	c := subject.SolversOf(nmf)
	iterations := s.iterations(c.Iterations)
	for _, other := range peer.All() {
		if other.Name() != "scikit-learn" || !s.wanted(other.Name()) {
			continue
		}
		if _, err := other.Available(s.ctx); err != nil {
			if s.ctx.Err() == nil {
				s.note("solvers: %v", err)
			}
			return s.ctx.Err()
		}
		var times []float64
		var last peer.Outcome
		for range s.opts.Repetitions {
			out, err := other.Run(s.ctx, newJob(p, nmf, s.opts.Threads, iterations))
			if err != nil {
				if errors.Is(err, context.Canceled) || s.ctx.Err() != nil {
					return err
				}
				s.note("solvers by scikit-learn: %v", err)
				return nil
			}
			times, last = append(times, out.Seconds), out
		}
		s.report.Add(report.Measurement{
			Group: report.SolverGroup(p.Name), Case: solverCase(c.Method, c.To), Series: other.Name(), Unit: "s",
			Stat: stat.New(times), RelativeError: last.RelativeError, Note: last.Version + ", " + render.Plural(iterations, "iteration"),
		})
	}
	return nil
}

// checkSolvers compares the default solvers and the others.
func (c *checker) checkSolvers() {
	for _, b := range barSolvers {
		k := report.Check{
			Name: fmt.Sprintf("solver/%s/%s", b.method, b.problem),
			What: fmt.Sprintf("%s, %s, time to the same %s: %s over %s", b.method, b.problem, b.to, b.plain, b.quick), Unit: "x", Bar: b.bar,
		}
		group, name := report.SolverGroup(b.problem), solverCase(b.method, b.to)
		plain, ok := c.FindBy(group, name, b.plain)
		quick, also := c.FindBy(group, name, b.quick)
		if !ok || !also {
			c.missing(k, "")
			continue
		}
		k.Value = plain.Over(quick.Stat)
		k.Note = fmt.Sprintf("%s and %s s; %s, %s", render.Number(plain.Median), render.Number(quick.Median), plain.Note, quick.Note)
		c.add(k)
	}
}
