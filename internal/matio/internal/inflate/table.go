package inflate

import "math/bits"

// table finds the symbol of a code. The next primary bits of the stream are the place of an entry. For
// a longer code that entry leads to others, for the bits that follow.
//
//	bits 0-4    size of the code, 0 if there is none
//	bits 5-8    extra bits after the code, or bits of the place among the other entries
//	bits 9-10   kind
//	bits 16-31  the literal, the least length or distance, or the place of the first other entry
type table struct{ entries []uint32 }

const (
	primary    = 10
	mostBits   = 15
	maxLits    = 286
	maxDists   = 30
	sizeMask   = 31
	extraShift = 5
	valueShift = 16

	kindMask    = 3 << 9
	kindLiteral = 0 << 9
	kindCopy    = 1 << 9
	kindEnd     = 2 << 9
	kindLong    = 3 << 9
)

// literal returns the entry of a literal or length, without the size of its code.
func literal(symbol int) uint32 {
	switch {
	case symbol < 256:
		return uint32(symbol)<<valueShift | kindLiteral
	case symbol == 256:
		return kindEnd
	case symbol < 265:
		return uint32(symbol-257+3)<<valueShift | kindCopy
	case symbol == 285:
		return longest<<valueShift | kindCopy
	}
	extra := uint32(symbol-261) / 4
	return (uint32(symbol-261)%4+4)<<extra<<valueShift + 3<<valueShift | extra<<extraShift | kindCopy
}

// distance returns the entry of a distance, without the size of its code.
func distance(symbol int) uint32 {
	if symbol < 4 {
		return uint32(symbol+1)<<valueShift | kindCopy
	}
	extra := uint32(symbol-2) / 2
	return ((uint32(symbol)%2+2)<<extra+1)<<valueShift | extra<<extraShift | kindCopy
}

// build fills t for codes of these sizes. entry gives the entry of a symbol. No code at all is allowed,
// and so is a single one of one bit. build returns false for others that are not complete.
func (t *table) build(sizes []uint8, entry func(symbol int) uint32) bool {
	var count, next [mostBits + 2]int
	for _, size := range sizes {
		count[size]++
	}
	code, all := 0, len(sizes)-count[0]
	count[0] = 0
	for size := 1; size <= mostBits; size++ {
		code = (code + count[size-1]) << 1
		next[size] = code
	}
	end := next[mostBits] + count[mostBits]
	if all > 0 && end != 1<<mostBits && !(all == 1 && count[1] == 1) {
		return false
	}
	t.entries = append(t.entries[:0], make([]uint32, 1<<primary)...)
	var wide [1 << primary]uint8 // bits after the primary ones, of the longest code that begins so
	codes := next
	for _, size := range sizes {
		if size == 0 {
			continue
		}
		c := reversed(codes[size], size)
		codes[size]++
		if size > primary {
			p := &wide[c&(1<<primary-1)]
			*p = max(*p, size-primary)
		}
	}
	for symbol, size := range sizes {
		if size == 0 {
			continue
		}
		c := reversed(next[size], size)
		next[size]++
		e := entry(symbol) | uint32(size)
		if size <= primary {
			for k := c; k < 1<<primary; k += 1 << size {
				t.entries[k] = e
			}
			continue
		}
		first := &t.entries[c&(1<<primary-1)]
		width := wide[c&(1<<primary-1)]
		if *first == 0 {
			*first = uint32(len(t.entries))<<valueShift | uint32(width)<<extraShift | kindLong
			at := *first
			t.entries = append(t.entries, make([]uint32, 1<<width)...)
			t.entries[c&(1<<primary-1)] = at
		}
		place := int(t.entries[c&(1<<primary-1)] >> valueShift)
		for k := c >> primary; k < 1<<width; k += 1 << (size - primary) {
			t.entries[place+k] = e
		}
	}
	return true
}

// reversed returns the code with its first bit lowest.
func reversed(code int, size uint8) int { return int(bits.Reverse16(uint16(code)) >> (16 - size)) }

// fixed sets the codes of a block of kind 1.
func (z *Reader) fixed() {
	var sizes [288]uint8
	for k := range sizes {
		switch {
		case k < 144:
			sizes[k] = 8
		case k < 256:
			sizes[k] = 9
		case k < 280:
			sizes[k] = 7
		default:
			sizes[k] = 8
		}
	}
	z.lits.build(sizes[:], func(symbol int) uint32 {
		return literal(symbol)
	})
	for k := range 32 {
		sizes[k] = 5
	}
	z.dists.build(sizes[:32], distance)
	// The codes of symbols that do not exist are damage.
	z.lits.forbid(reversed(0xc6, 8), 8)
	z.lits.forbid(reversed(0xc7, 8), 8)
	z.dists.forbid(reversed(30, 5), 5)
	z.dists.forbid(reversed(31, 5), 5)
}

// forbid removes a code.
func (t *table) forbid(code int, size uint8) {
	for k := code; k < 1<<primary; k += 1 << size {
		t.entries[k] = 0
	}
}

// order is the order in which a block has the sizes of the codes of sizes.
var order = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// dynamic reads the codes of a block of kind 2. It returns false if they are damaged.
func (z *Reader) dynamic() bool {
	lits, dists, sizes := z.take(5)+257, z.take(5)+1, z.take(4)+4
	if z.err == nil && (lits > maxLits || dists > maxDists) {
		z.corrupt()
	}
	var of [19]uint8
	for _, k := range order[:sizes] {
		of[k] = uint8(z.take(3))
	}
	if z.err != nil {
		return false
	}
	// The codes of sizes are used before those of lengths are built.
	if !z.lits.build(of[:], func(symbol int) uint32 { return uint32(symbol) << valueShift }) {
		z.corrupt()
		return false
	}
	all := z.lengths[:lits+dists]
	for k := 0; k < len(all); {
		z.top()
		e := z.lits.entries[z.bits&(1<<primary-1)]
		size := uint(e & sizeMask)
		switch {
		case z.err != nil:
			return false
		case size == 0:
			z.corrupt()
			return false
		case size > z.n:
			z.short()
			return false
		}
		z.take(size)
		symbol := uint8(e >> valueShift)
		if symbol < 16 {
			all[k] = symbol
			k++
			continue
		}
		repeat, value := 0, uint8(0)
		switch symbol {
		case 16:
			if k == 0 {
				z.corrupt()
				return false
			}
			repeat, value = 3+z.take(2), all[k-1]
		case 17:
			repeat = 3 + z.take(3)
		default:
			repeat = 11 + z.take(7)
		}
		if z.err == nil && repeat > len(all)-k {
			z.corrupt()
		}
		if z.err != nil {
			return false
		}
		for range repeat {
			all[k] = value
			k++
		}
	}
	if !z.lits.build(all[:lits], literal) || !z.dists.build(all[lits:], distance) {
		z.corrupt()
		return false
	}
	return true
}
