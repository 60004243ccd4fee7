package nmu

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// importsOf returns the packages that match a pattern, with what each imports.
func importsOf(t *testing.T, pattern string) map[string][]string {
	t.Helper()
	out, err := goTool(t, "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, pattern).Output()
	if err != nil {
		t.Fatal(err)
	}
	imports := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		if words := strings.Fields(line); len(words) > 0 {
			imports[words[0]] = words[1:]
		}
	}
	return imports
}

// TestRooms checks who may import whom: what is measured, the paper's experiments
// and what writes both know of each other only what they need.
func TestRooms(t *testing.T) {
	imports := importsOf(t, "./...")
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
				strings.HasPrefix(p, "nmu/bench/") && room != "nmu/cmd/nmu" && room != "nmu/bench" && !strings.HasPrefix(room, "nmu/bench/"),
				p == "nmu/blas" && room != "nmu/bench",
				p == "nmu/internal/matio/matiotest", // which is for tests
				p == "nmu/internal/paper" && room != "nmu/cmd/nmu",
				strings.HasPrefix(p, "nmu/") && p != "nmu/internal/isa" && room == "nmu/internal/render",
				strings.HasPrefix(p, "nmu/") && room == "nmu/internal/figure":
				t.Errorf("package %s imports %s", room, p)
			}
		}
	}
}

// benchRooms are the packages below nmu/bench, with those of them that each may import and
// the reason.
var benchRooms = map[string]struct {
	imports []string
	because string
}{
	"nmu/bench/internal/stat":    {nil, "it knows numbers, not what they measure"},
	"nmu/bench/internal/process": {nil, "it knows the operating system alone"},
	"nmu/bench/internal/machine": {[]string{"internal/stat"}, "the limits of a machine depend on no method and no matrix"},
	"nmu/bench/internal/subject": {[]string{"internal/machine"}, "it says what is measured, not how"},
	"nmu/bench/internal/engine":  {[]string{"internal/machine", "internal/subject"}, "it runs lnmu and reports to nobody"},
	"nmu/bench/internal/group":   {[]string{"internal/engine", "internal/subject"}, "processes take part in factorizations and know no report"},
	"nmu/bench/internal/peer":    {[]string{"internal/machine", "internal/process"}, "other programs must not depend on this one"},
	"nmu/bench/report":           {[]string{"internal/stat", "internal/machine", "internal/subject"}, "a report can be read and written where nothing is measured"},
}

// TestBenchRooms checks that the packages of bench lie in layers, and that few of them
// know the library that they measure.
func TestBenchRooms(t *testing.T) {
	there := importsOf(t, "./bench/...")
	for room, list := range there {
		rule, ok := benchRooms[room]
		if !ok && room != "nmu/bench" {
			t.Errorf("package %s has no rule in benchRooms: say what it may import, and why", room)
			continue
		}
		for _, p := range list {
			below, ok := strings.CutPrefix(p, "nmu/bench/")
			if ok && room != "nmu/bench" && !slices.Contains(rule.imports, below) {
				t.Errorf("package %s imports %s, but %s", room, p, rule.because)
			}
			if p == "nmu/lnmu" && slices.Contains([]string{"nmu/bench/report", "nmu/bench/internal/machine", "nmu/bench/internal/peer", "nmu/bench/internal/process", "nmu/bench/internal/stat"}, room) {
				t.Errorf("package %s imports lnmu: the calls of the library belong in nmu/bench/internal/engine, so that a change of its API has one place", room)
			}
		}
	}
	for room := range benchRooms {
		if there[room] == nil {
			t.Errorf("there is no package %s, so that its rule tests nothing", room)
		}
	}
}

// engineRooms are the packages below lnmu: what of this project each may import, and the
// reason.
var engineRooms = map[string]struct {
	imports []string
	because string
}{
	"nmu/lnmu/internal/core":     {nil, "all other rooms of the engine import it"},
	"nmu/lnmu/internal/tree":     {nil, "an order of summation depends on no matrix"},
	"nmu/lnmu/internal/qp":       {[]string{"kernel"}, "a quadratic program knows nothing of the factorization that poses it"},
	"nmu/lnmu/internal/spectral": {[]string{"kernel"}, "an eigenvalue problem knows nothing of the start that poses it"},
	"nmu/lnmu/internal/group":    {[]string{"kernel", "lnmu/internal/tree"}, "who adds up which slabs depends neither on the method nor on where M is stored"},
	"nmu/lnmu/internal/block":    {[]string{"internal/direct", "kernel", "lnmu/internal/core", "lnmu/internal/group"}, "lines are read and written alike for every method"},
	"nmu/lnmu/internal/state":    {[]string{"kernel", "lnmu/internal/group"}, "the codec of checkpoints knows fields, not what they mean"},
}

// TestEngineRooms checks that the packages below lnmu lie in layers.
func TestEngineRooms(t *testing.T) {
	there := importsOf(t, "./lnmu/internal/...")
	for room, list := range there {
		rule, ok := engineRooms[room]
		if !ok {
			t.Errorf("package %s has no rule in engineRooms: say what it may import, and why", room)
			continue
		}
		for _, p := range list {
			if own, ok := strings.CutPrefix(p, "nmu/"); ok && !slices.Contains(rule.imports, own) {
				t.Errorf("package %s imports %s, but %s", room, p, rule.because)
			}
		}
	}
	for room := range engineRooms {
		if there[room] == nil {
			t.Errorf("there is no package %s, so that its rule tests nothing", room)
		}
	}
}

// matioRooms are the packages below internal/matio: what of this project each may import,
// those of matio by their last name, and the reason.
var matioRooms = map[string]struct {
	imports []string
	because string
}{
	"element": {nil, "a number depends on no file"},
	"temp":    {nil, "it knows the operating system alone"},
	"output":  {[]string{"element"}, "what is written depends on nothing that is read"},
	"input":   {[]string{"element", "internal/memory"}, "limits and messages are the same for every format"},
	"text":    {[]string{"input"}, "a line has no format yet"},
	"store":   {[]string{"element", "input", "temp"}, "numbers are stored alike whatever text they come from"},
	"csr":     {[]string{"element", "input"}, "entries are sorted alike whatever file they come from"},
	"scipy":   {[]string{"input"}, "it sees arrays, not the files that they lie in"},
	"npy":     {[]string{"element", "input", "output", "temp"}, "an array knows nothing of the zip files and folders that hold it"},
	"npz":     {[]string{"element", "input", "npy", "scipy"}, "a zip file of arrays knows arrays, and no other format"},
	"folder":  {[]string{"element", "input", "npy", "scipy", "internal/regular"}, "a folder of arrays knows arrays, and no other format"},
	"mat":     {[]string{"element", "input", "output", "temp"}, "formats know nothing of each other"},
	"market":  {[]string{"element", "input", "store", "text"}, "formats know nothing of each other"},
	"table":   {[]string{"element", "input", "output", "store", "temp", "text"}, "formats know nothing of each other"},
	"picture": {[]string{"element", "input", "text", "internal/regular"}, "formats know nothing of each other"},
	"envi":    {[]string{"element", "input", "output", "temp", "internal/regular"}, "formats know nothing of each other"},
}

// TestMatioRooms checks that the packages below matio lie in layers: what all formats share,
// formats, and matio, which tells them apart.
func TestMatioRooms(t *testing.T) {
	const below = "nmu/internal/matio/internal/"
	there := importsOf(t, "./internal/matio/internal/...")
	for room, list := range there {
		rule, ok := matioRooms[strings.TrimPrefix(room, below)]
		if !ok {
			t.Errorf("package %s has no rule in matioRooms: say what it may import, and why", room)
			continue
		}
		for _, p := range list {
			own, ok := strings.CutPrefix(p, "nmu/")
			if ok && !slices.Contains(rule.imports, strings.TrimPrefix(p, below)) && !slices.Contains(rule.imports, own) {
				t.Errorf("package %s imports %s, but %s", room, p, rule.because)
			}
		}
	}
	for room := range matioRooms {
		if there[below+room] == nil {
			t.Errorf("there is no package %s, so that its rule tests nothing", room)
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
		room = strings.TrimPrefix(room, "/")
		for _, within := range []string{"lnmu/", "internal/matio/"} { // whose packages stand within it
			room = strings.TrimPrefix(room, within)
		}
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
