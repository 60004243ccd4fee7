package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"nmu/internal/matio"
	"nmu/internal/page"
	"nmu/lnmu"
)

// factorFile reads the matrix and factors it. Notes go to out.
func factorFile[T lnmu.Float](ctx context.Context, out io.Writer, file *matio.File, f *factorFlags, p plan, from start[T]) (*report, *lnmu.Result[T], error) {
	dense := !file.Sparse() || f.dense
	switch {
	case dense && f.sparse:
		return nil, nil, misuse(errors.New("--sparse-missing is for a sparse matrix that is not made dense; --mask says what is missing of others"))
	case dense && wanted[T](f, file, p):
		return factorStored(ctx, out, file, f, p, from)
	case dense:
		return factorDense(ctx, file, f, p, from)
	case f.improve:
		return nil, nil, misuse(errors.New("--improve needs a dense matrix (--dense makes it one)"))
	}
	if f.disk.within == 0 {
		return factorSparse(ctx, file, f, p, from)
	}
	return factorSparseWithin(ctx, out, file, f, p, from)
}

// factorSparse factors a sparse matrix as it is.
func factorSparse[T lnmu.Float](ctx context.Context, file *matio.File, f *factorFlags, p plan, from start[T]) (*report, *lnmu.Result[T], error) {
	rows, cols := file.Dims()
	if err := file.Fits(sparseRun[T](file, p, f), p.String()); err != nil {
		return nil, nil, err // before anything is read
	}
	m, err := readSparse[T](file, f)
	if err == nil {
		err = file.Reserve(factorSparseMemory[T](rows, cols, len(m.Val), p), p.String())
	}
	if err != nil {
		return nil, nil, f.all.abort(err)
	}
	rep := newReport[T](rows, cols, p)
	rep.Entries = f.all.sum(len(m.Val))
	begun := time.Now()
	res, err := from.factorSparse(ctx, m, p)
	if errors.Is(err, lnmu.ErrOption) {
		return nil, nil, fmt.Errorf("%w (--dense does that)", err)
	}
	if res == nil {
		return nil, nil, err
	}
	fill(rep, res, time.Since(begun))
	if p.settings.Record && res.V.Cols > 0 {
		rep.distance = page.LookSparse(m, p.settings.SparseMissing, res.V, res.W, rep.LargestEntry)
	}
	return rep, res, err
}

// factorDense factors the matrix, in its own memory where that may be written.
func factorDense[T lnmu.Float](ctx context.Context, file *matio.File, f *factorFlags, p plan, from start[T]) (*report, *lnmu.Result[T], error) {
	rows, cols := file.Dims()
	if err := file.Fits(denseRun[T](file, p, f), p.String()); err != nil {
		return nil, nil, err // before anything is read
	}
	m, err := readDense[T](file, f)
	if err != nil {
		return nil, nil, f.all.abort(err)
	}
	if p.gaps {
		if p, err = from.observing(p, p.asked.settings.Observed.And(lnmu.MaskOf[T](m)), m.Rows, m.Cols); err != nil {
			return nil, nil, err
		}
	}
	p.settings.Overwrite = !file.Mapped() && !f.keeps(p)
	if err := file.Reserve(factorMemory[T](rows, cols, p, !p.settings.Overwrite, f.improve), p.String()); err != nil {
		return nil, nil, err
	}
	rep := newReport[T](rows, cols, p)
	begun := time.Now()
	var res *lnmu.Result[T]
	err = file.Guard(func() (err error) {
		if res, err = from.factor(ctx, m, p); res == nil {
			return err
		}
		fill(rep, res, time.Since(begun))
		if err == nil && f.improve {
			err = improve(ctx, rep, m, res, p, begun)
		}
		if p.settings.Record && res.V.Cols > 0 {
			rep.distance = page.Look(m, p.settings.Observed, res.V, res.W, rep.LargestEntry)
		}
		return err
	})
	if errors.Is(err, matio.ErrChanged) {
		res = nil // of nothing that there is
	}
	if res == nil {
		return nil, nil, err
	}
	return rep, res, err
}
