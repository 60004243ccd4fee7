package bench

import (
	"fmt"
	"time"

	"nmu/bench/internal/group"
	"nmu/bench/internal/machine"
	"nmu/bench/internal/stat"
	"nmu/bench/internal/subject"
	"nmu/bench/report"
	"nmu/internal/render"
	"nmu/internal/scaling"
	"nmu/lnmu"
)

// barProcesses is the minimum speed of processes with one thread each over the speed of one
// process with the same number of threads.
const barProcesses = 0.9

// local returns the number of the first processes that run on this machine.
func (s *session) local(processes int) int {
	if s.plan.Local > 0 {
		return min(processes, s.plan.Local)
	}
	return processes
}

// perProcess returns the threads of a process.
func (s *session) perProcess() int { return max(1, s.opts.Threads/s.local(s.group.Size())) }

// scaleProcesses measures strong and weak scaling of a method on M with 1, 2, 4, ...
// processes. method is its index in subject.Methods.
func (s *session) scaleProcesses(c calibrated, method int, m lnmu.Dense[float64]) error {
	message := c.model.Messages(scaling.Problem{Rows: m.Rows, Cols: m.Cols, Size: 8}, s.group.Size())
	latency, network, err := s.messages(c.Name, int(message.Bytes))
	if err != nil {
		return err
	}
	for _, kind := range []string{strong, weak} {
		points := scalingPoints(kind, c.rank, m, s.group.Size())
		for _, p := range points {
			var err error
			if p.worker, err = s.processKind(p.workers, c.set(p.size())); err != nil {
				return err
			}
			p.worker.Latency, p.worker.Network = latency, network
		}
		for rep := range s.opts.Repetitions + 1 {
			for _, p := range points {
				s.say("%s, %s scaling, processes %d, repetition %d of %d", c.Name, kind, p.workers, rep, s.opts.Repetitions)
				took, err := s.group.Factor(s.ctx, group.Work{
					Rows: p.problem.M.Rows, Size: p.workers, Method: method, Rank: c.rank,
					Threads: s.perProcess(), Iterations: s.iterations(10), Sleep: p.sleep,
				})
				if err != nil {
					return fmt.Errorf("bench: %s by %d processes: %w", c.Name, p.workers, err)
				}
				p.sleep = group.SleepAfter(took.Whole)
				if rep > 0 { // the first repetition is a warm-up: fresh memory
					p.iteration = append(p.iteration, 1e3*took.Iteration)
				}
			}
		}
		s.addScaling(c, kind, report.AxisProcesses, points)
	}
	return nil
}

// processKind measures the rates that each of the given processes gets while they share the
// machine of the first process.
func (s *session) processKind(processes int, bytes float64) (scaling.Kind, error) {
	local := s.local(processes)
	k, err := s.localKind(min(s.opts.Threads, local*s.perProcess()), bytes/float64(processes)*float64(local))
	k.Peak /= float64(local)
	k.Bandwidth /= float64(local)
	return k, err
}

// messages measures the latency of a message, in microseconds, and the rate of a message of
// the size that a method sends, in 1e9 bytes per second.
func (s *session) messages(method string, bytes int) (latency, network float64, err error) {
	const short, count = 8, 200
	times := map[int][]float64{}
	for range s.opts.Repetitions {
		for _, n := range []int{short, bytes} {
			s.say("messages of %d bytes", n)
			seconds, err := s.group.Message(s.ctx, n, count)
			if err != nil {
				return 0, 0, err
			}
			times[n] = append(times[n], 1e6*seconds)
		}
	}
	for _, n := range []int{short, bytes} {
		s.report.Add(report.Measurement{
			Group: report.ExchangeGroup, Case: fmt.Sprintf("%s, %d bytes", method, n), Series: "nmu", Unit: "µs",
			Stat: stat.New(times[n]), Note: "from one process to another",
		})
	}
	latency = stat.New(times[short]).Median
	transfer := max(stat.New(times[bytes]).Median-latency, 1e-3)
	return latency, float64(bytes) / 1e3 / transfer, nil
}

// compareProcesses measures the faces in turn by all processes, and by one process that
// has all their threads.
func (s *session) compareProcesses() error {
	faces := subject.SwimmerProblem()
	if !s.plan.small {
		var why string
		var err error
		if faces, why, err = subject.CBCLProblem(s.plan.Data); err != nil {
			return fmt.Errorf("bench: the CBCL faces: %w", err)
		}
		if faces == nil {
			s.note("%s: not measured: %s", report.OneOrMoreGroup, why)
			return nil
		}
	}
	if err := s.group.Send(s.ctx, faces.M); err != nil {
		return err
	}
	all, own := s.group.Size(), s.perProcess()
	if all*own > s.opts.Threads {
		s.note("%s: not measured: this process may use only %s (mpirun --bind-to none lets it use all)", report.OneOrMoreGroup, render.Plural(s.opts.Threads, "thread"))
		return nil
	}
	for i, method := range subject.Methods {
		work := group.Work{
			Method: i, Rows: faces.M.Rows, Rank: faces.Rank, Iterations: s.iterations(method.SomeIterations()), Sleep: time.Second,
		}
		ways := [2]group.Work{work, work}
		ways[0].Size, ways[0].Threads = all, own
		ways[1].Size, ways[1].Threads = 1, all*own
		var times [2][]float64
		for rep := range s.opts.Repetitions + 1 {
			for k := range ways {
				w := &ways[k]
				s.say("%s on cbcl, %s, repetition %d of %d", method.Name, report.Workers(w.Size, w.Threads), rep, s.opts.Repetitions)
				took, err := s.group.Factor(s.ctx, *w)
				if err != nil {
					return fmt.Errorf("bench: %s on cbcl: %w", method.Name, err)
				}
				w.Sleep = group.SleepAfter(took.Whole)
				if rep > 0 {
					times[k] = append(times[k], 1e3*took.Iteration)
				}
			}
		}
		for k, w := range ways {
			s.report.Add(report.Measurement{
				Group: report.OneOrMoreGroup, Case: method.Name, Series: report.Workers(w.Size, w.Threads), Unit: "ms",
				Stat: stat.New(times[k]), Bytes: int64(faces.Bytes(machine.Float64)), Note: faces.Shape(),
			})
		}
	}
	return nil
}

// checkProcesses compares several single-threaded processes with one multithreaded process.
func (c *checker) checkProcesses() {
	for _, method := range subject.Methods {
		k := report.Check{
			Name: fmt.Sprintf("processes/%s/%s", method.Name, subject.CBCL),
			What: fmt.Sprintf("%s, cbcl: speed of %s over %s", method.Name, report.Workers(barsThreads, 1), report.Workers(1, barsThreads)), Unit: "x", Bar: barProcesses,
		}
		more, ok := c.FindBy(report.OneOrMoreGroup, method.Name, report.Workers(barsThreads, 1))
		one, also := c.FindBy(report.OneOrMoreGroup, method.Name, report.Workers(1, barsThreads))
		if !ok || !also || more.Median <= 0 {
			c.missing(k, "mpirun -n 2 measures it")
			continue
		}
		k.Value = one.Over(more.Stat)
		k.Note = fmt.Sprintf("%s and %s ms", render.Number(more.Median), render.Number(one.Median))
		c.add(k)
	}
}
