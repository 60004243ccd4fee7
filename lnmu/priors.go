package lnmu

import (
	"cmp"
	"fmt"
	"nmu/internal/combination"

	"nmu/lnmu/internal/check"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/fault"
)

// Priors hold prior knowledge of the factors of a recursion: that they are sparse, or smooth
// pictures. The zero value stands for none and changes no bit.
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
type Priors struct {
	// ThresholdV and ThresholdW give the first penalties, from 0 to 1: entries up to that part of
	// the largest one become zero. SparsityV and SparsityW, up to 1, are the target parts of
	// zeros in each column of V and each row of W. The penalties are adapted to them, and
	// begin as 0.1 if they are 0.
	ThresholdV, ThresholdW float64
	SparsityV, SparsityW   float64

	// SmoothV and SmoothW weight the differences between neighbours in the pictures that the
	// columns of V and the rows of W show. ShapeV and ShapeW are the sizes of these pictures.
	// SmoothNorm is the norm of the differences, by default L1.
	SmoothV, SmoothW float64
	ShapeV, ShapeW   Shape
	SmoothNorm       Choice
}

// Shape is the size of a picture whose pixels lie line by line. If they lie column by column,
// it is the size of the transposed picture.
type Shape struct{ Height, Width int }

// String returns the shape as HEIGHTxWIDTH.
func (s Shape) String() string { return fmt.Sprintf("%dx%d", s.Height, s.Width) }

// maxSmooth is the largest SmoothV and SmoothW. Far smaller ones already make a picture
// uniform.
const maxSmooth = 1e6

// any reports whether there is a prior.
func (p Priors) any() bool { return p.of(true) != (core.Prior{}) || p.of(false) != (core.Prior{}) }

// of returns the prior of V, or of W.
func (p Priors) of(v bool) core.Prior {
	x, shape := core.Prior{Penalty: p.ThresholdW, Sparsity: p.SparsityW, Smooth: p.SmoothW}, p.ShapeW
	if v {
		x, shape = core.Prior{Penalty: p.ThresholdV, Sparsity: p.SparsityV, Smooth: p.SmoothV}, p.ShapeV
	}
	if x == (core.Prior{}) {
		return x
	}
	x.Absolute, x.Height, x.Width = p.SmoothNorm == L1, shape.Height, shape.Width
	return x
}

// firstPart is the first penalty for a target sparsity without a penalty.
const firstPart = 0.1

// checkPriors fills in the defaults of the priors, and checks the other options against them.
func (m *RNMU) checkPriors() error {
	p := &m.Priors
	err := cmp.Or(
		check.Number("threshold of V", p.ThresholdV, 1), check.Number("threshold of W", p.ThresholdW, 1),
		check.Number("target sparsity of V", p.SparsityV, 1), check.Number("target sparsity of W", p.SparsityW, 1),
		check.Number("smoothness of V", p.SmoothV, maxSmooth), check.Number("smoothness of W", p.SmoothW, maxSmooth),
	)
	if err != nil {
		return err
	}
	if p.SmoothV == 0 && p.SmoothW == 0 {
		if p.SmoothNorm != "" {
			return fault.Bad("norm %s of differences without smoothness; set the smoothness of V or W", p.SmoothNorm)
		}
	} else {
		if p.SmoothNorm == "" {
			p.SmoothNorm = L1
		}
		if err := check.Word("norm of differences", p.SmoothNorm, combination.Norms); err != nil {
			return err
		}
	}
	if !p.any() {
		return nil
	}
	for _, x := range []struct{ penalty, sparsity *float64 }{{&p.ThresholdV, &p.SparsityV}, {&p.ThresholdW, &p.SparsityW}} {
		if *x.sparsity > 0 && *x.penalty == 0 {
			*x.penalty = firstPart
		}
	}
	const who = "penalties, target sparsities or smoothness"
	switch {
	case m.Block != 1:
		return fault.Bad("%s with blocks of %d; they are for one factor at a time", who, m.Block)
	case m.Norm != L2:
		return fault.Bad("%s with norm %s; choose %s", who, m.Norm, L2)
	case m.Solver != SolverLagrangian:
		return fault.Bad("%s with solver %s; choose %s", who, m.Solver, SolverLagrangian)
	case m.Feasible != "":
		return fault.Bad("%s with feasible %s, whose exact step knows nothing of them; leave one of them out", who, m.Feasible)
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
			return fault.Bad("smoothness of %s without the shape of the pictures that it shows; set it", x.name)
		case s == (Shape{}):
		case x.smooth == 0:
			return fault.Bad("shape %v of the pictures in %s without smoothness; set that too", s, x.name)
		case s.Height < 1 || s.Width < 1 || x.length%s.Height != 0 || x.length/s.Height != s.Width:
			return fault.Bad("shape %v of the pictures in %s, which have %d pixels", s, x.name, x.length)
		}
	}
	return nil
}
