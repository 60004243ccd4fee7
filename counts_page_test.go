package nmu

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"nmu/internal/render"
)

var update = flag.Bool("update", false, "write the tables and plots of docs/kl.md instead of comparing with them")

// counted is docs/kl.json, which python/bench/counts.py writes.
type counted struct {
	Processor, Level     string
	Threads, Repetitions int
	ScikitLearn          string `json:"scikit_learn"`
	Data                 []struct {
		Name                          string
		Rows, Columns, Positive, Rank int
		Runs                          []struct {
			Program            string
			Iterations         int
			Seconds            float64
			RelativeDivergence float64 `json:"relative_divergence"`
		}
	}
}

// TestCountsPage: the plots and tables of docs/kl.md are those of docs/kl.json.
func TestCountsPage(t *testing.T) {
	text, err := os.ReadFile("docs/kl.json")
	if err != nil {
		t.Fatal(err)
	}
	var c counted
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	page := readPage(t, "docs/kl.md")
	for _, d := range c.Data {
		var points []render.Point
		table := fmt.Sprintf("%d x %d, %d positive entries, rank %d:\n\n| program | iterations | seconds | relative divergence |\n|---|---:|---:|---:|\n", d.Rows, d.Columns, d.Positive, d.Rank)
		for _, r := range d.Runs {
			program := r.Program
			if program != "scikit-learn" {
				program = "kl, " + program
			}
			points = append(points, render.Point{Line: program, X: r.Seconds, Y: r.RelativeDivergence})
			table += fmt.Sprintf("| %s | %d | %s | %.4f |\n", program, r.Iterations, render.Number(r.Seconds), r.RelativeDivergence)
		}
		plot, err := render.Lines("Kullback-Leibler divergence over time, "+d.Name+" counts", "Seconds", "Relative divergence", points)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, "docs/kl-"+d.Name+".svg", plot)
		begin, end := "<!-- "+d.Name+": from kl.json -->\n", "<!-- end -->"
		before, rest, ok := strings.Cut(page, begin)
		_, after, closed := strings.Cut(rest, end)
		if !ok || !closed {
			t.Fatalf("docs/kl.md has no %q ... %q", begin, end)
		}
		page = before + begin + "\n" + table + "\n" + end + after
	}
	compare(t, "docs/kl.md", []byte(page))
}

// compare compares a file with what it should hold, or writes it with -update.
func compare(t *testing.T, path string, want []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, want, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n")), want) {
		t.Errorf("%s does not follow from docs/kl.json (%v): go test . -run TestCountsPage -update", path, err)
	}
}
