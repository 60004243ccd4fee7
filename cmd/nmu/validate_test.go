package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/methods"
	"nmu/cmd/internal/record"
	"nmu/internal/must"
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
		"factor", input, "--rank", "3", "--iters", "12", "--init", "nested", "--restarts", "1", "--feasible", "each",
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
		"--init":    {"factor", input, "--rank", "3", "--iters", "2", "--restarts", "1", "--init", dir},
		"--fix-v":   {"factor", input, "--rank", "3", "--iters", "2", "--restarts", "1", "--method", "nmf", "--fix-v", dir},
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
	good := []byte(readText(t, dir, record.NameResult))
	for name, args := range readersOf(input, dir, out) {
		if status, _, stderr := nmu(args...); status != 0 {
			t.Fatalf("%s refuses a sound run: %s", name, stderr)
		}
	}
	for _, c := range []struct {
		member, value string // as JSON; no value takes the member away
	}{
		{"error_per_rank", "null"}, {"error_per_rank", "[null,0.2,0.1]"}, {"error_per_rank", "[]"}, {"error_per_rank", ""},
		{"error_per_rank", "[0.5,0.2]"}, {"error_per_rank", "[0.5,0.2,0.1,0.05]"}, {"error_per_rank", `["NaN",0.2,0.1]`},
		{"error_per_rank", "[-1,0.2,0.1]"}, {"error_per_rank", "[1e999,0.2,0.1]"}, {"error_per_rank", "[1e301,0.2,0.1]"},
		{"rank_of_error", "[1,2]"}, {"rank_of_error", "[1,1,3]"}, {"rank_of_error", "[0,1,2]"}, {"rank_of_error", "[1,2,4]"},
		{"rank_of_error", "[1,2,99999999999999999999]"}, {"l1_per_rank", "[]"}, {"l1_per_rank", "[1]"},
		{"iterations_per_block", "[1]"}, {"iterations_per_block", "[1,2,-3]"}, {"iterations_per_block", ""},
		{"stop_per_block", `["iterations"]`}, {"stop_per_block", `["a","b","c"]`}, {"history", "[[1],[2],[3],[4]]"}, {"history", "[[-1]]"},
		{"rank", "0"}, {"rank", "-3"}, {"rank", "null"}, {"rank", "2.5"}, {"rank", `"3"`}, {"rank", ""}, {"rank_asked", "2"},
		{"rows", "0"}, {"rows", "-4"}, {"cols", "9223372036854775807"}, {"threads", "-1"}, {"iterations", "-1"}, {"check_every", "-1"},
		{"relative_error", "-0.1"}, {"relative_error", "null"}, {"max_violation", "-1"}, {"sparsity_v", "7"}, {"hoyer_w", "-2"},
		{"method", `"none"`}, {"method", "null"}, {"precision", `"float16"`}, {"stop", `"\u001b[2J"`}, {"norm", `"l9"`},
		{"options", `{"out":"elsewhere"}`}, {"options", `{"force":"true"}`}, {"options", "[]"}, {"given_options", `["max-memory"]`},
		{"image", `{"height":-2,"width":-2,"order":"rows"}`}, {"image", `{"height":4,"width":4611686018427387905,"order":"rows"}`},
		{"image", `{"height":2,"width":2,"order":"up"}`}, {"row_names", `["a"]`}, {"row_names", "[]"}, {"col_names", `["a"]`},
		{"top", `[{"factor":9,"rows":[],"cols":[]}]`}, {"top", `[{"factor":1,"rows":[{"index":0,"value":1}],"cols":[]}]`},
		{"sha256_v", `"00"`}, {"sha256_v", "null"}, {"sha256_w", `""`}, {"sha256_w", ""}, {"files", `{"V.npy":"xyz"}`}, {"missing_entries", "-1"},
		{"feasible_steps", `[{"factors":-1,"renewed":"V"}]`}, {"notes", "[null]"},
	} {
		members := map[string]json.RawMessage{}
		must.Do(t, json.Unmarshal(good, &members))
		if delete(members, c.member); c.value != "" {
			members[c.member] = json.RawMessage(c.value)
		}
		text := must.Get(json.Marshal(members))(t)
		write(t, path, string(text))
		for name, args := range readersOf(input, dir, out) {
			// An earlier version wrote no iterations_per_block, without which a run cannot
			// be continued.
			if c.member == "iterations_per_block" && c.value == "" && name != "--continue" {
				delete(members, "stop_per_block")
				continue
			}
			status, stdout, stderr := nmu(args...)
			if status != exit.StatusError || stdout != "" || !strings.Contains(stderr, record.NameResult) {
				t.Errorf("%s = %s: %s ends with %d, %q, %q", c.member, c.value, name, status, stdout, stderr)
			}
		}
	}
	for _, text := range []string{"", "{", "[]", "null", `"a"`, string(good) + "{}", "\x00\x00"} {
		write(t, path, text)
		for name, args := range readersOf(input, dir, out) {
			if status, stdout, stderr := nmu(args...); status != exit.StatusError || stdout != "" || !strings.Contains(stderr, record.NameResult) {
				t.Errorf("result.json is %.10q: %s ends with %d, %q, %q", text, name, status, stdout, stderr)
			}
		}
	}
}

// A result.json of another program is none of a run: V and W beside it are the user's own.
func TestRecordOfAnotherProgram(t *testing.T) {
	input, dir := recordedRun(t)
	write(t, filepath.Join(dir, record.NameResult), `{"score": null}`)
	succeed(t, "transform", dir, input)
	fails(t, []string{record.NameResult, "is not that of nmu factor"}, "report", dir)
}

// TestTransformRecordValidated: the result of nmu transform is validated where it is read.
func TestTransformRecordValidated(t *testing.T) {
	input, run := recordedRun(t)
	dir := filepath.Join(t.TempDir(), "weights")
	succeed(t, "transform", run, input, "--out", dir)
	replaced(t, filepath.Join(dir, record.NameResult), map[string]string{
		`"rank": 3`: `"rank": null`, `"cols": 6`: `"cols": -6`, `"precision": "float64"`: `"precision": "real"`, `"stop": "`: `"stop": "never`,
	}, []string{record.NameResult, "damaged"}, "factor", input, "--rank", "3", "--iters", "2", "--restarts", "1", "--method", "nmf", "--fix-w", dir)
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
	succeed(t, "rank", input, "--ranks", "1:2", "--iters", "5", "--folds", "2", "--restarts", "2", "--out", ranks)
	replaced(t, filepath.Join(ranks, record.NameRank), map[string]string{
		`"rows": 4`: `"rows": null`, `"rank": 2`: `"rank": -2`, `"mean": `: `"mean": -`, `"stability": `: `"stability": 7`,
		`"points": [`: `"points": [], "other": [`,
	}, []string{"--ranks", "is not that of nmu rank"}, "report", dir, input, "--ranks", ranks, "--out", filepath.Join(t.TempDir(), "page.html"))
}

// A recursion that leaves nothing of M before half of its rank has a page.
func TestReportOfExact(t *testing.T) {
	input := textFile(t, "m.csv", strings.Repeat(strings.Repeat("1,0,2,0,3,0,", 4)+"1\n"+strings.Repeat("0,1,0,2,0,3,", 4)+"1\n", 12))
	for _, method := range methods.Names(methods.Any) {
		args := []string{"factor", input, "--rank", "24", "--method", method, "--iters", "300", "--restarts", "1", "--report", "--out", filepath.Join(t.TempDir(), "out")}
		if method == "snmf" {
			args = append(args, "--penalty-v", "0.01", "--penalty-w", "0.01")
		} else if method == "hoyer" {
			args = append(args, "--hoyer-v", "0.5")
		}
		succeed(t, args...)
	}
}
