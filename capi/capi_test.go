package main

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// folder is the one with the library, its test programs and the command, once they are
// built from this source.
var folder string

// built builds all of that, and returns the folder and why something is not there.
var built = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "capi"); err != nil {
		return "", err
	}
	folder = dir
	warnings := []string{"-std=c11", "-D_DEFAULT_SOURCE", "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Werror", "-O1", "-g", "-I" + dir}
	link := []string{"-L" + dir, "-lnmu", "-Wl,-rpath," + dir, "-lpthread", "-lm", "-ldl"}
	for _, command := range [][]string{
		{"bash", "build", dir},
		{"go", "build", "-o", filepath.Join(dir, "nmu"), "../cmd/nmu"},
		slices.Concat([]string{compiler()}, warnings, []string{"-o", filepath.Join(dir, "check"), "testdata/check.c"}, link),
		slices.Concat([]string{compiler()}, warnings, []string{"-fsanitize=address", "-o", filepath.Join(dir, "sanitized"), "testdata/check.c"}, link),
		slices.Concat([]string{compiler()}, warnings, []string{"-fsanitize=address", "-o", filepath.Join(dir, "refusals"), "testdata/refusals.c"}, link),
		slices.Concat([]string{compiler()}, warnings, []string{"-o", filepath.Join(dir, "load"), "testdata/load.c", "-lm", "-ldl"}),
		{"install", "-D", "-m", "644", "testdata/recorded.h", filepath.Join(dir, "recorded", "nmu.h")},
		slices.Concat([]string{compiler(), "-I" + filepath.Join(dir, "recorded")}, warnings, []string{"-o", filepath.Join(dir, "older"), "testdata/older.c"}, link),
	} {
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			return dir, fmt.Errorf("%q: %w\n%s", command, err, out)
		}
	}
	return dir, nil
})

// compiler returns the name of the C compiler.
func compiler() string {
	out, _ := exec.Command("go", "env", "CC").Output()
	return strings.TrimSpace(string(out))
}

func TestMain(m *testing.M) {
	status := m.Run()
	os.RemoveAll(folder) // of "" nothing
	os.Exit(status)
}

// library returns the folder with the library, or skips the test where none can be
// made that this machine runs.
func library(t *testing.T) string {
	t.Helper()
	if os.Getenv("NMU_FULL") == "" || testing.Short() {
		t.Skip("it builds a library and programs: with NMU_FULL, without -short")
	}
	if runtime.GOOS != "linux" {
		t.Skipf("NOT TESTED: programs for Linux cannot be used on this machine, %s", runtime.GOOS)
	}
	host, err := exec.Command("go", "env", "GOHOSTARCH").Output()
	if err != nil {
		t.Skipf("NOT TESTED: the go tool is not installed: %v", err)
	}
	if arch := strings.TrimSpace(string(host)); arch != runtime.GOARCH {
		t.Skipf("NOT TESTED: a library for %s cannot be used on this machine, %s", runtime.GOARCH, arch)
	}
	if _, err := exec.LookPath(compiler()); err != nil {
		t.Skipf("NOT TESTED: the C compiler is not installed: %v", err)
	}
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// run runs a program of the folder and returns what it prints.
func run(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, program), args...)
	cmd.WaitDelay = time.Second
	// The address sanitizer knows nothing of Go's memory, from which some of C's is
	// reached.
	cmd.Env = append(os.Environ(), "ASAN_OPTIONS=detect_leaks=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s%s", program, args, err, out, &stderr)
	}
	return string(out)
}

// TestHeader: the functions of nmu.h are what the library exports, and nothing else is.
func TestHeader(t *testing.T) {
	dir := library(t)
	text, err := os.ReadFile("nmu.h")
	if err != nil {
		t.Fatal(err)
	}
	var declared, exported []string
	for _, match := range regexp.MustCompile(`(?m)^NMU_API \w+ (\w+)\(`).FindAllSubmatch(text, -1) {
		declared = append(declared, string(match[1]))
	}
	file, err := elf.Open(filepath.Join(dir, "libnmu.so"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	symbols, err := file.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF {
			exported = append(exported, s.Name)
		}
	}
	slices.Sort(declared)
	slices.Sort(exported)
	if len(declared) == 0 || !slices.Equal(declared, exported) {
		t.Errorf("nmu.h declares\n%q\nthe library exports\n%q", declared, exported)
	}
	cpp := exec.Command(compiler(), "-x", "c++", "-std=c++11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "nmu.h")
	if out, err := cpp.CombinedOutput(); err != nil && !strings.Contains(string(out), "cc1plus") {
		t.Errorf("nmu.h is no C++: %v\n%s", err, out)
	}
}

// TestPrograms runs what holds for any caller, also under the address sanitizer; what is refused before an entry is read or
// written: sizes of structs that end inside a field, layouts beyond the address space, counts of entries that the pointers
// deny; and the first call of a process, of rank 1, with a result and without.
func TestPrograms(t *testing.T) {
	dir := library(t)
	for _, program := range []string{"check", "sanitized", "refusals", "refusals result", "refusals nothing"} {
		args := strings.Fields(program)
		if out := run(t, dir, args[0], args[1:]...); out != "ok\n" {
			t.Errorf("%s prints %q", program, out)
		}
	}
}

// TestRecordedHeader: a program of the first header finds the bits of the command.
func TestRecordedHeader(t *testing.T) {
	dir := library(t)
	input := table(t, dir, "older.csv", func(i, j int) bool { return false })
	rep := run(t, dir, "nmu", strings.Fields("factor "+input+" --rank 4 --seed 1 --iterations 20 --restarts 2 --method rnmu --json")...)
	for hash := range strings.FieldsSeq(run(t, dir, "older")) {
		if !strings.Contains(rep, `"`+hash+`"`) {
			t.Errorf("a program of the recorded header finds %s, the command\n%s", hash, rep)
		}
	}
}

// TestLayout: what nmu.h declares is what is on record, also by the compiler of C.
func TestLayout(t *testing.T) {
	library(t)
	var asserts strings.Builder
	asserts.WriteString("#include \"nmu.h\"\n")
	record, err := os.ReadFile("testdata/layout.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(record)) {
		name, at, _ := strings.Cut(strings.TrimSpace(line), " ")
		if f, ok := strings.CutSuffix(name, "()"); ok {
			fmt.Fprintf(&asserts, "int %s(%s);\n", f, at)
			continue
		} else if s, field, ok := strings.Cut(name, "."); ok {
			name = "offsetof(" + s + ", " + field + ")"
			at, _, _ = strings.Cut(at, " ")
		} else if !strings.HasPrefix(name, "NMU_") {
			name = "sizeof(" + s + ")"
		}
		fmt.Fprintf(&asserts, "_Static_assert(%s == %s, \"moved\");\n", name, at)
	}
	check := exec.Command(compiler(), "-x", "c", "-std=c11", "-fsyntax-only", "-I.", "-")
	check.Stdin = strings.NewReader(asserts.String())
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("the layout on record is not that of the compiler: %v\n%s", err, out)
	}
}

// TestLoadedRoundingUp: the threads of the runtime round to nearest, even if it was
// loaded by one that does not.
func TestLoadedRoundingUp(t *testing.T) {
	dir := library(t)
	path := filepath.Join(dir, "libnmu.so")
	if up, nearest := run(t, dir, "load", path, "up"), run(t, dir, "load", path, "nearest"); up != nearest || len(up) != 65 {
		t.Errorf("loaded while rounding up, it finds %sand else %s", up, nearest)
	}
}

// table writes the matrix of check.h, with empty cells where an entry is missing.
func table(t *testing.T, dir, name string, missing func(i, j int) bool) string {
	var csv strings.Builder
	for i := range 23 { // as fill in check.h
		for j := range 17 {
			if !missing(i, j) {
				fmt.Fprint(&csv, (i*i+3*i*j+5*j)%7)
			}
			csv.WriteByte(",\n"[j/16])
		}
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(csv.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}
