package dense

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/prior"
	"nmu/lnmu/internal/state"
)

// mostApart is the ratio of ||V||² to ||W||² above which they are brought together: a
// penalty makes one factor shorter with every step, and the next step the other one
// longer.
const mostApart = 0x1p40

// relaxedPriors is the relaxation of a dense problem of rank 1 with priors.
type relaxedPriors[T kernel.Float] struct {
	*relaxedDense[T]
	ofLong, ofShort *prior.Step[T]   // nil without a prior
	factor          kernel.Matrix[T] // room for the long factor of all processes
}

// with returns the relaxation with priors.
func (r *relaxedDense[T]) with(v, w core.Prior) *relaxedPriors[T] {
	long, short := v, w
	if !r.solver.tall {
		long, short = w, v
	}
	x := &relaxedPriors[T]{relaxedDense: r}
	if !r.solver.short.Held.Has(0) {
		x.ofShort = prior.New[T](r.solver.Team, short)
	}
	if !r.solver.long.Held.Has(0) {
		x.ofLong = prior.New[T](r.solver.Team, long)
	}
	if x.ofLong != nil {
		x.factor = r.solver.roomFor(1)
	}
	return x
}

// Keep implements core.Relaxed.
func (r *relaxedPriors[T]) Keep(zeros, rho float64) {
	ofV, ofW := r.solver.V, r.solver.W
	v, w := float64(ofV.Gram.Data[0]), float64(ofW.Gram.Data[0])
	held := ofV.Held.Has(0) || ofW.Held.Has(0) // a held factor fixes the scale
	if !held && v > 0 && w > 0 && (v > mostApart*w || w > mostApart*v) {
		_, e := math.Frexp(math.Sqrt(math.Sqrt(w) / math.Sqrt(v)))
		r.solver.Shift(math.Ldexp(1, e)) // changes no bit of V W
	}
	r.relaxedDense.Keep(zeros, rho)
}

// Step implements core.Relaxed.
func (r *relaxedPriors[T]) Step(mu float64, first, last bool) (alive bool) {
	when, by := r.solver.update(r.pending, mu, first, last)
	if !r.solver.tall {
		r.renewShortBy()
	}
	r.renewLongBy(when, by)
	if r.solver.tall {
		r.renewShortBy()
	}
	return !r.solver.Vanished()
}

// renewLongBy is a pass that renews the long factor, with its prior if there is one.
func (r *relaxedPriors[T]) renewLongBy(when kernel.When, mu float64) {
	if r.ofLong == nil {
		r.solver.pass(when, mu, true)
		return
	}
	before := kernel.Never
	if when == kernel.Before {
		before, when = when, kernel.Never
	}
	r.solver.multiply(before, mu)
	if whole := r.solver.gather(r.solver.long.X, r.factor); !r.solver.lines.Aborted() { // else the products are not those of all rows
		r.ofLong.Renew(whole.Row(0), r.solver.products, r.solver.short.Gram)
		matrix.CopyRows(r.solver.long.X, r.solver.own(whole))
	}
	r.solver.pass(when, mu, false)
}

// renewShortBy renews the short factor, with its prior if there is one.
func (r *relaxedPriors[T]) renewShortBy() {
	if r.ofShort == nil {
		r.solver.renewShort()
		return
	}
	if !r.solver.lines.Aborted() {
		r.ofShort.Renew(r.solver.short.X.Row(0), r.solver.c, r.solver.long.Gram)
		r.solver.formB()
	}
}

// Lowered reports whether a penalty was lowered, since a factor would have vanished.
func (r *relaxedPriors[T]) Lowered() bool {
	return r.ofLong != nil && r.ofLong.Lowered() || r.ofShort != nil && r.ofShort.Lowered()
}

// State implements core.Relaxed.
func (r *relaxedPriors[T]) State() []state.Field {
	s := r.relaxedDense.State()
	for _, p := range []*prior.Step[T]{r.ofLong, r.ofShort} {
		if p != nil {
			s = append(s, p.State()...)
		}
	}
	return s
}
