package matio

import (
	"slices"
	"strings"
	"testing"
)

// ucs4 is text as NumPy keeps it, in words of n characters.
func ucs4(big bool, n int, words ...string) []byte {
	var b []byte
	for _, word := range words {
		runes := append([]rune(word), make([]rune, n)...)[:n]
		for _, c := range runes {
			if big {
				b = append(b, byte(c>>24), byte(c>>16), byte(c>>8), byte(c))
			} else {
				b = append(b, byte(c), byte(c>>8), byte(c>>16), byte(c>>24))
			}
		}
	}
	return b
}

func TestNpzNames(t *testing.T) {
	data := member{"X.npy", npyFile(1, "<f8", false, "(2, 3)", bytesOf(quarters.data, "<f8"))}
	rows := member{"index.npy", npyFile(1, "<U3", false, "(2,)", ucs4(false, 3, "äb", "c𝛼d"))}
	cols := member{"columns.npy", npyFile(1, "|S2", false, "(3,)", []byte("a\x00bbc\x00"))}
	vocabulary := member{"vocabulary.npy", npyFile(1, ">U1", false, "(3,)", ucs4(true, 1, "x", "y", ""))}
	for _, c := range []struct {
		members    []member
		rows, cols []string
		note       string
	}{
		{members: []member{data, rows, cols, vocabulary}, rows: []string{"äb", "c𝛼d"}, cols: []string{"a", "bb", "c"}, note: "vocabulary"},
		{members: []member{data, vocabulary}, cols: []string{"x", "y", ""}},
		{members: []member{data, {"columns.npy", npyFile(1, "<f8", false, "(3,)", bytesOf([]float64{1, 2, 3}, "<f8"))}}, note: "columns"},
		{members: []member{data, {"index.npy", npyFile(1, "<U1", false, "(3,)", ucs4(false, 1, "a", "b", "c"))}}, note: "index"},
	} {
		for _, deflate := range []bool{false, true} {
			path := write(t, "a.npz", zipFile(t, deflate, c.members...))
			f := open(t, path, Options{Var: "X"})
			if !slices.Equal(f.RowNames(), c.rows) || !slices.Equal(f.ColNames(), c.cols) {
				t.Errorf("rows %q, columns %q, want %q and %q", f.RowNames(), f.ColNames(), c.rows, c.cols)
			}
			if got := strings.Join(f.Notes(), "; "); (got != "") != (c.note != "") || !strings.Contains(got, c.note) {
				t.Errorf("notes %q, want one of %q", got, c.note)
			}
			f = open(t, path, Options{Var: "X", Transpose: true})
			if !slices.Equal(f.RowNames(), c.cols) || !slices.Equal(f.ColNames(), c.rows) {
				t.Errorf("transposed: rows %q, columns %q", f.RowNames(), f.ColNames())
			}
		}
	}
	// Text is not taken for numbers: the only matrix needs no name.
	f := open(t, write(t, "a.npz", zipFile(t, true, data, rows)), Options{})
	if want := []string{"äb", "c𝛼d"}; !slices.Equal(f.RowNames(), want) {
		t.Errorf("rows %q, want %q", f.RowNames(), want)
	}
	short := member{"index.npy", npyFile(1, "<U3", false, "(2,)", ucs4(false, 3, "a"))}
	wantError(t, write(t, "a.npz", zipFile(t, true, data, short)), Options{}, ErrFormat, "index")
}
