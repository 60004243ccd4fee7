package kernel

import (
	"math"
	"unsafe"
)

// gather is the work of one call of assembly on some rows of a pattern.
type gather struct {
	rowData, x       unsafe.Pointer // the first row of A or V; X or C
	values           unsafe.Pointer // n or p of the first entry
	idx              unsafe.Pointer // column of the first entry
	ptr              unsafe.Pointer // rows+1 pointers
	rowStride        int            // bytes
	xStride          int
	rows, cols, left int    // rows; vectors of a row but the last; elements of the last
	g                uint64 // bits

	// what sampled needs beyond the products
	do          sampling
	m           unsafe.Pointer // of the first entry
	other       unsafe.Pointer // the first row of A; C
	otherStride int
	least       uint64 // bits
}

// sampling is what the bodies of sampled do with the products. Bodies for ratios count rows down to 0.
type sampling int

const (
	keepProducts  sampling = iota
	addRatios              // their ratios, times X, are added to A
	scatterRatios          // their ratios, times V, are added to C
)

// gathering returns the level whose bodies take a sparse product of rows of cols numbers. Rows that end in half a vector
// of AVX-512 and have less than two take less time with AVX2 than with zeros to the end of the vector: on a Zen 4, an
// iteration of NMF on 4000 x 3000 with 25 entries a row went from 0.85 to 0.73 ms at r = 4 and from 1.03 to 1.01 at
// r = 10, in float64. Longer rows gain nothing, or lose: AddRatioProduct took 7 to 20 % longer with rows of 160 bytes.
func gathering[T Float](cols int) *level {
	l, row := active(), cols*sizeOf[T]()
	if l.shorter != nil && row < 2*l.vector && row%l.vector == l.shorter.vector {
		return l.shorter
	}
	return l
}

// piece returns the end of the rows from i on that one call takes, i itself if
// already the first has too many entries.
func (s *Pattern) piece(i, most int) int {
	end, last := i, i+min(most, s.Rows()-i)
	for end < last { // 17 steps at most
		if mid := (end + last + 1) / 2; s.ptr[mid]-s.ptr[i] <= most {
			end = mid
		} else {
			last = mid - 1
		}
	}
	return end
}

// entriesOfCall returns how many entries one call takes, which fetch rows of cols elements. Each may be all of its row.
func entriesOfCall(cols int) int {
	return max(min(sparseWork/cols, callWork/(cols+2*rowWork)), 1)
}

// addSparse adds to the rows of A from those of X, or by the transposed body from A to X.
func addSparse[T Float](l *level, body body[gather], a Matrix[T], s Pattern, n []T, g T, x Matrix[T]) bool {
	if body == 0 {
		return false
	}
	size := sizeOf[T]()
	lanes := l.vector / size
	most := max(entriesOfCall(x.Cols), 64) // a call takes only some columns of a wide X
	var row [2]int                         // the part of a long row
	c := gather{rowStride: a.Stride * size, xStride: x.Stride * size, g: bits(g)}
	for i := 0; i < s.Rows(); {
		end := s.piece(i, most)
		t, tEnd := s.ptr[i], s.ptr[max(end, i+1)]
		c.rows, c.ptr = end-i, unsafe.Pointer(&s.ptr[i])
		for t < tEnd {
			last := tEnd
			if end == i {
				last = min(t+most, tEnd)
				row = [2]int{t, last}
				c.rows, c.ptr = 1, unsafe.Pointer(&row)
			}
			c.values, c.idx = unsafe.Pointer(&n[t-s.ptr[0]]), unsafe.Pointer(&s.idx[t])
			for k, width := 0, 0; k < x.Cols; k += width {
				if width = min(x.Cols-k, l.gatherWhole/size); (x.Cols-k)*size%l.gatherUnit != 0 {
					width = min(x.Cols-k, l.gatherPart/size)
				}
				c.rowData, c.x = at(&a, i, k), at(&x, 0, k)
				c.cols = (width - 1) / lanes
				c.left = width - c.cols*lanes
				body.run(&c, (last-t)*width, last-t+c.rows)
			}
			t = last
		}
		i = max(end, i+1)
	}
	return true
}

func sampledProductTiled[T Float](p []T, s Pattern, v, x Matrix[T]) {
	if l := gathering[T](x.Cols); bodiesOf[T](l).sampled[0] != 0 {
		sample(l, gather{}, p, Matrix[T]{}, s, nil, v, x)
	} else {
		sampledProductGeneric(p, s, v, x)
	}
}

// wholeGroups says whether sampled has bodies for rows of so many bytes: of whole gatherUnits, of at most ratioGroups groups
// of lanes.
func (l *level) wholeGroups(row int) bool {
	return row <= l.ratioGroups*contractionBytes && row%l.gatherUnit == 0
}

func ratioProductTiled[T Float](do sampling, p []T, a Matrix[T], s Pattern, m []T, least T, v, x Matrix[T]) {
	l := gathering[T](x.Cols)
	b := bodiesOf[T](l)
	if b.sampled[0] == 0 || x.Cols == 0 {
		ratioProductGeneric(do, p, a, s, m, least, v, x)
		return
	}
	// A body finds the rows of C from those of X.
	if l.wholeGroups(x.Cols*sizeOf[T]()) && (do == addRatios || a.Stride == x.Stride) {
		sample(l, gather{do: do, least: bits(least)}, p, a, s, m, v, x)
		return
	}
	sampledProductTiled(p, s, v, x)
	ratioTiled(p, m, least)
	zero := T(math.Copysign(0, -1)) // which changes no number, not even -0
	if do == addRatios {
		addSparse(l, b.addSparse, a, s, p, zero, x)
	} else {
		addSparse(l, b.addTransposed, v, s, p, zero, a)
	}
}

// sample does what c says with the products of the rows of V and X. a is A or C, or unused.
func sample[T Float](l *level, c gather, p []T, a Matrix[T], s Pattern, m []T, v, x Matrix[T]) {
	size := sizeOf[T]()
	kind := 0
	if row := x.Cols * size; l.wholeGroups(row) {
		if kind = 1 + int(c.do); row%contractionBytes != 0 {
			kind += 3
		}
	}
	body := bodiesOf[T](l).sampled[kind]
	lanes := contractionBytes / size
	most := entriesOfCall(x.Cols)
	var row [2]int
	c.rowStride, c.xStride, c.otherStride = v.Stride*size, x.Stride*size, a.Stride*size
	c.x = at(&x, 0, 0)
	if c.do == scatterRatios {
		c.other = at(&a, 0, 0)
	}
	c.cols = (x.Cols - 1) / lanes
	c.left = x.Cols - c.cols*lanes
	for i := 0; i < s.Rows(); {
		end := s.piece(i, most)
		t, tEnd := s.ptr[i], s.ptr[max(end, i+1)]
		c.rows, c.ptr, c.rowData = end-i, unsafe.Pointer(&s.ptr[i]), at(&v, i, 0)
		if c.do == addRatios {
			c.other = at(&a, i, 0)
		}
		for t < tEnd {
			last := tEnd
			if end == i {
				last = min(t+most, tEnd)
				row = [2]int{t, last}
				c.rows, c.ptr = 1, unsafe.Pointer(&row)
			}
			c.values, c.idx = unsafe.Pointer(&p[t-s.ptr[0]]), unsafe.Pointer(&s.idx[t])
			work := (last - t) * x.Cols
			if c.do != keepProducts {
				c.m = unsafe.Pointer(&m[t-s.ptr[0]])
				work *= 2
			}
			body.run(&c, work, last-t+c.rows)
			t = last
		}
		i = max(end, i+1)
	}
}

// rankOneRows is the work of one call of assembly on some rows of a rank-one pass.
type rankOneRows struct {
	v         unsafe.Pointer // of the first row
	w, c      unsafe.Pointer
	n, m      unsafe.Pointer // of the first entry; m may be nil
	idx       unsafe.Pointer // column of the first entry
	ptr       unsafe.Pointer // rows+1 pointers
	rows      int
	do        int    // one of the below
	mu, g     uint64 // bits
	base, inv uint64
	lanes     [4]uint64 // what the sums begin with
}

// What is done with each row.
const (
	wholeRow   = iota
	startRow   // adds to the lanes alone; the entries are a multiple of rankOneLanes
	finishRow  // as wholeRow, but nothing is added to c
	scatterRow // only adds to c
)

func sparseRankOneTiled[T Float](c, v []T, s Pattern, n, w []T, step SparseStep[T]) {
	body := bodiesOf[T](active()).sparseRankOne
	if body == 0 {
		sparseRankOneGeneric(c, v, s, n, w, step)
		return
	}
	var row [2]int // the part of a long row
	r := rankOneRows{
		w: unsafe.Pointer(unsafe.SliceData(w)), c: unsafe.Pointer(unsafe.SliceData(c)),
		mu: bits(step.Mu), g: bits(step.G), base: bits(step.Base), inv: bits(step.Inv),
	}
	// rows does what is asked on the entries [t0, t1) of rows from i on.
	rows := func(do, t0, t1 int) {
		r.do = do
		if t1 > t0 {
			r.n, r.idx = unsafe.Pointer(&n[t0-s.ptr[0]]), unsafe.Pointer(&s.idx[t0])
			if step.Update {
				r.m = unsafe.Pointer(&step.M[t0-s.ptr[0]])
			}
		}
		if do == scatterRow { // of entries that were watched
			body.run(&r, 0, t1-t0)
		} else {
			body.run(&r, t1-t0, t1-t0+r.rows)
		}
	}
	for i := 0; i < s.Rows(); {
		end := s.piece(i, rankOneEntries)
		r.v, r.ptr, r.rows = unsafe.Pointer(&v[i]), unsafe.Pointer(&s.ptr[i]), end-i
		if end > i {
			rows(wholeRow, s.ptr[i], s.ptr[end])
			i = end
			continue
		}
		r.ptr, r.rows = unsafe.Pointer(&row), 1
		from, to := s.Entries(i, i+1)
		for t := from; t < to; t = row[1] {
			row = [2]int{t, min(t+rankOneEntries, to)}
			if row[1] < to {
				rows(startRow, row[0], row[1])
			} else {
				rows(finishRow, row[0], row[1])
			}
		}
		r.lanes = [4]uint64{}
		for t := from; t < to && v[i] != 0; t = row[1] {
			row = [2]int{t, min(t+rankOneEntries, to)}
			rows(scatterRow, row[0], row[1])
		}
		i++
	}
}
