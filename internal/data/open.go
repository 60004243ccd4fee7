package data

import (
	"encoding/csv"
	"slices"
	"strings"
	"unsafe"

	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/lnmu"
)

// Options returns what settings say of the reading of M.
func Options(r *options.Run) matio.Options {
	opt := matio.Options{Var: r.Variable, Transpose: r.Transpose, MaxMemory: r.MaxMemory, Format: r.Format, Grey: r.Grey}
	opt.Table = matio.Table{
		Separator: matio.Sign(r.Separator), Decimal: matio.Sign(r.Decimal), Header: matio.Presence(r.Header), RowLabels: matio.Presence(r.Labels),
		Skip: parts(r.SkipColumns), Words: parts(r.MissingText), Below: matio.Below(r.Below), Triples: r.Triples, Align: r.Align,
	}
	opt.Table.Missing = matio.Missing(r.WayOfMissing())
	opt.Codes, opt.Negative = r.Codes(), matio.Negative(r.Negative)
	return opt
}

// Outline returns what stands for a matrix of a caller, and the matrix that counts: m, or a copy in which the numbers
// that the options name are replaced by what they stand for.
func Outline[T lnmu.Float](m lnmu.Matrix[T], opt matio.Options) (*matio.File, lnmu.Matrix[T], error) {
	rows, cols := m.Dims()
	file := matio.Outline("M", rows, cols, func(do func(x []float64) error) error { return eachOf(m, do) }, opt)
	if _, unread := m.(lnmu.Unread[T]); unread || len(opt.Codes) == 0 && opt.Negative == "" {
		return file, m, nil
	}
	copied, err := m, error(nil)
	switch x := m.(type) {
	case lnmu.CSR[T]:
		if err = file.Reserve(int64(len(x.Val))*int64(unsafe.Sizeof(T(0))), "copying it"); err == nil {
			x.Val = slices.Clone(x.Val)
			copied, err = x, matio.Replace(file, x.Val)
		}
	default:
		if err = file.Reserve(int64(rows)*int64(cols)*int64(unsafe.Sizeof(T(0))), "copying it"); err == nil {
			d := lnmu.NewDense[T](rows, cols, nil)
			for i := range rows {
				for j := range cols {
					d.Row(i)[j] = m.At(i, j)
				}
			}
			copied, err = d, matio.Replace(file, d.Data)
		}
	}
	return file, copied, err
}

// eachOf calls do for the entries of a matrix of a caller, or for those that it stores.
func eachOf[T lnmu.Float](m lnmu.Matrix[T], do func(x []float64) error) error {
	one := make([]float64, 1)
	if c, sparse := m.(lnmu.CSR[T]); sparse {
		for _, x := range c.Val {
			one[0] = float64(x)
			if err := do(one); err != nil {
				return err
			}
		}
		return nil
	}
	rows, cols := m.Dims()
	for i := range rows {
		for j := range cols {
			one[0] = float64(m.At(i, j))
			if err := do(one); err != nil {
				return err
			}
		}
	}
	return nil
}

// parts returns the parts of a text between commas, of which some may be in quotes.
func parts(text string) []string {
	r := csv.NewReader(strings.NewReader(text))
	r.LazyQuotes = true
	list, err := r.Read()
	if err != nil && text != "" {
		return []string{text}
	}
	return list
}

// Matrix reads M: its stored entries if the file is sparse and M is not to be dense, else all.
func Matrix[T lnmu.Float](file *matio.File, dense bool) (lnmu.Matrix[T], error) {
	if !file.Sparse() || dense {
		return Dense[T](file)
	}
	var m lnmu.CSR[T]
	var err error
	m.Rows, m.Cols, m.Ptr, m.Idx, m.Val, err = matio.Sparse[T](file)
	return m, err
}

// Block reads a block of M, as Matrix does.
func Block[T lnmu.Float](file *matio.File, dense bool, b matio.Block) (m lnmu.Matrix[T], err error) {
	if file.Sparse() && !dense {
		c := lnmu.CSR[T]{Rows: b.Rows(), Cols: b.Cols()}
		c.Ptr, c.Idx, c.Val, err = matio.SparseWithin[T](file, b)
		return c, err
	}
	d := lnmu.Dense[T]{Rows: b.Rows(), Cols: b.Cols(), Stride: b.Cols()}
	d.Data, err = matio.DenseWithin[T](file, b)
	return d, err
}

// Selection is what counts of M, which a file holds.
type Selection struct {
	Observed        // of the lines; it may have gaps of M until Take has seen M
	Lines    *Lines // the rows and columns that are not left out; nil: all

	file    *matio.File
	request *Request
	columns bool
	parts   Parts
}

// Parts says which block of M this process holds, of several processes that share M. All processes call its methods.
type Parts interface {
	Block(rows, cols int) matio.Block   // of a matrix of this size
	AnyOf(yes []bool)                   // sets what is true in one of the processes
	Agree(err error, same string) error // returns an error in all processes if one of them has an error
}

// Select reads what counts of M, before M is read. It leaves out the rows and columns of the settings and, if they may be
// empty, those without an observed entry. For new columns of a basis it leaves out columns alone, and the entries of
// the rows do not count. With parts, a process reads what counts of its block.
func Select(r *Request, file *matio.File, columns bool, parts Parts) (s *Selection, err error) {
	s = &Selection{file: file, request: r, columns: columns, parts: parts}
	if !columns {
		s.Lines, err = r.Unskipped(file)
	}
	if err == nil {
		err = s.observe()
	}
	if parts != nil {
		err = parts.Agree(err, "")
	}
	if err == nil {
		_, err = s.Leave()
	}
	return s, err
}

// observe reads which entries of the lines count.
func (s *Selection) observe() (err error) {
	r := s.request
	if !s.columns {
		var own *matio.Block
		if s.parts != nil {
			b := s.parts.Block(s.Dims())
			own = &b
		}
		r = r.Of(s.Lines, own)
	}
	s.Observed, err = r.Read(s.file)
	return err
}

// Leave leaves out the lines without an observed entry, if they may be empty, and returns which lines stay; nil: all. The
// block of a process is another one then, of which it reads what counts again.
func (s *Selection) Leave() (left *Lines, err error) {
	if !s.MayLeave() || s.Mask == nil && s.Weights == nil {
		return nil, nil
	}
	rows, cols := s.Dims()
	in, own := make([]bool, rows+cols), matio.Block{I1: rows, J1: cols}
	if s.parts != nil {
		own = s.parts.Block(rows, cols)
	}
	observe(in[:rows][own.I0:own.I1], in[rows:][own.J0:own.J1], s.Mask, s.Weights)
	if s.parts != nil {
		s.parts.AnyOf(in)
	}
	if left = linesWith(in[:rows], in[rows:]); s.columns {
		left = left.Columns()
	}
	s.Lines = s.Lines.Then(left)
	if s.parts == nil || left == nil {
		s.Mask, s.Weights = left.Mask(s.Mask), left.Weights(s.Weights)
		return left, nil
	}
	return left, s.parts.Agree(s.observe(), "")
}

// MayLeave reports whether rows and columns need no observed entry.
func (s *Selection) MayLeave() bool { return s.request != nil && s.request.Empty }

// Dims returns the size of what is selected.
func (s *Selection) Dims() (rows, cols int) { return s.Lines.Dims(s.file.Dims()) }

// Of returns what is selected of M as package lnmu takes it, given the lines.
func Of[T lnmu.Float](s *Selection, m lnmu.Matrix[T]) lnmu.Observed[T] {
	return lnmu.Observed[T]{Matrix: m, Mask: s.Mask, Weights: s.Weights, StoredOnly: s.request.StoredOnly}
}

// Take returns what is selected of M, whose entries that are no numbers may be missing. The memory of m may be used
// if it is ours. work names the work for an error about memory.
func Take[T lnmu.Float](s *Selection, m lnmu.Matrix[T], ours bool, work string) (o lnmu.Observed[T], err error) {
	if m, err = Kept(s.file, s.Lines, m, ours, work); err != nil || !s.Gaps {
		return Of(s, m), err
	}
	ours = ours || s.Lines != nil
	err = s.file.Guard(func() error {
		s.Mask, s.Gaps = s.Mask.And(lnmu.MaskOf[T](m)), false
		return nil
	})
	var left *Lines
	if err == nil {
		left, err = s.Leave()
	}
	if err == nil {
		m, err = Kept(s.file, left, m, ours, work)
	}
	return Of(s, m), err
}
