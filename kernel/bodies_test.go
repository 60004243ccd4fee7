package kernel_test

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nmu/internal/isa"
	"nmu/internal/kernels"
)

// levels are those with bodies, in the order of the table in doc.go.
var levels = []isa.Level{isa.AVX2, isa.AVX512, isa.NEON}

// assembled returns the names of the functions in the assembly, but for the one that calls the
// others. Their names are macros, which each precision defines anew.
func assembled(t *testing.T) map[string]bool {
	define := regexp.MustCompile(`(?m)^#define (\w+) ·(\w+)$`)
	text := regexp.MustCompile(`(?m)^TEXT ([·\w]+)\(SB\)`)
	functions, macros := map[string]bool{}, map[string][]string{}
	for _, pattern := range []string{"*.s", "*.h"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			source, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range define.FindAllStringSubmatch(strings.ReplaceAll(string(source), "\r", ""), -1) {
				macros[m[1]] = append(macros[m[1]], m[2])
			}
			for _, m := range text.FindAllStringSubmatch(string(source), -1) {
				functions[m[1]] = true
			}
		}
	}
	bodies := map[string]bool{}
	for f := range functions {
		if name, ok := strings.CutPrefix(f, "·"); ok && name != "call" {
			bodies[name] = true
		}
		for _, name := range macros[f] {
			bodies[name] = true
		}
	}
	return bodies
}

// TestBodies compares three things that say which kernels have bodies at which
// level: the assembly, the list of kernels, and the table in doc.go.
func TestBodies(t *testing.T) {
	source := assembled(t)
	listed := map[string]bool{}
	const line = "\t%-28s%-15s%-6s%-8s%s\n"
	want := fmt.Sprintf(line, "", "", "avx2", "avx512", "neon")
	for _, k := range kernels.All[float64]() {
		marks := make([]any, len(levels))
		for i, l := range levels {
			marks[i] = "-"
			if k.HasBody(l) {
				marks[i] = "yes"
				if l == isa.AVX512 && k.Narrow {
					marks[i] = "avx2"
				}
				for _, precision := range []string{"F32", "F64"} {
					body := k.BodyOf(l) + precision
					if listed[body] = true; !source[body] {
						t.Errorf("%s is to have a body %s, which no file defines", k.Name, body)
					}
				}
			}
		}
		want += fmt.Sprintf(line, append([]any{k.Name, k.Body}, marks...)...)
	}
	for _, body := range slices.Sorted(maps.Keys(source)) {
		if !listed[body] {
			t.Errorf("the body %s belongs to no kernel", body)
		}
	}
	file, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(file.Doc.Text(), want) {
		t.Errorf("doc.go has not this table:\n%s", want)
	}
}

// TestNoEVEX checks the listing of the assembler: no instruction of a body for AVX2 has an EVEX
// prefix, nor a mask register. On a machine with AVX-512 such an instruction works, and so no
// other test notices.
func TestNoEVEX(t *testing.T) {
	cmd := exec.Command("go", "build", "-asmflags=-S", ".")
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "GOFLAGS=")
	listing, err := cmd.CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("no go command to assemble with")
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, listing)
	}
	symbol := regexp.MustCompile(`^(?:nmu/kernel\.)?(\S+) STEXT`)
	instruction := regexp.MustCompile(`^\t0x[0-9a-f]+ (\d+) (\(.+?\)\t\w+.*)$`)
	bytes := regexp.MustCompile(`^\t0x[0-9a-f]+((?: [0-9a-f]{2})+)  `)
	masks := regexp.MustCompile(`\bK[0-7]\b`)
	bodies := map[string]bool{}
	body, code, begins := "", "", map[int]string{} // bytes as text, three characters each; instructions by offset
	check := func() {
		for at, what := range begins {
			if 3*at >= len(code) || code[3*at:3*at+3] == " 62" || masks.MatchString(what) {
				t.Errorf("%s: no instruction of AVX2 at %d of %d bytes: %s", body, at, len(code)/3, what)
			}
		}
	}
	for line := range strings.Lines(string(listing)) {
		line = strings.TrimSuffix(line, "\n")
		if m := symbol.FindStringSubmatch(line); m != nil {
			check()
			body, code, begins = m[1], "", map[int]string{}
			bodies[body] = true
		} else if !strings.Contains(body, "AVX2") {
			continue
		} else if m := instruction.FindStringSubmatch(line); m != nil {
			at, err := strconv.Atoi(m[1])
			if err != nil {
				t.Fatal(err)
			}
			begins[at] = m[2] // the last one at an offset: TEXT and PCDATA have no bytes
		} else if m := bytes.FindStringSubmatch(line); m != nil {
			code += m[1]
		}
	}
	check()
	for _, k := range kernels.All[float64]() {
		for _, precision := range []string{"F64", "F32"} {
			if body := k.BodyOf(isa.AVX2) + precision; k.Body != "" && !bodies[body] {
				t.Errorf("the listing has no body %s", body)
			}
		}
	}
}
