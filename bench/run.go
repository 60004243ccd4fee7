package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nmu/bench/internal/group"
	"nmu/bench/internal/machine"
	"nmu/bench/internal/subject"
	"nmu/bench/report"
	"nmu/internal/isa"
	"nmu/internal/scaling"
	"nmu/lnmu"
)

// Run measures the parts of the plan and returns a report. If ctx is cancelled, or a
// measurement fails, the report holds the measurements so far. Errors wrap ErrOption,
// ErrUnmeasured or the error of ctx. Nothing else should compute on the machine at the same
// time.
func Run(ctx context.Context, plan Plan) (*report.Report, error) {
	var g *group.Group
	if plan.Processes != nil && plan.Processes.Size() > 1 {
		g = &group.Group{Processes: plan.Processes, Sleepless: plan.small}
		defer g.End()
	}
	plan, err := plan.check()
	if err != nil {
		return nil, err
	}
	s := &session{
		plan: plan, ctx: ctx, least: 100 * time.Millisecond, group: g, here: map[workplace]scaling.Kind{},
		report: report.New(plan.Threads, plan.Repetitions, machine.Limits{CPU: isa.CPU()}),
	}
	opts := machine.Options{Threads: plan.Threads, Repetitions: plan.Repetitions, Memory: plan.cache, Progress: plan.Progress}
	probes := 3
	if plan.Short {
		opts.Sample, probes, s.least = time.Millisecond, 1, 0
	}
	if plan.small {
		opts.Sample = 100 * time.Microsecond
	}
	if s.opts, err = opts.WithDefaults(); err != nil {
		return nil, err
	}
	s.probe = s.opts
	s.probe.Repetitions, s.probe.Levels = probes, machine.VectorLevels()
	if plan.Short {
		s.note("a short run: these figures are rough")
	}
	if err := s.load(); err != nil {
		return nil, err
	}
	for _, part := range Parts() {
		if err := s.measure(part); err != nil {
			s.note("%s: ended early: %v", part, err)
			return s.report, err
		}
	}
	return s.report, nil
}

// Serve follows the commands of the first of several processes, which calls Run with these
// Processes in its Plan, until Run ends. Serve returns the error of the last factorization
// that failed; Run returns the same error.
func Serve(ctx context.Context, p lnmu.Processes) error { return group.Serve(ctx, p) }

// measure runs a part if it is planned.
func (s *session) measure(part Part) error {
	planned := slices.Contains(s.plan.Parts, part)
	if part == PartMachine {
		return s.measureMachine(planned)
	}
	if !planned {
		return nil
	}
	for _, measure := range map[Part][]func() error{
		PartKernels:    {s.measureKernels, s.measureWidths},
		PartAlgorithms: {s.measureAlgorithms},
		PartPeers:      {s.measurePeers},
		PartSolvers:    {s.measureSolvers},
		PartGrowth:     {s.measureGrowth},
		PartMemory:     {s.measureAllocations, s.measureCollections, s.measureSizes},
		PartSparse:     {s.measureSparse},
		PartBLAS:       {s.measureBLAS},
		PartScale:      {s.measureScale},
	}[part] {
		if err := measure(); err != nil {
			return err
		}
	}
	return nil
}

// measureMachine measures the limits of the machine. It measures all limits if planned is true,
// and the limits that the kernels need if the plan includes the kernels.
func (s *session) measureMachine(planned bool) error {
	o := s.opts
	if !planned {
		if !slices.Contains(s.plan.Parts, PartKernels) {
			return nil
		}
		o.Threads = 1
	}
	limits, err := machine.Measure(s.ctx, o)
	if err == nil {
		s.report.Limits = limits
	}
	return err
}

// load reads and generates the problems of the planned parts.
func (s *session) load() error {
	if !slices.ContainsFunc(s.plan.Parts, func(p Part) bool {
		return p == PartAlgorithms || p == PartPeers || p == PartSolvers || p == PartMemory
	}) {
		return nil
	}
	s.say("reading and generating matrices")
	if !s.plan.small {
		faces, why, err := subject.CBCLProblem(s.plan.Data)
		if err != nil {
			return fmt.Errorf("bench: the CBCL faces: %w", err)
		}
		if faces == nil {
			s.note("cbcl: not measured: %s", why)
		} else {
			s.problems = append(s.problems, faces)
		}
	}
	s.problems = append(s.problems, subject.SwimmerProblem())
	for _, g := range []struct {
		name             string
		rows, cols, rank int
		iterations       func(subject.Method) int
	}{
		{subject.Dense, s.plan.Rows, s.plan.Cols, s.plan.Rank, subject.Method.FewIterations},
		{subject.MiB, 512, 256, 16, subject.Method.SomeIterations},
		{subject.Tiny, 60, 50, 5, subject.Method.SomeIterations},
	} {
		p, err := subject.Generated(g.name, g.rows, g.cols, g.rank, g.iterations)
		if err != nil {
			return err
		}
		s.problems = append(s.problems, p)
	}
	return nil
}
