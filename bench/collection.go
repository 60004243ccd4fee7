package bench

import (
	"fmt"
	"runtime"
	"runtime/metrics"
	"time"

	"nmu/bench/internal/engine"
	"nmu/bench/internal/stat"
	"nmu/bench/internal/subject"
	"nmu/bench/report"
	"nmu/internal/isa"
)

// groupCollection is the group of the stops for garbage collection.
const groupCollection = "longest stop for garbage collection"

// stops names the runtime's histogram of the times to stop all goroutines for a garbage
// collection.
const stops = "/sched/pauses/stopping/gc:seconds"

// measureCollections runs one garbage collection after the other and measures their longest
// stop: in an idle process, and at every level while a factorization runs on all threads.
func (s *session) measureCollections() error {
	defer isa.Set(isa.Active())()
	p := s.problem(subject.Dense)
	span := 300 * time.Millisecond
	if s.plan.Short {
		span = 20 * time.Millisecond
	}
	histogram := func() *metrics.Float64Histogram {
		sample := []metrics.Sample{{Name: stops}}
		metrics.Read(sample)
		return sample[0].Value.Float64Histogram()
	}
	longest := func(done <-chan error) (seconds float64, err error) {
		before := histogram()
		for {
			select {
			case err := <-done:
				after := histogram()
				for i, n := range after.Counts {
					if n > before.Counts[i] {
						seconds = after.Buckets[i+1]
					}
				}
				return seconds, err
			default:
			}
			runtime.GC()
		}
	}
	add := func(name, series string, work func() error) error {
		var delays []float64
		for range s.opts.Repetitions {
			done := make(chan error, 1)
			go func() { done <- work() }()
			seconds, err := longest(done)
			if err != nil {
				return err
			}
			delays = append(delays, 1e3*seconds)
		}
		s.report.Add(report.Measurement{Group: groupCollection, Case: name, Series: series, Unit: "ms", Stat: stat.New(delays)})
		return nil
	}
	s.say("garbage collections of an idle process")
	if err := add("no factorization", "nmu", func() error {
		select {
		case <-s.ctx.Done():
			return s.ctx.Err()
		case <-time.After(span):
			return nil
		}
	}); err != nil {
		return err
	}
	for _, method := range subject.Methods {
		for _, level := range s.opts.Levels {
			s.say("garbage collections while %s runs at %v", method.Name, level)
			isa.Set(level)
			if err := add(fmt.Sprintf("during %s, threads=%d", method.Name, s.opts.Threads), level.String(), func() error {
				return engine.Occupy(s.ctx, engine.Dense(p.M), p.Rank, method.Method, s.opts.Threads, span)
			}); err != nil {
				return err
			}
		}
	}
	return nil
}
