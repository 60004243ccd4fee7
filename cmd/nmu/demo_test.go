package main

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"nmu/cmd/internal/message"
	"nmu/cmd/internal/program"
	"nmu/internal/must"
	"nmu/lnmu"
)

// The demo with few iterations: a table of three lines and three pictures.
func TestDemo(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	var text bytes.Buffer
	call := &program.Call{Context: t.Context(), Console: &message.Console{Out: &text, Err: io.Discard}}
	must.Do(t, runDemo(call, out, false, lnmu.Settings{Limits: lnmu.Limits{Iterations: 10}, Start: lnmu.Start{Restarts: 1}}))
	want := []string{"gnmu.png", "nmf.png", "rnmu.png"}
	holds(t, out, want...)
	for _, name := range want {
		if size := pictureOf(t, out, name).Bounds(); size.Dx() < 8*11 || size.Dy() < 20 || size.Dx() < size.Dy() {
			t.Errorf("%s: 8 images side by side in %v", name, size)
		}
	}
	lines := strings.Split(strings.TrimRight(text.String(), "\n"), "\n")
	if len(lines) != 8 || !strings.Contains(lines[0], "swimmer") || !strings.Contains(lines[0], "220 x 256, rank 8, the best of 1 run") {
		t.Fatalf("%q", lines)
	}
	for i, method := range []string{"nmf", "gnmu", "rnmu"} {
		fields := strings.Fields(lines[3+i])
		if fields[0] != method || len(fields) != 13 {
			t.Errorf("%q", lines[3+i])
		}
	}
	if want := "nmf.png, gnmu.png, rnmu.png in " + out; !strings.Contains(lines[7], want) {
		t.Errorf("%q, want %q", lines[7], want)
	}
}
