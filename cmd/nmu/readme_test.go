package main

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nmu/cmd/nmu/internal/message"
	"nmu/internal/paper"
	"nmu/lnmu"
)

func readText(t testing.TB, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The README shows what the demo gives, in numbers and in pictures, made by
//
//	go run ./cmd/nmu demo --out docs
func TestReadmeDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("a long computation without assembly: not with -short")
	}
	readme := readText(t, "..", "..", "README.md")
	shown := map[string]string{}
	for line := range strings.Lines(readme) {
		if fields := strings.Fields(line); len(fields) == 13 {
			shown[fields[0]] = strings.Join(fields[1:12], " ")
		}
	}
	out := t.TempDir()
	for line := range strings.Lines(succeed(t, "demo", "--out", out)) {
		fields := strings.Fields(line)
		if len(fields) != 13 || fields[2] != "%" {
			continue
		}
		method := fields[0]
		if got := strings.Join(fields[1:12], " "); got != shown[method] {
			t.Errorf("%s: the demo gives %s, README.md says %s", method, got, shown[method])
		}
		if !strings.Contains(readme, "(docs/"+method+".png)") {
			t.Errorf("README.md does not show docs/%s.png", method)
		}
		if !samePicture(t, filepath.Join(out, method+".png"), filepath.Join("..", "..", "docs", method+".png")) {
			t.Errorf("docs/%s.png is not what the demo draws", method)
		}
		delete(shown, method)
	}
	for _, method := range []string{"nmf", "gnmu", "rnmu"} {
		if _, left := shown[method]; left {
			t.Errorf("the demo has no line for %s", method)
		}
	}
}

// samePicture compares pixels, since the compression may change.
func samePicture(t *testing.T, a, b string) bool {
	t.Helper()
	var pictures [2]*image.Gray
	for i, path := range []string{a, b} {
		p, err := png.Decode(strings.NewReader(readText(t, path)))
		if err != nil {
			t.Fatal(err)
		}
		gray, ok := p.(*image.Gray)
		if !ok {
			t.Fatalf("%s: not gray but %T", path, p)
		}
		pictures[i] = gray
	}
	return pictures[0].Rect == pictures[1].Rect && bytes.Equal(pictures[0].Pix, pictures[1].Pix)
}

// The table of methods in docs/methods.md is what the library says of them, and the page tells
// how far they exceed M as docs/paper.json has it.
func TestMethodsPage(t *testing.T) {
	const head = "| method | what it solves | iterations | the factors |\n|---|---|---|---|\n"
	page := readText(t, "..", "..", "docs", "methods.md")
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

// paperRow returns a row of a table of nmu paper.
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
	readme := readText(t, "..", "..", "README.md")
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

// docs/solvers.md shows what runs on the faces give, and the README names the first of them.
func TestSolversPage(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("a long computation: with NMU_FULL only")
	}
	faces := realData(t, "CBCL.mat")
	page := readText(t, "..", "..", "docs", "solvers.md")
	command, ok := "factor CBCL.mat --rank 10", false
	if _, page, ok = strings.Cut(page, "`nmu "+command+"`"); !ok {
		t.Fatalf("docs/solvers.md does not name %s", command)
	}
	shown := regexp.MustCompile("(?m)^\\| `(--method .*)` \\| (.*) \\| (.*) \\| (.*) \\|$").FindAllStringSubmatch(page, -1)
	if len(shown) < 5 {
		t.Fatalf("docs/solvers.md shows the runs %q", shown)
	}
	readme := strings.Join(strings.Fields(readText(t, "..", "..", "README.md")), " ")
	for i, row := range shown {
		args := append(strings.Fields(command), strings.Fields(row[1])...)
		args[1] = faces
		rep := parseReport(t, []byte(succeed(t, append(args, "--json")...)))
		got := []string{message.Percent(rep.RelativeError), message.Percent(rep.Violation), fmt.Sprintf("%.0f %%", 100*rep.MaxViolation/rep.LargestEntry)}
		if !slices.Equal(got, row[2:]) {
			t.Errorf("docs/solvers.md shows of %s %q, it gives %q", row[1], row[2:], got)
		}
		if says := fmt.Sprintf("gives %.0f %% error, and V W exceeds M by up to %s of its largest entry", 100*rep.RelativeError, got[2]); i == 0 && !strings.Contains(readme, says) {
			t.Errorf("README.md does not say %q", says)
		}
	}
}
