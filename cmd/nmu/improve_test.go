package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"nmu/internal/literal"
	"nmu/internal/must"
	"nmu/internal/record"
	"nmu/lnmu"
)

// TestImproveScale: the scale of a sparse matrix is that of the definition, from its files.
func TestImproveScale(t *testing.T) {
	dir := t.TempDir()
	sampled(t, dir)
	t.Chdir(dir)
	out := filepath.Join(t.TempDir(), "out")
	rep := parseReport(t, []byte(succeed(t, "factor", "tall.mtx", "--method", "gnmu", "--improve", "--rank", "2", "--iterations", "5", "--restarts", "1", "--out", out, "--json")))
	m := must.Get(readFactor[float64]("tall.npy"))(t)
	v, w := factorIn[float64](t, out, record.NameV), factorIn[float64](t, out, record.NameW)
	p, scaled := literal.Complete(m), literal.Clone(v)
	p.Scale(scaled, w)
	scale := math.Pow(literal.Sum(scaled)/literal.Sum(v), 2)
	if e := math.Sqrt(p.Squares(scaled, w)) / p.Norm(); math.Abs(rep.Improved.Scale-scale) > 1e-12*scale || math.Abs(rep.Improved.ScaledError-e) > 1e-12 {
		t.Errorf("%+v, want the scale %v", rep.Improved, scale)
	}
}

// TestImproveWithoutPenalties: --improve measures NMF itself, whatever penalties led to the zeros, and keeps
// fixed factors.
func TestImproveWithoutPenalties(t *testing.T) {
	dir := t.TempDir()
	sampled(t, dir)
	t.Chdir(dir)
	m := must.Get(readFactor[float64]("tall.npy"))(t)
	for _, c := range []struct {
		flags    string
		by       lnmu.NMF
		settings lnmu.Settings
	}{
		{"--method nmf --l2-v 5 --l2-w 5", lnmu.NMF{}, lnmu.Settings{}},
		{"--method nmf --l2-v 5 --l2-w 5 --solver accelerated --sweeps 2", lnmu.NMF{Solver: lnmu.SolverAccelerated, Sweeps: 2}, lnmu.Settings{}},
		{"--method snmf --penalty-v 2 --penalty-w 2 --l2-v 5 --l2-w 5", lnmu.NMF{}, lnmu.Settings{}},
		{"--method gnmu --baseline", lnmu.NMF{}, lnmu.Settings{Baseline: true}},
	} {
		out := filepath.Join(t.TempDir(), "out")
		args := strings.Fields("factor tall.npy --improve --rank 3 --iterations 20 --restarts 1 --json --quiet " + c.flags + " --out " + out)
		rep := parseReport(t, []byte(succeed(t, args...)))
		want := must.Get((&lnmu.Result[float64]{V: factorIn[float64](t, out, record.NameV), W: factorIn[float64](t, out, record.NameW)}).Improve(t.Context(), m, c.by, &c.settings))(t)
		if rep.Improved.Error != want.RelativeError || !(rep.Improved.Error < rep.Improved.ScaledError) {
			t.Errorf("%s: improved %v, want %v, scaled %v", c.flags, rep.Improved.Error, want.RelativeError, rep.Improved.ScaledError)
		}
	}
}

// TestImproveRefused: --improve needs memory of its own.
func TestImproveRefused(t *testing.T) {
	large := largeFile(t)
	args := []string{"factor", large, "--rank", "2", "--method", "nmf", "--threads", "1", "--restarts", "1", "--memory"}
	without := fmt.Sprint(needed(t, append(args, "5MB")...), "B")
	fails(t, []string{"and --improve, needs", "the limit is "}, append(args, without, "--improve")...)
}
