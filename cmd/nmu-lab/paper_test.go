package main

import (
	"encoding/binary"
	"encoding/json"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nmu/cmd/internal/commandtest"
	"nmu/cmd/internal/exit"
	"nmu/internal/matio/matiotest"
	"nmu/internal/paper"
)

// One start of every method on the swimmer set: tables, JSON and figure; a second
// run takes every row from the first.
func TestPaper(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("the paper's iterations of every method: with NMU_FULL only")
	}
	t.Setenv("NMU_DATA", t.TempDir()) // the built-in set
	out := filepath.Join(t.TempDir(), "out")
	args := []string{"paper", "--only", "swimmer", "--restarts", "1", "--out", out}
	text := succeed(t, args...)
	for _, want := range []string{"R-NMU  50.8", "Hoyer{G-NMU}", "agrees", "written: paper.md, paper.json, swimmer.png in " + out} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if got := commandtest.Names(t, out); !slices.Equal(got, []string{"paper.json", "paper.md", "rows", "swimmer.png"}) {
		t.Errorf("files %v", got)
	}
	p := readPaper(t, filepath.Join(out, namePaperJSON))
	if len(p.Sets) != 1 || len(p.Sets[0].Rows) != 8 || p.Sets[0].StandIn {
		t.Fatalf("%+v", p)
	}
	if !strings.Contains(commandtest.ReadText(t, out, namePaperPage), p.Sets[0].Markdown()) {
		t.Error("paper.md does not hold the table of paper.json")
	}
	if _, err := png.Decode(strings.NewReader(commandtest.ReadText(t, out, "swimmer.png"))); err != nil {
		t.Error(err)
	}
	begun := time.Now()
	if again := succeed(t, args...); again != text {
		t.Errorf("the second run says\n%s", again)
	}
	for _, row := range readPaper(t, filepath.Join(out, namePaperJSON)).Sets[0].Rows {
		if want := p.Sets[0].Rows[slices.IndexFunc(p.Sets[0].Rows, func(r *paper.Row) bool { return r.Name == row.Name })]; row.Seconds != want.Seconds {
			t.Errorf("%s was computed again, %v after the second run began", row.Name, time.Since(begun))
		}
	}
}

func readPaper(t *testing.T, path string) *paper.Tables {
	t.Helper()
	p, err := paper.Read(strings.NewReader(commandtest.ReadText(t, path)))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Ctrl-C keeps the rows that are finished.
func TestPaperInterrupted(t *testing.T) {
	t.Setenv("NMU_DATA", t.TempDir())
	out := filepath.Join(t.TempDir(), "out")
	stderr := tested().Signalled(t, os.Interrupt, exit.StatusInterrupted, 300*time.Millisecond, "paper", "--only", "swimmer", "--restarts", "100000", "--out", out)
	if want := "kept in " + filepath.Join(out, namePaperRows); !strings.Contains(stderr, want) {
		t.Errorf("%q, want %q", stderr, want)
	}
	for _, name := range commandtest.Names(t, out) {
		if name != namePaperRows {
			t.Errorf("%s is written", name)
		}
	}
}

// Without the faces there is a note in place of their table.
func TestPaperWithoutData(t *testing.T) {
	t.Setenv("NMU_DATA", t.TempDir())
	out := filepath.Join(t.TempDir(), "out")
	text := succeed(t, "paper", "--only", "cbcl", "--out", out)
	if want := "CBCL faces: left out"; !strings.Contains(text, want) || !strings.Contains(commandtest.ReadText(t, out, namePaperPage), want) {
		t.Error(text)
	}
}

func TestPaperFails(t *testing.T) {
	file := commandtest.TextFile(t, "x", "")
	bad := t.TempDir()
	if err := os.WriteFile(filepath.Join(bad, "CBCL.mat"), matiotest.MatFile5(binary.LittleEndian, matiotest.MatDense(binary.LittleEndian, "X", matiotest.New(3, 2, make([]float64, 6)))), 0o666); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	for _, c := range []struct {
		says string
		args []string
	}{
		{"--restarts 0; choose 1 or more", []string{"--restarts", "0"}},
		{"--threads 0; choose 1 to", []string{"--threads", "0"}},
		{"--data is empty", []string{"--data", ""}},
		{`no data set "mnist"`, []string{"--only", "mnist"}},
		{"named twice", []string{"--only", "kuls,kuls"}},
		{"--out", []string{"--out", filepath.Join(file, "x")}},
		{"CBCL.mat: 3 rows", []string{"--data", bad, "--only", "cbcl"}},
		{"unknown command", []string{"extra"}},
	} {
		args := append([]string{"paper", "--out", out}, c.args...)
		fails(t, []string{c.says}, args...)
	}
	fails(t, []string{"--out is empty"}, "paper", "--out", "")
	if _, err := os.Stat(out); err == nil {
		t.Errorf("%s is there", out)
	}
}

func TestPaperStatus(t *testing.T) {
	p := paper.Progress{Set: "Swimmer", Row: "R-NMU, 2000 iterations", Done: 5, Rows: 8, Remaining: 90 * time.Second}
	if got, want := paperStatus(p), "row 6/8  Swimmer  R-NMU, 2000 iterations  1m30s left"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	p.Remaining = -1
	if got := paperStatus(p); strings.Contains(got, "left") {
		t.Error(got)
	}
}

// rowText returns a row with its variants as in paper.json, but without times.
func rowText(t *testing.T, row *paper.Row) string {
	t.Helper()
	for _, r := range append([]*paper.Row{row}, row.Variants...) {
		r.Seconds = 0
	}
	text, err := json.Marshal(row)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The tables and the figures in docs/paper.md are those of one run, whose JSON is beside it:
//
//	go run ./cmd/nmu-lab paper --only cbcl,swimmer
func TestPaperPage(t *testing.T) {
	docs := filepath.Join("..", "..", "docs")
	p := readPaper(t, filepath.Join(docs, namePaperJSON))
	if p.Restarts != 10 || len(p.Sets) != 2 {
		t.Fatalf("%d restarts, %d sets", p.Restarts, len(p.Sets))
	}
	page := commandtest.ReadText(t, docs, "paper.md")
	for _, set := range p.Sets {
		if shown, ok := generated(page, "nmu-lab paper: "+set.Name); !ok || shown != strings.TrimSpace(set.Markdown()) {
			t.Errorf("docs/paper.md does not show the table of %s in docs/%s:\n%s", set.Title, namePaperJSON, set.Markdown())
		}
		if !strings.Contains(page, "(paper-"+set.FigureName()+")") {
			t.Errorf("docs/paper.md does not show docs/paper-%s", set.FigureName())
		}
	}
	if os.Getenv("NMU_FULL") == "" {
		return // what follows takes long: with NMU_FULL only
	}
	t.Setenv("NMU_DATA", t.TempDir())
	out := t.TempDir()
	succeed(t, "paper", "--only", "swimmer", "--out", out)
	again := readPaper(t, filepath.Join(out, namePaperJSON)).Sets[0]
	for _, set := range p.Sets {
		if set.Name != again.Name {
			continue
		}
		for i, row := range set.Rows[1:] { // PCA is of gonum, whose last bits depend on the machine
			if got, want := rowText(t, again.Rows[1+i]), rowText(t, row); got != want {
				t.Errorf("%s is now\n%s\ndocs/%s has\n%s", row.Name, got, namePaperJSON, want)
			}
		}
		if !commandtest.SamePicture(t, filepath.Join(out, set.FigureName()), filepath.Join(docs, "paper-"+set.FigureName())) {
			t.Errorf("docs/paper-%s is not what nmu-lab paper draws", set.FigureName())
		}
	}
}
