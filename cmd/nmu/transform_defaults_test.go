package main

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"nmu/cmd/internal/record"
)

// TestTransformDefaults: the settings of a run are those of the weights in its basis, unless the command
// line says otherwise. A file with V has none.
func TestTransformDefaults(t *testing.T) {
	dir := t.TempDir()
	input := textFile(t, "counts.csv", "word,a,b,c,d\nred,5,0,1,7\ngreen,3,2,0,4\nblue,0,6,4,1\nwhite,1,8,5,0\n")
	holes := textFile(t, "holes.csv", "word,a,b,c,d\nred,5,0,1,7\ngreen,3,,0,4\nblue,0,6,4,1\nwhite,1,8,5,\n")
	kl, sums, gaps, out := filepath.Join(dir, "kl"), filepath.Join(dir, "sums"), filepath.Join(dir, "gaps"), filepath.Join(dir, "out")
	succeed(t, "factor", input, "--rank", "2", "--method", "kl", "--scale", "topics", "--restarts", "1", "--out", kl)
	succeed(t, "factor", input, "--rank", "2", "--method", "nmf", "--sum-to-one", "w", "--restarts", "1", "--out", sums)
	succeed(t, "factor", holes, "--rank", "2", "--method", "nmf", "--missing", "allow", "--restarts", "1", "--out", gaps)
	for _, c := range []struct {
		basis, input, args        string
		divergence, sum, mixtures bool
		missing                   int
	}{
		{kl, input, "", true, false, true, 0},
		{kl, input, "--divergence=false", false, false, true, 0},
		{filepath.Join(kl, record.NameV), input, "", false, false, false, 0},
		{sums, input, "", false, true, false, 0},
		{sums, input, "--sum-to-one=false", false, false, false, 0},
		{sums, input, "--divergence", true, false, false, 0},
		{sums, input, "--under", false, false, false, 0},
		{gaps, holes, "", false, false, false, 2},
		{gaps, holes, "--missing zero", false, false, false, 0},
	} {
		rep := parsed[record.Transform](t, succeed(t, append([]string{"transform", c.basis, c.input, "--out", out, "--json"}, strings.Fields(c.args)...)...))
		if rep.ByDivergence != c.divergence || rep.SumToOne != c.sum || rep.Missing != c.missing || there(filepath.Join(out, record.NameMixtures)) != c.mixtures {
			t.Errorf("%s %s: divergence %v, sum to one %v, %d missing entries, want %+v", c.basis, c.args, rep.ByDivergence, rep.SumToOne, rep.Missing, c)
		}
		if w := factorIn[float64](t, out, record.NameW); c.sum && math.Abs(w.At(0, 1)+w.At(1, 1)-1) > 1e-12 {
			t.Errorf("%s %s: a column adds up to %v", c.basis, c.args, w.At(0, 1)+w.At(1, 1))
		}
	}
}

// TestTransformExchanged: a BASIS with more columns than INPUT, which exchanged arguments have, is noted.
func TestTransformExchanged(t *testing.T) {
	script(t, `
-- v.csv 1,0\n0,2\n3,1\n
-- m.csv 1,2,3\n4,5,6\n7,8,9\n
transform v.csv m.csv | notes no: exchanged
transform m.csv v.csv | notes: BASIS has 3 columns and INPUT has 2
`)
}
