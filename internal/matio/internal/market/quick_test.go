package market_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/market"
	"nmu/internal/matio/matiotest"
)

// Numbers in every usual form have the bits that element.Parse gives them. What it rejects is no
// number.
func TestNumber(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("0 -0 00 1 -1 +1 .5 5. -.5e-3 1e22 1e23 1e-22 1e-23 1e+05 1E+05 1e5 1e005 1e+5 1e+ 1e 1e+0x 1e- e+10 . - -. -e+10 1.2.3 1,5 0x1p4 0X10 1_0 1.5D+02 1D5 " +
		"nan inf -Inf 9007199254740992 9007199254740993 9007199254740991e+22 900719925474099.1e-07 123456789012345678 1234567890123456789 12345678901234567890 " +
		"0.000000000000000001 0.0000000000000000012 1e999 -1e999 1e-400 179769313486231570000000000000000000000000e+99")
	for range 20_000 {
		x := math.Float64frombits(rng.Uint64())
		if rng.IntN(2) > 0 {
			x = math.Log1p(float64(rng.IntN(1000)))
		}
		format := []byte{'e', 'f', 'g'}[rng.IntN(3)]
		if word := strconv.FormatFloat(x, format, rng.IntN(19)-1, 64); len(word) < 40 {
			words = append(words, word)
		}
	}
	for _, word := range words {
		want, err := element.Parse(word)
		got, size := market.Number([]byte(word + "\n"))
		if err != nil && size != 0 || err == nil && (size != len(word) || math.Float64bits(got) != math.Float64bits(want)) {
			t.Errorf("%q is read as %v, %d bytes; want %v, %v", word, got, size, want, err)
		}
		if _, size := market.Number([]byte(word)); size != 0 {
			t.Errorf("%q without an end has %d bytes: want 0, for the rest may follow", word, size)
		}
	}
}

// An index beyond the matrix is an error, even where 32 bits of it would be within.
func TestLargeIndex(t *testing.T) {
	for _, index := range []string{"4294967297", "42949672970", "4294967295", "2147483648", "18446744073709551617"} {
		text := "%%MatrixMarket matrix coordinate real general\n3 2147483647 1\n1 " + index + " 1\n"
		matiotest.WantError(t, matiotest.Write(t, "a.mtx", []byte(text)), matio.Options{}, matio.ErrFormat, "line 3:")
	}
}

// Lines of the usual form and others mix in any order, over the ends of buffers. An error names
// its line, however many came before it.
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
