package matio

import (
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const npyMagic = "\x93NUMPY"

// npyHeader is what the header of a .npy file says.
type npyHeader struct {
	dt      dtype
	fortran bool
	shape   []int64
	size    int64 // bytes of the header, the data follow
}

// dims returns the size of the matrix: a 1-D array is a column.
func (h *npyHeader) dims() (rows, cols int64, ok bool) {
	switch len(h.shape) {
	case 1:
		return h.shape[0], 1, true
	case 2:
		return h.shape[0], h.shape[1], true
	}
	return 0, 0, false
}

func openNpy(f *input) error {
	if err := f.noVar(); err != nil {
		return err
	}
	h, err := readNpyHeader(f, io.NewSectionReader(f.file, 0, f.size), f.size)
	if err != nil {
		return err
	}
	n, err := setNpyDims(f, h, f.size-h.size)
	if err != nil {
		return err
	}
	f.raw = &plainArray{f: f, dt: h.dt, off: h.size, n: n, dims: len(h.shape)}
	f.data = f.raw
	return nil
}

// setNpyDims checks the header of a matrix that data bytes follow, and sets
// what File says of it.
func setNpyDims(f *input, h npyHeader, data int64) (n int64, err error) {
	rows, cols, ok := h.dims()
	if !ok {
		return 0, f.unsupported("an array of %d dimensions is no matrix: want 2, or 1 for a column", len(h.shape))
	}
	if n, err = f.setDims(rows, cols); err != nil {
		return 0, err
	}
	if err := checkNpyData(f, h, n, data); err != nil {
		return 0, err
	}
	// A column is in both orders.
	f.colMajor = h.fortran && len(h.shape) == 2
	return n, nil
}

// checkNpyData compares the n elements that a header claims with the bytes that
// follow it.
func checkNpyData(f *input, h npyHeader, n, data int64) error {
	if size, ok := mul(n, int64(h.dt.size)); !ok || size != data {
		return f.bad(h.size, "the header claims %d elements of %v, but %d bytes follow it", n, h.dt, data)
	}
	return nil
}

// readNpyHeader reads the header of a .npy file of which r delivers at most
// size bytes.
func readNpyHeader(f *input, r io.Reader, size int64) (npyHeader, error) {
	return parseNpyHeader(f, r, size, false)
}

// parseNpyHeader is readNpyHeader, of an array of text if that is wanted.
func parseNpyHeader(f *input, r io.Reader, size int64, words bool) (h npyHeader, err error) {
	var b [12]byte
	if _, err := io.ReadFull(r, b[:10]); err != nil {
		return h, f.readError(0, err)
	}
	if string(b[:6]) != npyMagic {
		return h, f.bad(0, "not a .npy array")
	}
	var n int64
	switch b[6] {
	case 1:
		n, h.size = int64(binary.LittleEndian.Uint16(b[8:])), 10
	case 2, 3:
		if _, err := io.ReadFull(r, b[10:]); err != nil {
			return h, f.readError(10, err)
		}
		n, h.size = int64(binary.LittleEndian.Uint32(b[8:])), 12
	default:
		return h, f.unsupported(".npy version %d.%d: want 1 to 3", b[6], b[7])
	}
	// No header of a plain array comes near this; one of a record type may.
	if n > min(size-h.size, 1<<16) {
		return h, f.bad(8, "the header claims a length of %d bytes", n)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return h, f.readError(h.size, err)
	}
	p := npyParser{f: f, s: string(text), start: h.size, words: words}
	h.size += n
	return h, p.header(&h)
}

// npyParser reads the header, a Python dictionary:
//
//	{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
type npyParser struct {
	f     *input
	s     string
	i     int
	start int64 // byte of the file where s begins
	words bool  // of an array of text
}

func (p *npyParser) bad(format string, args ...any) error {
	return p.f.bad(p.start+int64(p.i), "header: %s", fmt.Sprintf(format, args...))
}

// skip skips space.
func (p *npyParser) skip() {
	for p.i < len(p.s) && strings.IndexByte(" \t\r\n", p.s[p.i]) >= 0 {
		p.i++
	}
}

// accept skips space and then c, if that comes next.
func (p *npyParser) accept(c byte) bool {
	p.skip()
	if p.i < len(p.s) && p.s[p.i] == c {
		p.i++
		return true
	}
	return false
}

func (p *npyParser) expect(c byte) error {
	if !p.accept(c) {
		return p.bad("want %q", c)
	}
	return nil
}

// quoted reads a string in quotes of either kind.
func (p *npyParser) quoted() (string, error) {
	q := byte('\'')
	if !p.accept(q) {
		q = '"'
		if !p.accept(q) {
			return "", p.bad("want a string")
		}
	}
	n := strings.IndexByte(p.s[p.i:], q)
	if n < 0 {
		return "", p.bad("a string without end")
	}
	s := p.s[p.i : p.i+n]
	p.i += n + 1
	return s, nil
}

func (p *npyParser) header(h *npyHeader) error {
	if err := p.expect('{'); err != nil {
		return err
	}
	seen := map[string]bool{}
	for !p.accept('}') {
		key, err := p.quoted()
		if err != nil {
			return err
		}
		if seen[key] {
			return p.bad("%q twice", key)
		}
		seen[key] = true
		if err := p.expect(':'); err != nil {
			return err
		}
		switch key {
		case "descr":
			err = p.descr(h)
		case "fortran_order":
			err = p.order(h)
		case "shape":
			err = p.shape(h)
		default:
			err = p.bad("unknown key %q", key)
		}
		if err != nil {
			return err
		}
		if !p.accept(',') {
			if err := p.expect('}'); err != nil {
				return err
			}
			break
		}
	}
	if p.skip(); p.i != len(p.s) {
		return p.bad("text after the dictionary")
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if !seen[key] {
			return p.bad("no %q", key)
		}
	}
	return nil
}

func (p *npyParser) descr(h *npyHeader) error {
	if p.accept('[') {
		return p.f.unsupported("a .npy file of records")
	}
	s, err := p.quoted()
	if err != nil {
		return err
	}
	rest := s
	if rest != "" && strings.IndexByte("<>|", rest[0]) >= 0 {
		h.dt.big = rest[0] == '>'
		rest = rest[1:]
	}
	if rest == "" {
		return p.bad("type %q", s)
	}
	if p.words {
		return p.word(h, s, rest)
	}
	switch rest {
	case "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1":
		h.dt.kind, h.dt.size = rest[0], int(rest[1]-'0')
		if h.dt.size == 1 {
			h.dt.big = false
		} else if s[0] != '<' && s[0] != '>' {
			return p.bad("type %q does not say the order of its bytes", s)
		}
		return nil
	case "f2":
		return p.f.unsupported("half precision numbers (type %q): convert them with astype(np.float32)", s)
	case "c8", "c16":
		return p.f.unsupported("complex numbers (type %q)", s)
	}
	return p.f.unsupported("elements of type %q", s)
}

func (p *npyParser) order(h *npyHeader) error {
	p.skip()
	for _, v := range []string{"True", "False"} {
		if strings.HasPrefix(p.s[p.i:], v) {
			p.i += len(v)
			h.fortran = v == "True"
			return nil
		}
	}
	return p.bad("want True or False")
}

func (p *npyParser) shape(h *npyHeader) error {
	if err := p.expect('('); err != nil {
		return err
	}
	for !p.accept(')') {
		p.skip()
		from := p.i
		for p.i < len(p.s) && strings.IndexByte("-0123456789", p.s[p.i]) >= 0 {
			p.i++
		}
		n, err := strconv.ParseInt(p.s[from:p.i], 10, 64)
		if err != nil || n < 0 {
			return p.bad("%q is not a size", p.s[from:p.i])
		}
		h.shape = append(h.shape, n)
		p.accept('L') // as Python 2 wrote
		if !p.accept(',') {
			return p.expect(')')
		}
	}
	return nil
}
