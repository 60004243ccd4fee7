package inflate

import (
	"compress/flate"
	"encoding/binary"
	"io"
)

const (
	history = 1 << 15 // the largest distance
	longest = 258     // the largest length
	chunk   = 1 << 15 // bytes that are inflated at once
	word    = 8       // bytes that a copy may write too many
	inBytes = 1 << 13
)

// Reader inflates a stream.
type Reader struct {
	r    io.Reader
	err  error // of r, or of the stream, or io.EOF at its end
	read int64 // bytes read from r

	in       [inBytes]byte
	pos, end int // in[pos:end] is not in bits yet

	// The next n bits of the stream, the first one lowest. Bits above them are zero or those that
	// follow, so that they may be added once more.
	bits uint64
	n    uint

	window   [history + chunk + longest + word]byte
	from, to int // window[from:to] is inflated and not delivered

	inCodes     bool // within a block of codes
	stored      int  // bytes left of a stored block
	last        bool // the block is the last one
	lits, dists table
	lengths     [maxLits + maxDists]uint8
}

// NewReader returns a Reader of r. It may read more of r than the stream.
func NewReader(r io.Reader) *Reader { return &Reader{r: r} }

// Close does nothing: it makes a Reader an io.ReadCloser.
func (z *Reader) Close() error { return nil }

// Read implements io.Reader. Damaged data are a flate.CorruptInputError; a stream without its end is
// io.ErrUnexpectedEOF.
func (z *Reader) Read(p []byte) (int, error) {
	for z.from == z.to {
		if z.err != nil {
			return 0, z.err
		}
		if len(p) == 0 {
			return 0, nil
		}
		z.fill()
	}
	n := copy(p, z.window[z.from:z.to])
	z.from += n
	return n, nil
}

// fill inflates about one chunk. All of the window has been delivered.
func (z *Reader) fill() {
	if z.to > history {
		copy(z.window[:history], z.window[z.to-history:z.to])
		z.to = history
	}
	z.from = z.to
	for z.err == nil && z.to < history+chunk {
		switch {
		case z.inCodes:
			z.codes()
		case z.stored > 0:
			z.copyStored()
		case z.last:
			z.err = io.EOF
		default:
			z.header()
		}
	}
}

// corrupt ends the stream as damaged.
func (z *Reader) corrupt() { z.err = flate.CorruptInputError(z.read - int64(z.end-z.pos)) }

// more reads from r. If there is nothing more, it returns false.
func (z *Reader) more() bool {
	copy(z.in[:], z.in[z.pos:z.end])
	z.pos, z.end = 0, z.end-z.pos
	for range 100 {
		n, err := z.r.Read(z.in[z.end:])
		z.end += n
		z.read += int64(n)
		if n > 0 {
			return true
		}
		if err != nil {
			if err != io.EOF {
				z.err = err
			}
			return false
		}
	}
	z.err = io.ErrNoProgress
	return false
}

// top adds bytes to bits until these are 48 bits at least, or the stream ends.
func (z *Reader) top() {
	for z.n < 48 {
		if z.pos == z.end && !z.more() {
			return
		}
		z.bits |= uint64(z.in[z.pos]) << z.n
		z.pos++
		z.n += 8
	}
}

// take returns the next k bits, at most 16. At the end of the stream it sets err.
func (z *Reader) take(k uint) int {
	if z.n < k {
		z.top()
		if z.n < k {
			z.short()
			return 0
		}
	}
	x := z.bits & (1<<k - 1)
	z.bits >>= k
	z.n -= k
	return int(x)
}

// short ends a stream that lacks its end.
func (z *Reader) short() {
	if z.err == nil {
		z.err = io.ErrUnexpectedEOF
	}
}

// header reads the header of a block.
func (z *Reader) header() {
	z.last = z.take(1) == 1
	switch kind := z.take(2); {
	case z.err != nil:
	case kind == 0:
		z.take(z.n % 8)
		size, not := z.take(16), z.take(16)
		if z.err == nil && size != not^0xffff {
			z.corrupt()
		}
		z.stored = size
	case kind == 1:
		z.fixed()
		z.inCodes = true
	case kind == 2:
		z.inCodes = z.dynamic()
	default:
		z.corrupt()
	}
}

// copyStored copies bytes of a stored block, as many as fit.
func (z *Reader) copyStored() {
	for z.n > 0 && z.stored > 0 {
		z.window[z.to] = byte(z.take(8))
		z.to++
		z.stored--
	}
	if z.stored == 0 {
		return
	}
	z.bits = 0
	if z.pos == z.end && !z.more() {
		z.short()
		return
	}
	n := copy(z.window[z.to:history+chunk+longest], z.in[z.pos:min(z.end, z.pos+z.stored)])
	z.pos, z.to, z.stored = z.pos+n, z.to+n, z.stored-n
}

// codes inflates codes until the window is full or the block ends.
func (z *Reader) codes() {
	bits, n, to := z.bits, z.n, z.to
	lits, dists, window := z.lits.entries, z.dists.entries, &z.window
	damaged, ended := false, false
	for to < history+chunk {
		// A length and a distance take 48 bits at most.
		if n < 48 {
			if z.end-z.pos >= 8 {
				bits |= binary.LittleEndian.Uint64(z.in[z.pos:]) << n
				z.pos += int(63-n) >> 3
				n |= 56
			} else {
				z.bits, z.n = bits, n
				z.top()
				bits, n = z.bits, z.n
			}
		}
		e := lits[bits&(1<<primary-1)]
		if e&kindMask == kindLong {
			e = lits[uint64(e>>valueShift)+bits>>primary&(1<<(e>>extraShift&15)-1)]
		}
		size := uint(e & sizeMask)
		if size > n || size == 0 {
			ended, damaged = size > n, size == 0
			break
		}
		bits >>= size
		n -= size
		if e&kindMask == kindLiteral {
			window[to] = byte(e >> valueShift)
			to++
			continue
		}
		if e&kindMask == kindEnd {
			z.inCodes = false
			break
		}
		extra := uint(e >> extraShift & 15)
		length := int(e>>valueShift) + int(bits&(1<<extra-1))
		used := extra
		e = dists[bits>>extra&(1<<primary-1)]
		if e&kindMask == kindLong {
			e = dists[uint64(e>>valueShift)+bits>>extra>>primary&(1<<(e>>extraShift&15)-1)]
		}
		size = uint(e & sizeMask)
		used += size
		extra = uint(e >> extraShift & 15)
		distance := int(e>>valueShift) + int(bits>>used&(1<<extra-1))
		used += extra
		if size == 0 || used > n || distance > to {
			ended, damaged = used > n, size == 0 || distance > to
			break
		}
		bits >>= used
		n -= used
		if distance >= word {
			for end := to + length; to < end; to += word {
				binary.LittleEndian.PutUint64(window[to:], binary.LittleEndian.Uint64(window[to-distance:]))
				if end-to < word {
					to = end
					break
				}
			}
			continue
		}
		for range length {
			window[to] = window[to-distance]
			to++
		}
	}
	z.bits, z.n, z.to = bits, n, to
	if z.err == nil && ended {
		z.err = io.ErrUnexpectedEOF
	} else if z.err == nil && damaged {
		z.corrupt()
	}
}
