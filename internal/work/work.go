package work

import (
	"context"
	"errors"
	"fmt"
	"time"

	"nmu/internal/matio"
	"nmu/internal/page"
	"nmu/lnmu"
)

// storage is a matrix M, or the part of it that this process has, where a run has it: in memory or in its file,
// dense or sparse. All processes call its methods, the same ones in the same order.
type storage[T lnmu.Float] interface {
	// open reads the rows and columns of a plan, or opens them, if there is memory for the run.
	open(p Plan) error

	// need returns what the run takes, and reserves the memory. It sets where the run may write.
	need(p *Plan) (lnmu.Estimate, error)

	matrix() lnmu.Matrix[T]
	page(p Plan) page.Source[T] // M for the page
	entries() int               // that a sparse M stores in all processes
}

// gapped is a storage of a matrix that may have missing entries of its own.
type gapped interface {
	// gaps returns the mask of a plan without the entries that are no numbers. The mask may change.
	gaps(p Plan) (*lnmu.Mask, error)
}

// onDisk is a storage in a file.
type onDisk interface {
	// traffic says what goes between memory and disk, and how long an iteration takes for it.
	traffic(needs lnmu.Estimate) string
}

// storageOf returns the storage of a matrix: memory, or its file if memory is not enough and the job allows that.
func storageOf[T lnmu.Float](file *matio.File, j *Job, p Plan) (storage[T], error) {
	dense := !file.Sparse() || j.Dense
	switch {
	case dense && j.All.Any(wanted[T](j, file, p)):
		return &denseFile[T]{file: file, job: j}, nil
	case dense:
		return &denseMemory[T]{file: file, job: j}, nil
	case j.Memory == 0:
		return &sparseMemory[T]{file: file, job: j}, nil
	}
	parts, err := matio.OpenParts(j.Path, matio.Options{Var: j.Variable, Transpose: j.Transpose, MaxMemory: j.Memory})
	if errors.Is(err, matio.ErrUnsupported) {
		return &sparseMemory[T]{file: file, job: j, elsewhere: true}, j.All.Agree(nil, "another type of file")
	}
	s := &sparseFile[T]{file: file, job: j}
	if err == nil {
		file.AtClose(func() { parts.Close() })
		s.m.Parts = parts
		s.whole, err = s.inMemory(p)
	}
	if err := j.All.Agree(err, "a folder with a sparse matrix"); err != nil {
		return nil, err
	}
	if j.All.Any(s.whole > j.Memory) {
		return s, nil
	}
	return &sparseMemory[T]{file: file, job: j}, nil
}

// Factor reads or opens the matrix, factors it, and measures what the job asks for.
func Factor[T lnmu.Float](ctx context.Context, file *matio.File, j *Job, p Plan, from Start[T]) (*Reply[T], error) {
	m, err := storageOf[T](file, j, p)
	if err != nil {
		return nil, err
	}
	if err := j.All.Agree(m.open(p), ""); err != nil {
		return nil, err
	}
	for g, dense := m.(gapped); dense && p.Gaps; {
		mask, err := g.gaps(p)
		if err := j.All.Agree(err, ""); err != nil {
			return nil, err
		}
		before := p.Lines
		if p, err = from.observing(p, mask, j.All); err == nil && p.Lines != before {
			err = m.open(p)
		}
		if err := j.All.Agree(err, ""); err != nil {
			return nil, err
		}
	}
	needs, err := m.need(&p)
	if err := j.All.Agree(err, ""); err != nil {
		return nil, err
	}
	if d, ok := m.(onDisk); ok {
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

	p.rows, p.cols = p.Lines.Dims(file.Dims())
	r := &Reply[T]{Plan: p, Missing: p.missing(j.All), all: j.All}
	r.Entries = m.entries()
	_, dense := m.(gapped)
	begun := time.Now()
	var failed error // of the page
	err = file.Guard(func() (err error) {
		if r.Result, err = from.Factor(ctx, m.matrix(), p); r.Result == nil {
			if !dense && errors.Is(err, lnmu.ErrOption) {
				err = fmt.Errorf("%w (--dense does that)", err)
			}
			p.Lines.Locate(err)
			return err
		}
		r.Took = time.Since(begun)
		if err == nil && j.Improve {
			err = r.improve(ctx, j, m.matrix(), begun)
		}
		if p.Lines != nil {
			why := ""
			if dense {
				why = " without an observed entry"
			}
			r.Remarks = append(r.Remarks, fmt.Sprintf("%s%s are left out: their factors are NaN", p.Lines, why))
		}
		_, shared := m.(*sparseFile[T])
		failed = r.show(ctx, j, m.page(p), shared, err)
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
