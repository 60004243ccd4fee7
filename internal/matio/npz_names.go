package matio

import (
	"archive/zip"
	"encoding/binary"
	"io"
	"strconv"
	"strings"
)

// word reads the type of an array of text: U for UCS-4 characters, S for bytes.
func (p *npyParser) word(h *npyHeader, s, rest string) error {
	n, err := strconv.ParseUint(rest[1:], 10, 28)
	if err != nil || rest[0] != 'U' && rest[0] != 'S' {
		return p.f.unsupported("elements of type %q are no text", s)
	}
	h.dt.kind, h.dt.size = rest[0], int(n)
	if rest[0] == 'U' {
		h.dt.size *= 4
	}
	return nil
}

// mostWord is the longest name in bytes.
const mostWord = 1 << 16

// npzNames looks for the names of the rows and columns among the members.
func npzNames(f *input, find func(string) *zip.File) error {
	for _, x := range []struct {
		member     string
		rows, cols bool
	}{{"index", true, false}, {"columns", false, true}, {"vocabulary", true, true}} {
		zf := find(x.member)
		if zf == nil || f.variable == x.member {
			continue
		}
		rows, cols := x.rows && f.rowNames == nil, x.cols && f.colNames == nil
		names, err := words(f, zf, func(n int64) bool { return rows && n == int64(f.rows) || cols && n == int64(f.cols) })
		switch {
		case err != nil:
			return err
		case names == nil:
			f.note("member %s, which is no array of text with a name for each row or column, names nothing", x.member)
		case cols && len(names) == f.cols:
			f.colNames = names
		default:
			f.rowNames = names
		}
	}
	return nil
}

// words returns an array of text of one dimension and a length that fits, or nil if
// the member is another.
func words(f *input, zf *zip.File, fits func(n int64) bool) ([]string, error) {
	defer f.in("member " + npzName(zf))()
	r, err := zf.Open()
	if err != nil {
		return nil, f.readError(0, err)
	}
	defer r.Close()
	h, err := parseNpyHeader(f, r, int64(zf.UncompressedSize64), true)
	if err != nil || len(h.shape) != 1 || !fits(h.shape[0]) || h.dt.size > mostWord {
		return nil, nil
	}
	n := h.shape[0]
	bytes, ok := mul(n, int64(h.dt.size))
	if !ok || bytes != int64(zf.UncompressedSize64)-h.size {
		return nil, f.bad(h.size, "the header claims %d words of %d bytes, but %d bytes follow it", n, h.dt.size, int64(zf.UncompressedSize64)-h.size)
	}
	if err := f.Reserve(int64(h.dt.size)+sizeOf[string](n), reading); err != nil {
		return nil, err
	}
	buf := make([]byte, h.dt.size)
	var names []string
	for range n {
		if _, err := io.ReadFull(r, buf); err != nil {
			return nil, f.readError(h.size, err)
		}
		word := h.dt.word(buf)
		if err := f.Reserve(int64(len(word))+stringBytes, reading); err != nil {
			return nil, err
		}
		names = append(names, word)
	}
	if _, err := io.Copy(io.Discard, r); err != nil { // the checksum
		return nil, f.readError(h.size, err)
	}
	return names, nil
}

// word returns the text of an element without the zeros that fill it up.
func (d dtype) word(b []byte) string {
	if d.kind == 'S' {
		return strings.ToValidUTF8(strings.TrimRight(string(b), "\x00"), "\ufffd")
	}
	var s strings.Builder
	for ; len(b) >= 4; b = b[4:] {
		c := binary.LittleEndian.Uint32(b)
		if d.big {
			c = binary.BigEndian.Uint32(b)
		}
		s.WriteRune(rune(c)) // U+FFFD if it is none
	}
	return strings.TrimRight(s.String(), "\x00")
}
