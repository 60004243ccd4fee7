package matio_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

// A file of four times the size is read with some four times the memory in all, however it is made: what is
// joined or copied again for each line or member would take sixteen times as much. A byte of a file costs at
// most 256 bytes.
func TestLinear(t *testing.T) {
	double := matiotest.MatDense(matiotest.LE, "x", matiotest.New(1, 1, []float64{1}))
	scalar := matiotest.NpyFile(1, "<f8", false, "(1, 1)", make([]byte, 8))
	zipped := func(n int, name func(i int) string, content []byte) string {
		members := make([]matiotest.Member, n)
		for i := range members {
			members[i] = matiotest.NewMember(name(i), content)
		}
		return string(matiotest.ZipFile(t, false, members...))
	}
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
		{"a.csv", func(n int) string { return "a,b\n" + strings.Repeat("\"\"\"\",1\n", n) }},
		{"a.pgm", func(n int) string { return "P2\n" + strings.Repeat("#\n", n) + "1 1 255\n1\n" }},
		{"a.txt", func(n int) string { return "a b\n" + strings.Repeat("1   2\n", n) }},
		{"a.csv", func(n int) string { return "row,column,value\n" + strings.Repeat("x,y,1\n", n) }},
		{"a.mtx", func(n int) string {
			return "%%MatrixMarket matrix coordinate real general\n" + strings.Repeat("%\n", n) + "1 1 1\n1 1 1\n"
		}},
		{"a.csv.gz", func(n int) string { return strings.Repeat(string(matiotest.Gz([]byte("1,2\n"))), n/8) }},
		{"a.npz", func(n int) string { return zipped(n/64, func(i int) string { return fmt.Sprint(i, ".npy") }, scalar) }},
		{"a.npz", func(n int) string { return zipped(n/64, func(i int) string { return fmt.Sprint(i) }, nil) }},
		{"a.mat", func(n int) string { return string(matiotest.MatFile5(matiotest.LE, bytes.Repeat(double, n/64))) }},
		{"a.mat", func(n int) string {
			return string(matiotest.MatFile5(matiotest.LE, bytes.Repeat(matiotest.Deflated(matiotest.LE, double), n/64)))
		}},
	} {
		var took [2]uint64
		for k, n := range []int{20_000, 80_000} {
			text := c.text(n)
			path := matiotest.Write(t, c.name, []byte(text))
			if c.name == "a.pgm" {
				path = filepath.Dir(path)
			}
			if raster, ok := strings.CutSuffix(path, ".hdr"); ok {
				must.Do(t, os.WriteFile(raster, []byte{1}, 0o666))
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_ = matiotest.ReadAll(path, matio.Options{MaxMemory: 1 << 30})
			runtime.ReadMemStats(&after)
			took[k] = after.TotalAlloc - before.TotalAlloc
		}
		if size := uint64(len(c.text(80_000))); took[1] > 8*took[0] || took[1] > 256*size {
			t.Errorf("%s, %.40q: %d bytes, and %d for four times the size, which is %d", c.name, c.text(80_000), took[0], took[1], size)
		}
	}
}
