package main

// #include "nmu.h"
import "C"

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"nmu/internal/direct"
	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/lnmu"
)

// given is M as the caller gives it: dense, sparse or, if both are nil, in the file of a setting,
// in the precision of another matrix, or in float64.
type given struct {
	dense  *C.nmu_matrix
	sparse *C.nmu_csr
	like   *C.nmu_matrix
}

// inPrecision does the work in the precision of M.
func (g given) inPrecision(double, single func() error) error {
	var of C.int64_t
	if g.sparse != nil {
		m, err := take("M", g.sparse)
		if err != nil {
			return err
		}
		of = m._type
	} else {
		name, like := "M", g.dense
		if like == nil {
			name, like = "V", g.like
		}
		if like == nil { // a biclique has no V
			return double()
		}
		m, err := takeMatrix(name, like)
		if err != nil {
			return err
		}
		of = m._type
	}
	switch of {
	case C.NMU_FLOAT32:
		return single()
	case C.NMU_FLOAT64:
		return double()
	}
	return badArgument("M has the type %d; choose NMU_FLOAT32 or NMU_FLOAT64", int64(of))
}

// input is M, and what can be done with it.
type input[T lnmu.Float] struct {
	lnmu.Matrix[T]
	numbers func() *lnmu.Mask // the mask of what is not NaN in a dense M; nil for a sparse one
	file    *matio.File       // that holds it, or nil
}

// inputOf returns M. The caller closes it.
func inputOf[T lnmu.Float](g given, p *plan) (in input[T], err error) {
	switch {
	case g.dense != nil || g.sparse != nil:
		if err := p.inMemory(); err != nil {
			return in, err
		}
	case p.Input != "":
		return fileOf[T](p)
	}
	if g.sparse != nil {
		c, err := sparseOf[T](g.sparse)
		return input[T]{Matrix: c}, err
	}
	v, err := viewOf[T]("M", g.dense)
	if err != nil {
		return in, err
	}
	return input[T]{Matrix: v.matrix(), numbers: v.numbers}, nil
}

// fileOf returns the matrix in the file of the settings.
func fileOf[T lnmu.Float](p *plan) (in input[T], err error) {
	file, err := openFile(&p.Run, p.Input)
	if err != nil {
		return in, err
	}
	in.file = file
	defer func() {
		if err != nil {
			in.close()
		}
	}()
	rows, cols := file.Dims()
	switch {
	case rows == 0 || cols == 0:
		return in, fmt.Errorf("%w: %s: the matrix is empty (%d x %d)", lnmu.ErrShape, p.Input, rows, cols)
	case file.Sparse() && !p.Dense:
		c := lnmu.CSR[T]{}
		c.Rows, c.Cols, c.Ptr, c.Idx, c.Val, err = matio.Sparse[T](file)
		in.Matrix = c
	case p.Scratch != "":
		var lines *matio.Lines[T]
		lines, err = matio.OpenLines[T](file)
		in.Matrix = inFile[T]{lines}
	default:
		var data []T
		if rows, cols, data, err = matio.Dense[T](file); err == nil {
			m := lnmu.NewDense(rows, cols, data)
			in.Matrix, in.numbers = m, func() *lnmu.Mask { return lnmu.MaskOf[T](m) }
		}
		p.Overwrite = p.Overwrite && !file.Mapped()
	}
	return in, optionError(err)
}

// inMemory returns an error if a setting is for a matrix in a file.
func (p *plan) inMemory() error {
	for _, s := range options.Settings(&p.Run) {
		if options.OfFile(s) && s.Value.String() != "" {
			return fmt.Errorf("%w: the setting %s is for a matrix in a file, and M is in memory; pass NULL for M, or leave it out", lnmu.ErrOption, s.Name)
		}
	}
	if p.Missing != "" && p.Missing != "error" && p.Missing != options.MissingAllow {
		return fmt.Errorf("%w: missing=%s is for a table in a file, and M is in memory; choose error or %s", lnmu.ErrOption, p.Missing, options.MissingAllow)
	}
	return nil
}

// openFile opens a matrix file as the settings say.
func openFile(r *options.Run, path string) (*matio.File, error) {
	if r.Format != "" && !slices.Contains(matio.Formats(), r.Format) {
		return nil, fmt.Errorf("%w: format=%s; choose from %s", lnmu.ErrOption, r.Format, strings.Join(matio.Formats(), ", "))
	}
	opt := matio.Options{Var: r.Variable, Transpose: r.Transpose, Format: r.Format, Grey: r.Grey, MaxMemory: int64(r.MaxMemory)}
	opt.Table = matio.Table{
		Separator: matio.Sign(r.Separator), Decimal: matio.Sign(r.Decimal), Triples: r.Triples,
		Header: matio.Presence(r.Header), RowLabels: matio.Presence(r.Labels),
	}
	if r.SkipColumns != "" {
		opt.Table.Skip = strings.Split(r.SkipColumns, ",")
	}
	if r.Missing != "error" {
		opt.Table.Missing = matio.Missing(r.Missing)
	}
	file, err := matio.Open(path, opt)
	if err != nil {
		return nil, optionError(err)
	}
	if err := file.ReadAllNames(r.RowNames, r.ColNames); err != nil {
		file.Close()
		return nil, optionError(err)
	}
	return file, nil
}

// optionError makes an error about a file one about an option.
func optionError(err error) error {
	if err == nil || errors.Is(err, lnmu.ErrOption) || errors.Is(err, lnmu.ErrValue) || errors.Is(err, lnmu.ErrShape) {
		return err
	}
	return fmt.Errorf("%w: %w", lnmu.ErrOption, err)
}

// dense returns a dense M by rows: itself, if it lies so, else a copy.
func (in input[T]) dense() lnmu.Dense[T] {
	switch m := in.Matrix.(type) {
	case lnmu.Dense[T]:
		return m
	case lnmu.Strided[T]:
		if m.ColStride == 1 && m.RowStride >= m.Cols {
			return lnmu.Dense[T]{Rows: m.Rows, Cols: m.Cols, Data: m.Data, Stride: m.RowStride}
		}
	}
	rows, cols := in.Dims()
	d := lnmu.NewDense[T](rows, cols, nil)
	for i := range rows {
		for j := range d.Row(i) {
			d.Row(i)[j] = in.At(i, j)
		}
	}
	return d
}

// guard does work with M, of which the file may change meanwhile.
func (in input[T]) guard(work func() error) error {
	if in.file == nil {
		return work()
	}
	return in.file.Guard(work)
}

// notes returns a warning with what was recognised in the file, or nil.
func (in input[T]) notes() error {
	if in.file == nil || len(in.file.Notes()) == 0 {
		return nil
	}
	return warning{fmt.Errorf("%s: %s", in.file.Path(), strings.Join(in.file.Notes(), "; "))}
}

// close closes the file.
func (in input[T]) close() {
	if in.file != nil {
		in.file.Close() // it was only read
	}
}

// inFile is a dense matrix that stays in its file.
type inFile[T lnmu.Float] struct{ *matio.Lines[T] }

// At implements lnmu.Matrix. It is NaN if the entry cannot be read.
func (m inFile[T]) At(i, j int) T {
	if rows, cols := m.Dims(); rows < cols {
		i, j = j, i
	}
	line, err := m.ReadLines(direct.Make[T](m.Room(1)), i, i+1)
	if err != nil {
		var zero T
		return zero / zero
	}
	return line[j]
}

// further returns a matrix that a setting names, by its path or among the inputs of the caller. It
// is a zero Dense if there is neither.
func (p *plan) further(name, path string, m *matio.File) (d lnmu.Dense[float64], err error) {
	matrix := p.inputs[name]
	switch {
	case matrix != nil && path != "":
		return d, fmt.Errorf("%w: %s as a matrix and as the file %s; choose one", lnmu.ErrOption, name, path)
	case matrix != nil:
		v, err := viewOf[float64](name, matrix)
		if err != nil {
			return d, err
		}
		return v.dense(), nil
	case path == "":
		return d, nil
	}
	file, err := matio.Open(path, matio.Options{Transpose: p.Transpose && (name == nameMask || name == nameWeights)})
	if err != nil {
		return d, optionError(fmt.Errorf("%s: %w", name, err))
	}
	defer file.Close()
	rows, cols, data, err := matio.Dense[float64](file)
	if err == nil {
		err = file.Guard(func() error {
			data = slices.Clone(data)
			return nil
		})
	}
	if err == nil && m != nil {
		err = sameNames(name, file, m)
	}
	if err != nil {
		return d, optionError(fmt.Errorf("%s: %w", name, err))
	}
	return lnmu.NewDense(rows, cols, data), nil
}

// sameNames returns an error if the rows or columns that a file shares with that of M have other
// names there, or another order.
func sameNames(name string, file, m *matio.File) error {
	rows := slices.Equal(file.RowNames(), m.RowNames()) || file.RowNames() == nil || m.RowNames() == nil
	cols := slices.Equal(file.ColNames(), m.ColNames()) || file.ColNames() == nil || m.ColNames() == nil
	if rows && cols || name == nameFixV && rows || name == nameFixW && cols {
		return nil
	}
	return fmt.Errorf("%w: the rows or columns of %s have other names than those of %s, or another order; give both the same", lnmu.ErrShape, file.Path(), m.Path())
}
