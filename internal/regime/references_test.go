package regime

import (
	"cmp"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nmu/internal/gonum"
	"nmu/internal/literal"
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
	must.Equal(t, rows, len(references), "rows in the page")
}

func (p problem) squares(v, w matrix) float64    { return p.Squares(v, w) }
func (p problem) divergence(v, w matrix) float64 { return p.Divergence(v, w) }

func setColumn(x matrix, j int, c []float64) {
	for i, a := range c {
		x.Row(i)[j] = a
	}
}

// sumSteps alternates coordinate steps for one factor with projected gradient steps for the other
// one, whose vectors have the sum 1: the columns of W, or else the rows of V.
func sumSteps(p literal.Problem, v, w matrix, ofV bool, iterations int) {
	q, h, g := p.Transposed(), w.Transposed(), v.Transposed() // rows of h have the sum 1
	if ofV {
		q, h, g = p, literal.Clone(v), literal.Clone(w)
	}
	for range iterations {
		turned := g.Transposed()
		literal.HALS{Held: func(_, _ int, ofV bool) bool { return !ofV }}.Step(q.Transposed(), turned, h.Transposed())
		g = turned.Transposed()
		for i := range h.Rows {
			simplexGradient(q.M.Row(i), q.U.Row(i), h.Row(i), g)
		}
	}
	if ofV {
		copy(v.Data, h.Data)
		copy(w.Data, g.Data)
		return
	}
	copy(v.Data, g.Transposed().Data)
	copy(w.Data, h.Transposed().Data)
}

// simplexGradient lowers Σ u (m - h G)² over the h >= 0 with the sum 1, by projected gradient steps.
func simplexGradient(m, u, h []float64, g matrix) {
	var lipschitz float64
	for k := range h {
		for j, b := range g.Row(k) {
			lipschitz += u[j] * b * b
		}
	}
	for range 50 {
		if lipschitz == 0 {
			return
		}
		e := slices.Clone(m)
		for k, a := range h {
			for j, b := range g.Row(k) {
				e[j] -= a * b
			}
		}
		for k := range h {
			for j, b := range g.Row(k) {
				h[k] += u[j] * e[j] * b / lipschitz
			}
		}
		ontoSimplex(h)
	}
}

// ontoSimplex projects h onto the vectors h >= 0 with the sum 1: it subtracts the number t for which
// the positive parts have this sum, those of the n largest entries.
func ontoSimplex(h []float64) {
	sorted := slices.Clone(h)
	slices.SortFunc(sorted, func(a, b float64) int { return cmp.Compare(b, a) })
	var t, sum, total float64
	for n, x := range sorted {
		sum += x
		if next := (sum - 1) / float64(n+1); n == 0 || x > next {
			t = next
		}
	}
	for k, x := range h {
		h[k] = math.Max(0, x-t)
		total += h[k]
	}
	for k := range h {
		h[k] /= total
	}
}

// leastSquare returns the least Σ (m - v w)² at rank one of a complete M >= 0: the squares of all singular
// values but the first.
func leastSquare(p problem) (sum float64) {
	var svd mat.SVD
	svd.Factorize(gonum.To(p.M), mat.SVDNone)
	for _, sigma := range svd.Values(nil)[1:] {
		sum += sigma * sigma
	}
	return sum
}

// leastDivergence returns the least divergence at rank one of a complete M, whose V W is the
// product of its row and column sums over the sum of all entries.
func leastDivergence(p problem) float64 {
	rows, cols := literal.Product(p.M, p.U.Transposed()), literal.Product(p.U.Transposed(), p.M)
	return p.Divergence(literal.New(p.M.Rows, 1, func(i, _ int) float64 { return rows.At(i, 0) }),
		literal.New(1, p.M.Cols, func(_, j int) float64 { return cols.At(0, j) / p.Total() }))
}

// leastMeans returns the least Σ u (m - v w)² at rank one if the entries of w must be 1: v has the
// weighted means of the rows.
func leastMeans(p problem) float64 {
	means := literal.New(p.M.Rows, 1, func(i, _ int) float64 {
		var total, weight float64
		for j, a := range p.M.Row(i) {
			total += p.U.At(i, j) * a
			weight += p.U.At(i, j)
		}
		return total / weight
	})
	return p.Squares(means, literal.New(1, p.M.Cols, func(int, int) float64 { return 1 }))
}
