package matio_test

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
)

// A text of four times the size is read with some four times the memory in all, however its lines are made: what is
// joined or copied again for each line would take sixteen times as much.
func TestLinear(t *testing.T) {
	const header = "ENVI\nsamples = 1\nlines = 1\nbands = 1\ndata type = 1\ninterleave = bsq\n"
	for _, c := range []struct {
		name string
		text func(n int) string
	}{
		{"a.hdr", func(n int) string { return header + "description = {" + strings.Repeat("\n{}", n) + "}\n" }},
		{"a.hdr", func(n int) string { return header + "description = {" + strings.Repeat("\n{", n) }},
		{"a.hdr", func(n int) string { return header + strings.Repeat("x = {\n}\n", n) }},
		{"a.csv", func(n int) string { return strings.Repeat("a,", n) + "a\n" + strings.Repeat("1,", n) + "1\n" }},
		{"a.csv", func(n int) string { return strings.Repeat("# x\n", n) + "a,b\n1,2\n" }},
		{"a.csv", func(n int) string { return "a,b\n" + strings.Repeat("\n\n", n) + "1,2\n" }},
		{"a.csv", func(n int) string { return "a,b\n" + strings.Repeat("1,\"\"\"\"\n", n) }},
		{"a.txt", func(n int) string { return "a b\n" + strings.Repeat("1   2\n", n) }},
		{"a.csv", func(n int) string { return "row,column,value\n" + strings.Repeat("x,y,1\n", n) }},
		{"a.mtx", func(n int) string {
			return "%%MatrixMarket matrix coordinate real general\n" + strings.Repeat("%\n", n) + "1 1 1\n1 1 1\n"
		}},
	} {
		var took [2]uint64
		for k, n := range []int{20_000, 80_000} {
			path := matiotest.Write(t, c.name, []byte(c.text(n)))
			if err := os.WriteFile(strings.TrimSuffix(path, ".hdr"), []byte{1}, 0o666); c.name == "a.hdr" && err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_ = matiotest.ReadAll(path, matio.Options{MaxMemory: 1 << 30})
			runtime.ReadMemStats(&after)
			took[k] = after.TotalAlloc - before.TotalAlloc
		}
		if took[1] > 8*took[0] {
			t.Errorf("%s, %.40q: %d bytes, and %d for four times the size", c.name, c.text(10), took[0], took[1])
		}
	}
}
