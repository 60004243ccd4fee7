package bench

import (
	"fmt"

	"nmu/bench/internal/engine"
	"nmu/bench/internal/machine"
	"nmu/bench/internal/stat"
	"nmu/bench/internal/subject"
	"nmu/bench/report"
	"nmu/internal/render"
)

// The bar of growth, and the matrix size up to which it must hold.
const (
	barGrowth = 1.0 // growth of time over growth of work
	largest   = 4e9 // bytes
)

// growthGroup returns the group of the measurements along one axis: m, n, r, threads
// or MB, the size of M.
func growthGroup(axis string) string { return "growth in " + axis }

// point is a problem along an axis of growth.
type point struct {
	x       float64
	problem *subject.Problem
	threads int
}

// measureGrowth measures the time of an iteration as m, n, r and the number of threads
// double.
func (s *session) measureGrowth() error {
	rows, cols, rank := 1000, 600, 16
	if s.plan.small {
		rows, cols, rank = 40, 30, 2
	}
	threads := s.opts.Threads
	series := map[string][]point{}
	for _, axis := range []string{"m", "n", "r"} {
		for f := 1; f <= 8; f *= 2 {
			m, n, r, x := rows, cols, rank, 0
			switch axis {
			case "m":
				m *= f
				x = m
			case "n":
				n *= f
				x = n
			case "r":
				r *= f
				x = r
			}
			p, err := subject.Generated(fmt.Sprintf("%d x %d", m, n), m, n, r, nil)
			if err != nil {
				return err
			}
			series[axis] = append(series[axis], point{float64(x), p, threads})
		}
	}
	for _, p := range machine.ThreadCounts(threads) {
		series["threads"] = append(series["threads"], point{float64(p), series["m"][2].problem, p})
	}
	for _, axis := range []string{"m", "n", "r", "threads"} {
		for _, method := range subject.Methods {
			if axis == "r" && method.Recursive() {
				continue // the rank of one factor is 1: r does not change an iteration
			}
			if err := s.along(axis, method, series[axis]); err != nil {
				return err
			}
		}
	}
	return nil
}

// along measures a method and its limit at every point of an axis, one after the
// other in every repetition.
func (s *session) along(axis string, method subject.Method, points []point) error {
	type cell struct {
		subject.Problem
		iteration, limit []float64
		limitBy          string
	}
	cells := make([]cell, len(points))
	for i, at := range points {
		cells[i].Problem = *at.problem
		if method.Recursive() {
			cells[i].Rank = 2
		}
	}
	for rep := range s.opts.Repetitions {
		for i, at := range points {
			s.say("%s as %s grows to %g, repetition %d of %d", method.Name, axis, at.x, rep+1, s.opts.Repetitions)
			p := &cells[i]
			limit, by, err := s.limit(method, p.M.Rows, p.M.Cols, p.Rank, machine.Float64, at.threads)
			if err != nil {
				return err
			}
			took, err := engine.Sample(s.ctx, &p.Problem, method, machine.Float64, at.threads, s.iterations(10), s.least)
			if err != nil {
				return err
			}
			p.iteration, p.limit, p.limitBy = append(p.iteration, 1e3*took.Iteration), append(p.limit, 1e3*limit), by
		}
	}
	for i, at := range points {
		p := &cells[i]
		s.report.Add(report.Measurement{
			Group: growthGroup(axis), Case: method.Name, Series: "nmu", X: at.x, XName: axis,
			Unit: "ms", Stat: stat.New(p.iteration), Limits: p.limit, LimitBy: p.limitBy,
			Bytes: int64(p.Bytes(machine.Float64)), Note: p.Shape(),
		})
	}
	return nil
}

// checkGrowth checks the largest growth of time over growth of work along every axis. It
// compares neighbours whose working sets fit in the same part of the memory.
func (c *checker) checkGrowth() {
	for _, axis := range []string{"m", "n", "r", "MB"} {
		for _, method := range subject.Methods {
			if axis == "r" && method.Recursive() {
				continue // the rank of one factor is 1: r does not change an iteration
			}
			work := "mnr"
			if method.Recursive() {
				work = "mn"
			}
			k := report.Check{
				Name: fmt.Sprintf("growth/%s/%s", axis, method.Name),
				What: fmt.Sprintf("%s as %s grows: growth of time over that of %s", method.Name, axis, work), Bar: barGrowth, Noise: noise, AtMost: true,
			}
			if axis == "MB" {
				k.What = fmt.Sprintf("%s up to a matrix of 4 GB: growth of time over that of %s", method.Name, work)
			}
			var last *report.Measurement
			top := 0.0
			for _, m := range c.report.Measurements {
				if m.Group != growthGroup(axis) || m.Case != method.Name || m.Median <= 0 {
					continue
				}
				if last != nil && c.held(method, *last) == c.held(method, m) {
					ratio := m.Over(last.Stat) / (m.X / last.X)
					if ratio > k.Value {
						k.Value = ratio
						k.Note = fmt.Sprintf("most from %s=%s to %s (%s and %s ms)", axis, render.Number(last.X), render.Number(m.X), render.Number(last.Median), render.Number(m.Median))
						if m.Limit > 0 && last.Limit > 0 {
							k.Note += fmt.Sprintf("; that of the limit %s", render.Number(m.LimitStat().Over(last.LimitStat())/(m.X/last.X)))
						}
					}
				}
				last = &m
				top = m.X
			}
			switch {
			case k.Value == 0:
				c.missing(k, "")
			case axis == "MB" && top*1e6 < largest*0.99:
				note := fmt.Sprintf("up to %s MB: %.3f; --size 4GB goes on", render.Number(top), k.Value)
				k.Value = 0
				c.missing(k, note)
			default:
				c.add(k)
			}
		}
	}
}

// held names the part of the memory that holds the working set of an iteration. The working
// set is M; a method that underapproximates adds N, of the same size.
func (c *checker) held(method subject.Method, m report.Measurement) machine.Set {
	bytes := m.Bytes
	if method.Underapproximates() {
		bytes *= 2
	}
	return c.report.Limits.Holding(bytes, c.report.Threads)
}
