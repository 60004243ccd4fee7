package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"nmu/internal/must"
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

// Uncertainties s are weights 1/s². Where a number is missing, its uncertainty may be as well.
func TestUncertainties(t *testing.T) {
	m := textFile(t, "air.csv", "day,Na,Cl,K,Fe\n1,4,,2,5\n2,1,3,2,2\n3,,1,1,4\n4,5,2,2,8\n5,3,1,6,1\n")
	s := textFile(t, "s.csv", "day,Na,Cl,K,Fe\n1,0.5,,1,2\n2,0.5,1,1,2\n3,,4,0.25,1\n4,2,1,1,0.5\n5,1,1,2,0.25\n")
	w := textFile(t, "w.csv", "day,Na,Cl,K,Fe\n1,4,0,1,0.25\n2,4,1,1,0.25\n3,0,0.0625,16,1\n4,0.25,1,1,4\n5,1,1,0.25,16\n")
	gaps := textFile(t, "gaps.csv", strings.ReplaceAll(readText(t, w), ",0,", ",,"))
	// Of V.npy and of W.npy, and the table of the consensus with Q.
	run := func(flags ...string) (files [3]string) {
		t.Helper()
		dir := t.TempDir()
		one, many := filepath.Join(dir, "one"), filepath.Join(dir, "many")
		flags = append(flags, "--missing", "allow", "--method", "nmf", "--iterations", "30")
		succeed(t, append([]string{"factor", m, "--rank", "2", "--restarts", "1", "--out", one}, flags...)...)
		succeed(t, append([]string{"consensus", m, "--ranks", "2", "--runs", "3", "--out", many}, flags...)...)
		return [3]string{readText(t, one, "V.npy"), readText(t, one, "W.npy"), readText(t, many, "V-2.csv")}
	}
	want := run("--weights", w)
	for name, flags := range map[string][]string{
		"uncertainties":         {"--uncertainties", s},
		"weights that miss too": {"--weights", gaps},
	} {
		must.Equal(t, run(flags...), want, name, "another result than with their weights")
	}
	contains(t, succeed(t, "consensus", m, "--ranks", "2", "--runs", "3", "--iterations", "30", "--missing", "allow", "--uncertainties", s), "Q / expected")
	for _, c := range []struct {
		how           string
		table, onPage []string
	}{
		{"gnmu", []string{"weighted relative error", "weighted relative violation"}, []string{
			"the weighted norm of M − V W at the observed entries, relative", "the weighted norm of the excess of V W over M at the observed entries, relative", "The weighted norm of M − V", "The weighted relative error by iteration",
		}},
		{"rnmu", []string{"weighted relative error"}, []string{"The weighted relative error after each part", ">Weighted relative error</th>", ">Weighted error with it</th>", "right is the weighted relative error", "the weighted error is"}},
		{"kl", []string{"weighted deviance explained"}, []string{"Of the weighted deviance of M at the observed entries from its mean", "The weighted relative divergence by iteration"}},
	} {
		shown := t.TempDir()
		table := succeed(t, "factor", m, "--rank", "2", "--method", c.how, "--missing", "allow", "--uncertainties", s, "--restarts", "1", "--iterations", "30", "--report", "--out", shown)
		page := readText(t, shown, "report.html")
		for _, of := range c.onPage {
			must.Say(t, page, of, c.how)
		}
		for _, of := range c.table {
			must.Say(t, table, of, c.how)
		}
		checkQ(t, shown, m, s, table, page)
		if c.how != "rnmu" {
			continue
		}
		contains(t, succeed(t, "transform", shown, m, "--missing", "allow", "--uncertainties", s), "weighted relative error")
	}
	contains(t, succeed(t, "rank", m, "--ranks", "1:2", "--method", "nmf", "--missing", "allow", "--uncertainties", s, "--iterations", "10"), "training weighted error")
	same := textFile(t, "same.csv", "day,Na,Cl,K,Fe\n1,2,2,2,2\n2,2,2,2,2\n3,2,2,2,2\n4,2,2,2,2\n5,2,2,2,2\n")
	contains(t, succeed(t, "consensus", m, "--ranks", "2", "--runs", "3", "--iterations", "30", "--missing", "allow", "--uncertainties", same), "Q / expected  least of the runs")
	shown := t.TempDir()
	table := succeed(t, "factor", m, "--rank", "1", "--method", "nmf", "--missing", "allow", "--uncertainties", same, "--restarts", "1", "--iterations", "30", "--report", "--out", shown)
	checkQ(t, shown, m, same, table, readText(t, shown, "report.html"))
	zero := textFile(t, "zero.csv", "day,Na,Cl,K,Fe\n1,4,1,1,2\n2,4,1,1,2\n3,1,1,1,1\n4,2,0,1,4\n5,1,1,2,16\n")
	fails(t, []string{"--uncertainties", "row 4, column 2 of", "is 0", "above 0"}, "factor", m, "--rank", "2", "--missing", "allow", "--uncertainties", zero)
	fails(t, []string{"--weights and --uncertainties", "choose one"}, "factor", m, "--rank", "2", "--missing", "allow", "--uncertainties", s, "--weights", w)
	whole := textFile(t, "whole.csv", "day,Na,Cl,K,Fe\n1,4,1,2,5\n2,1,3,2,2\n3,1,1,1,4\n4,5,2,2,8\n5,3,1,6,1\n")
	fails(t, []string{"--uncertainties", `row 1, column 3 ("Cl") is empty`}, "factor", whole, "--rank", "2", "--uncertainties", s)
}

// checkQ compares Q in the result of a run of a table with uncertainties with its literal sum.
func checkQ(t *testing.T, dir, m, s, table, page string) {
	t.Helper()
	v, w := matrixOf(t, filepath.Join(dir, "V.npy")), matrixOf(t, filepath.Join(dir, "W.npy"))
	numbers := func(path string) (rows [][]string) {
		for _, line := range strings.Split(strings.TrimSpace(readText(t, path)), "\n")[1:] {
			rows = append(rows, strings.Split(line, ",")[1:])
		}
		return rows
	}
	q, observed := 0.0, 0
	of := numbers(s)
	for i, row := range numbers(m) {
		for j, text := range row {
			left, err := strconv.ParseFloat(text, 64)
			by, missing := strconv.ParseFloat(of[i][j], 64)
			if err != nil || missing != nil {
				continue
			}
			for k := range v.Cols {
				left -= v.At(i, k) * w.At(k, j)
			}
			q += left * left / by / by
			observed++
		}
	}
	expected := max(0, float64(observed-v.Cols*(v.Rows+w.Cols-1)))
	rep := result(t, dir)
	if !(math.Abs(float64(rep.Q)-q) <= 1e-9*q) || rep.ExpectedQ != expected {
		t.Errorf("Q %v of %v, want %v of %v", rep.Q, rep.ExpectedQ, q, expected)
	}
	if want := fmt.Sprintf("%.3g", q/expected); !strings.Contains(strings.Join(strings.Fields(table), " "), "Q / expected "+want+" ") || !strings.Contains(page, ">"+want+"<") {
		t.Errorf("Q / expected is not %s: %s", want, table)
	}
}
