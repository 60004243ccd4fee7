package kernel

import (
	"fmt"
	"math"
)

// Dot returns x·y, summed in 128 bytes of lanes. It panics if the lengths differ.
func Dot[T Float](x, y []T) T {
	readsLen("x", x, len(x))
	readsLen("y", y, len(x))
	if s, ok := dotTiled(x, y); ok {
		return s
	}
	return dotGeneric(x, y)
}

// SumSquares returns x·x, with the bits of Dot(x, x).
func SumSquares[T Float](x []T) T { return Dot(x, x) }

// Max returns the largest element of x, or -Inf if x is empty. A NaN is never
// larger than anything, so that NaNs are passed over.
func Max[T Float](x []T) T {
	readsLen("x", x, len(x))
	if s, ok := maxTiled(x); ok {
		return s
	}
	return maxGeneric(x)
}

// Min returns the smallest element of x, or +Inf if x is empty. NaNs are passed
// over.
func Min[T Float](x []T) T {
	readsLen("x", x, len(x))
	if s, ok := minTiled(x); ok {
		return s
	}
	return minGeneric(x)
}

// CountLess returns how many elements of x are less than t. For nonnegative x and the smallest
// positive t it counts the zeros of x; with t = 0.001 max(x) it counts the zeros in the paper's
// s(·) (section 4, Testing methodology).
func CountLess[T Float](x []T, t T) int {
	readsLen("x", x, len(x))
	if n, ok := countLessTiled(x, t); ok {
		return n
	}
	return countLessGeneric(x, t)
}

// Contract sets A = G Xᵀ, that is a[k][i] = Σ_j g[k][j] x[i][j]: the product
// A = N Wᵀ of equation (halsV), stored transposed. A is r x p, X is p x q and
// G is r x q. Each sum runs over j in 64 bytes of lanes. A must not overlap X
// or G; X and G may be the same. 2pqr operations.
func Contract[T Float](a, x, g Matrix[T]) {
	writes("A", a, g.Rows, x.Rows)
	reads("X", x, x.Rows, g.Cols)
	reads("G", g, g.Rows, g.Cols)
	if a.Rows == 0 || a.Cols == 0 {
		return
	}
	if !contractTiled(a, x, g) {
		contractGeneric(a, x, g)
	}
}

// Gram sets the symmetric r x r matrix B = G Gᵀ of an r x q matrix G, with the
// bits of Contract(b, g, g) in half the operations. B must not overlap G.
func Gram[T Float](b, g Matrix[T]) {
	writes("B", b, g.Rows, g.Rows)
	reads("G", g, g.Rows, g.Cols)
	if g.Rows == 0 {
		return
	}
	if !gramTiled(b, g) {
		gramGeneric(b, g)
	}
}

// AddProduct adds V W to P, with V given transposed: p[i][j] takes
// fma(vt[k][i], w[k][j], p[i][j]) for k = 0, 1, ... in turn. P is p x q, Vᵀ is
// r x p and W is r x q. P must not overlap Vᵀ or W. 2pqr operations.
func AddProduct[T Float](p, vt, w Matrix[T]) {
	writes("P", p, vt.Cols, w.Cols)
	reads("VT", vt, w.Rows, vt.Cols)
	reads("W", w, w.Rows, w.Cols)
	if p.Rows == 0 || p.Cols == 0 || w.Rows == 0 {
		return
	}
	if !addProductTiled(p, vt, w) {
		addProductGeneric(p, vt, w)
	}
}

// Product sets P = V W: AddProduct from zero.
func Product[T Float](p, vt, w Matrix[T]) {
	writes("P", p, vt.Cols, w.Cols)
	reads("VT", vt, w.Rows, vt.Cols)
	reads("W", w, w.Rows, w.Cols)
	if p.Rows == 0 || p.Cols == 0 {
		return
	}
	if w.Rows > 0 && productTiled(p, vt, w) {
		return
	}
	for i := range p.Rows {
		clear(p.Row(i))
	}
	addProductGeneric(p, vt, w)
}

// Accumulate adds Vᵀ X to C: c[k][j] takes fma(vt[k][i], x[i][j], c[k][j]) for
// i = 0, 1, ... in turn: the product C = Vᵀ N of equation (halsW), a block of
// rows at a time. C is r x q, Vᵀ is r x p and X is p x q. C must not overlap
// Vᵀ or X. 2pqr operations.
func Accumulate[T Float](c, vt, x Matrix[T]) {
	AccumulateAhead(c, vt, x, Matrix[T]{}, Matrix[T]{})
}

// AccumulateAhead is Accumulate, and prefetches N and M into L2 meanwhile: the rows of them
// that the caller needs next. They are p x q, or zero Matrices where there are none. The
// stride of N is best that of X. Neither is read, so that another goroutine may write them.
func AccumulateAhead[T Float](c, vt, x, n, m Matrix[T]) {
	writes("C", c, vt.Rows, x.Cols)
	reads("VT", vt, vt.Rows, x.Rows)
	reads("X", x, x.Rows, x.Cols)
	checkAhead("N", n, x)
	checkAhead("M", m, x)
	if c.Rows == 0 || c.Cols == 0 || x.Rows == 0 {
		return
	}
	if !accumulateTiled(c, vt, x, n, m) {
		accumulateGeneric(c, vt, x)
	}
}

// checkAhead panics unless m has the shape of X or is a zero Matrix.
func checkAhead[T Float](name string, m, x Matrix[T]) {
	if m.Rows != 0 || m.Cols != 0 || m.Stride != 0 || m.Data != nil {
		check(name, m, x.Rows, x.Cols)
	}
}

// Add adds X to C, entry by entry. They are of one shape and must not overlap.
func Add[T Float](c, x Matrix[T]) {
	writes("C", c, c.Rows, c.Cols)
	reads("X", x, c.Rows, c.Cols)
	if c.Rows == 0 || c.Cols == 0 {
		return
	}
	if !addTiled(c, x) {
		addGeneric(c, x)
	}
}

// Extrapolate adds β times its last step, X - Before, to X, sets negative entries to zero, and
// stores the previous X in Before:
//
//	d = x - before;  before <- x;  x <- max(0, fma(β, d, x))
//
// It returns Σ d², in 64 bytes of lanes that take the rows one after the other; with
// β = 0 it measures the step, and a nonnegative X stays as it is. The matrices are of
// one shape and must not overlap.
func Extrapolate[T Float](x, before Matrix[T], beta T) (squares T) {
	writes("X", x, x.Rows, x.Cols)
	writes("Before", before, x.Rows, x.Cols)
	if x.Rows == 0 || x.Cols == 0 {
		return 0
	}
	if s, ok := extrapolateTiled(x, before, beta); ok {
		return s
	}
	return extrapolateGeneric(x, before, beta)
}

// UpdateMultiplier is the projected update Λ <- max(0, Λ - µ(M - VW)) of
// Algorithm L-NMU in terms of N = M - Λ, given P = VW:
//
//	m⁺ = max(m, 0);  n <- min(m⁺, fma(µ, m⁺ - p, n))
//
// A negative m stands for a residual entry that an earlier factor overshot;
// it counts as zero. N, M and P are of one shape; none may overlap another.
func UpdateMultiplier[T Float](n, m, p Matrix[T], mu T) {
	writes("N", n, n.Rows, n.Cols)
	reads("M", m, n.Rows, n.Cols)
	reads("P", p, n.Rows, n.Cols)
	if n.Rows == 0 || n.Cols == 0 {
		return
	}
	if !updateTiled(n, m, p, mu) {
		updateGeneric(n, m, p, mu)
	}
}

// UpdateMultiplierProduct is Product and UpdateMultiplier in one pass over N and M: it forms P
// = V W one tile at a time. N and M are p x q, VT is r x p (V transposed), W is r x q; N may
// overlap none of them. 2pqr operations.
func UpdateMultiplierProduct[T Float](n, m, vt, w Matrix[T], mu T) {
	writes("N", n, n.Rows, n.Cols)
	reads("M", m, n.Rows, n.Cols)
	reads("VT", vt, vt.Rows, n.Rows)
	reads("W", w, vt.Rows, n.Cols)
	if n.Rows == 0 || n.Cols == 0 {
		return
	}
	if vt.Rows == 0 || !updateProductTiled(n, m, vt, w, mu) {
		updateProductGeneric(n, m, vt, w, mu)
	}
}

// Reciprocals sets inv[k] = 1/b[k][k], or 0 where b[k][k] is not positive or too small for its
// reciprocal to be finite: Sweep leaves such a coordinate unchanged.
func Reciprocals[T Float](inv []T, b Matrix[T]) {
	check("B", b, len(inv), len(inv))
	for k := range inv {
		inv[k] = Reciprocal(b.Data[k*b.Stride+k])
	}
}

// Reciprocal returns 1/b, or 0 where b is not positive or 1/b is not finite.
func Reciprocal[T Float](b T) T {
	if r := 1 / b; b > 0 && !math.IsInf(float64(r), 0) {
		return r
	}
	return 0
}

// Sweep is one HALS sweep (equations (halsV) and (halsW)) over the coordinates
// k = 0, 1, ... of each column of H, in place:
//
//	h[k] <- mask[k] · max(0, a[k] - Σ_{l≠k} b[k][l] h[l] - penalty) · inv[k]
//
// The sum is taken off a[k] by fused multiply-adds in increasing l, then the
// penalty is subtracted. H and A are r x q, B is r x r, inv comes from
// Reciprocals(B); where inv[k] = 0 row k of H stays as it is. mask is r x q of
// zeros and ones, or the zero Matrix for none. H must overlap nothing else.
// 2qr² operations.
func Sweep[T Float](h, a, b Matrix[T], inv []T, penalty T, mask Matrix[T]) {
	writes("H", h, h.Rows, h.Cols)
	reads("A", a, h.Rows, h.Cols)
	reads("B", b, h.Rows, h.Rows)
	readsLen("inv", inv, h.Rows)
	if mask.Data != nil || mask.Rows != 0 || mask.Cols != 0 {
		reads("mask", mask, h.Rows, h.Cols)
	}
	if h.Rows == 0 || h.Cols == 0 {
		return
	}
	if !sweepTiled(h, a, b, inv, penalty, mask) {
		sweepGeneric(h, a, b, inv, penalty, mask)
	}
}

// When says at which point of a rank-one pass the multipliers are updated.
type When uint8

const (
	Never  When = iota
	Before      // with the v of the previous pass, before v is renewed
	After       // with the new v, before it is accumulated
)

// Multiplier describes the multiplier update that RankOne includes: that of UpdateMultiplier
// with P = v w.
type Multiplier[T Float] struct {
	When When
	M    Matrix[T] // shape of N; unused if When is Never
	Mu   T
}

// RankOne is one rank-one HALS step over a block of rows of N. For i = 0, 1, ...
//
//	[n_i <- min(m_i⁺, n_i + µ(m_i⁺ - v_i w))]   if up.When is Before
//	v_i <- max(0, n_i·w) · inv
//	[n_i <- min(m_i⁺, n_i + µ(m_i⁺ - v_i w))]   if up.When is After
//	acc <- fma(v_i, n_i, acc);  vv <- fma(v_i, v_i, vv)
//
// and it returns vv. N is p x q, v has p elements, w and acc have q, inv is
// Reciprocal(w·w); where inv = 0, v stays as it is. The bits are those of
// Contract, Sweep, UpdateMultiplierProduct and Accumulate with r = 1, in one
// pass over N. No argument may overlap another.
func RankOne[T Float](acc, v []T, n Matrix[T], w []T, inv, vv T, up Multiplier[T]) T {
	writesIf(up.When != Never, "N", n, len(v), len(w))
	writesLen("acc", acc, len(w))
	writesLen("v", v, len(v))
	readsLen("w", w, len(w))
	checkWhen(up.When)
	if up.When != Never {
		reads("M", up.M, len(v), len(w))
	}
	if len(v) == 0 || len(w) == 0 {
		return vv
	}
	if vv, ok := rankOneTiled(acc, v, n, w, inv, vv, up); ok {
		return vv
	}
	return rankOneGeneric(acc, v, n, w, inv, vv, up)
}

func checkWhen(w When) {
	if w > After {
		panic(fmt.Sprintf("kernel: a multiplier update at point %d of a pass", w))
	}
}
