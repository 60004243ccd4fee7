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

// inMemory is a matrix in memory: one that was read, our own where that may be written, or a matrix of the caller.
type inMemory[T lnmu.Float] struct {
	*Call[T]
	m         lnmu.Matrix[T] // nil: it is still to be read
	lines     *data.Lines    // that m has
	elsewhere bool           // a folder of a sparse one could stay on disk
}

func (s *inMemory[T]) open(p Plan) (err error) {
	if s.m != nil && s.All == nil {
		s.m, err = data.Kept(s.File, p.Lines.Of(s.lines), s.m, s.M == nil && !s.File.Mapped(), p.String())
		s.lines = p.Lines
		return err
	}
	if s.m == nil { // before anything is read
		if err := s.All.Agree(s.File.Fits(s.run(p), p.String()), ""); err != nil {
			return s.hint(err)
		}
	}
	s.m, s.lines = nil, p.Lines
	own := p.Lines
	if s.All == nil {
		s.m, err = data.Matrix[T](s.File, s.Dense)
	} else {
		var b matio.Block
		b, own = p.span(s.File, &s.Job)
		s.m, err = data.Block[T](s.File, s.Dense, b)
	}
	if err == nil {
		s.m, err = data.Kept(s.File, own, s.m, !s.File.Mapped(), p.String())
	}
	return s.hint(err)
}

func (s *inMemory[T]) gaps(p Plan) (*lnmu.Mask, error) {
	return p.Mask.And(lnmu.MaskOf(s.m)), nil
}

func (s *inMemory[T]) need(p *Plan) (needs lnmu.Estimate, err error) {
	if s.M != nil {
		return lnmu.EstimateOf(matrix(*p, s.m), p.Rank, p.Method, &p.Settings)
	}
	csr, sparse := s.m.(lnmu.CSR[T])
	p.Settings.Overwrite = !sparse && (!s.File.Mapped() || p.Lines != nil) && !s.keeps(*p)
	needs.Memory = s.memory(*p, len(csr.Val), !p.Settings.Overwrite)
	return needs, s.hint(s.File.Reserve(Plus(beside[T](s.File, &s.Job, true), needs.Memory), p.String()))
}

// hint adds what would need less memory to an error.
func (s *inMemory[T]) hint(err error) error {
	if few := (*matio.MemoryError)(nil); s.elsewhere && errors.As(err, &few) {
		return fmt.Errorf("%w; nmu convert makes a folder of it, which can stay on disk", err)
	}
	return err
}

func (s *inMemory[T]) matrix() lnmu.Matrix[T] { return s.m }

func (s *inMemory[T]) entries() int {
	csr, sparse := s.m.(lnmu.CSR[T])
	if s.M != nil || !sparse {
		return 0
	}
	return s.All.Sum(len(csr.Val))
}

func (s *inMemory[T]) page(p Plan) page.Source[T] {
	if csr, sparse := s.m.(lnmu.CSR[T]); sparse {
		return page.SparseSource(csr, p.StoredOnly)
	}
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

// run returns what reading M and its factorization take, by a plan with all defaults. Of a sparse M it is an upper bound: the
// file may list zeros, and places more than once.
func (c *Call[T]) run(p Plan) int64 {
	reading, held, entries := c.held(false)
	if c.All != nil { // whose share of the entries no header says
		reading, held, entries = 0, Process(), 0
		if !c.sparse() {
			held = Plus(held, spanBytes[T](c.File, p, &c.Job))
		}
	}
	return max(reading, Plus(held, c.memory(p, entries, c.keeps(p) || c.All == nil && matio.Mappable[T](c.File))))
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
