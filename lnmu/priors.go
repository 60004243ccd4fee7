package lnmu

import (
	"cmp"
	"nmu/internal/combination"

	"nmu/lnmu/internal/check"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/fault"
)

// maxSmooth is the largest SmoothV and SmoothW. Far smaller ones already make a picture
// uniform.
const maxSmooth = 1e6

func (m *RNMU) priors() [2]core.Prior {
	all, shapes := [2]core.Prior{
		{Penalty: m.ThresholdV, Sparsity: m.SparsityV, Smooth: m.SmoothV},
		{Penalty: m.ThresholdW, Sparsity: m.SparsityW, Smooth: m.SmoothW},
	}, [2][2]int{m.ShapeV, m.ShapeW}
	for i, x := range all {
		if x != (core.Prior{}) {
			all[i].Absolute, all[i].Height, all[i].Width = m.SmoothNorm == L1, shapes[i][0], shapes[i][1]
		}
	}
	return all
}

// firstPart is the first penalty for a target sparsity without a penalty.
const firstPart = 0.1

// checkPriors fills in the defaults of the priors, and checks the other options against them.
func (m *RNMU) checkPriors() error {
	err := cmp.Or(
		check.Number("threshold of V", m.ThresholdV, 1), check.Number("threshold of W", m.ThresholdW, 1),
		check.Number("target sparsity of V", m.SparsityV, 1), check.Number("target sparsity of W", m.SparsityW, 1),
		check.Number("smoothness of V", m.SmoothV, maxSmooth), check.Number("smoothness of W", m.SmoothW, maxSmooth),
	)
	if err != nil {
		return err
	}
	if m.SmoothV == 0 && m.SmoothW == 0 {
		if m.SmoothNorm != "" {
			return fault.Bad("norm %s of differences without smoothness; set the smoothness of V or W", m.SmoothNorm)
		}
	} else {
		if m.SmoothNorm == "" {
			m.SmoothNorm = L1
		}
		if err := check.Word("norm of differences", m.SmoothNorm, combination.Norms); err != nil {
			return err
		}
	}
	for _, x := range []struct {
		name   string
		smooth float64
		shape  [2]int
	}{{"V", m.SmoothV, m.ShapeV}, {"W", m.SmoothW, m.ShapeW}} {
		switch given := x.shape != [2]int{}; {
		case x.smooth > 0 && !given:
			return fault.Bad("smoothness of %s without the shape of the pictures that it shows; set it", x.name)
		case x.smooth == 0 && given:
			return fault.Bad("shape %dx%d of the pictures in %s without smoothness; set that too", x.shape[0], x.shape[1], x.name)
		}
	}
	if m.priors() == [2]core.Prior{} {
		return nil
	}
	for _, x := range []struct{ penalty, sparsity *float64 }{{&m.ThresholdV, &m.SparsityV}, {&m.ThresholdW, &m.SparsityW}} {
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
func (p resolved) checkShapes(m, n int) error {
	for i, x := range p.priors {
		name, pixels := [2]string{"V", "W"}[i], [2]int{m, n}[i]
		if x.Smooth > 0 && (x.Height < 1 || x.Width < 1 || pixels%x.Height != 0 || pixels/x.Height != x.Width) {
			return fault.Bad("shape %dx%d of the pictures in %s, which have %d pixels", x.Height, x.Width, name, pixels)
		}
	}
	return nil
}
