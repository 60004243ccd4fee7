package bench

import (
	"fmt"
	"time"

	"nmu/internal/render"
	"nmu/internal/scaling"
	"nmu/lnmu"
)

// axisProcesses is the axis of more and more processes of as many threads each.
const axisProcesses = "processes"

// Groups of the measurements of several processes.
const (
	groupExchange  = "messages between processes"
	groupOneOrMore = "one process or more, cbcl"
)

// barProcesses is the least speed of processes with one thread each over that of one
// process with as many threads.
const barProcesses = 0.9

// workers names processes by their number and their threads, the same in all reports.
func workers(processes, threads int) string {
	if processes == 1 {
		return fmt.Sprintf("1 process of %s", render.Plural(threads, "thread"))
	}
	return fmt.Sprintf("%d processes of %s", processes, render.Plural(threads, "thread"))
}

// local returns how many of so many processes are on the machine of the first.
func (s *session) local(processes int) int {
	if s.plan.Local > 0 {
		return min(processes, s.plan.Local)
	}
	return processes
}

// perProcess returns the threads of a process.
func (s *session) perProcess() int { return max(1, s.machine.Threads/s.local(s.crew.Size())) }

// scaleProcesses measures a method by 1, 2, 4, ... processes on M, and on as much of it
// for each process as for each of all.
func (s *session) scaleProcesses(p paced, method int, m lnmu.Dense[float64]) error {
	most, message := s.crew.Size(), p.Messages(scaling.Problem{Rows: m.Rows, Cols: m.Cols, Size: 8}, s.crew.Size())
	latency, network, err := s.messages(p, int(message.Bytes))
	if err != nil {
		return err
	}
	for _, way := range []string{strong, weak} {
		list := scaledOver(way, p, m, most)
		for _, x := range list {
			var err error
			if x.here, err = s.hereOf(x.workers, p.set(x.size())); err != nil {
				return err
			}
			x.here.Latency, x.here.Network = latency, network
		}
		for rep := range s.machine.Repetitions + 1 {
			for _, x := range list {
				s.say("%s, %s scaling, processes %d, repetition %d of %d", nameOf(p.benched), way, x.workers, rep, s.machine.Repetitions)
				took, err := s.crew.tell(s.ctx, order{
					do: doFactor, rows: int64(x.problem.m.Rows), size: int64(x.workers), method: int64(method), rank: int64(p.rank),
					threads: int64(s.perProcess()), count: int64(s.iterations(10)), rest: int64(x.rest),
				}, nil)
				if err != nil {
					return fmt.Errorf("bench: %s by %d processes: %w", nameOf(p.benched), x.workers, err)
				}
				x.rest = restAfter(took.whole)
				if rep > 0 { // the first does not count: fresh memory
					x.iteration = append(x.iteration, 1e3*took.iteration)
				}
			}
		}
		s.addScaled(p, way, axisProcesses, list)
	}
	return nil
}

// hereOf measures what the machine of the first process has for each of so many, which
// share it.
func (s *session) hereOf(processes int, bytes float64) (scaling.Kind, error) {
	local := s.local(processes)
	here, err := s.here(min(s.machine.Threads, local*s.perProcess()), bytes/float64(processes)*float64(local))
	here.Peak /= float64(local)
	here.Bandwidth /= float64(local)
	return here, err
}

// messages measures the latency of a message, in microseconds, and the rate of one of
// the size that a method sends, in 1e9 bytes per second.
func (s *session) messages(p paced, bytes int) (latency, network float64, err error) {
	const short = 8
	times := map[int][]float64{}
	for range s.machine.Repetitions {
		for _, n := range []int{short, bytes} {
			s.say("messages of %d bytes", n)
			took, err := s.crew.tell(s.ctx, order{do: doExchange, size: int64(s.crew.Size()), bytes: int64(n), count: 200}, nil)
			if err != nil {
				return 0, 0, err
			}
			times[n] = append(times[n], 1e6*took.iteration)
		}
	}
	for _, n := range []int{short, bytes} {
		s.report.Add(Measurement{
			Group: groupExchange, Case: fmt.Sprintf("%s, %d bytes", nameOf(p.benched), n), Series: "nmu", Unit: "µs",
			Stat: NewStat(times[n]), Note: "from one process to another",
		})
	}
	latency = NewStat(times[short]).Median
	rest := max(NewStat(times[bytes]).Median-latency, 1e-3)
	return latency, float64(bytes) / 1e3 / rest, nil
}

// oneOrMore measures the faces by all processes, and by one that has as many threads as
// they have together, in turn.
func (s *session) oneOrMore() error {
	faces := swimmer()
	if !s.plan.small {
		var why string
		var err error
		if faces, why, err = cbcl(s.plan.Data); err != nil {
			return fmt.Errorf("bench: the CBCL faces: %w", err)
		}
		if faces == nil {
			s.note("%s: not measured: %s", groupOneOrMore, why)
			return nil
		}
	}
	if err := s.crew.send(s.ctx, faces.m); err != nil {
		return err
	}
	all, own := s.crew.Size(), s.perProcess()
	if all*own > s.machine.Threads {
		s.note("%s: not measured: this process may use only %s (mpirun --bind-to none lets it use all)", groupOneOrMore, render.Plural(s.machine.Threads, "thread"))
		return nil
	}
	for i, method := range methods {
		var times [2][]float64
		rest := [2]time.Duration{time.Second, time.Second}
		ways := [2]order{{size: int64(all), threads: int64(own)}, {size: 1, threads: int64(all * own)}}
		for rep := range s.machine.Repetitions + 1 {
			for k, o := range ways {
				s.say("%s on cbcl, %s, repetition %d of %d", nameOf(method), workers(int(o.size), int(o.threads)), rep, s.machine.Repetitions)
				o.do, o.method, o.rows, o.rank, o.count = doFactor, int64(i), int64(faces.m.Rows), int64(faces.rank), int64(s.iterations(method.some))
				o.rest = int64(rest[k])
				took, err := s.crew.tell(s.ctx, o, nil)
				if err != nil {
					return fmt.Errorf("bench: %s on cbcl: %w", nameOf(method), err)
				}
				rest[k] = restAfter(took.whole)
				if rep > 0 {
					times[k] = append(times[k], 1e3*took.iteration)
				}
			}
		}
		for k, o := range ways {
			s.report.Add(Measurement{
				Group: groupOneOrMore, Case: nameOf(method), Series: workers(int(o.size), int(o.threads)), Unit: "ms",
				Stat: NewStat(times[k]), Bytes: int64(faces.bytes(Float64)), Note: faces.shape(),
			})
		}
	}
	return nil
}

// processes is the speed of processes with one thread each beside one process.
func (c *checker) processes() {
	for _, method := range methods {
		k := Check{
			Name: fmt.Sprintf("processes/%s/%s", nameOf(method), problemCBCL),
			What: fmt.Sprintf("%s, cbcl: speed of %s over %s", nameOf(method), workers(checkThreads, 1), workers(1, checkThreads)), Unit: "x", Bar: barProcesses,
		}
		more, ok := c.index[caseKey{groupOneOrMore, nameOf(method), workers(checkThreads, 1)}]
		one, also := c.index[caseKey{groupOneOrMore, nameOf(method), workers(1, checkThreads)}]
		if !ok || !also || more.Median <= 0 {
			c.missing(k, "mpirun -n 2 measures it")
			continue
		}
		k.Value = one.Over(more.Stat)
		k.Note = fmt.Sprintf("%s and %s ms", render.Number(more.Median), render.Number(one.Median))
		c.add(k)
	}
}
