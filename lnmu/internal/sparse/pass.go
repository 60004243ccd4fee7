package sparse

import (
	"sort"
	"unsafe"

	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/tiles"
	"nmu/lnmu/internal/tree"
)

// On a sparse M the multipliers of the stored entries are kept one by one, and
// those of all other entries, the zeros, are one number g (the last remark of
// section 3). With S = N + g on the stored entries and 0 elsewhere,
//
//	N = S - g 1 1ᵀ,   N Wᵀ = S Wᵀ - g 1 (W 1)ᵀ,   Vᵀ N = Vᵀ S - g (Vᵀ 1) 1ᵀ
//
// so that a HALS step needs the stored entries and the sums of the rows of W and
// of the columns of V. Both factors are stored with a vector of r numbers for each row or column
// of M: an entry of M touches two such vectors. M is kept by rows if it is tall and by columns,
// as its transpose, if it is wide; long is the factor that belongs to the rows of this layout,
// short the other one:
//
//	         short   s_1         s_4         renewLong, a slab of rows:
//	                  |           |            N <- min(M, N + µ(M - l_i·s_j))
//	l_i (r)   .  .    5   .   .   2   .        a_i = Σ_j (N_ij + g) s_j - g Σ_j s_j
//	                  |           |            l_i <- HALS sweep
//	                 c_1         c_4         renewShort:
//	                                           c_j = Σ_i (N_ij + g) l_i - g Σ_i l_i
//	                                           s_j <- HALS sweep
//
// renewShort adds to the vectors c_j one strip of blocks at a time, so that they stay in cache.
// The pass that renews V is the first one of an iteration, and also updates the multipliers. M
// and the rank alone fix the order of every sum.

// blockEntries is the largest number of entries in a block of rows of a tile, unless one row has
// more.
const blockEntries = 2048

// stripRowBytes is the size of the rows of the long factor that stay in L2 while a strip of blocks takes their entries.
const stripRowBytes = 64 << 10

// endOfBlock returns the end of the block of rows of a tile that begins at row i.
func endOfBlock(p kernel.Pattern, i int) int {
	if t0, t1 := p.Entries(i, p.Rows()); t1-t0 <= blockEntries {
		return p.Rows()
	}
	return i + 1 + sort.Search(p.Rows()-i-1, func(k int) bool {
		t0, t1 := p.Entries(i, i+2+k)
		return t1-t0 > blockEntries
	})
}

// eachBlock calls do for the blocks of rows of the tiles of a slab, in order, unless the pass is aborted. A block has
// rows i to end-1 and entries t0 to t1-1 of its tile, and p is memory for V W there.
func (s *solver[T]) eachBlock(member, slab int, do func(tile tiles.Tile[T], i, end, t0, t1 int, p []T)) (ok bool) {
	for b := range s.Blocks {
		tile, ok := s.Tile(member, slab, b)
		if !ok {
			return false
		}
		for i, end := 0, 0; i < tile.Rows(); i = end {
			end = endOfBlock(tile.Pattern, i)
			t0, t1 := tile.Entries(i, end)
			do(tile, i, end, t0, t1, s.scratch[member].p[:t1-t0])
		}
	}
	return true
}

// product sets p to V W at the entries of rows i to end-1 of a tile of a slab.
func (s *solver[T]) product(p []T, tile *tiles.Tile[T], slab, i, end int) {
	first := s.Slabs[slab]
	kernel.SampledProduct(p, tile.Slice(i, end), padded(s.long.X, first+i, first+end), padded(s.short.X, 0, s.Cols))
}

// renewLong renews the long factor. With mu > 0 it updates the multipliers first.
// The Gram matrix and the sum of the short factor must be current. Those of the long factor are
// current afterwards.
func (s *solver[T]) renewLong(mu float64) { s.passLong(mu, true) }

// passLong is renewLong in a pass that may not be cancellable.
func (s *solver[T]) passLong(mu float64, cancellable bool) {
	s.prepare(mu, &s.short)
	s.Open(s.touched(), false, cancellable)
	s.Run(len(s.long.parts.Tasks), s.longTask)
	s.Shut()
	if s.Aborted() {
		return
	}
	s.long.collect()
}

// renewShort is renewLong for the short factor.
func (s *solver[T]) renewShort(mu float64) {
	s.prepare(mu, &s.long)
	s.late = false
	s.Open(s.touched(), true, true)
	s.overGroups(s.Strips(), s.shortTask)
	s.Shut()
	if s.Aborted() { // the sums are not those of all rows
		return
	}
	s.Run(len(s.short.parts.Tasks), s.sweepTask)
	s.short.collect()
}

func (s *solver[T]) prepare(mu float64, other *factor[T]) {
	s.mu = T(mu)
	for k, x := range other.Sum {
		s.base[k] = T(-s.g * x)
	}
}

// touched returns the access of half a step to M and N.
func (s *solver[T]) touched() (use [3]block.Access) {
	if s.divergence != nil {
		use[block.OfM] = block.Reads
		return use
	}
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
		s.Run(len(f.parts.Tasks), f.gramTask)
		f.collect()
	}
}

// longSlab renews the rows of one slab.
func (s *solver[T]) longSlab(member, slab int, to *group.Part[T]) {
	first, last := s.Slabs[slab], s.Slabs[slab+1]
	sum := s.scratch[member].a
	a := sum.Slice(0, last-first, 0, s.rank)
	fillRows(a, s.base)
	for b := range s.Blocks {
		tile, ok := s.Tile(member, slab, b)
		if !ok {
			s.skipLong(first, last, to)
			return
		}
		for i := 0; i < tile.Rows(); {
			end := endOfBlock(tile.Pattern, i)
			p, a := tile.Slice(i, end), padded(sum, i, end)
			h, short := padded(s.long.X, first+i, first+end), padded(s.short.X, 0, s.Cols)
			if x := s.divergence; x != nil {
				m, r := x.entries(member, &tile, i, end)
				kernel.AddRatioProduct(r, a, p, m, x.least, h, short)
			} else {
				kernel.AddSparseProduct(a, p, s.target(member, &tile, i, end, h), s.g, short)
			}
			i = end
		}
	}
	s.sweep(member, slab, &s.long, true, a, to)
}

// skipLong leaves the rows of a slab unchanged, as the pass is aborted.
func (s *solver[T]) skipLong(first, last int, to *group.Part[T]) {
	clear(to.Gram.Data)
	clear(to.Product.Data)
	if s.long.Within { // for back
		matrix.CopyRows(s.long.Old.Slice(first, last, 0, s.rank), s.long.X.Slice(first, last, 0, s.rank))
	}
}

// shortStrip adds up the sums c of one strip of blocks of columns over one group of slabs. It takes
// a few slabs at a time, block by block. In files it takes all slabs of the group, since that is
// the order of the file.
func (s *solver[T]) shortStrip(member, task int) {
	group, strip := s.fromGroup+task/s.Strips(), task%s.Strips()
	b0, b1 := strip*s.Strip, min((strip+1)*s.Strip, s.Blocks)
	c := s.c[group]
	switch c := c.Slice(b0*s.Width, min(b1*s.Width, s.Cols), 0, s.rank); {
	case s.GoesOn(group):
	case group == 0 && s.IsFirst():
		fillRows(c, s.base)
	default:
		clear(c.Data)
	}
	for from, to := s.Groups[group], 0; from < s.Groups[group+1]; from = to {
		to = s.Groups[group+1]
		if s.InMemory() {
			to = from + 1
			for to < s.Groups[group+1] && (s.Slabs[to+1]-s.Slabs[from])*s.long.X.Stride*int(unsafe.Sizeof(T(0))) <= stripRowBytes {
				to++
			}
		}
		for b := b0; b < b1; b++ {
			for slab := from; slab < to; slab++ {
				if !s.shortTile(member, slab, b, c) {
					return
				}
			}
		}
	}
}

// shortTile adds one tile to the sums c, unless the pass is aborted.
func (s *solver[T]) shortTile(member, slab, b int, c kernel.Matrix[T]) (ok bool) {
	tile, ok := s.Tile(member, slab, b)
	if !ok {
		return false
	}
	first := s.Slabs[slab]
	for i := 0; i < tile.Rows(); {
		end := endOfBlock(tile.Pattern, i)
		p := tile.Slice(i, end)
		h := padded(s.long.X, first+i, first+end)
		if x := s.divergence; x != nil {
			m, r := x.entries(member, &tile, i, end)
			kernel.AddTransposedRatioProduct(r, padded(c, 0, s.Cols), p, m, x.least, h, padded(s.short.X, 0, s.Cols))
			x.measure(slab, b, m, r)
		} else {
			kernel.AddTransposedSparseProduct(padded(c, 0, s.Cols), p, s.target(member, &tile, i, end, h), s.g, h)
		}
		i = end
	}
	return true
}

// shortSlab sums c over the groups, and renews the short factor in a slab of columns.
func (s *solver[T]) shortSlab(member, slab int, to *group.Part[T]) {
	c := s.combined(slab)
	if s.late {
		for j := range c.Data {
			c.Data[j] += s.base[0]
		}
	}
	s.sweep(member, slab, &s.short, true, c, to)
	if s.renewed != nil {
		s.renewed(slab, c)
	}
}

// combined returns the sums c of a slab of columns over all groups.
func (s *solver[T]) combined(slab int) kernel.Matrix[T] {
	first, last := s.Across[slab], s.Across[slab+1]
	tree.Combine(s.groupNodes, func(to, from int) {
		x, y := s.c[to].Slice(first, last, 0, s.rank), s.c[from].Slice(first, last, 0, s.rank)
		if s.rank == 1 {
			x, y = numbers(x), numbers(y)
		}
		kernel.Add(x, y)
	})
	return s.c[0].Slice(first, last, 0, s.rank)
}

// sweep renews the rows of one slab of f if renew, given those of A, and forms its part of the
// Gram matrix and the sum.
func (s *solver[T]) sweep(member, slab int, f *factor[T], renew bool, a kernel.Matrix[T], to *group.Part[T]) {
	sc, first, last := &s.scratch[member], f.slabs[slab], f.slabs[slab+1]
	if s.divergence != nil {
		s.divergence.renew(member, first, last, f, renew, a, to)
		return
	}
	if s.multiplies {
		clear(to.Gram.Data)
		clear(to.Product.Data)
		matrix.CopyRows(f.X.Slice(first, last, 0, s.rank), a)
		return
	}
	if s.rank == 1 && (!renew || !f.Within) && f.Simplex == nil {
		h := numbers(f.X.Slice(first, last, 0, 1))
		if renew {
			if s.missing {
				kernel.AddProduct(numbers(a), f.Other.Gram, h)
			}
			mask := f.Mask
			if mask.Data != nil {
				mask = numbers(mask.Slice(first, last, 0, 1))
			}
			kernel.Sweep(h, numbers(a), f.Other.Gram, f.Other.Inv, f.Penalty, mask)
		}
		x := s.sumUp(member, h)
		to.Gram.Data[0], to.Product.Data[0] = x.squares, x.sum
		return
	}
	clear(to.Gram.Data)
	clear(to.Product.Data)
	for i := first; i < last; i += s.most {
		end := min(i+s.most, last)
		h, at := f.X.Slice(i, end, 0, s.rank), matrix.View(sc.at, 0, end-i)
		ht := sc.ht.Slice(0, s.rank, 0, end-i)
		ht.SetTransposed(h)
		if renew {
			at.SetTransposed(a.Slice(i-first, end-first, 0, s.rank))
			if s.missing {
				kernel.AddProduct(at, f.Other.Gram, ht)
			}
			if f.Within {
				matrix.CopyRows(f.Old.Slice(i, end, 0, s.rank), h)
			}
			f.Sweep(member, matrix.View(sc.before, 0, end-i), ht, at, s.maskOf(member, f, i, end))
			h.SetTransposed(ht)
			if f.Within {
				f.Extrapolate(i, end)
				ht.SetTransposed(h)
			}
		}
		kernel.Gram(sc.gram, matrix.View(sc.ht, 0, end-i))
		kernel.Add(to.Gram, sc.gram.Slice(0, s.rank, 0, s.rank))
		kernel.Add(to.Product, sc.gram.Slice(s.rank, s.rank+1, 0, s.rank))
	}
}

// maskOf returns the mask of rows [i0, i1) of a factor, transposed, or none.
func (s *solver[T]) maskOf(member int, f *factor[T], i0, i1 int) kernel.Matrix[T] {
	if f.Mask.Data == nil {
		return f.Mask
	}
	sc := &s.scratch[member]
	if sc.mask.Data == nil {
		sc.mask = kernel.NewMatrix[T](s.rank, s.most)
	}
	mask := matrix.View(sc.mask, 0, i1-i0)
	mask.SetTransposed(f.Mask.Slice(i0, i1, 0, s.rank))
	return mask
}

// sumUp returns the moments of the numbers of one slab.
func (s *solver[T]) sumUp(member int, h kernel.Matrix[T]) moments[T] {
	x := moments[T]{squares: kernel.SumSquares(h.Data)}
	for ones := s.scratch[member].ht.Row(1); len(h.Data) > 0; {
		n := min(len(ones), len(h.Data))
		x.sum += kernel.Dot(h.Data[:n], ones[:n])
		h.Data = h.Data[n:]
	}
	return x
}

// target returns N at the entries of rows i0 to i1-1 of a tile, with the vectors h, after an
// update of the multipliers if the pass makes one. If the other entries are missing, N is V W
// there, as for a dense M, and target returns N - V W: sweep adds the product of V W as h times
// a Gram matrix.
func (s *solver[T]) target(member int, tile *tiles.Tile[T], i0, i1 int, h kernel.Matrix[T]) []T {
	p := tile.Slice(i0, i1)
	t0, t1 := tile.Entries(i0, i1)
	vw := s.scratch[member].p[:t1-t0]
	n := tile.N[t0:t1]
	var m kernel.Matrix[T]
	if s.mu != 0 || s.rho != 0 {
		m = matrix.AsRow(tile.M[t0:t1])
	}
	if s.mu != 0 || s.missing {
		kernel.SampledProduct(vw, p, h, padded(s.short.X, 0, s.Cols))
	}
	if s.missing {
		if s.mu != 0 {
			kernel.UpdateMultiplier(matrix.AsRow(n), m, matrix.AsRow(vw), s.mu)
		}
		for t, x := range vw {
			vw[t] = n[t] - x
		}
		return vw
	}
	switch {
	case s.rho != 0 && s.mu != 0:
		kernel.UpdateAugmented(matrix.AsRow(n), matrix.AsRow(vw), m, s.rho)
		return vw
	case s.rho != 0:
		kernel.Target(matrix.AsRow(vw), matrix.AsRow(n), m, 1, 1-s.rho)
		return vw
	case s.mu != 0:
		kernel.UpdateMultiplier(matrix.AsRow(n), m, matrix.AsRow(vw), s.mu)
	}
	return n
}
