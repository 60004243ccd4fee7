package main

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"nmu/internal/record"
	"nmu/lnmu"
)

// TestWeightsSpan: result.json records the solver that follows from the weights where M is
// observed.
func TestWeightsSpan(t *testing.T) {
	m, weights := lnmu.NewDense[float64](12, 9, nil), lnmu.NewDense[float64](12, 9, nil)
	for x := range m.Data {
		m.Data[x], weights.Data[x] = float64(x*x%17+1), float64(1+x%3)
	}
	m.Row(4)[4], weights.Row(4)[4] = math.NaN(), 1e9
	dir := t.TempDir()
	input, by := filepath.Join(dir, "m.npy"), filepath.Join(dir, "weights.npy")
	for _, c := range []struct {
		at1, at2 float64 // weights of two entries that are observed
		method   string
		want     lnmu.Choice
	}{{1, 3, "nmf", lnmu.MissingMajorize}, {1, 3, "gnmu", lnmu.MissingExact}, {1e-3, 3, "nmf", lnmu.MissingExact}, {1, 1e6, "snmf --penalty-v 0.1 --penalty-w 0.1", lnmu.MissingExact}, {1, 1e6, "kl", lnmu.MissingMajorize}} {
		weights.Row(0)[0], weights.Row(11)[8] = c.at1, c.at2
		writeMatrix(t, input, m)
		writeMatrix(t, by, weights)
		rep, _ := noted[record.Factor](t, append([]string{"factor", input, "--missing", "allow", "--weights", by, "--rank", "2", "--iterations", "5", "--restarts", "1", "--method"}, strings.Fields(c.method)...)...)
		if rep.MissingSolver != string(c.want) || !rep.Partial.Weighted {
			t.Errorf("%+v: %q, %+v", c, rep.MissingSolver, rep.Partial)
		}
	}
}
