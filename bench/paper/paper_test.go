package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"nmu/internal/dataset"
	"nmu/internal/must"
	"nmu/internal/options"
	"nmu/kernel"
	"nmu/lnmu"
	"nmu/lnmu/outcome"
)

// quickPlan is a plan with next to no iterations.
func quickPlan(t *testing.T, sets ...string) Plan {
	t.Helper()
	if testing.Short() && (kernel.Level() == "generic" || runtime.GOARCH != "amd64") {
		t.Skip("takes long without assembly and in an emulator: not with -short")
	}
	return Plan{Sets: sets, Data: t.TempDir(), Restarts: 2, Threads: 3, Say: func(string) {}, iterations: 5, long: 6}
}

func mustRun(t *testing.T, plan Plan) *Tables {
	t.Helper()
	return must.Get(Run(t.Context(), plan))(t)
}

// figuresOf returns all that a table says, without times.
func figuresOf(s *Set) string {
	var b strings.Builder
	b.WriteString(s.Markdown())
	for _, row := range s.Rows {
		text, _ := json.Marshal([]any{row.Figures, row.Least, row.Most, row.Seed, row.MaxViolation, row.Asked})
		b.Write(text)
	}
	return b.String()
}

// The rows are those of the paper, in its order, each the best of the same starts
// that lnmu.Factor would choose.
func TestRows(t *testing.T) {
	plan := quickPlan(t, setSwimmer)
	set := mustRun(t, plan).Sets[0]
	var got []string
	for _, row := range set.Rows {
		got = append(got, row.Name)
	}
	want := []string{rowPCA, rowNMF, rowGNMU, rowSNMFGNMU, rowHoyerGNMU, rowRNMU, rowSNMFRNMU, rowHoyerRNMU}
	if !slices.Equal(got, want) {
		t.Fatalf("rows %v, want %v", got, want)
	}
	for _, method := range []lnmu.Method{lnmu.NMF{Solver: lnmu.SolverHALS}, lnmu.GNMU{}, lnmu.RNMU{}} {
		res := must.Get(lnmu.Factor(t.Context(), set.data.m, 8, method, &lnmu.Settings{Limits: lnmu.Limits{Iterations: 5}, Start: lnmu.Start{Restarts: 2}}))(t)
		row := set.Rows[slices.IndexFunc(set.Rows, func(r *Row) bool { return r.Method == method.Name() })]
		must.Equal(t, [3]any{row.Seed, row.Figures[colPlain], row.MaxViolation}, [3]any{res.BestSeed, Figure(100 * res.RelativeError), res.MaxViolation}, row.Name, "seed")
		if row.Least[colPlain] != row.Figures[colPlain] || row.Most[colPlain] < row.Least[colPlain] {
			t.Errorf("%s: least %v, most %v, chosen %v", row.Name, row.Least[colPlain], row.Most[colPlain], row.Figures[colPlain])
		}
	}
	g := set.find(rowGNMU)
	must.Equal(t, set.find(rowSNMFGNMU).Asked, "s(V) "+colSV.format(g.Figures[colSV])+", s(W) "+colSW.format(g.Figures[colSW]), "sNMF was asked for")
	h := set.find(rowHoyerGNMU) // 85 % in V, about 50 % in W: the sparser one is V
	if h.Asked != "sh(V) "+colSHV.format(g.Figures[colSHV]) || math.Abs(float64(h.Figures[colSHV]-g.Figures[colSHV])) > 0.5 {
		t.Errorf("Hoyer was asked for %q and reached %v, want that of G-NMU, %v", h.Asked, h.Figures[colSHV], g.Figures[colSHV])
	}
	r := set.find(rowRNMU)
	if r.Parts == nil || len(r.Variants) != 1 || r.Variants[0].Variant != "6 iterations" || r.Variants[0].Iterations != 6 || r.Variants[0].Parts == nil {
		t.Errorf("R-NMU: %+v", r)
	}
}

// The figures do not depend on the number of threads.
func TestThreads(t *testing.T) {
	plan := quickPlan(t, setSwimmer)
	three := figuresOf(mustRun(t, plan).Sets[0])
	plan.Threads = 1
	must.Equal(t, figuresOf(mustRun(t, plan).Sets[0]), three, "with one thread\n")
}

// Vectors of equal singular values are not determined, and so not compared: the
// swimmer's σ2 to σ13 are equal.
func TestEqualValues(t *testing.T) {
	swimmer := dataset.Swimmer()
	for _, c := range []struct {
		m    lnmu.Dense[float64]
		rank int
		want string
	}{
		{lnmu.NewDense(swimmer.Rows, swimmer.Cols, swimmer.Data), 8, "σ2 to σ13"},
		{lnmu.NewDense(swimmer.Rows, swimmer.Cols, swimmer.Data), 1, ""},
		{lnmu.NewDense(3, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}), 2, "σ1 to σ3"},
		{lnmu.NewDense(2, 2, []float64{3, 1, 1, 2}), 2, ""},
	} {
		must.Equal(t, equalValues(must.Get(PCA(c.m, c.rank))(t).Values, c.rank), c.want, "rank", c.rank)
	}
}

func TestDeviations(t *testing.T) {
	paper := printed(10, 8, 50, 60, 0, 0)
	for _, c := range []struct {
		row  string
		ours Figures
		want []string
	}{
		{rowPCA, printed(10.004, 7.996, 0, 0, 9, 9), nil},
		{rowPCA, printed(10.006, 7.996, 50, 60, 0, 0), []string{"Plain"}},
		{rowNMF, printed(10.049, 1, 0, 0, 9, 9), nil},
		{rowNMF, printed(9.94, 8, 50, 60, 0, 0), []string{"Plain"}},
		{rowGNMU, printed(10.79, 7.37, 56, 54, 99, 99), nil},
		{rowGNMU, printed(10.81, 7.35, 56.1, 53.9, 0, 0), []string{"Plain", "Improved", "s(V)", "s(W)"}},
		{rowHoyerRNMU, printed(10, 8, 0, 60, 0, 0), []string{"s(V)"}},
	} {
		var got []string
		for _, d := range deviations(c.row, c.ours, paper) {
			got = append(got, columns[d.column].name)
		}
		must.EqualSlices(t, got, c.want, c.row, c.ours, "beyond")
	}
}

func TestJudge(t *testing.T) {
	paper := printed(10, 8, 50, 60, 0, 0)
	row := func(least, ours, most Figures, variants ...*Row) *Row {
		return &Row{Name: rowGNMU, Figures: ours, Least: least, Most: most, Paper: paper, Variants: variants}
	}
	off := printed(12, 8, 50, 60, 0, 0)
	for _, c := range []struct {
		name string
		row  *Row
		want Agreement
		says string
	}{
		{"equal", row(paper, paper, paper), Agrees, ""},
		{"far off", row(off, off, off), Differs, "Plain 12.00, paper 10.00 (+20.0 %): over the starts 12.00 to 12.00"},
		{"another start", row(paper, off, off), Explained, "so the start decides"},
		{"a variant", row(off, off, off, &Row{Variant: "all", Figures: paper}), Explained, "with all 10.00, within the tolerance"},
		{"no variant", row(off, off, off, &Row{Variant: "all", Figures: off}), Differs, "with all 12.00; over"},
		{"one of two", row(printed(12, 9, 50, 60, 0, 0), printed(12, 9, 50, 60, 0, 0), off), Differs, "Improved 9.00, paper 8.00 (+12.5 %)"},
		{"not in the paper", &Row{Name: rowHoyerRNMU, Paper: inPaper(setSwimmer, rowHoyerRNMU), Stop: outcome.StopStep}, NotJudged, "no step reduced the error"},
	} {
		judge(c.row)
		text := strings.Join(c.row.Reasons, "\n")
		if c.row.Verdict != c.want || !strings.Contains(text, c.says) || (text == "") != (c.says == "") {
			t.Errorf("%s: %s because of %q", c.name, c.row.Verdict, text)
		}
	}
}

// What explains a row of sNMF or Hoyer is measured with the paper's own targets.
func TestVariants(t *testing.T) {
	set := &Set{Name: setCBCL, Rank: 49}
	like := &Row{Name: rowRNMU, v: outcome.Sparsity{Zeros: 0.47, Hoyer: 0.58}, w: outcome.Sparsity{Zeros: 0.5, Hoyer: 0.62}}
	set.Rows = []*Row{like}
	r := &run{Plan: Plan{Restarts: 1}}
	row := &Row{Figures: printed(1, 1, 1, 1, 1, 1)}
	for _, spec := range rowSpecs {
		if spec.like != rowRNMU {
			continue
		}
		e := r.experiment(set, spec)
		row.Name, row.Paper = spec.name, inPaper(set.Name, spec.name)
		var got []string
		for _, v := range r.variants(e, row) {
			got = append(got, v.variant+": "+v.asked)
		}
		want := []string{"the paper's targets: s(V) 53, s(W) 52"}
		if _, ok := spec.method.(lnmu.Hoyer); ok {
			want = []string{"the paper's target: sh(W) 64", "the other factor: sh(V) 58"}
		}
		must.EqualSlices(t, got, want, spec.name)
		row.Figures = row.Paper
		if got := r.variants(e, row); got != nil {
			t.Errorf("%s: %d variants of a row that agrees", spec.name, len(got))
		}
		row.Figures = printed(1, 1, 1, 1, 1, 1)
	}
}

func TestDifference(t *testing.T) {
	for _, c := range []struct {
		column   column
		x, paper Figure
		want     string
	}{
		{colPlain, 8.126, 8.12, "+0.01"}, {colPlain, 8.116, 8.12, "0.00"}, {colPlain, 8, 8.5, "-0.50"},
		{colSV, 54.4, 54, "0"}, {colSV, 53.6, 54, "0"}, {colSV, 60, 54, "+6"},
	} {
		must.Equal(t, c.column.difference(c.x, c.paper), c.want, c.x, "for", c.paper)
	}
}

// Columns of W: with V scaled, the weights of a column are as large as what they
// stand for.
func TestColumnSparseness(t *testing.T) {
	v := lnmu.NewDense(2, 2, []float64{4, 0, 0, 0.5})
	w := lnmu.NewDense(2, 2, []float64{1, 0.25, 8, 0})
	// diag(4, 0.5) W = [4 1; 4 0]: sh = 0 and 1
	must.AtMost(t, math.Abs(columnSparseness(v, w)-0.5), 1e-12)
	before := []float64{1, 0.25, 8, 0}
	if !reflect.DeepEqual(w.Data, before) {
		t.Error("W has changed")
	}
}

// UnmarshalJSON implements json.Unmarshaler.
func (f *Figures) UnmarshalJSON(text []byte) error {
	var members map[string]Figure
	err := json.Unmarshal(text, &members)
	for c := range f {
		f[c] = members[columns[c].member]
	}
	return err
}

// printed returns a row of the tables without column Scaled.
func printed(plain, improved, sv, sw, shv, shw Figure) Figures {
	return Figures{plain, none, improved, sv, sw, shv, shw, none}
}

// readPaper returns docs/paper.json.
func readPaper(t *testing.T) *Tables {
	t.Helper()
	p := new(Tables)
	if err := json.Unmarshal([]byte(readPage(t, "docs/paper.json")), p); err != nil || p.Schema != Schema || p.Restarts != 10 || len(p.Sets) != 2 {
		t.Fatalf("docs/paper.json: %+v, %v", p, err)
	}
	return p
}

// readPage returns a file of the project.
func readPage(t *testing.T, path string) string {
	t.Helper()
	text := must.Get(os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(path))))(t)
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

// TestPaperPage: docs/paper.md shows docs/paper.json, which the command of that page has written. With
// NMU_FULL the set that is built in is computed anew.
func TestPaperPage(t *testing.T) {
	p, page := readPaper(t), readPage(t, "docs/paper.md")
	for _, set := range p.Sets {
		if want := "<!-- go run ./bench/paper: " + set.Name + " -->\n" + set.Markdown() + "<!-- end -->\n"; !strings.Contains(page, want) {
			t.Errorf("docs/paper.md does not show\n%s", want)
		}
		must.Say(t, page, "(paper-"+set.FigureName()+")", set.FigureName())
		for _, row := range set.Rows {
			if printed := inPaper(set.Name, row.Name); fmt.Sprint(printed) != fmt.Sprint(row.Paper) {
				t.Errorf("%s, %s: published.json has %v, docs/paper.json %v", set.Name, row.Name, printed, row.Paper)
			}
		}
	}
	if os.Getenv("NMU_FULL") == "" {
		return
	}
	out := t.TempDir()
	must.Do(t, command(t.Context(), []string{"-only", setSwimmer, "-data", out, "-out", out}, io.Discard, io.Discard))
	text, err := os.ReadFile(filepath.Join(out, "paper.json"))
	must.Do(t, err)
	var again Tables
	must.Do(t, json.Unmarshal(text, &again))
	recorded := p.Sets[slices.IndexFunc(p.Sets, func(s *Set) bool { return s.Name == setSwimmer })]
	for i, row := range recorded.Rows[1:] { // PCA is of gonum, whose last bits depend on the machine
		must.Equal(t, rowText(t, again.Sets[0].Rows[1+i]), rowText(t, row), row.Name, "is now\n")
	}
	var figures [2]image.Image
	for i, path := range []string{filepath.Join(out, "swimmer.png"), filepath.Join("..", "..", "docs", "paper-swimmer.png")} {
		file := must.Get(os.Open(path))(t)
		if figures[i], err = png.Decode(file); err != nil {
			t.Fatal(err)
		}
		file.Close()
	}
	if !reflect.DeepEqual(figures[0], figures[1]) {
		t.Error("docs/paper-swimmer.png is another picture than the command draws")
	}
}

// rowText returns a row with its variants as in paper.json, but without times.
func rowText(t *testing.T, row *Row) string {
	t.Helper()
	for _, r := range append([]*Row{row}, row.Variants...) {
		r.Seconds = 0
	}
	text := must.Get(json.Marshal(row))(t)
	return string(text)
}

// TestMethodTables: README.md and docs/methods.md show of each method what docs/paper.json and package
// lnmu have.
func TestMethodTables(t *testing.T) {
	names := map[string]string{"nmf": rowNMF, "gnmu": rowGNMU, "rnmu": rowRNMU, "snmf": rowSNMFGNMU, "hoyer": rowHoyerGNMU}
	p, readme, page := readPaper(t), readPage(t, "README.md"), readPage(t, "docs/methods.md")
	faces := p.Sets[slices.IndexFunc(p.Sets, func(s *Set) bool { return s.Name == setCBCL })]
	table := "| method | what it solves | iterations | the factors |\n|---|---|---|---|\n"
	for _, d := range options.Methods() {
		iterations := fmt.Sprint(d.Iterations)
		if d.Recursive {
			iterations += " each"
		}
		table += fmt.Sprintf("| `%s` | %s | %s | %s |\n", d.Name, strings.ReplaceAll(d.Problem, "|", `\|`), iterations, d.Factors)
		if names[d.Name] == "" {
			continue // it is not of the paper
		}
		row := faces.find(names[d.Name])
		f := row.Figures
		want := fmt.Sprintf("%.1f | %.0f | %.0f | %.0f |", f[colPlain], f[colSV], f[colSW], 100*row.MaxViolation)
		if shown := regexp.MustCompile("\\| `" + d.Name + "` \\| [^|]+ \\| (.*)\n").FindStringSubmatch(readme); shown == nil || shown[1] != want {
			t.Errorf("README.md shows of %s %q, want %s", d.Name, shown, want)
		}
	}
	must.Say(t, page, table)
	if says := fmt.Sprintf("%d x %d, r = %d, best of", faces.Height*faces.Width, faces.Images, faces.Rank); !strings.Contains(readme, says) {
		t.Errorf("README.md does not say %q", says)
	}
	for _, set := range p.Sets {
		format := "by up to %.1g %% (R-NMU) or %.1g %% (G-NMU)"
		if set == faces {
			format = "by up to %.0f %% (R-NMU) or %.0f %% (G-NMU)"
		}
		says := fmt.Sprintf(format, 100*set.find(rowRNMU).MaxViolation, 100*set.find(rowGNMU).MaxViolation)
		must.Say(t, strings.Join(strings.Fields(page), " "), says, set.Title)
	}
}

// TestCommand writes the files of a set without data, and refuses what it cannot use.
func TestCommand(t *testing.T) {
	out := t.TempDir()
	var page bytes.Buffer
	if err := command(t.Context(), []string{"-only", setCBCL, "-data", out, "-out", out}, &page, io.Discard); err != nil || !strings.Contains(page.String(), "CBCL faces: left out") {
		t.Errorf("%v\n%s", err, &page)
	}
	for _, name := range []string{"paper.md", "paper.json"} {
		if _, err := os.Stat(filepath.Join(out, name)); err != nil {
			t.Error(err)
		}
	}
	for _, args := range [][]string{{"-only", "mnist"}, {"-only", ""}, {"-restarts", "0"}, {"-threads", "-1"}, {"-out", ""}, {"extra"}} {
		if err := command(t.Context(), args, io.Discard, io.Discard); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}

// TestPCA checks the PCA rows of the paper's tables, to their two decimals.
func TestPCA(t *testing.T) {
	for _, set := range readPaper(t).Sets {
		data, err := loadSet(set.Name, filepath.Join("..", "..", "..", "shared", "data"))
		if errors.Is(err, errNoData) {
			continue
		}
		must.Do(t, err)
		c := must.Get(PCA(data.m, data.rank))(t)
		must.Equal(t, fmt.Sprintf("%.2f", 100*c.RelativeError), fmt.Sprintf("%.2f", inPaper(set.Name, rowPCA)[colPlain]), set.Name, "relative error")
	}
}
