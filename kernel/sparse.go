package kernel

import "fmt"

// Pattern holds the positions of the entries of a sparse matrix, row by row: row i has the
// entries t in [ptr[i], ptr[i+1]), entry t is in column idx[t]. It does not hold their values:
// several matrices may share it.
//
//	ptr   0     2  3        6
//	      |     |  |        |
//	idx   1  4  0  0  2  3        row 0: columns 1, 4; row 1: 0; row 2: 0, 2, 3
//	n     .  .  .  .  .  .        values, one for each entry
//
// A Pattern is a view, maybe of some rows of another one. If a kernel takes values with a
// Pattern, value t - ptr[0] belongs to entry t.
type Pattern struct {
	cols int
	ptr  []int
	idx  []int32
}

// NewPattern returns the pattern of len(ptr)-1 rows. It keeps the slices, which
// must not be changed any more: the kernels rely on what NewPattern has checked.
// It returns an error unless cols is not negative, ptr does not decrease and lies
// within idx, and every idx[t] in use is in [0, cols). The order within a row is
// free.
func NewPattern(cols int, ptr []int, idx []int32) (Pattern, error) {
	if cols < 0 {
		return Pattern{}, fmt.Errorf("kernel: a pattern of %d columns", cols)
	}
	if len(ptr) == 0 {
		return Pattern{}, fmt.Errorf("kernel: a pattern of %d columns without row pointers", cols)
	}
	if ptr[0] < 0 || ptr[len(ptr)-1] > len(idx) {
		return Pattern{}, fmt.Errorf("kernel: the rows of a pattern are entries %d to %d of %d", ptr[0], ptr[len(ptr)-1], len(idx))
	}
	for i, first := range ptr[:len(ptr)-1] {
		last := ptr[i+1]
		if last < first || last > len(idx) {
			return Pattern{}, fmt.Errorf("kernel: row %d of a pattern is entries %d to %d of %d", i, first, last, len(idx))
		}
		for t, j := range idx[first:last] {
			if j < 0 || int(j) >= cols {
				return Pattern{}, fmt.Errorf("kernel: entry %d of row %d of a pattern is in column %d of %d", t, i, j, cols)
			}
		}
	}
	return Pattern{cols, ptr, idx}, nil
}

// Rows returns the number of rows.
func (s Pattern) Rows() int { return max(len(s.ptr)-1, 0) }

// Cols returns the number of columns.
func (s Pattern) Cols() int { return s.cols }

// Len returns the number of entries.
func (s Pattern) Len() int {
	if len(s.ptr) == 0 {
		return 0
	}
	return s.ptr[len(s.ptr)-1] - s.ptr[0]
}

// Row returns the columns of the entries of row i, without copying.
func (s Pattern) Row(i int) []int32 {
	from, to := s.Entries(i, i+1)
	return s.idx[from:to:to]
}

// Entries returns the range of entries of rows [i0, i1).
func (s Pattern) Entries(i0, i1 int) (t0, t1 int) { return s.ptr[i0], s.ptr[i1] }

// Slice returns the view of rows [i0, i1). It panics if there are no such rows.
func (s Pattern) Slice(i0, i1 int) Pattern {
	if i0 < 0 || i1 < i0 || i1 > s.Rows() {
		panic(fmt.Sprintf("kernel: rows [%d:%d] of a pattern of %d rows", i0, i1, s.Rows()))
	}
	if len(s.ptr) == 0 {
		return s // the zero Pattern
	}
	return Pattern{s.cols, s.ptr[i0 : i1+1], s.idx}
}

// SparseWidth returns how many columns the matrices of a sparse product should have for vectors of r
// numbers, if zeros follow each vector: r up to a whole vector of the active level, or of one with shorter
// vectors whose bodies are faster then, so that no loop needs a mask.
func SparseWidth[T Float](r int) int {
	up := func(l *level) int {
		unit := max(1, l.gatherUnit/sizeOf[T]()) // a power of 2
		return (r + unit - 1) &^ (unit - 1)
	}
	l := active()
	if l.shorter != nil && gathering[T](up(l.shorter)) == l.shorter {
		l = l.shorter
	}
	return up(l)
}

// AddSparseProduct adds (N + g) X to A, where N + g stands for the entries of N
// with g added to each, the places without an entry being zero:
//
//	a[i][k] takes fma(n_t + g, x[idx[t]][k], a[i][k]) for the entries t of row i in turn
//
// n_t + g is rounded. A is rows x r, X is cols x r: a vector of r numbers for
// each row and each column of the pattern. A must not overlap n or X. It takes
// 2r operations and one vector of X for each entry.
func AddSparseProduct[T Float](a Matrix[T], s Pattern, n []T, g T, x Matrix[T]) {
	writes("A", a, s.Rows(), x.Cols)
	readsAt("X", x, s, x.Cols)
	readsLen("N", n, s.Len())
	if len(n) == 0 || x.Cols == 0 {
		return
	}
	if l := gathering[T](x.Cols); !addSparse(l, bodiesOf[T](l).addSparse, a, s, n, g, x) {
		addSparseProductGeneric(a, s, n, g, x)
	}
}

func addSparseProductGeneric[T Float](a Matrix[T], s Pattern, n []T, g T, x Matrix[T]) {
	t := 0
	for i := range s.Rows() {
		row := a.Row(i)
		for _, j := range s.Row(i) {
			c := n[t] + g
			for k, b := range x.Row(int(j)) {
				row[k] = fma(c, b, row[k])
			}
			t++
		}
	}
}

// AddTransposedSparseProduct adds (N + g)ᵀ V to C:
//
//	c[idx[t]][k] takes fma(n_t + g, v[i][k], c[idx[t]][k])
//
// for the entries t in turn, i being the row of t. n_t + g is rounded. C is cols
// x r, V is rows x r. C must not overlap n or V. It takes 2r operations for each
// entry and reads and writes one vector of C.
func AddTransposedSparseProduct[T Float](c Matrix[T], s Pattern, n []T, g T, v Matrix[T]) {
	writesAt("C", c, s, v.Cols)
	reads("V", v, s.Rows(), v.Cols)
	readsLen("N", n, s.Len())
	if len(n) == 0 || v.Cols == 0 {
		return
	}
	if l := gathering[T](v.Cols); !addSparse(l, bodiesOf[T](l).addTransposed, v, s, n, g, c) {
		addTransposedGeneric(c, s, n, g, v)
	}
}

func addTransposedGeneric[T Float](c Matrix[T], s Pattern, n []T, g T, v Matrix[T]) {
	t := 0
	for i := range s.Rows() {
		row := v.Row(i)
		for _, j := range s.Row(i) {
			b, to := n[t]+g, c.Row(int(j))
			for k, x := range row {
				to[k] = fma(b, x, to[k])
			}
			t++
		}
	}
}

// SampledProduct sets p to the entries of V Xᵀ at the places of the pattern:
// p_t = v_i · x_j for entry t in row i and column j = idx[t], summed in 64 bytes
// of lanes. V is rows x r, X is cols x r. p must not overlap V or X. It takes 2r
// operations and one vector of X for each entry.
func SampledProduct[T Float](p []T, s Pattern, v, x Matrix[T]) {
	reads("V", v, s.Rows(), x.Cols)
	readsAt("X", x, s, x.Cols)
	writesLen("P", p, s.Len())
	if len(p) == 0 || x.Cols == 0 {
		clear(p)
		return
	}
	sampledProductTiled(p, s, v, x)
}

func sampledProductGeneric[T Float](p []T, s Pattern, v, x Matrix[T]) {
	t := 0
	for i := range s.Rows() {
		row := v.Row(i)
		for _, j := range s.Row(i) {
			p[t] = laneDot(row, x.Row(int(j)), contractionBytes)
			t++
		}
	}
}

// AddRatioProduct sets p to the ratio of M to V Xᵀ at the places of the pattern, and adds P X to A:
//
//	p_t = m_t / max(v_i · x_j, least)
//	a[i][k] takes fma(p_t, x[j][k], a[i][k])
//
// for entry t in row i and column j = idx[t], the entries of a row in turn. It is SampledProduct, Ratio
// and AddSparseProduct in one walk: each vector of X is fetched once. A is rows x r like V, X is cols x r.
// p and A must not overlap the other arguments. It takes 4r operations for each entry.
func AddRatioProduct[T Float](p []T, a Matrix[T], s Pattern, m []T, least T, v, x Matrix[T]) {
	writes("A", a, s.Rows(), x.Cols)
	ratioProduct(addRatios, p, a, s, m, least, v, x)
}

// AddTransposedRatioProduct sets p as AddRatioProduct does, and adds Pᵀ V to C:
//
//	c[j][k] takes fma(p_t, v[i][k], c[j][k])
//
// for the entries t in turn. It is SampledProduct, Ratio and AddTransposedSparseProduct, in one walk if C
// has the stride of X. C is cols x r. p and C must not overlap the other arguments.
func AddTransposedRatioProduct[T Float](p []T, c Matrix[T], s Pattern, m []T, least T, v, x Matrix[T]) {
	writesAt("C", c, s, x.Cols)
	ratioProduct(scatterRatios, p, c, s, m, least, v, x)
}

// ratioProduct adds the ratios times X or V to a, which is A or C.
func ratioProduct[T Float](do sampling, p []T, a Matrix[T], s Pattern, m []T, least T, v, x Matrix[T]) {
	reads("V", v, s.Rows(), x.Cols)
	readsAt("X", x, s, x.Cols)
	readsLen("M", m, s.Len())
	writesLen("P", p, s.Len())
	if len(p) > 0 {
		ratioProductTiled(do, p, a, s, m, least, v, x)
	}
}

func ratioProductGeneric[T Float](do sampling, p []T, a Matrix[T], s Pattern, m []T, least T, v, x Matrix[T]) {
	t := 0
	for i := range s.Rows() {
		h := v.Row(i)
		for _, j := range s.Row(i) {
			g := x.Row(int(j))
			product := laneDot(h, g, contractionBytes)
			if !(product > least) {
				product = least
			}
			p[t] = m[t] / product
			from, to := g, i
			if do == scatterRatios {
				from, to = h, int(j)
			}
			row := a.Row(to)
			for k, b := range from {
				row[k] = fma(p[t], b, row[k])
			}
			t++
		}
	}
}

// SparseStep holds the numbers of a step of SparseRankOne, and its update of the multipliers.
type SparseStep[T Float] struct {
	Update bool // of the multipliers, with the v of the previous step
	M      []T  // values at the places of N; unused without the update
	Mu     T
	G      T // added to the entries of N
	Base   T // added to every sum, for the places without an entry
	Inv    T // Reciprocal(w·w)
}

// readsAt is reads for a matrix of a row for each column of a pattern. A kernel reads the rows
// that have entries.
func readsAt[T Float](name string, m Matrix[T], s Pattern, cols int) {
	check(name, m, s.cols, cols)
	raceRows(m, s, false)
}

// writesAt is readsAt for a matrix whose rows a kernel writes.
func writesAt[T Float](name string, m Matrix[T], s Pattern, cols int) {
	check(name, m, s.cols, cols)
	raceRows(m, s, true)
}

// raceRows is race for a pattern, which is read, and the rows of m that have entries.
func raceRows[T Float](m Matrix[T], s Pattern, written bool) {
	race(s.ptr, false)
	for i := 0; racing && i < s.Rows(); i++ {
		race(s.Row(i), false)
		for _, j := range s.Row(i) {
			race(m.Row(int(j)), written)
		}
	}
}

// columnOf returns x as a matrix of one column.
func columnOf[T Float](x []T) Matrix[T] {
	return Matrix[T]{Rows: len(x), Cols: 1, Data: x, Stride: 1}
}

// SparseRankOne is RankOne for a sparse N: one rank-one HALS step over the rows of
// a pattern. For i = 0, 1, ..., t being the entries of row i and j = idx[t],
//
//	[n_t <- min(m_t⁺, n_t + µ(m_t⁺ - v_i w_j))]   if step.Update
//	v_i <- max(0, Σ_t (n_t + g) w_j + base) · inv
//	c_j <- fma(n_t + g, v_i, c_j)   unless v_i = 0
//
// n_t + g is rounded. The sum has four lanes: lane l takes the entries of the row
// whose number is ≡ l, one fused multiply-add after the other, then the lanes are
// added pairwise, l with l + 2, and then base. Where inv = 0, v stays as it is. v
// has an element for each row, w and c have one for each column. No argument may
// overlap another. It takes 4 operations for each entry, 9 with the update, and
// fetches one element of w and of c.
func SparseRankOne[T Float](c, v []T, s Pattern, n, w []T, step SparseStep[T]) {
	checkLen("c", c, s.cols)
	writesLen("v", v, s.Rows())
	checkLen("w", w, s.cols)
	writesAt("c", columnOf(c), s, 1)
	readsAt("w", columnOf(w), s, 1)
	if step.Update {
		writesLen("N", n, s.Len())
		readsLen("M", step.M, s.Len())
	} else {
		readsLen("N", n, s.Len())
	}
	sparseRankOneTiled(c, v, s, n, w, step)
}

// sparseLanes is the number of lanes of the sums of SparseRankOne: as many as hide
// the time of an addition, but few beside the entries of a row.
const sparseLanes = 4

func sparseRankOneGeneric[T Float](c, v []T, s Pattern, n, w []T, up SparseStep[T]) {
	t := 0
	for i := range v {
		first, cols := t, s.Row(i)
		var lane [sparseLanes]T
		for k, j := range cols {
			if up.Update {
				n[t] = step(n[t], up.M[t], T(v[i]*w[j]), up.Mu)
			}
			l := k % sparseLanes
			lane[l] = fma(n[t]+up.G, w[j], lane[l])
			t++
		}
		if up.Inv != 0 {
			v[i] = project(fold(lane[:])+up.Base, up.Inv)
		}
		if v[i] == 0 {
			continue
		}
		for k, j := range cols {
			c[j] = fma(n[first+k]+up.G, v[i], c[j])
		}
	}
}
