package lnmu

import (
	"context"

	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/sparse"
)

// Improve is the column "Improved" of the paper's tables (section 4.5): it rounds
// V and W by the 0.1 % rule, keeps the zeros as they are then, and makes HALS
// steps on the other entries, 100 unless settings say otherwise. It
// compares the supports of solutions, whatever else their methods had to respect.
//
// V (m x r) and W (r x n) are not changed. Several processes give their parts, as to
// FactorFrom; the rule regards the whole factors. The settings are those of Factor from a
// given start, and the method is one of the solvers of NMF: 100 iterations of
// SolverAccelerated go farther than those of the paper, which NMF{} stands for. Errors and
// cancellation are those of Factor.
func Improve[T Float](ctx context.Context, m Matrix[T], v, w Dense[T], method NMF, settings *Settings) (*Result[T], error) {
	var s Settings
	if settings != nil {
		s = *settings
	}
	if s.Iterations == 0 {
		s.Iterations = 100
	}
	all := processesOf(&s)
	// Factor refuses a CSR that is not valid. A part of one may be empty.
	if c, ok := m.(CSR[T]); ok && sparse.CSR[T](c).Validate("M", all.Size() > 1) == nil {
		m = c.Dense()
	}
	start := given[T]{rank: v.Cols, v: v, w: w, start: true, supports: true}
	if m != nil {
		rows, cols := m.Dims()
		first := v.Cols
		all.Broadcast(group.Bytes(&first))
		err := start.check(rows, cols)
		if first != v.Cols {
			err = core.Bad("V has %d columns, and that of process 0 has %d", v.Cols, first)
		}
		if err := group.Agree(all, err); err != nil {
			return nil, err
		}
		start.v, start.w = matrix.Clone(v), matrix.Clone(w)
		roundBasis(start.v, all)
		roundWeights(start.w, all)
	}
	return instance[factoring[T]](factor32, factor64)(ctx, m, start, method, &s)
}
