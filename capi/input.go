package main

// #include "call.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/lnmu"
)

// input is M, and what can be done with it.
type input[T lnmu.Float] struct {
	lnmu.Matrix[T]
	numbers func() *lnmu.Mask // the mask of what is not NaN in a dense M; nil for a sparse one
	file    *matio.File       // that holds it, or nil
}

// inputOf returns M: dense or sparse in memory or, if both are nil, in the file of a setting. The caller
// closes it.
func inputOf[T lnmu.Float](c *call, p *plan) input[T] {
	switch {
	case c.sparse != nil:
		p.inMemory()
		return input[T]{Matrix: sparseOf[T](c.sparse)}
	case c.m == nil && p.Input != "":
		return fileOf[T](p)
	}
	v := viewOf[T]("M", c.m)
	p.inMemory()
	return input[T]{Matrix: matrixOf(v), numbers: func() *lnmu.Mask { return lnmu.MaskOf[T](v) }}
}

// fileOf returns the matrix in the file of the settings.
func fileOf[T lnmu.Float](p *plan) input[T] {
	in, err := input[T]{file: openFile(p)}, error(nil)
	defer in.file.Until(context.Background()) // a run that is cancelled still reads M for its results
	rows, cols := in.file.Dims()
	switch {
	case rows == 0 || cols == 0:
		err = fmt.Errorf("%w: %s: the matrix is empty (%d x %d)", lnmu.ErrShape, p.Input, rows, cols)
	case in.file.Sparse() && !p.Dense:
		c := lnmu.CSR[T]{}
		c.Rows, c.Cols, c.Ptr, c.Idx, c.Val, err = matio.Sparse[T](in.file)
		in.Matrix = c
	case p.Scratch != "":
		var lines *matio.Lines[T]
		lines, err = matio.OpenLines[T](in.file)
		in.Matrix = lines
	default:
		var data []T
		if rows, cols, data, err = matio.Dense[T](in.file); err == nil {
			m := lnmu.NewDense(rows, cols, data)
			in.Matrix, in.numbers = m, func() *lnmu.Mask { return lnmu.MaskOf[T](m) }
		}
		p.Overwrite = p.Overwrite && !in.file.Mapped()
	}
	if err != nil {
		in.close()
	}
	fail(optionError(err))
	return in
}

// inMemory refuses settings for a matrix in a file.
func (p *plan) inMemory() {
	beside := p.Mask != "" || p.Weights != "" || p.FixV != "" || p.FixW != "" // a table may be
	for _, s := range options.Settings(&p.Run) {
		if beside && slices.Contains([]string{"header", "row-labels", "missing-text", "below"}, s.Name) {
			continue
		}
		if options.OfFile(s) && s.Value.String() != "" {
			refuse(lnmu.ErrOption, "the setting %s is for a matrix in a file, and M is in memory; pass NULL for M, or leave it out", s.Name)
		}
	}
	if p.Missing != "" && p.Missing != "error" && p.Missing != options.MissingAllow {
		refuse(lnmu.ErrOption, "missing=%s is for a table in a file, and M is in memory; choose error or %s", p.Missing, options.MissingAllow)
	}
}

// openFile opens the file of M as the settings say.
func openFile(p *plan) *matio.File {
	r := &p.Run
	if r.Input == "" {
		refuse(lnmu.ErrOption, "no matrix in memory, and no file; set input=FILE")
	}
	if r.Format != "" && !slices.Contains(matio.Formats(), r.Format) {
		refuse(lnmu.ErrOption, "format=%s; choose from %s", r.Format, strings.Join(matio.Formats(), ", "))
	}
	opt := matio.Options{Var: r.Variable, Transpose: r.Transpose, Format: r.Format, Grey: r.Grey, MaxMemory: int64(r.MaxMemory), Context: p.ctx}
	opt.Table = matio.Table{
		Separator: matio.Sign(r.Separator), Decimal: matio.Sign(r.Decimal), Triples: r.Triples,
		Skip: parts(r.SkipColumns),
	}
	p.ofTables(&opt.Table)
	if r.Missing != "error" {
		opt.Table.Missing = matio.Missing(r.Missing)
	}
	file, err := matio.Open(r.Input, opt)
	if err == nil {
		if err = file.ReadAllNames(r.RowNames, r.ColNames); err != nil {
			file.Close()
		}
	}
	fail(optionError(err))
	return file
}

// ofTables sets what the settings say of all tables, also of those beside M.
func (p *plan) ofTables(t *matio.Table) {
	t.Header, t.RowLabels = matio.Presence(p.Header), matio.Presence(p.Labels)
	t.Words, t.Below = parts(p.MissingText), matio.Below(p.Below)
}

// parts returns the parts of a text between commas.
func parts(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

// optionError makes an error about a file one about an option.
func optionError(err error) error {
	if err == nil || errors.Is(err, lnmu.ErrOption) || errors.Is(err, lnmu.ErrValue) || errors.Is(err, lnmu.ErrShape) {
		return err
	}
	return fmt.Errorf("%w: %w", lnmu.ErrOption, err)
}

// guard does work with M, of which the file may change meanwhile.
func (in input[T]) guard(work func() error) error {
	if in.file == nil {
		return work()
	}
	return in.file.Guard(work)
}

// recognised returns a warning with what was recognised in the files, or nil.
func (w work[T]) recognised() error {
	notes := w.notes
	if w.file != nil && len(w.file.Notes()) > 0 {
		notes = append([]string{w.file.Path() + ": " + strings.Join(w.file.Notes(), "; ")}, notes...)
	}
	if len(notes) == 0 {
		return nil
	}
	return warning{errors.New(strings.Join(notes, "; "))}
}

// close closes the file.
func (in input[T]) close() {
	if in.file != nil {
		in.file.Close() // it was only read
	}
}
