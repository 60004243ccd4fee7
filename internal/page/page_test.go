package page

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"nmu/internal/must"
	"nmu/internal/options"
	"nmu/internal/render"
	"nmu/lnmu"
	"nmu/lnmu/compare"
	"nmu/lnmu/factors"
	"nmu/lnmu/outcome"
)

// random returns a matrix of numbers from 0 to most, a third of them zeros.
func random(rows, cols int, most float64, seed uint64) lnmu.Dense[float64] {
	rng := rand.New(rand.NewPCG(seed, 0))
	d := lnmu.NewDense[float64](rows, cols, nil)
	for i := range d.Data {
		d.Data[i] = max(0, 1.5*rng.Float64()-0.5) * most
	}
	return d
}

// factored factors a matrix and returns the run.
func factored(t *testing.T, m lnmu.Dense[float64], rank int, method lnmu.Method) Run {
	t.Helper()
	s := lnmu.Settings{Limits: lnmu.Limits{Iterations: 20}, Start: lnmu.Start{Restarts: 1}, Record: true}
	res := must.Get(lnmu.Factor(context.Background(), m, rank, method, &s))(t)
	v, w := factors.RowSparsity(res.V.Transposed()), factors.RowSparsity(res.W)
	return Run{
		Input: "some/where.mat", Rows: m.Rows, Cols: m.Cols, Method: options.DescriptionOf(method), RankAsked: rank, CheckEvery: 10,
		Result: Result{Report: res.Report, Rank: res.V.Cols, SparsityV: v.Zeros, SparsityW: w.Zeros, HoyerV: v.Hoyer, HoyerW: w.Hoyer},
		Facts:  render.Facts{{Name: "input", Value: "some/where.mat"}},
		V:      FactorOf(res.V), W: FactorOf(res.W), Distance: Look(m, nil, res.V, res.W, res.LargestEntry),
	}
}

// written returns the page, which must be whole.
func written(t *testing.T, run Run) string {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, Write(&b, run))
	text := b.String()
	wellFormed(t, text)
	must.AtMost(t, len(text), 5e6, "the page")
	for _, bad := range []string{"NaN", "Inf", "ZgotmplZ", "<no value>", "%!"} {
		if i := strings.Index(withoutScript(text), bad); i >= 0 {
			t.Errorf("the page has %s", withoutScript(text)[max(0, i-200):][:250])
		}
	}
	return text
}

// withoutScript returns the page without its own script, and without pictures.
func withoutScript(text string) string {
	text = strings.Replace(text, pageScript, "", 1)
	text = regexp.MustCompile(`data:image/png;base64,[^"]*`).ReplaceAllString(text, "data:")
	return regexp.MustCompile(`"[vm]":"[^"]*"`).ReplaceAllString(text, "")
}

// wellFormed checks that the elements of a page are closed in order, ids are of one
// element each, what links and labels name is there, and pictures have texts.
func wellFormed(t *testing.T, text string) {
	t.Helper()
	text = withoutScript(text)
	body := regexp.MustCompile(`(?s)<script[^>]*>.*?</script>|<style>.*?</style>`).ReplaceAllString(text, "")
	void := []string{"meta", "img", "input", "br", "!doctype"}
	var open []string
	for _, m := range regexp.MustCompile(`<(/?)([A-Za-z!][A-Za-z0-9]*)([^>]*)>`).FindAllStringSubmatch(body, -1) {
		name := strings.ToLower(m[2])
		switch {
		case slices.Contains(void, name) || strings.HasSuffix(m[3], "/"):
		case m[1] == "":
			open = append(open, name)
		case len(open) == 0 || open[len(open)-1] != name:
			t.Fatalf("</%s> closes %v", name, open)
		default:
			open = open[:len(open)-1]
		}
		if name == "img" && !regexp.MustCompile(` alt="[^"]+"`).MatchString(m[3]) || name == "svg" && m[1] == "" && !strings.Contains(m[3], `role="img" aria-label="`) {
			t.Errorf("a picture without a text: %.80s", m[0])
		}
	}
	must.AtMost(t, len(open), 0, "not closed")
	ids := map[string]bool{}
	for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(body, -1) {
		if ids[m[1]] {
			t.Errorf("two elements have the id %s", m[1])
		}
		ids[m[1]] = true
	}
	for _, m := range regexp.MustCompile(` (?:href="#|aria-labelledby="|aria-describedby=")([^"]*)"`).FindAllStringSubmatch(body, -1) {
		if !ids[m[1]] {
			t.Errorf("there is no element with the id %s", m[1])
		}
	}
}

// The numbers of the page are those of the run, all digits.
func TestNumbers(t *testing.T) {
	run := factored(t, random(30, 40, 1, 1), 5, lnmu.RNMU{})
	text := written(t, run)
	for name, x := range map[string]float64{
		"error": run.RelativeError, "violation": run.RelativeViolation, "s(V)": run.SparsityV, "s(W)": run.SparsityW,
		"error of rank 1": run.Blocks[0].Error, "error of rank 5": run.Blocks[4].Error,
	} {
		if want := fmt.Sprintf(`value="%v">%s</data>`, x, percent(x)); !strings.Contains(text, want) {
			t.Errorf("%s: no %s", name, want)
		}
	}
	data := script(t, text)
	if len(data.Columns) == 0 || data.Parts != 5 {
		t.Fatalf("%d columns, %d parts", len(data.Columns), data.Parts)
	}
	for r, b := range run.Blocks {
		must.Equal(t, data.Errors[r+1], b.Error, "error of rank", r+1)
	}
	// Weights with errors of all columns add up to that of M.
	measured := regexp.MustCompile(`id="measured" value="([^"]*)"`).FindStringSubmatch(text)
	e, err := strconv.ParseFloat(measured[1], 64)
	if err != nil || math.Abs(e-run.RelativeError) > 1e-12 {
		t.Errorf("the error measured for the page is %v, want %v", e, run.RelativeError)
	}
}

// script returns the data for the script.
func script(t *testing.T, text string) scriptData {
	t.Helper()
	_, text, _ = strings.Cut(text, `id="steps-data">`)
	text, _, _ = strings.Cut(text, "</script>")
	var data scriptData
	must.Do(t, json.Unmarshal([]byte(text), &data))
	return data
}

// The rows of a part by lift are those of the definition, whatever the scale of its column, and
// a row below the mean is not among them.
func TestLift(t *testing.T) {
	names := []string{"common", "tall", "rare", "only"}
	v := lnmu.NewDense(4, 2, []float64{6, 5, 3, 1, 0.2, 0, 0, 4})
	w := lnmu.NewDense(2, 3, []float64{1, 2, 3, 2, 0, 1})
	sums := [2][2]float64{{9.2, 10}, {6, 3}} // of the columns of V and of the rows of W
	share := func(i, k int) float64 { return v.At(i, k) / sums[0][k] }
	var want [2]map[string]float64
	for k := range want {
		want[k] = map[string]float64{}
		for i, name := range names {
			all := (v.At(i, 0)*sums[1][0] + v.At(i, 1)*sums[1][1]) / (sums[0][0]*sums[1][0] + sums[0][1]*sums[1][1])
			if share(i, k) >= 0.25 {
				want[k][name] = share(i, k) / all
			}
		}
	}
	if len(want[0]) != 2 || len(want[1]) != 2 { // "common" in both, "tall" and "only"
		t.Fatalf("lifts %v", want)
	}
	for _, scale := range []float64{1, 1e-200, 1e200} {
		a, b := lnmu.NewDense(4, 2, slices.Clone(v.Data)), lnmu.NewDense(2, 3, slices.Clone(w.Data))
		for i := range a.Rows {
			a.Row(i)[1] *= scale
		}
		for j := range b.Cols {
			b.Row(1)[j] /= scale
		}
		run := Run{Rows: 4, Cols: 3, Result: Result{Rank: 2}, RankAsked: 2, Method: options.DescriptionOf(lnmu.KL{}), RowNames: names, V: FactorOf(a), W: FactorOf(b)}
		p := &page{Run: run, rows: newSide(4, "row", Pixels{}, names, nil), parts: 2}
		all := p.overall()
		for k := range want {
			bars := p.liftFace(k, all).Bars
			if len(bars) != len(want[k]) || bars[0].Part != 100 || bars[0].Value < bars[1].Value {
				t.Errorf("scale %v, part %d: %v, want %v", scale, k+1, bars, want[k])
			}
			for _, b := range bars {
				if x := want[k][b.Name]; math.Abs(b.Value-x) > 1e-12*x { // sizes are logarithms up to 460, rounded to 6e-14
					t.Errorf("scale %v, part %d: %s has the lift %v, want %v", scale, k+1, b.Name, b.Value, x)
				}
			}
		}
		must.Equal(t, strings.Count(written(t, run), ">By lift</p>"), 2, "the page has not two lists by lift")
	}
	run := Run{Rows: 4, Cols: 3, Result: Result{Rank: 2}, RankAsked: 2, Method: options.DescriptionOf(lnmu.KL{}), V: FactorOf(v), W: FactorOf(w)}
	if text := written(t, run); strings.Contains(text, ">By lift</p>") {
		t.Error("rows without names have lists by lift")
	}
}

// The page asks for nothing that is not in it.
func TestSelfContained(t *testing.T) {
	run := factored(t, random(30, 20, 1, 2), 3, lnmu.NMF{})
	run.Image = Pixels{Height: 6, Width: 5}
	text := withoutScript(written(t, run))
	for _, bad := range []string{"<link", "@import", "url(", "<iframe", "<object", "http:", "https:", "srcset", "fetch(", "XMLHttpRequest"} {
		if strings.Contains(strings.Replace(text, "http-equiv", "", 1), bad) || strings.Contains(strings.ReplaceAll(pageScript, "http://www.w3.org/2000/svg", ""), bad) {
			t.Errorf("the page has %s", bad)
		}
	}
	for _, m := range regexp.MustCompile(` (?:src|href)="([^"]*)"`).FindAllStringSubmatch(text, -1) {
		if m[1] != "data:" && !strings.HasPrefix(m[1], "#") {
			t.Errorf("the page refers to %s", m[1])
		}
	}
	if !strings.Contains(text, `content="default-src 'none';`) {
		t.Error("the page does not forbid the network")
	}
}

// What the rows are decides how they are shown.
func TestKinds(t *testing.T) {
	const rows, cols = 30, 42
	var wavelengths, words, places, days, pairs []string
	for i := range rows {
		wavelengths, words = append(wavelengths, fmt.Sprint(400+2.5*float64(i))), append(words, fmt.Sprintf("word%d", i))
	}
	for j := range cols {
		places = append(places, fmt.Sprintf("place%d", j))
		days = append(days, time.Date(2019, 1, 28+j, 0, 0, 0, 0, time.UTC).Format(time.DateOnly))
	}
	for x := range 6 {
		for y := range 5 {
			pairs = append(pairs, fmt.Sprintf("Ex%d/Em%d", 250+y, 300+10*x))
		}
	}
	known := &Library{File: "known.sli", Names: []string{"quartz <1>"}, Angles: lnmu.NewDense(4, 1, []float64{0.1, 0.2, 0.3, 0.4}), Spectra: FactorOf(random(rows, 1, 1, 4))}
	for _, c := range []struct {
		name        string
		set         func(*Run)
		has, hasNot []string
		kind        string
	}{
		{"pictures", func(r *Run) { r.Image = Pixels{Height: 5, Width: 6} }, []string{"picture of 5 × 6 pixels", `alt="Part 3"`, "Map of where V W is above M"}, []string{`class="spark"`}, "picture"},
		{"spectra", func(r *Run) { r.RowNames, r.Map = wavelengths, Pixels{Height: 6, Width: 7, ByRows: true} }, []string{"spectrum", "from 400 to 472.5", `alt="Weights of part 3"`, ">wavelength<"}, nil, "curve"},
		{"words", func(r *Run) { r.RowNames, r.ColNames = words, places }, []string{"word7", "place11", `class="bars"`, "Parts as profiles", "4 parts explain "}, []string{`class="spark"`, "From left to right"}, "bars"},
		{"series", func(r *Run) { r.RowNames, r.ColNames, r.ColAxis = words, days, "date" }, []string{"Weights of the parts as curves", ">2019-02-07<", ">date<", "over the date, from 2019-01-28 to 2019-03-10"}, []string{"Heat map of the weights"}, "bars"},
		{"excitation and emission", func(r *Run) { r.RowNames, r.Image = pairs, Pixels{Height: 5, Width: 6} }, []string{"From left to right is 300 to 350, from top to bottom 250 to 254."}, nil, "picture"},
		{"no plane", func(r *Run) {
			r.RowNames, r.Image = slices.Concat(pairs[:28], pairs[29:], pairs[28:29]), Pixels{Height: 5, Width: 6}
		}, nil, []string{"From left to right"}, "picture"},
		{"library", func(r *Run) { r.RowNames, r.Library = wavelengths, known }, []string{`Thin: quartz &lt;1&gt;</p>`}, nil, "curve"},
		{"nothing known", func(*Run) {}, []string{`class="spark"`, "row of M", "column 42"}, nil, "curve"},
		{"without M", func(r *Run) { r.Distance, r.Without = nil, "it is gone" }, []string{"M was not read", "it is gone"}, []string{"Histogram", `alt="M"`}, "curve"},
	} {
		for _, method := range []lnmu.Method{lnmu.RNMU{}, lnmu.GNMU{}, lnmu.NMF{}} {
			run := factored(t, random(rows, cols, 1, 3), 4, method)
			c.set(&run)
			text := written(t, run)
			for _, s := range c.has {
				must.Say(t, text, s, c.name)
			}
			for _, s := range c.hasNot {
				if strings.Contains(withoutScript(text), s) {
					t.Errorf("%s: %q", c.name, s)
				}
			}
			must.Equal(t, strings.Contains(text, `id="steps-k"`), options.DescriptionOf(method).Recursive, c.name, "by", method.Name(), "a slider")
			must.Equal(t, strings.Contains(text, ">Above M<"), method.Underapproximates(), c.name, "by", method.Name(), "a figure of what is above M")
			if data := script(t, text); data.Kind != c.kind {
				t.Errorf("%s: the script draws %s", c.name, data.Kind)
			}
		}
	}
}

// Names are text, whatever they look like.
func TestEscaped(t *testing.T) {
	run := factored(t, random(4, 5, 1, 4), 2, lnmu.RNMU{})
	const evil = `</script><script>alert("1")</script><b onclick='x'>&amp;` + "\u2028\x00"
	run.Input, run.Notes, run.Without = evil, []string{evil}, evil
	run.RowNames = []string{evil, "b", "c", "d"}
	run.ColNames = []string{evil, "b", "c", "d", strings.Repeat("long ", 1e5)}
	run.Facts = render.Facts{{Name: evil, Value: evil}}
	text := written(t, run)
	if strings.Contains(text, "alert(\"1") || strings.Contains(text, "<b onclick") || strings.Contains(text, "alert('1") {
		t.Error("a name is taken for HTML")
	}
	if data := script(t, text); !slices.ContainsFunc(data.Names, func(s string) bool { return strings.HasPrefix(s, `</script><script>alert("1")`) }) {
		t.Errorf("the script has the names %q", data.Names)
	}
	must.AtMost(t, len(text), 1e6, "a long name makes a page of")
}

// Matrices that are zero, of rank one, a single entry, or near the ends of the range.
func TestDegenerate(t *testing.T) {
	for name, m := range map[string]lnmu.Dense[float64]{
		"zero": lnmu.NewDense[float64](6, 4, nil), "one entry": lnmu.NewDense(1, 1, []float64{3}), "one row": random(1, 50, 1, 5), "one column": random(50, 1, 1, 6),
		"large": random(6, 30, 1e150, 7), "larger": random(30, 6, 2e151, 8), "small": random(30, 6, 1e-150, 9),
	} {
		t.Run(name, func(t *testing.T) {
			for _, method := range []lnmu.Method{lnmu.RNMU{}, lnmu.NMF{}} {
				run := factored(t, m, 1, method)
				if e, all := run.Distance.RelativeError(); !all || math.Abs(e-run.RelativeError) > 1e-9 {
					t.Errorf("measured error %v, want %v", e, run.RelativeError)
				}
				written(t, run)
				run.Image = Pixels{Height: m.Rows, Width: 1}
				run.Map = Pixels{Height: 1, Width: m.Cols}
				written(t, run)
				run.Distance = nil
				written(t, run)
			}
		})
	}
}

// A page stays below its size for any number of parts, pixels and columns.
func TestSize(t *testing.T) {
	side, rank, cols := 12, 210, 100
	if os.Getenv("NMU_FULL") != "" {
		side, cols = 96, 512
	}
	v, w := random(side*side, rank, 1, 10), random(rank, cols, 1, 11)
	run := Run{
		Input: "noise", Rows: side * side, Cols: cols, Method: options.DescriptionOf(lnmu.RNMU{}), RankAsked: rank,
		Result: Result{Rank: rank, Report: outcome.Report{LargestEntry: 1}}, V: FactorOf(v), W: FactorOf(w),
	}
	for k := range rank {
		run.Blocks = append(run.Blocks, outcome.Block{Rank: k + 1, Error: rand.Float64(), History: make([]float64, 100)})
	}
	m := random(side*side, cols, 1, 12)
	run.Distance = Look(m, nil, v, w, 1)
	for _, set := range []func(){
		func() { run.Image, run.Map = Pixels{Height: side, Width: side}, Pixels{Height: 4, Width: cols / 4} },
		func() {
			for i := range run.Rows {
				run.RowNames = append(run.RowNames, fmt.Sprintf("a row that has a long name, because it is one of many %d", i))
			}
			for j := range cols {
				run.ColNames = append(run.ColNames, fmt.Sprintf("a column that has a long name, because it is one of many %d", j))
			}
			run.Image, run.Map = Pixels{}, Pixels{}
		},
	} {
		set()
		text := written(t, run)
		t.Logf("%d bytes", len(text))
		if !strings.Contains(text, "Shown are the first 200 of 210 parts.") {
			t.Error("the page does not say that not all parts are shown")
		}
	}
}

// A run whose factors are of another shape is refused.
func TestShapes(t *testing.T) {
	run := factored(t, random(4, 5, 1, 4), 2, lnmu.RNMU{})
	run.V, run.W = run.W, run.V
	var b bytes.Buffer
	if err := Write(&b, run); err == nil || b.Len() > 0 {
		t.Errorf("error %v, %d bytes", err, b.Len())
	}
}

// The curve of the error by iteration ends with the last error of every part, also if that
// is between two checks, or before the first.
func TestTrace(t *testing.T) {
	p := page{Run: Run{
		Method: options.DescriptionOf(lnmu.RNMU{}), CheckEvery: 10, Result: Result{Report: outcome.Report{RelativeError: 0.1, Blocks: []outcome.Block{
			{Rank: 1, IterationsDone: 20, Error: 0.3, History: []float64{0.5, 0.3}}, {Rank: 2, IterationsDone: 7, Error: 0.25}, {Rank: 3, IterationsDone: 15, Error: 0.1, History: []float64{0.2}},
		}}},
	}}
	want := curve{x: []float64{10, 20, 27, 37, 42}, y: []float64{0.5, 0.3, 0.25, 0.2, 0.1}}
	if got := p.trace(); !slices.Equal(got.x, want.x) || !slices.Equal(got.y, want.y) {
		t.Errorf("%v, want %v", got, want)
	}
	p = page{Run: Run{CheckEvery: 10, Result: Result{Report: outcome.Report{RelativeError: 0.2, Blocks: []outcome.Block{{IterationsDone: 25, History: []float64{0.5, 0.3}}}}}}}
	want = curve{x: []float64{10, 20, 25}, y: []float64{0.5, 0.3, 0.2}}
	if got := p.trace(); !slices.Equal(got.x, want.x) || !slices.Equal(got.y, want.y) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Parts are counted in whole numbers.
func TestWholeTicks(t *testing.T) {
	c := newChart("", "", "", short, curve{x: []float64{1, 2, 3}, y: []float64{1, 2, 3}})
	var ticks []string
	for _, x := range c.XTicks {
		ticks = append(ticks, x.Text)
	}
	must.EqualSlices(t, ticks, []string{"1", "2", "3"}, "ticks")
	if c = newChart("", "", "", short, curve{x: []float64{0, 0.5, 1}, y: []float64{1, 2, 3}}); len(c.XTicks) < 4 {
		t.Errorf("ticks %v", c.XTicks)
	}
}

// A page says what it shows, so that what another one would not can be found out.
func TestLacking(t *testing.T) {
	m := random(6, 8, 1, 1)
	run := factored(t, m, 2, lnmu.RNMU{})
	run.Image = Pixels{Height: 2, Width: 3}
	text := []byte(written(t, run))
	if l := Lacking(text, run); l != nil {
		t.Errorf("the same page lacks %q", l)
	}
	poor := run
	poor.Distance, poor.Image, poor.Without = nil, Pixels{}, "gone"
	must.EqualSlices(t, Lacking(text, poor), []string{"M", "pictures"}, "lacking")
	if l := Lacking([]byte(written(t, poor)), run); l != nil {
		t.Errorf("a richer page lacks %q", l)
	}
	if l := Lacking([]byte("something else"), poor); l != nil {
		t.Errorf("lacking %q", l)
	}
}

// Characters that reorder or hide the text around them are shown as escapes, wherever a text of
// a file is on the page.
func TestPageShowsNoControls(t *testing.T) {
	const bad = "evil\u202egnp.exe\u2066\u200b\x07"
	v, w := lnmu.NewDense(3, 1, []float64{1, 2, 3}), lnmu.NewDense(1, 2, []float64{4, 5})
	run := Run{
		Input: bad, Rows: 3, Cols: 2, RankAsked: 1, V: FactorOf(v), W: FactorOf(w),
		RowAxis: bad, ColAxis: bad, Choice: &compare.HeldOutResult{Points: []compare.HeldOutPoint{{Rank: 1}}, Comparison: compare.Comparison{Advice: compare.Advice{Reason: bad}, Notes: []string{bad}}},
		Facts: render.Facts{{Name: bad, Value: bad}}, Result: Result{Rank: 1, Report: outcome.Report{Notes: []string{bad}}}, Without: bad,
		RowNames: []string{bad, "b", "c"}, ColNames: []string{"d", bad},
		Library: &Library{File: bad, Names: []string{bad}, Angles: lnmu.NewDense(1, 1, []float64{0.5})},
	}
	var b bytes.Buffer
	must.Do(t, Write(&b, run))
	page := b.String()
	for _, c := range []string{"\u202e", "\u2066", "\u200b", "\x07", `"evil\u202e`} {
		if i := strings.Index(page, c); i >= 0 {
			t.Errorf("%q is on the page: %q", c, page[max(0, i-60):i+20])
		}
	}
	must.AtLeast(t, strings.Count(page, `evil\u202e`)+strings.Count(page, `evil\\u202e`), 5, "the names are not on the page")
	must.Equal(t, run.RowNames[0], bad, "the run has changed")
}

// Where drawings are inverted, lighter means larger, and the page says so.
func TestPageSaysWhichIsLarger(t *testing.T) {
	if !strings.Contains(pageText, `<span class="light">Darker</span><span class="dark">Lighter</span>`) || strings.Contains(pageText, " Darker means") {
		t.Error("the page says the same of both")
	}
	_, dark, _ := strings.Cut(written(t, factored(t, random(4, 5, 1, 4), 2, lnmu.RNMU{})), ".dark { display: none; }")
	if !strings.Contains(dark, ".light { display: none; }") || !strings.Contains(dark, ".dark { display: inline; }") {
		t.Error("the style shows the same in both")
	}
}

// Below the heat map of W stand the names of its columns, unless there are too many.
func TestHeatLabels(t *testing.T) {
	for _, n := range []int{20, mostLabels, mostLabels + 1} {
		run := factored(t, random(6, n, 1, 1), 2, lnmu.NMF{})
		for j := range n {
			run.ColNames = append(run.ColNames, "PM<"+strconv.Itoa(j))
		}
		text := written(t, run)
		must.Equal(t, strings.Contains(text, "<li>PM&lt;0</li><li>PM&lt;1</li>"), n <= mostLabels, n, "columns: named below the map")
	}
}

// Rows that are left out are gaps of curves, and count neither as zeros nor in the scale of a known
// spectrum. Missing entries of M are gaps, too.
func TestLeftRows(t *testing.T) {
	const bands, pixels = 12, 5
	m := random(bands, pixels, 1, 1)
	for i := range bands {
		for j := range pixels {
			m.Row(i)[j]++
		}
	}
	run := factored(t, m, 1, lnmu.NMF{})
	run.LeftRows = make([]bool, bands)
	run.RowNames = []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"}
	v := lnmu.NewDense[float64](bands, 1, nil)
	known := lnmu.NewDense[float64](bands, 1, nil)
	seen := lnmu.NewMask(bands, pixels)
	for i := range bands {
		v.Data[i] = run.V.At(i, 0)
		known.Data[i] = v.Data[i] / 4
		if run.LeftRows[i] = i == 4 || i == 5; run.LeftRows[i] {
			v.Data[i], known.Data[i] = 0, 100
			for j := range pixels {
				seen.Set(i, j, false)
			}
		}
	}
	seen.Set(9, 2, false)
	w := lnmu.NewDense[float64](1, pixels, nil)
	for j := range pixels {
		w.Data[j] = run.W.At(0, j)
	}
	run.V = FactorOf(v)
	run.Distance = Look(m, seen, v, w, 2)
	run.Weighted = true
	run.Library = &Library{File: "known.sli", Angles: lnmu.NewDense[float64](1, 1, nil), Spectra: FactorOf(known)}
	p := &page{Run: run, rows: newSide(bands, "row", Pixels{}, run.RowNames, run.LeftRows), cols: newSide(pixels, "column", Pixels{}, nil, nil), parts: 1}

	f := p.partFace(0)
	for what, path := range map[string]string{"part": f.Path, "known spectrum": f.Behind} {
		if strings.Count(path, "M") != 2 || strings.Count(path, "M")+strings.Count(path, "L") != bands-2 {
			t.Errorf("the curve of the %s has not one gap of two bands: %s", what, path)
		}
	}
	scaled := run.Library.nearestTo(0, p.rows, func(i int) float64 { return v.Data[i] })
	for i := range bands {
		if want := v.Data[i]; !run.LeftRows[i] && math.Abs(scaled(i)-want) > 1e-12 {
			t.Errorf("band %d of the known spectrum is %v, want %v", i+1, scaled(i), want)
		}
	}
	text := written(t, run)
	if want := "Measured over all observed entries of M, without the weights, the relative error"; !strings.Contains(text, want) {
		t.Errorf("the page lacks %q", want)
	}
	must.Equal(t, largest([]float64{math.NaN(), 2, math.NaN(), 1}), 2, "the largest of 2 and 1")
	gap := p.rows.spark([]int{0, 1, 2, 3}, func(i int) float64 { return []float64{1, math.NaN(), 1, 1}[i] }, 1)
	must.Equal(t, strings.Count(gap, "M"), 2, "a missing entry is no gap", gap)
	if z := p.rows.kept(func(i int) float64 { return v.Data[i] }); z.Rows != bands-2 || factors.RowSparsity(z.Transposed()).Zeros != 0 {
		t.Errorf("%d rows are kept, of which %v are zero", z.Rows, factors.RowSparsity(z.Transposed()).Zeros)
	}
}

// TestDivergencePage: the curves of a run of kl are named after what they show, the relative divergence,
// and end with it. The sentence about it is there also if it is 0.
func TestDivergencePage(t *testing.T) {
	run := factored(t, random(20, 12, 5, 1), 2, lnmu.KL{})
	d, one := 0.25, outcome.Real(0.25)
	run.Divergence, run.RelativeError = &one, 0.5
	run.Blocks, run.CheckEvery = []outcome.Block{{Rank: 2, IterationsDone: 25, History: []float64{0.5, 0.375}}}, 10
	run.Choice = &compare.HeldOutResult{Comparison: compare.Comparison{Measure: compare.Divergence}, Folds: 2, Points: []compare.HeldOutPoint{
		{Rank: 1, HeldOut: &compare.FoldErrors{Mean: 0.5}, Training: &d}, {Rank: 2, HeldOut: &compare.FoldErrors{Mean: 0.4}, Training: &d},
	}}
	text := written(t, run)
	for _, want := range []string{">Deviance explained</dt><dd><data value=\"0.75\">75.00\u00a0%", "2 parts explain 75.00\u00a0% of the deviance of M.", "the relative divergence by iteration, from 50.00\u00a0% to 25.00\u00a0%", "The relative divergence by iteration", "The relative divergence by rank"} {
		must.Say(t, text, want)
	}
	for _, wrong := range []string{"relative error by iteration", "relative error by rank"} {
		if strings.Contains(text, wrong) {
			t.Errorf("the page says %q", wrong)
		}
	}
	one = 0
	must.Say(t, written(t, run), "explains 100.00\u00a0%")
}

// Sentences about numbers of weighted or missing entries say so, and those of a complete matrix do not.
func TestNamedByWhatCounts(t *testing.T) {
	one, real, infinite := 1.0, outcome.Real(1), outcome.Real(math.Inf(1))
	for _, c := range []struct {
		run             Run
		plain, counting string
	}{
		{Run{}, "V\u00a0W equals M.", "V\u00a0W equals M at the observed entries."},
		{Run{Result: Result{Report: outcome.Report{RelativeError: 0.5}}}, "The norm of M − V\u00a0W is", "The weighted norm of M − V\u00a0W at the observed entries is"},
		{Run{Result: Result{RelativeL1: &one}}, "In the l1 norm, the sum", "In the weighted l1 norm at the observed entries, the sum"},
		{Run{Result: Result{Divergence: &real}}, "Of the deviance of M from its mean", "Of the weighted deviance of M at the observed entries from its mean"},
		{Run{Result: Result{Divergence: &infinite}}, "The divergence of M from V\u00a0W", "The weighted divergence of M at the observed entries from V\u00a0W"},
		{Run{Result: Result{Report: outcome.Report{MaxViolation: 0}}}, "V\u00a0W never exceeds M:", "V\u00a0W never exceeds M at the observed entries:"},
	} {
		for _, some := range []bool{false, true} {
			c.run.Weighted, c.run.Missing = some, some
			want := c.plain
			if some {
				want = c.counting
			}
			if text := strings.Join((&page{Run: c.run}).findings(), "\n"); !strings.Contains(text, want) {
				t.Errorf("%q is not in %q", want, text)
			}
		}
	}
}
