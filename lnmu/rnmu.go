package lnmu

import (
	"nmu/internal/combination"
	"nmu/lnmu/internal/check"
	"nmu/lnmu/internal/fault"
)

// RNMU is recursive underapproximation, R-NMU: Algorithm L-NMU finds one factor, or Block of
// them, and goes on with the residual (section 2.1). The first k factors are the result for
// rank k. GNMU has the options of Algorithm L-NMU.
//
// The thresholds, the sparsities and the smoothness are priors: prior knowledge that the factors are
// sparse, or smooth pictures. They need blocks of one factor, the norm L2 and SolverLagrangian.
//
// # Sparsity
//
// With penalties the step for one factor is (N. Gillis and R. J. Plemmons, Sparse
// nonnegative matrix underapproximation and its application to hyperspectral image
// analysis, Linear Algebra and its Applications 438, 2013)
//
//	v_i <- max(0, n_i·w/||w|| - λ)/||w||
//
// and the same for w. The penalty refers to a w of norm 1, so that no other scale of the
// factors evades it. λ is ThresholdV times the largest n_i·w/||w|| of the first iteration of the
// factor. With SparsityV, every step multiplies λ by 0.95 if v has more zeros than that, or by
// 1.05 if it has fewer. A λ under which v would vanish becomes 0.99 times the largest
// n_i·w/||w||: see Block.Lowered.
//
// # Smoothness
//
// A factor that shows a picture, such as the abundances of a material in an image, is a
// minimum of
//
//	1/2 Σ_i (v_i - y_i)² + λ Σ_i v_i + SmoothV D(v)   over v >= 0, with y = N w/||w||
//
// where D is half the sum of squares of the differences between neighbours above,
// below, left and right of each other (L2), or max(v) times the sum of their absolute
// values (L1). This is the model PNMU (N. Gillis, R. J. Plemmons and Q. Zhang, Priors
// in sparse recursive decompositions of hyperspectral images, SPIE 2012; G. Casalino
// and N. Gillis, Sequential dimensionality reduction for extracting localized features,
// Pattern Recognition 63, 2017), with weights that do not depend on the scale of M. L2
// blurs borders, L1 keeps them.
//
// The papers take projected gradient steps for v. Here a step makes a few sweeps over the
// pixels, from the v of the last step: first over one colour of a chessboard, then over the
// other. Pixels of one colour do not depend on each other. With L1 the absolute values are
// weighted squares, as in the papers; the weights follow the differences down to 1 % of the
// largest entry of v.
//
// A prior on the factor of the longer side of M makes a step read N twice, since λ and the
// neighbours need all products with N. A prior on the other factor costs O(m) or O(n)
// operations.
type RNMU struct {
	GNMU

	// Block is the number of factors that are found together; default 1. With all of
	// them it is GNMU.
	Block int

	// Norm is the norm that is minimised; default L2. See L1.
	Norm Choice

	// ThresholdV and ThresholdW give the first penalties, from 0 to 1: entries up to that part of
	// the largest one become zero. SparsityV and SparsityW, up to 1, are the target parts of
	// zeros in each column of V and each row of W. The penalties are adapted to them, and
	// begin as 0.1 if they are 0.
	ThresholdV, ThresholdW float64
	SparsityV, SparsityW   float64

	// SmoothV and SmoothW weight the differences between neighbours in the pictures that the
	// columns of V and the rows of W show. ShapeV and ShapeW are the heights and widths of these
	// pictures, whose pixels lie line by line; if they lie column by column, those of the transposed
	// pictures. SmoothNorm is the norm of the differences, by default L1.
	SmoothV, SmoothW float64
	ShapeV, ShapeW   [2]int
	SmoothNorm       Choice
}

// Name implements Method.
func (m RNMU) Name() string { return combination.RNMU.Name }

// Underapproximates implements Method.
func (m RNMU) Underapproximates() bool { return combination.RNMU.Underapproximates }

func (m RNMU) prepare(rank int) (resolved, error) {
	if err := check.Count("block", &m.Block, 1); err != nil {
		return resolved{}, err
	}
	m.Block = min(m.Block, rank)
	if err := m.check(m.Block); err != nil {
		return resolved{}, err
	}
	if err := m.checkNorm(); err != nil {
		return resolved{}, err
	}
	if err := m.checkPriors(); err != nil {
		return resolved{}, err
	}
	return resolved{method: m, block: m.Block, priors: m.priors(), lagrange: &m.GNMU, usual: m.iterations(m.Block), norm: m.Norm, solve: m.relax(m.Norm, m.priors())}, nil
}

// checkNorm fills in the norm and checks that the other options go with it.
func (m *RNMU) checkNorm() error {
	switch {
	case m.Norm == "":
		m.Norm = L2
	case m.Norm == L1 && m.Block != 1:
		return fault.Bad("norm l1 with blocks of %d; it finds one factor at a time", m.Block)
	case m.Norm == L1 && m.Solver == SolverADMM:
		return fault.Bad("norm l1 with solver admm, whose target is for l2; choose solver lagrangian")
	case m.Norm == L1 && m.Feasible != "":
		return fault.Bad("norm l1 with feasible %s, whose exact step is for l2", m.Feasible)
	}
	return check.Word("norm", m.Norm, combination.Norms)
}
