package main

// #include "nmu.h"
import "C"

import (
	"fmt"
	"slices"
	"strings"

	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/lnmu"
)

// The names of further matrices.
const (
	nameMask    = "mask"
	nameWeights = "weights"
	nameFixV    = "fix-v"
	nameFixW    = "fix-w"
)

// observed returns M with what the settings say of its entries.
func observed[T lnmu.Float](in input[T], p *plan) lnmu.Matrix[T] {
	o := lnmu.Observed[T]{Matrix: in.Matrix, StoredOnly: p.StoredOnly}
	if _, sparse := in.Matrix.(lnmu.CSR[T]); sparse && p.call == options.Transform && (p.has(nameMask, p.Mask) || p.has(nameWeights, p.Weights)) {
		refuse(lnmu.ErrOption, "a mask or weights for the columns of a sparse matrix, which would make it dense; make M dense")
	}
	ofShape := func(d lnmu.Matrix[float64], called string) {
		m, n := in.Dims()
		if rows, cols := d.Dims(); rows != m || cols != n {
			refuse(lnmu.ErrShape, "%s is %d x %d and M is %d x %d; they must be the same", called, rows, cols, m, n)
		}
	}
	if d := p.further(nameMask, p.Mask, in.file); d != nil {
		ofShape(d, "the mask")
		o.Mask = maskOf(d)
	}
	if o.Weights = p.further(nameWeights, p.Weights, in.file); o.Weights != nil {
		ofShape(o.Weights, "the matrix of weights")
	}
	if p.Missing == options.MissingAllow {
		if in.numbers == nil {
			refuse(lnmu.ErrOption, "NaN as missing entries of a sparse matrix, or of one that stays in its file; make M dense, in memory, or, if all that it does not store is missing, set sparse-missing")
		}
		o.Mask = o.Mask.And(in.numbers())
	}
	return o
}

// maskOf returns the mask of the entries that are not 0.
func maskOf(d lnmu.Matrix[float64]) *lnmu.Mask {
	m, n := d.Dims()
	k := lnmu.NewMask(m, n)
	for i := range m {
		for j := range n {
			if d.At(i, j) == 0 {
				k.Set(i, j, false)
			}
		}
	}
	return k
}

// fixed reads the parts of the factors that are known.
func (p *plan) fixed(file *matio.File) {
	p.Settings.Fixed.V = denseOf(p.further(nameFixV, p.FixV, file))
	p.Settings.Fixed.W = denseOf(p.further(nameFixW, p.FixW, file))
}

// has says whether the caller gives a further matrix, or its path.
func (p *plan) has(name, path string) bool { return path != "" || p.inputs[name] != nil }

// asNumbers is a mask of the caller as a matrix of numbers.
type asNumbers struct{ view[uint8] }

// At returns entry (i, j).
func (x asNumbers) At(i, j int) float64 { return float64(x.view.At(i, j)) }

// further returns a matrix that a setting names, by its path or among the inputs of the caller, where
// it stays. It is nil if there is neither.
func (p *plan) further(name, path string, m *matio.File) lnmu.Matrix[float64] {
	matrix := p.inputs[name]
	switch {
	case matrix != nil && path != "":
		refuse(lnmu.ErrOption, "%s as a matrix and as the file %s; choose one", name, path)
	case matrix != nil && name == nameMask:
		return asNumbers{viewOf[uint8](name, matrix)}
	case matrix != nil:
		return matrixOf(viewOf[float64](name, matrix))
	case path == "":
		return nil
	}
	d, err := p.fromFile(name, path, m)
	if err != nil {
		fail(optionError(fmt.Errorf("%s: %w", name, err)))
	}
	return d
}

// fromFile reads a further matrix.
func (p *plan) fromFile(name, path string, m *matio.File) (d lnmu.Dense[float64], err error) {
	opt := matio.Options{Transpose: p.Transpose && (name == nameMask || name == nameWeights), MaxMemory: int64(p.MaxMemory), Context: p.ctx}
	p.ofTables(&opt.Table)
	opt.Table = opt.Table.Beside()
	file, err := matio.Open(path, opt)
	if err != nil {
		return d, err
	}
	defer file.Close()
	if notes := file.Notes(); len(notes) > 0 {
		p.notes = append(p.notes, path+": "+strings.Join(notes, "; "))
	}
	rows, cols, data, err := matio.Dense[float64](file)
	if err != nil {
		return d, err
	}
	err = file.Guard(func() error {
		d = lnmu.NewDense(rows, cols, slices.Clone(data))
		return nil
	})
	if err == nil && m != nil {
		err = sameNames(name, file, m)
	}
	return d, err
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
