package main

// #include "call.h"
import "C"

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"unsafe"

	"nmu/internal/data"
	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/internal/record"
	"nmu/internal/render"
	"nmu/internal/work"
	"nmu/lnmu"
)

// job is what a call with options works on. The caller closes it.
type job[T lnmu.Float] struct {
	*plan
	*work.Call[T]
}

// openJob opens M, dense or sparse in memory or, if both are nil, in the file of a setting, and reads what the options say
// of its entries.
func openJob[T lnmu.Float](c *call, p *plan) job[T] {
	w := job[T]{p, &work.Call[T]{Job: work.Job{Path: p.Input, Run: p.Run, Library: true}}}
	switch {
	case c.sparse != nil && c.function == C.ESTIMATE:
		s := sparseSize(c.sparse)
		w.M = lnmu.Unread[T]{Rows: int(s.rows), Cols: int(s.cols), Entries: int(s.entries), Sparse: true}
	case c.sparse != nil:
		w.M = sparseOf[T](c.sparse)
	case c.m != nil && c.function == C.ESTIMATE && take("M", c.m).data == nil:
		w.M = unread[T](take("M", c.m))
	case c.m != nil || p.Input == "":
		w.M = matrixOf(viewOf[T]("M", c.m))
	}
	if w.M != nil {
		p.inMemory()
		var err error
		w.File, w.M, err = data.Outline(w.M, p.reading())
		fail(err)
	} else {
		w.File = openFile(p)
	}
	defer func() {
		if w.Seen == nil {
			w.close()
		}
	}()
	if rows, cols := w.File.Dims(); rows == 0 || cols == 0 {
		refuse(lnmu.ErrShape, "%s: the matrix is empty (%d x %d)", p.Input, rows, cols)
	}
	given := p.Init == options.InitGiven && p.call != options.Transform || p.Continue || p.has("fix-v", p.FixV) || p.has("fix-w", p.FixW)
	fail(w.Select(p.call, p.request(), given || c.function == C.UPDATE || c.function == C.IMPROVE))
	return w
}

// task returns the factorization of M at a rank, from a start, with all defaults.
func (w job[T]) task(rank int, from work.Start[T]) *work.Task[T] {
	t := &work.Task[T]{Call: *w.Call, From: from, Plan: work.Plan{Rank: rank, Method: w.method, Settings: w.Settings, StoredOnly: w.StoredOnly}}
	fail(t.Settle())
	return t
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
		if beside && s.Calls&options.Beside != 0 {
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

// reading returns what the settings say of the reading of files.
func (p *plan) reading() matio.Options {
	opt := data.Options(&p.Run)
	opt.Context, opt.Library = p.ctx, true
	return opt
}

// openFile opens the file of M as the settings say.
func openFile(p *plan) *matio.File { return must(p.open(nil)) }

// open is openFile, with the numbers of a text file in spill if it is not nil.
func (p *plan) open(spill *matio.Spill) (*matio.File, error) {
	if p.Input == "" {
		refuse(lnmu.ErrOption, "no matrix in memory, and no file; set input=FILE")
	}
	if p.Format != "" && !slices.Contains(matio.Formats(), p.Format) {
		refuse(lnmu.ErrOption, "format=%s; choose from %s", p.Format, strings.Join(matio.Formats(), ", "))
	}
	opt := p.reading()
	opt.Spill = spill
	file, err := matio.Open(p.Input, opt)
	if err != nil {
		return nil, err
	}
	if err := file.ReadAllNames(p.RowNames, p.ColNames); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// recognised returns a warning with what was recognised in the files, and more, or nil.
func (w job[T]) recognised(more []string) error {
	notes := append(w.File.Beside(), more...)
	if w.File.Guessed() {
		notes = append([]string{w.File.Path() + ": " + w.File.Reading()}, notes...)
	}
	if notes == nil {
		return nil
	}
	return warning{errors.New(strings.Join(notes, "; "))}
}

// close closes the files.
func (w job[T]) close() {
	w.File.Close() // it was only read
	if from := w.states.From; from != nil {
		from.File.Close()
	}
}

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
	var err error
	s := &p.Settings
	s.FixedV, s.FixedW, err = record.ReadFixed(&p.Run, m)
	fail(err)
	for name, to := range map[string]*lnmu.Dense[float64]{"fix-v": &s.FixedV, "fix-w": &s.FixedW} {
		if p.inputs[name] != nil {
			*to = denseOf(p.given(name))
		}
	}
}

// inspect describes the matrix in a file.
func inspect(c *call) error {
	p, result := planOf(c, options.Inspect), (*C.nmu_file)(c.result)
	file := openFile(p)
	defer file.Close()
	out := take("the description of the file", result)
	m, n := file.Dims()
	out.rows, out.cols, out.entries = C.int64_t(m), C.int64_t(n), -1
	if file.Sparse() && !p.Dense {
		_, entries := matio.SparseSize[float64](file)
		out.entries = C.int64_t(entries)
	}
	out.row_names_length = writeNames("row", file.RowNames(), out.row_names, out.row_names_capacity)
	out.col_names_length = writeNames("column", file.ColNames(), out.col_names, out.col_names_capacity)
	give(result, &out)
	return nil
}

// look describes the matrix in a file as nmu look does.
func look(c *call) error {
	p, result := planOf(c, options.Inspect), (*C.nmu_text)(c.result)
	out := take("the text", result)
	l := must(data.LookAt(func() context.Context { return p.ctx }, &p.Run, p.open))
	var text bytes.Buffer
	fail(render.WriteJSON(&text, l))
	out.text_length = writeText(text.Bytes(), out.text, out.text_capacity)
	give(result, &out)
	return nil
}

// writeNames writes names, each with a zero byte behind it, as far as an array of the caller has room,
// and returns their length.
func writeNames(what string, names []string, to *C.char, capacity C.int64_t) C.int64_t {
	var all []byte
	for i, name := range names {
		if strings.Contains(name, "\x00") {
			refuse(lnmu.ErrOption, "the name of %s %d holds a zero byte", what, i+1)
		}
		all = append(append(all, name...), 0)
	}
	return writeText(all, to, capacity)
}

// writeText writes a text as far as an array of the caller has room, and returns its length.
func writeText(text []byte, to *C.char, capacity C.int64_t) C.int64_t {
	copy(unsafe.Slice((*byte)(unsafe.Pointer(to)), min(int64(capacity), int64(len(text)))), text)
	return C.int64_t(len(text))
}
