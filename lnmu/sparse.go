package lnmu

import (
	"cmp"
	"context"
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/dense"
	"nmu/lnmu/internal/method"
	"nmu/lnmu/internal/sparse"
)

// CSR is a sparse matrix in compressed row storage: row i has the values
// Val[Ptr[i]:Ptr[i+1]] in the columns Idx[Ptr[i]:Ptr[i+1]], which increase
// strictly; every other entry is zero. A stored value may be zero. A CSR is a
// view: copying it does not copy the slices.
type CSR[T Float] struct {
	Rows, Cols int
	Ptr        []int // Rows+1 of them, from 0 to len(Val)
	Idx        []int32
	Val        []T
}

// NewCSR returns d without its zeros.
func NewCSR[T Float](d Dense[T]) CSR[T] { return CSR[T](sparse.FromDense(d)) }

// Dense returns the matrix with its zeros. It allocates Rows*Cols numbers.
func (c CSR[T]) Dense() Dense[T] { return sparse.CSR[T](c).Dense() }

// Transposed returns a copy of the transpose, by a counting sort in O(Rows +
// Cols + len(Val)) time. The matrix must be well-formed (Validate).
func (c CSR[T]) Transposed() CSR[T] { return CSR[T](sparse.CSR[T](c).Transposed()) }

// Validate reports whether c is well-formed with at least one row and one
// column (else the error wraps ErrShape) and holds values that are finite and
// not negative (else a *ValueError).
func (c CSR[T]) Validate() error { return sparse.CSR[T](c).Validate("M", false) }

// beginSparse checks the arguments of factorSparse. The source is the shape of M alone.
func beginSparse[T Float](ctx context.Context, m CSR[T], start given[T], method Method, settings *Settings) (src dense.Source[T], p resolved, s Settings, err error) {
	if err = cmp.Or(kernel.LevelError(), checkContext(ctx)); err != nil {
		return src, p, s, err
	}
	rows, cols := m.Rows, m.Cols
	if settings != nil && settings.Processes != nil {
		src, err = partIn[T](m.Rows, m.Cols, settings.Processes, core.Part(settings.Part))
		rows, cols = src.Whole()
	}
	if err == nil {
		err = src.Placed(sparse.CSR[T](m).Validate("M", m.Rows < rows || m.Cols < cols))
	}
	if err != nil {
		return src, p, s, err
	}
	if src.Share == nil {
		src = dense.Source[T]{Rows: m.Rows, Cols: m.Cols}.Undivided()
	}
	if max(rows, cols) > math.MaxInt32 {
		return src, p, s, sparse.TooLong("M", rows, cols)
	}
	if err := start.check(m.Rows, m.Cols); err != nil {
		return src, p, s, err
	}
	p, s, err = prepare(rows, cols, start.rank, method, settings, start.start)
	if err != nil {
		return src, p, s, err
	}
	return src, p, s, cmp.Or(p.forSparse(s), sparse.CSR[T](m).CheckLines(s.SparseMissing))
}

// forSparse refuses what is not for sparse matrices.
func (p resolved) forSparse(s Settings) error {
	d := p.method.Describe()
	switch {
	case !d.Sparse:
		return core.Bad("method %s on a sparse matrix; choose %s, or make M dense", d.Name, names(func(d Description) bool { return d.Sparse }))
	case s.Init == InitSVD:
		return core.Bad("start svd on a sparse matrix; choose random or given, or make M dense")
	case s.Overwrite:
		return core.Bad("overwrite on a sparse matrix, which is left alone; it is for dense ones")
	case p.norm == L1:
		return core.Bad("norm l1 on a sparse matrix; choose l2, or make M dense")
	case s.Fixed.any():
		return core.Bad("fixed factors or a baseline on a sparse matrix; leave them out, or make M dense")
	case p.priors.any():
		return core.Bad("penalties, target sparsities or smoothness of %s on a sparse matrix; leave them out, or make M dense", d.Name)
	case p.lagrange.Multipliers == MultipliersStart:
		return core.Bad("multipliers %s on a sparse matrix; choose %s, or make M dense", MultipliersStart, MultipliersZero)
	case s.Observed != nil || s.Weights != nil:
		return core.Bad("a mask or weights with a sparse matrix; make M dense, or, if all that it does not store is missing, set SparseMissing")
	case s.SparseMissing && s.MissingSolver == MissingExact:
		return core.Bad("solver %s for what a sparse matrix does not store; choose %s, or make M dense and give a mask", MissingExact, MissingMajorize)
	case s.SparseMissing && p.lagrange.Solver == SolverADMM:
		return core.Bad("solver admm for a sparse matrix of which entries are missing; choose lagrangian")
	case s.SparseMissing && p.lagrange.ZeroMultiplier != nil:
		return core.Bad("a multiplier of the zeros of a matrix whose other entries are missing; leave it out")
	case p.lagrange.Feasible != "":
		return core.Bad("feasible %s on a sparse matrix; leave it out, or make M dense", p.lagrange.Feasible)
	}
	return method.Lagrangian{ZeroMultiplier: p.lagrange.ZeroMultiplier}.CheckZeroMultiplier(s.Iterations)
}
