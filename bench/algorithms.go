package bench

import (
	"fmt"
	"slices"

	"nmu/internal/isa"
	"nmu/internal/render"
	"nmu/internal/scaling"
	"nmu/lnmu"
)

// caseName names a method on its precision and threads, the same in all groups.
func caseName(method lnmu.Method, t Type, threads int) string {
	return fmt.Sprintf("%s %s threads=%d", nameOf(method), t, threads)
}

// Groups of the measurements of a problem.
func iterationGroup(problem string) string { return "iterations, " + problem }
func wholeGroup(problem string) string     { return "whole, " + problem }

// cost returns the work of one iteration, none if there is no such factorization.
func (b benched) cost(rows, cols, rank int, t Type) scaling.Cost {
	m, err := scaling.Of(b.Method, rows, cols, rank)
	if err != nil {
		return scaling.Cost{}
	}
	return m.Cost(scaling.Problem{Rows: rows, Cols: cols, Size: t.Size()})
}

// beside returns the operations that the limit of NMF and G-NMU does not count, those of
// the sweeps and of the Gram matrices, over those of the products, which it does. With r
// fixed they are few beside mnr, but they grow with r².
func (b benched) beside(rows, cols, rank int) float64 {
	if b.streams {
		return 0
	}
	c := b.cost(rows, cols, rank, Float64)
	return (c.Long + c.Short) / c.Products
}

// algorithms measures every method on every problem, in both precisions and
// for all numbers of threads: per iteration, beside the limit, and whole. What
// is compared is measured in turn: precisions and threads within a repetition.
func (s *session) algorithms() error {
	for _, p := range s.problems {
		for _, method := range methods {
			if err := s.algorithm(p, method); err != nil {
				return err
			}
		}
	}
	return s.largeAlgorithms()
}

func (s *session) algorithm(p *problem, method benched) error {
	type cell struct {
		t                               Type
		threads                         int
		iteration, whole, around, limit []float64
		limitBy                         string
		relativeError                   float64
	}
	var cells []*cell
	for _, t := range types {
		for _, threads := range ThreadCounts(s.machine.Threads) {
			cells = append(cells, &cell{t: t, threads: threads})
		}
	}
	iterations := s.iterations(p.iterations(method))
	for rep := range s.machine.Repetitions {
		for _, c := range cells {
			s.say("%s on %s, %s, threads %d, repetition %d of %d", nameOf(method), p.name, c.t, c.threads, rep+1, s.machine.Repetitions)
			if rep == 0 { // one that does not count: fresh memory, sleeping cores
				if _, err := p.once(s.ctx, &clock{iterations: leastIterations}, method.Method, c.t, c.threads); err != nil {
					return fmt.Errorf("bench: %s on %s: %w", nameOf(method), p.name, err)
				}
			}
			limit, by, err := s.limit(method, p.m.Rows, p.m.Cols, p.rank, c.t, c.threads)
			if err != nil {
				return err
			}
			took, err := p.sample(s.ctx, method.Method, c.t, c.threads, iterations, s.least)
			if err != nil {
				return err
			}
			c.iteration = append(c.iteration, 1e3*took.iteration)
			c.whole = append(c.whole, took.whole)
			c.around = append(c.around, took.whole/took.iteration-float64(iterations-2)) // the clock leaves out two
			c.limit = append(c.limit, 1e3*limit)
			c.limitBy, c.relativeError = by, took.relativeError
		}
	}
	for _, c := range cells {
		name := caseName(method, c.t, c.threads)
		s.report.Add(Measurement{
			Group: iterationGroup(p.name), Case: name, Series: "nmu", Unit: "ms", Stat: NewStat(c.iteration),
			Limits: c.limit, LimitBy: c.limitBy, Bytes: int64(p.bytes(c.t)), Note: p.shape(),
		})
		s.report.Add(Measurement{
			Group: wholeGroup(p.name), Case: name, Series: "nmu", Unit: "s", Stat: NewStat(c.whole),
			RelativeError: c.relativeError, Bytes: int64(p.bytes(c.t)), Note: iterationText(method, iterations),
		})
		if isLarge(p.name) {
			s.report.Add(Measurement{
				Group: aroundGroup(p.name), Case: name, Series: "nmu", Unit: "iterations", Stat: NewStat(c.around),
				Bytes: int64(p.bytes(c.t)), Note: p.shape(),
			})
		}
	}
	return nil
}

func iterationText(method lnmu.Method, iterations int) string {
	if perFactor(method) {
		return fmt.Sprintf("%d iterations of each factor", iterations)
	}
	return fmt.Sprintf("%d iterations", iterations)
}

// limit measures now what the machine allows, and returns the least seconds of
// one iteration with what they follow from.
func (s *session) limit(method benched, rows, cols, rank int, t Type, threads int) (seconds float64, by string, err error) {
	cost := method.cost(rows, cols, rank, t)
	if !method.streams {
		peak, err := s.peak(t, threads)
		if err != nil {
			return 0, "", err
		}
		return cost.Products / (1e9 * peak), "multiply-adds", nil
	}
	set := max(2*rows*cols*t.Size(), threads*iterBytes)
	bandwidth, err := s.bandwidth(set, threads)
	if err != nil {
		return 0, "", err
	}
	by = fmt.Sprintf("%s read, %s", s.report.Limits.Holding(int64(set), threads), render.Bytes(set))
	return (cost.Read + cost.Written) / (1e9 * bandwidth), by, nil
}

// peak measures the rate of multiply-adds, the highest of all levels that can reach the
// limit, in 1e9 operations per second.
func (s *session) peak(t Type, threads int) (best float64, err error) {
	o := s.machine
	o.Repetitions = s.probes
	for _, l := range availableLoops() {
		if !slices.Contains(s.vectors, l.level) {
			continue
		}
		rate, err := l.peak(s.ctx, o, t, threads)
		if err != nil {
			return 0, err
		}
		best = max(best, rate.Median)
	}
	return best, nil
}

// bandwidth measures the rate of reading a working set of so many bytes, the highest of
// those levels, in 1e9 bytes per second.
func (s *session) bandwidth(set, threads int) (best float64, err error) {
	o := s.machine
	o.Repetitions, o.Levels = s.probes, s.vectors
	found, err := MeasureBandwidth(s.ctx, o, Read, set, threads)
	if err != nil {
		return 0, err
	}
	for _, b := range found {
		best = max(best, b.Rate.Median)
	}
	return best, nil
}

// vectorLevels are the levels whose loops can reach the limits of the machine:
// all but the generic one, if there are others.
func vectorLevels() []isa.Level {
	levels := isa.Available()
	if len(levels) > 1 {
		levels = levels[1:]
	}
	return levels
}
