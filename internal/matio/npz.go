package matio

import (
	"archive/zip"
	"fmt"
	"io"
	"slices"
	"strings"
)

// npzMember is one array of a .npz file.
type npzMember struct {
	f    *File
	zf   *zip.File
	h    npyHeader
	n    int64 // elements
	name string
}

func (f *File) openNpz() error {
	// The section turns offsets outside the file into its end.
	d := &directory{f: f, r: io.NewSectionReader(f.file, 0, f.size)}
	z, err := zip.NewReader(d, f.size)
	if err != nil {
		return f.readError(0, err)
	}
	if err := f.Reserve(d.n*directoryBytes, "its list of members"); err != nil {
		return err
	}
	d.done = true
	var members []*zip.File
	for _, zf := range z.File {
		if strings.HasSuffix(zf.Name, ".npy") {
			members = append(members, zf)
		}
	}
	if len(members) == 0 {
		return f.bad(0, "a zip file without .npy members is no .npz file")
	}
	find := func(name string) *zip.File {
		for _, zf := range members {
			if zf.Name == name+".npy" {
				return zf
			}
		}
		return nil
	}
	if f.opt.Var == "" {
		if find("format") != nil && find("shape") != nil && find("data") != nil {
			return f.openSciPy(find)
		}
		return f.openOnly(members)
	}
	zf := find(f.opt.Var)
	if zf == nil {
		names := make([]string, len(members))
		for i, zf := range members {
			names[i] = npzName(zf)
		}
		return f.noSuchVar(names)
	}
	m, err := f.npzMember(zf)
	if err != nil {
		return err
	}
	return f.useMember(m)
}

// openOnly opens the only matrix among the members.
func (f *File) openOnly(members []*zip.File) error {
	var found *npzMember
	var names []string
	var last error
	for _, zf := range members {
		m, err := f.npzMember(zf)
		if err != nil {
			last = err
			continue
		}
		rows, cols, ok := m.h.dims()
		if !ok {
			last = f.unsupported("member %s of %d dimensions is no matrix: want 2, or 1 for a column", m.name, len(m.h.shape))
			continue
		}
		found = m
		names = append(names, fmt.Sprintf("%s (%d x %d %v)", m.name, rows, cols, m.h.dt))
	}
	switch len(names) {
	case 0:
		return last
	case 1:
		return f.useMember(found)
	}
	return f.severalVars(names)
}

func (f *File) useMember(m *npzMember) error {
	f.in("member " + m.name) // for good
	if _, err := f.setNpyDims(m.h, m.dataBytes()); err != nil {
		return err
	}
	f.name = m.name
	f.data = m
	return nil
}

func npzName(zf *zip.File) string { return strings.TrimSuffix(zf.Name, ".npy") }

// noSuchVar is the error for a variable that is not among names.
func (f *File) noSuchVar(names []string) error {
	return fmt.Errorf("%s: variable %q: the file has %s: %w", f.path, f.opt.Var, list(names), ErrVar)
}

// severalVars is the error for a file of several variables none of which was
// asked for.
func (f *File) severalVars(names []string) error {
	return fmt.Errorf("%s: name one of the variables %s: none given: %w", f.path, list(names), ErrVar)
}

// mostListed is how many names a message lists.
const mostListed = 20

// note appends the name of x, or, where list would not print it, an empty one:
// names may be long, and there may be many in a small file.
func note(names []string, x fmt.Stringer) []string {
	if len(names) < mostListed {
		return append(names, x.String())
	}
	return append(names, "")
}

// list joins names, the first ones if there are many.
func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	if len(names) > mostListed {
		names = append(slices.Clone(names[:mostListed]), fmt.Sprintf("and %d more", len(names)-mostListed))
	}
	return strings.Join(names, ", ")
}

// npzMember reads the header of a member and checks its sizes.
func (f *File) npzMember(zf *zip.File) (*npzMember, error) {
	m := &npzMember{f: f, zf: zf, name: npzName(zf)}
	defer f.in("member " + m.name)()
	if zf.CompressedSize64 > uint64(f.size) {
		return nil, f.bad(0, "%d bytes claimed in a file of %d", zf.CompressedSize64, f.size)
	}
	limit := zf.CompressedSize64
	switch zf.Method {
	case zip.Store:
	case zip.Deflate:
		limit *= maxInflate
	default:
		return nil, f.unsupported("zip compression method %d", zf.Method)
	}
	if zf.UncompressedSize64 > limit {
		return nil, f.bad(0, "%d bytes claimed, which the %d bytes in the file cannot give", zf.UncompressedSize64, zf.CompressedSize64)
	}
	r, err := zf.Open()
	if err != nil {
		return nil, f.readError(0, err)
	}
	defer r.Close()
	if m.h, err = f.readNpyHeader(r, int64(zf.UncompressedSize64)); err != nil {
		return nil, err
	}
	n := int64(1)
	for _, d := range m.h.shape {
		var ok bool
		if n, ok = mul(n, d); !ok {
			return nil, f.tooLarge("shape %d has more elements than can be counted", m.h.shape)
		}
	}
	m.n = n
	return m, f.checkNpyData(m.h, n, m.dataBytes())
}

// dataBytes is what the zip directory says follows the header.
func (m *npzMember) dataBytes() int64 { return int64(m.zf.UncompressedSize64) - m.h.size }

// verify inflates the member once if it claims to be much larger than the file.
func (m *npzMember) verify() error {
	if !implausible(int64(m.zf.UncompressedSize64), int64(m.zf.CompressedSize64)) {
		return nil
	}
	r, err := m.zf.Open()
	if err != nil {
		return m.f.readError(0, err)
	}
	defer r.Close()
	if _, err := io.Copy(io.Discard, r); err != nil {
		return m.f.readError(0, err)
	}
	return nil
}

// implausible says that data of so many bytes, deflated to so many, are to be
// inflated once before memory for them is allocated.
func implausible(size, packed int64) bool { return size > 1<<16 && size/8 > packed }

func (m *npzMember) open() (source, error) { return m.numbers() }

// numbers starts reading the elements.
func (m *npzMember) numbers() (*numbers, error) {
	r, err := m.zf.Open()
	if err != nil {
		return nil, m.f.readError(0, err)
	}
	if _, err := io.CopyN(io.Discard, r, m.h.size); err != nil {
		r.Close()
		return nil, m.f.readError(0, err)
	}
	done := func() error {
		defer r.Close()
		// The zip reader compares the sizes and the checksum at the end.
		if _, err := io.Copy(io.Discard, r); err != nil {
			return m.f.readError(int64(m.zf.UncompressedSize64), err)
		}
		return nil
	}
	return &numbers{f: m.f, dt: m.h.dt, r: r, off: m.h.size, done: done}, nil
}

// openSciPy opens a sparse matrix that SciPy's save_npz wrote: members format
// ("csr", "csc", "coo"), shape, data, and indices and indptr or row and col.
func (f *File) openSciPy(find func(string) *zip.File) error {
	format, err := f.sciPyFormat(find("format"))
	if err != nil {
		return err
	}
	names := []string{"shape", "data"}
	switch format {
	case "csr", "csc":
		names = append(names, "indices", "indptr")
	case "coo":
		names = append(names, "row", "col")
	default:
		return f.unsupported("a sparse matrix in the form %q: convert it with tocsr()", format)
	}
	members := map[string]*npzMember{}
	for _, name := range names {
		zf := find(name)
		if zf == nil {
			return f.bad(0, "a SciPy matrix in the form %q without member %s", format, name)
		}
		m, err := f.npzMember(zf)
		if err != nil {
			return err
		}
		if len(m.h.shape) != 1 {
			return f.bad(0, "member %s: want an array of one dimension, have %d", name, len(m.h.shape))
		}
		if k := m.h.dt.kind; name != "data" && k != 'i' && k != 'u' {
			return f.bad(0, "member %s: %v elements are no indices", name, m.h.dt)
		}
		members[name] = m
	}
	s := sciPy{f: f, format: format, member: members}
	rows, cols, err := s.shape()
	if err != nil {
		return err
	}
	f.entries = s.entries
	if _, err := f.setDims(rows, cols); err != nil {
		return err
	}
	if err := s.check(); err != nil {
		return err
	}
	dt := members["data"].h.dt
	f.single = dt.kind == 'f' && dt.size == 4
	return nil
}

// sciPyFormat reads the member format, a string without dimensions, of bytes or
// of UCS-4 characters.
func (f *File) sciPyFormat(zf *zip.File) (string, error) {
	if zf.UncompressedSize64 > 1024 {
		return "", f.bad(0, "member format of %d bytes: want the name of a form", zf.UncompressedSize64)
	}
	r, err := zf.Open()
	if err != nil {
		return "", f.readError(0, err)
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, 1024))
	if err != nil {
		return "", f.readError(0, err)
	}
	i := slices.Index(b, '\n')
	if i < 0 || !strings.HasPrefix(string(b), npyMagic) {
		return "", f.bad(0, "member format is no .npy string")
	}
	// The letters are ASCII: the other bytes of a character are zero.
	return strings.ReplaceAll(string(b[i+1:]), "\x00", ""), nil
}

// sciPy is an opened sparse matrix.
type sciPy struct {
	f      *File
	format string
	member map[string]*npzMember
}

func (s *sciPy) shape() (rows, cols int64, err error) {
	m := s.member["shape"]
	if m.n != 2 {
		return 0, 0, s.f.bad(0, "member shape has %d sizes, want 2", m.n)
	}
	var d [2]int64
	err = s.read("shape", func(r *numbers) error {
		return r.eachInt(2, func(i int, v int64) error {
			if v < 0 {
				return s.f.bad(0, "member shape: size %d", v)
			}
			d[i] = v
			return nil
		})
	})
	return d[0], d[1], err
}

// check compares the lengths of the members.
func (s *sciPy) check() error {
	data := s.member["data"].n
	if s.format == "coo" {
		if r, c := s.member["row"].n, s.member["col"].n; r != data || c != data {
			return s.f.bad(0, "members row, col, data have %d, %d and %d elements, want the same", r, c, data)
		}
		return nil
	}
	if n := s.member["indices"].n; n != data {
		return s.f.bad(0, "members indices and data have %d and %d elements, want the same", n, data)
	}
	lines := s.f.rows
	if s.format == "csc" {
		lines = s.f.cols
	}
	if n := s.member["indptr"].n; n-1 != int64(lines) {
		return s.f.bad(0, "member indptr has %d elements for %d lines, want one more than lines", n, lines)
	}
	return nil
}

// read calls do with the elements of a member.
func (s *sciPy) read(name string, do func(*numbers) error) error {
	m := s.member[name]
	defer s.f.in("member " + name)()
	if err := m.verify(); err != nil {
		return err
	}
	r, err := m.numbers()
	if err != nil {
		return err
	}
	err = do(r)
	if cerr := r.close(); err == nil {
		err = cerr
	}
	return err
}

func (s *sciPy) entries() (e entries, err error) {
	f, n := s.f, s.member["data"].n
	indices := func(name string, bound int) (idx []int32) {
		if err == nil {
			err = s.read(name, func(r *numbers) (err error) {
				idx, err = f.indices(r, name, n, bound)
				return err
			})
		}
		return idx
	}
	switch s.format {
	case "coo":
		e.byRow = true
		e.major = indices("row", f.rows)
		e.minor = indices("col", f.cols)
	default:
		lines, bound := f.rows, f.cols
		e.byRow = s.format == "csr"
		if !e.byRow {
			lines, bound = bound, lines
		}
		err = s.read("indptr", func(r *numbers) (err error) {
			e.ptr, err = f.pointers(r, "indptr", int64(lines), n)
			return err
		})
		e.minor = indices("indices", bound)
	}
	if err == nil {
		err = s.read("data", func(r *numbers) (err error) {
			e.val, err = f.entryValues(r, n)
			return err
		})
	}
	if err != nil {
		return entries{}, err
	}
	if e.ptr != nil { // elements beyond the last pointer are unused
		nnz := e.ptr[len(e.ptr)-1]
		e.minor, e.val = e.minor[:nnz], e.val[:nnz]
	}
	return e, nil
}
