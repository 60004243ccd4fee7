package options

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nmu/internal/must"
	"nmu/internal/release"
)

var update = flag.Bool("update", false, "write what the lists say into nmu.h and the pages")

const header = "../../capi/nmu.h"

// agree compares a file with what the lists make of it, or writes that with -update.
func agree(t *testing.T, path, now string) {
	t.Helper()
	if was, err := os.ReadFile(path); err == nil && string(was) == now {
		return
	}
	if !*update {
		t.Errorf("%s differs from the lists of settings, options and results; go test ./internal/options -run '^%s$' -update", path, t.Name())
	} else if err := os.WriteFile(path, []byte(now), 0o666); err != nil {
		t.Error(err)
	}
}

// between returns a text with these lines between two others.
func between(t *testing.T, text, before, after, lines string) string {
	t.Helper()
	head, rest, ok := strings.Cut(text, before)
	_, tail, closed := strings.Cut(rest, after)
	if !ok || !closed {
		t.Fatalf("nothing is between %q and %q", before, after)
	}
	return head + before + lines + after + tail
}

// TestHeader: nmu.h says of every field of a result what the lists here say.
func TestHeader(t *testing.T) {
	now := string(must.Get(os.ReadFile(header))(t))
	for name, before := range map[string]string{ // the line before the fields of the list
		"nmu_block": "typedef struct nmu_block {", "nmu_rank_point": "typedef struct nmu_rank_point {",
		"nmu_consensus_point": "typedef struct nmu_consensus_point {", "nmu_part": "typedef struct nmu_part {",
		"nmu_transform_result": "typedef struct nmu_transform_result {\n\tsize_t size;", "nmu_measures": "typedef struct nmu_measures {\n\tsize_t size;",
		"nmu_biclique_result": "typedef struct nmu_biclique_result {\n\tsize_t size;",
		"nmu_result":          "\tint64_t history_capacity, history_length;\n", "nmu_rank_result": "\tint64_t consensus_capacity, consensus_columns;\n",
		"nmu_consensus_result": "\tint64_t map_capacity, map_columns;\n", "nmu_estimate_result": "NMU_FLOAT64 by default. */\n\tint64_t type;\n",
		"nmu_progress": "\tint64_t updates; /* increases with every state */",
	} {
		now = between(t, now, before+"\n", "} "+name+";", fieldLines(FieldsOf(name)))
	}
	agree(t, header, now)
}

// layoutFile has what a program was built with: the offset on 64 bits and the type of each field of nmu.h, the size of each
// struct in an array, the constants, and the parameters of the functions.
const layoutFile = "../../capi/testdata/layout.txt"

// TestLayout: what nmu.h declares stays as it is on record, so that a program built with an older header works. -update puts
// new fields, constants and functions on record.
func TestLayout(t *testing.T) {
	text := must.Get(os.ReadFile(header))(t)
	now, lines := layoutOf(t, string(text)), []string(nil)
	recorded := must.Get(os.ReadFile(layoutFile))(t)
	known := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(string(recorded)), "\n") {
		name, at, _ := strings.Cut(line, " ")
		if known[name] = true; now[name] != at {
			t.Errorf("%s is %s on record and %q in nmu.h; put new fields behind all others, at the end of their list, and leave constants and functions as they are", name, at, now[name])
		}
		lines = append(lines, line)
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if known[name] {
			continue
		}
		if lines = append(lines, name+" "+now[name]); !*update {
			t.Errorf("%s is not on record; go test ./internal/options -run Layout -update", name)
		}
	}
	if *update && !t.Failed() {
		must.Equal(t, os.WriteFile(layoutFile, []byte(strings.Join(lines, "\n")+"\n"), 0o666), nil)
	}
}

// recordedHeader has what nmu.h declared in the first version that promises it, without comments.
const recordedHeader = "../../capi/testdata/recorded.h"

// TestRecordedHeader: the header of that version is nmu.h until the version is out. From then on it stays, and the fields
// of nmu.h where they are in it.
func TestRecordedHeader(t *testing.T) {
	text := string(must.Get(os.ReadFile(header))(t))
	recorded := string(must.Get(os.ReadFile(recordedHeader))(t))
	now := layoutOf(t, text)
	declared := regexp.MustCompile(`[ \t]+\n|\n{2,}`).ReplaceAllString(regexp.MustCompile(`(?s)[ \t]*/\*.*?\*/`).ReplaceAllString(text, ""), "\n")
	if open := strings.HasPrefix(release.Version(), "1.0.0-dev"); open && *update {
		must.Do(t, os.WriteFile(recordedHeader, []byte(declared), 0o666))
		recorded = declared
	} else if open && recorded != declared {
		t.Errorf("capi/testdata/recorded.h differs from nmu.h; go test ./internal/options -run RecordedHeader -update")
	}
	for name, at := range layoutOf(t, recorded) {
		must.Equal(t, now[name], at, name, "is at")
	}
}

// layoutOf returns what layoutFile has of a header. Fields are words of 8 bytes and arrays of characters.
func layoutOf(t *testing.T, text string) map[string]string {
	at := map[string]string{}
	text = regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAllString(text, "")
	for _, constant := range regexp.MustCompile(`(NMU_\w+) = ([-\w]+)`).FindAllStringSubmatch(text, -1) {
		at[constant[1]] = constant[2]
	}
	for _, f := range regexp.MustCompile(`NMU_API int (\w+)\(([^)]*)\);`).FindAllStringSubmatch(text, -1) {
		at[f[1]+"()"] = strings.Join(strings.Fields(f[2]), " ")
	}
	for _, s := range regexp.MustCompile(`(?s)typedef struct (\w+) \{(.*?)\} \w+;`).FindAllStringSubmatch(text, -1) {
		offset, sized := 0, false
		for line := range strings.SplitSeq(s[2], ";") {
			declared := strings.TrimSpace(line)
			if strings.Contains(declared, "(*callback)") {
				declared = "pointer callback"
			}
			for field := range strings.SplitSeq(declared, ",") {
				name := regexp.MustCompile(`(\w+)(\[(\d+)\])?$`).FindStringSubmatch(field)
				if name == nil {
					continue
				}
				at[s[1]+"."+name[1]] = fmt.Sprint(offset, " ", strings.Fields(strings.TrimPrefix(declared, "const "))[0])
				sized = sized || declared == "size_t size"
				size := 8
				if name[3] != "" {
					size, _ = strconv.Atoi(name[3])
				}
				offset += size
			}
		}
		if offset%8 != 0 || offset == 0 {
			t.Errorf("%s has %d bytes; put no gap into it", s[1], offset)
		}
		if !sized {
			at[s[1]] = strconv.Itoa(offset)
		}
	}
	return at
}

// fieldLines returns the declarations of fields.
func fieldLines(fields []Field) string {
	var b strings.Builder
	for _, f := range fields {
		declared := map[string]string{"whole number": "int64_t " + f.Name, "number": "double " + f.Name, "yes or no": "int64_t " + f.Name, "word": "char " + f.Name + "[24]", "text": "char " + f.Name + "[512]", "lines": "char " + f.Name + "[512]"}[f.Type]
		if strings.HasSuffix(f.Name, "seed") {
			declared = "uint64_t " + f.Name
		}
		fmt.Fprintf(&b, "\t%s; /* %s */\n", declared, f.Meaning)
	}
	return b.String()
}

// settingLines says what each setting is, for docs/words.md, from where capi/build takes it into nmu.h.
func settingLines() string {
	var b strings.Builder
	for _, s := range Settings(&Run{}) {
		value := strings.ToUpper(strings.ReplaceAll(s.Type(), " ", "-"))
		if s.Type() == "yes or no" {
			value = "true"
		}
		text := plain(s.Usage)
		if s.Choices() != nil {
			text = plain(regexp.MustCompile("`[A-Z]+`:? ").ReplaceAllString(s.Usage, ""))
		}
		if s.Default != "" && !strings.Contains(text, "default") {
			text += "; default " + s.Default
		}
		if of := s.Methods(); of != nil {
			text = strings.Join(of, ", ") + ": " + text
		}
		of := s.Calls.Names()
		if len(of) == len(calls) {
			of = []string{"all"}
		}
		line := "-"
		for _, word := range strings.Fields(fmt.Sprintf("%s=%s (%s): %s", s.Name, value, strings.Join(of, ", "), text)) {
			if len(line)+1+len(word) > 116 {
				b.WriteString(line + "\n")
				line = " "
			}
			line += " " + word
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// plain returns a usage in the terms of settings.
func plain(usage string) string {
	return inTerms(usage, func(name, value string) string {
		if value == "" {
			return name
		}
		return name + "=" + value
	})
}

// inTerms returns a usage in which given writes an option and its value, "" for none.
func inTerms(usage string, given func(name, value string) string) string {
	text := strings.Join(strings.Fields(usage), " ")
	text = regexp.MustCompile("`[A-Z]+`: ").ReplaceAllString(text, "")
	var words []string
	for _, s := range Settings(&Run{}) {
		words = append(words, s.Choices()...)
	}
	for _, d := range Methods() {
		_, all := Of(d.Method)
		for _, o := range all {
			words = append(words, o.Choices()...)
		}
	}
	text = regexp.MustCompile(`--([a-z-]+)(?: (\w+))?`).ReplaceAllStringFunc(text, func(flag string) string {
		name, word, found := strings.Cut(strings.TrimPrefix(flag, "--"), " ")
		if slices.Contains(words, word) {
			return given(name, word)
		} else if found {
			return given(name, "") + " " + word
		}
		return given(name, "")
	})
	return strings.ReplaceAll(text, "`", "")
}
