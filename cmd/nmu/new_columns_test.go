package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nmu/cmd/internal/exit"
	"nmu/internal/literal"
	"nmu/internal/must"
	"nmu/internal/record"
	"nmu/lnmu"
	"nmu/lnmu/factors"
)

// stream writes batches of columns of a planted matrix to the working directory, and returns them.
func stream(t *testing.T, rows, cols, batches int) (all []lnmu.Dense[float64]) {
	t.Helper()
	const rank = 3
	rng := rand.New(rand.NewPCG(5, 6))
	v := entries(rows, rank, func(int) float64 { return max(0, rng.Float64()-0.3) })
	for k := range batches {
		m := lnmu.NewDense[float64](rows, cols, nil)
		for j := range cols {
			w := [rank]float64{rng.Float64(), rng.Float64(), rng.Float64()}
			for i := range rows {
				m.Row(i)[j] = max(0, v.At(i, 0)*w[0]+v.At(i, 1)*w[1]+v.At(i, 2)*w[2]+0.02*rng.NormFloat64())
			}
		}
		writeMatrix(t, fmt.Sprintf("%d.npy", k), m)
		all = append(all, m)
	}
	return all
}

// A run goes on with batches of new columns: its basis and its sums of products are those of lnmu.Update, bit for bit,
// and a pass over the batches ends near the factorization of all of them.
func TestContinueWithNewColumns(t *testing.T) {
	t.Chdir(t.TempDir())
	batches := stream(t, 25, 40, 6)
	succeed(t, strings.Fields("factor 0.npy --rank 3 --method nmf --restarts 2 --out parts")...)
	now := lnmu.Updated[float64]{V: matrixOf(t, "parts/V.npy")}
	past := 0
	for k, m := range batches {
		now = *must.Get(lnmu.Update(t.Context(), m, now, &lnmu.TransformSettings{Threads: 1}))(t)
		succeed(t, "factor", fmt.Sprintf("%d.npy", k), "--continue", "parts", "--out", "parts", "--threads", fmt.Sprint(1+k%2))
		past += m.Cols
		rep := result(t, "parts")
		if rep.SHA256V != factors.SHA256(now.V) || rep.SHA256WW != factors.SHA256(now.WW) || rep.SHA256MW != factors.SHA256(now.MW) || rep.Past != past || rep.Rank != 3 || rep.Cols != m.Cols {
			t.Fatalf("batch %d: %+v", k, rep)
		}
		for name, want := range map[string]lnmu.Dense[float64]{record.NameV: now.V, record.NameWW: now.WW, record.NameMW: now.MW} {
			must.Equal(t, factors.SHA256(matrixOf(t, filepath.Join("parts", name))), factors.SHA256(want), "batch", k, name, "has other bits")
		}
		found := must.Get(lnmu.Transform(t.Context(), m, now.V, lnmu.Dense[float64]{}, nil))(t)
		if rep.SHA256W != factors.SHA256(found.W) || rep.RelativeError != found.RelativeError {
			t.Errorf("batch %d: W is not that of the new columns in V", k)
		}
		must.AtMost(t, math.Abs(rep.RelativeViolation-over(m, now.V, found.W)), 1e-12, "batch", k, "relative violation")
	}
	if status, _, stderr := nmu("report", "parts"); status != 0 || strings.Contains(stderr, "has changed") {
		t.Errorf("report: %d, %s", status, stderr)
	}
	succeed(t, "transform", "parts", "0.npy")
	whole := lnmu.NewDense[float64](25, past, nil)
	for k, m := range batches {
		for i := range m.Rows {
			copy(whole.Row(i)[40*k:], m.Row(i))
		}
	}
	best := must.Get(lnmu.Factor(t.Context(), whole, 3, lnmu.NMF{}, nil))(t)
	passed := must.Get(lnmu.Transform(t.Context(), whole, now.V, lnmu.Dense[float64]{}, nil))(t)
	if passed.RelativeError > 1.01*best.RelativeError {
		t.Errorf("a pass ends at the error %v, and all columns have %v", passed.RelativeError, best.RelativeError)
	}
}

// over returns ‖max(0, V W - M)‖ / ‖M‖.
func over(m, v, w lnmu.Dense[float64]) float64 {
	_, excess := literal.Complete(m).Violation(v, w)
	return excess / literal.Complete(m).Norm()
}

// Rows are matched by name, also those of the sums; a sparse matrix and a transposed one have the same bits.
func TestNewColumnsByName(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "first.csv", "gene,s1,s2,s3,s4\na,1,2,4,3\nb,3,5,0,2\nc,2,2,3,1\n")
	write(t, "next.csv", "gene,s5,s6\na,2,0\nb,1,4\nc,3,2\n")
	write(t, "mixed.csv", "gene,s5,s6\nc,3,2\na,2,0\nb,1,4\n")
	write(t, "other.csv", "gene,s5,s6\na,2,0\nb,1,4\nx,3,2\n")
	write(t, "turned.csv", "sample,a,b,c\ns5,2,1,3\ns6,0,4,2\n")
	write(t, "next.mtx", "%%MatrixMarket matrix coordinate real general\n3 2 5\n1 1 2\n2 1 1\n3 1 3\n2 2 4\n3 2 2\n")
	succeed(t, strings.Fields("factor first.csv --rank 2 --method nmf --restarts 1 --out parts")...)
	succeed(t, strings.Fields("factor first.csv --continue parts --out begun --rank 2")...)
	goOn := func(line, out string) record.Factor {
		succeed(t, append([]string{"factor", "--continue", "begun", "--out", out}, strings.Fields(line)...)...)
		return result(t, out)
	}
	want := goOn("next.csv", "next")
	if got := goOn("next.mtx", "sparse"); got.SHA256V != want.SHA256V || got.SHA256W != want.SHA256W || got.SHA256MW != want.SHA256MW || !(math.Abs(got.RelativeViolation-want.RelativeViolation) <= 1e-15) || got.LargestEntry != want.LargestEntry {
		t.Errorf("of the sparse matrix: %+v, want %+v", got, want)
	}
	if got := goOn("turned.csv --transpose", "turned"); got.SHA256V != want.SHA256V || got.SHA256MW != want.SHA256MW {
		t.Errorf("of the transpose: %+v, want %+v", got, want)
	}
	goOn("mixed.csv", "mixed")
	for _, name := range []string{record.NameV, record.NameMW} {
		got, all := matrixOf(t, filepath.Join("mixed", name)), matrixOf(t, filepath.Join("next", name))
		for to, from := range []int{2, 0, 1} {
			for k := range 2 {
				if !(math.Abs(got.At(to, k)-all.At(from, k)) <= 1e-9) { // sums over the rows have their order
					t.Errorf("%s has %v in row %d", name, got.Row(to), to)
				}
			}
		}
	}
	fails(t, []string{"--continue begun", "the rows of", "different names"}, "factor", "other.csv", "--continue", "begun")
}

// What the sums do not keep, and folders without sums, are refused in a line that says what to do.
func TestNewColumnsRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	stream(t, 12, 10, 2)
	stream := strings.Fields
	run := func(line string) { succeed(t, stream("factor 0.npy --rank 2 --restarts 1 --iterations 5 "+line)...) }
	run("--method nmf --out parts")
	run("--method nmf --l2-v 0.1 --l2-w 0.1 --out penalties")
	run("--method nmf --sum-to-one w --out sums")
	run("--method kl --out kl")
	succeed(t, stream("factor 0.npy --continue parts --out begun")...)
	must.Do(t, os.CopyFS("damaged", os.DirFS("begun")))
	writeMatrix(t, "damaged/WW.npy", lnmu.NewDense[float64](2, 2, nil))
	negative := lnmu.NewDense(2, 2, []float64{-1, 0, 0, 1}) // with its sum in result.json
	text := strings.Replace(readText(t, "begun/result.json"), result(t, "begun").SHA256WW, factors.SHA256(negative), 1)
	must.Do(t, errors.Join(os.CopyFS("negative", os.DirFS("begun")), os.WriteFile("negative/result.json", []byte(text), 0o666)))
	writeMatrix(t, "negative/WW.npy", negative)
	writeMatrix(t, "short.npy", lnmu.NewDense[float64](11, 10, nil))
	writeMatrix(t, "few.npy", lnmu.NewDense[float64](12, 7, nil))
	for line, c := range map[string]struct {
		status int
		says   string
	}{
		"1.npy --continue parts":                      {exit.StatusError, "begin with its own columns, nmu factor 0.npy --continue parts"},
		"few.npy --continue parts":                    {exit.StatusError, "it has no sums of products (WW.npy, MW.npy)"},
		"1.npy --continue penalties":                  {exit.StatusUsage, "has penalties"},
		"1.npy --continue sums":                       {exit.StatusUsage, "sums of one"},
		"1.npy --continue kl --rank 3":                {exit.StatusUsage, "finds all factors at once"},
		"1.npy --continue begun --rank 3":             {exit.StatusUsage, "leave --rank out to go on with new columns"},
		"1.npy --continue begun --seed 3":             {exit.StatusUsage, "--seed does not go with --continue and new columns"},
		"1.npy --continue begun --mask 1.npy":         {exit.StatusUsage, "--mask does not go with"},
		"1.npy --continue begun --method gnmu":        {exit.StatusUsage, "made with nmf"},
		"1.npy --continue begun --out a --write envi": {exit.StatusUsage, "choose csv or mat"},
		"short.npy --continue begun":                  {exit.StatusError, "11 x 10 and V has 12 rows"},
		"1.npy --continue damaged":                    {exit.StatusError, "WW.npy is not that of result.json"},
		"1.npy --continue negative":                   {exit.StatusError, "--continue negative: "},
		"1.npy --continue none":                       {exit.StatusError, "holds no results"},
	} {
		status, _, stderr := nmu(append([]string{"factor"}, stream(line)...)...)
		if status != c.status || !strings.Contains(stderr, c.says) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d, %s", line, status, stderr)
		}
	}
	// Nor does what the sums do not have go on: fixed factors, missing entries and weights.
	writeMatrix(t, "col.npy", entries(12, 1, func(k int) float64 { return float64(1 + k%3) }))
	writeMatrix(t, "row.npy", entries(1, 10, func(k int) float64 { return float64(1 + k%3) }))
	writeMatrix(t, "weights.npy", entries(12, 10, func(k int) float64 { return float64(1 + k%3) }))
	writeMatrix(t, "mask.npy", entries(12, 10, func(k int) float64 { return float64(k % 7) }))
	write(t, "s.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n1 2 2\n2 1 3\n")
	for _, flags := range []string{"0.npy --baseline", "0.npy --fix-v col.npy", "0.npy --fix-w row.npy", "0.npy --weights weights.npy", "0.npy --mask mask.npy", "s.mtx --sparse-missing"} {
		succeed(t, stream("factor --rank 2 --restarts 1 --iterations 5 --method nmf --force --out other "+flags)...)
		fails(t, []string{"other has penalties, sums of one, fixed factors"}, stream("factor --continue other "+flags[:5])...)
	}
	// Another run in the folder replaces the sums.
	run("--method nmf --out begun")
	noFile(t, "begun/WW.npy")
}
