package market_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/internal/text"
	"nmu/internal/matio/matiotest"
)

func TestMtx(t *testing.T) {
	for _, text := range []string{
		"%%MatrixMarket matrix coordinate real general\n2 3 5\n1 2 1\n1 3 2\n2 1 3\n2 2 1e2\n2 3 5\n",
		// Any order, comments, case, an entry in two parts, a zero, a sum of zero.
		"%%matrixmarket MATRIX Coordinate Integer General\n% comment\n\n 2 3 9 \r\n2 3 5\n2\t2  60\n%x\n\n1 1 7\n1 2 1\n1 3 2\n2 1 3\n2 2 40\n1 3 0\n1 1 -7",
		"%%MatrixMarket matrix coordinate unsigned-integer general\n2 3 5\n1 2 1\n1 3 2\n2 1 3\n2 2 100\n2 3 5\n",
	} {
		matiotest.WantSparse(t, matiotest.Write(t, "a.mtx", []byte(text)), "", matiotest.Counts)
		matiotest.WantSparse(t, matiotest.Write(t, "a.mtx.gz", matiotest.Gz([]byte(text))), "", matiotest.Counts)
	}
	matiotest.WantSparse(t, matiotest.Write(t, "a.mtx", []byte("%%MatrixMarket matrix coordinate pattern general\n2 2 3\n1 1\n2 1\n1 1\n")), "",
		matiotest.New(2, 2, []float64{2, 0, 1, 0}))
	matiotest.WantSparse(t, matiotest.Write(t, "a.mtx", []byte("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n2 2 4\n3 1 5\n3 2 6\n")), "",
		matiotest.New(3, 3, []float64{0, 0, 5, 0, 4, 6, 5, 6, 0}))
	matiotest.WantSparse(t, matiotest.Write(t, "a.mtx", []byte("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n")), "",
		matiotest.New(2, 2, []float64{1, 1, 1, 0}))
	matiotest.WantSparse(t, matiotest.Write(t, "a.mtx", []byte("%%MatrixMarket matrix coordinate real general\n2 0 0\n")), "", matiotest.New(2, 0, nil))
	matiotest.WantDense(t, matiotest.Write(t, "a.mtx", []byte("%%MatrixMarket matrix array real general\n2 3\n0\n.75\n.25\n1\n.5\n1.25\n")), "", matiotest.Quarters)
	matiotest.WantDense(t, matiotest.Write(t, "a.mtx", []byte("%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n")), "",
		matiotest.New(3, 3, []float64{1, 2, 3, 2, 4, 5, 3, 5, 6}))
}

// A value that is not zero but too small for float32 is dropped there.
func TestSparseUnderflow(t *testing.T) {
	path := matiotest.Write(t, "a.mtx", []byte("%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1e-60\n1 2 2\n2 1 3\n"))
	_, _, ptr, idx, val, err := matio.Sparse[float32](matiotest.Open(t, path, matio.Options{}))
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
		{"", matio.ErrFormat, "line 1"},
		{"1 1 1\n", matio.ErrFormat, "line 1"},
		{"%%MatrixMarket matrix coordinate real\n", matio.ErrFormat, "three more words"},
		{"%%MatrixMarket vector coordinate real general\n", matio.ErrFormat, "matrix"},
		{"%%MatrixMarket matrix sparse real general\n", matio.ErrFormat, `"sparse"`},
		{"%%MatrixMarket matrix coordinate double general\n", matio.ErrFormat, `"double"`},
		{"%%MatrixMarket matrix coordinate complex general\n", matio.ErrUnsupported, "complex"},
		{"%%MatrixMarket matrix coordinate real hermitian\n", matio.ErrUnsupported, "hermitian"},
		{"%%MatrixMarket matrix coordinate real skew-symmetric\n", matio.ErrUnsupported, "skew"},
		{"%%MatrixMarket matrix coordinate real lower\n", matio.ErrFormat, `"lower"`},
		{"%%MatrixMarket matrix array pattern general\n", matio.ErrFormat, "pattern"},
		{real, matio.ErrFormat, "before the size line"},
		{real + "% only a comment", matio.ErrFormat, "before the size line"},
		{real + "2 3\n", matio.ErrFormat, "line 2"},
		{real + "2 3 -1\n", matio.ErrFormat, `"-1" is not a size`},
		{real + "2 3 1 1\n", matio.ErrFormat, `extra text "1"`},
		{real + "2 3 2\n1 1 1\n", matio.ErrFormat, "line 4: the file ends after 1 of the 2"},
		{real + "2 3 1\n1 1 1\n1 2 1\n", matio.ErrFormat, "line 4: more than the 1"},
		{real + "2 3 1\n3 1 1\n", matio.ErrFormat, `line 3: row "3" is not in 1 to 2`},
		{real + "2 3 1\n0 1 1\n", matio.ErrFormat, `row "0"`},
		{real + "2 3 1\n1 4 1\n", matio.ErrFormat, `column "4"`},
		{real + "2 3 1\n1 99999999999999999999 1\n", matio.ErrFormat, "column"},
		{real + "2 3 1\n1 1\n", matio.ErrFormat, `"" is not a number`},
		{real + "2 3 1\n1 1 x\n", matio.ErrFormat, `"x" is not a number`},
		{real + "2 3 1\n1 1 1 1\n", matio.ErrFormat, "extra text"},
		{ints + "2 3 1\n1 1 1.5\n", matio.ErrFormat, `"1.5"`},
		{sym + "2 3 0\n", matio.ErrFormat, "the size is 2 x 3: a symmetric matrix must be square"},
		{sym + "2 2 1\n1 2\n", matio.ErrFormat, "above the diagonal"},
		{array + "2 1\n1\n", matio.ErrFormat, "after 1 of the 2"},
		{array + "2 1\n1\n2\n3\n", matio.ErrFormat, "more than the 2"},
		{array + "2 1\n1\nx\n", matio.ErrFormat, "line 4"},
		{array + "2 1\n1 2\n", matio.ErrFormat, "extra text"},
		{array + "1000000 1000000000\n1\n", nil, "1000000"},
		{array + "4294967296 4294967296\n", matio.ErrTooLarge, "4294967296"},
		{real + "4294967296 1 0\n", matio.ErrTooLarge, "4294967296"},
		{real + "2000000000 2 1\n1 1 1\n", matio.ErrTooLarge, "2000000000"},
		{real + "2 3 1\n" + strings.Repeat(" ", text.MaxLine) + "1 1 1\n", matio.ErrFormat, "longer"},
	} {
		if c.sentinel == nil {
			c.sentinel = matiotest.TooMany()
		}
		matiotest.WantError(t, matiotest.Write(t, "bad.mtx", []byte(c.text)), matio.Options{}, c.sentinel, c.want)
	}
}

// A matrix of few nonzeros is not made dense, nor are rows counted that the file
// has no bytes for.
func TestSparseTooLarge(t *testing.T) {
	text := "%%MatrixMarket matrix coordinate pattern general\n100000 100000 1\n1 1\n"
	f := matiotest.Open(t, matiotest.Write(t, "a.mtx", []byte(text)), matio.Options{})
	if r, _, _, _, _, err := matio.Sparse[float64](f); err != nil || r != 100000 {
		t.Errorf("Sparse: %v", err)
	}
	matiotest.WantError(t, f.Path(), matio.Options{}, matio.ErrTooLarge, "if it were made dense")
	wide := matiotest.Write(t, "a.mtx", []byte("%%MatrixMarket matrix coordinate pattern general\n2 2000000000 1\n1 2000000000\n"))
	if _, _, _, idx, _, err := matio.Sparse[float64](matiotest.Open(t, wide, matio.Options{})); err != nil || idx[0] != 2000000000-1 {
		t.Errorf("Sparse of a wide matrix: %v", err)
	}
	if _, _, _, _, _, err := matio.Sparse[float64](matiotest.Open(t, wide, matio.Options{Transpose: true})); err == nil || !strings.Contains(err.Error(), "at most 1053") {
		t.Errorf("Sparse of a tall matrix: %v", err)
	}
}

// An index beyond the matrix is an error, even where 32 bits of it would be within.
func TestLargeIndex(t *testing.T) {
	for _, index := range []string{"4294967297", "42949672970", "4294967295", "2147483648", "18446744073709551617"} {
		text := "%%MatrixMarket matrix coordinate real general\n3 2147483647 1\n1 " + index + " 1\n"
		matiotest.WantError(t, matiotest.Write(t, "a.mtx", []byte(text)), matio.Options{}, matio.ErrFormat, "line 3:")
	}
}

// Lines of every form mix in any order, over the ends of buffers. An error names its line,
// however many came before it.
func TestMixedLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const rows, cols, n = 70, 90, 20_000
	want := make([]float64, rows*cols)
	var b strings.Builder
	lines := 2
	fmt.Fprintf(&b, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", rows, cols, n)
	for range n {
		i, j, v := rng.IntN(rows), rng.IntN(cols), float64(rng.IntN(1000))/8
		want[i*cols+j] += v
		form := "%d %d %v\n"
		if rng.IntN(10) == 0 {
			form = []string{"%d %d %v\r\n", " %d %d %v\n", "%d\t%d %v\n", "+%d %d %v\n", "%d %d  %v\n", "%d %d %v \n", "%% x\n%d %d %v\n", "\n%d %d %v\n", "%03d %d %v\n"}[rng.IntN(9)]
		}
		line := fmt.Sprintf(form, i+1, j+1, v)
		lines += strings.Count(line, "\n")
		b.WriteString(line)
	}
	text := b.String()
	matiotest.WantSparse(t, matiotest.Write(t, "a.mtx", []byte(text)), "", matiotest.New(rows, cols, want))
	matiotest.WantSparse(t, matiotest.Write(t, "a.mtx", []byte(strings.TrimRight(text, "\r\n "))), "", matiotest.New(rows, cols, want))
	for _, last := range []string{"71 1 1\n", "1 91 1\n", "0 1 1\n", "1 1 x\n", "1 1 1 1\n", "1 1\n", "-1 1 1\n"} {
		text := strings.Replace(text, "20000\n", "20001\n", 1) + last
		matiotest.WantError(t, matiotest.Write(t, "a.mtx", []byte(text)), matio.Options{}, matio.ErrFormat, fmt.Sprintf("line %d:", lines+1))
	}
}

// Entries that can be read once are kept by no one: they do not pass for none.
func TestSpilled(t *testing.T) {
	path := matiotest.Write(t, "a.mtx", []byte("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1\n"))
	f := matiotest.Open(t, path, matio.Options{Spill: &matio.Spill{Context: t.Context()}})
	_, _, _, _, _, err := matio.Sparse[float64](f)
	matiotest.CheckError(t, err, matio.ErrTooLarge, "reading it needs")
	n := 0
	err = matio.Entries(f, func(int32, int32, float64) error { n++; return nil })
	if err != nil || n != 1 {
		t.Errorf("%d entries, %v", n, err)
	}
}
