package matio

import (
	"strings"
	"testing"

	"nmu/internal/matio/internal/text"
)

func TestMtx(t *testing.T) {
	for _, text := range []string{
		"%%MatrixMarket matrix coordinate real general\n2 3 5\n1 2 1\n1 3 2\n2 1 3\n2 2 1e2\n2 3 5\n",
		// Any order, comments, case, an entry in two parts, a zero, a sum of zero.
		"%%matrixmarket MATRIX Coordinate Integer General\n% comment\n\n 2 3 9 \r\n2 3 5\n2\t2  60\n%x\n\n1 1 7\n1 2 1\n1 3 2\n2 1 3\n2 2 40\n1 3 0\n1 1 -7",
		"%%MatrixMarket matrix coordinate unsigned-integer general\n2 3 5\n1 2 1\n1 3 2\n2 1 3\n2 2 100\n2 3 5\n",
	} {
		wantSparse(t, write(t, "a.mtx", []byte(text)), "", counts)
		wantSparse(t, write(t, "a.mtx.gz", gz(t, []byte(text))), "", counts)
	}
	wantSparse(t, write(t, "a.mtx", []byte("%%MatrixMarket matrix coordinate pattern general\n2 2 3\n1 1\n2 1\n1 1\n")), "",
		matrix{2, 2, []float64{2, 0, 1, 0}})
	wantSparse(t, write(t, "a.mtx", []byte("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n2 2 4\n3 1 5\n3 2 6\n")), "",
		matrix{3, 3, []float64{0, 0, 5, 0, 4, 6, 5, 6, 0}})
	wantSparse(t, write(t, "a.mtx", []byte("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n")), "",
		matrix{2, 2, []float64{1, 1, 1, 0}})
	wantSparse(t, write(t, "a.mtx", []byte("%%MatrixMarket matrix coordinate real general\n2 0 0\n")), "", matrix{2, 0, nil})
	wantDense(t, write(t, "a.mtx", []byte("%%MatrixMarket matrix array real general\n2 3\n0\n.75\n.25\n1\n.5\n1.25\n")), "", quarters)
	wantDense(t, write(t, "a.mtx", []byte("%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n")), "",
		matrix{3, 3, []float64{1, 2, 3, 2, 4, 5, 3, 5, 6}})
}

// A value that is not zero but too small for float32 is dropped there.
func TestSparseUnderflow(t *testing.T) {
	path := write(t, "a.mtx", []byte("%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1e-60\n1 2 2\n2 1 3\n"))
	_, _, ptr, idx, val, err := Sparse[float32](open(t, path, Options{}))
	if err != nil || len(val) != 2 || len(idx) != 2 || ptr[1] != 1 || ptr[2] != 2 || idx[0] != 1 || idx[1] != 0 || val[0] != 2 || val[1] != 3 {
		t.Errorf("Sparse[float32] = %v %v %v, %v", ptr, idx, val, err)
	}
}

func TestMtxErrors(t *testing.T) {
	const real, ints, sym, array = "%%MatrixMarket matrix coordinate real general\n", "%%MatrixMarket matrix coordinate integer general\n",
		"%%MatrixMarket matrix coordinate pattern symmetric\n", "%%MatrixMarket matrix array real general\n"
	for _, c := range []struct {
		text     string
		sentinel error
		want     string
	}{
		{"", ErrFormat, "line 1"},
		{"1 1 1\n", ErrFormat, "line 1"},
		{"%%MatrixMarket matrix coordinate real\n", ErrFormat, "three more words"},
		{"%%MatrixMarket vector coordinate real general\n", ErrFormat, "matrix"},
		{"%%MatrixMarket matrix sparse real general\n", ErrFormat, `"sparse"`},
		{"%%MatrixMarket matrix coordinate double general\n", ErrFormat, `"double"`},
		{"%%MatrixMarket matrix coordinate complex general\n", ErrUnsupported, "complex"},
		{"%%MatrixMarket matrix coordinate real hermitian\n", ErrUnsupported, "hermitian"},
		{"%%MatrixMarket matrix coordinate real skew-symmetric\n", ErrUnsupported, "skew"},
		{"%%MatrixMarket matrix coordinate real lower\n", ErrFormat, `"lower"`},
		{"%%MatrixMarket matrix array pattern general\n", ErrFormat, "pattern"},
		{real, ErrFormat, "before the line of sizes"},
		{real + "% only a comment", ErrFormat, "before the line of sizes"},
		{real + "2 3\n", ErrFormat, "line 2"},
		{real + "2 3 -1\n", ErrFormat, `"-1" is not a size`},
		{real + "2 3 1 1\n", ErrFormat, `"1" follows`},
		{real + "2 3 2\n1 1 1\n", ErrFormat, "line 4: the file ends after 1 of the 2"},
		{real + "2 3 1\n1 1 1\n1 2 1\n", ErrFormat, "line 4: more than the 1"},
		{real + "2 3 1\n3 1 1\n", ErrFormat, `line 3: row "3" is not in 1 to 2`},
		{real + "2 3 1\n0 1 1\n", ErrFormat, `row "0"`},
		{real + "2 3 1\n1 4 1\n", ErrFormat, `column "4"`},
		{real + "2 3 1\n1 99999999999999999999 1\n", ErrFormat, "column"},
		{real + "2 3 1\n1 1\n", ErrFormat, `"" is not a number`},
		{real + "2 3 1\n1 1 x\n", ErrFormat, `"x" is not a number`},
		{real + "2 3 1\n1 1 1 1\n", ErrFormat, "follows"},
		{ints + "2 3 1\n1 1 1.5\n", ErrFormat, `"1.5"`},
		{sym + "2 3 0\n", ErrFormat, "symmetric matrix of 2 x 3"},
		{sym + "2 2 1\n1 2\n", ErrFormat, "above the diagonal"},
		{array + "2 1\n1\n", ErrFormat, "after 1 of the 2"},
		{array + "2 1\n1\n2\n3\n", ErrFormat, "more than the 2"},
		{array + "2 1\n1\nx\n", ErrFormat, "line 4"},
		{array + "2 1\n1 2\n", ErrFormat, "follows"},
		{array + "1000000 1000000000\n1\n", nil, "1000000"},
		{array + "4294967296 4294967296\n", ErrTooLarge, "4294967296"},
		{real + "4294967296 1 0\n", ErrTooLarge, "4294967296"},
		{real + "2000000000 2 1\n1 1 1\n", ErrTooLarge, "2000000000"},
		{real + "2 3 1\n" + strings.Repeat(" ", text.MaxLine) + "1 1 1\n", ErrFormat, "longer"},
	} {
		if c.sentinel == nil {
			c.sentinel = tooMany()
		}
		wantError(t, write(t, "bad.mtx", []byte(c.text)), Options{}, c.sentinel, c.want)
	}
}

// A matrix of few nonzeros is not made dense, nor are rows counted that the file
// has no bytes for.
func TestSparseTooLarge(t *testing.T) {
	text := "%%MatrixMarket matrix coordinate pattern general\n100000 100000 1\n1 1\n"
	f := open(t, write(t, "a.mtx", []byte(text)), Options{})
	if r, _, _, _, _, err := Sparse[float64](f); err != nil || r != 100000 {
		t.Errorf("Sparse: %v", err)
	}
	wantError(t, f.Path(), Options{}, ErrTooLarge, "if it were made dense")
	wide := write(t, "a.mtx", []byte("%%MatrixMarket matrix coordinate pattern general\n2 2000000000 1\n1 2000000000\n"))
	if _, _, _, idx, _, err := Sparse[float64](open(t, wide, Options{})); err != nil || idx[0] != 2000000000-1 {
		t.Errorf("Sparse of a wide matrix: %v", err)
	}
	if _, _, _, _, _, err := Sparse[float64](open(t, wide, Options{Transpose: true})); err == nil || !strings.Contains(err.Error(), "at most 1053") {
		t.Errorf("Sparse of a tall matrix: %v", err)
	}
}
