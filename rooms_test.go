package nmu

import (
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
				p == "nmu/internal/paper" && room != "nmu/cmd/nmu",
				strings.HasPrefix(p, "nmu/") && p != "nmu/internal/isa" && room == "nmu/internal/render",
				strings.HasPrefix(p, "nmu/") && room == "nmu/internal/figure":
				t.Errorf("package %s imports %s", room, p)
			}
		}
	}
}
