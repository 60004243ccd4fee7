package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
	"nmu/internal/record"
	"nmu/internal/render"
)

// evil clears a terminal, returns to the beginning of the line, turns what follows around
// and begins a line that looks like one of the command.
const evil = "a\x1b[2J\r\u202egpj\u0085\u2028b\nnmu: forged"

// shows demands that everything printed is printable, and that no line is forged.
func shows(t *testing.T, args ...string) {
	t.Helper()
	_, stdout, stderr := nmu(args...)
	if stdout+stderr == "" {
		t.Errorf("nmu %q prints nothing", args)
	}
	for line := range strings.Lines(stdout + stderr) {
		line = strings.TrimSuffix(line, "\n")
		if plain := strings.ReplaceAll(line, "\t", " "); render.Printable(plain) != plain {
			t.Errorf("nmu %q prints %q", args, line)
		}
		if strings.HasPrefix(line, "nmu: forged") {
			t.Errorf("nmu %q prints a line of the name of a file: %q", args, stdout+stderr)
		}
	}
}

// TestPrintable: what files say, and how they are called, reaches a terminal escaped.
func TestPrintable(t *testing.T) {
	t.Chdir(t.TempDir())
	name := evil + ".csv"
	quoted := `"` + evil + `"`
	text := "id," + quoted + ",y,z\n" + quoted + ",1,2,3\nq,2,4,7\nr,1,0,1\n"
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Skip("no such name here: ", err)
	}
	write(t, "bad.csv", "id,"+quoted+"\nq,"+quoted+"\nr,1\n")
	write(t, "neg.csv", "id,"+quoted+",z\n"+quoted+",-1,2\nr,1,2\n")
	d := matio.Labelled[float64]{Rows: 2, Cols: 2, Data: []float64{1, 2, 3, 4}, Stride: 2}
	must.Do(t, matiotest.WriteMat("m.mat", matio.Variable[float64]{Name: "x", Labelled: d}, matio.Variable[float64]{Name: "y", Labelled: d}))
	mat := must.Get(os.ReadFile("m.mat"))(t)
	write(t, "m.mat", strings.Replace(string(mat), "x\x00", "\x1b\x00", 1))
	factor := []string{"factor", name, "--rank", "1", "--restarts", "1"}
	shows(t, append(factor, "--top", "2")...)
	shows(t, append(factor, "--top", "2", "--json")...)
	shows(t, append(factor, "--out", evil, "--report", "--write", "csv")...)
	shows(t, append(factor, "--var", evil)...)
	shows(t, append(factor, "--init", evil+"none")...)
	shows(t, append(factor, "--method", evil)...)
	shows(t, append(factor, "--"+evil)...)
	shows(t, evil)
	shows(t, "factor", "bad.csv", "--rank", "1")
	shows(t, "factor", "neg.csv", "--rank", "1")
	shows(t, "factor", "m.mat", "--rank", "1")
	shows(t, "factor", evil+"none", "--rank", "1")
	shows(t, "report", evil)
	shows(t, "report", evil, name, "--out", evil+".html")
	shows(t, "transform", evil, name)
	shows(t, "transform", evil, name, "--out", evil+"2", "--json")
	shows(t, "rank", name, "--ranks", "1:2", "--iterations", "2", "--out", evil+"3")
	shows(t, "convert", name, evil+".npy")
	shows(t, "biclique", name)
	shows(t, "resume", evil)

	// The values of a record.
	path, good := filepath.Join(evil, record.NameResult), readText(t, evil, record.NameResult)
	value := must.Get(json.Marshal(evil))(t)
	for _, member := range []string{"schema", "input.path", "settings.var", "settings.missing", "settings.mask", "settings.start", "settings.init", "result.stop", "settings.method", "settings.precision", "result.level"} {
		write(t, path, edited(good, member, string(value)))
		shows(t, "report", evil, "--out", "page.html")
		shows(t, "factor", name, "--rank", "2", "--continue", evil)
	}

	// Names of a file beside the command line.
	write(t, "names.txt", "\x1b[31m\nb\u202e\nc\n")
	shows(t, append(factor, "--row-names", "names.txt", "--top", "1")...)
}

// TestLabelsKept: what is written to files stays as it was, also where a spreadsheet would
// take it for a formula.
func TestLabelsKept(t *testing.T) {
	t.Chdir(t.TempDir())
	const label = "=cmd|' /C calc'!A0"
	write(t, "m.csv", "id,"+label+",y\n"+label+",1,2\nq,3,4\n")
	succeed(t, "factor", "m.csv", "--rank", "1", "--restarts", "1", "--out", "out", "--write", "csv")
	contains(t, readText(t, "out", record.NameVTable), "\n"+label+",")
}
