package lnmu

import (
	"cmp"
	"context"
	"fmt"
	"nmu/internal/combination"
	"slices"

	"nmu/lnmu/internal/check"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/outcome"
)

// Continue adds factors to r, the result of a recursion. The result has the bits of a run of the
// given rank from its beginning. M, the method and the settings are those of r, whose rank is smaller.
//
// The start of a factor must not depend on the rank: Init is InitNested, or InitSVD, InitSPA or
// InitSNPA for one factor at a time, in both runs. A nil method is RNMU{}, the one that is a
// recursion. Restarts must be 1, the default here, since the best start at one rank need not be the
// best at another. FeasibleFinal is refused, since it changes the first factors too.
//
// Continue uses V, W and Blocks of r. It finds a last block that was cut short anew. Each
// known factor costs one residual, O(mn) operations. If the error of a known block differs,
// M is another matrix and the error wraps ErrCheckpoint. Other errors and cancellation are
// those of Factor.
func (r *Result[T]) Continue(ctx context.Context, m Matrix[T], rank int, method Method, settings *Settings) (*Result[T], error) {
	_, o, err := unwrap(m)
	if err != nil {
		return nil, err
	}
	if o.Processes != nil {
		return nil, fault.Bad("a result is continued by one process; give M itself, not a part")
	}
	method = cmp.Or[Method](method, RNMU{})
	start, s, err := goOn(r, rank, method, settings)
	if err == nil {
		v, w := r.V, r.W
		err = cmp.Or(matrix.CheckStart("V", v, o.Rows, v.Cols), matrix.CheckStart("W", w, v.Cols, o.Cols), matrix.CheckProduct("V W", v, w))
	}
	if err != nil {
		return nil, err
	}
	return factor(ctx, m, start, method, s)
}

// goOn returns the known blocks of a recursion, and the settings of the run that continues it.
func goOn[T Float](first *Result[T], rank int, method Method, settings *Settings) (given[T], *Settings, error) {
	none := given[T]{}
	if first == nil {
		return none, nil, fault.Bad("there is no result to continue")
	}
	s := check.Given(settings)
	s.Restarts = cmp.Or(s.Restarts, 1)
	p, err := method.prepare(max(rank, 1))
	if err != nil {
		return none, nil, err
	}
	f := combination.Of(p.method.Name())
	switch {
	case !f.Recursive:
		return none, nil, fault.Bad("method %s finds all factors at once, so that none can be added; choose %s", f.Name, names(func(f *combination.Facts) bool { return f.Recursive }))
	case s.Restarts != 1:
		return none, nil, fault.Bad("%d restarts of what is continued, of which the best one may be another at every rank; choose 1, also for the run that is to be continued", s.Restarts)
	case p.lagrange.Feasible == FeasibleFinal:
		return none, nil, fault.Bad("feasible %s changes the factors that are continued; choose %s", FeasibleFinal, FeasibleEach)
	case s.Init != InitNested && !(slices.Contains([]Choice{InitSVD, InitSPA, InitSNPA}, s.Init) && p.block == 1):
		return none, nil, fault.Bad("start %q, which depends on the rank, so that a run of rank %d has other first factors; only what began with start %s (or %s, %s or %s, for factors one at a time) can be continued", cmp.Or(s.Init, InitRandom), rank, InitNested, InitSVD, InitSPA, InitSNPA)
	}
	known, at := &Result[T]{V: first.V, W: first.W}, 0
	for _, b := range first.Blocks {
		if b.Stop == outcome.StopTime || b.Stop == outcome.StopCancelled {
			break
		}
		if b.Rank <= at || b.Rank > min(first.V.Cols, first.W.Rows) {
			return none, nil, fmt.Errorf("%w: a block of the result ends at factor %d, after %d of %d", ErrShape, b.Rank, at, first.V.Cols)
		}
		if b.Rank != min(at+p.block, rank) {
			return none, nil, fault.Bad("factors %d to %d were found together, and in a run of rank %d by blocks of %d they are not; choose the rank or the blocks otherwise", at+1, b.Rank, rank, p.block)
		}
		known.Blocks = append(known.Blocks, b)
		at = b.Rank
	}
	return given[T]{rank: rank, known: known}, &s, nil
}
