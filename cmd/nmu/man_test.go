package main

import (
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"nmu/internal/must"
	"nmu/internal/record"
)

// Every command has a page with all its flags.
func TestMan(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man1")
	out := succeed(t, "man", dir)
	pages := names(t, dir)
	for _, cmd := range rootCommand().Commands() {
		if cmd.Hidden {
			continue
		}
		name := "nmu-" + cmd.Name() + ".1"
		if !slices.Contains(pages, name) || !strings.Contains(out, name) {
			t.Errorf("no page %s of %v: %s", name, pages, out)
			continue
		}
		page := readText(t, dir, name)
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if want := `\fB\-\-` + strings.ReplaceAll(f.Name, "-", `\-`) + `\fR`; !strings.Contains(page, want) {
				t.Errorf("%s lacks %s", name, want)
			}
		})
		for line := range strings.Lines(page) {
			request, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			if strings.HasPrefix(request, ".") && !slices.Contains([]string{".TH", ".SH", ".B", ".BR", ".TP", ".PP", ".nf", ".fi"}, request) || strings.HasPrefix(line, "'") {
				t.Errorf("%s: text that is a request: %q", name, line)
			}
		}
	}
	contains(t, readText(t, dir, "nmu.1"), ".B nmu factor\n", "\n.nf\n  nmf ")
	fails(t, []string{"DIR", "nmu man --help"}, "man")
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Logf("not formatted: %v", err)
		return
	}
	for _, name := range pages {
		text, err := exec.Command(groff, "-man", "-ww", "-Tutf8", filepath.Join(dir, name)).CombinedOutput()
		if err != nil || strings.Contains(string(text), "warning") {
			t.Errorf("%s: %v\n%.2000s", name, err, text)
		}
	}
}

func TestRoff(t *testing.T) {
	for line, want := range map[string]string{
		".csv files": `\&.csv files`, "'s": `\&'s`, `a\b --x`: `a\eb \-\-x`, "a.b": "a.b", `"NAME"`: `\(dqNAME\(dq`,
	} {
		must.Equal(t, roff(line), want, line)
	}
}

// The table of terms explains what a run prints, and what it says of result.json
// is there.
func TestTerms(t *testing.T) {
	text := succeed(t, "help", "terms")
	contains(t, succeed(t, "terms"), freshCommand("terms").Long)
	flat := strings.ToLower(strings.Join(strings.Fields(text), " "))
	out := succeed(t, "factor", textFile(t, "m.csv", "1,2\n3,5\n"), "--rank", "1", "--improve")
	for line := range strings.Lines(out) {
		label, _, ok := strings.Cut(line, "  ")
		label = strings.NewReplacer("sparsity of V", "s(V)", "sparsity of W", "s(W)").Replace(label)
		if !ok || label == "input" || label == "method" || label == "time" {
			continue // which need no explanation
		}
		must.Say(t, flat, strings.ToLower(label), label)
	}
	fields := map[string]bool{}
	for _, of := range []reflect.Type{reflect.TypeFor[record.Found](), reflect.TypeFor[record.Weights]()} {
		for _, f := range reflect.VisibleFields(of) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			fields[name] = true
		}
	}
	named := regexp.MustCompile(`[a-z]+(_[a-z]+)+`).FindAllString(text, -1)
	for _, name := range named {
		if !fields[name] {
			t.Errorf("%s is no field of result.json", name)
		}
	}
	flags := freshCommand("factor").Flags()
	for _, flag := range regexp.MustCompile(`--([a-z][a-z-]*)`).FindAllStringSubmatch(text, -1) {
		if flags.Lookup(flag[1]) == nil {
			t.Errorf("nmu factor has no flag --%s", flag[1])
		}
	}
	must.AtLeast(t, len(named), 6, "fields named")
	for line := range strings.Lines(text) {
		must.AtMost(t, len(line), 80, "long line")
	}
}
