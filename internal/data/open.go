package data

import (
	"encoding/csv"
	"fmt"
	"strings"

	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/lnmu"
)

// Options returns what settings say of the reading of M.
func Options(r *options.Run) matio.Options {
	opt := matio.Options{Var: r.Variable, Transpose: r.Transpose, MaxMemory: r.MaxMemory, Format: r.Format, Grey: r.Grey}
	opt.Table = matio.Table{
		Separator: matio.Sign(r.Separator), Decimal: matio.Sign(r.Decimal), Header: matio.Presence(r.Header), RowLabels: matio.Presence(r.Labels),
		Skip: parts(r.SkipColumns), Words: parts(r.MissingText), Below: matio.Below(r.Below), Triples: r.Triples,
	}
	opt.Table.Missing = matio.Missing(r.Missing)
	return opt
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

// Selection is what counts of M, which a file holds.
type Selection struct {
	Observed        // of the lines; it may have gaps of M until Take has seen M
	Lines    *Lines // the rows and columns that are not left out; nil: all

	file    *matio.File
	request *Request
	columns bool
}

// Select reads what counts of M, before M is read. It leaves out the rows and columns of the settings and, if they may be
// empty, those without an observed entry. For new columns of a basis it leaves out columns alone, and the entries of
// the rows do not count.
func Select(r *Request, file *matio.File, columns bool) (s *Selection, err error) {
	s = &Selection{file: file, request: r, columns: columns}
	if !columns {
		if s.Lines, err = r.Unskipped(file); err != nil {
			return nil, err
		}
		r = r.Of(s.Lines, nil)
	}
	if s.Observed, err = r.Read(file); err == nil {
		s.leave()
	}
	return s, err
}

// leave leaves out the lines without an observed entry, if they may be empty, and returns which lines stay; nil: all.
func (s *Selection) leave() *Lines {
	if !s.request.Empty {
		return nil
	}
	rows, cols := s.Dims()
	left := LinesOf(rows, cols, s.Mask, s.Weights)
	if s.columns {
		left = left.Columns()
	}
	s.Mask, s.Weights, s.Lines = left.Mask(s.Mask), left.Weights(s.Weights), s.Lines.Then(left)
	return left
}

// Dims returns the size of what is selected.
func (s *Selection) Dims() (rows, cols int) { return s.Lines.Dims(s.file.Dims()) }

// Of returns what is selected of M as package lnmu takes it, given the lines.
func Of[T lnmu.Float](s *Selection, m lnmu.Matrix[T]) lnmu.Observed[T] {
	return lnmu.Observed[T]{Matrix: m, Mask: s.Mask, Weights: s.Weights, StoredOnly: s.request.StoredOnly}
}

// Take returns what is selected of M, whose entries that are no numbers may be missing. The memory of m may be used
// if it is ours. work names the work for an error about memory.
func Take[T lnmu.Float](s *Selection, m lnmu.Matrix[T], ours bool, work string) (o lnmu.Observed[T], err error) {
	if m, err = kept(s.file, s.Lines, m, ours, work); err != nil || !s.Gaps {
		return Of(s, m), err
	}
	switch m.(type) {
	case lnmu.CSR[T], lnmu.StoredCSR[T], *matio.Lines[T]:
		return o, fmt.Errorf("%w: NaN as missing entries of a sparse matrix, or of one that stays in its file; make M dense, in memory, or, if all that it does not store is missing, set %s", lnmu.ErrOption, s.file.Setting("sparse-missing", ""))
	}
	ours = ours || s.Lines != nil
	err = s.file.Guard(func() error {
		s.Mask, s.Gaps = s.Mask.And(lnmu.MaskOf[T](m)), false
		return nil
	})
	if err == nil {
		m, err = kept(s.file, s.leave(), m, ours, work)
	}
	return Of(s, m), err
}
