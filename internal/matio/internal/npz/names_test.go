package npz_test

import (
	"slices"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
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
	data := matiotest.NewMember("X.npy", matiotest.NpyFile(1, "<f8", false, "(2, 3)", matiotest.BytesOf(matiotest.Quarters.Data, "<f8")))
	rows := matiotest.NewMember("index.npy", matiotest.NpyFile(1, "<U3", false, "(2,)", ucs4(false, 3, "äb", "c𝛼d")))
	cols := matiotest.NewMember("columns.npy", matiotest.NpyFile(1, "|S2", false, "(3,)", []byte("a\x00bbc\x00")))
	vocabulary := matiotest.NewMember("vocabulary.npy", matiotest.NpyFile(1, ">U1", false, "(3,)", ucs4(true, 1, "x", "y", "")))
	for _, c := range []struct {
		members    []matiotest.Member
		rows, cols []string
		note       string
	}{
		{members: []matiotest.Member{data, rows, cols, vocabulary}, rows: []string{"äb", "c𝛼d"}, cols: []string{"a", "bb", "c"}, note: "vocabulary"},
		{members: []matiotest.Member{data, vocabulary}, cols: []string{"x", "y", ""}},
		{members: []matiotest.Member{data, matiotest.NewMember("columns.npy", matiotest.NpyFile(1, "<f8", false, "(3,)", matiotest.BytesOf([]float64{1, 2, 3}, "<f8")))}, note: "columns"},
		{members: []matiotest.Member{data, matiotest.NewMember("index.npy", matiotest.NpyFile(1, "<U1", false, "(3,)", ucs4(false, 1, "a", "b", "c")))}, note: "index"},
	} {
		for _, deflate := range []bool{false, true} {
			path := matiotest.Write(t, "a.npz", matiotest.ZipFile(t, deflate, c.members...))
			f := matiotest.Open(t, path, matio.Options{Var: "X"})
			if !slices.Equal(f.RowNames(), c.rows) || !slices.Equal(f.ColNames(), c.cols) {
				t.Errorf("rows %q, columns %q, want %q and %q", f.RowNames(), f.ColNames(), c.rows, c.cols)
			}
			if got := strings.Join(f.Notes(), "; "); (got != "") != (c.note != "") || !strings.Contains(got, c.note) {
				t.Errorf("notes %q, want one of %q", got, c.note)
			}
			f = matiotest.Open(t, path, matio.Options{Var: "X", Transpose: true})
			if !slices.Equal(f.RowNames(), c.cols) || !slices.Equal(f.ColNames(), c.rows) {
				t.Errorf("transposed: rows %q, columns %q", f.RowNames(), f.ColNames())
			}
		}
	}
	// Text is not taken for numbers: the only matrix needs no name.
	f := matiotest.Open(t, matiotest.Write(t, "a.npz", matiotest.ZipFile(t, true, data, rows)), matio.Options{})
	must.EqualSlices(t, f.RowNames(), []string{"äb", "c𝛼d"}, "rows")
	short := matiotest.NewMember("index.npy", matiotest.NpyFile(1, "<U3", false, "(2,)", ucs4(false, 3, "a")))
	matiotest.WantError(t, matiotest.Write(t, "a.npz", matiotest.ZipFile(t, true, data, short)), matio.Options{}, matio.ErrFormat, "index")
}
