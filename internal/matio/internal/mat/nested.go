package mat

import (
	"bytes"
	"cmp"
	"fmt"

	"nmu/internal/matio/internal/input"
)

// limit returns where the data of v end within the array of the file.
func (v *variable) limit() int64 { return cmp.Or(v.end, v.length) }

// behind returns how many bytes of the array of the file follow those of v.
func (v *variable) behind() int64 { return v.length - v.limit() }

// follow returns what the steps lead to from the array v.
func (m *file) follow(v *variable, steps []input.Step) (*variable, error) {
	for _, s := range steps {
		r, err := m.at(v)
		if err != nil {
			return nil, err
		}
		if v, err = m.enter(r, v, s); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// nameLength bounds the name of a field in bytes, and namesLength those of all fields.
const (
	nameLength  = 1 << 12
	namesLength = 1 << 20
)

// enter returns what a step leads to from the array v, at whose data r stands.
func (m *file) enter(r *reader, v *variable, s input.Step) (*variable, error) {
	f := m.f
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("%s: variable %q: %s %s: %w", f.Path, f.Var, v, fmt.Sprintf(format, args...), input.ErrVar)
	}
	elements := int64(1)
	for _, d := range v.dims {
		if elements *= d; elements > r.v.limit() { // each has a tag of 8 bytes
			return nil, r.bad("%s has more elements than its bytes hold", v)
		}
	}
	var skip int64
	name := v.name
	switch {
	case v.class == mxCell && s.Field == "":
		if s.Index > elements {
			return nil, wrong("has no cell %d", s.Index)
		}
		skip = s.Index - 1
		name += fmt.Sprintf("{%d}", s.Index)
	case v.class == mxStruct && s.Field != "":
		fields := m.fields(r)
		if r.err != nil {
			return nil, r.err
		}
		at := -1
		var listed []string
		for k, field := range fields {
			if field == s.Field {
				at = k
			}
			listed = append(listed, v.name+"."+field)
		}
		index := max(s.Index, 1)
		switch {
		case at < 0:
			return nil, f.VarError(listed, listed)
		case s.Index == 0 && elements > 1:
			return nil, wrong("has %d elements; choose one, such as %s(1).%s", elements, v.name, s.Field)
		case index > elements:
			return nil, wrong("has no element %d", index)
		}
		skip = (index-1)*int64(len(fields)) + int64(at)
		if s.Index > 0 {
			name += fmt.Sprintf("(%d)", s.Index)
		}
		name += "." + s.Field
	case s.Field != "":
		return nil, wrong("has no fields")
	default:
		return nil, wrong("has no cells")
	}
	for ; ; skip-- {
		e := r.tag()
		if e.kind != miMatrix {
			return nil, r.bad("an element of %s has type %d: want an array", v.name, e.kind)
		}
		if skip == 0 {
			if e.size == 0 {
				return nil, wrong("is empty at %s", name)
			}
			inner := &variable{off: v.off, size: v.size, packed: v.packed, length: v.length, end: r.pos + e.size}
			r.v = inner
			if err := m.describe(r, inner); err != nil {
				return nil, err
			}
			inner.name = name
			return inner, nil
		}
		r.skip(e.next)
	}
}

// fields reads the names of the fields of a structure.
func (m *file) fields(r *reader) (fields []string) {
	n := int32(0)
	if size := r.small("the length of field names", miInt32, 4); len(size) == 4 {
		n = int32(m.order.Uint32(size))
	}
	if n < 1 || n > nameLength {
		r.bad("field names have %d bytes: want 1 to %d", n, nameLength)
		return nil
	}
	text := r.small("the field names", miInt8, namesLength)
	if len(text)%int(n) != 0 {
		r.bad("the field names have %d bytes, no multiple of %d", len(text), n)
		return nil
	}
	for ; len(text) > 0; text = text[n:] {
		field, _, _ := bytes.Cut(text[:n], []byte{0})
		fields = append(fields, string(field))
	}
	return fields
}
