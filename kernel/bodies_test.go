package kernel_test

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"iter"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nmu/internal/isa"
	"nmu/internal/must"
	"nmu/kernel/kerneltest"
)

// levels are those with bodies, in the order of the table in doc.go.
var levels = []isa.Level{isa.AVX2, isa.AVX512, isa.NEON}

// tabled returns the names of the bodies in the tables of the levels. It checks that a name is that
// of the field and the level, and that each function in the assembly is such a body or a part of one.
func tabled(t *testing.T) map[string]bool {
	read := func(pattern string) (all string) {
		files, err := filepath.Glob(pattern)
		must.Do(t, err)
		for _, name := range files {
			source := must.Get(os.ReadFile(name))(t)
			all += strings.ReplaceAll(string(source), "\r", "")
		}
		return all
	}
	source, specification := read("*.s")+read("*.h"), read("*.go")
	shared := regexp.MustCompile(`(?m)^(.*)AT_LEVEL\((\w+<>), (\w+<>)\)(.*)$`) // a line for each level
	for shared.MatchString(source) {
		source = shared.ReplaceAllString(source, "$1$2$4\n$1$3$4")
	}
	macros := map[string][]string{} // names that precisions define anew
	for _, m := range regexp.MustCompile(`(?m)^#define ([A-Z_]+) ·(\w+)F(?:32|64)$`).FindAllStringSubmatch(source, -1) {
		macros[m[1]] = append(macros[m[1]], m[2])
	}
	names := func(name string) []string {
		if static, ok := strings.CutSuffix(name, "<>"); ok {
			return []string{static}
		}
		return macros[name]
	}
	for _, m := range regexp.MustCompile(`\w+Generic\b`).FindAllString(source, -1) {
		if !strings.Contains(specification, "\nfunc "+m+"[") {
			t.Errorf("the assembly names the specification %s, which is not there", m)
		}
	}
	bodies := map[string]bool{}
	part := regexp.MustCompile(`(of\d+|left|half|quarter|whole|added|scattered|Half)+$`)
	line := regexp.MustCompile(`(?m)^(?:(?:BODY\(\(?|DATA TABLE\+)bodies_(\w+)(?:\+8\*\d\))?(?:, |\(SB\)/8, \$)|([A-Z]+)_OF\(\d+, )([\w<>]+)`)
	for _, m := range line.FindAllStringSubmatch(source, -1) {
		for _, name := range names(m[3]) {
			field, name := strings.ToLower(m[2])+m[1], part.ReplaceAllString(name, "")
			if bodies[name] = true; !slices.ContainsFunc(levels, func(l isa.Level) bool { return name == field+strings.ToUpper(l.String()) }) {
				t.Errorf("the field %s has the body %s", field, name)
			}
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^(?:BODY\([^,]+, |TEXT |[A-Z]+_OF\((?:\d+, )?)([\w<>]+)(?:\(SB\)|, |\))`).FindAllStringSubmatch(source, -1) {
		all := names(m[1])
		for _, name := range all {
			if !bodies[name] && !bodies[part.ReplaceAllString(name, "")] {
				t.Errorf("the function %s is in no table", name)
			}
		}
		if len(all) == 0 {
			t.Errorf("the function %s has no name that this test understands", m[1])
		}
	}
	return bodies
}

// TestBodies compares three things that say which kernels have bodies at which
// level: the tables of bodies, the list of kernels, and the table in doc.go.
func TestBodies(t *testing.T) {
	source := tabled(t)
	listed := map[string]bool{}
	const line = "\t%-28s%-15s%-6s%-8s%s\n"
	want := fmt.Sprintf(line, "", "", "avx2", "avx512", "neon")
	for _, k := range kerneltest.All[float64]() {
		marks := make([]any, len(levels))
		for i, l := range levels {
			marks[i] = "-"
			if body := k.BodyOf(l.String()); body != "" {
				marks[i] = strings.ToLower(strings.TrimPrefix(body, k.Body)) // the level whose body runs
				if marks[i] == l.String() {
					marks[i] = "yes"
				}
				if listed[body] = true; !source[body] {
					t.Errorf("%s is to have a body %s, which is in no table", k.Name, body)
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
	file := must.Get(parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments|parser.PackageClauseOnly))(t)
	if !strings.Contains(file.Doc.Text(), want) {
		t.Errorf("doc.go has not this table:\n%s", want)
	}
}

// instruction is a line of a listing: its offset, and where it is from with the instruction.
var instruction = regexp.MustCompile(`^\t0x[0-9a-f]+ (\d+) (\(.+?\)\t\w+.*)$`)

// listing returns the lines of the assembler's listing for an architecture.
func listing(t *testing.T, arch string) iter.Seq[string] {
	cmd := exec.Command("go", "build", "-asmflags=-S", ".")
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+arch, "GOFLAGS=")
	text, err := cmd.CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("no go command to assemble with")
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return strings.SplitSeq(string(text), "\n")
}

// TestReservedRegisters checks that no body names a register that is not its own: the stack, the frame pointer
// and, on arm64, the registers of the platform, the linker and the goroutine. go vet looks for this only in files .s.
// On amd64 it also checks that each return follows VZEROUPPER: at run time a body that comes next could do it instead.
// NMU_FULL asks for the architectures other than that of the test, for which the standard library must be compiled.
func TestReservedRegisters(t *testing.T) {
	for arch, reserved := range map[string]string{"amd64": `\b(SPB?|BPB?)\b`, "arm64": `\b(RSP|R18|R18_PLATFORM|R27|R28|g|R29)\b`} {
		if arch != runtime.GOARCH && os.Getenv("NMU_FULL") == "" {
			continue
		}
		lines, before, forbidden := 0, "", regexp.MustCompile(reserved)
		for line := range listing(t, arch) {
			m := instruction.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			lines++
			if register := forbidden.FindString(m[2]); register != "" {
				t.Errorf("%s: %s is not for bodies: %s", arch, register, m[2])
			}
			if arch == "amd64" && strings.HasSuffix(m[2], "\tRET") && !strings.HasSuffix(before, "\tVZEROUPPER") {
				t.Errorf("a return without VZEROUPPER before it: %s", m[2])
			}
			before = m[2]
		}
		must.AtLeast(t, lines, 5000, arch, "the listing")
	}
}

// TestNoEVEX checks the listing of the assembler: no instruction of a body for AVX2 has an EVEX
// prefix, nor a mask register. On a machine with AVX-512 such an instruction works, and so no
// other test notices.
func TestNoEVEX(t *testing.T) {
	symbol := regexp.MustCompile(`^(?:nmu/kernel\.)?(\S+) STEXT`)
	bytes := regexp.MustCompile(`^\t0x[0-9a-f]+((?: [0-9a-f]{2})+)  `)
	masks := regexp.MustCompile(`\bK[0-7]\b`)
	precisions := map[string]int{}                 // of a body
	body, code, begins := "", "", map[int]string{} // bytes as text, three characters each; instructions by offset
	check := func() {
		for at, what := range begins {
			if 3*at >= len(code) || code[3*at:3*at+3] == " 62" || masks.MatchString(what) {
				t.Errorf("%s: no instruction of AVX2 at %d of %d bytes: %s", body, at, len(code)/3, what)
			}
		}
	}
	for line := range listing(t, "amd64") {
		if m := symbol.FindStringSubmatch(line); m != nil {
			check()
			body, code, begins = m[1], "", map[int]string{}
			precisions[strings.TrimSuffix(strings.TrimSuffix(body, "F32"), "F64")]++
		} else if !strings.Contains(body, "AVX2") {
			continue
		} else if m := instruction.FindStringSubmatch(line); m != nil {
			at := must.Get(strconv.Atoi(m[1]))(t)
			begins[at] = m[2] // the last one at an offset: TEXT and PCDATA have no bytes
		} else if m := bytes.FindStringSubmatch(line); m != nil {
			code += m[1]
		}
	}
	check()
	for _, k := range kerneltest.All[float64]() {
		if body := k.BodyOf("avx2"); body != "" && max(precisions[body], precisions[body+"of1"]) != 2 {
			t.Errorf("the listing has the body %s in %d precisions", body, precisions[body])
		}
	}
}
