package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nmu/cmd/internal/commandtest"
	"nmu/internal/paper"
	"nmu/lnmu"
)

// The table of methods in docs/methods.md is what the library says of them, and the page tells
// how far they exceed M as docs/paper.json has it.
func TestMethodsPage(t *testing.T) {
	const head = "| method | what it solves | iterations | the factors |\n|---|---|---|---|\n"
	page := commandtest.ReadText(t, "..", "..", "docs", "methods.md")
	_, after, ok := strings.Cut(page, head)
	if !ok {
		t.Fatal("docs/methods.md has no table of methods")
	}
	got, _, _ := strings.Cut(after, "\n\n")
	var want []string
	for _, d := range lnmu.Methods() {
		iterations := fmt.Sprint(d.Iterations)
		if d.Recursive {
			iterations += " each"
		}
		problem := strings.ReplaceAll(d.Problem, "|", `\|`)
		want = append(want, fmt.Sprintf("| `%s` | %s | %s | %s |", d.Name, problem, iterations, d.Factors))
	}
	if rows := strings.Join(want, "\n"); got != rows {
		t.Errorf("docs/methods.md has\n%s\nthe descriptions make\n%s", got, rows)
	}
	for _, set := range readPaper(t, filepath.Join("..", "..", "docs", namePaperJSON)).Sets {
		percent := func(name string) string {
			return fmt.Sprintf("%.1g %%", 100*paperRow(t, set, name).MaxViolation)
		}
		if set.Name == benchFaces { // with two digits
			percent = func(name string) string { return fmt.Sprintf("%.0f %%", 100*paperRow(t, set, name).MaxViolation) }
		}
		says := fmt.Sprintf("by up to %s (R-NMU) or %s (G-NMU)", percent("R-NMU"), percent("G-NMU"))
		if !strings.Contains(strings.Join(strings.Fields(page), " "), says) {
			t.Errorf("docs/methods.md does not say of %s that V W exceeds M %s", set.Title, says)
		}
	}
}

// paperRow returns a row of a table of nmu-lab paper.
func paperRow(t *testing.T, set *paper.Set, name string) *paper.Row {
	t.Helper()
	i := slices.IndexFunc(set.Rows, func(r *paper.Row) bool { return r.Name == name })
	if i < 0 {
		t.Fatalf("%s: no row %s", set.Title, name)
	}
	return set.Rows[i]
}

// The README shows what every method gives on the faces, as docs/paper.json has it: SNMF and
// Hoyer's algorithm with the sparsity of G-NMU.
func TestReadmeMethods(t *testing.T) {
	rows := map[string]string{"nmf": "NMF", "gnmu": "G-NMU", "rnmu": "R-NMU", "snmf": "sNMF{G-NMU}", "hoyer": "Hoyer{G-NMU}"}
	sets := readPaper(t, filepath.Join("..", "..", "docs", namePaperJSON)).Sets
	faces := sets[slices.IndexFunc(sets, func(s *paper.Set) bool { return s.Name == benchFaces })]
	readme := commandtest.ReadText(t, "..", "..", "README.md")
	var want []string
	for _, d := range lnmu.Methods() {
		if rows[d.Name] == "" { // it is not of the paper
			continue
		}
		row := paperRow(t, faces, rows[d.Name])
		f := row.Figures
		want = append(want, fmt.Sprintf("%.1f | %.0f | %.0f | %.0f |", f.Plain, f.SV, f.SW, 100*row.MaxViolation))
		shown := regexp.MustCompile("\\| `" + d.Name + "` \\| [^|]+ \\| (.*)\n").FindStringSubmatch(readme)
		if shown == nil || shown[1] != want[len(want)-1] {
			t.Errorf("README.md shows of %s %q, want %s", d.Name, shown, want[len(want)-1])
		}
	}
	if says := fmt.Sprintf("%d x %d, r = %d, best of", faces.Height*faces.Width, faces.Images, faces.Rank); !strings.Contains(readme, says) {
		t.Errorf("README.md does not say %q", says)
	}
}

// The plots of docs/solvers.md are those of docs/tradeoff.json.
func TestTradeoffPlots(t *testing.T) {
	docs := filepath.Join("..", "..", "docs")
	var recorded struct{ Runs []paper.Tradeoff }
	if err := json.Unmarshal([]byte(commandtest.ReadText(t, docs, nameTradeoff)), &recorded); err != nil || len(recorded.Runs) == 0 {
		t.Fatalf("docs/%s has %d runs: %v", nameTradeoff, len(recorded.Runs), err)
	}
	shown := 0
	for _, set := range paper.Sets() {
		byError, byTime, err := paper.TradeoffPlots(set, recorded.Runs)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string][]byte{"tradeoff-" + set + ".svg": byError, "tradeoff-" + set + "-time.svg": byTime} {
			if got, err := os.ReadFile(filepath.Join(docs, name)); err == nil {
				shown++
				if !bytes.Equal(got, want) {
					t.Errorf("docs/%s is not the plot of docs/%s", name, nameTradeoff)
				}
			}
		}
	}
	if shown < 4 {
		t.Errorf("docs has %d plots of docs/%s", shown, nameTradeoff)
	}
}
