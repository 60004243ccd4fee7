package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestTablesBeside: what nmu decides about the first column of any table that a command reads is said, and
// --row-labels no turns it off.
func TestTablesBeside(t *testing.T) {
	const rows, cols = 9, 3
	table := func(name, header string, cols int, at func(i, j int) float64) string {
		text := header + "\n"
		for i := range rows {
			for j := range cols {
				if j > 0 {
					text += ","
				}
				text += fmt.Sprint(at(i, j))
			}
			text += "\n"
		}
		return textFile(t, name, text)
	}
	m := table("m.csv", "p,q,r", cols, func(i, j int) float64 { return float64((i*7+j*5)%11) + 1 })
	rising := func(i, j int) float64 {
		if j == 0 {
			return float64(i+1) / 2
		}
		return float64((i*5+j*3)%7) + 1
	}
	whole := table("whole.csv", "p,q,r", cols, rising)   // of the shape of M
	basis := table("basis.csv", "soil,water", 2, rising) // of two parts
	run := filepath.Join(t.TempDir(), "run")
	succeed(t, "factor", m, "--rank", "2", "--method", "nmf", "--restarts", "1", "--out", run)
	factor := []string{"factor", m, "--rank", "2", "--method", "nmf", "--restarts", "1"}
	for _, c := range []struct {
		file string
		args []string
		says string // without a choice: an error, or the output
		want string // of the output with --row-labels no
	}{
		{basis, []string{"transform", basis, m}, "rank 1", "rank 2"},
		{basis, []string{"report", run, "--out", filepath.Join(t.TempDir(), "page.html"), "--library", basis}, "water", "soil"},
		{basis, append(factor, "--fix-v", basis), "", ""},
		{whole, append(factor, "--weights", whole), "whole.csv is 9 x 2 and the matrix is 9 x 3", ""},
		{whole, append(factor, "--uncertainties", whole), "whole.csv is 9 x 2 and the matrix is 9 x 3", ""},
		{whole, append(factor, "--mask", whole), "whole.csv is 9 x 2 and the matrix is 9 x 3", ""},
	} {
		status, stdout, stderr := nmu(c.args...)
		note, why := "nmu: note: "+c.file+": table, 9 x ", `; rows "0.5" to "4.5" (column 1, "`
		if !strings.Contains(stderr, note) || !strings.Contains(stderr, why) || !strings.Contains(stderr, "which alone increases from row to row: --row-labels no makes it data") || !strings.Contains(stdout+stderr, c.says) {
			t.Errorf("%s: status %d, %s%s", strings.Join(c.args, " "), status, stdout, stderr)
		}
		status, stdout, stderr = nmu(append(c.args, "--row-labels", "no")...)
		if strings.Contains(stderr, why) || strings.Contains(stderr, "9 x 2 and") || !strings.Contains(stdout, c.want) {
			t.Errorf("%s --row-labels no: status %d, %s%s", strings.Join(c.args, " "), status, stdout, stderr)
		}
	}
}
