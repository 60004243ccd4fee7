package main

// #include "call.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"nmu/internal/data"
	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/lnmu"
)

// work is what a call with options works on. The caller closes it.
type work[T lnmu.Float] struct {
	*plan
	data.Taken[T]             // M with what the options say of its entries
	file          *matio.File // that holds M, or stands for a matrix of the caller
	inMemory      bool        // the caller has M
}

// workOf reads the options of a call, and M: dense or sparse in memory or, if both are nil, in the file of a setting.
func workOf[T lnmu.Float](c *call, p *plan) (w work[T]) {
	w.plan, w.inMemory = p, c.sparse != nil || c.m != nil || p.Input == ""
	var m lnmu.Matrix[T]
	switch {
	case c.sparse != nil:
		m = sparseOf[T](c.sparse)
	case w.inMemory:
		m = matrixOf(viewOf[T]("M", c.m))
	default:
		w.file = openFile(p)
	}
	if w.inMemory {
		p.inMemory()
		rows, cols := m.Dims()
		w.file = p.outline(rows, cols)
	}
	defer func() {
		w.file.Until(context.Background()) // a run that is cancelled still reads M for its results
		if w.Matrix == nil {
			w.close()
		}
	}()
	if !w.inMemory {
		m = fileOf[T](p, w.file)
	}
	_, sparse := m.(lnmu.CSR[T])
	columns := p.call == options.Transform
	counted := p.has("mask", p.Mask) || p.has("weights", p.Weights) || p.has("uncertainties", p.Uncertainties)
	skips := p.has("skip-rows", p.SkipRows) || p.has("skip-cols", p.SkipCols)
	switch {
	case columns && sparse && (counted || skips):
		refuse(lnmu.ErrOption, "a mask or weights for the columns of a sparse matrix, which would make it dense; make M dense")
	case skips && (p.Init == options.InitGiven && !columns || p.Continue || p.has("fix-v", p.FixV) || p.has("fix-w", p.FixW) || sparse && (counted || p.StoredOnly)):
		refuse(lnmu.ErrOption, "skip-rows and skip-cols do not go with continue, a given start or fixed factors, nor of a sparse matrix with a mask, weights or sparse-missing; make M dense")
	}
	r := p.request()
	r.Empty = columns && c.function != C.UPDATE || skips
	taken, err := data.Take(r, w.file, m, !w.inMemory && !w.file.Mapped(), columns, "leaving rows or columns out")
	fail(optionError(err))
	w.Taken = taken
	return w
}

// request returns what is read beside M.
func (p *plan) request() *data.Request {
	r := &data.Request{Run: &p.Run, Given: map[string]lnmu.Matrix[float64]{}}
	for name := range p.inputs {
		r.Given[name] = p.given(name)
	}
	return r
}

// inMemory refuses settings for a matrix in a file.
func (p *plan) inMemory() {
	beside := strings.Join(append((&data.Request{Run: &p.Run}).Paths(), p.FixV, p.FixW), "") != "" // a table may be
	for _, s := range options.Settings(&p.Run) {
		if beside && slices.Contains([]string{"header", "row-labels", "missing-text", "below"}, s.Name) {
			continue
		}
		if options.OfFile(s) && s.Value.String() != "" {
			refuse(lnmu.ErrOption, "the setting %s is for a matrix in a file, and M is in memory; pass NULL for M, or leave it out", s.Name)
		}
	}
	if p.Missing != "" && p.Missing != options.MissingAllow {
		refuse(lnmu.ErrOption, "missing=%s is for a table in a file, and M is in memory; choose error or %s", p.Missing, options.MissingAllow)
	}
}

// outline returns what stands for a matrix of the caller.
func (p *plan) outline(rows, cols int) *matio.File {
	opt := data.Options(&p.Run)
	opt.Context = p.ctx
	return matio.Outline("M", rows, cols, opt)
}

// openFile opens the file of M as the settings say.
func openFile(p *plan) *matio.File {
	if p.Input == "" {
		refuse(lnmu.ErrOption, "no matrix in memory, and no file; set input=FILE")
	}
	if p.Format != "" && !slices.Contains(matio.Formats(), p.Format) {
		refuse(lnmu.ErrOption, "format=%s; choose from %s", p.Format, strings.Join(matio.Formats(), ", "))
	}
	opt := data.Options(&p.Run)
	opt.Context = p.ctx
	file, err := matio.Open(p.Input, opt)
	if err == nil {
		if err = data.Name(file, &p.Run); err != nil {
			file.Close()
		}
	}
	fail(optionError(err))
	return file
}

// fileOf returns the matrix in the file of the settings.
func fileOf[T lnmu.Float](p *plan, file *matio.File) (m lnmu.Matrix[T]) {
	rows, cols := file.Dims()
	var err error
	switch {
	case rows == 0 || cols == 0:
		err = fmt.Errorf("%w: %s: the matrix is empty (%d x %d)", lnmu.ErrShape, p.Input, rows, cols)
	case file.Sparse() && !p.Dense:
		c := lnmu.CSR[T]{}
		c.Rows, c.Cols, c.Ptr, c.Idx, c.Val, err = matio.Sparse[T](file)
		m = c
	case p.Scratch != "":
		m, err = matio.OpenLines[T](file)
	default:
		m, err = data.Dense[T](file)
		p.Overwrite = p.Overwrite && !file.Mapped()
	}
	fail(optionError(err))
	return m
}

// optionError makes an error about a file one about an option, in the words of the library.
func optionError(err error) error {
	if err == nil || errors.Is(err, lnmu.ErrValue) || errors.Is(err, lnmu.ErrShape) {
		return inLibrary(err)
	}
	if errors.Is(err, lnmu.ErrOption) {
		return inLibrary(err)
	}
	return fmt.Errorf("%w: %w", lnmu.ErrOption, inLibrary(err))
}

// worded is an error with another text.
type worded struct {
	error
	text string
}

// Error implements error.
func (w worded) Error() string { return w.text }

// Unwrap implements errors.Unwrap.
func (w worded) Unwrap() error { return w.error }

// flag matches a flag of the command, with a word behind it that may be its value.
var flag = regexp.MustCompile(`(^|[ (])--([a-z][a-z-]*)( [A-Za-z]+)?`)

// inLibrary returns an error that names the flags of the command with its settings: missing=allow for
// --missing allow.
func inLibrary(err error) error {
	if err == nil || !flag.MatchString(err.Error()) {
		return err
	}
	values := []string{" FILE"}
	for _, s := range options.Settings(&options.Run{}) {
		for _, word := range s.Choices() {
			values = append(values, " "+word)
		}
	}
	return worded{err, flag.ReplaceAllStringFunc(err.Error(), func(text string) string {
		part := flag.FindStringSubmatch(text)
		if slices.Contains(values, part[3]) {
			return part[1] + part[2] + "=" + part[3][1:]
		}
		return part[1] + part[2] + part[3]
	})}
}

// recognised returns a warning with what was recognised in the files, or nil.
func (w work[T]) recognised() error {
	var notes []string
	if len(w.file.Notes()) > 0 {
		notes = append(notes, w.file.Path()+": "+strings.Join(w.file.Notes(), "; "))
	}
	if notes = append(notes, w.file.Beside()...); len(notes) == 0 {
		return nil
	}
	return warning{errors.New(strings.Join(notes, "; "))}
}

// close closes the file.
func (w work[T]) close() { w.file.Close() } // it was only read

// given returns a further matrix of the caller, which stays where it is.
func (p *plan) given(name string) lnmu.Matrix[float64] {
	if name == "mask" {
		return asNumbers{viewOf[uint8](name, p.inputs[name])}
	}
	return matrixOf(viewOf[float64](name, p.inputs[name]))
}

// has says whether the caller gives a further matrix, or its path.
func (p *plan) has(name, path string) bool { return path != "" || p.inputs[name] != nil }

// asNumbers is a mask of the caller as a matrix of numbers.
type asNumbers struct{ view[uint8] }

// At returns entry (i, j).
func (x asNumbers) At(i, j int) float64 { return float64(x.view.At(i, j)) }

// fixed reads the parts of the factors that are known.
func (p *plan) fixed(m *matio.File) {
	p.Settings.Fixed.V = p.further("fix-v", p.FixV, m, (*data.Further[float64]).MatchRows)
	p.Settings.Fixed.W = p.further("fix-w", p.FixW, m, (*data.Further[float64]).MatchCols)
}

// further returns a matrix that a setting names, by its path or among the inputs of the caller, or a zero Dense.
func (p *plan) further(name, path string, m *matio.File, match func(*data.Further[float64], *matio.File) error) lnmu.Dense[float64] {
	switch {
	case p.inputs[name] != nil:
		return denseOf(p.given(name))
	case path == "":
		return lnmu.Dense[float64]{}
	}
	d, err := data.ReadFurther[float64](path, m)
	if err == nil {
		err = match(&d, m)
	}
	if err != nil {
		fail(optionError(fmt.Errorf("--%s: %w", name, err)))
	}
	return d.Dense
}
