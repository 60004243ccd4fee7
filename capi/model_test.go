package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nmu/internal/options/drawn"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/model"
)

// pythonModels saves a model for each method, and prints the hashes of V and of the weights of new
// columns, and then does the same with the models that Go has saved.
const pythonModels = pythonDrawn + `
folder = sys.argv[1]
for name, options in (("rnmu", {}), ("nmf", {"sum_to_one": "w"}), ("kl", {"solver": "coordinate"})):
    res = nmu.factor(whole, 3, name, seed=1, iterations=20, **options)
    model = nmu.Model(res.V, res.method, res.options, [f"r{k}" for k in range(23)], False)
    model.save(f"{folder}/{name}.npz")
    print(name, sha256(model.V), sha256(model.transform(whole[:, 3:8]).W))
    model = nmu.load(f"{folder}/go-{name}.npz")
    assert model.row_names == [f"row {k}" for k in range(23)] and model.method == name
    print("go-" + name, sha256(model.V), sha256(model.transform(whole[:, 3:8]).W))
`

// TestModels: a model that Python has saved gives Go the same basis and weights, and the reverse.
func TestModels(t *testing.T) {
	dir := library(t)
	m, next := drawn.Matrix(false), lnmu.NewDense[float64](23, 5, nil)
	var names []string
	for i := range m.Rows {
		copy(next.Row(i), m.Row(i)[3:8])
		names = append(names, fmt.Sprintf("row %d", i))
	}
	folder := t.TempDir()
	for _, method := range []lnmu.Method{lnmu.RNMU{}, lnmu.NMF{SumToOneW: true}, lnmu.KL{Solver: lnmu.SolverCoordinate}} {
		res, err := lnmu.Factor(t.Context(), m, 3, method, &lnmu.Settings{Start: lnmu.Start{Seed: 5}, Limits: lnmu.Limits{Iterations: 20}})
		if err != nil {
			t.Fatal(err)
		}
		fitted, err := model.Of(res, method, names)
		if err == nil {
			err = fitted.Save(filepath.Join(folder, "go-"+method.Name()+".npz"))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for line := range strings.Lines(pythonPrints(t, dir, nil, pythonModels, folder)) {
		f := strings.Fields(line)
		read, err := model.Read[float64](filepath.Join(folder, f[0]+".npz"))
		if err != nil {
			t.Fatal(err)
		}
		w, err := read.Transform(t.Context(), next, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := []string{factors.SHA256(read.V), factors.SHA256(w.W)}; !slices.Equal(got, f[1:]) {
			t.Errorf("%s: Go has %q, Python %q", f[0], got, f[1:])
		}
		if name := read.RowNames[22]; name != map[bool]string{true: "row 22", false: "r22"}[strings.HasPrefix(f[0], "go-")] {
			t.Errorf("%s: the last row is %q", f[0], name)
		}
	}
}

// pythonWithNumPy returns a Python with NumPy: that of NMU_PYTHON, or the first in the path; "" if there is none.
func pythonWithNumPy() string {
	names := []string{os.Getenv("NMU_PYTHON")}
	if names[0] == "" {
		names = nil
		for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
			names = append(names, filepath.Join(dir, "python3"))
		}
	}
	for _, name := range names {
		if exec.Command(name, "-c", "import numpy").Run() == nil {
			return name
		}
	}
	return ""
}

// pythonPrints runs a program of Python with the library on what it reads, and returns what it prints.
func pythonPrints(t *testing.T, dir string, in io.Reader, program string, args ...string) string {
	t.Helper()
	name := pythonWithNumPy()
	if name == "" {
		t.Skip("NOT TESTED: numpy is not installed")
	}
	cmd := exec.CommandContext(t.Context(), name, append([]string{"-W", "ignore", "-c", program}, args...)...)
	cmd.Stdin = in
	path, err := filepath.Abs("../python")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(os.Environ(), "PYTHONPATH="+path, "PYTHONDONTWRITEBYTECODE=1", "NMU_LIBRARY="+filepath.Join(dir, "libnmu.so"))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	return string(out)
}
