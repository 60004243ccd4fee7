package main

import (
	"archive/zip"
	"bytes"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nmu/cmd/internal/message"
	"nmu/cmd/internal/methods"
	"nmu/cmd/internal/program"
	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
	"nmu/internal/render"
	"nmu/lnmu"
)

// completions asks as the script of a shell does, and returns the words and the
// directive, which says what else the shell completes.
func completions(t *testing.T, args ...string) (words []string, directive string) {
	t.Helper()
	status, out, stderr := nmu(append([]string{cobra.ShellCompNoDescRequestCmd}, args...)...)
	if status != 0 {
		t.Fatalf("%q: status %d, %s", args, status, stderr)
	}
	words = strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	last := len(words) - 1
	return words[:last], words[last]
}

func TestCompletion(t *testing.T) {
	dir := t.TempDir()
	npz := filepath.Join(dir, "m.npz")
	var file bytes.Buffer
	z := zip.NewWriter(&file)
	for _, name := range []string{"faces", "houses"} {
		must.Get(io.WriteString(must.Get(z.Create(name+".npy"))(t), npy("<f8", "(2, 1)", make([]byte, 16))))(t)
	}
	must.Do(t, z.Close())
	write(t, npz, file.String())
	writeMatrix(t, filepath.Join(dir, "faces.npy"), lnmu.NewDense[float64](2, 1, nil))
	mat := filepath.Join(dir, "m.mat")
	one := matio.Labelled[float64]{Rows: 1, Cols: 1, Data: []float64{1}, Stride: 1}
	must.Do(t, matiotest.WriteMat(mat, matio.Variable[float64]{Name: "X", Labelled: one}, matio.Variable[float64]{Name: "Y", Labelled: one}))
	const noFiles, files, byExtension, folders = ":4", ":0", ":8", ":16"
	for _, c := range []struct {
		args      []string
		want      []string // among the words
		not       []string
		directive string
	}{
		{[]string{"fac"}, []string{"factor"}, nil, noFiles},
		{[]string{"factor", ""}, []string{"npy", "mat", "csv", "csv.gz", "hdr"}, []string{""}, byExtension},
		{[]string{"factor", "m.npy", ""}, nil, nil, noFiles},
		{[]string{"factor", "m.npy", "--method", ""}, methods.Names(methods.Any), nil, noFiles},
		{[]string{"factor", "m.npy", "--method", "gnmu", "--solver", ""}, []string{"lagrangian", "admm"}, []string{"hals"}, noFiles},
		{[]string{"factor", "m.npy", "--method", "NMF", "--solver", ""}, []string{"hals", "accelerated"}, []string{"admm"}, noFiles},
		{[]string{"factor", "m.npy", "--init", ""}, []string{"random", "svd"}, nil, files},
		{[]string{"factor", "m.npy", "--norm", ""}, []string{"l1", "l2"}, nil, noFiles},
		{[]string{"factor", "m.npy", "--missing", ""}, render.Strings(matio.WaysOfMissing), nil, noFiles},
		{[]string{"factor", "m.npy", "--write", "csv,"}, []string{"csv,mat", "csv,envi"}, nil, noFiles},
		{[]string{"factor", "m.npy", "--rank", ""}, nil, nil, noFiles},
		{[]string{"factor", "m.npy", "--row-names", ""}, nil, nil, files},
		{[]string{"factor", "m.npy", "--out", ""}, nil, nil, folders},
		{[]string{"factor", npz, "--var", ""}, []string{"faces", "houses"}, nil, noFiles},
		{[]string{"factor", mat, "--var", ""}, []string{"X", "Y"}, nil, noFiles},
		{[]string{"factor", filepath.Join(dir, "faces.npy"), "--var", ""}, nil, []string{"faces"}, noFiles},
		{[]string{"transform", "basis", ""}, []string{"npy"}, nil, byExtension},
		{[]string{"transform", "basis", mat, "--var", ""}, []string{"X", "Y"}, nil, noFiles},
		{[]string{"man", ""}, nil, nil, folders},
	} {
		words, directive := completions(t, c.args...)
		for _, w := range c.want {
			if !slices.Contains(words, w) {
				t.Errorf("%q: %q lacks %q", c.args, words, w)
			}
		}
		for _, w := range c.not {
			if slices.Contains(words, w) {
				t.Errorf("%q: %q has %q", c.args, words, w)
			}
		}
		must.Equal(t, directive, c.directive, c.args, "directive")
	}
	if _, directive := completions(t, "factor", filepath.Join(dir, "none.mat"), "--var", ""); directive != ":1" {
		t.Errorf("variables of no file: directive %s", directive)
	}
}

// Every flag that takes words takes them in capitals too, and says which of them a
// slip may be.
func TestWords(t *testing.T) {
	count := 0
	for k, more := 0, true; more; k++ {
		more = false
		for _, cmd := range rootCommand().Commands() {
			fs := cmd.Flags()
			fs.VisitAll(func(f *pflag.Flag) {
				words := program.Words(f)
				if len(words) <= k {
					return
				}
				if more = true; k == 0 {
					count++
				}
				err := fs.Set(f.Name, strings.ToUpper(words[k]))
				if got := f.Value.String(); err != nil || got != words[k] {
					t.Errorf("%s --%s %s: %q, %v", cmd.Name(), f.Name, strings.ToUpper(words[k]), got, err)
				}
			})
		}
	}
	must.AtLeast(t, count, 12, "flags take words")
	script(t, `
-- m.csv 1,2\n3,5\n
factor m.csv --rank 1 --method GNMU --solver Admm --init SVD --precision Float32 --feasible Final | prints: gnmu, solver admm, feasible final | prints: float32
factor m.csv --rank 1 --method rnum | refused: --method | did you mean rnmu?
factor m.csv --rank 1 --missing zeros | refused: --missing | did you mean zero?
factor m.csv --rank 1 --solver adm | refused: --solver | did you mean admm?
factor m.csv --rank 1 --transpos | refused: unknown  | --transpos | did you mean --transpose?
factor m.csv --rank 1 --iters | refused: unknown  | --iters | did you mean --iterations?
factor m.csv --rank 1 --tol | refused: unknown  | --tol | did you mean --tolerance?
factor m.csv --rank 1 --n-components | refused: unknown  | --n-components | did you mean --rank?
factor m.csv --rank 1 --max_iter | refused: unknown  | --max_iter | did you mean --iterations?
factor m.csv --rank 1 --method brunet | refused: --method brunet: choose | did you mean kl?
factor m.csv --rank 1 --init nndsvd | refused: --init nndsvd: choose | did you mean svd?
fit m.csv --rank 1 | refused: unknown command | factor
predict out m.csv | refused: unknown command | transform
factor m.csv --rank 1 -k | refused: unknown  | -k | did you mean --rank?
factor m.csv --rank 1 --out SVD
factor m.csv --rank 1 --init SVD | prints: SVD
`) // what may be the name of a folder is one if it is there
}

// Errors name the option that helps.
func TestWaysForward(t *testing.T) {
	script(t, `
-- m.csv 1.5,2,3,4\n3,5,1,1.5\n
-- t.csv 1.5,3\n2,5\n3,1\n4,1.5\n
-- n.csv a,b\n1,-2\n3,4\n
factor m.csv --rank 1 --out out
factor t.csv --rank 1 --init out | refused: ; it would fit with --transpose
factor m.csv --rank 1 --init out --transpose | refused: ; it would fit without --transpose
transform out t.csv | refused: ; it would fit with --transpose
transform out m.csv --transpose | refused: ; it would fit without --transpose
factor m.csv --rank 1 --image 2x2 | refused: --image 2x2 does not fit | its rows have as many | --transpose | --map
factor t.csv --rank 1 --map 2x2 | refused: --map 2x2 does not fit | its columns have as many | --transpose | --image
transform out n.csv | refused: column "b"
`)
	mat := filepath.Join(t.TempDir(), "m.mat")
	one := matio.Labelled[float64]{Rows: 1, Cols: 1, Data: []float64{1}, Stride: 1}
	must.Do(t, matiotest.WriteMat(mat, matio.Variable[float64]{Name: "faces", Labelled: one}, matio.Variable[float64]{Name: "houses", Labelled: one}))
	fails(t, []string{"holds several matrices; choose one with --var: faces (1 x 1 double), houses (1 x 1 double)"}, "factor", mat, "--rank", "1")
	fails(t, []string{"did you mean --var faces?"}, "factor", mat, "--rank", "1", "--var", "Face")
	for path, want := range map[string]string{"a b's": `'a b'\''s'`, "out/x-1": "out/x-1", "": "''"} {
		must.Equal(t, message.ShellWord(path), want, path, "for a shell")
	}
}
