package work

import (
	"errors"
	"fmt"
	"unsafe"

	"nmu/internal/data"
	"nmu/internal/matio"
	"nmu/internal/page"
	"nmu/lnmu"
)

// inMemory is a matrix in memory: a dense one that was read, our own where that may be written, or a matrix of the caller.
type inMemory[T lnmu.Float] struct {
	file  *matio.File
	job   *Job
	m     lnmu.Matrix[T]
	given bool
	read  bool
	lines *data.Lines // that m has then
}

func (s *inMemory[T]) open(p Plan) (err error) {
	if s.read && s.job.All == nil {
		s.m, err = data.Kept(s.file, p.Lines.Of(s.lines), s.m, !s.given && !s.file.Mapped(), p.String())
		s.lines = p.Lines
		return err
	}
	if !s.read { // before anything is read
		if err := s.job.All.Agree(s.file.Fits(denseRun[T](s.file, p, s.job), p.String()), ""); err != nil {
			return err
		}
	}
	s.m, s.lines, s.read = nil, p.Lines, true
	own := p.Lines
	var d lnmu.Dense[T]
	if s.job.All == nil {
		d, err = data.Dense[T](s.file)
	} else {
		var b matio.Block
		b, own = p.span(s.file, s.job)
		d = lnmu.Dense[T]{Rows: b.Rows(), Cols: b.Cols(), Stride: b.Cols()}
		d.Data, err = matio.DenseWithin[T](s.file, b)
	}
	if err == nil {
		s.m, err = data.Kept[T](s.file, own, d, !s.file.Mapped(), p.String())
	}
	return err
}

func (s *inMemory[T]) gaps(p Plan) (*lnmu.Mask, error) {
	return p.Mask.And(lnmu.MaskOf(s.m)), nil
}

func (s *inMemory[T]) need(p *Plan) (needs lnmu.Estimate, err error) {
	if s.given {
		return lnmu.EstimateOf(matrix(*p, s.m), p.Rank, p.Method, &p.Settings)
	}
	rows, cols := s.file.Dims()
	p.Settings.Overwrite = (!s.file.Mapped() || p.Lines != nil) && !s.job.keeps(*p)
	needs.Memory = DenseMemory[T](s.job, rows, cols, *p, !p.Settings.Overwrite)
	return needs, s.file.Reserve(Plus(beside[T](s.file, s.job, true), needs.Memory), p.String())
}

func (s *inMemory[T]) matrix() lnmu.Matrix[T] { return s.m }
func (s *inMemory[T]) entries() int           { return 0 }

func (s *inMemory[T]) page(p Plan) page.Source[T] {
	d, _ := s.m.(lnmu.Dense[T])
	return page.DenseSource(d, p.Mask)
}

// program returns the memory of the program itself, 0 if that is of a caller.
func (j *Job) program() int64 {
	if j.Library {
		return 0
	}
	return Process()
}

// beside returns the memory of the program, with the pages of a matrix that is mapped: one of several processes has a copy
// of its part.
func beside[T lnmu.Float](file *matio.File, j *Job, isRead bool) int64 {
	if j.All == nil && !j.Library {
		return Plus(Process(), Pages[T](file, isRead))
	}
	return j.program()
}

// denseRun returns what reading a dense matrix and its factorization take, by a plan with
// all defaults.
func denseRun[T lnmu.Float](file *matio.File, p Plan, j *Job) int64 {
	rows, cols := file.Dims()
	if j.All != nil {
		return Plus(spanBytes[T](file, p, j)+Process(), DenseMemory[T](j, rows, cols, p, j.keeps(p)))
	}
	return Plus(Plus(matio.DenseSize[T](file), beside[T](file, j, false)), DenseMemory[T](j, rows, cols, p, j.keeps(p) || matio.Mappable[T](file)))
}

// span returns the block of the matrix that this process reads, and which lines of it count.
func (p Plan) span(file *matio.File, j *Job) (matio.Block, *data.Lines) {
	rows, cols := p.Lines.Dims(file.Dims())
	if j.All == nil {
		return p.Lines.In(matio.Block{I1: rows, J1: cols})
	}
	return p.Lines.In(blockOf(j.All, rows, cols))
}

// spanBytes returns the bytes of what span returns.
func spanBytes[T lnmu.Float](file *matio.File, p Plan, j *Job) int64 {
	b, _ := p.span(file, j)
	return byteCount(float64(b.Rows()) * float64(b.Cols()) * float64(unsafe.Sizeof(T(0))))
}

// sparseMemory is a sparse matrix in memory.
type sparseMemory[T lnmu.Float] struct {
	file      *matio.File
	job       *Job
	elsewhere bool // a folder of it could stay on disk
	m         lnmu.CSR[T]
}

func (s *sparseMemory[T]) open(p Plan) error {
	j := s.job
	if err := j.All.Agree(s.file.Fits(sparseRun[T](s.file, p, j), p.String()), ""); err != nil {
		return s.hint(err) // before anything is read
	}
	own := p.Lines
	var err error
	if j.All == nil {
		s.m.Rows, s.m.Cols, s.m.Ptr, s.m.Idx, s.m.Val, err = matio.Sparse[T](s.file)
	} else {
		var b matio.Block
		b, own = p.span(s.file, j)
		s.m.Rows, s.m.Cols = b.Rows(), b.Cols()
		s.m.Ptr, s.m.Idx, s.m.Val, err = matio.SparseWithin[T](s.file, b)
	}
	if err == nil {
		s.m = data.KeptCSR(own, s.m)
	}
	return s.hint(err)
}

func (s *sparseMemory[T]) need(p *Plan) (needs lnmu.Estimate, err error) {
	rows, cols := s.file.Dims()
	needs.Memory = SparseMemory[T](s.job, rows, cols, len(s.m.Val), *p)
	return needs, s.hint(s.file.Reserve(Plus(s.job.program(), needs.Memory), p.String()))
}

// hint adds what would need less memory to an error.
func (s *sparseMemory[T]) hint(err error) error {
	if few := (*matio.MemoryError)(nil); s.elsewhere && errors.As(err, &few) {
		return fmt.Errorf("%w; nmu convert makes a folder of it, which can stay on disk", err)
	}
	return err
}

func (s *sparseMemory[T]) matrix() lnmu.Matrix[T]     { return s.m }
func (s *sparseMemory[T]) page(p Plan) page.Source[T] { return page.SparseSource(s.m, p.StoredOnly) }
func (s *sparseMemory[T]) entries() int               { return s.job.All.Sum(len(s.m.Val)) }

// sparseRun is denseRun for a sparse matrix, of which it is an upper bound: the file may
// list zeros, and places more than once.
func sparseRun[T lnmu.Float](file *matio.File, p Plan, j *Job) int64 {
	rows, cols := file.Dims()
	if j.All != nil { // whose share of the entries no header says
		return Plus(Process(), SparseMemory[T](j, rows, cols, 0, p))
	}
	bytes, entries := matio.SparseSize[T](file)
	return max(Plus(matio.SparsePeak[T](file), j.program()), Plus(Plus(bytes, j.program()), SparseMemory[T](j, rows, cols, entries, p)))
}
