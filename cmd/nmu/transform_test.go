package main

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"nmu/internal/dataset"
	"nmu/internal/must"
	"nmu/internal/options"
	"nmu/internal/record"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/model"
)

// The weights of named columns go to a table with their names, and to a .mat file.
func TestTransformFormats(t *testing.T) {
	script(t, `
-- v.csv 1,0\n0,1\n1,1\n
-- m.csv id,new a,new b\nr1,1,2\nr2,3,4\nr3,4,6\n
transform v.csv m.csv --out w --write csv,mat | folder w: W.csv W.npy factors.mat result.json | w/W.csv: new a,new b
factor w/factors.mat --rank 1 --method nmf
transform v.csv m.csv --out w | folder w: W.npy result.json
transform v.csv m.csv --write csv | refused: --out says where
transform v.csv m.csv --out w --write envi | refused: --write envi: choose npy or csv or mat
`)
}

// The first 200 swimmers give a basis, the others weights in it.
func TestTransform(t *testing.T) {
	set := dataset.Swimmer()
	part := func(j0, j1 int) lnmu.Dense[float64] {
		d := lnmu.NewDense[float64](set.Rows, j1-j0, nil)
		for i := range set.Rows {
			copy(d.Row(i), set.Data[i*set.Cols+j0:i*set.Cols+j1])
		}
		return d
	}
	dir := t.TempDir()
	old, fresh := filepath.Join(dir, "old.npy"), filepath.Join(dir, "new.npy")
	writeMatrix(t, old, part(0, 200))
	m := part(200, 256)
	writeMatrix(t, fresh, m)
	model := filepath.Join(dir, "model")
	succeed(t, "factor", old, "--rank", "4", "--method", "rnmu", "--restarts", "1", "--iterations", "30", "--feasible", "final", "--out", model)

	for _, under := range []bool{false, true} {
		out := filepath.Join(dir, "out")
		args := []string{"transform", model, fresh, "--out", out}
		if under {
			args = append(args, "--feasible")
		}
		succeed(t, args...)
		holds(t, out, record.NameW, record.NameResult)
		v := factorIn[float64](t, model, record.NameV)
		want := must.Get(lnmu.Transform(t.Context(), m, v, lnmu.Dense[float64]{}, &lnmu.TransformSettings{Feasible: under}))(t)
		w, err := readFactor[float64](filepath.Join(out, record.NameW))
		if err != nil || factors.SHA256(w) != factors.SHA256(want.W) {
			t.Errorf("under %t: W is not that of the library (error %v)", under, err)
		}
		rep := parsed[record.Transform](t, readText(t, out, record.NameResult))
		if rep.RelativeError != want.RelativeError || rep.MaxViolation != want.MaxViolation || rep.SHA256W != factors.SHA256(w) ||
			rep.Rank != 4 || rep.Rows != 220 || rep.Cols != 56 || rep.Settings.Transform.Feasible != under || rep.Stop != want.Stop {
			t.Errorf("result.json %+v, want that of %+v", rep, want)
		}
		if under && rep.MaxViolation != 0 {
			t.Errorf("V W exceeds M by %v", rep.MaxViolation)
		}
		printed := parsed[record.Transform](t, succeed(t, append(args, "--json", "--precision", "float32")...))
		if math.Abs(printed.RelativeError-rep.RelativeError) > 1e-4 || printed.Settings.Precision != "float32" {
			t.Errorf("%+v", printed)
		}
	}

	fails(t, []string{"BASIS", "INPUT"}, "transform", model)
	fails(t, []string{"BASIS"}, "transform", filepath.Join(dir, "none"), fresh)
	fails(t, []string{"V has 220 rows and M has 56"}, "transform", model, fresh, "--transpose")
	fails(t, []string{"iterations or a tolerance for an exact solution"}, "transform", model, fresh, "--feasible", "--iterations", "3")
	fails(t, []string{"--iterations 0"}, "transform", model, fresh, "--iterations", "0")
	fails(t, []string{"--tolerance 0"}, "transform", model, fresh, "--tolerance", "0")
	fails(t, []string{"--threads 0"}, "transform", model, fresh, "--threads", "0")
	fails(t, []string{"--out is empty"}, "transform", model, fresh, "--out", "")
	fails(t, []string{"--precision half: choose float32 or float64"}, "transform", model, fresh, "--precision", "half")
}

// --feasible and --norm reach the library, and their reports the result.
func TestFeasibleAndNorm(t *testing.T) {
	input := swimmerFile(t, false)
	for _, way := range []string{"final", "each"} {
		rep := parseReport(t, []byte(succeed(t, "factor", input, "--rank", "3", "--method", "rnmu", "--restarts", "1", "--iterations", "30",
			"--feasible", way, "--feasible-steps", "4", "--json")))
		if rep.MaxViolation != 0 || rep.Settings.Options["feasible"] != way || len(rep.Blocks[2].Exact) < 2 || rep.Blocks[2].Exact[0].Renewed != "V" {
			t.Errorf("%+v", rep)
		}
	}
	rep := parseReport(t, []byte(succeed(t, "factor", input, "--rank", "2", "--method", "rnmu", "--restarts", "1", "--iterations", "5", "--norm", "l1", "--json")))
	if rep.Settings.Options["norm"] != "l1" || rep.RelativeL1 == nil || !(*rep.RelativeL1 > 0) {
		t.Errorf("%+v", rep)
	}
	script(t, `
-- m.csv 1,2,3\n4,5,6\n7,8,9\n
factor m.csv --rank 2 --method rnmu --feasible once | refused: --feasible once; choose final or each
factor m.csv --rank 2 --method rnmu --feasible= | refused: --feasible is empty
factor m.csv --rank 2 --method nmf --feasible final | refused: --feasible is for gnmu and rnmu; nmf does not have it
factor m.csv --rank 2 --method rnmu --feasible-steps 2 | refused: 2 exact steps without feasible; choose final or each
factor m.csv --rank 2 --method rnmu --feasible final --feasible-steps 0 | refused: --feasible-steps 0
factor m.csv --rank 2 --method rnmu --norm max | refused: --norm max; choose l2 or l1
factor m.csv --rank 2 --norm l1 --method gnmu | refused: --norm is for rnmu; gnmu does not have it
`)
}

// TestTransformDivergence: the weights in the basis of a run of kl are those by the divergence,
// unless the command says otherwise, and those of the columns of the run itself.
func TestTransformDivergence(t *testing.T) {
	dir := t.TempDir()
	model, out := filepath.Join(dir, "model"), filepath.Join(dir, "out")
	input := textFile(t, "counts.csv", "word,a,b,c,d\nred,5,0,1,7\ngreen,3,2,0,4\nblue,0,6,4,1\nwhite,1,8,5,0\n")
	succeed(t, "factor", input, "--rank", "2", "--method", "kl", "--restarts", "1", "--iterations", "2000", "--out", model)
	w := factorIn[float64](t, model, record.NameW)
	for _, c := range []struct {
		args       string
		divergence bool
		within     float64 // of W of the run
	}{{"", true, 2e-3}, {"--tolerance 1e-7", true, 1e-5}, {"--divergence=false", false, math.Inf(1)}, {"--sum-to-one", false, math.Inf(1)}} {
		rep := parsed[record.Transform](t, succeed(t, append([]string{"transform", model, input, "--out", out, "--json"}, strings.Fields(c.args)...)...))
		if rep.Settings.Transform.Divergence != c.divergence || (rep.Divergence != nil) != c.divergence {
			t.Errorf("%q: divergence %t, %v", c.args, rep.Settings.Transform.Divergence, rep.Divergence)
		}
		got := factorIn[float64](t, out, record.NameW)
		for i, x := range got.Data {
			if want := w.Data[i]; math.Abs(x-want) > c.within*(w.At(0, i%4)+w.At(1, i%4)) {
				t.Errorf("%q: entry %d of W is %v, in the run %v", c.args, i, x, want)
			}
		}
	}
	contains(t, succeed(t, "transform", model, input), "least divergence", "deviance explained")
	for _, flag := range []string{"--feasible", "--sum-to-one"} {
		fails(t, []string{"--divergence does not go with --feasible or --sum-to-one"}, "transform", model, input, "--divergence", flag)
	}
}

// A model gives the weights that the folder of its run gives, also of rows in another order. So
// does the model that Go reads from the folder.
func TestTransformByModel(t *testing.T) {
	script(t, `
-- known.csv name,a,b,c,d\nsun,3,0,1,2\nsea,1,4,0,2\nsand,0,2,5,1\n
-- next.csv name,e,f\nsand,1,2\nsun,4,0\nsea,0,3\n
-- other.csv name,e\nsun,4\nsea,0\nsnow,1\n
factor known.csv --rank 2 --method kl --seed 4 --scale topics --out run
transform run next.csv --out by-run
`)
	kept := must.Get(model.Read[float64]("run"))(t)
	if _, kl := options.DescriptionOf(kept.Method).Method.(lnmu.KL); !kl || !kept.Topics || len(kept.RowNames) != 3 {
		t.Fatalf("the folder is the model %+v", kept)
	}
	must.Do(t, kept.Save("parts.npz"))
	scriptLine(t, []string{"transform parts.npz next.csv --out by-parts", "by-parts/W.npy same: by-run/W.npy", "by-parts/mixtures.npy same: by-run/mixtures.npy"})
	fails(t, []string{"parts.npz", "snow"}, "transform", "parts.npz", "other.csv")
}

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
		{sums, input, "--feasible", false, false, false, 0},
		{gaps, holes, "", false, false, false, 2},
		{gaps, holes, "--missing zero", false, false, false, 0},
	} {
		rep := parsed[record.Transform](t, succeed(t, append([]string{"transform", c.basis, c.input, "--out", out, "--json"}, strings.Fields(c.args)...)...))
		if rep.Settings.Transform.Divergence != c.divergence || rep.Settings.Transform.SumToOne != c.sum || rep.Missing != c.missing || there(filepath.Join(out, record.NameMixtures)) != c.mixtures {
			t.Errorf("%s %s: divergence %v, sum to one %v, %d missing entries, want %+v", c.basis, c.args, rep.Settings.Transform.Divergence, rep.Settings.Transform.SumToOne, rep.Missing, c)
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
