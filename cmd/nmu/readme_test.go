package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nmu/cmd/internal/commandtest"
	"nmu/internal/must"
	"nmu/internal/render"
)

// readText returns the content of a file.
func readText(t testing.TB, path ...string) string {
	t.Helper()
	return commandtest.ReadText(t, path...)
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
		if !commandtest.SamePicture(t, filepath.Join(out, method+".png"), filepath.Join("..", "..", "docs", method+".png")) {
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

// docs/solvers.md shows what runs on the faces give, and the README names the first of them.
func TestSolversPage(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("a long computation: with NMU_FULL only")
	}
	faces := must.PaperFile(t, "CBCL.mat")
	page := readText(t, "..", "..", "docs", "solvers.md")
	command, ok := "factor CBCL.mat --rank 10", false
	if _, page, ok = strings.Cut(page, "`nmu "+command+"`"); !ok {
		t.Fatalf("docs/solvers.md does not name %s", command)
	}
	shown := regexp.MustCompile("(?m)^\\| `(--method .*)` \\| (.*) \\| (.*) \\| (.*) \\|$").FindAllStringSubmatch(page, -1)
	if len(shown) < 5 {
		t.Fatalf("docs/solvers.md shows the runs %q", shown)
	}
	readme := strings.Join(strings.Fields(readText(t, "..", "..", "README.md")), " ")
	for i, row := range shown {
		args := append(strings.Fields(command), strings.Fields(row[1])...)
		args[1] = faces
		rep := parseReport(t, []byte(succeed(t, append(args, "--json")...)))
		got := []string{render.Percent(rep.RelativeError), render.Percent(rep.RelativeViolation), fmt.Sprintf("%.0f %%", 100*rep.MaxViolation/rep.LargestEntry)}
		if !slices.Equal(got, row[2:]) {
			t.Errorf("docs/solvers.md shows of %s %q, it gives %q", row[1], row[2:], got)
		}
		if says := fmt.Sprintf("gives %.0f %% error, and V W exceeds M by up to %s of its largest entry", 100*rep.RelativeError, got[2]); i == 0 && !strings.Contains(readme, says) {
			t.Errorf("README.md does not say %q", says)
		}
	}
}
