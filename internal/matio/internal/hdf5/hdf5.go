//go:build hdf5

package hdf5

import (
	"fmt"
	"slices"
	"strings"

	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/internal/scipy"
)

// Available says whether this program was built with the HDF5 library.
const Available = true

// Instead is the advice for a file that should be HDF5 but is not.
const Instead = "but it does not begin as one: is the copy complete?"

// matrix is a matrix in a file.
type matrix struct {
	path              string    // of the variable
	rows, cols, bands int64     // bands of a cube, else 0
	lines             bool      // an array of one dimension
	turned            bool      // the first dimension changes fastest, as in MATLAB and Octave
	form              string    // csr or csc, or "" of a dense one
	arrays            [3]string // the paths of its arrays: of the elements, or of scipy's data, indices and indptr
	named             [2]string // the paths of the names of its rows and columns; "" for those of anndata
	of                string    // the type of the elements
	unapplied         []string  // attributes that would change the numbers
}

// String describes the matrix in lists.
func (m *matrix) String() string {
	switch {
	case m.form != "":
		return fmt.Sprintf("%s (%d x %d sparse)", m.path, m.rows, m.cols)
	case m.bands > 0:
		return fmt.Sprintf("%s (%d x %d x %d %s)", m.path, m.rows, m.cols, m.bands, m.of)
	}
	return fmt.Sprintf("%s (%d x %d %s)", m.path, m.rows, m.cols, m.of)
}

// file is an HDF5 file that is searched for matrices.
type file struct {
	*input.File
	root object
	seen int       // objects
	all  []*matrix // that were found
}

// Open opens the requested matrix, or the only one, or X of an anndata file. It returns a sparse one, else nil.
func Open(f *input.File) (*scipy.Matrix, error) {
	// The path is that of the open handle: the name may now lead to another file.
	r, err := root(f, fmt.Sprintf("/dev/fd/%d", f.Handle.Fd()))
	if err != nil {
		return nil, err
	}
	h := &file{File: f, root: r}
	m, err := h.choose()
	if err != nil {
		return nil, err
	}
	f.In("variable " + m.path) // until the file is closed
	var s *scipy.Matrix
	if m.form == "" {
		err = h.useDense(m)
	} else {
		s, err = h.useSparse(m)
	}
	if err != nil {
		return nil, err
	}
	if len(m.unapplied) > 0 {
		h.Note("the attributes of the array (%s) are not applied: the numbers are as stored", input.List(m.unapplied))
	}
	h.axisNames(m)
	return s, nil
}

// choose finds the matrix that the options ask for.
func (h *file) choose() (*matrix, error) {
	asked := strings.Trim(h.Var, "/")
	switch {
	case h.Var != "":
	case h.root.text("encoding-type") == "anndata":
		asked = "X"
	case h.isBIOM():
		asked = "observation/matrix"
	}
	if asked != "" {
		m, err := h.at(asked)
		if m == nil && err == nil {
			m, err = h.nested(asked)
		}
		if m != nil || err != nil {
			return m, err
		}
	}
	if err := h.search(h.root, "", 0); err != nil {
		return nil, err
	}
	// An array of one dimension is a column, if there is nothing else.
	found := slices.DeleteFunc(slices.Clone(h.all), func(m *matrix) bool { return m.lines })
	if len(found) == 0 {
		found = h.all
	}
	var names, listed []string
	var named []*matrix // that end with the name
	for _, m := range found {
		if len(names) < input.MostListed {
			names = append(names, m.path)
		}
		listed = input.Note(listed, m)
		if strings.HasSuffix(m.path, "/"+asked) {
			named = append(named, m)
		}
	}
	switch {
	case h.Var != "" && len(named) == 1:
		return named[0], nil
	case h.Var == "" && asked != "": // such as anndata without X: nothing else may stand for it
		return nil, &input.VarError{Path: h.Path, Absent: asked, Names: names, Listed: input.List(listed)}
	case h.Var != "":
		return nil, h.VarError(names, listed)
	case len(found) == 0:
		return nil, fmt.Errorf("%s: the file has no real numeric matrix: %w", h.Path, input.ErrVar)
	case len(found) > 1:
		return nil, h.VarError(names, listed)
	}
	return found[0], nil
}

// nested returns the matrix that a name such as s.data, s(2).data or c{1} leads to in a file of MATLAB, or
// nil. A structure is a group; an array of structures and a cell array hold references.
func (h *file) nested(asked string) (*matrix, error) {
	path, steps, err := input.Steps(asked)
	if err != nil || steps == nil {
		return nil, nil
	}
	for _, s := range steps {
		if s.Field != "" {
			path += "/" + s.Field
		}
		o, ok, err := h.open(path, 0, 0)
		if !ok || err != nil {
			return nil, err
		}
		to := ""
		if o.kind == 'd' && s.Index > 0 {
			to = o.refers(s.Index - 1)
		}
		o.close()
		switch {
		case to != "":
			path = to
		case s.Field == "" || s.Index > 1:
			return nil, nil
		}
	}
	m, err := h.at(path)
	if m != nil {
		m.path = asked
	}
	return m, err
}

// Limits of the search: depth, and number of objects.
const (
	mostDeep    = 8
	mostObjects = 1 << 12
)

// search finds the matrices in a group and skips other objects.
func (h *file) search(g object, path string, depth int) error {
	names, err := g.names()
	if err != nil {
		return err
	}
	for _, name := range names {
		if h.seen++; h.seen > mostObjects {
			return h.TooLarge("the file has more than %d objects: name the variable that is the matrix", mostObjects)
		}
		if strings.HasPrefix(name, "#") { // MATLAB's own
			continue
		}
		o, ok, err := g.child(name, 0, 0)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		at := strings.TrimPrefix(path+"/"+name, "/")
		m, err := h.matrix(o, at)
		switch {
		case err == nil && m != nil:
			h.all = append(h.all, m)
		case err == nil && o.kind == 'g' && depth < mostDeep && o.numbers("OCTAVE_NEW_FORMAT") == nil:
			err = h.search(o, at, depth+1)
		}
		o.close()
		if err != nil {
			return err
		}
	}
	return nil
}

// open opens the object of a path; ok says whether there is one.
func (h *file) open(path string, cache, slots int64) (o object, ok bool, err error) {
	o = h.root
	for _, name := range strings.Split(path, "/") {
		if o, ok, err = o.child(name, cache, slots); !ok || err != nil {
			return o, false, err
		}
	}
	return o, true, nil
}

// at returns the matrix of a path, or nil if there is no object. An object that is no matrix is
// an error.
func (h *file) at(path string) (*matrix, error) {
	o, ok, err := h.open(path, 0, 0)
	if !ok || err != nil {
		return nil, err
	}
	defer o.close()
	m, err := h.matrix(o, path)
	if at := strings.LastIndexByte(path, '/'); m != nil && m.form == "" && at >= 0 {
		if group, ok, _ := h.open(path[:at], 0, 0); ok {
			if whole, _ := h.matrix(group, path[:at]); whole != nil && whole.form != "" && slices.Contains(whole.arrays[:], path) {
				h.Note("%s is one of the arrays of the sparse matrix %s", path, whole)
			}
			group.close()
		}
	}
	if m == nil && err == nil {
		err = h.Unsupported("variable %s: want a real numeric matrix of two dimensions, or a cube of three, or a sparse matrix", path)
	}
	return m, err
}

// matrix returns an object as a matrix, or nil if it is none.
func (h *file) matrix(o object, path string) (*matrix, error) {
	switch o.kind {
	case 'd':
		return h.dense(o, path, path, o.text("MATLAB_class") != "")
	case 'g':
		if o.numbers("OCTAVE_NEW_FORMAT") != nil {
			return h.octave(o, path)
		}
		return h.sparse(o, path)
	}
	return nil, nil
}

// dense is matrix for a dataset.
func (h *file) dense(o object, path, array string, turned bool) (*matrix, error) {
	defer h.In("variable " + path)()
	switch class := o.text("MATLAB_class"); {
	case class == "char", class == "cell", class == "struct", o.numbers("MATLAB_empty") != nil:
		return nil, nil
	}
	s, err := o.shape()
	if err != nil || !number(s) || s.rank < 1 || s.rank > 3 {
		return nil, err
	}
	m := &matrix{path: path, cols: 1, lines: s.rank == 1, turned: turned, arrays: [3]string{array}, of: s.Type.String()}
	if turned {
		slices.Reverse(s.dims)
	}
	for i, to := range []*int64{&m.rows, &m.cols, &m.bands}[:s.rank] {
		*to = s.dims[i]
	}
	for _, name := range unapplied {
		if o.has(name) {
			m.unapplied = append(m.unapplied, name)
		}
	}
	return m, nil
}

// unapplied are the attributes of NetCDF that change the meaning of numbers.
var unapplied = []string{"scale_factor", "add_offset", "_FillValue", "missing_value"}

// number says whether elements are real numbers.
func number(s *shape) bool { return s.Kind != 0 && s.Kind != 's' && s.Kind != 'v' }

// octave is matrix for a variable of Octave: a group of type and value.
func (h *file) octave(g object, path string) (*matrix, error) {
	d, err := h.arrayIn(g, path, "type")
	if d == nil {
		return nil, err
	}
	defer d.close()
	kind := ""
	if d.Kind == 's' && d.size == int64(d.Type.Size) && d.size < mostWord {
		if err := d.fixedWords(func(word string) error { kind = word; return nil }); err != nil {
			return nil, err
		}
	}
	value, ok, err := g.child("value", 0, 0)
	if !ok || err != nil {
		return nil, err
	}
	defer value.close()
	switch {
	case value.kind == 'g' && strings.Contains(kind, "sparse") && !strings.Contains(kind, "complex"):
		m := &matrix{path: path, turned: true, form: "csc"}
		for i, name := range []string{"data", "ridx", "cidx"} {
			m.arrays[i] = path + "/value/" + name
		}
		for _, x := range []struct {
			name string
			to   *int64
		}{{"nr", &m.rows}, {"nc", &m.cols}} {
			n, err := h.wholes(value, path, x.name, 1)
			if err != nil {
				return nil, err
			}
			*x.to = n[0]
		}
		return m, nil
	case value.kind == 'd' && strings.Contains(kind, "matrix"):
		return h.dense(value, path, path+"/value", true)
	}
	return nil, nil
}

// wholes returns n integers, at least 0, that are stored in a group. n is at most 2.
func (h *file) wholes(g object, path, name string, n int) ([]int64, error) {
	d, err := h.arrayIn(g, path, name)
	if err != nil {
		return nil, err
	}
	bad := h.Bad(0, "variable %s: %s has not %d whole numbers", path, name, n)
	if d == nil {
		return nil, bad
	}
	defer d.close()
	if d.Kind != 'i' && d.Kind != 'u' || d.size != int64(n*d.Type.Size) {
		return nil, bad
	}
	var b [2 * 8]byte
	if k, err := d.ReadAt(b[:d.size], 0); int64(k) < d.size {
		return nil, h.ReadError(0, err)
	}
	v := make([]int64, n)
	d.Type.Ints(v, b[:d.size])
	if slices.Min(v) < 0 {
		return nil, bad
	}
	return v, nil
}

// sparse is matrix for a group: of anndata, of MATLAB, or of another program that writes the
// arrays of scipy.
func (h *file) sparse(g object, path string) (*matrix, error) {
	m := &matrix{path: path}
	names := []string{"data", "indices", "indptr"}
	var shape []int64
	var err error
	if rows := g.numbers("MATLAB_sparse"); len(rows) == 1 {
		m.turned, m.form, names = true, "csc", []string{"data", "ir", "jc"}
		shape = []int64{rows[0], -1}
	} else {
		switch g.text("encoding-type") + g.text("h5sparse_format") {
		case "csr_matrix", "csr":
			m.form = "csr"
		case "csc_matrix", "csc":
			m.form = "csc"
		default:
			if shape, err = h.arraysOf(g, m); m.form == "" || err != nil {
				return nil, err
			}
		}
		for _, name := range []string{"shape", "h5sparse_shape"} {
			if s := g.numbers(name); s != nil {
				shape = s
			}
		}
	}
	if len(shape) != 2 {
		return nil, h.Bad(0, "variable %s: the sparse matrix has no attribute shape with two numbers", path)
	}
	m.rows, m.cols = shape[0], shape[1]
	for i, name := range names {
		m.arrays[i] = path + "/" + name
	}
	if m.turned {
		pointers, err := h.length(g, path, "jc")
		if err != nil {
			return nil, err
		}
		m.cols = max(0, pointers-1)
	}
	if m.rows < 0 || m.cols < 0 {
		return nil, h.Bad(0, "variable %s: the size %d x %d of the sparse matrix is negative", path, m.rows, m.cols)
	}
	return m, nil
}

// isBIOM says whether the file is a BIOM table of version 2, as of microbial counts.
func (h *file) isBIOM() bool {
	return h.root.numbers("format-version") != nil && len(h.root.numbers("shape")) == 2
}

// arraysOf returns the shape of a sparse matrix whose group does not say that it is one, but has
// the arrays of scipy, and sets its form and the paths of its names. The form stays empty if the
// group is none.
//
//	BIOM 2.1     observation/matrix in csr and sample/matrix in csc, both observations x samples
//	Cell Ranger  a group with barcodes, in csc: features x barcodes
//	another      csr or csc by the lengths of its arrays
func (h *file) arraysOf(g object, m *matrix) (shape []int64, err error) {
	names, err := g.names()
	has := func(name string) bool { return slices.Contains(names, name) }
	if err != nil || !has("data") || !has("indices") || !has("indptr") {
		return nil, err
	}
	if h.isBIOM() && (m.path == "observation/matrix" || m.path == "sample/matrix") {
		m.form = "csr"
		if m.path == "sample/matrix" {
			m.form = "csc"
		}
		m.named = [2]string{"observation/ids", "sample/ids"}
		return h.root.numbers("shape"), nil
	}
	if shape = g.numbers("shape"); shape == nil && has("shape") {
		if shape, err = h.wholes(g, m.path, "shape", 2); err != nil {
			return nil, err
		}
	}
	if len(shape) != 2 {
		return nil, nil
	}
	if has("barcodes") {
		m.form = "csc"
		m.named = [2]string{m.path + "/features/name", m.path + "/barcodes"}
		if has("gene_names") {
			m.named[0] = m.path + "/gene_names"
		}
		return shape, nil
	}
	lines, err := h.length(g, m.path, "indptr")
	switch {
	case err != nil:
		return nil, err
	case shape[0] == shape[1]:
		return nil, h.Unsupported("variable %s: the arrays of a sparse matrix of %d x %d, which may be csr or csc: set the attribute encoding-type of the group to csr_matrix or csc_matrix", m.path, shape[0], shape[1])
	case lines-1 == shape[0]:
		m.form = "csr"
	case lines-1 == shape[1]:
		m.form = "csc"
	}
	return shape, nil
}

// length returns the number of elements of a dataset in a group.
func (h *file) length(g object, path, name string) (int64, error) {
	d, err := h.arrayIn(g, path, name)
	if d == nil {
		return 0, err
	}
	defer d.close()
	return d.size / int64(d.Type.Size), nil
}

// arrayIn returns a dataset that the group at a path holds, or nil if there is none.
func (h *file) arrayIn(g object, path, name string) (*dataset, error) {
	o, ok, err := g.child(name, 0, 0)
	if !ok || err != nil {
		return nil, err
	}
	return h.array(o, path+"/"+name)
}

// mostInflated is the largest number of bytes that a filter makes of one. A pipeline with two
// inflating filters is refused.
const mostInflated = input.MaxInflate

// array returns the elements of a dataset after checking its claims.
func (h *file) array(o object, path string) (*dataset, error) {
	defer h.In("dataset " + path)()
	if o.kind != 'd' {
		return nil, h.Bad(0, "not a dataset")
	}
	s, err := o.shape()
	if err != nil {
		return nil, err
	}
	return h.arrayOf(o, s, path)
}

// arrayOf is array for a dataset with the shape s.
func (h *file) arrayOf(o object, s *shape, path string) (*dataset, error) {
	defer h.In("dataset " + path)()
	switch {
	case s.layout == 'v':
		return nil, h.Unsupported("a virtual dataset, whose data are in other files: copy them into this file")
	case s.layout == 'e':
		return nil, h.Unsupported("the data are in another file: copy them into this file")
	case s.layout == 0:
		return nil, h.Unsupported("unknown layout: write it contiguous or in chunks")
	case s.filter != 0:
		return nil, h.Unsupported("filter %d: write it with gzip or without compression", s.filter)
	case s.deflated > 1:
		return nil, h.Unsupported("two compression filters: write it with gzip alone")
	case s.rank > len(s.dims):
		return nil, h.Unsupported("the dataset has more than 3 dimensions: want 2, or 3 for a cube")
	case s.Kind == 0 || s.Type.Size <= 0:
		return nil, h.Unsupported("elements that are neither real numbers nor text")
	}
	d := &dataset{object: o, shape: s, size: int64(s.Type.Size)}
	chunk, ok := d.size, true
	for i, n := range s.dims {
		var fits, chunkFits = true, true
		d.size, fits = element.Mul(d.size, n)
		chunk, chunkFits = element.Mul(chunk, s.chunk[i])
		if ok = ok && fits && chunkFits; !ok {
			return nil, h.TooLarge("shape %d has more elements than can be counted", s.dims)
		}
	}
	// What is stored lies in the file, however often it is claimed. The library delivers the fill value for what was
	// never written, of which a file may claim as much as of deflated data.
	held, most := min(s.storage, h.Size), element.Times(h.Size, mostInflated)
	unwritten := s.layout == 'h' || s.storage == 0
	if d.size > most || d.size > held && s.deflated == 0 && !unwritten {
		return nil, h.Bad(0, "the dataset claims %d bytes, more than its %d bytes in the file can hold", d.size, held)
	}
	if s.layout == 'h' && chunk > most {
		return nil, h.Bad(0, "the dataset claims chunks of %d bytes, more than the %d bytes of the file can hold", chunk, h.Size)
	}
	if d.size > held && (s.deflated == 0 || held == 0) {
		h.Note("the dataset %s was written in part: the rest has its fill value", path)
	}
	return d, nil
}

// keptChunks is the size in bytes of a dataset's chunk cache, unless one chunk is larger.
const keptChunks = 1 << 26

// plain returns a dataset as an array. A contiguous uncompressed one is read from the file
// directly.
func (h *file) plain(path string) (*input.Array, []int64, error) {
	o, ok, err := h.open(path, 0, 0)
	if err != nil {
		return nil, nil, err
	}
	if !ok {
		return nil, nil, h.Bad(0, "there is no dataset %s", path)
	}
	d, err := h.array(o, path)
	if err != nil {
		return nil, nil, err
	}
	if !number(d.shape) {
		return nil, nil, h.Unsupported("dataset %s has no numbers", path)
	}
	a := &input.Array{File: h.File, Type: d.Type, Len: d.size / int64(d.Type.Size), Dims: len(d.dims)}
	switch {
	case d.layout == 'c' && d.offset >= 0 && d.offset <= h.Size-d.size:
		a.Offset = d.offset
		return a, d.dims, nil
	case d.layout == 'h':
		if err := h.keepChunks(d, path); err != nil {
			return nil, nil, err
		}
	}
	a.Reader = d
	return a, d.dims, nil
}

// keepChunks opens a dataset again with a chunk cache that holds the chunks of one row of the
// array.
func (h *file) keepChunks(d *dataset, path string) error {
	chunk, across := int64(d.Type.Size), int64(1)
	for i, n := range d.chunk {
		chunk *= n
		if i > 0 {
			across *= (d.dims[i] + n - 1) / n
		}
	}
	kept := max(chunk, min(element.Times(chunk, across), keptChunks, h.Left()/8))
	// A chunk is read beside those that are kept, and may be deflated.
	if err := h.Reserve(element.Plus(kept, element.Times(2, chunk)), input.Reading); err != nil {
		return err
	}
	d.object.close()
	o, ok, err := h.open(path, kept, min(100*(kept/chunk)+1, 1<<20))
	if err != nil || !ok {
		return h.ReadError(0, err)
	}
	d.object = o
	return nil
}

// useDense makes m the matrix of the file.
func (h *file) useDense(m *matrix) error {
	a, dims, err := h.plain(m.arrays[0])
	if err != nil {
		return err
	}
	if m.bands > 0 {
		h.Dense = a
		if m.turned {
			h.Dense = input.TransposedCube{File: h.File, Of: a}
		} else {
			h.ByColumns = true
		}
		_, err = h.SetCube(m.rows, m.cols, m.bands)
		return err
	}
	if _, err := h.SetDims(m.rows, m.cols); err != nil {
		return err
	}
	h.ByColumns = m.turned && len(dims) == 2
	h.Dense, h.Plain = a, a
	return nil
}

// useSparse makes m the matrix of the file.
func (h *file) useSparse(m *matrix) (*scipy.Matrix, error) {
	s := scipy.New(h.File, m.form, func(name string) string { return name })
	for i, name := range []string{"data", "indices", "indptr"} {
		a, dims, err := h.plain(m.arrays[i])
		if err != nil {
			return nil, err
		}
		if len(dims) == 2 && dims[1] == 1 { // Octave's
			a.Dims = 1
		}
		if err := s.Add(name, a); err != nil {
			return nil, err
		}
	}
	return s, s.UseAs(m.rows, m.cols)
}
