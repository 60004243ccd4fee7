package dense

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/state"
)

// mostApart is the ratio of ||V||² to ||W||² above which they are brought together: a
// penalty makes one factor shorter with every step, and the next step the other one
// longer.
const mostApart = 0x1p40

// relaxedPriors is the relaxation of a dense problem of rank 1 with priors.
type relaxedPriors[T kernel.Float] struct {
	*relaxedDense[T]
	ofLong, ofShort *priorStep[T] // nil without a prior
	products        kernel.Matrix[T]
	updates         bool // the products are formed after an update of the multipliers
	productsTask    func(member, task int)
}

// with returns the relaxation with priors.
func (r *relaxedDense[T]) with(v, w core.Prior) *relaxedPriors[T] {
	long, short := v, w
	if !r.tall {
		long, short = w, v
	}
	x := &relaxedPriors[T]{relaxedDense: r}
	if !r.heldShort.Has(0) {
		x.ofShort = newPriorStep[T](r.Team, short)
	}
	if !r.heldLong.Has(0) {
		x.ofLong = newPriorStep[T](r.Team, long)
	}
	if x.ofLong != nil {
		x.products = kernel.NewMatrix[T](1, r.rows)
		x.productsTask = x.productsSlab
	}
	return x
}

// Keep implements core.Relaxed.
func (r *relaxedPriors[T]) Keep(zeros float64) {
	v, w := float64(r.d.Data[0]), float64(r.b.Data[0])
	if !r.tall {
		v, w = w, v
	}
	held := r.heldLong.Has(0) || r.heldShort.Has(0) // then there is but one scale
	if !held && v > 0 && w > 0 && (v > mostApart*w || w > mostApart*v) {
		_, e := math.Frexp(math.Sqrt(math.Sqrt(w) / math.Sqrt(v)))
		r.Shift(math.Ldexp(1, e)) // changes no bit of V W
	}
	r.relaxedDense.Keep(zeros)
}

// Step implements core.Relaxed.
func (r *relaxedPriors[T]) Step(mu float64, first, last bool) (alive bool) {
	if r.tall {
		when := kernel.Never
		if first && r.pending != 0 {
			when = kernel.Before
		}
		r.renewLong(when, r.pending)
		r.renewShortBy()
	} else {
		when := kernel.Never
		if last {
			when = kernel.After
		}
		r.renewShortBy()
		r.renewLong(when, mu)
	}
	return !r.vanished()
}

// renewLong is a pass that renews the long factor, with its prior if there is one.
func (r *relaxedPriors[T]) renewLong(when kernel.When, mu float64) {
	if r.ofLong == nil {
		r.pass(when, mu, true)
		return
	}
	r.updates, r.mu = when == kernel.Before, T(mu)
	r.Run(r.slabs, r.productsTask)
	r.ofLong.renew(r.long.Row(0), r.products, r.b)
	if r.updates {
		when = kernel.Never
	}
	r.pass(when, mu, false)
}

// productsSlab forms the products of the rows of a slab of N with the short factor.
func (r *relaxedPriors[T]) productsSlab(member, task int) {
	i0, i1 := r.slab(task)
	if r.updates {
		r.updateMultiplier(member, i0, i1)
	}
	kernel.Contract(matrix.View(r.products, i0, i1), r.n.Slice(i0, i1, 0, r.cols), r.short)
}

// renewShortBy renews the short factor, with its prior if there is one.
func (r *relaxedPriors[T]) renewShortBy() {
	if r.ofShort == nil {
		r.renewShort()
		return
	}
	r.ofShort.renew(r.short.Row(0), r.c, r.d)
	r.formB()
}

// Lowered reports whether a penalty was lowered, as it would have left nothing.
func (r *relaxedPriors[T]) Lowered() bool {
	return r.ofLong != nil && r.ofLong.lowered || r.ofShort != nil && r.ofShort.lowered
}

// State implements core.Relaxed.
func (r *relaxedPriors[T]) State() []state.Field {
	s := r.relaxedDense.State()
	for _, p := range []*priorStep[T]{r.ofLong, r.ofShort} {
		if p != nil {
			s = append(s, state.Named("penalty of a prior", &p.lambda), state.Named("penalty was lowered", &p.lowered))
		}
	}
	return s
}
