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
			err = f.openSciPy(find)
		} else {
			err = f.openOnly(members)
		}
		if err == nil {
			err = f.npzNames(find)
		}
		return err
	}
	zf := find(f.opt.Var)
	if zf == nil {
		_, names, _, _ := f.matrices(members)
		all := make([]string, len(members))
		for i, zf := range members {
			all[i] = npzName(zf)
		}
		return &VarError{f.path, f.opt.Var, names, list(all)}
	}
	m, err := f.npzMember(zf)
	if err == nil {
		err = f.useMember(m)
	}
	if err == nil {
		err = f.npzNames(find)
	}
	return err
}

// openOnly opens the only matrix among the members.
func (f *File) openOnly(members []*zip.File) error {
	found, names, listed, err := f.matrices(members)
	switch len(listed) {
	case 0:
		return err
	case 1:
		return f.useMember(found)
	}
	return &VarError{f.path, "", names, list(listed)}
}

// matrices returns the last matrix among the members, the names of the first ones, and
// what they are in words. The error is about a member that is none.
func (f *File) matrices(members []*zip.File) (found *npzMember, names, listed []string, err error) {
	for _, zf := range members {
		m, bad := f.npzMember(zf)
		if bad != nil {
			err = bad
			continue
		}
		rows, cols, ok := m.h.dims()
		if !ok {
			err = f.unsupported("member %s of %d dimensions is no matrix: want 2, or 1 for a column", m.name, len(m.h.shape))
			continue
		}
		found = m
		if len(names) < mostListed {
			names = append(names, m.name)
		}
		listed = append(listed, fmt.Sprintf("%s (%d x %d %v)", m.name, rows, cols, m.h.dt))
	}
	return found, names, listed, err
}

func (f *File) useMember(m *npzMember) error {
	f.in("member " + m.name) // for good
	if _, err := f.setNpyDims(m.h, m.dataBytes()); err != nil {
		return err
	}
	f.data = m
	return nil
}

func npzName(zf *zip.File) string { return strings.TrimSuffix(zf.Name, ".npy") }

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

func (m *npzMember) count() int64 { return m.n }

func (m *npzMember) elements() dtype { return m.h.dt }

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
