// Package npz reads .npz files: a matrix among their members, or the members that make up a
// sparse matrix of SciPy, and the names of rows and columns.
package npz

import (
	"archive/zip"
	"bufio"
	"cmp"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/internal/npy"
)

// member is one array of a .npz file.
type member struct {
	*input.Array
	zf   *zip.File
	h    npy.Header
	name string
}

// Open opens the requested member of a .npz file, or the only matrix, or a sparse matrix of
// SciPy.
func Open(f *input.File) error {
	// The section reader limits offsets to the file.
	d := &directory{f: f, r: f.Section()}
	z, err := zip.NewReader(d, f.Size)
	if err != nil {
		return f.ReadError(0, err)
	}
	if err := f.Reserve(d.n*directoryBytes, "its list of members"); err != nil {
		return err
	}
	d.done = true
	z.RegisterDecompressor(zip.Deflate, inflate)
	var members []*zip.File
	for _, zf := range z.File {
		if strings.HasSuffix(zf.Name, ".npy") {
			members = append(members, zf)
		}
	}
	if len(members) == 0 {
		return f.Foreign(zipOf(z.File))
	}
	find := func(name string) *zip.File {
		for _, zf := range members {
			if zf.Name == name+".npy" {
				return zf
			}
		}
		return nil
	}
	switch {
	case f.Var != "":
		err = useNamed(f, find, members)
	case isSparse(find):
		err = openSparse(f, find)
	default:
		err = openOnly(f, members)
	}
	if err == nil {
		err = axisNames(f, find)
	}
	return err
}

// useNamed makes the requested member the matrix of the file.
func useNamed(f *input.File, find func(string) *zip.File, members []*zip.File) error {
	zf := find(f.Var)
	if zf == nil {
		_, names, _, _ := matrices(f, members)
		all := make([]string, len(members))
		for i, zf := range members {
			all[i] = nameOf(zf)
		}
		return f.VarError(names, all)
	}
	if isSparse(find) {
		f.Note("%s is one of the arrays of a sparse matrix", f.Var)
	}
	m, err := newMember(f, zf)
	if err == nil {
		err = useMember(f, m)
	}
	return err
}

// zipOf returns what a zip file without .npy members is, and what to do.
func zipOf(members []*zip.File) (what, instead string) {
	has := func(begin string) bool {
		return slices.ContainsFunc(members, func(zf *zip.File) bool { return strings.HasPrefix(zf.Name, begin) })
	}
	switch {
	case has("xl/"):
		return "an Excel workbook", "save it as CSV"
	case has("content.xml"):
		return "an OpenDocument spreadsheet or text", "save it as CSV"
	case has("word/"):
		return "a Word document", "save its data as CSV"
	}
	return "a zip file without .npy members", "unpack it, and give a file or the folder"
}

// openOnly opens the only matrix among the members.
func openOnly(f *input.File, members []*zip.File) error {
	found, names, listed, err := matrices(f, members)
	switch len(listed) {
	case 0:
		return err
	case 1:
		return useMember(f, found)
	}
	return f.VarError(names, listed)
}

// matrices returns the last matrix among the members, the names of the first ones, and
// descriptions of them. The error is that of a member that is no matrix.
func matrices(f *input.File, members []*zip.File) (found *member, names, listed []string, err error) {
	for _, zf := range members {
		m, bad := newMember(f, zf)
		if bad != nil {
			err = bad
			continue
		}
		rows, cols, ok := m.h.Dims()
		if !ok {
			err = f.Unsupported("member %s has %d dimensions: want 2, or 1 for a column", m.name, len(m.h.Shape))
			continue
		}
		found = m
		if len(names) < input.MostListed {
			names = append(names, m.name)
		}
		listed = append(listed, fmt.Sprintf("%s (%d x %d %v)", m.name, rows, cols, m.h.Type))
	}
	return found, names, listed, err
}

func useMember(f *input.File, m *member) error {
	f.In("member " + m.name) // until the file is closed
	if _, err := npy.SetDims(f, m.h, m.dataBytes()); err != nil {
		return err
	}
	f.Dense = m.Array
	return nil
}

// newMember reads the header of a member and checks its sizes.
func newMember(f *input.File, zf *zip.File) (*member, error) {
	m := &member{Array: &input.Array{File: f}, zf: zf, name: nameOf(zf)}
	defer f.In("member " + m.name)()
	if err := m.plausible(); err != nil {
		return nil, err
	}
	r, err := zf.Open()
	if err != nil {
		return nil, f.ReadError(0, err)
	}
	defer r.Close()
	if m.h, err = npy.ReadHeader(f, r, int64(zf.UncompressedSize64), false); err != nil {
		return nil, err
	}
	n := int64(1)
	for _, d := range m.h.Shape {
		var ok bool
		if n, ok = element.Mul(n, d); !ok {
			return nil, f.TooLarge("shape %d has more elements than can be counted", m.h.Shape)
		}
	}
	m.Type, m.Len, m.Dims, m.Inflated, m.Claim = m.h.Type, n, len(m.h.Shape), m.from, m.verify
	return m, npy.CheckData(f, m.h, n, m.dataBytes())
}

// plausible returns an error if the compressed bytes of the member cannot hold what the archive claims.
func (m *member) plausible() error {
	packed, size := m.zf.CompressedSize64, m.zf.UncompressedSize64
	if packed > uint64(m.File.Size) {
		return m.File.Bad(0, "the archive claims %d compressed bytes, but the file has only %d", packed, m.File.Size)
	}
	limit := packed
	switch m.zf.Method {
	case zip.Store:
	case zip.Deflate:
		limit *= input.MaxInflate
	default:
		return m.File.Unsupported("zip compression method %d: write it with numpy.savez or savez_compressed", m.zf.Method)
	}
	if size > limit {
		return m.File.Bad(0, "the archive claims %d bytes, more than the %d compressed bytes can hold", size, packed)
	}
	return nil
}

// Text returns the content of a member of f that is no array, with at most most bytes. They count towards the
// limit of f.
func Text(f *input.File, name string, most int64) ([]byte, error) {
	z, err := zip.NewReader(&directory{f: f, r: f.Section()}, f.Size)
	if err != nil {
		return nil, f.ReadError(0, err)
	}
	defer f.In("member " + name)()
	i := slices.IndexFunc(z.File, func(zf *zip.File) bool { return zf.Name == name })
	if i < 0 {
		return nil, f.Bad(0, "the archive does not have it")
	}
	m := &member{Array: &input.Array{File: f, Type: element.Type{Size: 1}}, zf: z.File[i], name: name}
	if err := m.plausible(); err != nil {
		return nil, err
	}
	size := m.zf.UncompressedSize64
	if size > uint64(most) {
		return nil, f.Bad(0, "it has %d bytes, and may have %d", size, most)
	}
	if err := cmp.Or(f.Reserve(int64(size), input.Reading), m.verify()); err != nil {
		return nil, err
	}
	r, err := m.from(0)
	if err != nil {
		return nil, err
	}
	text, err := r.Bytes(int(size))
	return text, cmp.Or(err, r.Close())
}

// dataBytes returns how many bytes follow the header according to the zip directory.
func (m *member) dataBytes() int64 { return int64(m.zf.UncompressedSize64) - m.h.Size }

// verify inflates the member once if it claims to be much larger than the file.
func (m *member) verify() error {
	if !input.Implausible(int64(m.zf.UncompressedSize64), int64(m.zf.CompressedSize64)) {
		return nil
	}
	r, err := m.from(0)
	if err != nil {
		return err
	}
	return r.Close()
}

// from starts reading at element first.
func (m *member) from(first int64) (*input.Numbers, error) {
	r, err := m.zf.Open()
	if err != nil {
		return nil, m.File.ReadError(0, err)
	}
	off := m.h.Size + first*int64(m.Type.Size)
	if _, err := io.CopyN(io.Discard, r, off); err != nil {
		r.Close()
		return nil, m.File.ReadError(0, err)
	}
	done := func() error {
		defer r.Close()
		// The zip reader compares the sizes and the checksum at the end.
		if _, err := io.Copy(io.Discard, r); err != nil {
			return m.File.ReadError(int64(m.zf.UncompressedSize64), err)
		}
		return nil
	}
	return &input.Numbers{File: m.File, Type: m.Type, Source: r, Offset: off, Done: done}, nil
}

// inflated is a deflated member as it is read.
type inflated struct {
	io.ReadCloser
	packed *bufio.Reader // of which flate reads no byte too many
}

// inflate inflates a member.
func inflate(r io.Reader) io.ReadCloser {
	packed := bufio.NewReader(r)
	return inflated{flate.NewReader(packed), packed}
}

// Read implements io.Reader. Bytes of the member behind its deflated data are an error at the end.
func (d inflated) Read(b []byte) (int, error) {
	n, err := d.ReadCloser.Read(b)
	if err == io.EOF {
		if _, none := d.packed.Peek(1); none == nil {
			err = errors.New("the archive claims more compressed bytes than the deflated data have")
		}
	}
	return n, err
}

// directory is the zip file. archive/zip keeps directoryBytes for each byte of the zip
// directory, so directory counts memory while that is read.
type directory struct {
	f    *input.File
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
