package bench

import (
	"nmu/bench/internal/engine"
	"nmu/bench/internal/machine"
	"nmu/bench/report"
	"nmu/lnmu"
)

// scaleThreads measures strong and weak scaling of a method on M with 1, 2, 4, ... threads.
func (s *session) scaleThreads(c calibrated, m lnmu.Dense[float64]) error {
	for _, kind := range []string{strong, weak} {
		points := scalingPoints(kind, c.rank, m, s.opts.Threads)
		for _, p := range points {
			var err error
			if p.worker, err = s.localKind(p.workers, c.set(p.size())); err != nil {
				return err
			}
		}
		for rep := range s.opts.Repetitions {
			for _, p := range points {
				s.say("%s, %s scaling, threads %d, repetition %d of %d", c.Name, kind, p.workers, rep+1, s.opts.Repetitions)
				var took engine.Timing
				if err := s.group.Alone(s.ctx, &p.sleep, func() (err error) {
					took, err = engine.Sample(s.ctx, p.problem, c.Method, machine.Float64, p.workers, s.iterations(10), s.least)
					return err
				}); err != nil {
					return err
				}
				p.iteration = append(p.iteration, 1e3*took.Iteration)
			}
		}
		s.addScaling(c, kind, report.AxisThreads, points)
	}
	return nil
}
