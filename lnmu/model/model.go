package model

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"nmu/internal/options"
	"nmu/lnmu"
	"nmu/lnmu/internal/check"
)

// Model is a basis with what the weights of new columns need.
type Model[T lnmu.Float] struct {
	V      lnmu.Dense[T] // basis, m x r
	Method lnmu.Method   // by which V was found, with its options; nil: NMF

	// RowNames are the names of the rows of V, which are those of new columns too; nil if they
	// have none.
	RowNames []string

	// Topics says that the columns of V add up to 1. Package topics scales them so, and its
	// Mixtures are then the proportions of the weights.
	Topics bool
}

// Of returns the model of a result of that method, nil for NMF. Names, of the rows of M, may be
// nil. The model shares V with the result. Errors wrap lnmu.ErrShape.
func Of[T lnmu.Float](res *lnmu.Result[T], method lnmu.Method, names []string) (*Model[T], error) {
	if res == nil {
		return nil, fmt.Errorf("%w: there is no result to make a model of", lnmu.ErrShape)
	}
	m := &Model[T]{V: res.V, Method: cmp.Or[lnmu.Method](method, lnmu.NMF{}), RowNames: names}
	return m, m.check()
}

// check returns an error unless there is a name for each row.
func (m *Model[T]) check() error {
	if m.RowNames != nil && len(m.RowNames) != m.V.Rows {
		return fmt.Errorf("%w: %d names for the %d rows of V", lnmu.ErrShape, len(m.RowNames), m.V.Rows)
	}
	return nil
}

// Transform finds weights for the columns of M (m x n) as the method of the model found those of
// its own: by the divergence for lnmu.KL, with columns that add up to 1 for lnmu.NMF with
// SumToOneW, by the squared error else, in each case without penalties. The settings, which may be nil, are those of
// lnmu.Transform; Feasible in them replaces what the method says.
//
// Names are those of the rows of M. If both M and the model have names, they must be the same in
// the same order. Errors wrap lnmu.ErrShape, lnmu.ErrOption or lnmu.ErrValue.
func (m *Model[T]) Transform(ctx context.Context, matrix lnmu.Matrix[T], names []string, settings *lnmu.TransformSettings) (*lnmu.Transformed[T], error) {
	if err := m.match(names); err != nil {
		return nil, err
	}
	s := Settings(cmp.Or[lnmu.Method](m.Method, lnmu.NMF{}), settings)
	return lnmu.Transform(ctx, matrix, m.V, lnmu.Dense[T]{}, &s)
}

// Settings returns a copy of settings, which may be nil, with what a method says of the weights of
// new columns; see Transform.
func Settings(method lnmu.Method, settings *lnmu.TransformSettings) lnmu.TransformSettings {
	s := check.Given(settings)
	if !s.Feasible && !s.SumToOne && !s.Divergence {
		switch method := options.DescriptionOf(method).Method.(type) {
		case lnmu.KL:
			s.Divergence = true
		case lnmu.NMF:
			s.SumToOne = method.SumToOneW
		}
	}
	return s
}

// match returns an error if the names of the rows of a matrix are not those of the model.
func (m *Model[T]) match(names []string) error {
	if names == nil || m.RowNames == nil {
		return nil
	}
	if len(names) != len(m.RowNames) {
		return fmt.Errorf("%w: M has %d named rows, and the model has %d; give the rows of the model", lnmu.ErrShape, len(names), len(m.RowNames))
	}
	for i, name := range names {
		if known := m.RowNames[i]; name != known {
			what := fmt.Sprintf("which the model does not have; give the rows of the model (its row %d is %q)", i+1, known)
			if k := slices.Index(m.RowNames, name); k >= 0 {
				what = fmt.Sprintf("which is row %d of the model; put the rows of M into the order of the model", k+1)
			}
			return fmt.Errorf("%w: row %d of M is %q, %s", lnmu.ErrShape, i+1, name, what)
		}
	}
	return nil
}
