package regime

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nmu/internal/must"
)

// references names, for the rows of docs/combinations.md and the columns of their first table, the
// tests that compare a run with an independent reference: a literal form, a closed form, or the
// definition of what is promised. Columns: dense, Sparse, Unstored entries missing, Missing entries,
// Weights, Held factors, Kl, kl multiplicative (X), missing solver Exact.
var references = map[string]map[string]string{
	"method hoyer":       {"D": "TestLiteral"},
	"method snmf":        {"D": "TestLiteral", "SUMWE": "TestRegime TestLiteral"},
	"method kl":          {"DSMWKX": "TestLiteral TestRegime", "H": "TestLiteral"},
	"solver coordinate":  {"DSMWK": "TestRegime TestKLStationary", "H": "TestLiteral"},
	"solver accelerated": {"D": "TestLiteral", "SUMWE": "TestRegime"},
	"solver admm":        {"DS": "TestLiteral", "ME": "TestLiteral", "H": "TestLiteral"},
	"norm l1":            {"D": "TestLiteral", "ME": "TestLiteral"},
	"penalties, target sparsities or smoothness of rnmu": {"D": "TestLiteral", "H": "TestFixedStay"},
	"l2 penalties":     {"DSUMWKXE": "TestL2Stationary", "H": "TestL2Stationary"},
	"feasible factors": {"DMWE": "TestRegime TestFeasible"},
	"first multipliers from the violations of the start": {"DMWE": "TestLiteral", "H": "TestLiteral"},
	"one multiplier for all zeros":                       {"S": "TestLiteral", "H": "TestLiteral", "MW": "-"},
	"start svd":                                          {"DSMWKE": "TestInitSVD TestRegime", "H": "TestHeldCells"},
	"start spa or snpa":                                  {"DSMWKE": "TestInitPure TestRegime", "H": "TestHeldCells"},
	"rows of V or columns of W that sum to one":          {"DSUMWE": "TestSumToOne TestRegime"},
	"fixed factors or a baseline":                        {"DSH": "TestLiteral TestHeldCells", "KX": "TestLiteral", "U": "-"},
	"missing entries":                                    {"DMWE": "TestLiteral TestRegime", "KX": "TestLiteral"},
	"weights":                                            {"DMWE": "TestLiteral TestWeightsSpan", "KX": "TestLiteral"},
	"a Gram matrix for each row and column (missing solver exact)": {"DMWE": "TestLiteral TestRegime"},
	"unstored entries as missing":                                  {"SUM": "TestRegime TestLiteral", "WKX": "-"},
	"overwriting M":                                                {"DMWHKXE": "TestOverwriteCells"},
	"improving factors":                                            {"DSUMWHE": "TestImprovedCells"},
}

// TestEveryCellHasReference checks that each yes of docs/combinations.md has a reference, but for
// matrices in files and in several processes: TestCombinations compares those with the bits of the
// matrix in memory. "-" marks a cell that no run can be in, since two of its conditions exclude each other.
func TestEveryCellHasReference(t *testing.T) {
	columns := map[string]string{
		"dense": "D", "sparse": "S", "sparse, unstored entries missing": "U", "with missing entries": "M", "with weights": "W",
		"with fixed factors": "H", "with method kl": "K", "with method kl, solver multiplicative": "X", "with missing solver exact": "E",
		"dense, in files": "", "in several processes": "", "sparse, in files": "", "sparse, in several processes": "",
	}
	page := must.Get(os.ReadFile("../../docs/combinations.md"))(t)
	var source strings.Builder
	for _, folder := range []string{".", "../../lnmu"} {
		files, _ := filepath.Glob(filepath.Join(folder, "*_test.go"))
		for _, name := range files {
			text := must.Get(os.ReadFile(name))(t)
			source.Write(text)
		}
	}
	cells := func(line string) []string {
		parts := strings.Split(strings.Trim(line, "| "), " | ")
		for i := range parts {
			parts[i] = strings.Trim(parts[i], "| ")
		}
		return parts
	}
	_, table, _ := strings.Cut(string(page), "\n| |")
	table, _, _ = strings.Cut(table, "\n\n")
	lines := strings.Split(table, "\n")
	heads, rows := cells(lines[0]), 0
	for _, line := range lines[2:] {
		row, used := cells(line), map[string]bool{}
		rows++
		for j, head := range heads {
			column, known := columns[head]
			if !known {
				t.Fatalf("a new column: %q", head)
			}
			if row[j+1] != "yes" || column == "" {
				continue
			}
			found := ""
			for of, tests := range references[row[0]] {
				if strings.Contains(of, column) {
					found = tests
					used[column] = true
				}
			}
			if found == "" {
				t.Errorf("%s, %s: yes, but references names no test", row[0], head)
			}
			for _, name := range strings.Fields(found) {
				if name != "-" && !strings.Contains(source.String(), "\nfunc "+name+"(") {
					t.Errorf("%s, %s: there is no %s", row[0], head, name)
				}
			}
		}
		for of := range references[row[0]] {
			for _, column := range strings.Split(of, "") {
				if !used[column] {
					t.Errorf("%s: references names a test for column %s, which is no yes", row[0], column)
				}
			}
		}
	}
	if rows != len(references) {
		t.Errorf("%d rows in the page, %d in references", rows, len(references))
	}
}
