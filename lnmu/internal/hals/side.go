package hals

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/qp"
)

// Side is the factor of one side of M, the longer or the shorter one, with what the steps need of
// it. A vector of the factor has an entry for each line of M on this side.
type Side[T kernel.Float] struct {
	X       kernel.Matrix[T] // the vectors, of the lines of this process
	Columns bool             // the vectors are the columns of X, not its rows
	Among   group.Comm       // the processes that share the lines
	Own     group.Span       // the lines of this process,
	Whole   int              // and their number in all processes
	Other   *Side[T]

	Gram kernel.Matrix[T] // of the vectors
	Inv  []T              // the reciprocals of its diagonal plus Other.Ridge, or 0 for the vectors that Other holds
	Sum  []T              // of the entries of each vector, where the steps need it

	Sweeps                   // over X, for each product with N
	Held    group.Span       // vectors that no step changes
	Penalty T                // half of the l1 penalty
	Ridge   T                // the l2 penalty
	Mask    kernel.Matrix[T] // 1 for the entries that steps may change, in the layout of X; or empty
	Simplex []*qp.Simplex    // one per member, if the entries of a line have the sum 1; else nil

	Old    kernel.Matrix[T] // X before the iteration; empty if no iteration is undone
	Before kernel.Matrix[T] // what X is extrapolated from; empty without momentum
	Within bool             // X is extrapolated when it is renewed, so that Old alone keeps X
	Beta   T

	like          func() kernel.Matrix[T]
	largest, most []T   // scratch of Peaks,
	negligible    []int // and of Zeros
}

// NewSide returns the zero factor of some lines of M. like returns zero matrices of the layout of X.
func NewSide[T kernel.Float](among group.Comm, own group.Span, whole, rank int, columns bool, like func() kernel.Matrix[T]) Side[T] {
	return Side[T]{
		X: like(), Columns: columns, Among: among, Own: own, Whole: whole, Inv: make([]T, rank), Sweeps: Sweeps{Most: 1},
		like: like, largest: make([]T, rank), most: make([]T, rank), negligible: make([]int, 1),
	}
}

// vector returns the entries of vector k: x[0], x[stride], ... A process without lines has none.
func (s *Side[T]) vector(k int) (x []T, stride int) {
	if s.Columns {
		return s.X.Data[min(k, len(s.X.Data)):], s.X.Stride
	}
	return s.X.Row(k), 1
}

// line returns the entries of line i of this process, one of each vector: x[0], x[stride], ...
func (s *Side[T]) line(i int) (x []T, stride int) {
	if s.Columns {
		return s.X.Row(i), 1
	}
	return s.X.Data[i:], s.X.Stride
}

// Set sets vector k to x.
func (s *Side[T]) Set(k int, x []T) {
	to, stride := s.vector(k)
	for i, a := range x {
		to[i*stride] = a
	}
}

// take sets the vectors to the columns of x, or to its rows.
func (s *Side[T]) take(x kernel.Matrix[T], columns bool) {
	if columns == s.Columns {
		matrix.CopyRows(s.X, x)
	} else {
		s.X.SetTransposed(x)
	}
}

// Positive reports whether V W is positive everywhere, as all entries of a vector of both sides are. All
// processes call it together.
func (s *Side[T]) Positive() bool {
	found := false
	for k := range s.Inv {
		found = found || s.positive(k) && s.Other.positive(k)
	}
	return !group.NewVote(s.Among).Any(!found)
}

// positive reports whether all entries of vector k are positive.
func (s *Side[T]) positive(k int) bool {
	x, stride := s.vector(k)
	for i := range s.Own.Len() {
		if !(x[i*stride] > 0) {
			return false
		}
	}
	return true
}

// Lift replaces the zeros of all vectors but the held ones by a small part of the mean of the vector, given the
// sums of the vectors over all lines, or of alone if the vector is zero.
func (s *Side[T]) Lift(sums []T, alone float64) {
	const part = 0.01
	for k, sum := range sums {
		if s.Held.Has(k) {
			continue
		}
		mean := alone
		if sum > 0 {
			mean = float64(sum) / float64(s.Whole)
		}
		x, stride := s.vector(k)
		for i := range s.Own.Len() {
			if x[i*stride] == 0 {
				x[i*stride] = T(part * mean)
			}
		}
	}
}

// Vanish sets vector k to zero.
func (s *Side[T]) Vanish(k int) {
	x, stride := s.vector(k)
	for i := range s.Own.Len() {
		x[i*stride] = 0
	}
}

// Clear sets all vectors to zero except the held ones.
func (s *Side[T]) Clear() {
	for k := range s.Inv {
		if !s.Held.Has(k) {
			s.Vanish(k)
		}
	}
}

// Vanished reports whether all vectors are zero, by their Gram matrix.
func (s *Side[T]) Vanished() bool {
	for k := range s.Gram.Rows {
		if s.Gram.Row(k)[k] != 0 {
			return false
		}
	}
	return true
}

// Invert forms the reciprocals for the sweeps of the other side, with zeros for the vectors that it
// holds.
func (s *Side[T]) Invert() {
	Reciprocals(s.Inv, s.Gram, s.Other.Ridge)
	clear(s.Inv[s.Other.Held.From:s.Other.Held.To])
}

// scale multiplies vector k by a power of two, and what the momentum and the sums have of it.
func (s *Side[T]) scale(k int, c T) {
	for _, x := range [2]kernel.Matrix[T]{s.X, s.Before} {
		switch {
		case x.Data == nil:
		case s.Columns:
			for i := range x.Rows {
				x.Row(i)[k] *= c
			}
		default:
			kernel.Scale(x.Row(k), c)
		}
	}
	kernel.Scale(s.Gram.Row(k), c)
	for l := range s.Gram.Rows {
		s.Gram.Row(l)[k] *= c
	}
	s.Inv[k] /= c * c
	if s.Sum != nil {
		s.Sum[k] *= c
	}
}

// multiply multiplies the vectors by alpha except the bound ones, or by its square if the other side
// is bound.
func (s *Side[T]) multiply(alpha T, bound, other group.Span) {
	by := make([]T, len(s.Inv))
	for k := range by {
		switch {
		case bound.Has(k):
			by[k] = 1
		case other.Has(k):
			by[k] = alpha * alpha
		default:
			by[k] = alpha
		}
	}
	for i := range s.X.Rows {
		row := s.X.Row(i)
		for j := range row {
			k := i
			if s.Columns {
				k = j
			}
			row[j] *= by[k]
		}
	}
}

// Shift multiplies the factor by a power of two, and scales its sums to match.
func (s *Side[T]) Shift(c T) {
	kernel.Scale(s.X.Data, c)
	kernel.Scale(s.Sum, c)
	kernel.Scale(s.Gram.Data, c*c)
	kernel.Scale(s.Inv, 1/(c*c))
}

// Summed reports whether the entries of each line have the sum 1, up to rounding, if Simplex asks for
// it. All processes call it together. SetSums divides the other lines by their sums.
func (s *Side[T]) Summed() bool {
	summed := true
	for i := range s.lines() {
		x, stride := s.line(i)
		summed = summed && HasSum(x, len(s.Inv), stride)
	}
	return s.Simplex == nil || !group.NewVote(s.Among).Any(!summed)
}

// SetSums makes Summed true.
func (s *Side[T]) SetSums() {
	for i := range s.lines() {
		x, stride := s.line(i)
		SetSum(x, len(s.Inv), stride)
	}
}

// lines returns the number of lines that must have the sum 1.
func (s *Side[T]) lines() int {
	if s.Simplex == nil {
		return 0
	}
	return s.Own.Len()
}

// Penalise sets the penalties of the next step, which are at most the largest number of T. Invert needs
// the one on the squares.
func (s *Side[T]) Penalise(p core.Penalty) {
	most := matrix.Largest[T]()
	s.Penalty, s.Ridge = T(min(p.L1/2, most)), T(min(p.L2, most))
}

// Squares returns the sum of the squares of x if the side has an l2 penalty, else 0.
func (s *Side[T]) Squares(x []T) float64 {
	if s.Ridge == 0 {
		return 0
	}
	return matrix.Dot(x, x)
}

// PenaltyOf returns the penalty, given the sizes of the factor.
func (s *Side[T]) PenaltyOf(of Sizes) float64 {
	return float64(2*float64(float64(s.Penalty)*of.Sum)) + float64(float64(s.Ridge)*of.Squares)
}

// KeepSupport restricts the following sweeps to the entries that are positive now.
func (s *Side[T]) KeepSupport() {
	s.Mask = s.like()
	for i := range s.X.Rows {
		mask := s.Mask.Row(i)
		for j, x := range s.X.Row(i) {
			if x > 0 {
				mask[j] = 1
			}
		}
	}
}

// Sweep renews some lines h of X, as columns, given their products a with N and their columns of the
// mask. before is that of the function Sweep.
func (s *Side[T]) Sweep(member int, before, h, a, mask kernel.Matrix[T]) {
	s.SweepBy(member, before, h, a, s.Other.Gram, s.Other.Inv, mask)
}

// SweepBy is Sweep for lines that have a Gram matrix of their own, with the reciprocals of its diagonal.
func (s *Side[T]) SweepBy(member int, before, h, a, gram kernel.Matrix[T], inv []T, mask kernel.Matrix[T]) {
	w := s.Sweeps
	if s.Simplex != nil {
		w.Simplex = s.Simplex[member]
	}
	Sweep(w, before, h, a, gram, inv, s.Penalty, s.Ridge, mask)
}

// The largest ratios that Balance leaves: of two penalties, and of the squares of two norms.
const (
	UnevenPenalties = 1 << 9
	UnevenSquares   = 1 << 6
)

// Sizes are the sum of the entries of a vector, or of a factor, and that of their squares.
type Sizes struct{ Sum, Squares float64 }

// Balance multiplies each vector of a by a power of two and divides that of b by it, which brings their
// penalties p and q near to a minimum of their sum. sizes returns the sizes of the vectors k. Vectors
// whose penalties have a ratio of at most uneven, zeros, held ones and those whose entries have the
// sum 1 do not change. scaled, if not nil, is called with the number that a vector of a is multiplied by.
func Balance[T kernel.Float](a, b *Side[T], p, q core.Penalty, uneven float64, sizes func(k int) (a, b Sizes), scaled func(k int, c T)) {
	if a.Simplex != nil || b.Simplex != nil {
		return
	}
	for k := range a.Inv {
		ofA, ofB := sizes(k)
		if a.Held.Has(k) || b.Held.Has(k) {
			continue
		}
		ofP, ofQ := penaltiesOf(p, q, ofA, ofB)
		if c := evener(ofP, ofQ, uneven); c != 1 {
			a.scale(k, T(c))
			b.scale(k, T(1/c))
			if scaled != nil {
				scaled(k, T(c))
			}
		}
	}
}

// Even is Balance by the norms of the vectors, given the Gram matrices. It leaves factors alone whose
// scale is that of their penalties. ratios is that of core.Momentum.
func Even[T kernel.Float](a, b *Side[T], ratios *[]float64, scaled func(k int, c T)) {
	if a.Penalised() || b.Penalised() {
		return
	}
	squares := func(k int) (ofA, ofB float64) { return float64(a.Gram.Row(k)[k]), float64(b.Gram.Row(k)[k]) }
	if ratios != nil && len(*ratios) == 0 {
		for k := range a.Inv {
			x, y := squares(k)
			*ratios = append(*ratios, x/y)
		}
	}
	one := core.Penalty{L2: 1}
	Balance(a, b, one, one, UnevenSquares, func(k int) (ofA, ofB Sizes) {
		x, y := squares(k)
		if ratios != nil && (*ratios)[k] > 0 && !math.IsInf((*ratios)[k], 1) {
			y *= (*ratios)[k]
		}
		return Sizes{Squares: x}, Sizes{Squares: y}
	}, scaled)
}

// Penalised reports whether the factor has a penalty.
func (s *Side[T]) Penalised() bool { return s.Penalty != 0 || s.Ridge != 0 }

// penaltiesOf returns the penalties p on a and q on b, divided by a power of two: they may be beyond the
// range of numbers, and their ratio is not.
func penaltiesOf(p, q core.Penalty, a, b Sizes) (ofA, ofB core.Penalty) {
	var x [4]float64
	var exponents [4]int
	most := math.MinInt
	for i, of := range [4][2]float64{{p.L1, a.Sum}, {p.L2, a.Squares}, {q.L1, b.Sum}, {q.L2, b.Squares}} {
		if of[0] == 0 {
			continue
		}
		penalty, e := math.Frexp(of[0])
		size, f := math.Frexp(of[1])
		if x[i], exponents[i] = penalty*size, e+f; x[i] > 0 {
			most = max(most, e+f)
		}
	}
	for i := range x {
		x[i] = math.Ldexp(x[i], exponents[i]-most)
	}
	return core.Penalty{L1: x[0], L2: x[1]}, core.Penalty{L1: x[2], L2: x[3]}
}

// evener returns the power of two c near to the minimum of
//
//	p.L1 c + p.L2 c² + q.L1/c + q.L2/c²
//
// At the minimum q.L1/c + 2 q.L2/c² is p.L1 c + 2 p.L2 c². If their ratio at 1 is at most uneven, c is 1.
func evener(p, q core.Penalty, uneven float64) float64 {
	ratio := func(e int) float64 { // falls by a factor of 4 to 16 if e grows by 1
		c := math.Ldexp(1, e)
		return (float64(q.L1/c) + float64(2*q.L2/c/c)) / (float64(p.L1*c) + float64(2*p.L2*c*c))
	}
	first, e := ratio(0), 0
	switch {
	case !(first > 0) || math.IsInf(first, 1): // of a zero
	case first > uneven:
		for ratio(e) > 4 {
			e++
		}
	case first < 1/uneven:
		for ratio(e) < 0.25 {
			e--
		}
	}
	return math.Ldexp(1, e)
}

// Redraw draws the lost vectors anew: uniform random numbers whose mean square is that of the factor,
// given the sum of its squares. Each process draws the numbers of all.
func (s *Side[T]) Redraw(lost []int, squares float64, random func() float64) {
	most := math.Sqrt(3 * squares / float64(len(s.Inv)) / float64(s.Whole))
	for _, k := range lost {
		x, stride := s.vector(k)
		for i := range s.Whole {
			if y := T(most * random()); s.Own.Has(i) {
				x[(i-s.Own.From)*stride] = y
			}
		}
	}
}

// Peaks returns the largest entries of the vectors over all processes. The next call overwrites them.
func (s *Side[T]) Peaks() []T {
	clear(s.largest)
	for i := range s.X.Rows {
		row := s.X.Row(i)
		if !s.Columns {
			s.largest[i] = kernel.Max(row)
			continue
		}
		for k, x := range row {
			s.largest[k] = max(s.largest[k], x)
		}
	}
	clear(s.most)
	group.Ring(s.Among, group.Memory(s.most), func() {
		for k, x := range s.largest {
			s.most[k] = max(s.most[k], x)
		}
	})
	return s.most
}

// Zeros returns the proportion of entries that are negligible in their vector.
func (s *Side[T]) Zeros() float64 {
	least := s.Peaks()
	for k, most := range least {
		if least[k] = T(math.Inf(1)); most > 0 {
			least[k] = matrix.LeastOf(most)
		}
	}
	own := 0
	for i := range s.X.Rows {
		row := s.X.Row(i)
		if !s.Columns {
			own += kernel.CountLess(row, least[i])
			continue
		}
		for k, x := range row {
			if x < least[k] {
				own++
			}
		}
	}
	s.negligible[0] = 0
	group.Ring(s.Among, group.Memory(s.negligible), func() { s.negligible[0] += own })
	return float64(s.negligible[0]) / (float64(len(s.Inv)) * float64(s.Whole))
}

// Undoable makes room for the factor before an iteration.
func (s *Side[T]) Undoable() {
	if s.Old.Data == nil {
		s.Old = s.like()
	}
}

// Accelerate prepares the momentum. Within says that X is extrapolated when it is renewed.
func (s *Side[T]) Accelerate(within bool) {
	if s.Within = within; within {
		s.Undoable()
	}
	s.Before = s.like()
}

// SetBeta sets β, or 0 if the entries of a line have the sum 1, which extrapolation with a bound at 0
// would change.
func (s *Side[T]) SetBeta(beta float64) {
	if s.Beta = T(beta); s.Simplex != nil {
		s.Beta = 0
	}
}

// Extrapolate extrapolates rows [i0, i1) of X.
func (s *Side[T]) Extrapolate(i0, i1 int) {
	kernel.Extrapolate(s.X.Slice(i0, i1, 0, s.X.Cols), s.Before.Slice(i0, i1, 0, s.X.Cols), s.Beta)
}

// Begin begins the momentum with X.
func (s *Side[T]) Begin() { matrix.CopyRows(s.Before, s.X) }

// Keep saves rows [i0, i1) of X, and Restore restores them.
func (s *Side[T]) Keep(i0, i1 int) { copyRows(s.Old, s.X, i0, i1) }

// Restore restores rows [i0, i1) of X, which Keep has saved.
func (s *Side[T]) Restore(i0, i1 int) { copyRows(s.X, s.Old, i0, i1) }

// Back restores rows [i0, i1) of X and of Before from before an iteration with momentum.
func (s *Side[T]) Back(i0, i1 int) {
	if s.Within {
		copyRows(s.Before, s.Old, i0, i1)
	}
	copyRows(s.X, s.Before, i0, i1)
}

// copyRows copies rows [i0, i1) between matrices of one layout, with the gaps between the rows.
func copyRows[T kernel.Float](to, from kernel.Matrix[T], i0, i1 int) {
	copy(to.Data[i0*to.Stride:i1*to.Stride], from.Data[i0*from.Stride:i1*from.Stride])
}
