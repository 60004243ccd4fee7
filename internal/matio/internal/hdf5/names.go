//go:build hdf5

package hdf5

import (
	"strings"

	"nmu/internal/matio/internal/input"
)

// axisNames reads the names of rows and columns of an anndata matrix from the groups obs and
// var.
func (h *file) axisNames(m *matrix) (err error) {
	columns := "var"
	if strings.HasPrefix(m.path, "raw/") {
		columns = "raw/var"
	}
	if h.RowNames, err = h.index("obs", h.Rows); err != nil {
		return err
	}
	h.ColNames, err = h.index(columns, h.Cols)
	return err
}

// index returns the n names of a table of anndata, or nil if it has none.
func (h *file) index(path string, n int) ([]string, error) {
	g, ok, err := h.open(path, 0, 0)
	if !ok || err != nil {
		return nil, err
	}
	defer g.close()
	if g.kind != 'g' {
		h.Note("%s, a table of an old anndata, names nothing: read and write the file with anndata", path)
		return nil, nil
	}
	name := g.text("_index")
	if name == "" {
		name = "_index"
	}
	o, ok, err := g.child(name, 0, 0)
	if !ok || err != nil {
		return nil, err
	}
	defer o.close()
	s, err := o.shape()
	if err != nil {
		return nil, err
	}
	if o.kind != 'd' || len(s.dims) != 1 || s.dims[0] != int64(n) || s.Kind != 's' && s.Kind != 'v' {
		h.Note("%s/%s, which is no array of text with a name for each of %d, names nothing", path, name, n)
		return nil, nil
	}
	d, err := h.array(o, path+"/"+name)
	if err != nil {
		return nil, err
	}
	if s.Kind == 's' && s.Type.Size > mostWord {
		return nil, h.Bad(0, "%s/%s: the names have %d bytes each: want at most %d", path, name, s.Type.Size, mostWord)
	}
	var names []string
	err = d.words(func(word string) error {
		word = strings.ToValidUTF8(word, "\ufffd")
		if err := h.Reserve(int64(len(word))+input.NameBytes, input.Reading); err != nil {
			return err
		}
		names = append(names, word)
		return nil
	})
	return names, err
}
