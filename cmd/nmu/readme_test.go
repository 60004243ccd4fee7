package main

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nmu/lnmu"
)

func readText(t testing.TB, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The example in the README is the tested one.
func TestReadmeExample(t *testing.T) {
	_, after, _ := strings.Cut(readText(t, "..", "..", "README.md"), "```go\n")
	code, _, ok := strings.Cut(after, "```\n")
	if !ok {
		t.Fatal("README.md has no Go code")
	}
	_, after, _ = strings.Cut(readText(t, "..", "..", "lnmu", "example_test.go"), "func ExampleFactor() {\n")
	body, _, ok := strings.Cut(after, "\t// Output:")
	if !ok {
		t.Fatal("no ExampleFactor")
	}
	var want strings.Builder
	for line := range strings.Lines(body) {
		want.WriteString(strings.TrimPrefix(line, "\t"))
	}
	if code != want.String() {
		t.Errorf("README.md has\n%s\nExampleFactor is\n%s", code, &want)
	}
}

// The README shows what the demo gives, in numbers and in pictures, made by
//
//	go run ./cmd/nmu demo --out docs
func TestReadmeDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("a long computation without assembly: not with -short")
	}
	readme := readText(t, "..", "..", "README.md")
	shown := map[string]string{}
	for line := range strings.Lines(readme) {
		if fields := strings.Fields(line); len(fields) == 13 {
			shown[fields[0]] = strings.Join(fields[1:12], " ")
		}
	}
	out := t.TempDir()
	for line := range strings.Lines(succeed(t, "demo", "--out", out)) {
		fields := strings.Fields(line)
		if len(fields) != 13 || fields[2] != "%" {
			continue
		}
		method := fields[0]
		if got := strings.Join(fields[1:12], " "); got != shown[method] {
			t.Errorf("%s: the demo gives %s, README.md says %s", method, got, shown[method])
		}
		if !strings.Contains(readme, "(docs/"+method+".png)") {
			t.Errorf("README.md does not show docs/%s.png", method)
		}
		if !samePicture(t, filepath.Join(out, method+".png"), filepath.Join("..", "..", "docs", method+".png")) {
			t.Errorf("docs/%s.png is not what the demo draws", method)
		}
		delete(shown, method)
	}
	for _, method := range []string{"nmf", "gnmu", "rnmu"} {
		if _, left := shown[method]; left {
			t.Errorf("the demo has no line for %s", method)
		}
	}
}

// samePicture compares pixels, since the compression may change.
func samePicture(t *testing.T, a, b string) bool {
	t.Helper()
	var pictures [2]*image.Gray
	for i, path := range []string{a, b} {
		p, err := png.Decode(strings.NewReader(readText(t, path)))
		if err != nil {
			t.Fatal(err)
		}
		gray, ok := p.(*image.Gray)
		if !ok {
			t.Fatalf("%s: not gray but %T", path, p)
		}
		pictures[i] = gray
	}
	return pictures[0].Rect == pictures[1].Rect && bytes.Equal(pictures[0].Pix, pictures[1].Pix)
}

// The table of methods in the README is what the library says of them.
func TestReadmeMethods(t *testing.T) {
	const head = "| method | what it solves | iterations | the factors |\n|---|---|---|---|\n"
	_, after, ok := strings.Cut(readText(t, "..", "..", "README.md"), head)
	if !ok {
		t.Fatal("README.md has no table of methods")
	}
	got, _, _ := strings.Cut(after, "\n\n")
	var want []string
	for _, d := range lnmu.Methods() {
		iterations := fmt.Sprint(d.Iterations)
		if d.Recursive {
			iterations += " each"
		}
		problem := strings.ReplaceAll(d.Problem, "|", `\|`)
		want = append(want, fmt.Sprintf("| `%s` | %s | %s | %s |", d.Name, problem, iterations, d.Factors))
	}
	if rows := strings.Join(want, "\n"); got != rows {
		t.Errorf("README.md has\n%s\nthe descriptions make\n%s", got, rows)
	}
}
