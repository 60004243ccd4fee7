package nmu

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestRooms checks who may import whom: what is measured, the paper's experiments
// and what writes both know of each other only what they need.
func TestRooms(t *testing.T) {
	out, err := goTool(t, "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	imports := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		if words := strings.Fields(line); len(words) > 0 {
			imports[words[0]] = words[1:]
		}
	}
	for _, room := range []string{"nmu/bench", "nmu/internal/paper", "nmu/internal/render", "nmu/internal/figure"} {
		if imports[room] == nil {
			t.Errorf("there is no package %s", room)
		}
	}
	plotting := "gonum.org/v1/plot"
	if !slices.Contains(imports["nmu/internal/render"], plotting) {
		t.Errorf("package render does not import %s, so that this test tests nothing", plotting)
	}
	for room, list := range imports {
		for _, p := range list {
			switch {
			case strings.HasPrefix(p, plotting) && room != "nmu/internal/render",
				p == "nmu/bench" && room != "nmu/cmd/nmu",
				p == "nmu/blas" && room != "nmu/bench",
				p == "nmu/internal/paper" && room != "nmu/cmd/nmu",
				strings.HasPrefix(p, "nmu/") && p != "nmu/internal/isa" && room == "nmu/internal/render",
				strings.HasPrefix(p, "nmu/") && room == "nmu/internal/figure":
				t.Errorf("package %s imports %s", room, p)
			}
		}
	}
}

// TestCgo: only the C library, and what is asked for by a tag, needs a C compiler.
func TestCgo(t *testing.T) {
	out, err := goTool(t, "list", "-f", `{{if or .CgoFiles .CFiles}}{{.ImportPath}}{{end}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for room := range strings.FieldsSeq(string(out)) {
		if room != "nmu/capi" {
			t.Errorf("package %s uses cgo", room)
		}
	}
}

// TestLayout: the README's layout names the packages that there are, and no others.
func TestLayout(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, layout, _ := strings.Cut(string(text), "\n## Layout\n")
	layout, _, _ = strings.Cut(layout, "\n## ")
	named := regexp.MustCompile(`[a-z]+(/[a-z]+)*/ `).FindAllString(layout, -1)
	for i := range named {
		named[i] = strings.TrimSpace(named[i])
	}
	out, err := goTool(t, "list", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var there []string
	for path := range strings.FieldsSeq(string(out)) {
		room := strings.TrimPrefix(path, "nmu")
		room = strings.TrimPrefix(strings.TrimPrefix(room, "/"), "lnmu/") // those of lnmu stand within it
		if room != "" && !strings.Contains(room, "planted") {
			there = append(there, room+"/")
		}
	}
	slices.Sort(named)
	slices.Sort(there)
	if !slices.Equal(named, there) {
		t.Errorf("README.md has the rooms\n%q\nthere are\n%q", named, there)
	}
}
