package work

import (
	"fmt"

	"nmu/internal/data"
	"nmu/internal/matio"
	"nmu/lnmu"
	"nmu/lnmu/compare"
)

// Comparison is a comparison of ranks that is asked for, by the command or by a call of the C library.
type Comparison[T lnmu.Float] struct {
	Evaluation compare.Evaluation
	Ranks      []int
	Method     lnmu.Method      // without its defaults, which depend on what is observed
	Settings   compare.Settings // likewise
	Dense      bool             // a sparse M of a file is made dense
	Library    bool             // as that of Job
	File       *matio.File      // M, or what stands for a matrix of the caller
	M          lnmu.Matrix[T]   // in the memory of the caller; nil: File holds it
	Seen       *data.Selection

	Plan     compare.Plan     // after Settle
	Need     int64            // bytes of the runs
	Observed lnmu.Observed[T] // after Read

	sparse bool // M stays sparse
}

// Settle fills in all defaults, before M is read. It refuses runs that do not fit into memory.
func (c *Comparison[T]) Settle() error {
	s := c.Seen
	_, given := c.M.(lnmu.CSR[T])
	c.sparse = given || c.M == nil && c.Evaluation == compare.EvaluateStability && c.File.Sparse() && !c.Dense && s.Lines == nil && s.Mask == nil && s.Weights == nil && !s.Gaps
	rows, cols := s.Dims()
	return c.settle(data.Of(s, lnmu.Unread[T]{Rows: rows, Cols: cols, Sparse: c.sparse}), false)
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
	m, gaps := c.M, c.Seen.Gaps
	if m == nil {
		if m, err = data.Matrix[T](c.File, !c.sparse); err != nil {
			return err
		}
	}
	c.Observed, err = data.Take(c.Seen, m, c.M == nil && !c.File.Mapped(), "comparing runs")
	switch {
	case err != nil || c.sparse:
		return err
	case gaps:
		return c.settle(c.Observed, true)
	}
	return c.fit(true)
}

// fit sets the number of concurrent runs to the largest that fits into memory, beside M, and what they need.
// It returns an error if a single run does not fit beside M of a file.
func (c *Comparison[T]) fit(isRead bool) error {
	rows, cols := c.File.Dims()
	last, method, s := c.Plan.Ranks[len(c.Plan.Ranks)-1], c.Plan.Method.Name(), &c.Plan.Settings
	what := fmt.Sprintf("comparing ranks up to %d by %s", last, method)
	if c.Evaluation == compare.EvaluateStability {
		what = fmt.Sprintf("comparing %d runs up to rank %d by %s", s.Runs, last, method)
	}
	job := Job{Library: c.Library}
	m := lnmu.Unread[T]{Rows: rows, Cols: cols, Sparse: c.sparse, Missing: c.Seen.Missing(), Weighted: c.Seen.Weights != nil}
	held, reading := job.program(), int64(0)
	switch csr, _ := c.M.(lnmu.CSR[T]); {
	case c.M != nil:
		m.Entries = len(csr.Val)
	case c.sparse:
		reading = Plus(matio.SparsePeak[T](c.File), held)
		var bytes int64
		bytes, m.Entries = matio.SparseSize[T](c.File)
		held = Plus(held, bytes)
	default:
		held = beside[T](c.File, &job, isRead)
		if !isRead {
			held = Plus(held, matio.DenseSize[T](c.File))
		}
	}
	for s.SideBySide = min(s.SideBySide, s.Threads); ; s.SideBySide-- {
		needs, err := compare.EstimateOf(m, c.Plan)
		if err != nil {
			return err
		}
		c.Need = needs.Memory
		err = c.File.Fits(max(reading, Plus(held, c.Need)), what)
		switch {
		case err != nil && s.SideBySide > 1:
			continue
		case c.M != nil:
			return nil
		}
		return err
	}
}
