package dense

import (
	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/observed"
	"time"
	"unsafe"
)

// solver holds one problem of rank r: M, the state N = M - Λ and the two factors, in the layout
// of a pass.
//
// A pass goes over the rows of N. If M is tall these are the rows of M; if M is
// wide, M and N are kept transposed and they are the columns of M. The factor
// with one column per row of N is the long one (Vᵀ if M is tall, W if wide), the
// other one is short. Both are stored with r rows.
type solver[T kernel.Float] struct {
	*layout[T]
	at              *place[T]
	sums            group.Sums[T]
	lines           block.Lines[T] // of M and N
	rank            int
	slabRows, slabs int // slabs of this process
	block           int // rows of a slab that a pass works on at once

	n             kernel.Matrix[T] // N = M - Λ, rows x cols; the data itself for NMF
	hals.Sides[T]                  // Vᵀ (r x m) and W (r x n): the two below
	long, short   hals.Side[T]     // H (rank x rows) and G (rank x cols), with D = H Hᵀ and B = G Gᵀ

	h, a   []kernel.Matrix[T] // H_I in one piece, and scratch for G N_Iᵀ, one of each per member
	before []kernel.Matrix[T] // a block of a factor before a sweep, one per member; nil if no sweep is measured
	c      kernel.Matrix[T]   // H N, the sum over the slabs

	Over        func() bool          // reports whether the run is cancelled
	accelerated *acceleratedDense[T] // if the solver is the accelerated one
	divergence  *divergence[T]       // not nil if the divergence is minimised
	medians     *relaxedL1[T]        // if the norm is l1

	cells   observed.Cells[T]    // observed entries of M
	weights []observed.Room[T]   // scratch for the weights of some rows, one per member
	nothing []T                  // a zero for each column, for rank one
	grams   []*grams[T]          // for exact steps with missing entries, one per member
	columns *observed.Columns[T] // likewise, of the short factor; else nil
	targets []kernel.Matrix[T]   // scratch for the target of a block, one per member; nil if N is it

	minusLong   kernel.Matrix[T]       // scratch for the residual
	allLong     kernel.Matrix[T]       // the long factor of all processes, if each of them uses all of it
	products    kernel.Matrix[T]       // of N with the short factor, over all processes; formed by multiply
	productTask func(member, task int) // nil until then
	extents     []core.Residual        // of the residual in every slab
	wholes      [2]*block.Columns[T]   // whole columns of M and of N, and
	across      *observed.Columns[T]   // their observed entries; nil until they are needed
	means       *observed.Means        // fill the missing entries of N in a pass; nil: they are 0
	roundTime   time.Duration          // of an exact step

	ends func() bool // reports whether a pass skips its remaining blocks; or nil

	// what the current pass does
	rankOne bool        // one kernel makes the whole pass of rank 1
	when    kernel.When // when it updates the multipliers
	mu      T
	renew   bool // whether it renews the long factor

	// rho is the penalty of the augmented Lagrangian, whose multipliers G take the place
	// of N, or 0: then the target of a step is N itself.
	rho T

	// retarget makes a pass form the target anew from the renewed long factor.
	retarget bool

	panels int
	access [2]block.Access // of the current pass to M and N

	// made once: a closure per phase would allocate
	passTask, sumTask, sweepTask, gramBTask, keepTask, restoreTask, backTask func(member, task int)
}

// layout is what the problems on one matrix share.
type layout[T kernel.Float] struct {
	*team.Team
	arena      *arena.Arena // of all that a problem takes
	tall       bool
	rows, cols int                // of the pass, in this process
	first      int                // number of the first of these rows in all processes,
	whole      int                // and the number of rows in all processes
	share      *group.Reducer     // of their slabs
	spans      []group.Span       // the rows of each process
	m          kernel.Matrix[T]   // M, or the residual E = M - V W of a recursion; rows x cols
	product    []kernel.Matrix[T] // scratch for a tile of M - V W, one per member
	negative   []kernel.Matrix[T] // and for the negative part of a row of it
	zeros      kernel.Matrix[T]   // a row
	files      *block.Files[T]    // where M and N are if not in memory; else nil
}

// The numbers by which the passes of this package were tuned, with their units. They are
// constants, not sizes of the machine's caches, since those of the accelerated solver
// decide when the sweeps end, and so the bits.
const (
	// Bytes of a row in a column panel of the sweep of the short factor. Not measured.
	panelBytes = 384
	// Bytes of the rows that a pass works on at once. On the faces (361 columns, float64) an
	// iteration of NMF with 32, 48, 64 and 80 rows took 2.43, 2.36, 2.27 and 2.29 ms.
	blockBytes = 192 << 10
	// Rows of a block at most. On 20,000 x 100 (r = 20) an iteration of G-NMU with 32, 48, 64
	// and 96 rows took 9.7, 9.7, 9.2 and 8.8 ms.
	mostBlock = 96
	// Rows of a block at least. With 8 rows NMF on 4000 x 2000 took a tenth longer. On 20,000 x
	// 2,000 (r = 20) an iteration with 16, 24, 32 and 48 rows took 64.2, 63.5, 61.9 and 61.6 ms
	// (NMF), 153.9, 148.9, 148.1 and 146.3 ms (G-NMU) with an L2 of 1 MiB. On another machine
	// NMF with 16, 24, 32 and 40 rows took 67.0, 65.5, 66.8 and 68.2 ms.
	leastBlock = 24
	// Bytes of the rows of N that a pass of the accelerated solver works on at once: about
	// half of an L2, and their number at least. Not measured.
	acceleratedBlock      = 512 << 10
	leastAcceleratedBlock = 16
)

// roundTime is how long several processes solve programs before they ask process 0 whether
// the work is over, and how long a process that has finished may wait for the others.
const roundTime = 100 * time.Millisecond

// newLayout chooses the orientation for an m x n matrix, and for the share of a process.
func newLayout[T kernel.Float](a *arena.Arena, m, n int, share *group.Reducer, t *team.Team) *layout[T] {
	l := &layout[T]{Team: t, arena: a, tall: n <= m, whole: max(m, n), cols: min(m, n), share: share}
	for rank := range share.Size() {
		first, last := group.Share(l.whole, rank, share.Size())
		l.spans = append(l.spans, group.Span{From: first, To: last})
	}
	l.first, l.rows = l.spans[share.Rank()].From, l.spans[share.Rank()].Len()
	width := min(l.cols, matrix.TileCols)
	l.product, l.negative, l.zeros = l.each(matrix.TileRows, width), l.each(1, width), l.matrix(1, width)
	return l
}

// Memory returns the arena of the problems.
func (l *layout[T]) Memory() *arena.Arena { return l.arena }

// matrix returns a zero matrix.
func (l *layout[T]) matrix(rows, cols int) kernel.Matrix[T] {
	return arena.Matrix[T](l.arena, rows, cols)
}

// each returns a zero matrix for each member of the team.
func (l *layout[T]) each(rows, cols int) []kernel.Matrix[T] {
	all := make([]kernel.Matrix[T], l.Size())
	for i := range all {
		all[i] = l.matrix(rows, cols)
	}
	return all
}

// newSolver returns a solver for factors of the given rank. The caller sets n,
// and the factors by start.
func newSolver[T kernel.Float](l *layout[T], rank int) *solver[T] {
	s := &solver[T]{layout: l, rank: rank, roundTime: roundTime}
	s.slabRows, _ = group.Slabs(l.whole)
	s.slabs = l.share.Last - l.share.First
	s.sums = group.NewSums(l.share, l.Size(), rank, l.cols, rank, l.matrix)
	s.lines = &block.Memory[T]{M: &l.m, N: &s.n}
	if l.files != nil {
		s.lines = l.files
	}
	s.block = s.rowsWithin(blockBytes, leastBlock, mostBlock)
	s.extents = arena.Slice[core.Residual](l.arena, s.slabs)
	s.minusLong = l.matrix(rank, l.rows)
	s.long = hals.NewSide(l.share, group.Span{From: l.first, To: l.first + l.rows}, l.whole, rank, false, func() kernel.Matrix[T] { return l.matrix(rank, l.rows) })
	s.short = hals.NewSide(group.Self{}, group.Span{To: l.cols}, l.cols, rank, false, func() kernel.Matrix[T] { return l.matrix(rank, l.cols) })
	s.Sides = hals.SidesOf(&s.long, &s.short, !s.tall)
	s.c, s.long.Gram = s.sums.Total().Product, s.sums.Total().Gram
	s.short.Gram = l.matrix(rank, rank)
	s.rankOne, s.passTask = true, s.passRankOne
	if rank > 1 {
		s.generalPass()
	}
	s.panels = (l.cols + s.panelCols() - 1) / s.panelCols()
	s.sumTask, s.sweepTask = s.adding(&s.sums), s.sweepShort
	s.gramBTask = func(_, task int) { hals.Gram(s.short.Gram, s.short.X, task) }
	s.keepTask = func(_, k int) { s.long.Keep(k, k+1); s.short.Keep(k, k+1) }
	s.restoreTask = func(_, k int) { s.long.Restore(k, k+1); s.short.Restore(k, k+1) }
	s.backTask = func(_, k int) { s.long.Back(k, k+1); s.short.Back(k, k+1) }
	return s
}

// undoable makes room for the factors before an iteration. keep saves them, restore restores them,
// and Back restores those from before an iteration with momentum.
func (s *solver[T]) undoable() {
	s.long.Undoable()
	s.short.Undoable()
}

func (s *solver[T]) keep()    { s.Run(s.rank, s.keepTask) }
func (s *solver[T]) restore() { s.Run(s.rank, s.restoreTask) }

// Back implements core.Momentum.
func (s *solver[T]) Back() { s.Run(s.rank, s.backTask) }

// generalPass makes the passes use Contract and Sweep, which support penalties and masks, for
// rank 1, too. These round differently from RankOne, so generalPass must be called before the
// first pass.
func (s *solver[T]) generalPass() {
	s.rankOne, s.passTask = false, s.passRankR
	s.h, s.a = s.each(s.rank, s.block), s.each(s.rank, s.block)
}

// rowsWithin returns the number of rows of N in a block of that many bytes, about least or most if these are fewer or more,
// that a pass works on at once. They stay in L2, beside the parts of the short factor and of H N that are used with them.
// More rows mean fewer passes over these parts, whose number matters for long rows. The number of rows does not change any
// bits.
func (s *solver[T]) rowsWithin(block, least, most int) int {
	rows := max(least, min(most, block/(s.cols*int(unsafe.Sizeof(T(0)))))/8*8)
	count := (s.slabRows + rows - 1) / rows
	return ((s.slabRows+count-1)/count + 7) / 8 * 8
}

// slab returns the rows of one slab.
func (s *solver[T]) slab(slab int) (i0, i1 int) {
	return slab * s.slabRows, min((slab+1)*s.slabRows, s.rows)
}

// panel returns the columns of one panel of g.
func (s *solver[T]) panel(task int) (j0, j1 int) {
	width := s.panelCols()
	return task * width, min((task+1)*width, s.cols)
}

// panelCols is the number of columns of a panel.
func (s *solver[T]) panelCols() int {
	return panelBytes / int(unsafe.Sizeof(T(0)))
}
