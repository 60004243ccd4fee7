package lnmu

import (
	"cmp"
	"context"

	"nmu/lnmu/internal/check"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/support"
)

// Improve computes the column "Improved" of the paper's tables (section 4.5). It rounds r.V and r.W
// by the 0.1 % rule, keeps these zeros, and makes iterations on the other entries, by default
// 100. So it compares the zeros of solutions of methods with different constraints.
//
// It uses V and W of r alone, and does not change them. Several processes give their parts, as to
// FactorFrom, and the rule regards the whole factors. The settings are those of FactorFrom. The
// method is one of the solvers of NMF: NMF{Solver: SolverHALS} is the paper's, and NMF{} reaches a
// smaller error. Errors and cancellation are those of Factor.
func (r *Result[T]) Improve(ctx context.Context, m Matrix[T], method NMF, settings *Settings) (*Result[T], error) {
	v, w, s := r.V, r.W, check.Given(settings)
	s.Iterations = cmp.Or(s.Iterations, 100)
	_, o, err := unwrap(m)
	all := o.Comm()
	if err := group.Agree(all, err); err != nil {
		return nil, err
	}
	if method.SumToOneV || method.SumToOneW {
		return nil, fault.Bad("sums of one for factors whose zeros stay, with which there may be no such sums; leave them out")
	}
	start := given[T]{rank: v.Cols, v: v, w: w, start: true, supports: true, copies: true}
	err, first := start.check(o.Own.Rows.Len(), o.Own.Cols.Len()), v.Cols
	if all.Broadcast(group.Bytes(&first)); first != v.Cols {
		err = fault.Bad("V has %d columns, and that of process 0 has %d", v.Cols, first)
	}
	if err := group.Agree(all, err); err != nil {
		return nil, err
	}
	start.v, start.w = support.Round(v, w, all)
	return factor(ctx, m, start, method, &s)
}
