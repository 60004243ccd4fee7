package work

import (
	"context"
	"fmt"
	"slices"

	"nmu/internal/data"
	"nmu/lnmu"
	"nmu/lnmu/compare"
)

// Comparison is a call that compares ranks.
type Comparison[T lnmu.Float] struct {
	Call[T]
	Evaluation compare.Evaluation
	Ranks      []int
	Method     lnmu.Method      // without its defaults, which depend on what is observed
	Settings   compare.Settings // likewise

	Plan     compare.Plan     // after Settle
	Observed lnmu.Observed[T] // after Read
}

// Settle fills in all defaults, before M is read. It refuses runs that do not fit into memory.
func (c *Comparison[T]) Settle() error {
	c.Dense = c.Dense || c.Evaluation == compare.EvaluateHeldOut
	rows, cols := c.Seen.Dims()
	return c.settle(data.Of(c.Seen, lnmu.Unread[T]{Rows: rows, Cols: cols, Sparse: c.sparse()}), false)
}

// settle fills in the defaults for a matrix.
func (c *Comparison[T]) settle(m lnmu.Matrix[T], isRead bool) (err error) {
	before := c.Plan.Settings.SideBySide
	if c.Plan, err = compare.Check(c.Evaluation, m, c.Ranks, c.Method, &c.Settings); err != nil {
		return err
	}
	if isRead {
		c.Plan.Settings.SideBySide = before
	}
	return c.fit(isRead)
}

// Read reads M. The plan gets the defaults for what it has missing.
func (c *Comparison[T]) Read() (err error) {
	gaps := c.Seen.Gaps
	c.Observed, err = c.take("comparing runs")
	switch {
	case err != nil || c.sparse():
		return err
	case gaps:
		return c.settle(c.Observed, true)
	}
	return c.fit(true)
}

// HeldOut compares ranks by held-out errors, after Read.
func (c *Comparison[T]) HeldOut(ctx context.Context) (res *compare.HeldOutResult, err error) {
	err = c.Do(func() (err error) {
		res, err = compare.HeldOut(ctx, c.Observed, c.Plan.Ranks, c.Plan.Method, &c.Plan.Settings)
		return err
	})
	if res != nil {
		res.Rows, res.Cols = c.File.Dims()
		res.Notes = c.notes(res.Notes)
	}
	return res, err
}

// Stability compares many runs, after Read.
func (c *Comparison[T]) Stability(ctx context.Context) (res *compare.StabilityResult[T], err error) {
	err = c.Do(func() (err error) {
		res, err = compare.Stability(ctx, c.Observed, c.Plan.Ranks, c.Plan.Method, &c.Plan.Settings)
		return err
	})
	if res != nil {
		res.Notes = c.notes(res.Notes)
	}
	return res, err
}

// notes returns those on the ranks and on what is left out, and the notes of the runs.
func (c *Comparison[T]) notes(ofRuns []string) []string {
	rows, cols := c.File.Dims()
	notes := aboveSize(slices.Max(c.Plan.Ranks), rows, cols)
	if l := c.Seen.Lines; l != nil {
		notes = append(notes, fmt.Sprintf("left out: %s without an observed entry", l))
	}
	return append(notes, ofRuns...)
}

// fit sets the number of concurrent runs to the largest that fits into memory, beside M, and what they need.
// It returns an error if a single run does not fit beside M of a file.
func (c *Comparison[T]) fit(isRead bool) error {
	last, method, s := c.Plan.Ranks[len(c.Plan.Ranks)-1], c.Plan.Method.Name(), &c.Plan.Settings
	what := fmt.Sprintf("comparing ranks up to %d by %s", last, method)
	if c.Evaluation == compare.EvaluateStability {
		what = fmt.Sprintf("comparing %d runs up to rank %d by %s", s.Runs, last, method)
	}
	reading, held, entries := c.held(isRead)
	for s.SideBySide = min(s.SideBySide, s.Threads); ; s.SideBySide-- {
		needs, err := compare.EstimateOf(c.unread(entries), c.Plan)
		if err != nil {
			return err
		}
		c.need = needs.Memory
		err = c.File.Fits(max(reading, Plus(held, c.need)), what)
		switch {
		case err != nil && s.SideBySide > 1:
			continue
		case c.M != nil:
			return nil
		}
		return err
	}
}
