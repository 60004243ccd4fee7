package matio

import (
	"archive/zip"
	"fmt"
	"io"
	"strings"
)

// npzMember is one array of a .npz file.
type npzMember struct {
	f    *input
	zf   *zip.File
	h    npyHeader
	n    int64 // elements
	name string
}

func openNpz(f *input) error {
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
	if f.variable == "" {
		if find("format") != nil && find("shape") != nil && find("data") != nil {
			err = openSciPy(f, find)
		} else {
			err = openOnly(f, members)
		}
		if err == nil {
			err = npzNames(f, find)
		}
		return err
	}
	zf := find(f.variable)
	if zf == nil {
		_, names, _, _ := matrices(f, members)
		all := make([]string, len(members))
		for i, zf := range members {
			all[i] = npzName(zf)
		}
		return f.varError(names, all)
	}
	m, err := newMember(f, zf)
	if err == nil {
		err = useMember(f, m)
	}
	if err == nil {
		err = npzNames(f, find)
	}
	return err
}

// openOnly opens the only matrix among the members.
func openOnly(f *input, members []*zip.File) error {
	found, names, listed, err := matrices(f, members)
	switch len(listed) {
	case 0:
		return err
	case 1:
		return useMember(f, found)
	}
	return f.varError(names, listed)
}

// matrices returns the last matrix among the members, the names of the first ones, and
// what they are in words. The error is about a member that is none.
func matrices(f *input, members []*zip.File) (found *npzMember, names, listed []string, err error) {
	for _, zf := range members {
		m, bad := newMember(f, zf)
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

func useMember(f *input, m *npzMember) error {
	f.in("member " + m.name) // for good
	if _, err := setNpyDims(f, m.h, m.dataBytes()); err != nil {
		return err
	}
	f.data = m
	return nil
}

func npzName(zf *zip.File) string { return strings.TrimSuffix(zf.Name, ".npy") }

// newMember reads the header of a member and checks its sizes.
func newMember(f *input, zf *zip.File) (*npzMember, error) {
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
	if m.h, err = readNpyHeader(f, r, int64(zf.UncompressedSize64)); err != nil {
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
	return m, checkNpyData(f, m.h, n, m.dataBytes())
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

// directory is a zip file. While its directory is read, for each byte of which
// archive/zip keeps directoryBytes, the memory is watched.
type directory struct {
	f    *input
	r    io.ReaderAt
	n    int64 // bytes read
	done bool  // what is read now are members
}

const directoryBytes = 12

func (d *directory) ReadAt(b []byte, off int64) (int, error) {
	if d.done {
		return d.r.ReadAt(b, off)
	}
	if err := d.f.Fits(d.n*directoryBytes, "its list of members"); err != nil {
		return 0, err
	}
	n, err := d.r.ReadAt(b, off)
	d.n += int64(n)
	return n, err
}
