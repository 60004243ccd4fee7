package bench

import (
	"fmt"
	"math"
	"time"

	"nmu/bench/internal/engine"
	"nmu/bench/internal/machine"
	"nmu/bench/internal/stat"
	"nmu/bench/internal/subject"
	"nmu/bench/report"
	"nmu/internal/render"
	"nmu/internal/scaling"
	"nmu/lnmu"
)

// Kinds of scaling.
const (
	strong = "strong" // the problem stays the same
	weak   = "weak"   // the problem grows with the workers
)

// scalingGroup returns the group of one kind of scaling over an axis of workers.
func scalingGroup(kind, axis string) string { return kind + " scaling over " + axis }

// calibrated is a method whose share of the peak in cache is known.
type calibrated struct {
	subject.Method
	model scaling.Method
	rank  int     // of the measured factorizations
	share float64 // of the peak of multiply-adds, on average
}

// set returns the working set of an iteration: the bytes of M and the state.
func (c *calibrated) set(at scaling.Problem) float64 {
	if c.model.State {
		return 2 * at.Bytes()
	}
	return at.Bytes()
}

// calibrate measures a method in one thread on a matrix in cache. The matrix takes half of the
// working set for L2, or 32 KiB if there is no such working set (machine.WorkingSet).
func (s *session) calibrate(method subject.Method, rank int) (calibrated, error) {
	c := calibrated{Method: method, rank: rank}
	bytes := machine.WorkingSet(machine.L2, s.report.Limits.CPU, 1, 0)
	if bytes == 0 || s.plan.small {
		bytes = 64 << 10
	}
	side := int(math.Sqrt(float64(bytes) / 2 / 8))
	p, err := subject.Generated("in cache", side, side, rank, nil)
	if err != nil {
		return c, err
	}
	if c.model, err = method.Model(side, side, rank); err != nil {
		return c, fmt.Errorf("bench: %w", err)
	}
	operations := c.model.Cost(scaling.Problem{Rows: side, Cols: side, Size: 8}).Operations()
	shares := make([]float64, s.opts.Repetitions)
	var sleep time.Duration
	for rep := range shares {
		s.say("%s in cache, repetition %d of %d", method.Name, rep+1, len(shares))
		if err := s.group.Alone(s.ctx, &sleep, func() error {
			peak, err := machine.PeakRate(s.ctx, s.probe, machine.Float64, 1)
			if err != nil {
				return err
			}
			took, err := engine.Sample(s.ctx, p, method, machine.Float64, 1, s.iterations(100), s.least)
			shares[rep] = operations / took.Iteration / (1e9 * peak)
			return err
		}); err != nil {
			return c, err
		}
	}
	c.share = stat.New(shares).Median
	return c, nil
}

// localKind measures this machine with the given threads and working set, once in a run.
func (s *session) localKind(threads int, bytes float64) (k scaling.Kind, err error) {
	at := workplace{threads, max(int(bytes), threads*machine.MinWorkingSet)}
	if k, ok := s.here[at]; ok {
		return k, nil
	}
	s.say("this machine with %s", render.Plural(threads, "thread"))
	k.Memory = math.MaxInt64 / 1e9
	sleep := 2 * time.Second
	if err := s.group.Alone(s.ctx, &sleep, func() (err error) {
		if k.Peak, err = machine.PeakRate(s.ctx, s.probe, machine.Float64, threads); err != nil {
			return err
		}
		k.Bandwidth, err = machine.ReadRate(s.ctx, s.probe, at.bytes, threads)
		return err
	}); err != nil {
		return k, err
	}
	s.here[at] = k
	return k, nil
}

// scalingPoint is one number of workers on an axis of scaling.
type scalingPoint struct {
	workers   int // threads or processes
	problem   *subject.Problem
	worker    scaling.Kind  // rates of the machine available to one process
	iteration []float64     // milliseconds
	sleep     time.Duration // of the processes that do not take part
}

// scalingPoints returns the points of one kind of scaling for 1, 2, 4, ... up to max
// workers. Weak scaling gives every worker the part of M that it has among max workers.
func scalingPoints(kind string, rank int, m lnmu.Dense[float64], max int) []*scalingPoint {
	var points []*scalingPoint
	for _, n := range machine.ThreadCounts(max) {
		p := &subject.Problem{Name: kind + " scaling", Rank: rank, M: m}
		if kind == weak {
			p.M = m.Slice(0, m.Rows/max*n, 0, m.Cols)
		}
		points = append(points, &scalingPoint{workers: n, problem: p, sleep: time.Second})
	}
	return points
}

// size returns the size of the problem for the model.
func (p *scalingPoint) size() scaling.Problem {
	return scaling.Problem{Rows: p.problem.M.Rows, Cols: p.problem.M.Cols, Size: 8}
}

// addScaling adds the measurements of one kind of scaling, with their efficiency.
func (s *session) addScaling(c calibrated, kind, axis string, points []*scalingPoint) {
	first := stat.New(points[0].iteration)
	for _, p := range points {
		efficiency := first.Over(stat.New(p.iteration))
		if kind == strong {
			efficiency /= float64(p.workers)
		}
		machines := 1
		if axis == report.AxisProcesses {
			machines = p.workers
		}
		time := c.model.Iteration(p.size(), p.worker, machines, c.share)
		s.report.Add(report.Measurement{
			Group: scalingGroup(kind, axis), Case: c.Name, Series: "nmu", X: float64(p.workers), XName: axis,
			Unit: "ms", Stat: stat.New(p.iteration), Predicted: 1e3 * time.Total(), PredictedBy: time.By(),
			Bytes: int64(p.problem.Bytes(machine.Float64)), Note: fmt.Sprintf("%s, efficiency %.0f %%", p.problem.Shape(), 100*efficiency),
		})
	}
}
