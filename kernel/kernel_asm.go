//go:build !purego && (amd64 || arm64)

package kernel

import (
	"math"
	"unsafe"

	"nmu/internal/isa"
)

// This file cuts a kernel's work into calls of assembly: into pieces that fit
// the registers and the caches, and that are short, since assembly cannot be
// preempted. A piece is a struct of pointers, strides in bytes and counts,
// which the bodies read by the names in go_asm.h.
//
//	kernel.go        checks            Contract
//	kernel_asm.go    pieces            contractArch
//	kernel_ARCH.go   choice of body    contractBody      a stack check: preemption
//	*_ARCH.s, .h     body              contractAVX512F64

// tiles says what the bodies of a level work on at once.
type tiles struct {
	vector         int  // bytes
	contractRows   int  // rows of X of a contraction
	contractHeight int  // rows of G, at most
	contractRun    int  // bytes of a row beyond which columns are cut
	contractCut    int  // into runs of this many
	laneBytes      int  // lanes of contractRows x contractHeight sums
	outerHeight    int  // rows of the output of outer, at most
	outerVectors   int  // vectors of its columns
	sweepVectors   int  // vectors of columns of a sweep, at most
	rankOnePairs   bool // with an update, a rank-one pass takes two rows at once, not four
}

const (
	cacheBytes = 256 << 10 // data of one call, and of a block that is reused: a part of L2
	laneSpace  = 14 << 10  // for the lanes of a contraction whose columns are cut
	outerCols  = 21 * 192  // bytes of the columns of a block of outer
	outerInner = 128       // rows of src of a block of outer
	sweepBytes = 24 << 10  // panel of a sweep, if it can be: a part of L1
	vectorRun  = 64 << 10  // bytes of a vector per call of a reduction
	rankOneRun = 64 << 10  // bytes of a row per call of a rank-one pass: four are a part of L2
)

// callWork is the most work of one call of assembly, in entries of a matrix or
// vector, or in multiply-adds where each entry meets several others: 0.3 ms or
// less at two cycles for each 16 bytes of them, and a garbage collection waits
// no longer. A rank above 2730 makes UpdateMultiplierProduct exceed it in
// proportion, one above 16384 a sweep.
const callWork = 1 << 20

// watcher, if a test sets it, is told the work of every call of assembly.
var watcher func(work int)

func watch(work int) {
	if watcher != nil {
		watcher(work)
	}
}

// contraction is a[k][i] = Σ_j g[k][j] x[i][j] for one panel of rows of G.
type contraction struct {
	a, x, g                   unsafe.Pointer
	lanes                     unsafe.Pointer // tiles.laneBytes for each group of rows
	aStride, xStride, gStride int
	rows, cols, height        int
	resume, suspend           int // start from lanes; stop at lanes
}

// outer is out[a] += Σ_b coef[a][b] src[b] for one panel of rows of out.
type outer struct {
	out, src, coef       unsafe.Pointer
	outStride, srcStride int
	coefOut, coefInner   int // strides of coef along out and src
	height, cols, inner  int
	keep                 int // -1, or 0 to start from zero
	fetch                int // bytes from src to rows that will be wanted next, or 0

	// If m is not nil, out is N, which is updated by the sums, P.
	m       unsafe.Pointer
	mStride int
	mu      uint64 // bits
}

// sweep is the coordinates [from, to) of one panel of columns.
type sweep struct {
	h, a, b, inv, mask                    unsafe.Pointer // mask may be nil
	hStride, aStride, bStride, maskStride int
	rank, from, to, cols                  int
	penalty                               uint64 // bits
}

// update is the projected multiplier update, or n += m, of a rectangle.
type update struct {
	n, m, p                   unsafe.Pointer
	nStride, mStride, pStride int
	rows, cols                int
	mu                        uint64 // bits
}

// rankOne is steps of a rank-one pass over some rows and columns.
type rankOne struct {
	acc, v, n, w, m  unsafe.Pointer // m may be nil
	lanes            unsafe.Pointer // 64 bytes for each of four rows
	nStride, mStride int
	rows, cols       int
	steps            int
	inv, vv, mu      uint64 // bits; vv is updated
	//lint:ignore U1000 only assembly reads and writes them
	left, mRow int
}

// steps of a rank-one pass
const (
	stepDot     = 1 << iota // v from n·w
	stepAdd                 // acc += v n
	updateDot               // the multiplier update goes before the dot product
	updateAdd               // the multiplier update goes before the sum
	stepResume              // lanes of the dot product start from lanes
	stepSuspend             // and are put back there instead of being added up
	stepPairs               // rows go in groups of two instead of four
)

// reduction is one or two vectors reduced in lanes (128 bytes). The last call
// leaves the result in lane 0.
type reduction struct {
	x, y, lanes unsafe.Pointer
	n, last     int
}

// counting is the elements of x below t.
type counting struct {
	x        unsafe.Pointer
	n, count int
	t        uint64 // bits
}

// bits returns the bits of x, those of a float32 in the lower half, which comes
// first in memory.
func bits[T Float](x T) uint64 {
	if unsafe.Sizeof(x) == 8 {
		return math.Float64bits(float64(x))
	}
	return uint64(math.Float32bits(float32(x)))
}

// at returns the address of entry (i, j).
func at[T Float](m *Matrix[T], i, j int) unsafe.Pointer {
	return unsafe.Pointer(&m.Data[i*m.Stride+j])
}

// parts returns into how many parts of at most most a count is cut, and part
// i of them: parts differ by at most one.
func parts(n, most int) int { return (n + most - 1) / most }

func part(n, count, i int) (from, to int) { return n * i / count, n * (i + 1) / count }

func contractArch[T Float](a, x, g Matrix[T]) bool {
	level := isa.Active()
	t, ok := tilesOf(level)
	if !ok {
		return false
	}
	if g.Cols == 0 {
		return false
	}
	if g.Cols*sizeOf[T]() > t.contractRun {
		contractLong(level, t, a, x, g)
		return true
	}
	panels := parts(g.Rows, t.contractHeight)
	block := max(cacheBytes/(g.Cols*sizeOf[T]())/t.contractRows, 1) * t.contractRows
	for i := 0; i < x.Rows; i += block {
		for p := range panels {
			k, kEnd := part(g.Rows, panels, p)
			contractPanel(level, &a, &x, &g, k, kEnd, i, min(i+block, x.Rows))
		}
	}
	return true
}

// contractPanel contracts the rows [k, kEnd) of G, no more than fit the
// registers, with the rows [i, iEnd) of X.
func contractPanel[T Float](level isa.Level, a, x, g *Matrix[T], k, kEnd, i, iEnd int) {
	size := sizeOf[T]()
	c := contraction{
		a: at(a, k, i), x: at(x, i, 0), g: at(g, k, 0),
		aStride: a.Stride * size, xStride: x.Stride * size, gStride: g.Stride * size,
		rows: iEnd - i, cols: g.Cols, height: kEnd - k,
	}
	watch(c.rows * c.cols * c.height)
	contractBody[T](level, &c)
}

// contractLong is contractArch for rows so long that the rows of a tile do not
// stay in the nearest cache that can feed it. Columns are cut into runs, for
// some groups of rows, whose lanes wait in memory.
func contractLong[T Float](level isa.Level, t tiles, a, x, g Matrix[T]) {
	var lanes [laneSpace]byte
	size := sizeOf[T]()
	panels := parts(g.Rows, t.contractHeight)
	rows := laneSpace / t.laneBytes * t.contractRows
	runs := parts(g.Cols*size, t.contractCut)
	width := parts(parts(g.Cols*size, runs), contractionBytes) * contractionBytes / size
	for i := 0; i < x.Rows; i += rows {
		for p := range panels {
			k, kEnd := part(g.Rows, panels, p)
			c := contraction{
				a: at(&a, k, i), lanes: unsafe.Pointer(&lanes),
				aStride: a.Stride * size, xStride: x.Stride * size, gStride: g.Stride * size,
				rows: min(rows, x.Rows-i), height: kEnd - k,
			}
			for j := 0; j < g.Cols; j += width {
				c.x, c.g = at(&x, i, j), at(&g, k, j)
				c.cols = min(width, g.Cols-j)
				c.suspend = 0
				if j+c.cols < g.Cols {
					c.suspend = 1
				}
				watch(c.rows * c.cols * c.height)
				contractBody[T](level, &c)
				c.resume = 1
			}
		}
	}
}

// gramArch contracts each panel of rows of G with the rows up to its own, and
// mirrors the result.
func gramArch[T Float](b, g Matrix[T]) bool {
	level := isa.Active()
	t, ok := tilesOf(level)
	if !ok {
		return false
	}
	if g.Cols == 0 {
		return false
	}
	panels := parts(g.Rows, t.contractHeight)
	for p := range panels {
		k, kEnd := part(g.Rows, panels, p)
		contractArch(b.Slice(k, kEnd, 0, kEnd), g.Slice(0, kEnd, 0, g.Cols), g.Slice(k, kEnd, 0, g.Cols))
		for i := k; i < kEnd; i++ {
			for l, s := range b.Row(i)[:k] {
				b.Data[l*b.Stride+i] = s
			}
		}
	}
	return true
}

func addProductArch[T Float](p, vt, w Matrix[T]) bool {
	return outerArch(p, w, vt, 1, vt.Stride, true)
}

// productArch sets P = V W.
func productArch[T Float](p, vt, w Matrix[T]) bool {
	return outerArch(p, w, vt, 1, vt.Stride, false)
}

// accumulateArch adds Vᵀ X to C. X is mostly a block of rows of a larger matrix,
// whose next block will be wanted next.
func accumulateArch[T Float](c, vt, x Matrix[T]) bool {
	return outerArch(c, x, vt, vt.Stride, 1, true)
}

// outerArch adds Σ_b coef[a][b] src[b] to out[a], or sets it. Element (a, b) of
// the coefficients is coef.Data[a*coefOut + b*coefInner].
func outerArch[T Float](out, src, coef Matrix[T], coefOut, coefInner int, add bool) bool {
	level := isa.Active()
	t, ok := tilesOf(level)
	if !ok {
		return false
	}
	size := sizeOf[T]()
	tile := t.vector * t.outerVectors / size
	blocks := parts(out.Cols, outerCols/size)
	width := parts(parts(out.Cols, blocks), tile) * tile
	panels := parts(out.Rows, t.outerHeight)
	o := outer{
		outStride: out.Stride * size, srcStride: src.Stride * size,
		coefOut: coefOut * size, coefInner: coefInner * size,
	}
	for j := 0; j < out.Cols; j += width {
		o.cols = min(width, out.Cols-j)
		for b := 0; b < src.Rows; b += outerInner {
			o.inner = min(outerInner, src.Rows-b)
			o.src = at(&src, b, j)
			o.keep = -1
			if b == 0 && !add {
				o.keep = 0
			}
			for p := range panels {
				a, aEnd := part(out.Rows, panels, p)
				o.out, o.height = at(&out, a, j), aEnd-a
				o.fetch = 0
				if coefInner == 1 && p == 0 {
					o.fetch = src.Rows * o.srcStride
				}
				o.coef = unsafe.Pointer(&coef.Data[a*coefOut+b*coefInner])
				watch(o.height * o.cols * o.inner)
				outerBody[T](level, &o)
			}
		}
	}
	return true
}

// updateProductArch updates N by P = V W, of which a tile at a time exists, in
// registers.
func updateProductArch[T Float](n, m, vt, w Matrix[T], mu T) bool {
	level := isa.Active()
	t, ok := tilesOf(level)
	if !ok {
		return false
	}
	size := sizeOf[T]()
	tile := t.vector * t.outerVectors / size
	width := max(min(outerCols/size, callWork/(t.outerHeight*w.Rows))/tile, 1) * tile
	panels := parts(n.Rows, t.outerHeight)
	o := outer{
		outStride: n.Stride * size, srcStride: w.Stride * size, mStride: m.Stride * size,
		coefOut: size, coefInner: vt.Stride * size,
		inner: w.Rows, mu: bits(mu),
	}
	for j := 0; j < n.Cols; j += width {
		o.cols, o.src = min(width, n.Cols-j), at(&w, 0, j)
		for p := range panels {
			i, iEnd := part(n.Rows, panels, p)
			o.out, o.m, o.coef, o.height = at(&n, i, j), at(&m, i, j), at(&vt, 0, i), iEnd-i
			watch(o.height * o.cols * o.inner)
			outerBody[T](level, &o)
		}
	}
	return true
}

// rectangle returns the rows and columns of an update that one call takes of a
// matrix of that many columns.
func rectangle[T Float](all int) (rows, cols int) {
	most := cacheBytes / 4 / sizeOf[T]()
	return max(most/all, 1), min(most, all)
}

// setUpdate sets u to rows and columns from (i, j) on, but for p.
func setUpdate[T Float](u *update, n, m *Matrix[T], i, j, rows, cols int) {
	size := sizeOf[T]()
	u.n, u.nStride = at(n, i, j), n.Stride*size
	u.m, u.mStride = at(m, i, j), m.Stride*size
	u.rows, u.cols = min(rows, n.Rows-i), min(cols, n.Cols-j)
}

func updateArch[T Float](n, m, p Matrix[T], mu T) bool {
	level := isa.Active()
	if _, ok := tilesOf(level); !ok {
		return false
	}
	u := update{pStride: p.Stride * sizeOf[T](), mu: bits(mu)}
	rows, cols := rectangle[T](n.Cols)
	for i := 0; i < n.Rows; i += rows {
		for j := 0; j < n.Cols; j += cols {
			setUpdate(&u, &n, &m, i, j, rows, cols)
			u.p = at(&p, i, j)
			watch(u.rows * u.cols)
			updateBody[T](level, &u)
		}
	}
	return true
}

func addArch[T Float](c, x Matrix[T]) bool {
	level := isa.Active()
	if _, ok := tilesOf(level); !ok {
		return false
	}
	var u update
	rows, cols := rectangle[T](c.Cols)
	for i := 0; i < c.Rows; i += rows {
		for j := 0; j < c.Cols; j += cols {
			setUpdate(&u, &c, &x, i, j, rows, cols)
			watch(u.rows * u.cols)
			addBody[T](level, &u)
		}
	}
	return true
}

func sweepArch[T Float](h, a, b Matrix[T], inv []T, penalty T, mask Matrix[T]) bool {
	level := isa.Active()
	t, ok := tilesOf(level)
	if !ok {
		return false
	}
	size := sizeOf[T]()
	lanes := t.vector / size
	vectors := min(max(sweepBytes/(h.Rows*t.vector), t.sweepVectors/2), t.sweepVectors)
	all := parts(h.Cols, lanes)
	panels := parts(all, vectors)
	s := sweep{
		b: at(&b, 0, 0), inv: unsafe.Pointer(&inv[0]),
		hStride: h.Stride * size, aStride: a.Stride * size, bStride: b.Stride * size, maskStride: mask.Stride * size,
		rank: h.Rows, penalty: bits(penalty),
	}
	step := max(callWork/(h.Rows*vectors*lanes), 1)
	for p := range panels {
		j, jEnd := part(all, panels, p)
		j, jEnd = j*lanes, min(jEnd*lanes, h.Cols)
		s.h, s.a, s.cols = at(&h, 0, j), at(&a, 0, j), jEnd-j
		if mask.Data != nil {
			s.mask = at(&mask, 0, j)
		}
		for k := 0; k < h.Rows; k += step {
			s.from, s.to = k, min(k+step, h.Rows)
			watch((s.to - s.from) * s.rank * s.cols)
			sweepBody[T](level, &s)
		}
	}
	return true
}

func rankOneArch[T Float](acc, v []T, n Matrix[T], w []T, inv, vv T, up Multiplier[T]) (T, bool) {
	level := isa.Active()
	t, ok := tilesOf(level)
	if !ok {
		return 0, false
	}
	size := sizeOf[T]()
	r := rankOne{
		nStride: n.Stride * size, mStride: up.M.Stride * size,
		inv: bits(inv), vv: bits(vv), mu: bits(up.Mu),
	}
	dot, add, group := stepDot, stepAdd, 4
	switch up.When {
	case Before:
		dot |= updateDot
	case After:
		add |= updateAdd
	}
	if t.rankOnePairs && up.When != Never {
		dot |= stepPairs
		add |= stepPairs
		group = 2
	}
	if n.Cols*size <= rankOneRun {
		r.acc, r.w = unsafe.Pointer(&acc[0]), unsafe.Pointer(&w[0])
		r.cols, r.steps = n.Cols, dot|add
		rows := callWork / n.Cols / 4 * 4
		for i := 0; i < n.Rows; i += rows {
			r.rows = min(rows, n.Rows-i)
			r.v, r.n = unsafe.Pointer(&v[i]), at(&n, i, 0)
			if up.When != Never {
				r.m = at(&up.M, i, 0)
			}
			watch(r.rows * r.cols)
			rankOneBody[T](level, &r)
		}
		return fromBits[T](r.vv), true
	}
	// Long rows: all columns of a group of rows for v, then once more for acc.
	var lanes [4 * contractionBytes]byte
	r.lanes = unsafe.Pointer(&lanes)
	for i := 0; i < n.Rows; i += r.rows {
		r.rows = group
		if n.Rows-i < group {
			r.rows = 1
		}
		r.v = unsafe.Pointer(&v[i])
		for _, steps := range [...]int{dot, add} {
			r.steps = steps
			for j := 0; j < n.Cols; j += rankOneRun / size {
				r.cols = min(rankOneRun/size, n.Cols-j)
				r.acc, r.w = unsafe.Pointer(&acc[j]), unsafe.Pointer(&w[j])
				r.n = at(&n, i, j)
				if up.When != Never {
					r.m = at(&up.M, i, j)
				}
				r.steps &^= stepSuspend
				if steps&stepDot != 0 && j+r.cols < n.Cols {
					r.steps |= stepSuspend
				}
				watch(r.rows * r.cols)
				rankOneBody[T](level, &r)
				r.steps |= stepResume
			}
		}
	}
	return fromBits[T](r.vv), true
}

func fromBits[T Float](b uint64) T {
	var zero T
	if unsafe.Sizeof(zero) == 8 {
		return T(math.Float64frombits(b))
	}
	return T(math.Float32frombits(uint32(b)))
}

func dotArch[T Float](x, y []T) (s T, ok bool) {
	level := isa.Active()
	if _, ok := tilesOf(level); !ok || len(x) == 0 {
		return 0, false
	}
	var lanes [reductionBytes / 4]T // of float64 half are unused
	r := reduction{lanes: unsafe.Pointer(&lanes)}
	for len(x) > 0 {
		r.n = min(vectorRun/sizeOf[T](), len(x))
		r.x, r.y = unsafe.Pointer(&x[0]), unsafe.Pointer(&y[0])
		x, y = x[r.n:], y[r.n:]
		if len(x) == 0 {
			r.last = 1
		}
		watch(r.n)
		dotBody[T](level, &r)
	}
	return lanes[0], true
}

func maxArch[T Float](x []T) (T, bool) { return extremeArch(x, T(math.Inf(-1)), true) }

func minArch[T Float](x []T) (T, bool) { return extremeArch(x, T(math.Inf(1)), false) }

func extremeArch[T Float](x []T, start T, largest bool) (s T, ok bool) {
	level := isa.Active()
	if _, ok := tilesOf(level); !ok || len(x) == 0 {
		return 0, false
	}
	var lanes [reductionBytes / 4]T
	for l := range lanes {
		lanes[l] = start
	}
	r := reduction{lanes: unsafe.Pointer(&lanes)}
	for len(x) > 0 {
		r.n = min(vectorRun/sizeOf[T](), len(x))
		r.x = unsafe.Pointer(&x[0])
		x = x[r.n:]
		if len(x) == 0 {
			r.last = 1
		}
		watch(r.n)
		if largest {
			maxBody[T](level, &r)
		} else {
			minBody[T](level, &r)
		}
	}
	return lanes[0], true
}

func countLessArch[T Float](x []T, t T) (n int, ok bool) {
	level := isa.Active()
	if _, ok := tilesOf(level); !ok {
		return 0, false
	}
	c := counting{t: bits(t)}
	for len(x) > 0 {
		c.n = min(vectorRun/sizeOf[T](), len(x))
		c.x = unsafe.Pointer(&x[0])
		x = x[c.n:]
		watch(c.n)
		countLessBody[T](level, &c)
		n += c.count
	}
	return n, true
}
