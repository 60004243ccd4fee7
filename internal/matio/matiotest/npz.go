package matiotest

import (
	"archive/zip"
	"fmt"
	"io"
	"testing"
)

// Member is a file in a zip file.
type Member struct {
	name    string
	Content []byte
}

// ZipFile packs members, deflated or stored.
func ZipFile(t testing.TB, deflate bool, members ...Member) []byte {
	t.Helper()
	method := zip.Store
	if deflate {
		method = zip.Deflate
	}
	return zipped(t, len(members), func(w *zip.Writer, k int) (io.Writer, error) {
		return w.CreateHeader(&zip.FileHeader{Name: members[k].name, Method: method})
	}, func(k int) []byte { return members[k].Content })
}

// zipped returns a zip file of n members, each of which create creates for its content.
func zipped(t testing.TB, n int, create func(w *zip.Writer, k int) (io.Writer, error), content func(k int) []byte) []byte {
	t.Helper()
	return written(t, func(out io.Writer) error {
		w := zip.NewWriter(out)
		for k := range n {
			e, err := create(w, k)
			if err == nil {
				_, err = e.Write(content(k))
			}
			if err != nil {
				return err
			}
		}
		return w.Close()
	})
}

// Claim returns a zip file with one member of deflated data that claims another size.
func Claim(t testing.TB, name string, deflated []byte, size uint64) []byte {
	t.Helper()
	return RawZip(t, NewRawMember(name, deflated, size))
}

// RawMember is a zip member of deflated data, with the size that it claims.
type RawMember struct {
	Name     string
	deflated []byte
	size     uint64
}

// RawZip returns a zip file of members as they are, without checksums.
func RawZip(t testing.TB, members ...RawMember) []byte {
	t.Helper()
	return zipped(t, len(members), func(w *zip.Writer, k int) (io.Writer, error) {
		m := members[k]
		return w.CreateRaw(&zip.FileHeader{Name: m.Name, Method: zip.Deflate, CompressedSize64: uint64(len(m.deflated)), UncompressedSize64: m.size})
	}, func(k int) []byte { return members[k].deflated })
}

// Vector returns a .npy file with an array of one dimension.
func Vector(descr string, v ...float64) []byte {
	return NpyFile(1, descr, false, fmt.Sprintf("(%d,)", len(v)), BytesOf(v, descr))
}

// ScipySparse returns Counts as a .npz file of csr, csc or coo. The entries are unsorted, one
// is split in two, and one is zero. change replaces members.
func ScipySparse(t testing.TB, format, index string, change map[string][]byte) []byte {
	t.Helper()
	m := []Member{
		NewMember("format.npy", NpyFile(1, "|S3", false, "()", []byte(format))),
		NewMember("shape.npy", Vector("<i8", 2, 3)),
	}
	switch format {
	case "csr":
		m = append(m, NewMember("indptr.npy", Vector(index, 0, 3, 7)), NewMember("indices.npy", Vector(index, 2, 0, 1, 1, 0, 1, 2)),
			NewMember("data.npy", Vector("<f8", 2, 0, 1, 60, 3, 40, 5)))
	case "csc":
		m = append(m, NewMember("indptr.npy", Vector(index, 0, 2, 5, 7)), NewMember("indices.npy", Vector(index, 1, 0, 1, 0, 1, 1, 0)),
			NewMember("data.npy", Vector("<f8", 3, 0, 60, 1, 40, 5, 2)))
	case "coo":
		m = append(m, NewMember("row.npy", Vector(index, 1, 0, 1, 0, 1, 1, 0)), NewMember("col.npy", Vector(index, 0, 0, 1, 1, 1, 2, 2)),
			NewMember("data.npy", Vector("<f8", 3, 0, 60, 1, 40, 5, 2)))
	}
	kept := m[:0]
	for _, e := range m {
		if c, ok := change[e.name]; ok {
			e.Content = c
		}
		if e.Content != nil {
			kept = append(kept, e)
		}
	}
	return ZipFile(t, true, kept...)
}

// NewMember returns a Member.
func NewMember(name string, content []byte) Member { return Member{name: name, Content: content} }

// NewRawMember returns a RawMember.
func NewRawMember(name string, deflated []byte, size uint64) RawMember {
	return RawMember{Name: name, deflated: deflated, size: size}
}
