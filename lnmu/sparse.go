package lnmu

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/method"
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
func NewCSR[T Float](d Dense[T]) CSR[T] {
	c := CSR[T]{Rows: d.Rows, Cols: d.Cols, Ptr: make([]int, d.Rows+1)}
	for i := range d.Rows {
		for j, x := range d.Row(i) {
			if x != 0 {
				c.Idx = append(c.Idx, int32(j))
				c.Val = append(c.Val, x)
			}
		}
		c.Ptr[i+1] = len(c.Val)
	}
	return c
}

// Dense returns the matrix with its zeros. It allocates Rows*Cols numbers.
func (c CSR[T]) Dense() Dense[T] {
	d := NewDense[T](c.Rows, c.Cols, nil)
	for i := range c.Rows {
		row := d.Row(i)
		for t := c.Ptr[i]; t < c.Ptr[i+1]; t++ {
			row[c.Idx[t]] = c.Val[t]
		}
	}
	return d
}

// Transposed returns a copy of the transpose, by a counting sort in O(Rows +
// Cols + len(Val)) time. The matrix must be well-formed (Validate).
func (c CSR[T]) Transposed() CSR[T] {
	t := CSR[T]{
		Rows: c.Cols, Cols: c.Rows,
		Ptr: make([]int, c.Cols+1), Idx: make([]int32, len(c.Idx)), Val: make([]T, len(c.Val)),
	}
	for _, j := range c.Idx {
		t.Ptr[j+1]++
	}
	for j := range t.Rows {
		t.Ptr[j+1] += t.Ptr[j]
	}
	// Ptr[j] moves to the end of row j, which is the start of row j+1.
	for i := range c.Rows {
		for at := c.Ptr[i]; at < c.Ptr[i+1]; at++ {
			j := c.Idx[at]
			to := t.Ptr[j]
			t.Idx[to], t.Val[to] = int32(i), c.Val[at]
			t.Ptr[j]++
		}
	}
	copy(t.Ptr[1:], t.Ptr)
	t.Ptr[0] = 0
	return t
}

// Validate reports whether c is well-formed with at least one row and one
// column (else the error wraps ErrShape) and holds values that are finite and
// not negative (else a *ValueError).
func (c CSR[T]) Validate() error { return c.validate("M", false) }

// validate is Validate for a matrix of that name, which may be a part without rows or
// columns.
func (c CSR[T]) validate(name string, part bool) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s "+format, append([]any{ErrShape, name}, args...)...)
	}
	switch {
	case c.Rows < 0 || c.Cols < 0:
		return bad("has %d rows and %d columns", c.Rows, c.Cols)
	case (c.Rows == 0 || c.Cols == 0) && !part:
		return bad("is empty (%d x %d)", c.Rows, c.Cols)
	case c.Rows > math.MaxInt32 || c.Cols > math.MaxInt32:
		return tooLong(name, c.Rows, c.Cols)
	case len(c.Ptr)-1 != c.Rows:
		return bad("has %d rows and %d row pointers, want %d", c.Rows, len(c.Ptr), c.Rows+1)
	case len(c.Idx) != len(c.Val):
		return bad("has %d column indices for %d values", len(c.Idx), len(c.Val))
	case c.Ptr[0] != 0 || c.Ptr[c.Rows] != len(c.Val):
		return bad("holds %d values but its row pointers go from %d to %d", len(c.Val), c.Ptr[0], c.Ptr[c.Rows])
	}
	for i, first := range c.Ptr[:c.Rows] {
		last := c.Ptr[i+1]
		if last < first || last > len(c.Val) {
			return bad("row %d: its values are %d to %d of %d", i, first, last, len(c.Val))
		}
		before := -1
		for t := first; t < last; t++ {
			j := int(c.Idx[t])
			switch {
			case j < 0 || j >= c.Cols:
				return bad("row %d has an entry in column %d of %d", i, j, c.Cols)
			case j == before:
				return bad("row %d has two entries in column %d; add them up", i, j)
			case j < before:
				return bad("row %d has column %d after column %d; sort its columns", i, j, before)
			}
			before = j
			if x := float64(c.Val[t]); !(x >= 0) || math.IsInf(x, 0) {
				return &core.ValueError{Matrix: name, Row: i, Col: j, Value: x}
			}
		}
	}
	return nil
}

// checkLines returns an error for the first row or column that stores nothing, if what
// is not stored is missing.
func (c CSR[T]) checkLines(missing bool) error {
	if !missing {
		return nil
	}
	for i := range c.Rows {
		if c.Ptr[i] == c.Ptr[i+1] {
			return unobserved("row", i)
		}
	}
	seen := make([]bool, c.Cols)
	for _, j := range c.Idx {
		seen[j] = true
	}
	if j := slices.Index(seen, false); j >= 0 {
		return unobserved("column", j)
	}
	return nil
}

// tooLong says that a matrix has too many rows or columns.
func tooLong(name string, rows, cols int) error {
	return fmt.Errorf("%w: %s is %d x %d; at most %d rows and columns of a sparse matrix are possible", ErrShape, name, rows, cols, math.MaxInt32)
}

// frobenius returns ||M||_F and the largest entry of a valid matrix, or an error if
// its squares leave the range of T.
func (c CSR[T]) frobenius(name string) (norm, largest float64, err error) {
	return frobenius(name, c, group.Self{})
}

// frobenius returns the same of a matrix of which several processes have rows.
func frobenius[T Float](name string, c CSR[T], comm group.Comm) (norm, largest float64, err error) {
	var all entriesSum[T]
	group.Ring(comm, group.Bytes(&all), func() { all.add(c.Val) })
	return all.result(name)
}

// entriesSum sums up entries in the order of their rows.
type entriesSum[T Float] struct {
	squares float64
	most    T
}

func (x *entriesSum[T]) add(val []T) {
	for _, v := range val {
		x.squares += float64(float64(v) * float64(v))
		x.most = max(x.most, v)
	}
}

// result returns the norm and the largest entry, or an error if the squares leave the
// range of T.
func (x *entriesSum[T]) result(name string) (norm, largest float64, err error) {
	if math.IsInf(float64(T(x.squares)), 0) {
		return 0, 0, fmt.Errorf("%w: the squares of %s overflow; scale %s down", ErrValue, name, name)
	}
	if x.most > 0 && x.most*x.most == 0 {
		return 0, 0, fmt.Errorf("%w: the squares of %s underflow; scale %s up", ErrValue, name, name)
	}
	return math.Sqrt(x.squares), float64(x.most), nil
}

// beginSparse checks the arguments of factorSparse. The source is the shape of M alone.
func beginSparse[T Float](ctx context.Context, m CSR[T], start given[T], method Method, settings *Settings) (src source[T], p resolved, s Settings, err error) {
	if err = cmp.Or(kernel.LevelError(), checkContext(ctx)); err != nil {
		return src, p, s, err
	}
	rows, cols := m.Rows, m.Cols
	if settings != nil && settings.Processes != nil {
		src, err = partIn[T](m.Rows, m.Cols, settings.Processes, core.Part(settings.Part))
		rows, cols = src.whole()
	}
	if err == nil {
		err = src.placed(m.validate("M", m.Rows < rows || m.Cols < cols))
	}
	if err != nil {
		return src, p, s, err
	}
	if src.share == nil {
		src = source[T]{rows: m.Rows, cols: m.Cols}.undivided()
	}
	if max(rows, cols) > math.MaxInt32 {
		return src, p, s, tooLong("M", rows, cols)
	}
	if err := start.check(m.Rows, m.Cols); err != nil {
		return src, p, s, err
	}
	p, s, err = prepare(rows, cols, start.rank, method, settings, start.start)
	if err != nil {
		return src, p, s, err
	}
	return src, p, s, cmp.Or(p.forSparse(s), m.checkLines(s.SparseMissing))
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
