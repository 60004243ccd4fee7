package mat

import (
	"cmp"
	"strings"
	"unicode/utf16"

	"nmu/internal/matio/internal/input"
)

// The ends of the names of the variables that hold the names of rows and of columns, see Write.
const (
	rowNames = "_rows"
	colNames = "_cols"
)

// mostName is the largest number of bytes of a name.
const mostName = 1 << 16

// readNames reads the names of the rows and columns of v as Write stores them. Names that cannot be
// read are noted, and do not stop the matrix.
func (m *file) readNames(v *variable) {
	f := m.f
	if len(v.dims) != 2 || v.dims[0]*v.dims[1] == 0 || f.Spill != nil {
		return
	}
	var found []*variable
	of := func(w *variable) (end string) {
		end, ok := strings.CutPrefix(w.name, v.name)
		if !ok || w.class != mxCell || end != rowNames && end != colNames {
			return ""
		}
		return end
	}
	if m.each(func(w *variable) bool {
		if of(w) != "" {
			found = append(found, w)
		}
		return true
	}) != nil {
		return // behind the matrix, which is whole
	}
	for _, w := range found {
		count, names := v.dims[0], &f.RowNames
		if of(w) == colNames {
			count, names = v.dims[1], &f.ColNames
		}
		if len(w.dims) != 2 || min(w.dims[0], w.dims[1]) != 1 || w.dims[0]*w.dims[1] != count {
			f.Note("%s are not names for %s", w, v)
			continue
		}
		read, err := m.strings(w, count)
		if err != nil {
			f.Note("the names in %s cannot be read: %v", w, err)
			continue
		}
		*names = read
	}
}

// strings reads a cell array of n strings.
func (m *file) strings(v *variable, n int64) ([]string, error) {
	if err := m.f.Reserve(n*input.NameBytes, input.Reading); err != nil {
		return nil, err
	}
	r, err := m.at(v)
	if err != nil {
		return nil, err
	}
	var names []string
	for range n {
		cell := r.tag()
		if cell.kind != miMatrix {
			return nil, r.bad("a cell has type %d: want an array", cell.kind)
		}
		name := r.text()
		if err := cmp.Or(r.skip(cell.next), m.f.Reserve(int64(len(name)), input.Reading)); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

// text reads an array of characters behind its tag: one string.
func (r *reader) text() string {
	flags, dims := r.small("the array's flags", miUint32, 8), r.small("the dimensions", miInt32, 8)
	order := r.m.order
	if len(flags) != 8 || byte(order.Uint32(flags)) != mxChar || len(dims) != 8 || order.Uint32(dims) > 1 {
		r.bad("a cell holds something else than one string")
	}
	r.small("the name", miInt8, mostName)
	e := r.tag()
	if e.size > mostName {
		r.bad("a name of %d bytes", e.size)
	}
	if r.err != nil || e.size == 0 {
		return ""
	}
	b := make([]byte, e.size)
	r.full(b)
	switch e.kind {
	case miInt8, miUint8, miUTF8:
		return string(b)
	case miUint16, miUTF16:
		units := make([]uint16, len(b)/2)
		for i := range units {
			units[i] = order.Uint16(b[2*i:])
		}
		return string(utf16.Decode(units))
	}
	r.bad("characters of type %d", e.kind)
	return ""
}
