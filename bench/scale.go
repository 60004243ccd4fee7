package bench

import (
	"fmt"
	"math"
	"time"

	"nmu/internal/dataset"
	"nmu/internal/render"
	"nmu/internal/scaling"
	"nmu/lnmu"
)

// Ways in which a problem and what works on it grow.
const (
	strong = "strong" // the problem stays
	weak   = "weak"   // it grows as they do
)

// scalingGroup is the group of the measurements of one way, over the axis on which the
// workers grow.
func scalingGroup(way, axis string) string { return way + " scaling over " + axis }

// axisThreads is the axis of one process with more and more threads.
const axisThreads = "threads"

// Planning is what a prediction for other machines is made of.
type Planning struct {
	Methods []PlannedMethod `json:"methods"`
	Here    scaling.Kind    `json:"here"` // this machine, as it was measured
	Kind    scaling.Kind    `json:"kind"` // those that are planned with, as they are stated
	Problem scaling.Problem `json:"problem"`
}

// PlannedMethod is a method with the share of the peak of multiply-adds that it reached
// here in one thread on a matrix in cache.
type PlannedMethod struct {
	Title string `json:"title"`
	scaling.Method
	Share float64 `json:"share"`
}

// scaleRows, scaleCols and scaleRank are the size of the problems of the part.
const scaleRows, scaleCols, scaleRank = 16_384, 1250, 20

// paced is a method whose pace in cache is known.
type paced struct {
	benched
	scaling.Method
	rank  int     // of a factorization to be measured
	share float64 // of the peak of multiply-adds, on average
}

// set returns the bytes of M and the state, which an iteration goes through.
func (p *paced) set(at scaling.Problem) float64 {
	if p.State {
		return 2 * at.Bytes()
	}
	return at.Bytes()
}

// scale measures iterations as the threads become more, on one problem and on one that
// grows with them, beside what the model predicts: from the pace of each method in one
// thread on a matrix in cache, and from the limits of the machine, measured in turn.
func (s *session) scale() error {
	rows, cols, rank := scaleRows, scaleCols, scaleRank
	if s.plan.small {
		rows, cols, rank = 256, 30, 3
	}
	s.say("generating a %d x %d matrix", rows, cols)
	data, err := dataset.Random[float64](rows, cols, rank, 1)
	if err != nil {
		return fmt.Errorf("%w: the problem of the part %s: %w", ErrOption, PartScale, err)
	}
	m := lnmu.NewDense(rows, cols, data)
	if s.crew != nil {
		if err := s.crew.send(s.ctx, m); err != nil {
			return err
		}
	}
	s.places = map[place]scaling.Kind{}
	plan := Planning{Kind: s.plan.Kind, Problem: s.plan.Planned}
	for i, method := range methods {
		p := paced{benched: method, rank: rank}
		if perFactor(method) {
			p.rank = 2
		}
		if err := s.pace(&p); err != nil {
			return err
		}
		if err := s.scaleThreads(p, m); err != nil {
			return err
		}
		if s.crew != nil {
			if err := s.scaleProcesses(p, i, m); err != nil {
				return err
			}
		}
		at, err := scaling.Of(method.Method, plan.Problem.Rows, plan.Problem.Cols, scaleRank)
		if err != nil {
			return fmt.Errorf("bench: %w", err)
		}
		plan.Methods = append(plan.Methods, PlannedMethod{Title: method.title, Method: at, Share: p.share})
	}
	if plan.Here, err = s.here(s.machine.Threads, float64(8*rows*cols)); err != nil {
		return err
	}
	plan.Here.Name, plan.Here.Cores = s.report.CPU, s.machine.Threads
	s.report.Planning = &plan
	if s.crew != nil {
		return s.oneOrMore()
	}
	return nil
}

// pace measures a method in one thread on a matrix that lies in the second cache with
// the state, or where it would if that is unknown.
func (s *session) pace(p *paced) error {
	bytes := workingSet(L2, s.report.Limits.CPU, 1, 0)
	if bytes == 0 || s.plan.small {
		bytes = 64 << 10
	}
	side := int(math.Sqrt(float64(bytes) / 2 / 8))
	at, err := generated("in cache", side, side, p.rank, nil)
	if err != nil {
		return err
	}
	if p.Method, err = scaling.Of(p.benched.Method, side, side, p.rank); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	operations := p.Cost(scaling.Problem{Rows: side, Cols: side, Size: 8}).Operations()
	shares := make([]float64, s.machine.Repetitions)
	var rest time.Duration
	for rep := range shares {
		s.say("%s in cache, repetition %d of %d", nameOf(p.benched), rep+1, len(shares))
		if err := s.alone(&rest, func() error {
			peak, err := s.peak(Float64, 1)
			if err != nil {
				return err
			}
			took, err := at.sample(s.ctx, p.benched.Method, Float64, 1, s.iterations(100), s.least)
			shares[rep] = operations / took.iteration / (1e9 * peak)
			return err
		}); err != nil {
			return err
		}
	}
	p.share = NewStat(shares).Median
	return nil
}

// place is a number of threads and the bytes that they go through.
type place struct{ threads, bytes int }

// here measures what this machine can do with so many threads and a working set of so
// many bytes, once in a run.
func (s *session) here(threads int, bytes float64) (k scaling.Kind, err error) {
	at := place{threads, max(int(bytes), threads*iterBytes)}
	if k, ok := s.places[at]; ok {
		return k, nil
	}
	s.say("this machine with %s", render.Plural(threads, "thread"))
	k.Memory = math.MaxInt64 / 1e9
	rest := 2 * time.Second
	if err := s.alone(&rest, func() (err error) {
		if k.Peak, err = s.peak(Float64, threads); err != nil {
			return err
		}
		k.Bandwidth, err = s.bandwidth(at.bytes, threads)
		return err
	}); err != nil {
		return k, err
	}
	s.places[at] = k
	return k, nil
}

// scaled is one of the measurements of a way.
type scaled struct {
	workers   int // threads or processes
	problem   problem
	here      scaling.Kind // of a worker
	iteration []float64
	rest      time.Duration // of other processes
}

// scaledOver returns what is measured as the workers become more, up to most.
func scaledOver(way string, p paced, m lnmu.Dense[float64], most int) []*scaled {
	var list []*scaled
	for _, n := range ThreadCounts(most) {
		x := &scaled{workers: n, problem: problem{name: way + " scaling", rank: p.rank, m: m}, rest: time.Second}
		if way == weak {
			x.problem.m = m.Slice(0, m.Rows/most*n, 0, m.Cols)
		}
		list = append(list, x)
	}
	return list
}

// size is the problem as the model takes it.
func (x *scaled) size() scaling.Problem {
	return scaling.Problem{Rows: x.problem.m.Rows, Cols: x.problem.m.Cols, Size: 8}
}

// scaleThreads measures a method with 1, 2, 4, ... threads on M, and on as much of it
// for each thread as for each of all.
func (s *session) scaleThreads(p paced, m lnmu.Dense[float64]) error {
	for _, way := range []string{strong, weak} {
		list := scaledOver(way, p, m, s.machine.Threads)
		for _, x := range list {
			var err error
			if x.here, err = s.here(x.workers, p.set(x.size())); err != nil {
				return err
			}
		}
		for rep := range s.machine.Repetitions {
			for _, x := range list {
				s.say("%s, %s scaling, threads %d, repetition %d of %d", nameOf(p.benched), way, x.workers, rep+1, s.machine.Repetitions)
				var took timing
				if err := s.alone(&x.rest, func() (err error) {
					took, err = x.problem.sample(s.ctx, p.benched.Method, Float64, x.workers, s.iterations(10), s.least)
					return err
				}); err != nil {
					return err
				}
				x.iteration = append(x.iteration, 1e3*took.iteration)
			}
		}
		s.addScaled(p, way, axisThreads, list)
	}
	return nil
}

// addScaled adds the measurements of one way and their efficiency.
func (s *session) addScaled(p paced, way, axis string, list []*scaled) {
	first := NewStat(list[0].iteration)
	for _, x := range list {
		times := first.Over(NewStat(x.iteration)) // as fast
		if way == strong {
			times /= float64(x.workers)
		}
		machines := 1
		if axis == axisProcesses {
			machines = x.workers
		}
		time := p.Iteration(x.size(), x.here, machines, p.share)
		s.report.Add(Measurement{
			Group: scalingGroup(way, axis), Case: nameOf(p.benched), Series: "nmu", X: float64(x.workers), XName: axis,
			Unit: "ms", Stat: NewStat(x.iteration), Predicted: 1e3 * time.Total(), PredictedBy: time.By(),
			Bytes: int64(x.problem.bytes(Float64)), Note: fmt.Sprintf("%s, efficiency %.0f %%", x.problem.shape(), 100*times),
		})
	}
}

// barModel is how near predictions come to what is measured.
const barModel = 0.75

// model is how far the predictions for a method are off at most, along each axis.
func (c *checker) model() {
	for _, method := range methods {
		for _, axis := range []string{axisThreads, axisProcesses} {
			k := Check{
				Name: fmt.Sprintf("model/%s/%s", nameOf(method), axis),
				What: fmt.Sprintf("%s, over %s: prediction and measurement, the less over the other", nameOf(method), axis), Bar: barModel,
			}
			for _, m := range c.report.Measurements {
				ratio := m.predicted()
				if m.Case != nameOf(method) || m.XName != axis || ratio == 0 {
					continue
				}
				if near := min(ratio, 1/ratio); k.Value == 0 || near < k.Value {
					k.Value, k.Note = near, fmt.Sprintf("%s, %s %s: %s ms, predicted %s", m.Group, render.Number(m.X), axis, render.Number(m.Median), render.Number(m.Predicted))
				}
			}
			switch {
			case k.Value > 0:
				c.add(k)
			case axis == axisProcesses:
				c.missing(k, "mpirun -n 2 measures it")
			default:
				c.missing(k, "")
			}
		}
	}
}
