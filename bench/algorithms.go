package bench

import (
	"fmt"

	"nmu/bench/internal/engine"
	"nmu/bench/internal/machine"
	"nmu/bench/internal/stat"
	"nmu/bench/internal/subject"
	"nmu/bench/report"
	"nmu/internal/isa"
	"nmu/internal/render"
)

// The bars of iterations. A bar is a share of the limit unless its comment names a ratio.
const (
	barBandwidth = 0.85  // R-NMU: share of the bandwidth
	barPrecision = 1.8   // float64 over float32
	barDouble    = 0.73  // NMF and G-NMU in float64: share of the multiply-add rate
	barNarrow    = 0.86  // the same where AVX-512 is no faster than AVX2
	barSingle    = 0.67  // in float32
	barThreads   = 1.85  // one thread over two, large matrices
	barSmall     = 1.0   // the same, small matrices
	barLargeNMF  = 0.50  // NMF on a problem larger than every cache
	barLargeGNMU = 0.45  // G-NMU on the same problem
	barAround    = 2 + 4 // setup, finish, first and last iteration of Factor, in iterations
)

// aroundGroup returns the group of the overhead of Factor, in iterations. The overhead is the
// setup, the finish, and the first and last iteration, which Clock leaves out.
func aroundGroup(problem string) string { return "around the iterations, " + problem }

// measureAlgorithms measures every method on every problem, in both precisions and for all
// numbers of threads. It records the iterations with their limit, and whole factorizations.
// Precisions and threads alternate within a repetition.
func (s *session) measureAlgorithms() error {
	for _, p := range s.problems {
		for _, method := range subject.Methods {
			if err := s.algorithm(p, method); err != nil {
				return err
			}
		}
	}
	for _, name := range []string{subject.Large, subject.Wide} {
		p, err := s.large(name)
		if err != nil {
			return err
		}
		for _, method := range subject.Methods {
			if !method.MeasuredOn(name) {
				continue
			}
			if err := s.algorithm(p, method); err != nil {
				return err
			}
		}
	}
	return nil
}

// algorithm measures one method on one problem.
func (s *session) algorithm(p *subject.Problem, method subject.Method) error {
	type cell struct {
		t                               machine.Type
		threads                         int
		iteration, whole, around, limit []float64
		limitBy                         string
		relativeError                   float64
	}
	var cells []*cell
	for _, t := range subject.Types {
		for _, threads := range machine.ThreadCounts(s.opts.Threads) {
			cells = append(cells, &cell{t: t, threads: threads})
		}
	}
	iterations := s.iterations(p.Iterations(method))
	for rep := range s.opts.Repetitions {
		for _, c := range cells {
			s.say("%s on %s, %s, threads %d, repetition %d of %d", method.Name, p.Name, c.t, c.threads, rep+1, s.opts.Repetitions)
			if rep == 0 { // not counted: fresh memory, sleeping cores
				if _, err := engine.FactorProblem(s.ctx, &engine.Clock{Iterations: engine.MinIterations}, p, method.Method, c.t, c.threads); err != nil {
					return fmt.Errorf("bench: %s on %s: %w", method.Name, p.Name, err)
				}
			}
			limit, by, err := s.limit(method, p.M.Rows, p.M.Cols, p.Rank, c.t, c.threads)
			if err != nil {
				return err
			}
			took, err := engine.Sample(s.ctx, p, method, c.t, c.threads, iterations, s.least)
			if err != nil {
				return err
			}
			c.iteration = append(c.iteration, 1e3*took.Iteration)
			c.whole = append(c.whole, took.Whole)
			c.around = append(c.around, took.Whole/took.Iteration-float64(iterations-2)) // the clock leaves out two
			c.limit = append(c.limit, 1e3*limit)
			c.limitBy, c.relativeError = by, took.RelativeError
		}
	}
	for _, c := range cells {
		name := report.CaseName(method.Name, c.t, c.threads)
		s.report.Add(report.Measurement{
			Group: report.IterationGroup(p.Name), Case: name, Series: "nmu", Unit: "ms", Stat: stat.New(c.iteration),
			Limits: c.limit, LimitBy: c.limitBy, Bytes: int64(p.Bytes(c.t)), Note: p.Shape(),
		})
		s.report.Add(report.Measurement{
			Group: report.WholeGroup(p.Name), Case: name, Series: "nmu", Unit: "s", Stat: stat.New(c.whole),
			RelativeError: c.relativeError, Bytes: int64(p.Bytes(c.t)), Note: method.IterationText(iterations),
		})
		if subject.IsLarge(p.Name) {
			s.report.Add(report.Measurement{
				Group: aroundGroup(p.Name), Case: name, Series: "nmu", Unit: "iterations", Stat: stat.New(c.around),
				Bytes: int64(p.Bytes(c.t)), Note: p.Shape(),
			})
		}
	}
	return nil
}

// checkShares checks the shares of the limits on the faces, and the two precisions.
func (c *checker) checkShares() {
	group := report.IterationGroup(subject.CBCL)
	precision := func(method subject.Method, threads int) {
		k := report.Check{
			Name: fmt.Sprintf("precision/%s/cbcl/%d", method.Name, threads),
			What: fmt.Sprintf("%s, cbcl, threads=%d: float64 over float32", method.Name, threads), Unit: "x", Bar: barPrecision,
		}
		d, ok := c.Find(group, report.CaseName(method.Name, machine.Float64, threads))
		f, also := c.Find(group, report.CaseName(method.Name, machine.Float32, threads))
		if !ok || !also {
			c.missing(k, "")
			return
		}
		k.Value = d.Over(f.Stat)
		k.Note = fmt.Sprintf("%s and %s ms", render.Number(d.Median), render.Number(f.Median))
		c.add(k)
	}
	for _, method := range subject.Methods {
		if method.Streams {
			c.share(subject.CBCL, method, machine.Float64, barsThreads, barBandwidth)
			precision(method, barsThreads)
			precision(method, 1)
			c.share(subject.CBCL, method, machine.Float64, 1, barBandwidth)
		}
	}
	for _, method := range subject.Methods {
		if !method.Streams {
			c.share(subject.CBCL, method, machine.Float64, barsThreads, c.double())
			c.share(subject.CBCL, method, machine.Float32, barsThreads, barSingle)
		}
	}
}

// double returns the bar of the iterations in float64. Registers of twice the width need
// data twice as fast if they multiply and add at the same rate.
func (c *checker) double() float64 {
	lim := &c.report.Limits
	wide, err := lim.Peak(isa.AVX512, machine.Float64, 1)
	narrow, also := lim.Peak(isa.AVX2, machine.Float64, 1)
	if err == nil && also == nil && wide < 1.5*narrow {
		return barNarrow
	}
	return barDouble
}

// checkThreads compares one thread and two on every problem.
func (c *checker) checkThreads() {
	for _, p := range []string{subject.CBCL, subject.Large, subject.Wide, subject.Dense, subject.MiB, subject.Swimmer, subject.Tiny} {
		for _, method := range subject.Methods {
			if !method.MeasuredOn(p) {
				continue
			}
			for _, t := range subject.Types {
				k := report.Check{
					Name: fmt.Sprintf("threads/%s/%s/%s", method.Name, p, t),
					What: fmt.Sprintf("%s, %s, %s: one thread over two", method.Name, p, t), Unit: "x", Bar: barThreads,
				}
				one, ok := c.Find(report.IterationGroup(p), report.CaseName(method.Name, t, 1))
				two, also := c.Find(report.IterationGroup(p), report.CaseName(method.Name, t, barsThreads))
				if ok && one.Bytes < subject.ThreadedBytes {
					k.Bar, k.Noise = barSmall, noise
				}
				if !ok || !also {
					c.missing(k, "")
					continue
				}
				k.Value = one.Over(two.Stat)
				k.Note = fmt.Sprintf("%s, %s and %s ms", render.Bytes(one.Bytes), render.Number(one.Median), render.Number(two.Median))
				if one.Limit > 0 && two.Limit > 0 {
					k.Note += fmt.Sprintf("; of the limits %s x", render.Number(one.LimitStat().Over(two.LimitStat())))
				}
				c.add(k)
			}
		}
	}
}

// checkLarge checks the shares of the limits on large problems, and the time around the
// iterations.
func (c *checker) checkLarge() {
	barsLarge := map[string]float64{subject.NMF: barLargeNMF, subject.GNMU: barLargeGNMU}
	for _, problem := range []string{subject.Large, subject.Wide} {
		for _, method := range subject.Methods {
			if !method.MeasuredOn(problem) {
				continue
			}
			for _, t := range subject.Types {
				c.share(problem, method, t, barsThreads, barsLarge[method.Name])
				k := report.Check{
					Name: fmt.Sprintf("around/%s/%s/%s/%d", method.Name, problem, t, barsThreads),
					What: fmt.Sprintf("%s, %s, %s, threads=%d: time of Factor around the iterations, with the first and the last, in iterations", method.Name, problem, t, barsThreads),
					Bar:  barAround, AtMost: true,
				}
				m, ok := c.Find(aroundGroup(problem), report.CaseName(method.Name, t, barsThreads))
				if !ok {
					c.missing(k, "")
					continue
				}
				k.Value = m.Median
				k.Note = fmt.Sprintf("an iteration takes %s ms", render.Number(c.iteration(problem, method, t)))
				c.add(k)
			}
		}
	}
}

// iteration returns the milliseconds of an iteration.
func (c *checker) iteration(problem string, method subject.Method, t machine.Type) float64 {
	m, _ := c.Find(report.IterationGroup(problem), report.CaseName(method.Name, t, barsThreads))
	return m.Median
}

// share checks the share of its limit that an iteration reaches.
func (c *checker) share(problem string, method subject.Method, t machine.Type, threads int, bar float64) {
	k := report.Check{
		Name: fmt.Sprintf("limit/%s/%s/%s/%d", method.Name, problem, t, threads),
		What: fmt.Sprintf("%s, %s, %s, threads=%d: of the limit", method.Name, problem, t, threads), Unit: "%", Bar: 100 * bar,
	}
	m, ok := c.Find(report.IterationGroup(problem), report.CaseName(method.Name, t, threads))
	if !ok || m.Limit <= 0 {
		c.missing(k, "")
		return
	}
	k.Value = 100 * m.LimitShare()
	k.Note = fmt.Sprintf("%s ms, limit %s ms (%s)", render.Number(m.Median), render.Number(m.Limit), m.LimitBy)
	c.add(k)
}
