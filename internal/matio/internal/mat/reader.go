package mat

import (
	"bufio"
	"compress/zlib"
	"encoding/binary"
	"io"

	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/input"
)

// reader reads the content of one array. pos counts bytes from the beginning of the array. After an error, what it reads
// is empty.
type reader struct {
	m    *file
	v    *variable
	r    io.Reader
	pos  int64
	done func() error
	err  error // the first one
}

// content starts reading the array v, at the inflated bytes behind its tag if it is compressed.
// It sets v.length.
func (m *file) content(v *variable) (*reader, error) {
	f := m.f
	section := io.NewSectionReader(f, v.off, v.size)
	mr := &reader{m: m, v: v, r: section}
	if !v.packed {
		v.length = v.size
		return mr, nil
	}
	if err := m.inflate(section); err != nil {
		return nil, f.ReadError(v.off, err)
	}
	z := m.z
	mr.r = z
	mr.done = func() error {
		// At its end the reader compares the checksum.
		most := padding - 1 + v.behind()
		switch n, err := io.Copy(io.Discard, io.LimitReader(z, most+1)); {
		case err != nil:
			return f.ReadError(v.off, err)
		case n > most:
			return f.Bad(v.off, "the compressed element holds more than the %d bytes that its array claims", v.length)
		}
		if n, _ := io.Copy(io.Discard, io.LimitReader(m.packed, padding)); n == padding {
			return f.Bad(v.off, "the element claims %d compressed bytes, but its compressed data end before", v.size)
		}
		return nil
	}
	var tag [8]byte
	if _, err := io.ReadFull(z, tag[:]); err != nil {
		return nil, f.ReadError(v.off, err)
	}
	v.length = int64(m.order.Uint32(tag[4:]))
	if kind := m.order.Uint32(tag[:]); kind != miMatrix {
		return nil, f.Bad(v.off, "the compressed element has type %d: want an array", kind)
	}
	if limit := input.MaxInflate * v.size; v.length > limit {
		return nil, f.Bad(v.off, "a compressed array claims %d bytes, more than its %d bytes in the file can hold", v.length, v.size)
	}
	return mr, nil
}

// inflate makes m.z deliver the inflated content of r.
func (m *file) inflate(r io.Reader) (err error) {
	if m.z != nil {
		m.packed.Reset(r)
		return m.z.(zlib.Resetter).Reset(m.packed, nil)
	}
	m.packed = bufio.NewReader(r) // of which zlib reads no byte too many
	m.z, err = zlib.NewReader(m.packed)
	return err
}

// fail returns the first error, which is err if there was none.
func (r *reader) fail(err error) error {
	if r.err == nil {
		r.err = err
	}
	return r.err
}

// bad is fail with File.Bad at the current position.
func (r *reader) bad(format string, args ...any) error {
	return r.fail(r.m.f.Bad(r.offset(), format, args...))
}

// offset returns the position in the file or, in a compressed array, in its inflated bytes.
func (r *reader) offset() int64 {
	if r.v.packed {
		return r.pos
	}
	return r.v.off + r.pos
}

// full fills b.
func (r *reader) full(b []byte) {
	if int64(len(b)) > r.v.limit()-r.pos {
		r.bad("the array ends too early")
	}
	if r.err == nil {
		n, err := io.ReadFull(r.r, b)
		if r.pos += int64(n); err != nil {
			r.fail(r.m.f.ReadError(r.offset(), err))
		}
	}
}

// skip moves on to pos.
func (r *reader) skip(pos int64) error {
	if pos > r.v.limit() {
		r.bad("the array ends too early")
	}
	if r.err != nil {
		return r.err
	}
	if s, ok := r.r.(*io.SectionReader); ok {
		_, r.err = s.Seek(pos, io.SeekStart)
		r.pos = pos
		return r.err
	}
	n, err := io.CopyN(io.Discard, r.r, pos-r.pos)
	if r.pos += n; err != nil {
		r.fail(r.m.f.ReadError(r.offset(), err))
	}
	return r.err
}

// tag is the tag of a part of an array.
type tag struct {
	kind uint32
	size int64
	next int64 // where the next part begins
}

// tag reads the tag of the next part. A tag whose upper half is nonzero holds up to four bytes
// of data itself.
func (r *reader) tag() (e tag) {
	var b [8]byte
	r.full(b[:4])
	e.kind = r.m.order.Uint32(b[:])
	if small := e.kind >> 16; small != 0 {
		e.kind &= 0xffff
		e.size, e.next = int64(small), r.pos+4
		if small > 4 {
			r.bad("a tag claims to hold %d bytes of data: at most 4 fit in a tag", small)
		}
	} else {
		r.full(b[4:])
		e.size = int64(r.m.order.Uint32(b[4:]))
		e.next = r.pos + (e.size+padding-1)&^(padding-1)
	}
	if e.size > r.v.limit()-r.pos {
		r.bad("a part claims %d bytes, but the array has only %d left", e.size, r.v.limit()-r.pos)
	}
	// The last part may lack its padding.
	e.next = min(e.next, r.v.limit())
	return e
}

// last returns an error unless the part e is the last one of its array.
func (r *reader) last(e tag) error {
	if rest := r.v.limit() - e.next; rest > 0 {
		r.bad("the array claims %d bytes behind its last part", rest)
	}
	return r.err
}

// small reads the data of a part of at most limit bytes.
func (r *reader) small(what string, kind uint32, limit int64) []byte {
	e := r.tag()
	if e.kind != kind || e.size > limit {
		r.bad("%s has type %d and %d bytes: want type %d and at most %d bytes", what, e.kind, e.size, kind, limit)
	}
	if r.err != nil {
		return nil
	}
	b := make([]byte, e.size)
	if r.full(b); r.skip(e.next) != nil {
		return nil
	}
	return b
}

// numeric reads the tag of a part that holds numbers.
func (r *reader) numeric(what string) (tag, element.Type) {
	e := r.tag()
	dt, ok := types[e.kind]
	switch {
	case !ok:
		r.bad("%s: type %d is not numeric", what, e.kind)
	case e.size%int64(dt.Size) != 0:
		r.bad("%s: %d bytes are not a whole number of %v elements", what, e.size, dt)
	}
	dt.Big = dt.Size > 1 && r.m.order == binary.BigEndian
	return e, dt
}

// numbers returns the numbers behind the tag that r has read.
func (r *reader) numbers(dt element.Type) *input.Numbers {
	return &input.Numbers{File: r.m.f, Type: dt, Source: r.r, Offset: r.offset(), Done: r.done}
}

// at starts reading the data of v.
func (m *file) at(v *variable) (*reader, error) {
	r, err := m.content(v)
	if err != nil {
		return nil, err
	}
	return r, r.skip(v.body)
}
