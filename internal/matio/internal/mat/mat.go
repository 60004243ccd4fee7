// Package mat reads and writes MATLAB files of version 5.
//
// A file is a sequence of elements: a tag (type, bytes) and data. An array is an element whose
// data are elements: flags, dimensions, name, then its numbers; in a sparse matrix the row
// indices, the pointers to columns and the values. An array may be compressed by zlib.
package mat

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"nmu/internal/matio/internal/input"
)

// Is says whether head begins a MATLAB file of version 5: a text of
// 116 bytes, 8 bytes of offset, the version, and "MI" as a 16-bit number.
func Is(head []byte) bool {
	if len(head) < headerSize {
		return false
	}
	m := string(head[126:128])
	return (m == "IM" || m == "MI") && bytes.HasPrefix(head, []byte("MATLAB"))
}

// Open opens the requested variable of a MATLAB file, or the only one. head is the beginning of
// the file.
func Open(f *input.File, head []byte) error {
	if bytes.HasPrefix(head, []byte("# Created by Octave")) || bytes.HasPrefix(head, []byte("Octave-1-")) {
		return f.Unsupported("a file in a format of Octave's own: save it with -v7")
	}
	// The first number of a version 4 file has a zero byte, the text of version
	// 5 has none.
	if len(head) >= 20 && bytes.IndexByte(head[:4], 0) >= 0 {
		return f.Unsupported("a MATLAB file of version 4: save it with -v7")
	}
	if len(head) < headerSize {
		return f.Bad(int64(len(head)), "the file ends within the 128-byte header of a MATLAB file")
	}
	m := file{f: f, order: binary.LittleEndian}
	switch string(head[126:128]) {
	case "IM":
	case "MI":
		m.order = binary.BigEndian
	default:
		return f.Bad(126, "the header names no byte order: not a MATLAB file of version 5 to 7; save it with -v7")
	}
	if v := m.order.Uint16(head[124:]); v != 0x0100 {
		return f.Unsupported("a MATLAB file of version %#04x: save it with -v7", v)
	}
	v, err := m.find()
	if err != nil {
		return err
	}
	if err := m.use(v); err != nil {
		return err
	}
	m.readNames(v)
	return nil
}

// find returns the requested variable, or the only one.
func (m *file) find() (*variable, error) {
	f := m.f
	var all, names, usable []string
	base, steps, err := input.Steps(f.Var)
	if err != nil {
		return nil, fmt.Errorf("%s: variable %q: %w: %w", f.Path, f.Var, err, input.ErrVar)
	}
	var found, asked *variable
	nested := false // a variable has fields or cells
	err = m.each(func(v *variable) bool {
		if v.name == base {
			asked = v
			return false
		}
		nested = nested || v.class == mxStruct || v.class == mxCell
		all = input.Note(all, v)
		if v.usable() {
			found = v
			usable = input.Note(usable, v)
			if len(names) < input.MostListed {
				names = append(names, v.name)
			}
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	switch {
	case asked != nil:
		return m.follow(asked, steps)
	case f.Var != "":
		return nil, f.VarError(names, all)
	case len(usable) == 0:
		also := ""
		if nested {
			also = "; name a field or a cell of one, such as s.data, s(2).data or c{1}"
		}
		return nil, fmt.Errorf("%s: no real numeric matrix: the file has only %s%s: %w", f.Path, input.List(all), also, input.ErrVar)
	case len(usable) > 1:
		return nil, f.VarError(names, usable)
	}
	return found, nil
}

// each calls do for the variables of the file, one after the other, until do returns false.
func (m *file) each(do func(v *variable) bool) error {
	f := m.f
	for off := int64(headerSize); off < f.Size; {
		var tag [8]byte
		if f.Size-off < int64(len(tag)) {
			return f.Bad(off, "the file ends within the tag of an element")
		}
		if _, err := f.ReadAt(tag[:], off); err != nil {
			return f.ReadError(off, err)
		}
		kind, size := m.order.Uint32(tag[:]), int64(m.order.Uint32(tag[4:]))
		off += 8
		if kind>>16 != 0 { // the data lie in the tag
			continue
		}
		if size > f.Size-off {
			return f.Bad(off-8, "an element claims %d bytes, but only %d are left", size, f.Size-off)
		}
		switch kind {
		case miMatrix, miCompressed:
			v, err := m.header(off, size, kind == miCompressed)
			if err != nil {
				return err
			}
			// Only MATLAB's own workspace for functions has no name.
			if v != nil && v.name != "" && !do(v) {
				return nil
			}
		default: // something else, which is padded
			size += -size & 7
		}
		off += size
	}
	return nil
}
