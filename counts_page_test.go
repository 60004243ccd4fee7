package nmu

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"nmu/internal/must"
	"nmu/internal/render"
)

var update = flag.Bool("update", false, "write the tables and plots of docs/kl.md and docs/starts.md instead of comparing with them")

// counted is docs/kl.json, which python/bench/counts.py writes.
type counted struct {
	Processor, Level     string
	Threads, Repetitions int
	ScikitLearn          string `json:"scikit_learn"`
	Data                 []struct {
		Name                          string
		Rows, Columns, Positive, Rank int
		Runs                          []countedRun
	}
	Starts []struct {
		Program string
		Runs    []countedRun
	}
}

// countedRun is a run of a program.
type countedRun struct {
	Program            string
	Iterations         int
	Seconds            float64
	RelativeDivergence float64 `json:"relative_divergence"`
}

// TestCountsPage: the plots and tables of docs/kl.md are those of docs/kl.json.
func TestCountsPage(t *testing.T) {
	text := must.Get(os.ReadFile("docs/kl.json"))(t)
	var c counted
	must.Do(t, json.Unmarshal(text, &c))
	page := readPage(t, "docs/kl.md")
	for _, d := range c.Data {
		var lines []render.Line
		least := math.Inf(1)
		for _, r := range d.Runs {
			least = min(least, r.RelativeDivergence)
		}
		table := fmt.Sprintf("%d x %d, %d positive entries, rank %d. %s, %s kernels, %s, float64, scikit-learn %s, the least of %d runs:\n\n| program | iterations | seconds | relative divergence |\n|---|---:|---:|---:|\n",
			d.Rows, d.Columns, d.Positive, d.Rank, c.Processor, c.Level, render.Plural(c.Threads, "thread"), c.ScikitLearn, c.Repetitions)
		for _, r := range d.Runs {
			program := r.Program
			if program != "scikit-learn" {
				program = "kl, " + program
			}
			if n := len(lines); n == 0 || lines[n-1].Name != program {
				lines = append(lines, render.Line{Name: program})
			}
			if above := r.RelativeDivergence - least; above > 0 {
				line := &lines[len(lines)-1]
				line.Points = append(line.Points, render.Spread{X: r.Seconds, Y: above})
			}
			table += fmt.Sprintf("| %s | %d | %s | %.6f |\n", program, r.Iterations, render.Number(r.Seconds), r.RelativeDivergence)
		}
		plot := logPlot(t, "Kullback-Leibler divergence over time, "+d.Name+" counts", "seconds", "relative divergence above the least one", lines)
		compare(t, "docs/kl-"+d.Name+".svg", "kl.json", plot)
		page = fill(t, page, d.Name, "kl.json", table)
	}
	least := math.Inf(1)
	for _, s := range c.Starts {
		for _, r := range s.Runs {
			least = min(least, r.RelativeDivergence)
		}
	}
	table := fmt.Sprintf("| solver | iterations | starts | of them at %.4f, the least | seconds |\n|---|---:|---:|---:|---:|\n", least)
	for _, s := range c.Starts {
		at, seconds := 0, []float64{}
		for _, r := range s.Runs {
			if r.RelativeDivergence < least+1e-4 {
				at++
			}
			seconds = append(seconds, r.Seconds)
		}
		table += fmt.Sprintf("| `%s` | %d | %d | %d | %.1f to %.1f |\n", s.Program, s.Runs[0].Iterations, len(s.Runs), at, slices.Min(seconds), slices.Max(seconds))
	}
	page = fill(t, page, "starts", "kl.json", table)
	compare(t, "docs/kl.md", "kl.json", []byte(page))
}

// fill returns a page with the table between its marks, which name the file in docs that it is from.
func fill(t *testing.T, page, name, from, table string) string {
	begin, end := "<!-- "+name+": from "+from+" -->\n", "<!-- end -->"
	before, rest, ok := strings.Cut(page, begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("the page has no %q ... %q", begin, end)
	}
	return before + begin + "\n" + table + "\n" + end + after
}

// logPlot draws lines of positive numbers by their logarithms.
func logPlot(t *testing.T, title, x, y string, lines []render.Line) []byte {
	t.Helper()
	for _, l := range lines {
		for i, at := range l.Points {
			l.Points[i] = render.Spread{X: math.Log10(at.X), Y: math.Log10(at.Y)}
		}
	}
	return must.Get(render.Panels(title, "log10 of "+x, []render.Panel{{Y: "log10 of " + y, Lines: lines}}, 0))(t)
}

// compare compares a file with what it should hold, from another file in docs, or writes it with
// -update.
func compare(t *testing.T, path, from string, want []byte) {
	t.Helper()
	if *update {
		must.Do(t, os.WriteFile(path, want, 0o666))
		return
	}
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n")), want) {
		t.Errorf("%s does not follow from docs/%s (%v): go test . -run %s -update", path, from, err, t.Name())
	}
}
