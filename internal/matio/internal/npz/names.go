package npz

import (
	"archive/zip"
	"encoding/binary"
	"io"
	"strings"

	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/internal/npy"
)

// mostWord is the longest name in bytes.
const mostWord = 1 << 16

// axisNames looks for the names of the rows and columns among the members.
func axisNames(f *input.File, find func(string) *zip.File) error {
	for _, x := range []struct {
		member     string
		rows, cols bool
	}{{"index", true, false}, {"columns", false, true}, {"vocabulary", true, true}} {
		zf := find(x.member)
		if zf == nil || f.Var == x.member {
			continue
		}
		rows, cols := x.rows && f.RowNames == nil, x.cols && f.ColNames == nil
		names, err := words(f, zf, func(n int64) bool { return rows && n == int64(f.Rows) || cols && n == int64(f.Cols) })
		switch {
		case err != nil:
			return err
		case names == nil:
			f.Note("member %s, which is no array of text with a name for each row or column, names nothing", x.member)
		case cols && len(names) == f.Cols:
			f.ColNames = names
		default:
			f.RowNames = names
		}
	}
	return nil
}

// words returns the texts of an array of one dimension or none. It returns nil if the array has another
// type or a length that does not fit.
func words(f *input.File, zf *zip.File, fits func(n int64) bool) ([]string, error) {
	defer f.In("member " + nameOf(zf))()
	r, err := zf.Open()
	if err != nil {
		return nil, f.ReadError(0, err)
	}
	defer r.Close()
	h, err := npy.ReadHeader(f, r, int64(zf.UncompressedSize64), true)
	n := int64(1)
	if len(h.Shape) == 1 {
		n = h.Shape[0]
	}
	if err != nil || len(h.Shape) > 1 || !fits(n) || h.Type.Size > mostWord {
		return nil, nil
	}
	bytes, ok := element.Mul(n, int64(h.Type.Size))
	if !ok || bytes != int64(zf.UncompressedSize64)-h.Size {
		return nil, f.Bad(h.Size, "the header claims %d strings of %d bytes, but %d bytes follow it", n, h.Type.Size, int64(zf.UncompressedSize64)-h.Size)
	}
	if err := f.Reserve(int64(h.Type.Size)+element.SizeOf[string](n), input.Reading); err != nil {
		return nil, err
	}
	buf := make([]byte, h.Type.Size)
	var names []string
	for range n {
		if _, err := io.ReadFull(r, buf); err != nil {
			return nil, f.ReadError(h.Size, err)
		}
		word := word(h.Type, buf)
		if err := f.Reserve(int64(len(word))+input.NameBytes, input.Reading); err != nil {
			return nil, err
		}
		names = append(names, word)
	}
	if _, err := io.Copy(io.Discard, r); err != nil { // the checksum
		return nil, f.ReadError(h.Size, err)
	}
	return names, nil
}

// word returns the text of an element without its padding zeros.
func word(d element.Type, b []byte) string {
	if d.Kind == 'S' {
		return strings.TrimRight(string(b), "\x00")
	}
	var s strings.Builder
	for ; len(b) >= 4; b = b[4:] {
		c := binary.LittleEndian.Uint32(b)
		if d.Big {
			c = binary.BigEndian.Uint32(b)
		}
		s.WriteRune(rune(c)) // U+FFFD if it is none
	}
	return strings.TrimRight(s.String(), "\x00")
}

func nameOf(zf *zip.File) string { return strings.TrimSuffix(zf.Name, ".npy") }
