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
	opt := matio.Options{Var: r.Variable, Transpose: r.Transpose, MaxMemory: int64(r.MaxMemory), Format: r.Format, Grey: r.Grey}
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

// Name reads the names of the rows and columns of M from the files of the settings.
func Name(file *matio.File, r *options.Run) error {
	if err := file.ReadAllNames(r.RowNames, r.ColNames); err != nil {
		return fmt.Errorf("--%w", err)
	}
	return nil
}

// Taken is what counts of M.
type Taken[T lnmu.Float] struct {
	lnmu.Observed[T]        // the rows and columns that are not left out, with their mask and weights
	Lines            *Lines // these; nil: all
}

// Take leaves out the rows and columns of the settings and, if they may be empty, those without an observed entry.
// For new columns of a basis it leaves out columns alone, and the entries of the rows do not count. The memory of m
// may be used if it is ours. work names the work for an error about memory.
func Take[T lnmu.Float](r *Request, file *matio.File, m lnmu.Matrix[T], ours, columns bool, work string) (t Taken[T], err error) {
	if !columns {
		if t.Lines, err = r.Unskipped(file); err != nil {
			return t, err
		}
		r = r.Of(t.Lines, nil)
	}
	o, err := r.Read(file)
	if err != nil {
		return t, err
	}
	keep := func(l *Lines) (err error) {
		if m, err = kept(file, l, m, ours, work); err == nil {
			ours = ours || l != nil
		}
		return err
	}
	if err := keep(t.Lines); err != nil {
		return t, err
	}
	if o.Gaps {
		switch m.(type) {
		case lnmu.CSR[T], lnmu.StoredCSR[T], *matio.Lines[T]:
			return t, fmt.Errorf("%w: NaN as missing entries of a sparse matrix, or of one that stays in its file; make M dense, in memory, or, if all that it does not store is missing, set --sparse-missing", lnmu.ErrOption)
		}
		err := file.Guard(func() error {
			o.Mask = o.Mask.And(lnmu.MaskOf[T](m))
			return nil
		})
		if err != nil {
			return t, err
		}
	}
	if r.Empty {
		rows, cols := m.Dims()
		left := LinesOf(rows, cols, o.Mask, o.Weights)
		if columns {
			left = left.Columns()
		}
		if err := keep(left); err != nil {
			return t, err
		}
		o.Mask, o.Weights, t.Lines = left.Mask(o.Mask), left.Weights(o.Weights), t.Lines.Then(left)
	}
	t.Observed = lnmu.Observed[T]{Matrix: m, Mask: o.Mask, Weights: o.Weights, StoredOnly: r.StoredOnly}
	return t, nil
}
