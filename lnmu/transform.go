package lnmu

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/check"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/engine"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/outline"
	"nmu/lnmu/internal/tiles"
	"nmu/lnmu/internal/weighing"
	"nmu/lnmu/outcome"
)

// TransformSettings say how to find weights for new columns. Nil settings, and the
// zero value of each field, stand for the default.
type TransformSettings struct {
	// Feasible asks for V W <= M, exactly in floating point, as FeasibleFinal
	// describes it: one quadratic program for each column, without iterations.
	Feasible bool

	// SumToOne asks for columns of W with the sum 1, within rounding: fully constrained
	// abundances, if V has the spectra of materials (D. C. Heinz and C.-I Chang, IEEE Trans.
	// Geoscience and Remote Sensing 39, 2001). Each is the solution of a quadratic program,
	// without iterations. It does not go with Feasible, since what is below M need not have
	// this sum.
	SumToOne bool

	// Divergence asks for the weights that minimise the Kullback-Leibler divergence
	// D(M | V W) instead of ||M - V W||_F. They are for a basis that KL has found. The steps are
	// those of SolverCoordinate. Divergence does not go with Feasible or SumToOne.
	Divergence bool

	// Iterations is the largest number of iterations for a column, default 1000. A column is done
	// when its KKT residual, the largest entry of |min(w, g)| with the weights w of the column and
	// their gradient g, is at most Tolerance. Neither goes with Feasible or SumToOne.
	//
	//	                               without Divergence        with Divergence
	//	an iteration                   a HALS sweep              two steps for each weight
	//	columns of M and V, as scaled  have the norm 1           have the sum 1
	//	checks                         before the first sweep,   before every iteration
	//	                               after every tenth
	//	default of Tolerance           1e-6, or 1e-4 (float32)   1e-4
	Iterations int
	Tolerance  float64

	// Threads is the number of goroutines that compute; default GOMAXPROCS. The
	// result does not depend on it.
	Threads int
}

// Transformed holds weights for new columns.
type Transformed[T Float] struct {
	W Dense[T] // r x n
	outcome.Fit
}

// Transform finds weights W >= 0 (r x n) for the columns of a nonnegative m x n
// matrix M, given a basis V (m x r) from a factorization of other columns. It minimises
// ||M - V W||_F over W >= 0 by the HALS updates of equation (halsW). Feasible adds the
// constraint V W <= M, and SumToOne demands columns of W with the sum 1. With Divergence, it
// minimises D(M | V W) instead.
//
// Mind the order of M and V: exchanged matrices with equally many rows are a problem as well.
// Result.Transform takes V and the kind of its weights from a Result.
//
// The iterations begin with the start W (r x n), which Transform does not change. For the zero Dense
// they begin with 0 or, with Divergence, with equal parts of the topics. The solutions with
// Feasible and SumToOne depend on no start, and a start is refused.
//
// The weights of a column do not depend on the other columns, since each column has its own
// problem and its own end. A CSR has the same weights, bit for bit, as the same matrix in any other
// form.
//
// A row of V that is NaN as a whole was left out of the run that found V. Neither the row nor the
// entries of M in it count.
//
// Operations for a column:
//
//	without an option   2mr, and 2r² for each sweep
//	of a CSR            2r for each stored entry, and 2r² for each sweep
//	with a mask         O(mr²) more if entries are missing, for a Gram matrix of the column
//	Feasible            those of the exact step
//	SumToOne            O(r³) for each factor that the column begins or ceases to use
//	Divergence          some 22r for each positive entry and iteration, 2r of them divisions
//
// There is one product with M for any number of sweeps, which is what SolverAccelerated saves
// elsewhere. Its extrapolation does not pay here: it halves the number of sweeps, and each costs
// twice as much. For a CSR, no array of m x n numbers is formed, unless an Observed around it has a
// mask or weights, which are such arrays.
//
// Errors wrap ErrShape, ErrOption or ErrValue. If ctx is cancelled, Transform returns the finished
// columns and the cause.
func Transform[T Float](ctx context.Context, m Matrix[T], v, w Dense[T], settings *TransformSettings) (*Transformed[T], error) {
	if err := cmp.Or(kernel.LevelError(), check.Context(ctx)); err != nil {
		return nil, err
	}
	m, v, kept, err := withoutBlank(m, v)
	if err != nil {
		return nil, err
	}
	res, err := transformKept(ctx, v, w, m, settings)
	return res, placed(err, kept)
}

// Transform finds weights for the columns of M in the basis r.V, as the method of r found those of
// its own columns. It is the function Transform with Divergence for a result of KL, unless the
// settings ask for Feasible or SumToOne. For a result of NMF with SumToOneW it is the one with
// SumToOne, unless they ask for Feasible or Divergence. Penalties of the method do not count.
func (r *Result[T]) Transform(ctx context.Context, m Matrix[T], settings *TransformSettings) (*Transformed[T], error) {
	s := check.Given(settings)
	s.Divergence = s.Divergence || r.divergence && !s.exact()
	s.SumToOne = s.SumToOne || r.sumToOne && !s.Feasible && !s.Divergence
	return Transform(ctx, m, r.V, Dense[T]{}, &s)
}

// transformKept is Transform for a V that has left out no row.
func transformKept[T Float](ctx context.Context, v, w Dense[T], m Matrix[T], settings *TransformSettings) (*Transformed[T], error) {
	inner, o, err := unwrap(m)
	if err != nil {
		return nil, err
	}
	if o.StoredOnly {
		return nil, fault.Bad("new columns with unstored entries missing; make M dense and give a mask")
	}
	x, opt, err := columnsOf(inner, o, v, settings)
	if err != nil {
		return nil, err
	}
	if w.Data != nil {
		if opt.exact() {
			return nil, fault.Bad("a start W for an exact solution, which does not depend on it; leave it out")
		}
		if err := matrix.CheckStart("W", w, v.Cols, o.Cols); err != nil {
			return nil, err
		}
		if err := matrix.CheckProduct("V times the start W", v, w); err != nil {
			return nil, err
		}
	}
	return transformed(ctx, x, v, w, opt)
}

// columnsOf returns the valid new columns m, and the settings with the defaults for the basis v.
func columnsOf[T Float](m Matrix[T], o outline.Matrix, v Dense[T], settings *TransformSettings) (x weighing.Checked[T], opt TransformSettings, err error) {
	if o.Processes != nil {
		return nil, opt, fault.Bad("the part of a process; this is for Factor and FactorFrom")
	}
	in, err := operandOf(m, o, o.Entries.Incomplete())
	if err != nil {
		return nil, opt, err
	}
	if in.Files {
		return nil, opt, fault.Bad("M is stored, which is for Factor, FactorFrom and Continue; read it into memory")
	}
	if opt, err = newColumns(v, o.Rows, settings); err != nil {
		return nil, opt, err
	}
	if in.Sparse {
		x, err = engine.Of[T]().CheckSparse(tiles.CSR[T](in.csr), opt.Threads)
		return x, opt, err
	}
	entries, err := o.Entries.Settle(o.Comm(), o.Part(), o.Rows, o.Cols)
	if err == nil {
		err = entries.CheckColumns(o.Comm(), o.Part())
	}
	if err == nil {
		x, err = engine.Of[T]().CheckDense(in.dense, entries, opt.Threads)
	}
	return x, opt, err
}

// transformed finds the weights, with all defaults.
func transformed[T Float](ctx context.Context, x weighing.Checked[T], v, w Dense[T], opt TransformSettings) (*Transformed[T], error) {
	w, found, e, bound := x.Transform(func() bool { return ctx.Err() != nil }, v, w, core.Weighing(opt))
	res := &Transformed[T]{W: w, Fit: outcome.Fit{
		MaxViolation: max(0, -e.Least), ViolationBound: bound,
		IterationsDone: found.Iterations, KKT: found.KKT, Finished: found.Finished, Stop: outcome.StopTolerance,
	}}
	if norm := x.Norm(); norm > 0 {
		res.RelativeError = math.Sqrt(e.Squares) / norm
	}
	if found.Null > 0 {
		res.RelativeDivergence = found.Divergence / found.Null
	}
	if !opt.exact() && res.KKT > opt.Tolerance {
		res.Stop = outcome.StopIterations
	}
	if err := fault.InRange(res.RelativeError, res.MaxViolation); err != nil {
		return nil, err
	}
	if res.Finished < w.Cols {
		res.Stop = outcome.StopCancelled
		return res, fmt.Errorf("transform stopped early: %w", context.Cause(ctx))
	}
	return res, nil
}

// newColumns checks the basis for new columns of so many entries, and returns the settings with
// the defaults for the precision of the basis.
func newColumns[T Float](v Dense[T], rows int, settings *TransformSettings) (opt TransformSettings, err error) {
	if err := matrix.Check("V", v); err != nil {
		return opt, err
	}
	if v.Rows != rows {
		return opt, fmt.Errorf("%w: V has %d rows and M has %d; they must be the same", ErrShape, v.Rows, rows)
	}
	if opt, err = settings.withDefaults(matrix.Epsilon[T]()); err == nil {
		err = engine.Of[T]().CheckNorm("V", v, opt.Threads)
	}
	return opt, err
}

// exact reports whether the weights are solutions of quadratic programs.
func (s *TransformSettings) exact() bool { return s.Feasible || s.SumToOne }

// withDefaults fills in the defaults for numbers of the given precision.
func (s *TransformSettings) withDefaults(precision float64) (TransformSettings, error) {
	o := check.Given(s)
	if err := check.Number("tolerance", o.Tolerance, math.Inf(1)); err != nil {
		return o, err
	}
	switch {
	case o.Feasible && o.SumToOne:
		return o, fault.Bad("weights with V W <= M that sum to one, which need not exist; choose one of them")
	case o.exact() && o.Divergence:
		return o, fault.Bad("weights by the divergence under V W <= M or with sums of one, for which there is no solver; choose one of them")
	case o.exact() && (o.Iterations > 0 || o.Tolerance > 0):
		return o, fault.Bad("iterations or a tolerance for an exact solution, which has none; leave them out")
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-6
		if precision > 1e-9 || o.Divergence {
			o.Tolerance = 1e-4
		}
	}
	return o, cmp.Or(
		check.Count("number of iterations", &o.Iterations, 1000),
		check.Threads(&o.Threads),
	)
}
