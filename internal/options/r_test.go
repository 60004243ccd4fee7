package options

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nmu/internal/must"
)

const rPackage = "../../r/"

// ownInR are the settings that are no arguments of a function of R under their names, and why.
var ownInR = map[string]string{
	"init":      "a word, or a list of V and W",
	"continue":  "a result, whose blocks go along",
	"input":     "a path in place of the matrix",
	"ranks":     "a vector of numbers",
	"overwrite": "a function of R changes none of its arguments",
}

// TestR: the R package has every setting, every option of a method and every field of a result, and
// its pages say of them what the lists here say.
func TestR(t *testing.T) {
	written := map[string]string{"R/calls.R": rTypes(), "man/nmu-methods.Rd": rMethods()}
	for page, functions := range map[string][]rFunction{
		"factorize.Rd":     {{"factor", "factorize(m, rank, ", "nmu_estimate(m, rank, "}, {"factor", "nmu_estimate(m, rank, ", "improve(m, x, "}, {"improve", "improve(m, x, ", "\\method{print}"}},
		"predict.nmu.Rd":   {{"transform", "\\method{predict}{nmu}(", "}\n\\arguments"}},
		"nmu_rank.Rd":      {{"rank", "nmu_rank(m, ranks, ", "\\method{print}"}},
		"nmu_consensus.Rd": {{"consensus", "nmu_consensus(m, ranks, ", "\\method{print}"}},
		"biclique.Rd":      {{"biclique", "biclique(m, ", "\\method{print}"}},
	} {
		written["man/"+page] = rPage(t, page, functions)
	}
	for name, now := range written {
		agree(t, rPackage+name, now)
	}
}

// TestRFields: configure of the R package finds the fields of results in nmu.h.
func TestRFields(t *testing.T) {
	if _, err := exec.LookPath("awk"); err != nil {
		t.Skip(err)
	}
	_, rest, _ := strings.Cut(string(must.Get(os.ReadFile(rPackage+"configure"))(t)), "awk '")
	program, _, _ := strings.Cut(rest, "' src")
	found := string(must.Get(exec.Command("awk", program, header).Output())(t))
	kind := map[string]string{"whole number": "WHOLE", "number": "NUMBER", "yes or no": "YES", "word": "WORD", "text": "WORD", "lines": "WORD"}
	for of, fields := range Fields() {
		want := "{\n"
		for _, f := range fields {
			want += fmt.Sprintf("\tFIELD(%s, %s, %s),\n", of, f.Name, kind[f.Type])
		}
		must.Say(t, found, want+"}", of)
	}
}

// rFunction is the usage of a function for a call: what it begins with, and what comes after it.
type rFunction struct{ call, head, next string }

// rPage returns a page of R's help, with the settings and the fields of results that are to be in it.
func rPage(t *testing.T, page string, functions []rFunction) string {
	now := string(must.Get(os.ReadFile(rPackage + "man/" + page))(t))
	seen := map[string]bool{}
	var items strings.Builder
	for _, f := range functions {
		head, _, ok := strings.Cut(now[strings.Index(now, f.head):], "\n")
		if !ok || !strings.HasSuffix(head, ",") {
			t.Fatalf("%s: the usage of %s has no line of its own arguments that ends with a comma", page, f.call)
		}
		line, all := "    ", rSettings(f.call)
		var usage strings.Builder
		usage.WriteString("\n")
		for i, s := range all {
			word := " " + rName(s.Name) + " = NULL" + map[bool]string{true: ",", false: ")"}[i < len(all)-1]
			if len(line+word) > 90 {
				usage.WriteString(line + "\n")
				line = "    "
			}
			line += word
			if !seen[s.Name] {
				seen[s.Name] = true
				fmt.Fprintf(&items, "\\item{%s}{%s.}\n", rName(s.Name), rSetting(s))
			}
		}
		usage.WriteString(line + "\n")
		now = between(t, now, head, f.next, usage.String())
	}
	now = between(t, now, "% The settings.\n", "% Until here.\n", items.String())
	for begin, fields := range map[string][]Field{"% The fields.\n": FieldsOf("nmu_result"), "% The fields of a block.\n": FieldsOf("nmu_block"), "% The fields of weights.\n": FieldsOf("nmu_transform_result"), "% The fields of a survey.\n": FieldsOf("nmu_rank_result"), "% The fields of a rank.\n": FieldsOf("nmu_rank_point"),
		"% The fields of a consensus.\n": FieldsOf("nmu_consensus_result"), "% The fields of its ranks.\n": FieldsOf("nmu_consensus_point"), "% The fields of a part.\n": FieldsOf("nmu_part"), "% The fields of an estimate.\n": FieldsOf("nmu_estimate_result")} {
		if strings.Contains(now, begin) {
			now = between(t, now, begin, "% Until here.\n", rItems(fields))
		}
	}
	return now
}

// rItems describes the fields of a result. The number of errors of a block is the length of a vector
// in history.
func rItems(fields []Field) string {
	var b strings.Builder
	for _, f := range fields {
		if f.Name != "history_length" {
			fmt.Fprintf(&b, "\\item{%s}{%s.}\n", f.Name, rText(regexp.MustCompile("^1 if").ReplaceAllString(f.Meaning, "TRUE if")))
		}
	}
	return b.String()
}

// rSettings returns the settings that are arguments of a function for a call.
func rSettings(call string) []Setting {
	return slices.DeleteFunc(Settings(&Run{}), func(s Setting) bool {
		return !slices.Contains(s.Calls.Names(), call) || ownInR[s.Name] != ""
	})
}

func rName(name string) string { return strings.ReplaceAll(name, "-", "_") }

// rSetting describes a setting as an argument.
func rSetting(s Setting) string {
	text := rOption(s.Option)
	if s.Default != "" && !strings.Contains(text, "default") {
		text += "; default " + s.Default
	}
	if of := s.Methods(); of != nil {
		text = "of " + strings.Join(of, ", ") + ": " + text
	}
	return text
}

// rOption describes the value of an option.
func rOption(o Option) string {
	kind := map[string]string{"yes or no": "TRUE or FALSE", "matrix": "matrix or path", "file": "path", "bytes": "number or size", "list of names": "names or numbers", "list of numbers": "numbers", "size": `c(height, width)`}
	text := strings.NewReplacer("`SIZE` HxW", "size", "`NORM`", "norm").Replace(o.Usage)
	if o.Choices() == nil {
		return fmt.Sprintf("(%s) %s", cmp.Or(kind[o.Type()], o.Type()), rText(text))
	}
	var words []string
	for _, c := range o.Choices() {
		words = append(words, `\code{"`+c+`"}`)
	}
	text = regexp.MustCompile(",? ?`[A-Z]+`(?::|( ))").ReplaceAllString(text, "$1")
	return fmt.Sprintf("(%s) %s", strings.Join(words, " or "), strings.ReplaceAll(rText(text), "( ", "("))
}

// rText returns a usage in the terms of R's help.
func rText(usage string) string {
	usage = strings.NewReplacer(`\`, `\\`, "%", `\%`, "{", `\{`, "}", `\}`).Replace(usage)
	usage = regexp.MustCompile(` \(default:\sthat of --\w+\)`).ReplaceAllString(usage, "") // which are pictures that the command draws
	return strings.TrimSpace(inTerms(usage, func(name, value string) string {
		if value == "" {
			return `\code{` + rName(name) + "}"
		}
		return `\code{` + rName(name) + ` = "` + value + `"}`
	}))
}

// rTypes returns the types of all settings and options, as lists of R.
func rTypes() string {
	var b strings.Builder
	list := func(name string, options []Option, last bool) {
		var types []string
		for _, o := range options {
			types = append(types, fmt.Sprintf("%s = %q", rName(o.Name), o.Type()))
		}
		fmt.Fprintf(&b, "  %s = c(%s)%s\n", name, strings.Join(types, ", "), map[bool]string{true: "\n)", false: ","}[last])
	}
	b.WriteString("# What the library can be told; go test ./internal/options -run TestR$ -update writes this file.\nsetting_types <- list(\n")
	for i, call := range calls {
		var all []Option
		for _, s := range rSettings(call) {
			all = append(all, s.Option)
		}
		list(call, all, i == len(calls)-1)
	}
	b.WriteString("option_types <- list(\n")
	most, methods := 0, Methods()
	for i, d := range methods {
		_, all := Of(d.Method)
		list(d.Name, all, i == len(methods)-1)
		most = max(most, d.Most())
	}
	fmt.Fprintf(&b, "# most_iterations is the largest default of a method.\nmost_iterations <- %d\n", most)
	b.WriteString("# foreign has the words of other programs for an argument.\nforeign <- list(\n")
	var lines []string
	for _, ours := range rArguments() {
		var words []string
		for _, word := range Foreign(ours) {
			words = append(words, fmt.Sprintf("%q", rName(word)))
		}
		if words != nil {
			lines = append(lines, fmt.Sprintf("  %s = c(%s)", rName(ours), strings.Join(words, ", ")))
		}
	}
	b.WriteString(strings.Join(lines, ",\n") + "\n)\n")
	return b.String()
}

// rArguments returns the names of settings, of options and of the arguments that a function has beside them, in order.
func rArguments() []string {
	all := []string{"rank", "ranks", "method", "init", "progress"}
	for _, call := range calls {
		for _, s := range rSettings(call) {
			all = append(all, s.Name)
		}
	}
	for _, d := range Methods() {
		_, options := Of(d.Method)
		for _, o := range options {
			all = append(all, o.Name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// rMethods returns the page about the options of methods.
func rMethods() string {
	var b strings.Builder
	b.WriteString(`% go test ./internal/options -run TestR$ -update writes this file.
\name{nmu-methods}
\alias{nmu-methods}
\title{The methods and their options}
\description{
The options of a method are arguments of \code{\link{factorize}} after its name, such as
\code{factorize(m, 4, "gnmu", feasible = "final")}. \code{\link{improve}} takes those of \code{"nmf"}. An
option that is left out, or NULL, has its default.
}
`)
	for _, d := range Methods() {
		_, all := Of(d.Method)
		fmt.Fprintf(&b, "\\section{%s: %s}{\nIterations by default: %d.\n", d.Name, rText(d.Title), d.Most())
		if len(all) > 0 {
			b.WriteString("\\describe{\n")
			for _, o := range all {
				fmt.Fprintf(&b, "\\item{\\code{%s}}{%s.}\n", rName(o.Name), rOption(o))
			}
			b.WriteString("}\n")
		}
		b.WriteString("}\n")
	}
	return b.String()
}
