package nmu

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/format"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"nmu/internal/must"
)

// TestEmbedding runs the programs of docs/embedding.md, all of which print the same, and
// those of README.md and docs/first.md, which do so too.
func TestEmbedding(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("it builds a library and programs: with NMU_FULL only")
	}
	rooms := &rooms{lib: t.TempDir()}
	runners := map[string]func(t *testing.T, program string) string{
		"Go":     runGo,
		"gonum":  runGo,
		"C":      rooms.runC,
		"Python": rooms.runPython,
		"R":      rooms.runR,
		"Shell":  rooms.runShell,
	}
	languages := map[string]string{"go": "Go", "c": "C", "python": "Python", "r": "R"} // of README.md
	for _, page := range []string{"docs/embedding.md", "README.md", "docs/first.md"} {
		t.Run(page, func(t *testing.T) {
			want := ""
			left := map[string]bool{}
			for name := range runners {
				left[name] = (name != "gonum" || page == "docs/embedding.md") && (name != "Shell" || page == "docs/first.md")
			}
			for section := range strings.SplitSeq(readPage(t, page), "\n## ") {
				name, section, _ := strings.Cut(section, "\n")
				programs := fence.FindAllStringSubmatch(section, -1)
				if page != "README.md" && len(programs) > 1 {
					t.Errorf("%s has %d programs in section %s", page, len(programs), name)
				}
				for _, program := range programs {
					if page == "README.md" {
						name = languages[program[1]]
					}
					t.Run(name, func(t *testing.T) {
						run := runners[name]
						if run == nil || !left[name] {
							t.Fatalf("no one knows how to run this program, or it is the second one in %s", name)
						}
						delete(left, name)
						got := strings.TrimSpace(run(t, program[2]))
						if want == "" {
							want = got
						}
						if name == "gonum" { // which adds up in another order
							got = near(t, got, want)
						}
						if got != want || !strings.HasPrefix(got, "0.") {
							t.Errorf("it prints %s, that before %s", got, want)
						}
					})
				}
			}
			for name, missed := range left {
				if missed {
					t.Errorf("%s has no program in %s", page, name)
				}
			}
		})
	}
}

// TestGoPrograms runs the programs of docs/go.md, which are formatted as gofmt does.
func TestGoPrograms(t *testing.T) {
	const page = "docs/go.md"
	wants := map[string]string{
		"A matrix of gonum":       "2.000",
		"Counts as triplets":      "1.00",
		"Rows of a file":          "relative error 0.",
		"A limit and progress":    "target error",
		"A model for new columns": "[",
	}
	for section := range strings.SplitSeq(readPage(t, page), "\n## ") {
		name, section, _ := strings.Cut(section, "\n")
		programs := fence.FindAllStringSubmatch(section, -1)
		if len(programs) == 0 {
			continue
		}
		program := programs[0][2]
		must.Equal(t, string(must.Get(format.Source([]byte(program)))(t)), program, page, name, "gofmt gives\n")
		want, known := wants[name]
		if delete(wants, name); !known || len(programs) > 1 {
			t.Errorf("%s, %s: what its %d programs print is not known here", page, name, len(programs))
		}
		t.Run(name, func(t *testing.T) {
			if os.Getenv("NMU_FULL") == "" {
				t.Skip("it builds programs: with NMU_FULL only")
			}
			if got := runGo(t, program); !strings.Contains(got, want) {
				t.Errorf("it prints\n%swant %q", got, want)
			}
		})
	}
	for name := range wants {
		t.Errorf("%s has no section %q with a program", page, name)
	}
}

// rooms is where the programs are built.
type rooms struct {
	lib   string // the folder of the C library,
	built bool   // once it is there
}

// runGo runs a program, or the body of a main function that uses package lnmu, in a module of
// its own.
func runGo(t *testing.T, program string) string {
	root := must.Get(os.Getwd())(t)
	dir := t.TempDir()
	if !strings.HasPrefix(program, "package main\n") {
		program = "package main\nimport (\"context\"; \"fmt\"; \"log\"; \"nmu/lnmu\")\nfunc main() {\n" + program + "}\n"
	}
	writeFile(t, filepath.Join(dir, "main.go"), program)
	sums := must.Get(os.ReadFile("go.sum"))(t)
	writeFile(t, filepath.Join(dir, "go.sum"), string(sums))
	var out string
	for _, args := range [][]string{{"mod", "init", "parts"}, {"mod", "edit", "-require", "nmu@v0.0.0", "-replace", "nmu=" + root}, {"run", "."}} {
		cmd := goTool(t, args...)
		cmd.Dir = dir
		out = output(t, cmd)
	}
	return out
}

// runShell runs commands of nmu, and returns the relative error that the last one prints in JSON.
func (r *rooms) runShell(t *testing.T, commands string) string {
	dir := t.TempDir()
	output(t, goTool(t, "build", "-o", filepath.Join(dir, "nmu"), "./cmd/nmu"))
	shell := exec.Command("bash", "-ec", commands)
	shell.Dir, shell.Env = dir, append(os.Environ(), "PATH="+dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	_, text, _ := strings.Cut(output(t, shell), "\n{")
	var printed struct {
		Result struct {
			RelativeError float64 `json:"relative_error"`
		}
	}
	must.Do(t, json.Unmarshal([]byte("{"+text), &printed))
	return fmt.Sprintf("%.17g", printed.Result.RelativeError)
}

// runC runs the body of a main function with the C library.
func (r *rooms) runC(t *testing.T, program string) string {
	lib := r.library(t)
	source := filepath.Join(lib, "parts.c")
	writeFile(t, source, "#include <stdio.h>\n#include \"nmu.h\"\nint main(void) {\n"+program+"return 0;\n}\n")
	binary := filepath.Join(lib, "parts")
	output(t, exec.Command(compiler(t), "-Wall", "-Werror", "-I"+lib, "-o", binary, source, "-L"+lib, "-lnmu", "-Wl,-rpath,"+lib))
	return output(t, exec.Command(binary))
}

// runPython runs a program with the package as it lies here, and the C library.
func (r *rooms) runPython(t *testing.T, program string) string {
	lib := r.library(t)
	names := []string{os.Getenv("NMU_PYTHON")}
	if names[0] == "" {
		names = nil
		for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
			names = append(names, filepath.Join(dir, "python3"))
		}
	}
	for _, name := range names {
		if exec.Command(name, "-c", "import numpy").Run() == nil {
			cmd := exec.Command(name, "-B", "-c", program)
			cmd.Env = append(os.Environ(), "PYTHONPATH=python", "NMU_LIBRARY="+filepath.Join(lib, "libnmu.so"))
			return output(t, cmd)
		}
	}
	t.Skip("NOT TESTED: a Python with NumPy is not installed")
	return ""
}

// runR runs a program with the R package, which it installs in a folder of its own.
func (r *rooms) runR(t *testing.T, program string) string {
	if _, err := exec.LookPath("Rscript"); err != nil {
		t.Skipf("NOT TESTED: R is not installed: %v", err)
	}
	lib, source, installed := r.library(t), filepath.Join(t.TempDir(), "nmu"), t.TempDir()
	must.Do(t, os.CopyFS(source, os.DirFS("r")))
	install := exec.Command("R", "CMD", "INSTALL", "--library="+installed, source)
	install.Env = append(os.Environ(), "NMU_LIB="+lib)
	output(t, install)
	cmd := exec.Command("Rscript", "-e", program)
	cmd.Env = append(os.Environ(), "R_LIBS="+installed)
	return output(t, cmd)
}

// near returns want if got is within a few units in the last place of it, else got.
func near(t *testing.T, got, want string) string {
	a, err := strconv.ParseFloat(got, 64)
	b, err2 := strconv.ParseFloat(want, 64)
	must.Do(t, cmp.Or(err, err2))
	if math.Abs(a-b) <= 1e-15 {
		return want
	}
	return got
}

// compiler returns the name of the C compiler.
func compiler(t *testing.T) string {
	return strings.TrimSpace(output(t, goTool(t, "env", "CC")))
}

// library builds the C library and returns its folder, or skips the test.
func (r *rooms) library(t *testing.T) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skipf("NOT TESTED: a library for Linux cannot be used on this machine, %s", runtime.GOOS)
	}
	if _, err := exec.LookPath(compiler(t)); err != nil {
		t.Skipf("NOT TESTED: the C compiler is not installed: %v", err)
	}
	if host := strings.TrimSpace(output(t, goTool(t, "env", "GOHOSTARCH"))); host != runtime.GOARCH {
		t.Skipf("NOT TESTED: a library for %s cannot be used on this machine, %s", runtime.GOARCH, host)
	}
	if !r.built {
		output(t, exec.Command("bash", "capi/build", r.lib))
		r.built = true
	}
	return r.lib
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	must.Do(t, os.WriteFile(path, []byte(text), 0o666))
}

// output runs a command and returns what it prints to standard output.
func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s%s", cmd, err, out, &stderr)
	}
	return string(out)
}
