package market

import (
	"math"

	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/text"
)

// quick reads the entry in the first line of b. size is the number of bytes of the line with its
// end. It is 0 if b holds no whole line, or one that is not an entry in the usual form: a row, a
// column and a value without signs in front of the indices, separated by one space each. The
// caller then reads the line anew, and reports errors.
func (m *reader) quick(b []byte) (i, j int32, v float64, size int) {
	i, at := digits(b, m.f.Rows)
	if at == 0 || at == len(b) || b[at] != ' ' {
		return 0, 0, 0, 0
	}
	b, size = b[at+1:], at+1
	if j, at = digits(b, m.f.Cols); at == 0 {
		return 0, 0, 0, 0
	}
	b, size = b[at:], size+at
	v = 1
	if !m.pattern {
		if len(b) == 0 || b[0] != ' ' {
			return 0, 0, 0, 0
		}
		if v, at = Number(b[1:]); at == 0 || m.integer && v != math.Trunc(v) {
			return 0, 0, 0, 0
		}
		b, size = b[1+at:], size+1+at
	}
	switch {
	case len(b) > 0 && b[0] == '\n':
		size++
	case len(b) > 1 && b[0] == '\r' && b[1] == '\n':
		size += 2
	default:
		return 0, 0, 0, 0
	}
	return i, j, v, size
}

// digits reads an index from 1 to most, which is less than 2^31, and returns it counted from 0. size
// is the number of digits, or 0 if there is no such index.
func digits(b []byte, most int) (index int32, size int) {
	x := int64(0) // of which an int of 32 bits would lose digits
	for size < len(b) && b[size]-'0' <= 9 {
		if x = 10*x + int64(b[size]-'0'); x > int64(most) {
			return 0, 0
		}
		size++
	}
	if x == 0 {
		return 0, 0
	}
	return int32(x - 1), size
}

// Number reads the number in front of the next space of b. size is its number of bytes, or 0 if
// there is no number or no space.
func Number(b []byte) (v float64, size int) {
	if v, size = exact(b); size > 0 {
		return v, size
	}
	for size < len(b) && !text.IsSpace(b[size]) {
		size++
	}
	if size == len(b) {
		return 0, 0
	}
	v, err := element.Parse(string(b[:size]))
	if err != nil {
		return 0, 0
	}
	return v, size
}

// powers are the powers of ten that float64 holds.
var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// exact is number for decimal numbers whose digits and power of ten float64 holds, so that one
// operation rounds their quotient or product correctly. For others size is 0.
func exact(b []byte) (v float64, size int) {
	at := 0
	negative := len(b) > 0 && b[0] == '-'
	if negative {
		at++
	}
	const most = 18 // digits that cannot overflow
	first, x := at, uint64(0)
	for at < len(b) && b[at]-'0' <= 9 {
		x = 10*x + uint64(b[at]-'0')
		at++
	}
	digits := at - first
	power := 0
	if at < len(b) && b[at] == '.' {
		at++
		first = at
		for at < len(b) && b[at]-'0' <= 9 {
			x = 10*x + uint64(b[at]-'0')
			at++
		}
		power = first - at
		digits += at - first
	}
	if digits == 0 || digits > most || x > 1<<53 {
		return 0, 0
	}
	if at+3 < len(b) && b[at]|' ' == 'e' {
		e := int(b[at+2]-'0')*10 + int(b[at+3]-'0') // of the usual two digits
		if b[at+2]-'0' > 9 || b[at+3]-'0' > 9 {
			return 0, 0
		}
		switch b[at+1] {
		case '+':
			power += e
		case '-':
			power -= e
		default:
			return 0, 0
		}
		at += 4
	}
	if at >= len(b) || !text.IsSpace(b[at]) || power <= -len(powers) || power >= len(powers) {
		return 0, 0
	}
	v = float64(x)
	if power < 0 {
		v /= powers[-power]
	} else {
		v *= powers[power]
	}
	if negative {
		v = -v
	}
	return v, at
}
