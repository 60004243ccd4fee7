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
	if !r.tall {
		long, short = w, v
	}
	x := &relaxedPriors[T]{relaxedDense: r}
	if !r.short.Held.Has(0) {
		x.ofShort = prior.New[T](r.Team, short)
	}
	if !r.long.Held.Has(0) {
		x.ofLong = prior.New[T](r.Team, long)
	}
	if x.ofLong != nil {
		x.factor = r.roomFor(1)
	}
	return x
}

// Keep implements core.Relaxed.
func (r *relaxedPriors[T]) Keep(zeros, rho float64) {
	ofV, ofW := r.sides()
	v, w := float64(ofV.Gram.Data[0]), float64(ofW.Gram.Data[0])
	held := ofV.Held.Has(0) || ofW.Held.Has(0) // a held factor fixes the scale
	if !held && v > 0 && w > 0 && (v > mostApart*w || w > mostApart*v) {
		_, e := math.Frexp(math.Sqrt(math.Sqrt(w) / math.Sqrt(v)))
		r.Shift(math.Ldexp(1, e)) // changes no bit of V W
	}
	r.relaxedDense.Keep(zeros, rho)
}

// Step implements core.Relaxed.
func (r *relaxedPriors[T]) Step(mu float64, first, last bool) (alive bool) {
	when, by := r.update(r.pending, mu, first, last)
	if !r.tall {
		r.renewShortBy()
	}
	r.renewLongBy(when, by)
	if r.tall {
		r.renewShortBy()
	}
	return !r.vanished()
}

// renewLongBy is a pass that renews the long factor, with its prior if there is one.
func (r *relaxedPriors[T]) renewLongBy(when kernel.When, mu float64) {
	if r.ofLong == nil {
		r.pass(when, mu, true)
		return
	}
	before := kernel.Never
	if when == kernel.Before {
		before, when = when, kernel.Never
	}
	r.multiply(before, mu)
	if whole := r.gather(r.long.X, r.factor); !r.lines.Aborted() { // else the products are not those of all rows
		r.ofLong.Renew(whole.Row(0), r.products, r.short.Gram)
		matrix.CopyRows(r.long.X, r.own(whole))
	}
	r.pass(when, mu, false)
}

// renewShortBy renews the short factor, with its prior if there is one.
func (r *relaxedPriors[T]) renewShortBy() {
	if r.ofShort == nil {
		r.renewShort()
		return
	}
	if !r.lines.Aborted() {
		r.ofShort.Renew(r.short.X.Row(0), r.c, r.long.Gram)
		r.formB()
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
