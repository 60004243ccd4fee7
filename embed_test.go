// Package nmu tests how other modules see this one.
package nmu

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"nmu/internal/must"
	"nmu/kernel"
	"nmu/lnmu"
	"nmu/lnmu/factors"
)

// goTool returns a command of the go tool, or skips the test where there is none
// that makes programs for this very machine.
func goTool(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skipf("NOT TESTED: the go tool is not installed: %v", err)
	}
	host, err := exec.Command(tool, "env", "GOHOSTARCH").Output()
	if err != nil {
		t.Skipf("NOT TESTED: the go tool cannot be used on this machine: %v", err)
	}
	if arch := strings.TrimSpace(string(host)); arch != runtime.GOARCH && !(arch == "amd64" && runtime.GOARCH == "386") {
		t.Skipf("NOT TESTED: the go tool is one for %s and cannot be used on this machine, an emulated %s", arch, runtime.GOARCH)
	}
	cmd := exec.Command(tool, args...)
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOSUMDB=off", "GOWORK=off", "GOFLAGS=-mod=mod", "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
	return cmd
}

// TestEmbed builds the program of testdata/embed, which is of another module, and
// compares what it prints with what is computed here.
func TestEmbed(t *testing.T) {
	root := must.Get(os.Getwd())(t)
	dir := t.TempDir() // the go tool completes go.mod
	for to, from := range map[string]string{
		"main.go": "testdata/embed/main.go", "go.mod": "testdata/embed/go.mod", "go.sum": "go.sum",
	} {
		text := must.Get(os.ReadFile(from))(t)
		if to == "go.mod" {
			local := []byte(fmt.Sprintf("=> %q", filepath.ToSlash(root)))
			if text = bytes.Replace(text, []byte("=> ../.."), local, 1); !bytes.Contains(text, local) {
				t.Fatalf("%s does not replace nmu", from)
			}
		}
		must.Do(t, os.WriteFile(filepath.Join(dir, to), text, 0o666))
	}
	program := filepath.Join(dir, "embed.exe")
	build := goTool(t, "build", "-o", program, ".")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build, err, out)
	}
	symbols := string(must.Get(goTool(t, "tool", "nm", program).Output())(t))
	for part, linked := range map[string]bool{
		"nmu/lnmu.RNMU.prepare": true, "nmu/lnmu.SNMF.prepare": false, "nmu/lnmu.Hoyer.prepare": false, "nmu/lnmu.KL.prepare": false,
		"nmu/lnmu.factor[go.shape.float64]": true, "nmu/lnmu.factor[go.shape.float32]": false,
	} {
		must.Equal(t, strings.Contains(symbols, part), linked, part, "in a program with RNMU and float64 alone")
	}

	const rows, cols = 7, 5
	m := lnmu.NewDense[float64](rows, cols, nil)
	var input bytes.Buffer
	fmt.Fprintln(&input, rows, cols)
	for i := range m.Data {
		m.Data[i] = float64(i * i % 7)
		fmt.Fprintln(&input, m.Data[i])
	}
	res := must.Get(lnmu.Factor(context.Background(), m, 2, lnmu.RNMU{}, &lnmu.Settings{Start: lnmu.Start{Seed: 1}}))(t)
	run := exec.Command(program)
	run.Stdin = &input
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var level, v, w string
	var residual float64
	if _, err := fmt.Sscanf(string(out), "level %s\nV %s\nW %s\nresidual %g\n", &level, &v, &w, &residual); err != nil {
		t.Fatalf("%v in\n%s", err, out)
	}
	if !slices.Contains([]string{"generic", "avx2", "avx512", "neon"}, level) || v != factors.SHA256(res.V) || w != factors.SHA256(res.W) {
		t.Errorf("the program prints\n%swant V %s, W %s", out, factors.SHA256(res.V), factors.SHA256(res.W))
	}
	var squares float64
	for i := range rows {
		for j := range cols {
			e := m.At(i, j) - float64(res.V.At(i, 0)*res.W.At(0, j)) - float64(res.V.At(i, 1)*res.W.At(1, j))
			squares += float64(e * e)
		}
	}
	if d := residual - squares; !(d < 1e-12*squares && d > -1e-12*squares) {
		t.Errorf("residual %v, want %v", residual, squares)
	}
	if level != kernel.Level() && os.Getenv("NMU_KERNEL") != "" {
		t.Errorf("level %s, want that of NMU_KERNEL, %s", level, kernel.Level())
	}
}

// TestModule does what docs/embedding.md tells a reader of the library to do, as it is written
// there: three commands make a module that has it, and the program runs.
func TestModule(t *testing.T) {
	const page = "docs/embedding.md"
	root := must.Get(os.Getwd())(t)
	_, section, _ := strings.Cut(readPage(t, page), "\n## Go\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var commands [][]string
	for line := range strings.Lines(section) {
		if command, ok := strings.CutPrefix(line, "    go "); ok {
			commands = append(commands, strings.Fields(command))
		}
	}
	_, body, _ := strings.Cut(section, "\n```go\n")
	body, _, _ = strings.Cut(body, "\n```\n")
	if len(commands) != 3 || body == "" {
		t.Fatalf("%s, section Go: %d indented lines that begin with go and a program of %d bytes in ```go; want the three commands go mod init, go mod edit and go mod tidy, and a program",
			page, len(commands), len(body))
	}

	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(body), 0o666))
	replaced := false
	for _, command := range append(commands, []string{"run", "."}) {
		for i, word := range command {
			if to, ok := strings.CutSuffix(word, "=DIR"); ok {
				command[i], replaced = to+"="+root, true
			}
		}
		cmd := goTool(t, command...)
		cmd.Dir = dir
		cmd.Env = append(cmd.Env, "GOFLAGS=") // as it is for the reader
		out, err := cmd.CombinedOutput()
		if err != nil && strings.Contains(string(out), "GOPROXY=off") {
			t.Skipf("NOT TESTED: the modules that %v needs are not on this machine:\n%s", cmd, out)
		}
		if err != nil {
			t.Fatalf("%v: %v\n%s", cmd, err, out)
		}
		if command[0] == "run" && !strings.HasPrefix(string(out), "0.") {
			t.Errorf("the program prints\n%s", out)
		}
	}
	if !replaced {
		t.Errorf("no command of %s says -replace nmu=DIR", page)
	}
}

// TestDependencies checks what a program takes on with package kernel.
func TestDependencies(t *testing.T) {
	out := must.Get(goTool(t, "list", "-deps", "nmu/kernel").Output())(t)
	var own []string
	for _, p := range strings.Fields(string(out)) {
		if p == "nmu" || strings.HasPrefix(p, "nmu/") {
			own = append(own, p)
		}
	}
	must.EqualSlices(t, own, []string{"nmu/internal/instance", "nmu/internal/isa", "nmu/kernel"}, "package kernel needs")
}

// TestAddress: `bash release/address PATH` gives the module another path, as CONTRIBUTING.md says: all packages, and a
// module that requires it, find what they import, and nothing has the old path. A second run has the same result.
func TestAddress(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" || runtime.GOOS != "linux" {
		t.Skip("it copies and changes the whole source: with NMU_FULL, on Linux")
	}
	files, err := exec.Command("git", "ls-files").Output()
	if err != nil {
		t.Skipf("NOT TESTED: this is no work tree of git: %v", err)
	}
	const path = "example.org/ours/nmu"
	if page := readPage(t, "CONTRIBUTING.md"); !strings.Contains(page, "bash release/address PATH") {
		t.Error("CONTRIBUTING.md does not say bash release/address PATH")
	}
	dir := t.TempDir()
	names := strings.Split(strings.TrimSpace(string(files)), "\n")
	for _, name := range names {
		must.Do(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o777))
		must.Do(t, os.WriteFile(filepath.Join(dir, name), must.Get(os.ReadFile(name))(t), 0o666))
	}
	in := func(cmd *exec.Cmd, folder string) {
		t.Helper()
		cmd.Dir = filepath.Join(dir, folder)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", cmd, err, out)
		}
	}
	in(exec.Command("git", "init", "-q"), "")
	in(exec.Command("git", "add", "-A"), "")
	once := map[string]string{}
	for _, to := range strings.Fields(path + " example.com/theirs " + path) {
		in(exec.Command("bash", "release/address", to), "")
		for _, name := range names {
			text := string(must.Get(os.ReadFile(filepath.Join(dir, name)))(t))
			if before, ok := once[name]; ok && to == path && before != text {
				t.Errorf("%s differs after other paths", name)
			}
			if to == path {
				once[name] = text
			}
		}
	}
	in(goTool(t, "list", "-deps", "-test", "./..."), "")
	in(goTool(t, "list", "-deps", "."), "testdata/embed")
	in(goTool(t, "test", "-vet=off", "-run", "Rooms|Layout|Cgo|Dependencies|Floors|Layers", "."), "")
	for _, name := range []string{"r/DESCRIPTION", "python/pyproject.toml", "CITATION.cff"} {
		must.Say(t, once[name], "https://"+path, path)
	}
}
