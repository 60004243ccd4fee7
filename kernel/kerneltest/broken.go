package kerneltest

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"slices"

	"nmu/internal/checkasm"
	"nmu/internal/isa"
	"nmu/kernel"
)

// brokenCalls is the number of calls with randomly broken shapes of a kernel at a level.
var brokenCalls = [...]int{Full: 1300, Short: 130, Quick: 130}

// claim is the shape that a call claims for an operand or a mask: its first n elements or bytes are a rows x cols
// matrix whose rows are stride apart. If n is noData, the slice is nil. For a vector only n
// counts.
type claim struct{ rows, cols, stride, n int }

const noData = -1

// String describes the claim.
func (c claim) String() string {
	in := fmt.Sprintf("%d elements", c.n)
	if c.n == noData {
		in = "nil"
	}
	if c.rows == 1 {
		return in
	}
	return fmt.Sprintf("%d x %d with stride %d in %s", c.rows, c.cols, c.stride, in)
}

// edges returns numbers that break code that computes sizes. near is the correct number.
func edges(near int) []int {
	return []int{-1, math.MinInt, math.MaxInt, math.MaxInt / 8, 1<<(bits.UintSize-3) + 1, 1 << (bits.UintSize - 3), 0, near - 1, near + 1}
}

// edge returns a random one of such numbers.
func edge(near int, r *rand.Rand) int {
	off, part := r.IntN(5)-2, 1+r.IntN(9)
	return [...]int{near + off, off, math.MaxInt/part + min(off, 0), math.MinInt/part + max(off, 0), 1<<r.IntN(bits.UintSize) + off}[r.IntN(5)]
}

// broken calls the kernel, at a level, with shapes that its buffers do not have: negative
// extents and strides, products that overflow, contradictory shapes, and missing data. Such a
// call must panic itself, not in the runtime, before it writes anything. A call whose shape is
// possible must return.
func (h *harness[T]) broken(level isa.Level) {
	defer isa.Set(level)()
	if len(h.k.Distinct) == 0 {
		h.failf("%s: Distinct has no shapes to break", h.k.Name)
	}
	calls := brokenCalls[h.effort]
	refused, several := 0, false
	for _, shape := range h.k.Distinct {
		for i, place := range []place{5, end, start} {
			c := h.newTrial(shape, place, checkasm.Signed)
			c.level = level
			c.breaks = &breaks{each: i == 0, random: calls/(3*len(h.k.Distinct)) + 1}
			c.test()
			if c.failed {
				return
			}
			refused += c.breaks.refused
			several = several || len(c.buffers) > 1 // which can contradict each other
		}
	}
	if refused == 0 && several {
		h.failf("%s: no shape was broken", h.k.Name)
	}
}

// breaks says how to break the shapes of a trial.
type breaks struct {
	each    bool  // break each extent, stride and length by itself
	random  int   // calls with shapes that are broken by chance
	fixed   []int // extents that are no buffer's own
	refused int   // calls that were to panic, and did
}

// breakShapes calls f with broken shapes.
func (c *trial[T]) breakShapes(f func() T) {
	c.trace()
	r := rand.New(c.choices)
	var right []claim
	var whole []func(claim) // sets what an operand or a mask claims
	for _, b := range c.buffers {
		right = append(right, claim{b.Rows, b.Cols, b.Stride, len(b.Data)})
		all := b.Data
		whole = append(whole, func(is claim) { b.operand = operand[T]{first(all, is.n), is.rows, is.cols, is.stride} })
	}
	for _, m := range c.masks {
		all := *m.bits
		right = append(right, claim{all.Rows, all.Cols, all.Stride, len(all.Data)})
		whole = append(whole, func(is claim) {
			*m.bits = kernel.Bits{Rows: is.rows, Cols: is.cols, Stride: is.stride, Data: first(all.Data, is.n)}
		})
	}
	claims := func(all []claim) {
		for i, set := range whole {
			set(all[i])
		}
	}
	call := func(change func(all []claim)) {
		if changed := slices.Clone(right); !c.failed {
			change(changed)
			claims(changed)
			fault := checkasm.Catch(func() { f() })
			claims(right)
			c.outcome(fault, right, changed)
		}
	}
	if c.breaks.each {
		eachBroken(right, call)
	}
	for range c.breaks.random {
		call(func(all []claim) {
			for range 1 + r.IntN(2) {
				randomBreak(right, all, r)
			}
		})
	}
}

// first returns the first n elements, or nil.
func first[E any](s []E, n int) []E {
	if n == noData {
		return nil
	}
	return s[:n:n]
}

// eachBroken makes a call for each number that can be changed: a field of one claim, or an extent in all of them.
func eachBroken(right []claim, call func(change func(all []claim))) {
	for i, r := range right {
		for _, n := range []int{noData, 0, r.n - 1} {
			call(func(c []claim) { c[i].n = n })
		}
		if r.rows == 1 {
			continue
		}
		for _, x := range edges(r.rows) {
			call(func(c []claim) { c[i].rows = x })
			call(func(c []claim) { setExtent(right, c, r.rows, x) })
		}
		for _, x := range edges(r.cols) {
			call(func(c []claim) { c[i].cols = x })
			call(func(c []claim) { setExtent(right, c, r.cols, x) })
		}
		for _, x := range append(edges(r.stride), r.cols-1) {
			call(func(c []claim) { c[i].stride = x })
		}
		call(func(c []claim) { wrap(right, c, r.rows, bits.UintSize-3) })
	}
}

// randomBreak changes one random number.
func randomBreak(right, changed []claim, r *rand.Rand) {
	i := r.IntN(len(right))
	was, now := right[i], &changed[i]
	extent := was.cols
	if was.rows > 1 && r.IntN(2) == 0 {
		extent = was.rows
	}
	switch r.IntN(7) {
	case 0:
		now.rows = edge(was.rows, r)
	case 1:
		now.cols = edge(was.cols, r)
	case 2:
		now.stride = edge(was.stride, r)
	case 3:
		now.n = r.IntN(was.n+1) + noData
	case 4:
		setExtent(right, changed, extent, edge(extent, r))
	case 5:
		for i := range changed {
			changed[i].stride = edge(right[i].stride, r)
		}
	case 6:
		wrap(right, changed, extent, 1+r.IntN(bits.UintSize-1))
	}
}

// setExtent changes an extent in all claims. A vector cannot grow.
func setExtent(right, changed []claim, from, to int) {
	for i, r := range right {
		if r.rows == from {
			changed[i].rows = to
		}
		if r.cols == from {
			changed[i].cols = to
			if r.rows == 1 {
				changed[i].n = min(max(to, 0), r.n)
			}
		}
	}
}

// wrap changes an extent to 2^k + 1, and the strides of the matrices with this many rows so
// that the offset of the last row overflows to zero. It does nothing to a stride that would
// become smaller.
func wrap(right, changed []claim, extent, k int) {
	setExtent(right, changed, extent, 1<<k+1)
	for i, r := range right {
		if r.rows == extent {
			changed[i].stride = max(1<<(bits.UintSize-k), r.stride)
		}
	}
}

// possible says whether the shapes are valid: each matrix fits in its elements, and equal
// extents are still equal. It computes in unbounded integers.
func (c *trial[T]) possible(right, changed []claim) bool {
	now := map[int]int{}
	for _, x := range c.breaks.fixed {
		now[x] = x
	}
	agree := func(was, is int) bool {
		if x, ok := now[was]; ok {
			return x == is
		}
		now[was] = is
		return true
	}
	for i, is := range changed {
		was, n, width := right[i], max(is.n, 0), is.cols
		if was.rows == 1 {
			if !agree(was.cols, n) {
				return false
			}
			continue
		}
		if !agree(was.rows, is.rows) || !agree(was.cols, is.cols) || is.rows < 0 || is.cols < 0 {
			return false
		}
		if is.rows == 0 || is.cols == 0 {
			continue
		}
		if i >= len(c.buffers) { // a mask has bytes
			width = (is.cols-1)/8 + 1
		}
		end := new(big.Int).Mul(big.NewInt(int64(is.rows)-1), big.NewInt(int64(is.stride)))
		end.Add(end, big.NewInt(int64(width)))
		if is.stride < width || end.Cmp(big.NewInt(int64(n))) > 0 {
			return false
		}
	}
	return true
}

// outcome checks what a call with changed claims has done.
func (c *trial[T]) outcome(fault *checkasm.Fault, right, changed []claim) {
	possible := c.possible(right, changed)
	fail := func(what string) {
		text := ""
		for i, is := range changed {
			if is != right[i] {
				text += fmt.Sprintf(" %s as %v,", c.all()[i].name, is)
			}
		}
		c.failf("called with%s %s", text, what)
	}
	switch {
	case fault == nil && !possible:
		fail("it does not panic")
	case fault != nil && fault.Memory:
		fail(c.explain(fault))
	case fault != nil && possible:
		fail("it refuses what is right: " + fault.String())
	case fault != nil:
		c.breaks.refused++
		if _, ok := fault.Value.(runtime.Error); ok {
			fail("it is stopped by the runtime: " + fault.String())
		}
	}
	for _, b := range c.all() {
		err := b.canaries()
		if err == nil && (!possible || b.how == read) {
			err = b.unmodified()
		}
		if err != nil {
			fail(err.Error())
		}
		copy(b.Data, b.before)
	}
}
