package lnmu

import (
	"unsafe"

	"nmu/kernel"
)

// On a sparse M the multipliers of the stored entries are kept one by one, and
// those of all other entries, the zeros, are one number g (the last remark of
// section 3). With S = N + g on the stored entries and 0 elsewhere,
//
//	N = S - g 1 1ᵀ,   N Wᵀ = S Wᵀ - g 1 (W 1)ᵀ,   Vᵀ N = Vᵀ S - g (Vᵀ 1) 1ᵀ
//
// so that a HALS step needs the stored entries and the sums of the rows of W and
// of the columns of V. Both factors are stored with a vector of r numbers for
// each row or column of M, which is what an entry of M touches:
//
//	side 0: rows of M, factor V (m x r)     side 1: columns of M, factor Wᵀ (n x r)
//
//	row i of M       .  5  .  .  2  .       for each block of rows:
//	                    |        |            N <- min(M, N + µ(M - v_i·w_j))
//	Wᵀ (n x r)          w_1      w_4          a_i = Σ_j (N_ij + g) w_j - g Σ_j w_j
//	                                          v_i <- HALS sweep with a_i and B = W Wᵀ
//	                                          D += v_i v_iᵀ,  Σ v_i
//
// and the same with the sides exchanged for W. N is kept on both sides, in the
// order of each, and updated on both: another sampled product costs less than
// to fetch N in an order that the memory does not like, and nothing is
// scattered, so that rows may be shared out to threads without partial sums.
// Every sum runs in an order that M alone fixes.

// sparseSide is M by rows or by columns. The values belong to the entries in the
// order of the side.
type sparseSide[T Float] struct {
	pattern kernel.Pattern
	given   []T // M
	m       []T // M, or E = M - V W of a recursion
	n       []T // N = M - Λ; M itself for NMF
	slabs   []int
}

// sparseFactor is one factor, and what the other side needs to know of it.
type sparseFactor[T Float] struct {
	h    kernel.Matrix[T]   // V or Wᵀ, a row for each row of its side
	old  kernel.Matrix[T]   // h at the beginning of the iteration
	gram kernel.Matrix[T]   // HᵀH
	inv  []T                // reciprocals of its diagonal
	sum  []T                // Σ of the rows of h
	part []kernel.Matrix[T] // gram and, as the last row, sum of every slab
}

// sparseLayout is what the problems on one sparse matrix share.
type sparseLayout[T Float] struct {
	*team
	sides   [2]sparseSide[T]
	longest int // number of entries of the longest row or column
}

// sparseSolver is one rank-r problem on its way.
type sparseSolver[T Float] struct {
	*sparseLayout[T]
	rank    int
	factors [2]sparseFactor[T]
	scratch []sparseScratch[T]
	most    int     // rows of a block
	unit    T       // largest entry of what is factored
	mean    float64 // of all its entries
	g       T       // multiplier of the zeros
	base    []T     // -g times the sum of the other factor's rows
	side    int     // of the current pass
	mu      T       // step of the multiplier update of the current pass; 0: none
	renew   bool    // whether the current pass renews the factor
	inPlace bool    // whether the current residual is left in the place of M

	passTask, residualTask func(member, task int) // made once: a closure per phase would allocate
	sums                   []sparseExtent         // of every slab
}

// sparseScratch is the memory of one member for a block of rows.
type sparseScratch[T Float] struct {
	p    []T              // V W at the entries of the block
	a    kernel.Matrix[T] // rows of A
	at   kernel.Matrix[T] // transposed
	ht   kernel.Matrix[T]
	ones kernel.Matrix[T]
}

// sparseExtent sums up a residual on the stored entries.
type sparseExtent struct {
	squares float64 // of E = M - V W
	product float64 // squares of V W = M - E
	across  float64 // Σ N V W
	least   float64 // least entry of E
}

const (
	blockEntries  = 2048 // of a block of rows, unless one row has more: the vectors they touch stay in L2
	entriesPerRow = 4    // the work of a row, in entries, when rows are shared out
	slabEntries   = 1 << 13
)

// sparseSlabs cuts the rows of a pattern into slabs of about the same work, as
// many as can keep many threads busy. They follow from the pattern alone, since
// the Gram matrices are summed slab by slab.
func sparseSlabs(p kernel.Pattern) []int {
	work := func(i int) int {
		_, t := p.Entries(0, i)
		return t + entriesPerRow*i
	}
	total := work(p.Rows())
	count := max(1, min(maxSlabs, total/slabEntries, p.Rows()))
	bounds := make([]int, 1, count+1)
	for i := 1; i <= p.Rows(); i++ {
		if n := len(bounds); i == p.Rows() || float64(work(i)) >= float64(total)*float64(n)/float64(count) {
			bounds = append(bounds, i)
		}
	}
	return bounds
}

// newSparseLayout reserves the state for M, given by rows and by columns.
func newSparseLayout[T Float](rows, cols CSR[T], method Method, restarts int, t *team) *sparseLayout[T] {
	l := &sparseLayout[T]{team: t}
	for i, c := range []CSR[T]{rows, cols} {
		s := &l.sides[i]
		s.pattern, s.given, s.m, s.n = c.pattern(), c.Val, c.Val, c.Val
		s.slabs = sparseSlabs(s.pattern)
		if method != NMF {
			s.n = make([]T, len(c.Val))
		}
		if method == RNMU && (i == 0 || restarts > 1) {
			s.m = append([]T(nil), c.Val...)
		}
		for r := range c.Rows {
			l.longest = max(l.longest, c.Ptr[r+1]-c.Ptr[r])
		}
	}
	return l
}

// vectors returns a zero matrix of rows vectors of r numbers, for access at
// random: dense in memory, but no vector that fits into a cache line lies across
// two.
func vectors[T Float](rows, r int) kernel.Matrix[T] {
	var zero T
	line := kernel.Alignment / int(unsafe.Sizeof(zero))
	stride := r
	if r < line {
		for stride = 1; stride < r; {
			stride *= 2
		}
	}
	m := kernel.NewMatrix[T](1, rows*stride)
	return kernel.Matrix[T]{Rows: rows, Cols: r, Data: m.Data[:rows*stride], Stride: stride}
}

func newSparseSolver[T Float](l *sparseLayout[T], rank int) *sparseSolver[T] {
	var zero T
	s := &sparseSolver[T]{
		sparseLayout: l, rank: rank,
		scratch: make([]sparseScratch[T], len(l.members)),
		most:    panelBytes / int(unsafe.Sizeof(zero)),
		base:    make([]T, rank),
		sums:    make([]sparseExtent, len(l.sides[0].slabs)),
	}
	for i := range s.factors {
		f, side := &s.factors[i], &l.sides[i]
		f.h, f.old = vectors[T](side.pattern.Rows(), rank), vectors[T](side.pattern.Rows(), rank)
		f.gram, f.inv, f.sum = kernel.NewMatrix[T](rank, rank), make([]T, rank), make([]T, rank)
		f.part = make([]kernel.Matrix[T], len(side.slabs)-1)
		for k := range f.part {
			f.part[k] = kernel.NewMatrix[T](rank+1, rank)
		}
	}
	for i := range s.scratch {
		s.scratch[i] = sparseScratch[T]{
			p:    make([]T, max(blockEntries, l.longest)),
			a:    kernel.NewMatrix[T](s.most, rank),
			at:   kernel.NewMatrix[T](rank, s.most),
			ht:   kernel.NewMatrix[T](rank, s.most),
			ones: kernel.NewMatrix[T](1, s.most),
		}
		for j := range s.most {
			s.scratch[i].ones.Data[j] = 1
		}
	}
	s.passTask, s.residualTask = s.passSlab, s.residualSlab
	return s
}

// block returns the end of the block of rows that begins at row i.
func (s *sparseSolver[T]) block(p kernel.Pattern, i, last int) int {
	end := i + 1
	for end < last && end-i < s.most {
		if t0, t1 := p.Entries(i, end+1); t1-t0 > blockEntries {
			break
		}
		end++
	}
	return end
}

// asRow is x as a matrix of one row.
func asRow[T Float](x []T) kernel.Matrix[T] {
	return kernel.Matrix[T]{Rows: 1, Cols: len(x), Data: x, Stride: len(x)}
}

// pass goes over the stored entries of one side once: with mu > 0 it updates
// their multipliers, using the factors of the iteration before; it renews the
// side's factor if told to; and it brings its Gram matrix and sum up to date.
// The Gram matrix and the sum of the other side must be current.
func (s *sparseSolver[T]) pass(side int, mu float64, renew bool) {
	s.side, s.mu, s.renew = side, T(mu), renew
	f, other := &s.factors[side], &s.factors[1-side]
	for k, x := range other.sum {
		s.base[k] = T(-s.g * x)
	}
	s.run(len(f.part), s.passTask)
	for k := range s.rank + 1 {
		to := f.sum
		if k < s.rank {
			to = f.gram.Row(k)
		}
		clear(to)
		for i := range f.part {
			for l, x := range f.part[i].Row(k) {
				to[l] += x
			}
		}
	}
	kernel.Reciprocals(f.inv, f.gram)
}

func (s *sparseSolver[T]) passSlab(member, task int) {
	side, f, other := &s.sides[s.side], &s.factors[s.side], &s.factors[1-s.side]
	before := other.h // the other factor, as it was at the end of the last iteration
	if s.side == 1 {
		before = other.old
	}
	sc, part := &s.scratch[member], f.part[task]
	clear(part.Data)
	for i, last := side.slabs[task], side.slabs[task+1]; i < last; {
		end := s.block(side.pattern, i, last)
		rows := end - i
		h, ht := f.h.Slice(i, end, 0, s.rank), view(sc.ht, 0, rows)
		if s.renew {
			p := side.pattern.Slice(i, end)
			t0, t1 := side.pattern.Entries(i, end)
			n := side.n[t0:t1]
			if s.mu != 0 {
				vw := sc.p[:t1-t0]
				kernel.SampledProduct(vw, p, h, before)
				kernel.UpdateMultiplier(asRow(n), asRow(side.m[t0:t1]), asRow(vw), s.mu)
			}
			a, at := sc.a.Slice(0, rows, 0, s.rank), view(sc.at, 0, rows)
			for r := range rows {
				copy(a.Row(r), s.base)
			}
			kernel.AddSparseProduct(a, p, n, s.g, other.h)
			transpose(at, a)
			transpose(ht, h)
			kernel.Sweep(ht, at, other.gram, other.inv, 0, kernel.Matrix[T]{})
			transpose(h, ht)
		} else {
			transpose(ht, h)
		}
		kernel.Accumulate(part.Slice(0, s.rank, 0, s.rank), ht, h)
		kernel.Accumulate(part.Slice(s.rank, s.rank+1, 0, s.rank), view(sc.ones, 0, rows), h)
		i = end
	}
}

// start sets the factors to columns [k0, k0+rank) of v and rows of w.
func (s *sparseSolver[T]) start(v, w Dense[T], k0 int) {
	h := s.factors[0].h
	for i := range h.Rows {
		copy(h.Row(i), v.Row(i)[k0:])
	}
	transpose(s.factors[1].h, kernel.Matrix[T]{Rows: s.rank, Cols: w.Cols, Data: w.Data[k0*w.Stride:], Stride: w.Stride})
}

// startState sets N = max(0, E), that is Λ = 0, and reports whether anything is
// left to factor.
func (s *sparseSolver[T]) startState() bool {
	s.unit, s.mean, s.g = 0, 0, 0
	for i := range s.sides {
		n := s.sides[i].n
		for t, e := range s.sides[i].m {
			n[t] = max(0, e)
		}
	}
	rows := &s.sides[0]
	if len(rows.n) > 0 {
		s.unit = kernel.Max(rows.n)
	}
	for _, x := range rows.n {
		s.mean += float64(x)
	}
	s.mean /= float64(rows.pattern.Rows()) * float64(rows.pattern.Cols())
	return s.unit > 0
}

// halveMultipliers sets Λ to Λ/2: the way out when nothing is left of a factor.
func (s *sparseSolver[T]) halveMultipliers() {
	for i := range s.sides {
		side := &s.sides[i]
		for t, m := range side.m {
			side.n[t] = (max(0, m) + side.n[t]) / 2
		}
	}
}

// vanished reports whether V or W has become zero altogether.
func (s *sparseSolver[T]) vanished() bool {
	for i := range s.factors {
		zero := true
		for k := range s.rank {
			zero = zero && s.factors[i].gram.Data[k*s.factors[i].gram.Stride+k] == 0
		}
		if zero {
			return true
		}
	}
	return false
}

// keep remembers the factors, and restore brings them back.
func (s *sparseSolver[T]) keep() {
	for i := range s.factors {
		copy(s.factors[i].old.Data, s.factors[i].h.Data)
	}
}

func (s *sparseSolver[T]) restore() {
	for i := range s.factors {
		copy(s.factors[i].h.Data, s.factors[i].old.Data)
	}
}

// residual sums up E = M - V W on the stored entries, and leaves E in the place
// of M, on both sides, if told to.
func (s *sparseSolver[T]) residual(inPlace bool) sparseExtent {
	s.inPlace = inPlace
	s.side = 0
	s.run(len(s.factors[0].part), s.residualTask)
	var total sparseExtent
	for _, sum := range s.sums[:len(s.factors[0].part)] {
		total.squares += sum.squares
		total.product += sum.product
		total.across += sum.across
		total.least = min(total.least, sum.least)
	}
	if inPlace {
		s.side = 1
		s.run(len(s.factors[1].part), s.residualTask)
	}
	return total
}

func (s *sparseSolver[T]) residualSlab(member, task int) {
	side, vw := &s.sides[s.side], s.scratch[member].p
	var sum sparseExtent
	for i, last := side.slabs[task], side.slabs[task+1]; i < last; {
		end := s.block(side.pattern, i, last)
		t0, t1 := side.pattern.Entries(i, end)
		p := vw[:t1-t0]
		kernel.SampledProduct(p, side.pattern.Slice(i, end), s.factors[s.side].h.Slice(i, end, 0, s.rank), s.factors[1-s.side].h)
		m, n, given := side.m[t0:t1], side.n[t0:t1], side.given[t0:t1]
		for t, x := range p {
			e := m[t] - x
			if s.inPlace {
				m[t] = e
			}
			if s.side == 0 {
				d, q := float64(e), float64(given[t]-e)
				sum.squares += float64(d * d)
				sum.product += float64(q * q)
				sum.across += float64(float64(n[t]) * float64(x))
				sum.least = min(sum.least, d)
			}
		}
		i = end
	}
	if s.side == 0 {
		s.sums[task] = sum
	}
}
