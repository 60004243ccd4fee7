package lnmu

import (
	"context"
	"math"

	"nmu/lnmu/internal/check"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/support"
	"nmu/lnmu/outcome"
)

// Measures are the numbers by which the paper's tables compare factorizations.
type Measures struct {
	// RelativeError is ||M - V W||_F / ||M||_F, 0 for M = 0 and +Inf where the
	// squares overflow; MaxViolation is the largest entry of V W - M, or 0 if none is
	// positive. RelativeViolation is ||max(0, V W - M)||_F / ||M||_F.
	RelativeError, MaxViolation, RelativeViolation float64

	LargestEntry float64 // of M

	// Scale is the α that minimises ||M - α V W||_F (equation (scaling)), and
	// ScaledError that error divided by ||M||_F: the column "Scaled" (section 4.8). If
	// V W = 0 or M = 0, α is 0 or 1, and the error 1 or 0.
	Scale, ScaledError float64

	Basis, Weights outcome.Sparsity // of the columns of V, of the rows of W
}

// Measure compares V (m x r) and W (r x n), from any program, with M (m x n). For an Observed,
// all numbers but the sparsities refer to the observed entries. M may be any Matrix that Factor
// takes, in memory or in files. Several processes give their parts of M and of the factors, as to
// FactorFrom, and get the numbers of the whole. Of the settings, which may be nil, Measure uses
// Threads, and Scratch for a sparse M in files.
//
// It takes O(mnr) operations and no array of m x n numbers, or O(zr) for z stored entries if the
// others are missing. A CSR with a mask or weights is copied to a dense matrix. A matrix in files
// has the bits of the one in memory. Errors wrap ErrShape, ErrValue, ErrOption or ErrProcess, or
// are those of the reader.
func Measure[T Float](m Matrix[T], v, w Dense[T], settings *Settings) (res Measures, err error) {
	inner, o, err := unwrap(m)
	all := o.Comm()
	if err := group.Agree(all, err); err != nil {
		return res, err
	}
	its := check.Given(settings)
	asked := Settings{MissingSolver: MissingMajorize, Threads: its.Threads, Scratch: its.Scratch}
	x, p, s, err := begin(context.Background(), inner, o, given[T]{rank: v.Cols, v: v, w: w, start: true, copies: true}, NMF{Solver: SolverHALS}, &asked)
	if err := group.Agree(all, err); err != nil {
		return res, err
	}
	if err := x.Form.Same(all); err != nil {
		return res, err
	}
	never := func() bool { return false }
	session := core.Session{Comm: all, Threads: s.Threads, Scratch: s.Scratch, Interrupted: never, Cancelled: never, Over: never, Failed: func(error) {}}
	src, err := x.open(session, p.plan(s, v.Cols, false), p.Matrix, false)
	if err != nil {
		return res, err
	}
	defer src.Close()
	of, err := src.Survey()
	if err := group.Agree(all, err); err != nil {
		return res, err
	}
	found, err := src.Measure(v, w)
	if err != nil {
		return res, err
	}
	ofV, ofW := all, group.Comm(group.Self{})
	if o.Cols > o.Rows {
		ofV, ofW = ofW, ofV
	}
	res = Measures{MaxViolation: max(0, -found.E.Least), LargestEntry: of.Largest, Basis: sparsityOf(ofV, v.Transposed(), o.Rows), Weights: sparsityOf(ofW, w, o.Cols)}
	if of.Norm == 0 {
		res.Scale = 1
		return res, nil
	}
	res.RelativeError, res.RelativeViolation, res.ScaledError = math.Sqrt(found.E.Squares)/of.Norm, math.Sqrt(found.E.Excess)/of.Norm, 1
	if found.Fitted() {
		res.Scale, res.ScaledError = found.Alpha, math.Sqrt(found.Scaled.Squares)/of.Norm
	}
	return res, nil
}

// sparsityOf is factors.RowSparsity of rows of so many entries, of which each process has those of d.
func sparsityOf[T Float](all group.Comm, d Dense[T], length int) (s outcome.Sparsity) {
	s.Zeros, s.Hoyer = support.Sparsity(all, d, length)
	return s
}
