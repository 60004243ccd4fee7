package nmu

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nmu/internal/must"
)

// TestJulia: the structs of docs/julia.md are those of nmu.h, or the beginning of them,
// for where there is no Julia to run its test.
func TestJulia(t *testing.T) {
	page := must.Get(os.ReadFile("docs/julia.md"))(t)
	header := must.Get(os.ReadFile("capi/nmu.h"))(t)
	comments := regexp.MustCompile(`(?s)/\*.*?\*/`)
	structs := regexp.MustCompile(`(?s)\nstruct \w+ # (nmu_\w+)[^\n]*\n(.*?)\nend\n`).FindAllStringSubmatch(string(page), -1)
	must.Equal(t, len(structs), 3, "structs with the name of one of nmu.h")
	for _, s := range structs {
		_, body, ok := strings.Cut(string(header), "typedef struct "+s[1]+" {\n")
		body, _, closed := strings.Cut(body, "\n} "+s[1]+";")
		if !ok || !closed {
			t.Errorf("nmu.h has no %s", s[1])
			continue
		}
		var want []string
		for field := range strings.SplitSeq(comments.ReplaceAllString(body, ""), ";") {
			want = append(want, juliaFields(strings.Join(strings.Fields(field), " "))...)
		}
		got := strings.FieldsFunc(s[2], func(r rune) bool { return strings.ContainsRune(" ;\n", r) })
		if len(got) > len(want) || !slices.Equal(got, want[:len(got)]) {
			t.Errorf("%s is\n%q\nin nmu.h it is\n%q", s[1], got, want)
		}
	}
}

// juliaFields returns the fields of a declaration of C as Julia declares them.
func juliaFields(declaration string) []string {
	types := []struct{ c, julia string }{
		{"size_t ", "Csize_t"}, {"int64_t ", "Int64"}, {"uint64_t ", "UInt64"}, {"double ", "Float64"},
		{"const char *", "Ptr{UInt8}"}, {"void *", "Ptr{Cvoid}"}, {"char ", "NTuple{"},
	}
	for _, t := range types {
		names, ok := strings.CutPrefix(declaration, t.c)
		if !ok {
			continue
		}
		var fields []string
		for name := range strings.SplitSeq(names, ", ") {
			julia := t.julia
			if of, length, array := strings.Cut(name, "["); array {
				name, julia = of, julia+strings.TrimSuffix(length, "]")+",UInt8}"
			}
			fields = append(fields, name+"::"+julia)
		}
		return fields
	}
	return []string{declaration}
}
