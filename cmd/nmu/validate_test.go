package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/methods"
	"nmu/internal/record"
)

// recordedRun makes a run with everything that result.json can tell of a recursion, and
// returns its input and folder.
func recordedRun(t testing.TB) (input, dir string) {
	t.Helper()
	input = filepath.Join(t.TempDir(), "m.csv")
	text := "name,a,b,c,d,e,f\nx,1,2,3,4,5,6\ny,2,4,7,1,0,1\nz,1,0,1,9,2,2\nu,0,3,1,1,4,2\n"
	write(t, input, text)
	dir = filepath.Join(t.TempDir(), "run")
	args := []string{
		"factor", input, "--rank", "3", "--method", "rnmu", "--iterations", "12", "--init", "nested", "--restarts", "1", "--feasible", "each",
		"--image", "2x2", "--top", "2", "--report", "--out", dir,
	}
	if status, _, stderr := nmu(args...); status != 0 {
		t.Fatalf("nmu %s: %s", strings.Join(args, " "), stderr)
	}
	return input, dir
}

// readersOf are the command lines that read the result.json of a run.
func readersOf(input, dir, out string) map[string][]string {
	return map[string][]string{
		"report":    {"report", dir, input, "--out", out},
		"transform": {"transform", dir, input},
		"--init":    {"factor", input, "--rank", "3", "--iterations", "2", "--restarts", "1", "--init", dir},
		"--fix-v":   {"factor", input, "--rank", "3", "--iterations", "2", "--restarts", "1", "--method", "nmf", "--fix-v", dir},
		"--continue": {
			"factor", input, "--rank", "4", "--restarts", "1", "--continue", dir,
		},
	}
}

// TestRecordsValidated: a result.json that tells what cannot be so is refused by every
// command that reads one, whether the command needs the member or not.
func TestRecordsValidated(t *testing.T) {
	input, dir := recordedRun(t)
	out := filepath.Join(t.TempDir(), "page.html")
	path := filepath.Join(dir, record.NameResult)
	good := readText(t, dir, record.NameResult)
	for name, args := range readersOf(input, dir, out) {
		if status, _, stderr := nmu(args...); status != 0 {
			t.Fatalf("%s refuses a sound run: %s", name, stderr)
		}
	}
	blocks := func(second string) string {
		return `[{"rank":1,"iterations_done":2,"stop":"iterations","relative_error":0.5},` + second + `]`
	}
	all := readersOf(input, dir, out)
	readers := slices.Sorted(maps.Keys(all))
	for i, c := range []struct {
		path, value string // as JSON; no value takes the member away
	}{
		{"result.blocks", "null"}, {"result.blocks", "[null]"}, {"result.blocks", "[0.2]"}, {"result.blocks", blocks("{}")},
		{"result.blocks", blocks(`{"rank":1,"iterations_done":2,"stop":"iterations"}`)}, {"result.blocks", blocks(`{"rank":4,"iterations_done":2,"stop":"iterations"}`)},
		{"result.blocks", blocks(`{"rank":2,"iterations_done":-2,"stop":"iterations"}`)}, {"result.blocks", blocks(`{"rank":2,"iterations_done":2,"stop":"a"}`)},
		{"result.blocks", blocks(`{"rank":2,"iterations_done":null,"stop":"iterations"}`)}, {"result.blocks", blocks(`{"rank":99999999999999999999,"stop":"iterations"}`)},
		{"result.blocks", blocks(`{"rank":2,"stop":"iterations","relative_error":null}`)}, {"result.blocks", blocks(`{"rank":2,"stop":"iterations","relative_error":-1}`)},
		{"result.blocks", blocks(`{"rank":2,"stop":"iterations","relative_error":1e999}`)}, {"result.blocks", blocks(`{"rank":2,"stop":"iterations","relative_error":1e301}`)},
		{"result.blocks", blocks(`{"rank":2,"stop":"iterations","relative_error":"NaN"}`)}, {"result.blocks", blocks(`{"rank":2,"stop":"iterations","relative_l1":-1}`)},
		{"result.blocks", blocks(`{"rank":2,"stop":"iterations","relative_divergence":-1}`)}, {"result.blocks", blocks(`{"rank":2,"stop":"iterations","history":[-1]}`)},
		{"result.blocks", blocks(`{"rank":2,"stop":"iterations","history":null}`)}, {"result.blocks", blocks(`{"rank":2,"stop":"iterations","exact_steps":[{"factors":-1,"renewed":"V"}]}`)},
		{"result.rank", "0"}, {"result.rank", "-3"}, {"result.rank", "null"}, {"result.rank", "2.5"}, {"result.rank", `"3"`}, {"result.rank", ""}, {"settings.rank", "2"},
		{"input", ""}, {"input.rows", "0"}, {"input.rows", "-4"}, {"input.cols", "9223372036854775807"}, {"input.missing_entries", "-1"},
		{"settings", ""}, {"settings", "[]"}, {"settings.threads", "-1"}, {"settings.iterations", "-1"}, {"settings.iterations", "null"}, {"settings.iterations", "1.5"}, {"settings.check_every", "-1"},
		{"settings.tolerance", "-1"}, {"settings.init", `"else"`}, {"settings.seed", "[1]"}, {"settings.missing", `"perhaps"`}, {"settings.missing_solver", `"none"`},
		{"settings.method", `"none"`}, {"settings.method", "null"}, {"settings.precision", `"float16"`}, {"settings.scale", `"size"`},
		{"settings.options", `{"out":"elsewhere"}`}, {"settings.options", `{"force":"true"}`}, {"settings.options", "[]"}, {"settings.options", `{"norm":"l9"}`}, {"settings.given_options", `["max-memory"]`},
		{"result", ""}, {"result.relative_error", "-0.1"}, {"result.relative_error", "null"}, {"result.max_violation", "-1"}, {"result.sparsity_v", "7"}, {"result.hoyer_w", "-2"},
		{"result.stop", `"\u001b[2J"`}, {"result.missing_solver", `"none"`}, {"result.notes", "[null]"},
		{"input.image", `{"height":-2,"width":-2,"order":"rows"}`}, {"input.image", `{"height":4,"width":4611686018427387905,"order":"rows"}`},
		{"input.image", `{"height":2,"width":2,"order":"up"}`}, {"input.row_names", `["a"]`}, {"input.row_names", "[]"}, {"input.col_names", `["a"]`},
		{"result.top", `[{"factor":9,"rows":[],"cols":[]}]`}, {"result.top", `[{"factor":1,"rows":[{"index":0,"value":1}],"cols":[]}]`},
		{"result.sha256_v", `"00"`}, {"result.sha256_v", "null"}, {"result.sha256_v", ""}, {"result.sha256_w", `""`}, {"result.sha256_w", ""}, {"files", `{"V.npy":"xyz"}`},
		{"schema", `"nmu-factor/1"`}, {"schema", `"nmu-rank/2"`}, {"", `{"sha256_v":"00","sha256_w":"00"}`}, // of another version
	} {
		text := edited(good, c.path, c.value)
		if c.path == "" {
			text = c.value
		}
		write(t, path, text)
		for k, name := range readers { // all validate alike, so each sees every kind of fault
			if k != i%len(readers) && os.Getenv("NMU_FULL") == "" {
				continue
			}
			if status, stdout, stderr := nmu(all[name]...); status != exit.StatusError || stdout != "" || !strings.Contains(stderr, record.NameResult) {
				t.Errorf("%s = %s: %s ends with %d, %q, %q", c.path, c.value, name, status, stdout, stderr)
			}
		}
	}
	for _, text := range []string{"", "{", "[]", "null", `"a"`, good + "{}", "\x00\x00"} {
		write(t, path, text)
		for name, args := range readersOf(input, dir, out) {
			if status, stdout, stderr := nmu(args...); status != exit.StatusError || stdout != "" || !strings.Contains(stderr, record.NameResult) {
				t.Errorf("result.json is %.10q: %s ends with %d, %q, %q", text, name, status, stdout, stderr)
			}
		}
	}
}

// A result.json of another program is none of a run: V and W beside it are the user's own, and their folder no basis.
func TestRecordOfAnotherProgram(t *testing.T) {
	input, dir := recordedRun(t)
	write(t, filepath.Join(dir, record.NameResult), `{"score": null}`)
	succeed(t, "transform", filepath.Join(dir, record.NameV), input)
	fails(t, []string{"no result.json of nmu factor", "V.npy"}, "transform", dir, input)
	fails(t, []string{record.NameResult, "is not that of nmu factor"}, "report", dir)
}

// TestTransformRecordValidated: the result of nmu transform is validated where it is read.
func TestTransformRecordValidated(t *testing.T) {
	input, run := recordedRun(t)
	dir := filepath.Join(t.TempDir(), "weights")
	succeed(t, "transform", run, input, "--out", dir)
	replaced(t, filepath.Join(dir, record.NameResult), map[string]string{
		`"rank": 3`: `"rank": null`, `"cols": 6`: `"cols": -6`, `"precision": "float64"`: `"precision": "real"`, `"stop": "`: `"stop": "never`,
	}, []string{record.NameResult, "damaged"}, "factor", input, "--rank", "3", "--iterations", "2", "--restarts", "1", "--method", "nmf", "--fix-w", dir)
}

// replaced replaces each text of a file by another one, which a command line must then refuse, as it does not
// without.
func replaced(t *testing.T, path string, texts map[string]string, says []string, args ...string) {
	t.Helper()
	succeed(t, args...)
	good := readText(t, path)
	for from, to := range texts {
		if !strings.Contains(good, from) {
			t.Fatalf("no %s in %s", from, good)
		}
		write(t, path, strings.Replace(good, from, to, 1))
		fails(t, says, args...)
	}
}

// TestRanksValidated: so is the rank.json that a report shows.
func TestRanksValidated(t *testing.T) {
	input, dir := recordedRun(t)
	ranks := filepath.Join(t.TempDir(), "ranks")
	succeed(t, "rank", input, "--ranks", "1:2", "--iterations", "5", "--folds", "2", "--restarts", "2", "--out", ranks)
	replaced(t, filepath.Join(ranks, record.NameRank), map[string]string{
		`"rows": 4`: `"rows": null`, `"rank": 2`: `"rank": -2`, `"mean": `: `"mean": -`, `"stability": `: `"stability": 7`,
		`"points": [`: `"points": [], "other": [`,
	}, []string{"--comparison", "is not that of nmu rank"}, "report", dir, input, "--comparison", ranks, "--out", filepath.Join(t.TempDir(), "page.html"))
}

// A recursion that leaves nothing of M before half of its rank has a page.
func TestReportOfExact(t *testing.T) {
	input := textFile(t, "m.csv", strings.Repeat(strings.Repeat("1,0,2,0,3,0,", 4)+"1\n"+strings.Repeat("0,1,0,2,0,3,", 4)+"1\n", 12))
	for _, method := range methods.Names(methods.Any) {
		args := []string{"factor", input, "--rank", "24", "--method", method, "--iterations", "300", "--restarts", "1", "--report", "--out", filepath.Join(t.TempDir(), "out")}
		if method == "snmf" {
			args = append(args, "--penalty-v", "0.01", "--penalty-w", "0.01")
		} else if method == "hoyer" {
			args = append(args, "--hoyer-v", "0.5")
		}
		succeed(t, args...)
	}
}
