package main

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"nmu/cmd/internal/methods"
	"nmu/internal/must"
	"nmu/internal/options"
	"nmu/internal/render"
	"nmu/lnmu"
)

// Targets, penalties and Hoyer's measure reach the library, and what came of them
// is in the report.
func TestFactorSparsity(t *testing.T) {
	input := swimmerFile(t, false)
	args := []string{"factor", input, "--rank", "4", "--restarts", "1", "--iterations", "100", "--json"}
	rep := parseReport(t, []byte(succeed(t, append(args, "--method", "hoyer", "--hoyer-v", "0.8", "--hoyer-w", "0.4")...)))
	if math.Abs(rep.HoyerV-0.8) > 0.005 || math.Abs(rep.HoyerW-0.4) > 0.005 || rep.Settings.Options["hoyer-v"] != "0.8" || rep.Settings.Options["hoyer-w"] != "0.4" {
		t.Errorf("sh(V) %v, sh(W) %v, %+v", rep.HoyerV, rep.HoyerW, rep.Settings.Options)
	}
	rep = parseReport(t, []byte(succeed(t, append(args, "--method", "snmf", "--sparsity-v", "0.9", "--sparsity-w", "0.5")...)))
	if math.Abs(rep.SparsityV-0.9) > 0.05 || rep.Settings.Options["sparsity-v"] != "0.9" || rep.Settings.Options["sparsity-w"] != "0.5" {
		t.Errorf("s(V) %v, %+v", rep.SparsityV, rep.Settings.Options)
	}
	light := parseReport(t, []byte(succeed(t, append(args, "--method", "snmf", "--penalty-v", "0.01", "--penalty-w", "0.01")...)))
	heavy := parseReport(t, []byte(succeed(t, append(args, "--method", "snmf", "--penalty-v", "3", "--penalty-w", "3")...)))
	if light.RelativeError >= heavy.RelativeError || light.Settings.Options["penalty-v"] != "0.01" || light.Settings.Options["penalty-w"] != "0.01" {
		t.Errorf("errors %v with a light penalty, %v with a heavy one", light.RelativeError, heavy.RelativeError)
	}
	table := succeed(t, append(args[:len(args)-1:len(args)-1], "--method", "hoyer", "--hoyer-v", "0.8")...)
	contains(t, table, "hoyer, hoyer v 0.8, rank 4, 100 iterations\n")
}

// --improve measures what a scale and free values can win, and leaves the factors
// as they are.
func TestFactorImprove(t *testing.T) {
	args := []string{"factor", swimmerFile(t, false), "--rank", "4", "--method", "gnmu", "--restarts", "1", "--iterations", "50"}
	before := parseReport(t, []byte(succeed(t, append(args, "--json")...)))
	rep := parseReport(t, []byte(succeed(t, append(args, "--improve", "--json")...)))
	x := rep.Improved
	if x == nil || !(x.Error < x.ScaledError && x.ScaledError <= rep.RelativeError) || x.Scale < 1 {
		t.Fatalf("error %v, %+v", rep.RelativeError, x)
	}
	if rep.SHA256V != before.SHA256V || rep.RelativeError != before.RelativeError || before.Improved != nil {
		t.Error("--improve changes the result")
	}
	contains(t, succeed(t, append(args, "--improve")...), render.Percent(x.Error)+" with the same zeros")
}

func TestFactorSparsityFails(t *testing.T) {
	script(t, `
-- m.csv 1,2,3\n3,4,5\n5,6,8\n
-- m.mtx %%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 2\n2 2 3\n3 3 1\n
factor m.csv --rank 2 --method snmf --penalty-v -1 --penalty-w 1 | refused: --penalty-v -1; choose a positive number
factor m.csv --rank 2 --method snmf --penalty-v 0 --penalty-w 1 | refused: --penalty-v 0; choose a positive
factor m.csv --rank 2 --method snmf --penalty-v 1 --penalty-w NaN | refused: --penalty-w NaN; choose a positive
factor m.csv --rank 2 --method snmf --penalty-v Inf --penalty-w 1 | refused: --penalty-v Inf; choose a positive
factor m.csv --rank 2 --method snmf --penalty-v 1 | refused: set both
factor m.csv --rank 2 --method snmf --penalty-v 1 --penalty-w 1 --sparsity-v 0.5 | refused: choose one of them
factor m.csv --rank 2 --method snmf --sparsity-v 1.5 | refused: --sparsity-v 1.5; choose a number > 0, at most 1
factor m.csv --rank 2 --method snmf --sparsity-w -0.5 | refused: --sparsity-w -0.5; choose a number > 0
factor m.csv --rank 2 --method snmf --sparsity-w 0 | refused: --sparsity-w 0; choose
factor m.csv --rank 2 --method snmf | refused: needs penalties or target sparsities
factor m.csv --rank 2 --method snmf --sparsity-v 0.5 --inner 3 | refused: --inner is for gnmu and rnmu; snmf does not have it
factor m.csv --rank 2 --method hoyer | refused: needs the sparseness
factor m.csv --rank 2 --method hoyer --hoyer-v 2 | refused: --hoyer-v 2; choose a number > 0, at most 1
factor m.csv --rank 2 --method hoyer --hoyer-w NaN | refused: --hoyer-w NaN; choose
factor m.csv --rank 2 --method hoyer --sparsity-v 0.5 | refused: --sparsity-v is for rnmu and snmf; hoyer does not have it
factor m.csv --rank 2 --hoyer-v 0.5 | refused: --hoyer-v is for hoyer; nmf does not have it
factor m.csv --rank 2 --method rnmu --sparsity-v 1.5 | refused: --sparsity-v 1.5; choose a number > 0, at most 1
factor m.csv --rank 2 --method rnmu --threshold-w NaN | refused: --threshold-w NaN; choose a number > 0, at most 1
factor m.csv --rank 2 --method rnmu --smooth-v 0.1 | refused: --smooth-v needs the size of the pictures: --image HxW
factor m.csv --rank 2 --method rnmu --smooth-w 0.1 --image 3x1 | refused: --smooth-w needs the size of the pictures: --map HxW
factor m.csv --rank 2 --method rnmu --smooth-v 0.1 --shape-v 3x | refused: --shape-v 3x; choose height x width in pixels, such as 19x19
factor m.csv --rank 2 --method rnmu --smooth-v 0.1 --shape-v 2x2 | refused: shape 2x2 of the pictures in V, which have 3 pixels
factor m.csv --rank 2 --method rnmu --shape-v 3x1 | refused: shape 3x1 of the pictures in V without smoothness
factor m.csv --rank 2 --method rnmu --smooth-norm l2 | refused: norm l2 of differences without smoothness
factor m.csv --rank 2 --method rnmu --threshold-v 0.1 --block 2 | refused: one factor at a time
factor m.mtx --rank 2 --method rnmu --threshold-v 0.1 | refused: (--dense does that)
factor m.mtx --rank 2 --method hoyer --hoyer-v 0.5 | refused: dense
`)
}

// Every option of every method is a flag, whose text names the methods that have it;
// the others refuse it. All methods are in the help.
func TestMethodFlags(t *testing.T) {
	input := textFile(t, "m.csv", "1,2\n3,4\n5,6\n")
	root := succeed(t, "--help")
	help := strings.Join(strings.Fields(succeed(t, "help", "factor")), " ")
	having := map[string][]string{}
	for _, d := range options.Methods() {
		_, all := options.Of(d.Method)
		for _, o := range all {
			having[o.Name] = append(having[o.Name], d.Name)
		}
		if !strings.Contains(root, d.Name) || !strings.Contains(root, d.Title) {
			t.Errorf("nmu --help does not say what %s is", d.Name)
		}
	}
	contains(t, help, "METHOD: "+render.Enumerate(methods.Names(methods.Any), "or")+";", "(default: nmf 500, gnmu 240, rnmu 180, snmf 100, hoyer, kl 1000", "for rnmu of each")
	// What the others do anyway may be said.
	succeed(t, "factor", input, "--rank", "1", "--method", "nmf", "--norm", "l2", "--block", "1")
	flags := freshCommand("factor").Flags()
	for option, methods := range having {
		f := flags.Lookup(option)
		if f == nil {
			t.Fatalf("there is no --%s, which %v have", option, methods)
		}
		var named []string // in groups that have the same text
		for _, text := range strings.Split(strings.Join(strings.Fields(f.Usage), " "), "; ") {
			if names, _, ok := strings.Cut(text, ": "); ok {
				for _, name := range strings.Split(names, ", ") {
					if slices.Contains(methods, name) {
						named = append(named, name)
					}
				}
			}
		}
		slices.Sort(named)
		must.EqualSlices(t, named, slices.Sorted(slices.Values(methods)), "--"+option+" is", f.Usage, "for")
		says := "--" + option + " is for " + render.Enumerate(methods, "and") + "; "
		for _, d := range options.Methods() {
			if !slices.Contains(methods, d.Name) {
				fails(t, []string{says + d.Name + " does not have it"}, "factor", input, "--rank", "1", "--method", d.Name, "--"+option, "7")
			}
		}
	}
	for _, c := range []struct {
		words []string
		want  string
	}{{nil, ""}, {[]string{"a"}, "a"}, {[]string{"a", "b"}, "a and b"}, {[]string{"a", "b", "c"}, "a, b and c"}} {
		must.Equal(t, render.Enumerate(c.words, "and"), c.want, c.words)
	}
}

// The options of a method with its defaults are known, however it came about.
func TestOptionsOf(t *testing.T) {
	l := lnmu.GNMU{Inner: 3}
	for _, c := range []struct {
		method lnmu.Method
		want   map[string]string
	}{
		{lnmu.NMF{}, map[string]string{}},
		{lnmu.RNMU{Block: 2, GNMU: l}, map[string]string{"block": "2", "inner": "3"}},
		{&l, map[string]string{"inner": "3"}},
		{lnmu.SNMF{PenaltyV: 0.125, PenaltyW: 2}, map[string]string{"penalty-v": "0.125", "penalty-w": "2"}},
	} {
		if got := options.Text(c.method); !maps.Equal(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.method, got, c.want)
		}
	}
}
