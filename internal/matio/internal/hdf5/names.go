//go:build hdf5

package hdf5

import (
	"cmp"
	"slices"
	"strings"

	"nmu/internal/matio/internal/input"
)

// axisNames reads the names of rows and columns: where the matrix says, or from the tables of the anndata that it
// belongs to. Names that cannot be read stop no matrix, but are noted.
func (h *file) axisNames(m *matrix) {
	if at := strings.TrimSuffix(m.named[0], "/features/name"); at != m.named[0] {
		if types, err := h.texts(at+"/features/feature_type", h.Rows); err == nil {
			h.NoteTypes(types)
		}
	}
	rows, cols := tables(m.path)
	h.RowNames = h.namesOf(m.named[0], rows, h.Rows)
	h.ColNames = h.namesOf(m.named[1], cols, h.Cols)
}

// tables returns the paths of the tables of anndata that name the rows and the columns of the matrix at path, or "".
// They lie in the group that the matrix belongs to, which may be a modality of MuData.
func tables(path string) (rows, cols string) {
	steps := strings.Split(path, "/")
	last := len(steps) - 1
	of := func(to int, table string) string {
		if table == "" {
			return ""
		}
		return strings.Join(append(slices.Clone(steps[:to]), table), "/")
	}
	switch axes, ok := axes[steps[max(0, last-1)]]; {
	case steps[last] == "X" && last > 0 && steps[last-1] == "raw":
		return of(last-1, "obs"), of(last, "var")
	case steps[last] == "X":
		return of(last, "obs"), of(last, "var")
	case last > 0 && ok:
		return of(last-1, axes[0]), of(last-1, axes[1])
	}
	return "", ""
}

// axes are the tables of the rows and columns of the matrices in a group of anndata.
var axes = map[string][2]string{"layers": {"obs", "var"}, "obsm": {"obs", ""}, "varm": {"var", ""}, "obsp": {"obs", "obs"}, "varp": {"var", "var"}}

// namesOf returns the n names in an array, or if its path is empty in the index of a table of
// anndata. It returns nil if there are none, or no path.
func (h *file) namesOf(array, table string, n int) []string {
	names, err := h.labels(array, n)
	if array == "" {
		names, err = h.index(table, n)
	}
	if err != nil {
		h.Note("%s names nothing, as it cannot be read: %v", cmp.Or(array, table), err)
		return nil
	}
	return names
}

// index returns the n names of a table of anndata, or nil if it has none.
func (h *file) index(path string, n int) ([]string, error) {
	g, ok, err := h.open(path, 0, 0)
	if !ok || err != nil {
		return nil, err
	}
	defer g.close()
	if g.kind == 'd' { // a table of an old anndata
		s, err := g.index()
		if err != nil || s == nil {
			return nil, err
		}
		return h.read(g, s, path, n)
	}
	name := g.text("_index")
	if name == "" {
		name = "_index"
	}
	return h.labels(path+"/"+name, n)
}

// labels returns the n texts of an array, or nil if it has none: a dataset, or a group that
// anndata writes for texts of which some are missing, or for categories.
func (h *file) labels(path string, n int) ([]string, error) {
	o, ok, err := h.open(path, 0, 0)
	if !ok || err != nil {
		return nil, err
	}
	defer o.close()
	var names []string
	switch encoding := o.text("encoding-type"); {
	case o.kind == 'd':
		names, err = h.texts(path, n)
	case encoding == "nullable-string-array":
		if names, err = h.texts(path+"/values", n); names == nil || err != nil {
			break
		}
		err = h.eachOf(path+"/mask", n, func(i int, missing int64) {
			if missing != 0 {
				names[i] = ""
			}
		})
	case encoding == "categorical":
		var categories []string
		if categories, err = h.texts(path+"/categories", -1); categories == nil || err != nil {
			break
		}
		of := make([]string, n)
		err = h.eachOf(path+"/codes", n, func(i int, code int64) {
			if code >= 0 && code < int64(len(categories)) { // -1: missing
				of[i] = categories[code]
			}
		})
		names = of
	}
	if names == nil && err == nil {
		h.Note("%s, which is no array of text with a name for each of %d, names nothing", path, n)
	}
	return names, err
}

// eachOf calls do for each of the n integers of a dataset.
func (h *file) eachOf(path string, n int, do func(i int, v int64)) error {
	a, _, err := h.plain(path)
	if err != nil {
		return err
	}
	if a.Len != int64(n) || a.Type.Kind == 'f' {
		return h.Bad(0, "dataset %s has %d numbers of type %v: want %d integers", path, a.Len, a.Type, n)
	}
	defer h.Scratch()(0)
	numbers, err := input.Alloc[float64](h.File, a.Len)
	if err != nil {
		return err
	}
	s, err := a.From(0)
	if err == nil {
		err = s.Next(numbers)
	}
	for i, x := range numbers {
		do(i, int64(x))
	}
	return err
}

// texts returns the n texts of a dataset, or all if n is negative. It returns nil if it has
// another type or length.
func (h *file) texts(path string, n int) ([]string, error) {
	o, ok, err := h.open(path, 0, 0)
	if !ok || err != nil {
		return nil, err
	}
	defer o.close()
	if o.kind != 'd' {
		return nil, nil
	}
	s, err := o.shape()
	if err != nil {
		return nil, err
	}
	return h.read(o, s, path, n)
}

// read is texts for a dataset with the shape s.
func (h *file) read(o object, s *shape, path string, n int) ([]string, error) {
	if len(s.dims) != 1 || n >= 0 && s.dims[0] != int64(n) || s.Kind != 's' && s.Kind != 'v' {
		return nil, nil
	}
	d, err := h.arrayOf(o, s, path)
	if err != nil {
		return nil, err
	}
	if s.Kind == 's' && s.Type.Size > mostWord {
		return nil, h.Bad(0, "%s: the names have %d bytes each: want at most %d", path, s.Type.Size, mostWord)
	}
	names := []string{}
	err = d.words(func(word string) error {
		if err := h.Reserve(int64(len(word))+input.NameBytes, input.Reading); err != nil {
			return err
		}
		names = append(names, word)
		return nil
	})
	return names, err
}
