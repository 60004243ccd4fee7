package matiotest

import (
	"archive/zip"
	"bytes"
	"fmt"
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
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	method := zip.Store
	if deflate {
		method = zip.Deflate
	}
	for _, m := range members {
		e, err := w.CreateHeader(&zip.FileHeader{Name: m.name, Method: method})
		if err == nil {
			_, err = e.Write(m.Content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
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
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for _, m := range members {
		e, err := w.CreateRaw(&zip.FileHeader{Name: m.Name, Method: zip.Deflate, CompressedSize64: uint64(len(m.deflated)), UncompressedSize64: m.size})
		if err == nil {
			_, err = e.Write(m.deflated)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// ScipySparse returns Counts as a .npz file of csr, csc or coo. The entries are unsorted, one
// is split in two, and one is zero. change replaces members.
func ScipySparse(t testing.TB, format, index string, change map[string][]byte) []byte {
	t.Helper()
	array := func(descr string, v ...float64) []byte {
		return NpyFile(1, descr, false, fmt.Sprintf("(%d,)", len(v)), BytesOf(v, descr))
	}
	m := []Member{
		NewMember("format.npy", NpyFile(1, "|S3", false, "()", []byte(format))),
		NewMember("shape.npy", array("<i8", 2, 3)),
	}
	switch format {
	case "csr":
		m = append(m, NewMember("indptr.npy", array(index, 0, 3, 7)), NewMember("indices.npy", array(index, 2, 0, 1, 1, 0, 1, 2)),
			NewMember("data.npy", array("<f8", 2, 0, 1, 60, 3, 40, 5)))
	case "csc":
		m = append(m, NewMember("indptr.npy", array(index, 0, 2, 5, 7)), NewMember("indices.npy", array(index, 1, 0, 1, 0, 1, 1, 0)),
			NewMember("data.npy", array("<f8", 3, 0, 60, 1, 40, 5, 2)))
	case "coo":
		m = append(m, NewMember("row.npy", array(index, 1, 0, 1, 0, 1, 1, 0)), NewMember("col.npy", array(index, 0, 0, 1, 1, 1, 2, 2)),
			NewMember("data.npy", array("<f8", 3, 0, 60, 1, 40, 5, 2)))
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
