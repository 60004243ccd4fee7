package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nmu/cmd/internal/methods"
	"nmu/internal/matio"
	"nmu/internal/must"
	"nmu/internal/record"
	"nmu/internal/render"
	"nmu/lnmu"
)

// The report is one of the files of a run and changes no bit of the others; nmu report
// makes the same page later, and a run without takes it away.
func TestReport(t *testing.T) {
	input := swimmerFile(t, false)
	args := []string{"factor", input, "--rank", "3", "--method", "rnmu", "--restarts", "1", "--iterations", "20", "--image", "20x11", "--out"}
	plain, dir := filepath.Join(t.TempDir(), "plain"), filepath.Join(t.TempDir(), "out")
	succeed(t, append(args, plain)...)
	contains(t, succeed(t, append(args, dir, "--report")...), record.NameReport)
	with, without := result(t, dir), result(t, plain)
	if with.SHA256V != without.SHA256V || with.SHA256W != without.SHA256W || with.RelativeError != without.RelativeError {
		t.Error("with a report there are other factors")
	}
	if len(with.Blocks) != 3 || len(with.Blocks[0].History) != 2 || with.Settings.CheckEvery != 10 || with.Files[record.NameReport] == "" {
		t.Errorf("result.json: history %v every %d, files %v", with.Blocks, with.Settings.CheckEvery, with.Files)
	}
	first := readText(t, dir, record.NameReport)
	succeed(t, "report", dir)
	must.Equal(t, readText(t, dir, record.NameReport), first, "nmu report makes another page than nmu factor --report")
	if files := result(t, dir).Files; len(files) != len(names(t, dir))-1 {
		t.Errorf("of %v these are recorded: %v", names(t, dir), files)
	}
	// Of a run without history, elsewhere.
	page := filepath.Join(t.TempDir(), "page.html")
	before := names(t, plain)
	contains(t, succeed(t, "report", plain, "--out", page), page)
	if text := readText(t, page); strings.Contains(text, "by iteration") || !strings.Contains(text, "picture of 20 × 11 pixels") {
		t.Error("the page shows a history that there is not, or no pictures")
	}
	must.Equal(t, succeed(t, "report", plain, "--out", "-"), readText(t, page), "standard output has another page")
	must.EqualSlices(t, names(t, plain), before, "--out changes the folder of the run")
	// The next run takes the report away, and what follows takes the set for whole.
	succeed(t, "factor", input, "--rank", "3", "--init", dir, "--method", "nmf", "--iterations", "1")
	succeed(t, append(args, dir)...)
	if slices.Contains(names(t, dir), record.NameReport) {
		t.Error("the report of an earlier run stays")
	}
}

// Without M the report leaves out what needs it, and says so; it takes M from
// elsewhere, and says when that is another one.
func TestReportWithoutM(t *testing.T) {
	script(t, `
-- m.csv 1,2,3\n2,4,7\n1,0,1\n0,1,1\n
-- moved.csv 1,2,3\n2,4,7\n1,0,1\n0,1,1\n
-- other.csv 9,2,3\n2,4,7\n1,0,1\n0,1,1\n
-- small.csv 1,2\n3,4\n
factor m.csv --rank 2 --restarts 1 --out out
`)
	must.Do(t, os.Remove("m.csv"))
	for _, line := range []string{
		"report out | notes: M was not read | out/report.html: M was not read",
		`report out moved.csv | out/report.html no: M was not read | out/report.html: id="measured"`,
		"report out other.csv | notes: has changed since | out/report.html: has changed since",
		"report out small.csv | refused: 2 x 2 | 4 x 3",
		"report out nowhere | refused: nowhere",
	} {
		scriptLine(t, strings.Split(line, " | "))
	}
	status, _, stderr := nmuFrom(strings.NewReader("1,2,3\n2,4,7\n"), "factor", "-", "--rank", "1", "--out", "out", "--report")
	rich := readText(t, "out", record.NameReport)
	if status != 0 || !strings.Contains(rich, `id="measured"`) {
		t.Errorf("of standard input: status %d, %s", status, stderr)
	}
	fails(t, []string{"report.html shows M, and the new page would not; --force replaces it"}, "report", "out")
	must.Equal(t, readText(t, "out", record.NameReport), rich, "a poorer page has replaced a richer one")
	scriptLine(t, []string{"report out --force", "notes: standard input"})
	if readText(t, "out", record.NameReport) == rich {
		t.Error("--force leaves the page")
	}
	succeed(t, "report", "out") // as poor as the one before
	write(t, "big.csv", strings.Repeat(strings.Repeat("1,2,3,", 100)+"5\n", 400))
	succeed(t, strings.Fields("factor big.csv --rank 1 --restarts 1 --iterations 1 --out big")...)
	limit := fmt.Sprint(needed(t, "report", "big", "--max-memory", "1MB"))
	scriptLine(t, []string{"report big --max-memory " + limit, "notes: M was not read (big.csv: reading it needs ", "notes: --max-memory sets the limit"})
}

// Drawings for papers are SVG and PDF, of whatever the columns of M and V are, and replace earlier ones.
func TestReportFigures(t *testing.T) {
	script(t, `
-- air.csv day,Na<b>,Cl,K\n2019-01-01,1,2,3\n2019-01-02,2,4,7\n2019-01-03,1,0,1\n2019-01-04,0,1,1\n
-- words.csv 1,0,2\n0,3,1\n
factor air.csv --transpose --rank 2 --method rnmu --restarts 1 --report --out air
factor words.csv --rank 1 --restarts 1 --out words
report air --figures air-figures
report air --figures air-figures
report words --figures air.csv | refused: --figures: 
report words --figures words-figures
`)
	must.EqualSlices(t, names(t, "air-figures"), strings.Fields("error-by-iteration.pdf error-by-iteration.svg error-by-rank.pdf error-by-rank.svg parts.pdf parts.svg weights.pdf weights.svg"))
	contains(t, readText(t, "air-figures", "weights.svg"), "2019-01-03", ">part 2<")
	if text := readText(t, "air-figures", "parts.pdf"); !strings.HasPrefix(text, "%PDF-1.4") {
		t.Errorf("%.20s", text)
	}
	contains(t, readText(t, "words-figures", "parts.svg"), ">row 2<")
}

// Sparse matrices, both precisions, transposes and every method have a report.
func TestReportOfEverything(t *testing.T) {
	sparse := filepath.Join("testdata", "small.mtx")
	for _, args := range [][]string{
		{sparse}, {sparse, "--dense", "--improve"}, {sparse, "--transpose"}, {sparse, "--precision", "float32"},
		{filepath.Join("testdata", "zero.csv")}, {filepath.Join("testdata", "parts.csv"), "--norm", "l1"},
		{filepath.Join("testdata", "parts.csv"), "--block", "2", "--feasible", "final"},
	} {
		dir := filepath.Join(t.TempDir(), "out")
		succeed(t, append([]string{"factor", "--rank", "2", "--method", "rnmu", "--restarts", "1", "--iterations", "20", "--report", "--out", dir}, args...)...)
		first := readText(t, dir, record.NameReport)
		succeed(t, "report", dir)
		must.Equal(t, readText(t, dir, record.NameReport), first, args, "nmu report makes another page")
		must.Say(t, first, `id="measured"`, args)
	}
	needs := map[string][]string{"snmf": {"--penalty-v", "0.1", "--penalty-w", "0.1"}, "hoyer": {"--hoyer-v", "0.5"}}
	for _, method := range methods.Names(methods.Any) {
		dir := filepath.Join(t.TempDir(), "out")
		args := []string{"factor", filepath.Join("testdata", "parts.csv"), "--rank", "2", "--method", method, "--restarts", "1", "--iterations", "20", "--report", "--out", dir}
		succeed(t, append(args, needs[method]...)...)
		if text := readText(t, dir, record.NameReport); !strings.Contains(text, strings.ToUpper(method)) {
			t.Errorf("the report does not name %s", method)
		}
	}
}

func TestReportErrors(t *testing.T) {
	script(t, `
-- m.csv 1,2,3\n2,4,7\n1,0,1\n
factor m.csv --rank 1 --report | refused: --report | --out
report out | refused: out | no results of nmu factor
report | refused: DIR
report a b c | refused: DIR
factor m.csv --rank 1 --out out
report out --out= | refused: --out is empty
report out --image 2x2 | refused: --image 2x2
transform out m.csv --out weights
report weights | refused: result.json | is not that of nmu factor
`)
	writeMatrix(t, "out/V.npy", lnmu.NewDense(3, 1, []float64{1, 2, 3}))
	fails(t, []string{record.NameV, record.NameResult}, "report", "out")
	write(t, "out/result.json", "{")
	fails(t, []string{record.NameResult, "is not that of nmu factor"}, "report", "out")
	if slices.Contains(names(t, "out"), record.NameReport) {
		t.Error("an error leaves a report")
	}
}

// What is missing of M does not count on the page either, when it is written and when it
// is written again.
func TestReportOfMissing(t *testing.T) {
	script(t, `
-- gaps.csv 5,3,4,1\n2,,2,0.5\n1,9,1,1\n4,1,5,\n
-- whole.csv 5,3,4,1\n2,1,2,0.5\n1,99,1,1\n4,1,5,2\n
-- mask.csv 1,1,1,1\n1,1,1,1\n1,0,1,1\n1,1,1,1\n
factor gaps.csv --missing allow --rank 1 --method nmf --report --out gaps
factor whole.csv --mask mask.csv --rank 1 --method nmf --report --out mask
factor gaps.csv --missing allow --mask mask.csv --rank 1 --method nmf --report --out both
`)
	for _, dir := range []string{"gaps", "mask", "both"} {
		first := readText(t, dir, record.NameReport)
		status, _, stderr := nmu("report", dir)
		if again := readText(t, dir, record.NameReport); status != 0 || stderr != "" && !strings.Contains(stderr, "numbers are missing") || strings.Contains(stderr, "changed") || again != first {
			t.Errorf("%s: nmu report: status %d, %s, another page: %v", dir, status, stderr, again != first)
		}
		if strings.Contains(first, "has changed since") {
			t.Errorf("%s: the page says that M has changed", dir)
		}
	}
}

// A report shows the comparison of ranks, if there is one of a matrix of that shape.
func TestReportOfRanks(t *testing.T) {
	swimmer := swimmerFile(t, false)
	dir, ranks := filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "ranks")
	succeed(t, "factor", swimmer, "--rank", "3", "--iterations", "5", "--restarts", "1", "--out", dir)
	succeed(t, "rank", swimmer, "--ranks", "2:4", "--iterations", "5", "--folds", "2", "--out", ranks)
	within := must.Get(matio.Open(filepath.Join(dir, record.NameV), matio.Options{MaxMemory: 1 << 20}))(t)
	defer within.Close()
	found, err := record.ReadRank(ranks, within)
	if left := within.Left(); err != nil || len(found.Points) != 3 || left > 1<<20-int64(len(readText(t, ranks, record.NameRank))) {
		t.Fatalf("%+v, %d bytes left of a MiB, %v", found, left, err)
	}
	succeed(t, "report", dir, "--comparison", ranks)
	text := readText(t, dir, record.NameReport)
	for _, want := range append([]string{"How many parts", "No rank is clear", `<a href="../../` + filepath.Base(filepath.Dir(ranks)) + `/ranks/rank.html">`}, strings.Split(found.Advice.Reason, " ")...) {
		must.Say(t, text, want)
	}
	for _, p := range found.Points {
		if h := strings.ReplaceAll(render.Percent(p.HeldOut.Mean), " ", "\u00a0"); !strings.Contains(text, h) {
			t.Errorf("the page does not have the held-out error %s of rank %d", h, p.Rank)
		}
	}
	consensus := filepath.Join(t.TempDir(), "consensus")
	succeed(t, "consensus", swimmer, "--ranks", "2", "--iterations", "5", "--restarts", "2", "--out", consensus)
	succeed(t, "report", dir, "--comparison", consensus, "--force")
	if text := readText(t, dir, record.NameReport); !strings.Contains(text, `/consensus/consensus.html">`) || strings.Contains(text, "How many parts") {
		t.Error("the page has no link to that of nmu consensus, or the comparison of an earlier one")
	}
	other := filepath.Join(t.TempDir(), "other")
	succeed(t, "rank", textFile(t, "m.csv", "1.5,2,3\n3,5,1\n2,2,2\n"), "--ranks", "1:2", "--folds", "2", "--iterations", "5", "--out", other)
	fails(t, []string{"--comparison: ", "3 x 3", "220 x 256"}, "report", dir, "--comparison", other)
	fails(t, []string{"--comparison: ", "no results of nmu rank"}, "report", dir, "--comparison", dir)
	write(t, filepath.Join(other, record.NameRank), `{"schema": "nmu-rank/0"}`)
	fails(t, []string{"--comparison: ", "is not that of nmu rank", "nmu-rank/0"}, "report", dir, "--comparison", other)
}

// changing matches what a page says of the times and the processes of a run.
var changing = regexp.MustCompile(`[0-9.e+-]+ ?(s|ms|seconds?)\b(, [0-9]+ processes of [0-9]+ threads?)?(, [0-9]+ threads?)?`)

// pageOf runs nmu factor with --report and returns the page, without what changes from run to run, and
// what is said on stderr. With several processes, n is their number.
func pageOf(t *testing.T, n int, run func(t *testing.T, n int, args ...string) (status int, stdout, stderr string), args ...string) (page, stderr string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	args = append(args, "--report", "--rank", "2", "--iterations", "2", "--restarts", "1", "--threads", "1", "--out", out)
	if n > 0 {
		args = append(args, "--mpi")
	}
	status, _, stderr := run(t, n, args...)
	text, err := os.ReadFile(filepath.Join(out, record.NameReport))
	if status != 0 || err != nil {
		t.Errorf("%v, %d processes: status %d, %v, %s", args, n, status, err, stderr)
	}
	return changing.ReplaceAllString(string(text), "TIME"), stderr
}

// TestReportStored: the page of a run on a matrix that stays in its files, tall or wide, dense or
// sparse, is that of the same run in memory.
func TestReportStored(t *testing.T) {
	type run struct {
		line      string
		processes int
	}
	large := largeFile(t)
	runs := []run{{large + " --method nmf --transpose", 0}}
	if os.Getenv("NMU_FULL") != "" {
		parts, tall, wide := partsFile(t), largeFolder(t, 100, false), largeFolder(t, 40, true)
		runs = append(runs,
			run{large + " --method nmf", 0}, run{large + " --method nmf --mask " + large, 0},
			run{large + " --method rnmu --transpose --mask " + large, 0}, run{large + " --method gnmu --transpose", 0},
			run{wide + " --method nmf", 0},
			run{parts + " --method gnmu", 3}, run{parts + " --method gnmu --transpose --mask " + parts, 3},
			run{tall + " --method gnmu", 2})
	}
	for _, r := range runs {
		args := append([]string{"factor"}, strings.Fields(r.line)...)
		want, _ := pageOf(t, 0, inMemory, args...)
		got, stderr := pageOf(t, r.processes, stored, append(args, "--scratch", t.TempDir())...)
		must.Say(t, stderr, " stays ", r.line, r.processes)
		must.Equal(t, got, want, r.line, r.processes, "processes: another page of", len(got), "bytes, want", len(want))
	}
}

// TestReportProcesses: process 0 writes the page that one process writes, of a matrix that the processes
// share.
func TestReportProcesses(t *testing.T) {
	dir := t.TempDir()
	sampled(t, dir)
	t.Chdir(dir)
	cubeFile(t, "scene.npy", 25, 20, 6, func(p int) bool { return p%9 == 4 || p > 300 && p < 390 })
	lines := []string{
		"scene.npy --method nmf --missing allow",
		"tall.npy --method rnmu", "wide.npy --method nmf --precision float32", "small.npy --method nmf",
		"tall.npy --method nmf --transpose --mask mask.npy", "gaps.npy --method gnmu --missing allow",
		"tall.mtx --method nmf", "wide.mtx --method gnmu", "wide.mtx --method nmf --sparse-missing",
	}
	processes := []int{3}
	if os.Getenv("NMU_FULL") != "" {
		processes = []int{1, 2, 7}
		lines = append(lines, "tall.npy --method nmf --mask mask.npy --weights weights.npy", "tall.mtx --dense --method kl", "tall.csv --method nmf", "tall.npy --method nmf --scale topics", "wide.npy --method nmf --scale topics --improve")
	}
	for _, line := range lines {
		args := append([]string{"factor"}, strings.Fields(line)...)
		want, _ := pageOf(t, 0, inMemory, args...)
		for _, n := range processes {
			if got, _ := pageOf(t, n, inMemory, args...); got != want {
				t.Errorf("%s, %d processes: another page of %d bytes, want %d", line, n, len(got), len(want))
			}
		}
	}
}
