package sparse

import (
	"nmu/kernel"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/state"
	"nmu/lnmu/internal/tiles"
	"nmu/lnmu/internal/tree"
)

// solver is the state of one problem of rank r.
type solver[T kernel.Float] struct {
	*tiles.Layout[T]
	rank          int
	hals.Sides[T] // V and Wᵀ: the two below
	long, short   factor[T]
	c             []kernel.Matrix[T] // Σ (N_ij + g) l_i of every group of slabs, a row for each j
	groupNodes    []tree.Node        // the tree along which the groups are added up
	fromGroup     int                // the group of the first task
	other         []T                // c of another process
	scratch       []scratch[T]       // one per member
	most          int                // rows of a block of a sweep
	missing       bool               // what is not stored is missing, rather than zero
	unit          T                  // largest positive entry of the matrix to factor
	mean          float64            // of all its entries
	g             T                  // multiplier of the zeros
	rho           T                  // of the augmented Lagrangian, or 0
	base          []T                // -g times the sum of the other factor's rows

	// what the current pass does
	mu         T // step of the multiplier update; 0: none
	inPlace    bool
	refined    refinement[T] // of a residual; empty without one
	multiplies bool          // the factors become their products with N
	late       bool          // the sums c did not begin with base, as it was not known

	divergence *divergence[T] // not nil while the divergence is minimised

	// renewed is called with each slab of the short factor and its sums c, if it is not nil.
	renewed func(slab int, c kernel.Matrix[T])

	longTask, shortTask, sweepTask, residualTask, rankOneTask, backTask func(member, task int)           // made once: a closure per phase would allocate
	sums                                                                []entriesResidual                // of the residual in every slab
	moments                                                             []moments[T]                     // of the rows of every slab, for rank 1
	plus                                                                func(a, b moments[T]) moments[T] // adds these, made once as the tasks
}

// scratch is the memory of one member.
type scratch[T kernel.Float] struct {
	p    []T              // V W at the entries of a block of rows of a tile
	a    kernel.Matrix[T] // A of a slab
	at   kernel.Matrix[T] // A of a block, transposed
	ht   kernel.Matrix[T] // h of a block, transposed, and ones in its last row
	gram kernel.Matrix[T] // of ht: with the sums of h in its last row

	mask   kernel.Matrix[T] // a block of the mask of a factor, transposed; empty before the first
	before kernel.Matrix[T] // a block before a sweep, transposed, for the accelerated solver
}

// entriesResidual sums up a residual on the stored entries.
type entriesResidual struct {
	squares float64 // of E = M - V W
	product float64 // squares of V W = M - E
	across  float64 // Σ N V W, of the factors of the solver alone
	within  float64 // and squares of that V W
	excess  float64 // squares of the negative entries of E
	least   float64 // least entry of E
}

func (a entriesResidual) plus(b entriesResidual) entriesResidual {
	return entriesResidual{a.squares + b.squares, a.product + b.product, a.across + b.across, a.within + b.within, a.excess + b.excess, min(a.least, b.least)}
}

// moments are the terms of a slab in the Gram matrix and the sum of a factor of rank one.
type moments[T kernel.Float] struct{ squares, sum T }

func (a moments[T]) plus(b moments[T]) moments[T] {
	return moments[T]{a.squares + b.squares, a.sum + b.sum}
}

// keep saves the factors, and restore restores them.
func (s *solver[T]) keep() {
	s.long.Keep(0, s.long.X.Rows)
	s.short.Keep(0, s.short.X.Rows)
}

func (s *solver[T]) restore() {
	s.long.Restore(0, s.long.X.Rows)
	s.short.Restore(0, s.short.X.Rows)
}

// Back implements core.Momentum.
func (s *solver[T]) Back() { s.Run(len(s.Slabs)-1+len(s.Across)-1, s.backTask) }

// back restores a slab of a factor. The slabs of the short factor are numbered after those of the
// long one.
func (s *solver[T]) back(_, slab int) {
	f := &s.long
	if long := len(s.Slabs) - 1; slab >= long {
		slab -= long
		f = &s.short
	}
	f.Back(f.slabs[slab], f.slabs[slab+1])
}

// Penalties implements core.Momentum. The sums of the factors and of their squares must be current.
func (s *solver[T]) Penalties() float64 {
	var sum, squares float64
	for _, f := range []*hals.Side[T]{&s.long.Side, &s.short.Side} {
		for k := range s.rank {
			of := sizesOf(f, k)
			sum += float64(float64(f.Penalty) * of.Sum)
			squares += float64(float64(f.Ridge) * of.Squares)
		}
	}
	return float64(2*sum) + squares
}

// State returns the factors, which the iterations change, as fields of a checkpoint.
func (s *solver[T]) State() []state.Field {
	return append(s.long.state(s.RowsOf(s.long.X)), s.short.state(s.short.X)...)
}
