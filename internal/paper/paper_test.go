package paper

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"nmu/internal/dataset"
	"nmu/internal/matio"
	"nmu/kernel"
	"nmu/lnmu"
)

// quickPlan is a plan with next to no iterations.
func quickPlan(t *testing.T, sets ...string) Plan {
	t.Helper()
	if testing.Short() && (kernel.Level() == "generic" || runtime.GOARCH != "amd64") {
		t.Skip("takes long without assembly and in an emulator: not with -short")
	}
	return Plan{
		Sets: sets, Data: t.TempDir(), Restarts: 2, Threads: 3, iterations: 5, long: 6,
	}
}

func mustRun(t *testing.T, plan Plan) *Tables {
	t.Helper()
	p, err := Run(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	return p
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
	for _, method := range []lnmu.Method{lnmu.NMF{}, lnmu.GNMU{}, lnmu.RNMU{}} {
		res, err := lnmu.Factor(t.Context(), set.data.m, 8, method, &lnmu.Settings{Iterations: 5, Restarts: 2})
		if err != nil {
			t.Fatal(err)
		}
		row := set.Rows[slices.IndexFunc(set.Rows, func(r *Row) bool { return r.Method == method.Describe().Name })]
		if row.Seed != res.Seed || row.Figures.Plain != inPercent(res.RelativeError) || row.MaxViolation != res.MaxViolation {
			t.Errorf("%s: seed %d, error %v, want %d, %v", row.Name, row.Seed, row.Figures.Plain, res.Seed, inPercent(res.RelativeError))
		}
		if row.Least.Plain != row.Figures.Plain || row.Most.Plain < row.Least.Plain {
			t.Errorf("%s: least %v, most %v, chosen %v", row.Name, row.Least.Plain, row.Most.Plain, row.Figures.Plain)
		}
	}
	g := set.find(rowGNMU)
	if want := "s(V) " + colSV.format(g.Figures.SV) + ", s(W) " + colSW.format(g.Figures.SW); set.find(rowSNMFGNMU).Asked != want {
		t.Errorf("sNMF was asked for %q, want %q", set.find(rowSNMFGNMU).Asked, want)
	}
	h := set.find(rowHoyerGNMU) // 85 % in V, about 50 % in W: the sparser one is V
	if h.Asked != "sh(V) "+colSHV.format(g.Figures.SHV) || math.Abs(float64(h.Figures.SHV-g.Figures.SHV)) > 0.5 {
		t.Errorf("Hoyer was asked for %q and reached %v, want that of G-NMU, %v", h.Asked, h.Figures.SHV, g.Figures.SHV)
	}
	r := set.find(rowRNMU)
	if r.Parts == nil || len(r.Variants) != 1 || r.Variants[0].Variant != "6 iterations" || r.Variants[0].Iterations != 6 || r.Variants[0].Parts == nil {
		t.Errorf("R-NMU: %+v", r)
	}
}

// The figures do not depend on the number of threads.
func TestThreads(t *testing.T) {
	plan := quickPlan(t, setKuls)
	three := figuresOf(mustRun(t, plan).Sets[0])
	plan.Threads = 1
	if one := figuresOf(mustRun(t, plan).Sets[0]); one != three {
		t.Errorf("with one thread\n%s\nwith three\n%s", one, three)
	}
}

// An interrupted run goes on where it ended, and ends with what a run without
// interruption gives.
func TestResume(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("it computes a set six times: with NMU_FULL only")
	}
	plan := quickPlan(t, setKuls)
	want := figuresOf(mustRun(t, plan).Sets[0])

	plan.State = filepath.Join(t.TempDir(), "rows")
	ctx, cancel := context.WithCancel(t.Context())
	plan.Progress = func(p Progress) {
		if p.Done == 3 {
			cancel()
		}
	}
	if _, err := Run(ctx, plan); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	kept, err := filepath.Glob(filepath.Join(plan.State, "kuls-*.json"))
	if err != nil || len(kept) != 3 {
		t.Fatalf("kept %v, %v", kept, err)
	}
	var computed []string
	plan.Progress = func(p Progress) {
		if len(computed) == 0 || computed[len(computed)-1] != p.Row {
			computed = append(computed, p.Row)
		}
	}
	p := mustRun(t, plan)
	if got := figuresOf(p.Sets[0]); got != want {
		t.Errorf("after the interruption\n%s\nwithout one\n%s", got, want)
	}
	if slices.Contains(computed, rowGNMU) || !slices.Contains(computed, rowSNMFGNMU) {
		t.Errorf("computed %v", computed)
	}
	var first, second bytes.Buffer
	if err := p.Sets[0].WriteFigure(&first); err != nil {
		t.Fatal(err)
	}
	computed = nil
	if err := mustRun(t, plan).Sets[0].WriteFigure(&second); err != nil || computed != nil {
		t.Errorf("computed %v again, %v", computed, err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the figure of the kept rows is another one")
	}

	// Rows of another plan, and damaged ones, are not taken.
	if err := os.WriteFile(filepath.Join(plan.State, "kuls-nmf.json"), []byte(`{"key":`), 0o600); err != nil {
		t.Fatal(err)
	}
	computed = nil
	if mustRun(t, plan); !slices.Equal(computed, []string{rowNMF}) {
		t.Errorf("computed %v with one row damaged", computed)
	}
	for _, text := range []string{`{"basis_rows":1,"basis_cols":4}`, `{"basis_rows":65536,"basis_cols":65536}`, `{"basis_rows":-1,"basis_cols":-1,"basis":"AAAAAAAAAAA="}`} {
		var k keptRow
		if err := json.Unmarshal([]byte(text), &k); err != nil || k.whole() {
			t.Errorf("%s is taken, %v", text, err)
		}
	}
	computed, plan.Seed = nil, 7
	if mustRun(t, plan); !slices.Contains(computed, rowGNMU) {
		t.Errorf("computed %v with another seed", computed)
	}
}

// Generated stand-ins are labelled and not compared; a set that is not there is
// noted.
func TestStandIn(t *testing.T) {
	p := mustRun(t, quickPlan(t, setCBCL, setKuls))
	if len(p.Sets) != 1 || len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "CBCL faces: left out") {
		t.Fatalf("%d sets, notes %q", len(p.Sets), p.Notes)
	}
	set := p.Sets[0]
	for _, row := range set.Rows {
		if row.Verdict != NotJudged || row.Variants != nil || !row.Paper.Plain.Known() {
			t.Errorf("%s: %s, %d variants", row.Name, row.Verdict, len(row.Variants))
		}
	}
	if text := set.Markdown(); !set.StandIn || !strings.Contains(text, "**A generated stand-in") || !strings.Contains(text, " (8.13) ") {
		t.Error(text)
	}
	var page, figure bytes.Buffer
	if err := errors.Join(p.WriteMarkdown(&page), set.WriteFigure(&figure)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(page.String(), p.Notes[0]) {
		t.Error("the page lacks the note")
	}
	picture, err := png.Decode(&figure)
	if err != nil {
		t.Fatal(err)
	}
	if size := picture.Bounds(); size.Dx() < 5*128 || size.Dy() < 8*128 { // a sample and seven methods
		t.Errorf("figure of %v", size)
	}
}

// A real file takes the place of a stand-in, and its rows are judged.
func TestRealFile(t *testing.T) {
	plan := quickPlan(t, setKuls)
	set := setSpecs[setKuls].generate()
	if err := matio.WriteNpy(filepath.Join(plan.Data, "Kuls.npy"), set.Rows, set.Cols, set.Data, set.Cols); err != nil {
		t.Fatal(err)
	}
	got := mustRun(t, plan).Sets[0]
	if got.StandIn || got.Source != "Kuls.npy" {
		t.Fatalf("%+v", got)
	}
	if row := got.find(rowPCA); row.Verdict != Differs || len(row.Reasons) != 2 {
		t.Errorf("PCA of other data: %s, %q", row.Verdict, row.Reasons)
	}
	if err := matio.WriteNpy(filepath.Join(plan.Data, "Kuls.npy"), 4, 5, set.Data, set.Cols); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), plan); err == nil || !strings.Contains(err.Error(), "64 x 64") {
		t.Errorf("images of another size: %v", err)
	}
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
		if got, err := equalValues(c.m, c.rank); got != c.want || err != nil {
			t.Errorf("rank %d: %q, %v; want %q", c.rank, got, err, c.want)
		}
	}
}

func TestPlanFails(t *testing.T) {
	for _, plan := range []Plan{
		{Sets: []string{"mnist"}}, {Sets: []string{setKuls, setKuls}}, {Restarts: -1}, {Threads: -1},
	} {
		if _, err := Run(t.Context(), plan); !errors.Is(err, ErrOption) {
			t.Errorf("%+v: error %v", plan, err)
		}
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
			got = append(got, d.name)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s %+v: beyond are %v, want %v", c.row, c.ours, got, c.want)
		}
	}
}

func TestJudge(t *testing.T) {
	set := &Set{Name: setSwimmer}
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
		{"not in the paper", &Row{Name: rowHoyerRNMU, Paper: inPaper(setSwimmer, rowHoyerRNMU), Stop: lnmu.StopStep}, NotJudged, "no step reduced the error"},
	} {
		judge(set, c.row)
		text := strings.Join(c.row.Reasons, "\n")
		if c.row.Verdict != c.want || !strings.Contains(text, c.says) || (text == "") != (c.says == "") {
			t.Errorf("%s: %s because of %q", c.name, c.row.Verdict, text)
		}
	}
}

// What explains a row of sNMF or Hoyer is measured with the paper's own targets.
func TestVariants(t *testing.T) {
	set := &Set{Name: setCBCL, Rank: 49}
	like := &Row{Name: rowRNMU, raw: exact{SV: 0.47, SW: 0.5, SHV: 0.58, SHW: 0.62}}
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
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", spec.name, got, want)
		}
		row.Figures = row.Paper
		if got := r.variants(e, row); got != nil {
			t.Errorf("%s: %d variants of a row that agrees", spec.name, len(got))
		}
		row.Figures = printed(1, 1, 1, 1, 1, 1)
	}
}

func TestJSON(t *testing.T) {
	p := mustRun(t, quickPlan(t, setSwimmer))
	var b bytes.Buffer
	if err := p.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	again, err := Read(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if again.Sets[0].Markdown() != p.Sets[0].Markdown() {
		t.Error("the table read again is another one")
	}
	if f := again.Sets[0].find(rowHoyerRNMU).Paper; f.Plain.Known() || f.SHW.Known() {
		t.Errorf("figures that the paper does not have: %+v", f)
	}
	for _, text := range []string{"", "{}", `{"schema":"nmu-bench/1"}`} {
		if _, err := Read(strings.NewReader(text)); !errors.Is(err, ErrTables) {
			t.Errorf("%q: error %v", text, err)
		}
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
		if got := c.column.difference(c.x, c.paper); got != c.want {
			t.Errorf("%v for %v: %s, want %s", c.x, c.paper, got, c.want)
		}
	}
}

// Columns of W: with V scaled, the weights of a column are as large as what they
// stand for.
func TestColumnSparseness(t *testing.T) {
	v := lnmu.NewDense(2, 2, []float64{4, 0, 0, 0.5})
	w := lnmu.NewDense(2, 2, []float64{1, 0.25, 8, 0})
	// diag(4, 0.5) W = [4 1; 4 0]: sh = 0 and 1
	if got := columnSparseness(v, w); math.Abs(got-0.5) > 1e-12 {
		t.Errorf("%v, want 0.5", got)
	}
	before := []float64{1, 0.25, 8, 0}
	if !reflect.DeepEqual(w.Data, before) {
		t.Error("W has changed")
	}
}
