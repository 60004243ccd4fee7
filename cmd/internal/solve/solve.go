package solve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
	"unsafe"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/input"
	"nmu/cmd/internal/record"
	"nmu/internal/matio"
	"nmu/internal/page"
	"nmu/lnmu"
)

// Factor reads the matrix and factors it: as it is in memory, or from the disk if memory is
// not enough and the job allows that. Notes go to out.
func Factor[T lnmu.Float](ctx context.Context, out io.Writer, file *matio.File, j *Job, p Plan, from Start[T]) (*record.Factor, *lnmu.Result[T], error) {
	dense := !file.Sparse() || j.Dense
	switch {
	case dense && j.SparseMissing:
		return nil, nil, exit.Misuse(errors.New("--sparse-missing is for a sparse matrix that is not made dense; --mask says what is missing of others"))
	case dense && j.All.Any(wanted[T](j, file, p)):
		return factorStored(ctx, out, file, j, p, from)
	case dense:
		return factorDense(ctx, file, j, p, from)
	}
	if j.Disk.Within == 0 {
		return factorSparse(ctx, file, j, p, from)
	}
	return factorSparseWithin(ctx, out, file, j, p, from)
}

// factorSparseWithin factors a sparse matrix in the memory that was given: as it is, or, if
// it is in a folder and does not fit, from there. It says how long that takes on out.
func factorSparseWithin[T lnmu.Float](ctx context.Context, out io.Writer, file *matio.File, j *Job, p Plan, from Start[T]) (*record.Factor, *lnmu.Result[T], error) {
	parts, err := matio.OpenParts(j.Path, matio.Options{Var: j.Variable, Transpose: j.Transpose, MaxMemory: int64(j.Disk.Within)})
	if errors.Is(err, matio.ErrUnsupported) {
		if err := j.All.Agree(nil, "another type of file"); err != nil {
			return nil, nil, err
		}
		rep, res, err := factorSparse(ctx, file, j, p, from)
		if few := (*matio.MemoryError)(nil); errors.As(err, &few) {
			err = fmt.Errorf("%w; nmu convert makes a folder of it, which can stay on disk", err)
		}
		return rep, res, err
	}
	m, whole := storedRows[T]{Parts: parts}, int64(0)
	if err == nil {
		defer parts.Close()
		whole, err = m.inMemory(file, j, p)
	}
	if err := j.All.Agree(err, "a folder with a sparse matrix"); err != nil {
		return nil, nil, err
	}
	if j.All.Any(whole > int64(j.Disk.Within)) {
		return factorSparseStored(ctx, out, file, m, j, p, from, whole)
	}
	return factorSparse(ctx, file, j, p, from)
}

// factorSparse factors a sparse matrix as it is.
func factorSparse[T lnmu.Float](ctx context.Context, file *matio.File, j *Job, p Plan, from Start[T]) (*record.Factor, *lnmu.Result[T], error) {
	rows, cols := file.Dims()
	if err := j.All.Agree(file.Fits(sparseRun[T](file, p, j), p.String()), ""); err != nil {
		return nil, nil, err // before anything is read
	}
	m, lines, err := readSparse[T](file, j, p.Lines)
	if err == nil && p.Lines != nil {
		const each = 16 // bytes of an entry, in two matrices
		if err = file.Reserve(each*int64(len(m.Val)), "leaving rows and columns out"); err == nil {
			_, m = input.PartCSR(lines, m)
		}
	}
	own := sparseNeed[T](j, rows, cols, len(m.Val), p)
	if err == nil {
		err = file.Reserve(Plus(Process(), own), p.String())
	}
	if err != nil {
		return nil, nil, j.All.Fail(err)
	}
	defer j.keepWithin(own)()
	return ready[T]{m: m, sparse: true, entries: j.All.Sum(len(m.Val)), page: page.SparseSource(m, p.StoredOnly)}.factor(ctx, file, j, p, from)
}

// factorDense factors the matrix, in its own memory where that may be written.
func factorDense[T lnmu.Float](ctx context.Context, file *matio.File, j *Job, p Plan, from Start[T]) (*record.Factor, *lnmu.Result[T], error) {
	rows, cols := file.Dims()
	if err := j.All.Agree(file.Fits(denseRun[T](file, p, j), p.String()), ""); err != nil {
		return nil, nil, err // before anything is read
	}
	whole, lines, err := readDense[T](file, j, p.Lines)
	var m lnmu.Dense[T]
	if err == nil {
		m, err = input.Kept(file, lines, whole, p.String())
	}
	if err != nil {
		return nil, nil, j.All.Fail(err)
	}
	for p.Gaps {
		before := p.Lines
		p, err = from.observing(p, p.Mask.And(lnmu.MaskOf[T](m)), j.All)
		if err == nil && p.Lines != before {
			if lines = p.Lines; j.All != nil {
				whole, lines, err = readDense[T](file, j, p.Lines)
			}
			if err == nil {
				m, err = input.Kept(file, lines, whole, p.String())
			}
		}
		if err := j.All.Agree(err, ""); err != nil {
			return nil, nil, err
		}
	}
	p.Settings.Overwrite = (!file.Mapped() || p.Lines != nil) && !j.keeps(p)
	own := denseNeed[T](j, rows, cols, p, !p.Settings.Overwrite)
	need := Plus(Process(), own)
	if file.Mapped() && j.All == nil { // one of several processes has a copy of its part
		need = Plus(need, byteCount(float64(rows)*float64(cols)*float64(unsafe.Sizeof(T(0)))))
	}
	if err := file.Reserve(need, p.String()); err != nil {
		return nil, nil, j.All.Fail(err)
	}
	defer j.keepWithin(own)()
	return ready[T]{m: m, page: page.DenseSource(m, p.Mask)}.factor(ctx, file, j, p, from)
}

// ready is a matrix, or the part of it that this process has, in memory or in its file, for which there is memory.
type ready[T lnmu.Float] struct {
	m       lnmu.Matrix[T]
	sparse  bool
	entries int            // that a sparse matrix stores in all processes
	page    page.Source[T] // the matrix for the page
	shared  bool           // each of several processes can read all of it
}

// factor factors the matrix, and measures what the job asks for.
func (r ready[T]) factor(ctx context.Context, file *matio.File, j *Job, p Plan, from Start[T]) (*record.Factor, *lnmu.Result[T], error) {
	rows, cols := file.Dims()
	rep := record.NewFactor[T](rows, cols, p.Rank, p.Method, &p.Settings, p.partial(j.All))
	rep.Entries = r.entries
	begun := time.Now()
	var res *lnmu.Result[T]
	var failed error // of the page
	err := file.Guard(func() (err error) {
		if res, err = from.Factor(ctx, r.m, p); res == nil {
			if r.sparse && errors.Is(err, lnmu.ErrOption) {
				err = fmt.Errorf("%w (--dense does that)", err)
			}
			p.Lines.Locate(err)
			return err
		}
		record.Fill(rep, res, time.Since(begun))
		if err == nil && j.Improve {
			err = improve(ctx, j, rep, r.m, res, p, begun)
		}
		leave(rep, p, r.sparse)
		failed = show(ctx, j, rep, res, p, r.page, r.shared, err)
		return err
	})
	if failed != nil {
		return nil, nil, failed
	}
	if errors.Is(err, matio.ErrChanged) || res == nil { // no matrix is the one that was factored
		return nil, nil, err
	}
	return rep, res, err
}

// leave says in the report of a run which lines are left out, and why.
func leave(rep *record.Factor, p Plan, sparse bool) {
	if p.Lines == nil {
		return
	}
	why := " without an observed entry"
	if sparse {
		why = ""
	}
	rep.Left = p.Lines
	rep.Notes = append(rep.Notes, fmt.Sprintf("%s%s are left out: their factors are NaN", p.Lines, why))
}

// denseRun returns what reading a dense matrix and its factorization take, by a plan with
// all defaults.
func denseRun[T lnmu.Float](file *matio.File, p Plan, j *Job) int64 {
	rows, cols := file.Dims()
	if j.All != nil {
		most, least := p.sides(rows, cols)
		part := byteCount(most * least * float64(unsafe.Sizeof(T(0))))
		return Plus(part+Process(), denseNeed[T](j, rows, cols, p, j.keeps(p)))
	}
	held, fixed := matio.DenseSize[T](file), j.keeps(p) || matio.Mappable[T](file)
	if matio.Mappable[T](file) { // its pages are in memory while they are read
		held = byteCount(float64(rows) * float64(cols) * float64(unsafe.Sizeof(T(0))))
	}
	return Plus(Plus(held, Process()), denseNeed[T](j, rows, cols, p, fixed))
}

// sparseRun is denseRun for a sparse matrix, of which it is an upper bound: the file may
// list zeros, and places more than once.
func sparseRun[T lnmu.Float](file *matio.File, p Plan, j *Job) int64 {
	rows, cols := file.Dims()
	if j.All != nil { // whose share of the entries no header says
		return Plus(Process(), sparseNeed[T](j, rows, cols, 0, p))
	}
	bytes, entries := matio.SparseSize[T](file)
	return max(ReadingSparse[T](file), Plus(Plus(bytes, Process()), sparseNeed[T](j, rows, cols, entries, p)))
}

// ReadingSparse returns what the program takes while it reads a sparse matrix.
func ReadingSparse[T lnmu.Float](file *matio.File) int64 {
	return Plus(matio.SparsePeak[T](file), Process())
}
