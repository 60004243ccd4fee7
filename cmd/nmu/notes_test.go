package main

import (
	"nmu/lnmu/outcome"
	"slices"
	"strings"
	"testing"
)

// A time limit counts for --improve and --feasible too, and what it left undone is
// said.
func TestTimeLimitKept(t *testing.T) {
	input := swimmerFile(t, false)
	for _, c := range []struct {
		args string
		note string
	}{
		{"--method gnmu --improve", "no time was left for --improve"},
		{"--method gnmu --feasible final", "were not made feasible, since the run was ended by the time limit"},
		{"--method gnmu --feasible each --restarts 3", "were not made feasible, since the run was ended by the time limit"},
	} {
		args := append([]string{"factor", input, "--rank", "4", "--time-limit", "1ns", "--threads", "1", "--json"}, strings.Fields(c.args)...)
		rep := parseReport(t, []byte(succeed(t, args...)))
		if !slices.ContainsFunc(rep.Notes, func(s string) bool { return strings.Contains(s, c.note) }) {
			t.Errorf("%s: notes %q, want %q", c.args, rep.Notes, c.note)
		}
		if rep.Improved != nil || slices.ContainsFunc(rep.Blocks, func(b outcome.Block) bool { return b.Exact != nil }) || rep.RestartsBegun != 1 || rep.RestartsFinished != 0 {
			t.Errorf("%s: %+v", c.args, rep)
		}
		if table := succeed(t, slices.DeleteFunc(args, func(s string) bool { return s == "--json" })...); !strings.Contains(table, ", not finished; 1 of ") {
			t.Errorf("%s: %s", c.args, table)
		}
	}
	fails(t, []string{"--time-limit", "before a factor was finished"}, "factor", input, "--rank", "4", "--method", "rnmu", "--feasible", "each", "--time-limit", "1ns")
}

// What a reader would not expect is said in one line.
func TestNotes(t *testing.T) {
	script(t, `
-- m.csv 5,1,4\n1,6,2\n3,2,7\n9,3,5\n
factor m.csv --rank 3 --method rnmu --iterations 2 | notes: of the largest entry of M; feasible final prevents that
factor m.csv --rank 3 --method rnmu --iterations 2 --feasible each | notes no: nmu
factor m.csv --rank 3 --method nmf | notes no: nmu
-- counts.csv 0,1,0,4\n0,0,3,0\n2,0,0,0\n
factor counts.csv --rank 2 | notes: are whole numbers and most are 0, as counts are; method kl is for counts
factor counts.csv --rank 2 --method kl | notes no: counts are
`)
}
