package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"nmu/bench/internal/machine"
	"nmu/bench/internal/stat"
	"nmu/bench/internal/subject"
	"nmu/internal/isa"
)

// sampleReport has machine limits, bars with limits, bars without and a
// growing series.
func sampleReport() *Report {
	lim := machine.Limits{
		CPU:        isa.Facts{Brand: "Testor <1>", Cores: 2, L1D: 32 << 10, L2: 1 << 20, L3: 32 << 20},
		Peaks:      []machine.Peak{{Level: "avx2", Type: machine.Float64, Threads: 1, Rate: stat.New([]float64{50, 51, 49, 50, 50})}, {Level: "avx512", Type: machine.Float64, Threads: 1, Rate: stat.New([]float64{90, 88, 89, 91, 90})}},
		Bandwidths: []machine.Bandwidth{{Level: "avx2", Op: machine.Read, Set: machine.L3, Bytes: 16 << 20, Threads: 2, Streams: 4, Rate: stat.New([]float64{60, 61, 60, 59, 60})}},
	}
	r := New(2, 5, lim)
	r.Add(Measurement{Group: "iterations", Case: "rnmu cbcl float64 threads=2", Series: "nmu", Unit: "ms",
		Stat: stat.New([]float64{0.5, 0.52, 0.49, 0.5, 0.51}), Limit: 0.47, LimitBy: "L3 read", RelativeError: 0.1756})
	r.Add(Measurement{Group: "whole", Case: "rnmu cbcl float64 threads=2", Series: "nmu", Unit: "s", Stat: stat.New([]float64{4, 4.1, 4.2, 4, 4})})
	r.Add(Measurement{Group: "whole", Case: "rnmu cbcl float64 threads=2", Series: "gonum", Unit: "s", Stat: stat.New([]float64{25, 26, 25, 24, 25})})
	for i, x := range []float64{100, 200, 400} {
		r.Add(Measurement{Group: "growth", Case: "rnmu", Series: "float64", X: x, XName: "rows", Unit: "ms", Stat: stat.New([]float64{x / 10, x/10 + float64(i)})})
	}
	r.Notes = []string{"octave: not installed"}
	return r
}

func TestRatio(t *testing.T) {
	var r Report
	r.Add(Measurement{Stat: stat.New([]float64{2}), Limit: 1})
	r.Add(Measurement{Stat: stat.New([]float64{2}), Limit: 8, HigherBetter: true})
	r.Add(Measurement{Stat: stat.New([]float64{2}), Ratio: 7})
	r.Add(Measurement{Stat: stat.New([]float64{2, 40, 4}), Limits: []float64{1, 10, 3}}) // 0.5, 0.25, 0.75
	for i, want := range []float64{0.5, 0.25, 0, 0.5} {
		if got := r.Measurements[i].Ratio; got != want {
			t.Errorf("ratio %g, want %g", got, want)
		}
	}
	if got := r.Measurements[3].Limit; got != 3 {
		t.Errorf("limit %g, want the median", got)
	}
}

func TestReportJSON(t *testing.T) {
	r := sampleReport()
	var b bytes.Buffer
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"samples", "median", "spread", "limit", "ratio", "cpu", "level", "threads", "go", "date", "repetitions"} {
		if !strings.Contains(b.String(), `"`+key+`"`) {
			t.Errorf("no field %q", key)
		}
	}
	back, err := Read(&b)
	if err != nil || !reflect.DeepEqual(r, back) {
		t.Errorf("the report changes on the way through JSON (%v)", err)
	}
	for _, bad := range []string{"", "{", "[]", `{"schema":"other/1"}`} {
		if _, err := Read(strings.NewReader(bad)); !errors.Is(err, ErrFormat) {
			t.Errorf("%q: error %v, want ErrFormat", bad, err)
		}
	}
}

// A report whose checks had numbers in place of names is read as well.
func TestReportNumbered(t *testing.T) {
	r, err := Read(strings.NewReader(`{"schema":"nmu-bench/1","cpu":"Testor","checks":[{"point":1,"what":"x","ratio":2,"verdict":"meets"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if want := []Check{{What: "x", Ratio: 2, Verdict: Meets}}; r.CPU != "Testor" || !reflect.DeepEqual(r.Checks, want) {
		t.Errorf("read %+v", r)
	}
}

func TestTable(t *testing.T) {
	var b bytes.Buffer
	if err := sampleReport().WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Testor <1>, 2 cores", "L1 32 KiB, L2 1 MiB, L3 32 MiB", "MULTIPLY-ADDS", "BANDWIDTH", "16 MiB, 4 streams",
		"0.47 (L3 read)", "94.0 %", "17.5600 %", "octave: not installed", "GROWTH", "rows",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, b.String())
		}
	}
}

func TestComparison(t *testing.T) {
	old, now := sampleReport(), sampleReport()
	now.Level = "sse9"
	now.Measurements[0].Stat = stat.New([]float64{0.25, 0.26, 0.24, 0.25, 0.25})
	now.Measurements[2].Stat = stat.New([]float64{50, 52, 50, 48, 50})
	now.Limits.Peaks[0].Rate = stat.New([]float64{100, 102, 98, 100, 100})
	now.Measurements[3].Series = "renamed"
	var b bytes.Buffer
	if err := WriteComparison(&b, old, now); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	line := func(parts ...string) string {
		t.Helper()
	next:
		for _, l := range lines {
			for _, p := range parts {
				if !strings.Contains(l, p) {
					continue next
				}
			}
			return l
		}
		t.Errorf("no line with %q in:\n%s", parts, b.String())
		return ""
	}
	line("level", "sse9", "differs")
	line("rnmu cbcl", "nmu", "-50.0 %", "0.25 [0.24, 0.26]", "better")
	line("rnmu cbcl", "gonum", "+100.0 %", "worse")
	line("float64 threads=1", "avx2", "+100.0 %", "better")
	line("L3 read", "+0.0 %", "~")
	line("only in the new report: growth: rnmu rows=100, renamed")
	line("only in the old report: growth: rnmu rows=100, float64")
}

func TestPlotsAndPage(t *testing.T) {
	r := sampleReport()
	plots, err := r.Plots()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range plots {
		names = append(names, p.Group)
		d := xml.NewDecoder(bytes.NewReader(p.SVG))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", p.Group, err)
			}
		}
		if bytes.Contains(p.SVG, []byte("NaN")) {
			t.Errorf("%s: the plot holds NaN", p.Group)
		}
	}
	if got := strings.Join(names, ", "); got != "multiply-adds, bandwidth, iterations, whole, growth" {
		t.Errorf("plots of %s", got)
	}
	var b bytes.Buffer
	if err := r.WritePage(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if n := strings.Count(text, "<svg xmlns"); n != len(plots) || strings.Contains(text, "<?xml") {
		t.Errorf("%d pictures in the page, want %d", n, len(plots))
	}
	if !strings.Contains(text, "Testor &lt;1&gt;") {
		t.Error("the page does not escape text")
	}
	for _, outside := range []string{"<script", "<link", "src=", "@import", "url("} {
		if strings.Contains(text, outside) {
			t.Errorf("the page holds %q", outside)
		}
	}
	again := &bytes.Buffer{}
	if err := r.WritePage(again); err != nil || again.String() != text {
		t.Errorf("the same report gives another page (%v)", err)
	}
}

// TestPlotsOfLittle draws what has one point, one bar, or a zero.
func TestPlotsOfLittle(t *testing.T) {
	var r Report
	r.Add(Measurement{Group: "one bar", Case: "a", Series: "b", Unit: "s", Stat: stat.New([]float64{1})})
	r.Add(Measurement{Group: "one point", Case: "a", Series: "b", X: 1, XName: "n", Unit: "s", Stat: stat.New([]float64{1})})
	r.Add(Measurement{Group: "zero", Case: "a", Series: "b", X: 1, XName: "n", Unit: "allocations", Stat: stat.New([]float64{0})})
	r.Add(Measurement{Group: "no time", Case: "a", Series: "b", Unit: "s", Stat: stat.New([]float64{0})})
	plots, err := r.Plots()
	if err != nil || len(plots) != 4 {
		t.Fatalf("%d plots, %v", len(plots), err)
	}
	for _, p := range plots {
		if bytes.Contains(p.SVG, []byte("NaN")) || bytes.Contains(p.SVG, []byte("Inf")) {
			t.Errorf("%s: the plot holds NaN or Inf", p.Group)
		}
	}
}

func TestMarkdown(t *testing.T) {
	r := New(2, 5, machine.Limits{})
	if got := r.Markdown(subject.CBCL); got != "" {
		t.Errorf("nothing measured: %q", got)
	}
	add := func(group, series, note string, method string, typ machine.Type, threads int, x, limit float64) {
		r.Add(Measurement{Group: group, Case: CaseName(method, typ, threads), Series: series, Stat: stat.New([]float64{x}), Limit: limit, Note: note})
	}
	for _, typ := range subject.Types {
		for threads := 1; threads <= 2; threads++ {
			x := 4 / float64(threads)
			add(IterationGroup(subject.CBCL), "nmu", "", "nmf", typ, threads, x, 0.75*x)
			add(WholeGroup(subject.CBCL), "nmu", "600 iterations", "nmf", typ, threads, x/2, 0)
		}
	}
	for by, x := range map[string]float64{"nmu": 1, "gonum": 12.34} {
		for _, method := range []string{"nmf", "rnmu"} {
			add(PeerGroup(subject.CBCL), by, "v1 "+by, method, machine.Float64, 2, x, 0)
		}
	}
	add(PeerGroup(subject.CBCL), "scikit-learn", "1.2", "nmf", machine.Float64, 2, 3, 0)
	got := r.Markdown(subject.CBCL)
	for _, want := range []string{
		"| NMF, 600 iterations | 1 | 4 ms | 75 % | 2 s | 4 ms | 75 % | 2 s |\n",
		"| NMF, 600 iterations | 2 | 2 ms | 75 % | 1 s | 2 ms | 75 % | 1 s |\n",
		"12.3 s, 12.3 x |", "3 s, 3.0 x |\n", "scikit-learn 1.2", "gonum v1 gonum",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the table lacks %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "G-NMU") || strings.Contains(got, "nmu v1") || strings.Count(got, "gonum v1") != 1 {
		t.Errorf("the table is\n%s", got)
	}
	columns := 0
	for line := range strings.Lines(got) {
		if n := strings.Count(line, "|"); n > 0 && columns > 0 && n != columns {
			t.Errorf("a line with %d columns after one with %d:\n%s", n-1, columns-1, line)
		} else {
			columns = n
		}
	}
	var page strings.Builder
	if err := r.WriteMarkdown(&page); err != nil || !strings.Contains(page.String(), "\n## cbcl\n\n"+got) {
		t.Errorf("%v:\n%s", err, &page)
	}
}

// TestMarkdownSparse looks for each row of a sparse matrix with its share of the limit.
func TestMarkdownSparse(t *testing.T) {
	r := New(1, 1, machine.Limits{})
	if got := r.MarkdownSparse(); got != "" {
		t.Errorf("nothing measured: %q", got)
	}
	for i, typ := range subject.Types {
		for _, series := range []string{"nmu", "plain pass"} {
			r.Add(Measurement{Group: SparseGroup, Case: SparseCase("kl rank=25", typ), Series: series, Stat: stat.New([]float64{8}), Limit: float64(4 + i), LimitBy: "vectors in L1", Note: "one thread"})
		}
	}
	const want = "| kl rank=25, one thread | 8 ms | 50 % | vectors in L1 | 8 ms | 62 % | vectors in L1 |\n"
	got := r.MarkdownSparse()
	var page strings.Builder
	if err := r.WriteMarkdown(&page); err != nil || !strings.Contains(got, want) || !strings.HasSuffix(page.String(), "\n## sparse\n\n"+got) || strings.Count(got, "\n") != 3 {
		t.Errorf("%v:\n%s", err, &page)
	}
}

// What exceeds the limit is not drawn as a part of one.
func TestPlotAboveLimit(t *testing.T) {
	bar := func(ratio float64) []Measurement {
		return []Measurement{{Group: "g", Case: "c", Series: "s", Unit: "ms", Stat: stat.New([]float64{1}), Limit: ratio, Ratio: ratio}}
	}
	for ratio, want := range map[float64]string{0.5: "Percent of the limit", 1.5: "Percent of the estimate"} {
		if svg, err := plotOf(bar(ratio)); err != nil || !strings.Contains(string(svg), want) {
			t.Errorf("ratio %v: no %q: %v", ratio, want, err)
		}
	}
}
