package options

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/biclique"
	"nmu/lnmu/compare"
	"nmu/lnmu/outcome"
)

const (
	wordsPage     = "../../docs/words.md"
	pythonPackage = "../../python/nmu/"
)

// TestWordsPage: docs/words.md has a row for each setting, option and field of a result, with the word of each door.
// Python and R have the word in their own files. The test of doors in cmd/nmu compares its flags and members of JSON.
func TestWordsPage(t *testing.T) {
	now := string(must.Get(os.ReadFile(wordsPage))(t))
	for begin, lines := range map[string]string{"<!-- settings -->\n": settingWords(t), "<!-- options -->\n": optionWords(t), "<!-- results -->\n": resultWords(t), "<!-- meanings -->\n": settingLines()} {
		now = between(t, now, begin, "<!-- end -->\n", lines)
	}
	agree(t, wordsPage, now)
}

// TestOneSpelling: a setting or an option is a field of Go by the word of the other doors.
func TestOneSpelling(t *testing.T) {
	for line := range strings.Lines(settingWords(t) + optionWords(t)) {
		spans := regexp.MustCompile("`[^`]+`").FindAllString(line, -1)
		for _, span := range spans {
			word := strings.ReplaceAll(strings.Trim(spans[0], "`"), "-", "")
			if field := strings.Trim(span, "`"); field[0] <= 'Z' && field[0] >= 'A' && !strings.EqualFold(field, word) && field != "SumToOneV" { // or W
				t.Errorf("%s is the field %s of Go", spans[0], span)
			}
		}
	}
}

// door returns what says a word in the files of a door: the word in a code span if pattern, with WORD for it, finds it
// there, else "".
func door(t *testing.T, pattern string, files ...string) func(name string) string {
	var text strings.Builder
	for _, glob := range files {
		paths := must.Get(filepath.Glob(glob))(t)
		if paths == nil {
			t.Fatalf("no file is called %s", glob)
		}
		for _, path := range paths {
			text.Write(must.Get(os.ReadFile(path))(t))
		}
	}
	return func(name string) string {
		name = strings.ReplaceAll(name, "-", "_")
		if regexp.MustCompile(strings.ReplaceAll(pattern, "WORD", name)).MatchString(text.String()) {
			return code(name)
		}
		return ""
	}
}

func code(word string) string {
	if word == "" {
		return ""
	}
	return "`" + word + "`"
}

// settingWords returns the rows of settings, in the order of their list.
func settingWords(t *testing.T) string {
	own := door(t, `_OWN = .*"WORD"`, pythonPackage+"_options.py") // all others are arguments
	python := door(t, `[(, ]WORD: [^=\n]*=`, pythonPackage+"_functions.py")
	r := door(t, `\\item\{WORD\}`, rPackage+"man/*.Rd")
	calls, flags, fields := map[string]Call{}, map[string]bool{}, map[string][]string{}
	var order []string
	for _, s := range Settings(&Run{}) {
		if calls[s.Name] == 0 {
			order = append(order, s.Name)
		}
		calls[s.Name] |= s.Calls
		flags[s.Name] = flags[s.Name] || s.Flag
		for _, field := range fieldsSetBy(t, s) {
			if name := code(field[strings.LastIndex(field, ".")+1:]); !slices.Contains(fields[s.Name], name) {
				fields[s.Name] = append(fields[s.Name], name)
			}
		}
	}
	var b strings.Builder
	b.WriteString("| C, Julia | calls | command | JSON | Go | Python | R |\n|---|---|---|---|---|---|---|\n")
	for _, name := range order {
		flag, member := "", strings.ReplaceAll(name, "-", "_")
		argument := code(member)
		if own(name) != "" {
			argument = python(name)
		}
		if name == "input" {
			member = "input.path"
		}
		if flags[name] {
			flag = "--" + name
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s |\n", name, strings.Join(calls[name].Names(), ", "), code(flag), code(member), strings.Join(fields[name], ", "), argument, r(name))
	}
	return b.String()
}

// optionWords returns the rows of the options of methods.
func optionWords(t *testing.T) string {
	r := door(t, `\\item\{\\code\{WORD\}\}`, rPackage+"man/nmu-methods.Rd")
	methods, fields := map[string][]string{}, map[string][]string{}
	var order []string
	for _, d := range Methods() {
		_, all := Of(d.Method)
		for i, o := range all {
			if methods[o.Name] == nil {
				order = append(order, o.Name)
			}
			methods[o.Name] = append(methods[o.Name], d.Name)
			before, _ := Of(d.Method)
			after, set := Of(d.Method)
			values := append(o.Choices(), "1", "0.5", "3x4")
			for _, value := range values { // one of them is a value
				if set[i].Value.Set(value) == nil && !reflect.DeepEqual(before, after) {
					break
				}
			}
			for _, name := range changed(reflect.ValueOf(before).Elem().Interface(), reflect.ValueOf(after).Elem().Interface()) {
				if !slices.Contains(fields[o.Name], code(name)) {
					fields[o.Name] = append(fields[o.Name], code(name))
				}
			}
			if fields[o.Name] == nil {
				t.Errorf("%s: no value changes the option %s", d.Name, o.Name)
			}
		}
	}
	var b strings.Builder
	b.WriteString("| C, Julia, JSON | methods | command | Go | Python | R |\n|---|---|---|---|---|---|\n")
	for _, name := range order {
		fmt.Fprintf(&b, "| `%s` | %s | `--%s` | %s | %s | %s |\n", name, strings.Join(methods[name], ", "), name, strings.Join(fields[name], ", "), code(rName(name)), r(name))
	}
	return b.String()
}

// resultWords returns the rows of the fields of results.
func resultWords(t *testing.T) string {
	further := door(t, `"WORD": \(`, pythonPackage+"_results.py")
	var b strings.Builder
	b.WriteString("| C | struct | JSON | Go | Python | R |\n|---|---|---|---|---|---|\n")
	at := layoutOf(t, string(must.Get(os.ReadFile(header))(t)))
	for _, x := range []struct {
		name string
		of   any
	}{
		{"nmu_result", lnmu.Result[float64]{}}, {"nmu_block", outcome.Block{}}, {"nmu_transform_result", lnmu.Transformed[float64]{}},
		{"nmu_rank_result", compare.HeldOutResult{}}, {"nmu_rank_point", compare.HeldOutPoint{}},
		{"nmu_consensus_result", compare.StabilityResult[float64]{}}, {"nmu_consensus_point", compare.StabilityPoint[float64]{}},
		{"nmu_estimate_result", lnmu.Estimate{}}, {"nmu_measures", lnmu.Measures{}}, {"nmu_biclique_result", biclique.Result{}},
	} {
		lacks := door(t, `"`+x.name+`", without="[^"]*\bWORD\b`, pythonPackage+"_results.py")
		for _, f := range Fields()[x.name] {
			python := code(f.Name)
			if lacks(f.Name) != "" {
				python = further(f.Name)
			}
			if at[x.name+"."+f.Name] == "" {
				t.Errorf("%s has no field %s", x.name, f.Name)
			}
			tag, name := "", f.Go[strings.LastIndex(f.Go, ".")+1:]
			for _, field := range fieldsOf(reflect.TypeOf(x.of)) {
				if field.Name == name {
					tag, _, _ = strings.Cut(field.Tag.Get("json"), ",")
				}
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", f.Name, x.name, code(tag), code(f.Go), python, code(f.Name)) // R has the fields of nmu.h
		}
	}
	return b.String()
}

// fieldsOf returns the fields of a struct, and those of structs within it or that it points to.
func fieldsOf(s reflect.Type) (all []reflect.StructField) {
	for f := range s.Fields() {
		all = append(all, f)
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct {
			all = append(all, fieldsOf(inner)...)
		}
	}
	return all
}
