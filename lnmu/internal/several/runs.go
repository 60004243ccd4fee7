// Package several makes many runs of a factorization, some of them side by side, for the packages
// that compare them.
package several

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"nmu/internal/team"
	"nmu/lnmu"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/matrix"
)

// Progress is a state of the work.
type Progress struct {
	Finished, Runs     int
	Elapsed, Remaining time.Duration // Remaining is an estimate
}

// Runs are the runs of a comparison, in the order in which they are begun.
type Runs struct {
	sync.Mutex // guards what follows Report, and the results of the runs

	Count  int
	Begun  time.Time
	Report func(Progress) // or nil; called a few times per second, never concurrently

	Finished int
	Notes    []string // on the results of complete runs, in order, each once
	next     int
	parted   float64 // progress within the runs that are not finished, in runs
	shown    time.Time
	failed   error
}

// Make makes all runs but those that are done, at most sideBySide at a time, until ctx is cancelled
// or the time limit of the settings is over. It returns the first error of one, which makes run x
// with some threads. done is called with the lock held.
func (r *Runs) Make(ctx context.Context, s *lnmu.Settings, sideBySide int, done func(x int) bool, one func(ctx context.Context, x, threads int) error) error {
	inner, abandon := context.WithCancelCause(ctx)
	defer abandon(nil)
	if s.TimeLimit > 0 {
		var cancel context.CancelFunc
		inner, cancel = context.WithDeadline(inner, r.Begun.Add(s.TimeLimit))
		defer cancel()
	}
	r.shown = time.Now()
	teams := min(s.Threads, sideBySide, r.Count)
	team.Together(teams, func() {
		for x := r.take(done); x < r.Count && inner.Err() == nil; x = r.take(done) {
			if err := one(inner, x, s.Threads/teams); err != nil {
				r.Lock()
				r.failed = cmp.Or(r.failed, err)
				r.Unlock()
				abandon(err)
				return
			}
		}
	}, func() { abandon(errors.New("another run panicked")) })
	return r.failed
}

// take returns the next run that is not done.
func (r *Runs) take(done func(x int) bool) int {
	r.Lock()
	defer r.Unlock()
	for r.next < r.Count && done(r.next) {
		r.next++
	}
	r.next++
	return r.next - 1
}

// Factor makes a run, reports its progress, and collects the notes on its result. If ctx is cancelled,
// the result is what was finished, or nil, and complete is false.
func Factor[T lnmu.Float](ctx context.Context, r *Runs, m lnmu.Matrix[T], rank int, method lnmu.Method, s lnmu.Settings) (res *lnmu.Result[T], complete bool, err error) {
	part := 0.0
	s.TimeLimit, s.Progress = 0, func(p lnmu.Progress) {
		now := float64(p.Elapsed) / float64(p.Elapsed+p.Remaining)
		r.add(now - part)
		part = now
	}
	res, err = lnmu.Factor(ctx, m, rank, method, &s)
	r.add(-part)
	if err != nil && res != nil && ctx.Err() != nil {
		return res, false, nil
	}
	if err == nil {
		r.Note(res.Notes...)
	}
	return res, err == nil, err
}

// Note adds notes to those of other runs.
func (r *Runs) Note(notes ...string) {
	r.Lock()
	defer r.Unlock()
	r.Notes = append(r.Notes, notes...)
	slices.Sort(r.Notes)
	r.Notes = slices.Compact(r.Notes)
}

// add adds part, in runs, to the progress of unfinished runs, and calls Report a few times per
// second.
func (r *Runs) add(part float64) {
	const interval = 200 * time.Millisecond
	r.Lock()
	defer r.Unlock()
	r.parted += part
	now := time.Now()
	if r.Report == nil || now.Sub(r.shown) < interval {
		return
	}
	r.shown = now
	elapsed := now.Sub(r.Begun)
	p := Progress{Finished: r.Finished, Runs: r.Count, Elapsed: elapsed}
	if done := float64(r.Finished) + r.parted; done > 0 {
		left := float64(elapsed) * max(0, float64(r.Count)-done) / done
		p.Remaining = time.Duration(min(left, 1<<62)) // more would overflow a Duration
	}
	r.Report(p)
}

// Ended returns why runs that are not all finished have ended, and the cause of a cancelled ctx, as
// an error that says what stopped early.
func Ended(ctx context.Context, what string) (lnmu.Stop, error) {
	if ctx.Err() != nil {
		return lnmu.StopCancelled, fmt.Errorf("%s stopped early: %w", what, context.Cause(ctx))
	}
	return lnmu.StopTime, nil
}

// WithDefaults returns M in its normal form, the ranks in increasing order, without duplicates, and the
// method and the settings for the largest one with all defaults. The default of Restarts is 1. The error
// is that of the first bad argument.
func WithDefaults[T lnmu.Float](m lnmu.Matrix[T], ranks []int, method lnmu.Method, s *lnmu.Settings) (lnmu.Observed[T], []int, lnmu.Method, error) {
	o, err := lnmu.Normalized(m)
	if err != nil {
		return o, nil, method, err
	}
	switch o.Matrix.(type) {
	case lnmu.Stored[T], lnmu.StoredCSR[T], lnmu.Part[T]:
		return o, nil, method, Bad("a matrix in files or the part of a process; read M into memory")
	}
	rows, cols := o.Dims()
	switch {
	case o.StoredOnly:
		return o, nil, method, Bad("missing entries of a sparse matrix; give a dense one and a mask")
	case len(ranks) == 0:
		return o, nil, method, Bad("there is no rank to try; name some from 1 to %d", min(rows, cols))
	}
	ranks = slices.Compact(slices.Sorted(slices.Values(ranks)))
	if s.Restarts == 0 {
		s.Restarts = 1
	}
	if _, _, err := lnmu.WithDefaults(lnmu.Matrix[T](o), ranks[0], method, s); err != nil {
		return o, ranks, method, err
	}
	used, with, err := lnmu.WithDefaults(lnmu.Matrix[T](o), ranks[len(ranks)-1], method, s)
	if err == nil {
		*s = with
	}
	return o, ranks, used, err
}

// Dense returns the normal form of M as a Dense: itself if it is one, else a copy. It refuses an Unread.
func Dense[T lnmu.Float](m lnmu.Matrix[T]) (lnmu.Dense[T], error) {
	switch m := m.(type) {
	case lnmu.Unread[T]:
		return lnmu.Dense[T]{}, fault.Unread()
	case lnmu.Dense[T]:
		return m, nil
	case lnmu.CSR[T]:
		return m.Dense(), nil
	}
	return matrix.ByRows(m), nil
}

// MostRuns bounds the runs of a comparison, which are listed before the first one begins.
const MostRuns = 1 << 20

// CheckRuns returns an error for too many runs, so many for each of the ranks.
func CheckRuns(ranks, each int) error {
	if ranks > MostRuns/each {
		return Bad("%d runs for each of %d ranks; choose fewer than %d runs in all", each, ranks, MostRuns)
	}
	return nil
}

// Bad returns an error that wraps lnmu.ErrOption.
func Bad(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{lnmu.ErrOption}, args...)...)
}
