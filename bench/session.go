package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nmu/bench/internal/engine"
	"nmu/bench/internal/group"
	"nmu/bench/internal/machine"
	"nmu/bench/internal/subject"
	"nmu/bench/report"
	"nmu/internal/scaling"
)

// session is the state of a run.
type session struct {
	plan     Plan // with the defaults filled in
	ctx      context.Context
	opts     machine.Options // with the defaults filled in
	probe    machine.Options // for the limit measured before each repetition
	least    time.Duration   // minimum duration of a sample of an algorithm
	problems []*subject.Problem
	report   *report.Report
	group    *group.Group // nil means one process
	here     map[workplace]scaling.Kind
}

// workplace is a number of threads and the bytes of their working set.
type workplace struct{ threads, bytes int }

// iterations returns full, or a twentieth of it if the plan is short, but at least
// engine.MinIterations+1.
func (s *session) iterations(full int) int {
	if s.plan.Short {
		full /= 20
	}
	return max(full, engine.MinIterations+1)
}

// problem returns the problem of that name, or nil.
func (s *session) problem(name string) *subject.Problem {
	for _, p := range s.problems {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// large generates a problem larger than every cache. The problem is not kept in s.problems,
// since it takes much memory.
func (s *session) large(name string) (*subject.Problem, error) {
	rows, cols, rank := 20000, 2000, 20
	if s.plan.small {
		rows, cols, rank = 300, 40, 5
	}
	if name == subject.Wide {
		rows, cols = cols, rows
	}
	s.say("generating a %d x %d matrix", rows, cols)
	return subject.Generated(name, rows, cols, rank, subject.Method.FewIterations)
}

// wanted reports whether the plan includes the peer of that name.
func (s *session) wanted(peer string) bool {
	return s.plan.Peers == nil || slices.Contains(s.plan.Peers, peer)
}

// say reports the next measurement to Plan.Progress.
func (s *session) say(format string, args ...any) { s.plan.Progress(fmt.Sprintf(format, args...)) }

// note adds a note to the report.
func (s *session) note(format string, args ...any) {
	s.report.Notes = append(s.report.Notes, fmt.Sprintf(format, args...))
}
