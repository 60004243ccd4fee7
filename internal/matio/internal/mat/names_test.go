package mat_test

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

// TestNamesAreReadBack: the names of a matrix that WriteMat has written, and no other ones.
func TestNamesAreReadBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mat")
	v := matio.Labelled[float64]{Rows: 2, Cols: 1, Stride: 1, Data: []float64{1, 2}, RowNames: []string{"a row", ""}}
	w := matio.Labelled[float64]{Rows: 1, Cols: 3, Stride: 3, Data: []float64{1, 2, 3}, ColNames: []string{"x", "Ωm²", "a longer name"}}
	must.Do(t, matiotest.WriteMat(path, matio.Variable[float64]{Name: "V", Labelled: v}, matio.Variable[float64]{Name: "W", Labelled: w}))
	for name, want := range map[string]matio.Labelled[float64]{"V": v, "W": w} {
		f := matiotest.Open(t, path, matio.Options{Var: name})
		if !slices.Equal(f.RowNames(), want.RowNames) || !slices.Equal(f.ColNames(), want.ColNames) || len(f.Notes()) > 0 {
			t.Errorf("%s: rows %q, columns %q, notes %q", name, f.RowNames(), f.ColNames(), f.Notes())
		}
		f = matiotest.Open(t, path, matio.Options{Var: name, Transpose: true})
		if !slices.Equal(f.RowNames(), want.ColNames) || !slices.Equal(f.ColNames(), want.RowNames) {
			t.Errorf("%s transposed: rows %q, columns %q", name, f.RowNames(), f.ColNames())
		}
	}
}

// TestNamesOfOtherPrograms: strings in 16-bit characters, compressed; names that do not fit are
// noted, and damaged ones do not stop the matrix.
func TestNamesOfOtherPrograms(t *testing.T) {
	for _, o := range []binary.AppendByteOrder{matiotest.LE, matiotest.BE} {
		text := func(s string) []byte {
			var b []byte
			units := utf16.Encode([]rune(s))
			for _, u := range units {
				b = o.AppendUint16(b, u)
			}
			return matiotest.MatArrayElement(o, "", [2]uint32{4, 0}, []uint32{1, uint32(len(units))}, matiotest.MatPart(o, true, 4, b))
		}
		cell := func(name string, rows, cols uint32, cells ...[]byte) []byte {
			return matiotest.MatArrayElement(o, name, [2]uint32{1, 0}, []uint32{rows, cols}, bytes.Join(cells, nil))
		}
		x := matiotest.MatDense(o, "x", matiotest.Quarters) // 2 x 3
		number := matiotest.MatDense(o, "", matiotest.Quarters)
		for _, c := range []struct {
			rows, cols []byte
			want       []string // of the rows
			note       string
		}{
			{cell("x_rows", 2, 1, text("one"), text("Ω 2")), cell("x_cols", 1, 3, text("a"), text("b"), text("c")), []string{"one", "Ω 2"}, ""},
			{cell("x_rows", 1, 2, text("one"), text("")), cell("x_cols", 3, 1, text("a"), text("b"), text("c")), []string{"one", ""}, ""},
			{cell("x_rows", 3, 1, text("a"), text("b"), text("c")), cell("x_cols", 1, 3, text("a"), text("b"), text("c")), nil, "are not names for x"},
			{cell("x_rows", 2, 1, text("one"), number), cell("x_cols", 1, 3, text("a"), text("b"), text("c")), nil, "cannot be read"},
			{cell("x_rows", 2, 1, text("one")), cell("x_cols", 1, 3, text("a"), text("b"), text("c")), nil, "cannot be read"},
			{matiotest.MatDense(o, "x_rows", matiotest.Quarters), cell("x_cols", 1, 3, text("a"), text("b"), text("c")), nil, ""},
		} {
			for _, packed := range []bool{false, true} {
				file := matiotest.MatFile5(o, x, c.rows, c.cols)
				if packed {
					file = matiotest.MatFile5(o, matiotest.Deflated(o, c.rows), matiotest.Deflated(o, c.cols), matiotest.Deflated(o, x))
				}
				path := matiotest.Write(t, "a.mat", file)
				f := matiotest.Open(t, path, matio.Options{Var: "x"})
				notes := strings.Join(f.Notes(), "; ")
				if !slices.Equal(f.RowNames(), c.want) || !slices.Equal(f.ColNames(), []string{"a", "b", "c"}) || !strings.Contains(notes, c.note) || (notes == "") != (c.note == "") {
					t.Errorf("packed %v: rows %q, columns %q, notes %q, want %q", packed, f.RowNames(), f.ColNames(), notes, c.note)
				}
				matiotest.WantDense(t, path, "x", matiotest.Quarters)
			}
		}
	}
}
