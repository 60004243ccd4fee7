package nmu

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nmu/internal/must"
)

// importsOf returns the packages that match a pattern, with what each imports.
func importsOf(t *testing.T, pattern string) map[string][]string {
	t.Helper()
	out := must.Get(goTool(t, "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, pattern).Output())(t)
	imports := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		if words := strings.Fields(line); len(words) > 0 {
			imports[words[0]] = words[1:]
		}
	}
	return imports
}

// TestRooms checks who may import whom: nothing of the product needs what measures it, and what writes
// pages knows nothing of what it writes.
func TestRooms(t *testing.T) {
	imports := importsOf(t, "./...")
	for _, room := range []string{"nmu/bench", "nmu/internal/render"} {
		if imports[room] == nil {
			t.Errorf("there is no package %s", room)
		}
	}
	forTests := []string{"nmu/internal/matio/matiotest", "nmu/lnmu/internal/lnmutest", "nmu/internal/options/drawn", "nmu/internal/must", "nmu/internal/literal", "nmu/cmd/internal/commandtest", "nmu/cmd/internal/browser"}
	for room, list := range imports {
		for _, p := range list {
			switch {
			case strings.HasPrefix(p+"/", "nmu/bench/"),
				p == "nmu/blas",
				slices.Contains(forTests, p) && !slices.Contains(forTests, room),
				p == "flag" && strings.HasPrefix(room, "nmu/lnmu"),                                                       // which knows no command line
				strings.HasPrefix(p, "github.com/spf13/") && room != "nmu/cmd/internal/program" && room != "nmu/cmd/nmu", // one package reads flags
				strings.HasPrefix(p, "nmu/") && p != "nmu/lnmu" && p != "nmu/lnmu/compare" && p != "nmu/lnmu/outcome" && p != "nmu/internal/memory" && p != "nmu/internal/combination" && room == "nmu/internal/options",
				strings.HasPrefix(p, "nmu/") && room == "nmu/internal/combination", // what goes together is declared before there is a run
				strings.HasPrefix(p, "nmu/") && !slices.Contains([]string{"nmu/lnmu", "nmu/internal/matio", "nmu/internal/options", "nmu/internal/render"}, p) && room == "nmu/internal/data",
				strings.HasPrefix(p, "nmu/") && p != "nmu/internal/isa" && room == "nmu/internal/render":
				t.Errorf("package %s imports %s", room, p)
			}
		}
	}
}

// rule says which packages a package may import, by their last names where they are of the
// same layers, and why.
type rule struct {
	imports []string
	because string
}

// layers are packages below one folder. Unless only those among themselves count, a rule
// names all that a package may import of this project.
var layers = []struct {
	below string
	among bool
	rules map[string]rule
}{
	{"nmu/lnmu/internal/", false, map[string]rule{
		"check":     {[]string{"fault", "internal/combination"}, "an option is checked alike for every method"},
		"core":      {[]string{"arena", "fault", "group", "kernel", "state", "lnmu/outcome"}, "what storages offer to methods depends on neither"},
		"agreement": {[]string{"kernel", "matrix"}, "runs are compared by their factors alone"},
		"arena":     {[]string{"kernel"}, "memory is taken alike whatever it is for"},
		"tree":      {nil, "an order of summation depends on no matrix"},
		"qp":        {[]string{"arena", "kernel"}, "a quadratic program knows nothing of the factorization that poses it"},
		"spectral":  {[]string{"arena", "kernel"}, "an eigenvalue problem knows nothing of the start that poses it"},
		"group":     {[]string{"kernel", "tree"}, "who adds up which slabs depends neither on the method nor on where M is stored"},
		"block":     {[]string{"arena", "core", "fault", "group", "internal/direct", "kernel", "matrix"}, "lines are read and written alike for every method"},
		"fault":     {nil, "what is wrong with an argument depends on nothing that computes"},
		"state":     {[]string{"kernel"}, "a field is declared wherever a number changes"},
		"codec":     {[]string{"group", "kernel", "state"}, "the codec of checkpoints knows fields, not what they mean"},
		"matrix":    {[]string{"fault", "kernel"}, "a matrix is checked and copied whatever it is for"},
		"support":   {[]string{"group", "kernel", "matrix"}, "what counts as zero in a factor depends on no method"},
		"poisson":   {[]string{"arena", "core", "group", "internal/team", "kernel", "matrix"}, "a step knows some entries of a factor, or one line of M"},
		"hals":      {[]string{"core", "group", "kernel", "matrix", "qp"}, "a sweep knows one factor, and of the other one its Gram matrix"},
		"start":     {[]string{"core", "fault", "group", "kernel", "matrix"}, "a start is drawn before there is a method"},
		"observed":  {[]string{"arena", "codec", "core", "fault", "group", "kernel", "matrix"}, "which entries count depends neither on the passes nor on where M is stored"},
		"source":    {[]string{"arena", "block", "core", "fault", "group", "hals", "internal/direct", "internal/team", "kernel", "matrix", "observed", "poisson", "start"}, "what M holds is checked and measured before there is a run"},
		"weighing":  {[]string{"arena", "core", "exact", "hals", "internal/team", "kernel", "matrix", "poisson"}, "weights are found in a basis that is given, whatever storage has the columns"},
		"outline":   {[]string{"codec", "core", "fault", "group", "kernel", "matrix", "observed"}, "what is known of M before its entries are looked at depends on no storage"},
		"method":    {[]string{"arena", "core", "fault", "hals", "kernel", "matrix", "spectral", "state", "lnmu/outcome"}, "an algorithm knows neither how M is stored, nor who shares it, nor what is observed"},
		"exact":     {[]string{"arena", "kernel", "matrix", "qp"}, "an exact step knows one line of M, and neither where M is stored nor who shares it"},
		"median":    {[]string{"arena", "kernel"}, "a median knows one line of N, and neither where N is stored nor who shares it"},
		"prior":     {[]string{"core", "kernel", "state"}, "a step under a prior knows one factor as a whole and its products, and neither where M is stored nor who shares it"},
		"dense":     {[]string{"arena", "block", "core", "exact", "group", "hals", "internal/memory", "internal/team", "kernel", "matrix", "median", "observed", "poisson", "prior", "source", "start", "state", "weighing"}, "a storage knows no algorithm and no run"},
		"tiles":     {[]string{"arena", "block", "core", "fault", "group", "internal/direct", "internal/memory", "internal/team", "kernel", "matrix"}, "tiles are made, stored and read alike for every pass over them"},
		"sparse":    {[]string{"arena", "block", "core", "exact", "group", "hals", "internal/memory", "internal/team", "kernel", "matrix", "poisson", "source", "start", "state", "tiles", "tree", "weighing"}, "a storage knows no algorithm and no run"},
		"engine":    {[]string{"arena", "core", "dense", "group", "internal/instance", "kernel", "observed", "source", "sparse", "tiles", "weighing"}, "storages are compiled once, and know nothing of the method"},
		"run":       {[]string{"arena", "codec", "core", "fault", "group", "internal/team", "kernel", "method", "state", "lnmu/outcome"}, "a run knows a storage by its interface alone"},

		"lnmutest":          {[]string{"core", "lnmu", "lnmu/factors", "matrix", "start"}, "tests share matrices and readers, not what they check"},
		"lnmutest/storages": {nil, "tests are no part of a program"},
	}},
	{"nmu/internal/matio/internal/", false, map[string]rule{
		"element": {nil, "a number depends on no file"},
		"temp":    {nil, "it knows the operating system alone"},
		"output":  {[]string{"element"}, "what is written depends on nothing that is read"},
		"input":   {[]string{"element", "internal/memory", "internal/regular"}, "limits and messages are the same for every format"},
		"text":    {[]string{"input"}, "a line has no format yet"},
		"names":   {[]string{"input", "internal/regular"}, "a name knows nothing of the matrix"},
		"cells":   {[]string{"input", "names"}, "it finds files, and reads no matrix"},
		"store":   {[]string{"element", "input", "temp"}, "numbers are stored alike whatever text they come from"},
		"csr":     {[]string{"element", "input"}, "entries are sorted alike whatever file they come from"},
		"scipy":   {[]string{"input"}, "it sees arrays, not the files that they lie in"},
		"npy":     {[]string{"element", "input", "output", "temp"}, "an array knows nothing of the zip files and folders that hold it"},
		"npz":     {[]string{"element", "input", "npy", "scipy"}, "a zip file of arrays knows arrays, and no other format"},
		"folder":  {[]string{"element", "input", "npy", "scipy", "internal/regular"}, "a folder of arrays knows arrays, and no other format"},
		"mat":     {[]string{"element", "input", "output", "scipy", "temp"}, "formats know nothing of each other"},
		"hdf5":    {[]string{"element", "input", "scipy"}, "formats know nothing of each other"},
		"market":  {[]string{"element", "input", "store", "text"}, "formats know nothing of each other"},
		"table":   {[]string{"element", "input", "output", "store", "temp", "text"}, "formats know nothing of each other"},
		"curves":  {[]string{"input", "store", "table"}, "each file is a table"},
		"parquet": {[]string{"input", "table"}, "each file is a table"},
		"picture": {[]string{"element", "input", "text"}, "formats know nothing of each other"},
		"envi":    {[]string{"element", "input", "output", "temp", "internal/regular"}, "formats know nothing of each other"},
	}},
	{"nmu/cmd/internal/", true, map[string]rule{
		"message":  {nil, "words do not depend on what they are about"},
		"exit":     {nil, "how a command ends does not depend on what it did"},
		"progress": {[]string{"message"}, "a status line knows no command"},
		"methods":  {[]string{"message"}, "methods are described by package lnmu alone"},
		"input":    {[]string{"message"}, "a matrix is read alike for every command"},
		"mpirun":   {[]string{"exit", "message"}, "processes start whatever they compute"},
		"program":  {[]string{"exit", "input", "message", "methods", "mpirun", "progress"}, "a command line runs alike whatever its command does"},
		"factor":   {[]string{"exit", "input", "message", "methods", "mpirun", "program", "progress"}, "it is a command"},

		"commandtest": {[]string{"exit", "program"}, "tests run any command line"},
		"browser":     {nil, "tests open any page"},
	}},
}

// TestLayers checks that the packages below the engine, matio and the command import
// downwards only.
func TestLayers(t *testing.T) {
	for _, l := range layers {
		there := importsOf(t, "./"+strings.TrimPrefix(l.below, "nmu/")+"...")
		for room, list := range there {
			r, ok := l.rules[strings.TrimPrefix(room, l.below)]
			if !ok && room+"/" != l.below {
				t.Errorf("package %s has no rule in layers: say what it may import, and why", room)
				continue
			}
			for _, p := range list {
				name, below := strings.CutPrefix(p, l.below)
				if !below {
					name, ok = strings.CutPrefix(p, "nmu/")
					ok = ok && !l.among
				}
				if (below || ok) && room+"/" != l.below && !slices.Contains(r.imports, name) {
					t.Errorf("package %s imports %s, but %s", room, p, r.because)
				}
			}
		}
		for name := range l.rules {
			if there[l.below+name] == nil {
				t.Errorf("there is no package %s, so that its rule tests nothing", l.below+name)
			}
		}
	}
}

// TestFloors checks that no chain of imports from package lnmu down has more than eight links, so
// that a reader who follows one call goes through few packages, and that files, settings and results are on floors above it,
// of which each imports lower ones alone.
func TestFloors(t *testing.T) {
	imports := importsOf(t, "./...")
	var chain func(room string) []string
	known := map[string][]string{}
	chain = func(room string) []string {
		longest, ok := known[room]
		for _, p := range imports[room] {
			if below := imports[p]; !ok && below != nil && len(chain(p)) > len(longest) {
				longest = chain(p)
			}
		}
		known[room] = longest
		return append([]string{room}, longest...)
	}
	if c := chain("nmu/lnmu"); len(c) < 3 || len(c) > 9 {
		t.Errorf("the longest chain of imports has %d packages, want at most 9: %q", len(c), c)
	}
	lower := map[string]bool{}
	floors := "lnmu/outcome < lnmu < lnmu/compare internal/matio < internal/options < internal/data internal/page internal/process lnmu/model < internal/work internal/picture < internal/record < capi cmd/nmu"
	for floor := range strings.SplitSeq(floors, " < ") {
		for room := range strings.FieldsSeq(floor) {
			if imports["nmu/"+room] == nil {
				t.Errorf("there is no package nmu/%s", room)
			}
			for _, p := range imports["nmu/"+room] {
				p = strings.TrimPrefix(p, "nmu/")
				if slices.Contains(strings.Fields(floors), p) && !lower[p] {
					t.Errorf("package %s imports %s, which is on no lower floor of %s", room, p, floors)
				}
			}
		}
		for room := range strings.FieldsSeq(floor) {
			lower[room] = true
		}
	}
}

// TestLibraryCalls checks that the calls of the library have one place in the command.
func TestLibraryCalls(t *testing.T) {
	solving := regexp.MustCompile(`\b(lnmu\.(Estimate|Factor)|distributed\.(Factor|Share|Whole)|\w+\.(Continue|EstimateTransform|Improve))\w*[({\[]`)
	calls := 0
	walk := func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		found := solving.FindAll(text, -1)
		if strings.HasPrefix(path, "internal") {
			calls += len(found)
		} else if found != nil {
			t.Errorf("%s calls %q, which belongs in nmu/internal/work, so that a change of the library has one place", path, found)
		}
		return nil
	}
	err := errors.Join(filepath.WalkDir("cmd", walk), filepath.WalkDir("internal/work", walk))
	if err != nil || calls < 10 {
		t.Errorf("package work has %d calls of the library, so that this tests nothing: %v", calls, err)
	}
}

// TestCgo: only the C library, and what is asked for by a tag, needs a C compiler.
func TestCgo(t *testing.T) {
	out := must.Get(goTool(t, "list", "-f", `{{if or .CgoFiles .CFiles}}{{.ImportPath}}{{end}}`, "./...").Output())(t)
	for room := range strings.FieldsSeq(string(out)) {
		must.Equal(t, room, "nmu/capi", "package")
	}
}

// TestLayout: the layout in CONTRIBUTING.md names the packages that there are, and no others.
func TestLayout(t *testing.T) {
	_, layout, _ := strings.Cut(readPage(t, "CONTRIBUTING.md"), "\n## Rooms\n")
	layout, _, _ = strings.Cut(layout, "\n## ")
	named := regexp.MustCompile(`[a-z0-9-]+(/[a-z0-9-]+)*/ `).FindAllString(layout, -1)
	for i := range named {
		named[i] = strings.TrimSpace(named[i])
	}
	out := must.Get(goTool(t, "list", "./...").Output())(t)
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
	must.EqualSlices(t, named, there, "CONTRIBUTING.md has the rooms")
}
