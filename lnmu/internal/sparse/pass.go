package sparse

import (
	"sort"

	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/tree"
)

// On a sparse M the multipliers of the stored entries are kept one by one, and
// those of all other entries, the zeros, are one number g (the last remark of
// section 3). With S = N + g on the stored entries and 0 elsewhere,
//
//	N = S - g 1 1ᵀ,   N Wᵀ = S Wᵀ - g 1 (W 1)ᵀ,   Vᵀ N = Vᵀ S - g (Vᵀ 1) 1ᵀ
//
// so that a HALS step needs the stored entries and the sums of the rows of W and
// of the columns of V. Both factors are stored with a vector of r numbers for
// each row or column of M, which is what an entry of M touches. M is kept by
// rows if it is tall and by columns, as its transpose, if it is wide; long is
// the factor that belongs to the rows of this layout, short the other one:
//
//	         short   s_1         s_4         renewLong, a slab of rows:
//	                  |           |            N <- min(M, N + µ(M - l_i·s_j))
//	l_i (r)   .  .    5   .   .   2   .        a_i = Σ_j (N_ij + g) s_j - g Σ_j s_j
//	                  |           |            l_i <- HALS sweep
//	                 c_1         c_4         renewShort:
//	                                           c_j = Σ_i (N_ij + g) l_i - g Σ_i l_i
//	                                           s_j <- HALS sweep
//
// renewShort adds to the vectors c_j as it meets their entries, a block of
// columns at a time, so that they are in cache. Of an iteration the first pass,
// which is renewLong or renewShort as V is, updates the multipliers on its way.
// Every sum runs in an order that M and the rank alone fix.

// layout is what the problems on one sparse matrix share: M and its state.
type layout[T kernel.Float] struct {
	*team.Team
	*tiling[T]
	m []T // M, or E = M - V W of a recursion, in the order of the tiles
	n []T // N = M - Λ; M itself for NMF; G of the augmented Lagrangian

	disk *store[T] // where they are instead, or nil

	missing bool // what is not stored is missing, rather than zero
}

// factor is one factor, and what a step for the other one needs of it.
type factor[T kernel.Float] struct {
	h     kernel.Matrix[T] // a row for each row or column of M
	old   kernel.Matrix[T] // h at the beginning of the iteration
	gram  kernel.Matrix[T] // HᵀH
	inv   []T              // reciprocals of its diagonal
	sum   []T              // Σ of the rows of h
	slabs []int            // of the rows of h
	among *group.Reducer   // of the slabs
	held  group.Span       // which vectors stay as they are
	other *factor[T]
	parts group.Sums[T] // gram and sum of the slabs on the way to those of all

	hals.Sweeps
	penalty T // l1, half of it

	// of the accelerated solver
	within bool             // h is extrapolated as it is renewed; old is what it was
	before kernel.Matrix[T] // what h is extrapolated from
	beta   T
}

// solver is one rank-r problem on its way.
type solver[T kernel.Float] struct {
	*layout[T]
	at          *place[T]
	rank        int
	long, short factor[T]
	c           []kernel.Matrix[T] // Σ (N_ij + g) l_i of every group of slabs, a row for each j
	groupNodes  []tree.Node        // the groups, along whose tree they are added up
	fromGroup   int                // the group of the first task
	other       []T                // c of another process
	scratch     []scratch[T]       // one per member
	most        int                // rows of a block of a sweep
	accelerated *accelerated[T]    // if the solver is the accelerated one
	unit        T                  // largest entry of what is factored
	mean        float64            // of all its entries
	g           T                  // multiplier of the zeros
	rho         T                  // of the augmented Lagrangian, or 0
	base        []T                // -g times the sum of the other factor's rows

	// what the current pass does
	mu         T // step of the multiplier update; 0: none
	inPlace    bool
	multiplies bool // the factors become their products with N
	late       bool // the sums c did not begin with base, as it was not known

	longTask, shortTask, sweepTask, gramTask, residualTask, rankOneTask func(member, task int) // made once: a closure per phase would allocate
	grams                                                               *factor[T]             // of gramTask
	unitTask, ofUnit                                                    func(member, task int) // of overSlabs
	sums                                                                []entriesResidual      // of the residual in every slab
	moments                                                             []moments[T]           // of the rows of every slab, for rank 1
}

// scratch is the memory of one member.
type scratch[T kernel.Float] struct {
	p    []T              // V W at the entries of a block of rows of a tile
	a    kernel.Matrix[T] // A of a slab
	at   kernel.Matrix[T] // of a block, transposed
	ht   kernel.Matrix[T] // and ones in its last row
	gram kernel.Matrix[T] // of ht: with the sums of h in its last row

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

// blockEntries is the number of entries that are worked on at once, unless one
// row of a tile has more.
const blockEntries = 2048

// sweepBytes is the size of the vectors that a sweep works on at once, in L1 with
// the sums that they follow from, unless that is but a few of them.
const (
	sweepBytes = 16 << 10
	leastSweep = 384
)

// endOfBlock returns the end of the block of rows of a tile that begins at row i.
func endOfBlock(p kernel.Pattern, i int) int {
	return i + 1 + sort.Search(p.Rows()-i-1, func(k int) bool {
		t0, t1 := p.Entries(i, i+2+k)
		return t1-t0 > blockEntries
	})
}

// fillRows sets every row of a, and what lies between them, to x and zeros.
func fillRows[T kernel.Float](a kernel.Matrix[T], x []T) {
	copy(a.Data, x)
	clear(a.Data[min(len(x), len(a.Data)):min(a.Stride, len(a.Data))])
	for done := a.Stride; done < len(a.Data); done *= 2 {
		copy(a.Data[done:], a.Data[:done])
	}
}

// renewLong renews the long factor. With mu > 0 it updates the multipliers first.
// The Gram matrix and the sum of the other factor must be current, and those of
// the long one are when it is done.
func (s *solver[T]) renewLong(mu float64) {
	s.prepare(mu, &s.short)
	s.open(s.touched(), false, true)
	s.Run(len(s.long.parts.Tasks), s.longTask)
	s.shut()
	if s.disk.aborted() {
		return
	}
	s.long.collect()
}

// renewShort is renewLong for the short factor.
func (s *solver[T]) renewShort(mu float64) {
	s.prepare(mu, &s.long)
	s.late = false
	s.open(s.touched(), true, true)
	s.overGroups(s.blocks, s.shortTask)
	s.shut()
	if s.disk.aborted() { // the sums are not those of all rows
		return
	}
	s.Run(len(s.short.parts.Tasks), s.sweepTask)
	s.short.collect()
}

func (s *solver[T]) prepare(mu float64, other *factor[T]) {
	s.mu = T(mu)
	for k, x := range other.sum {
		s.base[k] = T(-s.g * x)
	}
}

// touched is what a half of a step does to M and N.
func (s *solver[T]) touched() (use [3]block.Access) {
	use[block.OfN] = block.Reads
	if s.mu != 0 {
		use[block.OfN] = block.Updates
	}
	if s.mu != 0 || s.rho != 0 {
		use[block.OfM] = block.Reads
	}
	return use
}

// formGrams brings the Gram matrices and sums of both factors up to date.
func (s *solver[T]) formGrams() {
	for _, f := range []*factor[T]{&s.long, &s.short} {
		s.grams = f
		s.Run(len(f.parts.Tasks), s.gramTask)
		f.collect()
	}
}

// collect adds up what the tasks have left.
func (f *factor[T]) collect() {
	f.parts.AddProducts(0, f.gram.Cols)
	f.parts.AddGrams()
	f.parts.AllReduce()
	f.invert()
}

// invert forms the reciprocals, by which the other factor is swept, but for those that it
// holds.
func (f *factor[T]) invert() {
	kernel.Reciprocals(f.inv, f.gram)
	clear(f.inv[f.other.held.From:f.other.held.To])
}

// longSlabs renews the rows of the slabs of one task.
func (s *solver[T]) longSlabs(member, task int) {
	s.long.parts.Fold(member, task, func(to *group.Part[T], slab int) { s.longSlab(member, slab, to) })
}

// longSlab renews the rows of one slab.
func (s *solver[T]) longSlab(member, slab int, to *group.Part[T]) {
	first, last := s.slabs[slab], s.slabs[slab+1]
	a := s.scratch[member].a.Slice(0, last-first, 0, s.rank)
	fillRows(a, s.base)
	for b := range s.blocks {
		tile, ok := s.tile(member, slab, b)
		if !ok {
			s.skipLong(first, last, to)
			return
		}
		for i := 0; i < tile.Rows(); {
			end := endOfBlock(tile.Pattern, i)
			p := tile.Slice(i, end)
			n := s.target(member, &tile, i, end, s.long.h.Slice(first+i, first+end, 0, s.rank))
			kernel.AddSparseProduct(a.Slice(i, end, 0, s.rank), p, n, s.g, s.short.h)
			i = end
		}
	}
	s.sweep(member, slab, &s.long, &s.short, a, to)
}

// skipLong leaves a slab as it is: the pass is aborted.
func (s *solver[T]) skipLong(first, last int, to *group.Part[T]) {
	clear(to.Gram.Data)
	clear(to.Product.Data)
	if s.long.within { // for back
		matrix.CopyRows(s.long.old.Slice(first, last, 0, s.rank), s.long.h.Slice(first, last, 0, s.rank))
	}
}

// shortTile adds up the sums c of one block of columns over one group of slabs.
func (s *solver[T]) shortTile(member, task int) {
	group, b := s.fromGroup+task/s.blocks, task%s.blocks
	c := s.c[group]
	switch c := c.Slice(b*s.width, min((b+1)*s.width, s.cols), 0, s.rank); {
	case s.goesOn(group):
	case group == 0 && s.isFirst():
		fillRows(c, s.base)
	default:
		clear(c.Data)
	}
	for slab := s.groups[group]; slab < s.groups[group+1]; slab++ {
		tile, ok := s.tile(member, slab, b)
		if !ok {
			return
		}
		first := s.slabs[slab]
		for i := 0; i < tile.Rows(); {
			end := endOfBlock(tile.Pattern, i)
			p := tile.Slice(i, end)
			h := s.long.h.Slice(first+i, first+end, 0, s.rank)
			kernel.AddTransposedSparseProduct(c, p, s.target(member, &tile, i, end, h), s.g, h)
			i = end
		}
	}
}

// shortSlabs sums c over the groups and renews the short factor, for the slabs of
// columns of one task.
func (s *solver[T]) shortSlabs(member, task int) {
	s.short.parts.Fold(member, task, func(to *group.Part[T], slab int) { s.shortSlab(member, slab, to) })
}

func (s *solver[T]) shortSlab(member, slab int, to *group.Part[T]) {
	first, last := s.across[slab], s.across[slab+1]
	tree.Combine(s.groupNodes, func(to, from int) {
		x, y := s.c[to].Slice(first, last, 0, s.rank), s.c[from].Slice(first, last, 0, s.rank)
		if s.rank == 1 {
			x, y = numbers(x), numbers(y)
		}
		kernel.Add(x, y)
	})
	c := s.c[0].Slice(first, last, 0, s.rank)
	if s.late {
		for j := range c.Data {
			c.Data[j] += s.base[0]
		}
	}
	s.sweep(member, slab, &s.short, &s.long, c, to)
	if s.accelerated != nil {
		s.accelerated.measure(slab, c)
	}
}

// sweep renews the rows of one slab of f, given those of A, and forms its part of the
// Gram matrix and the sum.
func (s *solver[T]) sweep(member, slab int, f, other *factor[T], a kernel.Matrix[T], to *group.Part[T]) {
	sc, first, last := &s.scratch[member], f.slabs[slab], f.slabs[slab+1]
	if s.multiplies {
		clear(to.Gram.Data)
		clear(to.Product.Data)
		matrix.CopyRows(f.h.Slice(first, last, 0, s.rank), a)
		return
	}
	if s.rank == 1 && (other == nil || !f.within) {
		h := numbers(f.h.Slice(first, last, 0, 1))
		if other != nil {
			if s.missing {
				kernel.AddProduct(numbers(a), other.gram, h)
			}
			kernel.Sweep(h, numbers(a), other.gram, other.inv, f.penalty, kernel.Matrix[T]{})
		}
		x := s.sumUp(member, h)
		to.Gram.Data[0], to.Product.Data[0] = x.squares, x.sum
		return
	}
	clear(to.Gram.Data)
	clear(to.Product.Data)
	for i := first; i < last; i += s.most {
		end := min(i+s.most, last)
		h, at := f.h.Slice(i, end, 0, s.rank), matrix.View(sc.at, 0, end-i)
		ht := sc.ht.Slice(0, s.rank, 0, end-i)
		matrix.Transpose(ht, h)
		if other != nil {
			matrix.Transpose(at, a.Slice(i-first, end-first, 0, s.rank))
			if s.missing {
				kernel.AddProduct(at, other.gram, ht)
			}
			if f.within {
				matrix.CopyRows(f.old.Slice(i, end, 0, s.rank), h)
			}
			hals.Sweep(f.Sweeps, matrix.View(sc.before, 0, end-i), ht, at, other.gram, other.inv, f.penalty, kernel.Matrix[T]{})
			matrix.Transpose(h, ht)
			if f.within {
				f.extrapolate(i, end)
				matrix.Transpose(ht, h)
			}
		}
		kernel.Gram(sc.gram, matrix.View(sc.ht, 0, end-i))
		kernel.Add(to.Gram, sc.gram.Slice(0, s.rank, 0, s.rank))
		kernel.Add(to.Product, sc.gram.Slice(s.rank, s.rank+1, 0, s.rank))
	}
}

// gramSlabs forms the parts of one task without renewing anything.
func (s *solver[T]) gramSlabs(member, task int) {
	s.grams.parts.Fold(member, task, func(to *group.Part[T], slab int) {
		s.sweep(member, slab, s.grams, nil, kernel.Matrix[T]{}, to)
	})
}
