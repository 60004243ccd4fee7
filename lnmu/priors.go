package lnmu

import (
	"fmt"

	"nmu/lnmu/internal/core"
)

// Priors are what is known of the factors of a recursion beforehand. The zero value is
// that nothing is: then RNMU gives the bits that it gives without them.
//
// # Sparsity
//
// With penalties the step for one factor is (N. Gillis and R. J. Plemmons, Sparse
// nonnegative matrix underapproximation and its application to hyperspectral image
// analysis, Linear Algebra and its Applications 438, 2013)
//
//	v_i <- max(0, n_i·w/||w|| - λ)/||w||
//
// and the same for w: the penalty refers to a w of norm 1, so that no other scale of
// the factors evades it. λ is PenaltyV times the largest n_i·w/||w|| of the first
// iteration of the factor. With SparsityV it then changes by a factor 0.95 or 1.05 with
// every step, as v has more zeros than wanted, or fewer. A λ under which nothing would be
// left of v becomes 0.99 times the largest n_i·w/||w||: see Block.Lowered.
//
// # Smoothness
//
// A factor that shows a picture, as the abundances of a material in an image do, is a
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
// The papers take projected gradient steps for v; here it is a few sweeps over the
// pixels from where the last step has ended, first those of one colour of a
// chessboard, then the others, which do not depend on each other. With L1 the absolute
// values are weighted squares, as in the papers, whose weights follow the differences
// down to 1 % of the largest entry of v.
//
// A prior on the factor of the longer side of M makes a step read N twice, since all
// products with N must be there before λ or a neighbour is known; one on the other
// factor costs nothing but O(m) or O(n) operations.
type Priors struct {
	// PenaltyV and PenaltyW are the penalties at first, from 0 to 1: the entries up to
	// that part of the largest one become zero. SparsityV and SparsityW, up to 1, are
	// the parts of zeros in each column of V and each row of W towards which the
	// penalties are adapted; a penalty that is 0 then begins with 0.1.
	PenaltyV, PenaltyW   float64
	SparsityV, SparsityW float64

	// SmoothV and SmoothW are the weights of the differences between neighbours in the
	// pictures that the columns of V and the rows of W show, and ShapeV and ShapeW the
	// sizes of these. SmoothNorm is that of the differences, by default L1.
	SmoothV, SmoothW float64
	ShapeV, ShapeW   Shape
	SmoothNorm       Norm
}

// Shape is the size of a picture, whose pixels are line by line. One whose pixels are
// column by column is that of the transposed picture.
type Shape struct{ Height, Width int }

// String returns the shape as HEIGHTxWIDTH.
func (s Shape) String() string { return fmt.Sprintf("%dx%d", s.Height, s.Width) }

// maxSmooth is the largest SmoothV and SmoothW. From far below that, a picture is the
// same everywhere.
const maxSmooth = 1e6

// any reports whether anything is known.
func (p Priors) any() bool { return p.of(true) != (core.Prior{}) || p.of(false) != (core.Prior{}) }

// of returns what is known of V, or of W; the zero prior if nothing is.
func (p Priors) of(v bool) core.Prior {
	x, shape := core.Prior{Penalty: p.PenaltyW, Sparsity: p.SparsityW, Smooth: p.SmoothW}, p.ShapeW
	if v {
		x, shape = core.Prior{Penalty: p.PenaltyV, Sparsity: p.SparsityV, Smooth: p.SmoothV}, p.ShapeV
	}
	if x == (core.Prior{}) {
		return x
	}
	x.Absolute, x.Height, x.Width = p.SmoothNorm == L1, shape.Height, shape.Width
	return x
}

// firstPart is the penalty that is adapted first, unless it is given.
const firstPart = 0.1

// checkPriors fills in their defaults, and checks that the other options go with them.
func (m *RNMU) checkPriors() error {
	p := &m.Priors
	for _, x := range []fraction{
		{"penalty of V", p.PenaltyV, 1}, {"penalty of W", p.PenaltyW, 1},
		{"target sparsity of V", p.SparsityV, 1}, {"target sparsity of W", p.SparsityW, 1},
		{"smoothness of V", p.SmoothV, maxSmooth}, {"smoothness of W", p.SmoothW, maxSmooth},
	} {
		if err := x.check(); err != nil {
			return err
		}
	}
	if p.SmoothV == 0 && p.SmoothW == 0 {
		if p.SmoothNorm != "" {
			return core.Bad("norm %s of differences without smoothness; set the smoothness of V or W", p.SmoothNorm)
		}
	} else {
		if p.SmoothNorm == "" {
			p.SmoothNorm = L1
		}
		if err := known("norm of differences", p.SmoothNorm, norms); err != nil {
			return err
		}
	}
	if !p.any() {
		return nil
	}
	for _, x := range []struct{ penalty, sparsity *float64 }{{&p.PenaltyV, &p.SparsityV}, {&p.PenaltyW, &p.SparsityW}} {
		if *x.sparsity > 0 && *x.penalty == 0 {
			*x.penalty = firstPart
		}
	}
	const who = "penalties, target sparsities or smoothness"
	switch {
	case m.Block != 1:
		return core.Bad("%s with blocks of %d; they are for one factor at a time", who, m.Block)
	case m.Norm != L2:
		return core.Bad("%s with norm %s; choose %s", who, m.Norm, L2)
	case m.Solver != SolverLagrangian:
		return core.Bad("%s with solver %s; choose %s", who, m.Solver, SolverLagrangian)
	case m.Feasible != "":
		return core.Bad("%s with feasible %s, whose exact step knows nothing of them; leave one of them out", who, m.Feasible)
	}
	return nil
}

// checkShapes checks the sizes of pictures in the factors of an m x n matrix.
func (p Priors) checkShapes(m, n int) error {
	for _, x := range []struct {
		name   string
		smooth float64
		shape  Shape
		length int
	}{{"V", p.SmoothV, p.ShapeV, m}, {"W", p.SmoothW, p.ShapeW, n}} {
		s := x.shape
		switch {
		case s == (Shape{}) && x.smooth > 0:
			return core.Bad("smoothness of %s without the shape of the pictures that it shows; set it", x.name)
		case s == (Shape{}):
		case x.smooth == 0:
			return core.Bad("shape %v of the pictures in %s without smoothness; set that too", s, x.name)
		case s.Height < 1 || s.Width < 1 || x.length%s.Height != 0 || x.length/s.Height != s.Width:
			return core.Bad("shape %v of the pictures in %s, which have %d pixels", s, x.name, x.length)
		}
	}
	return nil
}
