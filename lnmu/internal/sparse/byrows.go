package sparse

import (
	"math"
	"slices"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
)

// byRows is E = M - V W by rows. On the zeros of M, V W is all violation. Its squares there are those of the row of
// V W, v_i W Wᵀ v_iᵀ, less those on the stored entries. Where the two are nearly equal their difference is
// rounding, as in the row of an isolated large entry. Such rows are measured entry by entry.
type byRows[T kernel.Float] struct {
	of    *measurement[T]
	v, w  kernel.Matrix[T] // rows of V of this process, and all of W
	wt    kernel.Matrix[T] // the columns of W
	gram  []float64        // W Wᵀ, lower half
	count []int            // positive entries of each row of W
	low   core.Residual    // the sums less the bounds on their rounding errors

	// noise are the exponents of the bounds of the rows of this process, 0 for a row whose V W is 0 on the zeros of M
	// and for one that was measured.
	noise []uint16
}

const (
	rounding     = 0x1p-46 // of the squares of a row of V W, which are sums in float64
	errorNoise   = 1e-6    // rounding errors of the squares, relative to them, for which no row is measured
	excessNoise  = 1e-4    // likewise of the squares of the violations
	slower       = 4       // time for an entry of V W that is formed here, over that by a kernel
	exponents    = 2200    // of float64 numbers, with room
	exponentZero = 1100
)

// byRows prepares for the sums of the rows.
func (e *measurement[T]) byRows() *byRows[T] {
	v, w := e.m.ForRows(e.v, e.w)
	r := w.Rows
	x := &byRows[T]{of: e, v: v, w: w, wt: w.Transposed(), gram: make([]float64, r*r), count: make([]int, r), noise: make([]uint16, v.Rows)}
	part := make([]float64, r*r) // of some columns: fewer terms in a row, smaller errors
	for j0 := 0; j0 < w.Cols; j0 += matrix.TileCols {
		clear(part)
		for j := j0; j < min(j0+matrix.TileCols, w.Cols); j++ {
			row := x.wt.Row(j)
			for k, a := range row {
				if a == 0 {
					continue
				}
				x.count[k]++
				for l, b := range row[:k+1] {
					part[k*r+l] += float64(float64(a) * float64(b))
				}
			}
		}
		for at, p := range part {
			x.gram[at] += p
		}
	}
	return x
}

// pass returns the sums of all rows of all processes. It measures the rows whose noise has at least the
// given exponent, until over.
func (x *byRows[T]) pass(least int, over func() bool) core.Residual {
	e, slabs := x.of, x.of.m.Slabs()
	sums, low := make([]core.Residual, len(slabs)-1), make([]core.Residual, len(slabs)-1)
	rooms := kernel.NewMatrix[float64](e.Size(), min(matrix.TileCols, x.w.Cols))
	e.tasks(len(sums), func(member, task int) {
		m, top, ok := e.rowsOf(slabs[task], slabs[task+1], never)
		for i := slabs[task]; ok && i < slabs[task+1]; i++ {
			first, last := m.Ptr[i-top], m.Ptr[i-top+1]
			columns, values := m.Idx[first:last], m.Val[first:last]
			var s core.Residual
			if int(x.noise[i]) < least || over() {
				s = x.sum(i, columns, values)
			} else {
				s = x.measure(i, columns, values, rooms.Row(member))
			}
			x.noise[i] = exponent(s.Noise)
			sums[task] = sums[task].Plus(s)
			low[task].Squares += max(0, s.Squares-s.Noise)
			low[task].Excess += max(0, s.Excess-s.Noise)
		}
	})
	x.low = group.Sum(e.m.Among(), low, core.Residual.Plus)
	return group.Sum(e.m.Among(), sums, core.Residual.Plus)
}

// sum forms the sums of row i, which has these entries.
func (x *byRows[T]) sum(i int, columns []int32, values []T) (s core.Residual) {
	h := x.v.Row(i)
	var product, whole float64
	positive, most := 0, 0
	for t, j := range columns {
		var p float64
		for k, b := range x.wt.Row(int(j)) {
			p += float64(float64(h[k]) * float64(b))
		}
		d := float64(values[t]) - p
		square := float64(d * d)
		s.Squares += square
		if d < 0 {
			s.Excess += square
			s.Least = min(s.Least, d)
		}
		product += float64(p * p)
		if p > 0 {
			positive++
		}
	}
	for k, a := range h {
		if a == 0 {
			continue
		}
		most += x.count[k]
		var along float64
		for l, b := range h[:k] {
			along += float64(float64(b) * x.gram[k*len(h)+l])
		}
		whole += float64(float64(a) * (float64(2*along) + float64(float64(a)*x.gram[k*len(h)+k])))
	}
	if positive < most { // V W may be positive on a zero of M
		zeros := max(0, whole-product)
		s.Squares, s.Excess, s.Noise = s.Squares+zeros, s.Excess+zeros, float64(rounding*whole)
	}
	return s
}

// measure forms the sums of row i entry by entry, in float64 like sum. room has room for a tile of it.
func (x *byRows[T]) measure(i int, columns []int32, values []T, room []float64) (s core.Residual) {
	t := 0
	for j := 0; j < x.w.Cols; j += len(room) {
		row := room[:min(len(room), x.w.Cols-j)]
		clear(row)
		for k, a := range x.v.Row(i) {
			if a == 0 {
				continue
			}
			for c, b := range x.w.Row(k)[j:][:len(row)] {
				row[c] -= float64(float64(a) * float64(b))
			}
		}
		for ; t < len(columns) && int(columns[t]) < j+len(row); t++ {
			row[int(columns[t])-j] += float64(values[t])
		}
		for _, d := range row {
			s.Squares += float64(d * d)
			if d < 0 {
				s.Excess += float64(d * d)
				s.Least = min(s.Least, d)
			}
		}
	}
	return s
}

// exponent returns the least e with x < 2^e, as an index, and 0 for 0.
func exponent(x float64) uint16 {
	if x == 0 {
		return 0
	}
	_, e := math.Frexp(min(x, math.MaxFloat64))
	return uint16(e + exponentZero)
}

// residual returns E, with the least of its entries that were formed. It measures the rows whose rounding
// errors matter, as far as that forms no more than so many entries of V W.
func (x *byRows[T]) residual(most float64, over func() bool) core.Residual {
	sum := x.pass(exponents, never)
	counts := make([]int64, exponents) // whole numbers, so that the order of the processes does not matter
	group.Ring(x.of.m.Among(), group.Memory(counts), func() {
		for _, at := range x.noise {
			counts[at]++
		}
	})
	cut, left := 1, min(errorNoise*x.low.Squares, excessNoise*x.low.Excess)
	for ; cut < exponents; cut++ { // the rows below it are good enough
		if left -= math.Ldexp(float64(counts[cut]), cut-exponentZero); left < 0 {
			break
		}
	}
	least := exponents
	for affordable := math.Floor(most / slower / float64(x.w.Cols)); least > cut && float64(counts[least-1]) <= affordable; least-- {
		affordable -= float64(counts[least-1])
	}
	if slices.ContainsFunc(counts[least:], func(n int64) bool { return n > 0 }) {
		sum = x.pass(least, over)
	}
	if least == cut && !over() {
		sum.Noise = 0 // what is left does not matter
	}
	return sum
}

// leastPossible returns a lower bound on E, given the least entry that was formed. In the other rows it
// comes from the norms and largest entries of V and W.
func (x *byRows[T]) leastPossible(least float64) float64 {
	// |v_i · w_j| is at most Σ_k v_ik max_j w_kj and at most ||v_i|| max_j ||w_j||.
	most, longest := peaks(x.w), 0.0
	for j := range x.wt.Rows {
		longest = max(longest, norm64(x.wt.Row(j)))
	}
	bound := -least
	group.Ring(x.of.m.Among(), group.Bytes(&bound), func() {
		for i, at := range x.noise {
			if at == 0 {
				continue
			}
			var linear float64
			for k, y := range x.v.Row(i) {
				linear += float64(float64(y) * most[k])
			}
			bound = max(bound, min(linear, norm64(x.v.Row(i))*longest))
		}
	})
	return -bound
}

// peaks returns the largest entry of each row of w.
func peaks[T kernel.Float](w kernel.Matrix[T]) []float64 {
	most := make([]float64, w.Rows)
	for k := range most {
		if w.Cols > 0 {
			most[k] = float64(kernel.Max(w.Row(k)))
		}
	}
	return most
}

// norm64 returns ||x|| in float64.
func norm64[T kernel.Float](x []T) float64 {
	var sum float64
	for _, y := range x {
		sum += float64(float64(y) * float64(y))
	}
	return math.Sqrt(sum)
}
