package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"nmu/internal/data"
	"nmu/internal/matio"
	"nmu/internal/process"
	"nmu/lnmu"
)

// Task is a call that factors M.
type Task[T lnmu.Float] struct {
	Call[T]
	Plan Plan
	From Start[T]
}

// parts are the processes that share a matrix.
type parts struct{ *process.Group }

// Parts returns the processes as package data knows them; nil for one process.
func Parts(all *process.Group) data.Parts {
	if all == nil {
		return nil
	}
	return parts{all}
}

// Block implements data.Parts.
func (p parts) Block(rows, cols int) matio.Block { return blockOf(p.Group, rows, cols) }

// Settle fills in all defaults, and takes the part of this process of a given start. All processes call it.
func (t *Task[T]) Settle() (err error) {
	rows, cols := t.File.Dims()
	t.Plan.Selection = *t.Seen
	if t.All != nil {
		t.Plan.World = t.All.World
		t.Plan.Gathers = t.Plan.Gathers || t.Plan.Lines != nil
		if t.From, err = t.From.part(t.All, rows, cols); err != nil {
			return err
		}
	}
	return t.settle(t.Plan.Lines.Dims(rows, cols))
}

// settle fills in the defaults for m x n lines.
func (t *Task[T]) settle(m, n int) (err error) {
	if t.From.Known != nil {
		t.Plan.Settings.Restarts = cmp.Or(t.Plan.Settings.Restarts, 1) // as Result.Continue does
	}
	t.Plan, err = t.From.WithDefaults(t.Plan, m, n)
	if t.Report {
		t.Plan = t.Plan.recorded()
	}
	return err
}

// observing takes the mask of a matrix of which this process has the entries of a mask, or
// all if that is nil. The plan gets the defaults of a matrix with missing entries. If lines are left out of a
// matrix that several processes share, their blocks are others: the plan still has gaps then, which are those of
// the new block.
func (t *Task[T]) observing(mask *lnmu.Mask) error {
	p := &t.Plan
	p.Mask = nil
	if t.All.Any(mask.Missing() > 0) {
		if p.Mask = mask; mask == nil { // others miss entries
			p.Mask = lnmu.NewMask(p.own())
		}
	}
	p.Gaps = false // the mask says it
	left, err := p.Leave()
	if err != nil {
		return err
	}
	p.Gathers = p.Gathers || t.All != nil && p.Lines != nil
	return t.settle(left.Dims(p.rows, p.cols))
}

// Need estimates the factorization, with M if that is to be read.
func (t *Task[T]) Need() (lnmu.Estimate, error) {
	if t.M != nil {
		return lnmu.EstimateOf(matrix(t.Plan, t.outline()), t.Plan.Rank, t.Plan.Method, &t.Plan.Settings)
	}
	m, err := storageOf(t)
	if err != nil {
		return lnmu.Estimate{}, err
	}
	needs := lnmu.Estimate{Memory: t.run(t.Plan)}
	if _, memory := m.(*inMemory[T]); !memory {
		if err := m.open(t.Plan); err != nil {
			return needs, err
		}
		needs, err = m.need(&t.Plan)
	}
	needs.Memory = Plus(needs.Memory, t.File.Shared().InUse)
	return needs, err
}

// outline returns the matrix of the caller, or its outline where that is not the one that is factored.
func (t *Task[T]) outline() lnmu.Matrix[T] {
	x, unread := t.M.(lnmu.Unread[T])
	if !unread && t.Plan.Lines == nil && !t.Plan.Gaps {
		return t.M
	}
	if c, sparse := t.M.(lnmu.CSR[T]); sparse {
		x.Sparse, x.Entries = true, len(c.Val)
	}
	x.Rows, x.Cols = t.Plan.Lines.Dims(t.File.Dims())
	x.Missing = x.Missing || t.Plan.Gaps
	return x
}

// Run reads or opens the matrix, factors it, and measures what the job asks for. It comes after Settle.
func (t *Task[T]) Run(ctx context.Context) (*Reply[T], error) {
	m, err := storageOf(t)
	if err != nil {
		return nil, err
	}
	j, p := &t.Job, &t.Plan
	dense := !t.sparse()
	if err := j.All.Agree(m.open(*p), ""); err != nil {
		return nil, err
	}
	for p.Gaps { // of a dense M
		mask, err := m.(gapped).gaps(*p)
		if err := j.All.Agree(err, ""); err != nil {
			return nil, err
		}
		before := p.Lines
		if err = t.observing(mask); err == nil && p.Lines != before {
			err = m.open(*p)
		}
		if err := j.All.Agree(err, ""); err != nil {
			return nil, err
		}
	}
	needs, err := m.need(p)
	if err := j.All.Agree(err, ""); err != nil {
		return nil, err
	}
	if d, ok := m.(onDisk); ok && !j.Library {
		if !j.All.Helper() { // the others wait while it looks how fast the disk is
			err = j.Note(d.traffic(needs))
		}
		if err := j.All.Agree(err, ""); err != nil {
			return nil, err
		}
		defer j.readAhead(p.Settings.Threads, needs.Memory)()
	} else {
		defer j.keepWithin(needs.Memory)()
	}
	if j.Library {
		t.File.Until(context.Background()) // a run that is cancelled still reads M for its results
	}

	p.rows, p.cols = p.Lines.Dims(t.File.Dims())
	r := &Reply[T]{Plan: *p, Missing: j.All.Sum(p.Mask.Missing()) + p.Lines.Missing(), all: j.All}
	r.Entries = m.entries()
	// Before the run may overwrite M. The hint is no part of a result, which is the same for M in files and in processes.
	counts := j.All == nil && p.Method.Name() == lnmu.NMF{}.Name() && countsOf(m.matrix(), p)
	if counts && !j.Library {
		if err := j.Note(countsText); err != nil {
			return nil, err
		}
	}
	begun := time.Now()
	var failed error // of the page
	err = t.File.Guard(func() (err error) {
		if r.Result, err = t.From.Factor(ctx, m.matrix(), *p); r.Result == nil {
			if !dense && t.M == nil && errors.Is(err, lnmu.ErrOption) {
				err = fmt.Errorf("%w (%s does that)", err, t.File.Setting("dense", ""))
			}
			p.Lines.Locate(err)
			return err
		}
		r.Took = time.Since(begun)
		r.note(t.File.Dims())
		if err == nil && j.Improve {
			err = r.improve(ctx, j, m.matrix(), begun)
		}
		if counts && j.Library {
			r.Notes = append(r.Notes, countsText)
		}
		if p.Lines != nil {
			why := ""
			if dense {
				why = " without an observed entry"
			}
			r.Notes = append(r.Notes, fmt.Sprintf("left out: %s%s, whose factors are NaN", p.Lines, why))
		}
		_, shared := m.(*sparseFile[T])
		failed = r.show(ctx, j, m.page(*p), shared, err)
		return err
	})
	switch {
	case failed != nil:
		return nil, failed
	case errors.Is(err, matio.ErrChanged) || r.Result == nil: // no matrix is the one that was factored
		return nil, err
	}
	return r, err
}

// Whole returns the factors of all rows and columns, with NaN where lines are left out.
func (r *Reply[T]) Whole() (v, w lnmu.Dense[T]) {
	return data.Spread(r.Plan.Lines, r.V, r.W, T(math.NaN()))
}

// countsText is the note where countsOf holds and the error is squared.
const countsText = "all entries of M are whole numbers and most are 0, as counts are; method kl is for counts"

// countsOf reports whether the observed entries of a matrix in memory look like counts: whole numbers, most of them
// 0 and some above 1. It reads up to the first fraction.
func countsOf[T lnmu.Float](m lnmu.Matrix[T], p *Plan) bool {
	zeros, positive, above, whole := 0.0, 0.0, false, true
	see := func(x T) bool {
		whole = whole && float64(x) == math.Floor(float64(x))
		if x == 0 {
			zeros++
		} else {
			positive++
		}
		above = above || x > 1
		return whole
	}
	rows, cols := m.Dims()
	switch x := m.(type) {
	case lnmu.CSR[T]:
		for k := 0; k < len(x.Val) && see(x.Val[k]); k++ {
		}
		if !p.StoredOnly {
			zeros += float64(rows)*float64(cols) - float64(len(x.Val))
		}
	case lnmu.Dense[T], lnmu.Strided[T]:
		for i := 0; i < rows && whole; i++ {
			for j := 0; j < cols && (p.Mask != nil && !p.Mask.Observed(i, j) || see(m.At(i, j))); j++ {
			}
		}
	default:
		return false
	}
	return whole && above && zeros > positive
}
