package matiotest

import (
	"archive/zip"
	"fmt"
	"io"
	"maps"
	"testing"
)

// Member is a file in a zip file.
type Member struct {
	Name    string
	Content []byte
	claims  *uint64
}

// NewMember returns a Member.
func NewMember(name string, content []byte) Member { return Member{Name: name, Content: content} }

// Claim returns a Member of deflated data, without a checksum, with the size that it claims.
func Claim(name string, deflated []byte, size uint64) Member { return Member{name, deflated, &size} }

// ZipFile packs members, deflated or stored.
func ZipFile(t testing.TB, deflate bool, members ...Member) []byte {
	t.Helper()
	method := zip.Store
	if deflate {
		method = zip.Deflate
	}
	return written(t, func(out io.Writer) error {
		w := zip.NewWriter(out)
		for _, m := range members {
			create, head := w.CreateHeader, &zip.FileHeader{Name: m.Name, Method: method}
			if m.claims != nil {
				create, head.CompressedSize64, head.UncompressedSize64 = w.CreateRaw, uint64(len(m.Content)), *m.claims
			}
			e, err := create(head)
			if err == nil {
				_, err = e.Write(m.Content)
			}
			if err != nil {
				return err
			}
		}
		return w.Close()
	})
}

// Vector returns a .npy file with an array of one dimension.
func Vector(descr string, v ...float64) []byte {
	return NpyFile(1, descr, false, fmt.Sprintf("(%d,)", len(v)), BytesOf(v, descr))
}

// ScipySparse returns Counts as a .npz file of csr, csc or coo. The entries are unsorted, one
// is split in two, and one is zero. change replaces members.
func ScipySparse(t testing.TB, format, index string, change map[string][]byte) []byte {
	t.Helper()
	files := csr(index)
	switch files["format.npy"] = NpyFile(1, "|S3", false, "()", []byte(format)); format {
	case "csc":
		files["indptr.npy"], files["indices.npy"], files["data.npy"] = Vector(index, 0, 2, 5, 7), Vector(index, 1, 0, 1, 0, 1, 1, 0), Vector("<f8", 3, 0, 60, 1, 40, 5, 2)
	case "coo":
		files["row.npy"], files["col.npy"], files["data.npy"] = Vector(index, 1, 0, 1, 0, 1, 1, 0), Vector(index, 0, 0, 1, 1, 1, 2, 2), Vector("<f8", 3, 0, 60, 1, 40, 5, 2)
	}
	var members []Member
	for name, content := range changed(files, change) {
		members = append(members, NewMember(name, content))
	}
	return ZipFile(t, true, members...)
}

// csr returns the files of Counts as a csr matrix.
func csr(index string) map[string][]byte {
	return map[string][]byte{"shape.npy": Vector("<i8", 2, 3), "indptr.npy": Vector(index, 0, 3, 7), "indices.npy": Vector(index, 2, 0, 1, 1, 0, 1, 2), "data.npy": Vector("<f8", 2, 0, 1, 60, 3, 40, 5)}
}

// changed returns files with others in their places, and without those that become nil.
func changed(files, change map[string][]byte) map[string][]byte {
	maps.Copy(files, change)
	maps.DeleteFunc(files, func(_ string, content []byte) bool { return content == nil })
	return files
}
