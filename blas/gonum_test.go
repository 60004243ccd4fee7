package blas

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"nmu/internal/isa"
	"nmu/internal/must"
)

// backend is the file that is put among the tests of a package of gonum: it registers
// this package before they run, and says in the end how often it was called.
const backend = `package %s

import (
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"

	nmu "nmu/blas"
	"nmu/kernel"
)

type counted struct{ nmu.Implementation }

var backendCalls atomic.Int64

func (c counted) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, x []float64, ldx int) {
	backendCalls.Add(1)
	c.Implementation.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, x, ldx)
}

func (c counted) Ddot(n int, x []float64, incX int, y []float64, incY int) float64 {
	backendCalls.Add(1)
	return c.Implementation.Ddot(n, x, incX, y, incY)
}

func init() {
	blas64.Use(counted{})
	blas32.Use(nmu.Implementation{})
}

func TestMain(m *testing.M) {
	code := m.Run()
	fmt.Printf("backend: level %%s, %%d calls\n", kernel.Level(), backendCalls.Load())
	os.Exit(code)
}
`

// TestGonum runs gonum's own tests of what stands on a BLAS with this one, in a copy of
// its module that is made here: those of stat and mat at every level, and those of lapack,
// which take long, at the best one.
func TestGonum(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("gonum's tests at every level: with NMU_FULL only")
	}
	packages, levels := []string{"stat", "mat", "lapack/gonum"}, isa.Available()
	goCommand, err := exec.LookPath("go")
	if err != nil {
		t.Skipf("no go command to run gonum's tests: %v", err)
	}
	out, err := exec.Command(goCommand, "list", "-m", "-f", "{{.Dir}}", "gonum.org/v1/gonum", "nmu").Output()
	dirs := strings.Fields(string(out))
	if err != nil || len(dirs) != 2 {
		t.Fatalf("where gonum is: %q, %v", out, err)
	}
	copyOf := filepath.Join(t.TempDir(), "gonum")
	must.Do(t, os.CopyFS(copyOf, os.DirFS(dirs[0])))
	for _, p := range packages {
		path := filepath.Join(copyOf, filepath.FromSlash(p), "zz_backend_test.go")
		must.Do(t, os.WriteFile(path, fmt.Appendf(nil, backend, filepath.Base(p)), 0o644))
	}
	modfile := filepath.Join(filepath.Dir(copyOf), "go.mod")
	for _, name := range []string{"go.mod", "go.sum"} {
		text := must.Get(os.ReadFile(filepath.Join(dirs[1], name)))(t)
		if name == "go.mod" {
			text = fmt.Appendf(text, "\nreplace gonum.org/v1/gonum => %s\n", copyOf)
		}
		must.Do(t, os.WriteFile(filepath.Join(filepath.Dir(copyOf), name), text, 0o644))
	}
	used := regexp.MustCompile(`backend: level (\w+), (\d+) calls`)
	for _, level := range levels {
		for i, p := range packages {
			if i == 2 && level != levels[len(levels)-1] {
				continue // which takes long
			}
			// What is compiled of a copy without its path is compiled once for all copies.
			cmd := exec.Command(goCommand, "test", "-trimpath", "-modfile", modfile, "-mod=mod", "-vet=off", "-count=1", "-v", "-timeout", "20m", "gonum.org/v1/gonum/"+p)
			cmd.Dir = dirs[1]
			cmd.Env = append(os.Environ(), isa.Env+"="+level.String())
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("gonum's tests of %s at level %v: %v\n%s", p, level, err, failures(string(out)))
				continue
			}
			m := used.FindStringSubmatch(string(out))
			if m == nil || m[1] != level.String() || m[2] == "0" {
				t.Errorf("gonum's tests of %s at level %v did not use this backend: %q", p, level, m)
				continue
			}
			t.Logf("gonum's tests of %s: %s", p, m[0])
		}
	}
}

// failures returns the end of the lines of go test -v that are no successes.
func failures(out string) string {
	var lines []string
	for line := range strings.Lines(out) {
		if word := strings.TrimSpace(line); !strings.HasPrefix(word, "=== ") && !strings.HasPrefix(word, "--- PASS") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-60):], "")
}
