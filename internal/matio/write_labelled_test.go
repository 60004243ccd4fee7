package matio_test

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

// written is a matrix of numbers that are hard to write, with a stride.
func written[T matio.Float]() matio.Labelled[T] {
	least, most := math.SmallestNonzeroFloat64, math.MaxFloat64
	if T(least) == 0 {
		least, most = math.SmallestNonzeroFloat32, math.MaxFloat32
	}
	return matio.Labelled[T]{Rows: 2, Cols: 2, Stride: 3, Data: []T{T(1) / 3, 0, -1, T(least), T(most)}}
}

func TestWriteCSV(t *testing.T) {
	t.Run("float64", func(t *testing.T) { testWriteCSV[float64](t) })
	t.Run("float32", func(t *testing.T) { testWriteCSV[float32](t) })
}

func testWriteCSV[T matio.Float](t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	m := written[T]()
	m.RowNames, m.ColNames = []string{"a, b", `"c"`}, []string{"x\ny", "7"}
	must.Do(t, matiotest.WriteCSV(path, m))
	f := matiotest.Open(t, path, matio.Options{})
	_, _, data, err := matio.Dense[T](f)
	if want := []T{m.Data[0], m.Data[1], m.Data[3], m.Data[4]}; err != nil || !slices.Equal(data, want) {
		t.Errorf("%v, %v, want %v", data, err, want)
	}
	if !slices.Equal(f.RowNames(), m.RowNames) || !slices.Equal(f.ColNames(), m.ColNames) {
		t.Errorf("rows %q, columns %q", f.RowNames(), f.ColNames())
	}
	m.RowNames, m.ColNames = nil, nil
	must.Do(t, matiotest.WriteCSV(path, m))
	if text, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(text), ",1,2\n1,0.3333") {
		t.Errorf("without names: %s, %v", text, err)
	}
	m.RowNames = []string{"one"}
	if err := matiotest.WriteCSV(path, m); err == nil {
		t.Error("one name for two rows is no error")
	}
}

func TestWriteMat(t *testing.T) {
	t.Run("float64", func(t *testing.T) { testWriteMat[float64](t) })
	t.Run("float32", func(t *testing.T) { testWriteMat[float32](t) })
}

func testWriteMat[T matio.Float](t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mat")
	m := written[T]()
	one := matio.Labelled[T]{Rows: 1, Cols: 1, Data: []T{5}, Stride: 1}
	none := matio.Labelled[T]{Rows: 0, Cols: 3, Stride: 3}
	must.Do(t, matiotest.WriteMat(path, matio.Variable[T]{Name: "V", Labelled: m}, matio.Variable[T]{Name: "long_name_of_9", Labelled: one}, matio.Variable[T]{Name: "none", Labelled: none}))
	for name, want := range map[string][]T{"V": {m.Data[0], m.Data[1], m.Data[3], m.Data[4]}, "long_name_of_9": {5}, "none": {}} {
		_, _, data, err := matio.Dense[T](matiotest.Open(t, path, matio.Options{Var: name}))
		if err != nil || !slices.Equal(data, want) {
			t.Errorf("%s: %v, %v, want %v", name, data, err, want)
		}
	}
	if err := matiotest.WriteMat(path, matio.Variable[T]{Name: "V", Labelled: matio.Labelled[T]{Rows: 2, Cols: 2, Stride: 2}}); err == nil {
		t.Error("a matrix without data is no error")
	}
}

// Other programs read the file as it was meant.
func TestWriteMatElsewhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mat")
	m := matio.Labelled[float64]{Rows: 2, Cols: 3, Stride: 3, Data: []float64{0, 0.25, 0.5, 0.75, 1, 1.25}}
	named := m
	named.RowNames, named.ColNames = []string{"a row", ""}, []string{"x", "y", "Ωm²"}
	must.Do(t, matiotest.WriteMat(path, matio.Variable[float64]{Name: "V", Labelled: m}, matio.Variable[float64]{Name: "W", Labelled: named}))
	for _, c := range [][]string{
		{"octave-cli", "--norc", "--eval", `x = load("` + path + `"); assert(isequal(x.V, [0 .25 .5; .75 1 1.25])); assert(isequal(x.W, x.V)); assert(class(x.V), "double"); assert(isequal(x.W_rows, {"a row"; ""})); assert(isequal(x.W_cols(1:2), {"x", "y"})); assert(size(x.W_cols{3}), [1 3]); assert(! isfield(x, "V_rows")); printf("read")`},
		{"python3", "-c", `import scipy.io
x = scipy.io.loadmat("` + path + `")
assert x["V"].tolist() == [[0, .25, .5], [.75, 1, 1.25]] and x["W"].dtype == "<f8"
assert [[str(s) for c in row for s in (c if c.size else [""])] for row in x["W_rows"]] == [["a row"], [""]]
assert [str(c[0]) for c in x["W_cols"][0]] == ["x", "y", "Ωm²"] and "V_rows" not in x
print("read")`},
	} {
		t.Run(c[0], func(t *testing.T) {
			program, err := exec.LookPath(c[0])
			if err != nil {
				t.Skipf("%s is not installed", c[0])
			}
			if c[0] == "python3" {
				if program = pythonWith("scipy"); program == "" {
					t.Skip("a Python with SciPy is not installed")
				}
			}
			out, err := exec.Command(program, c[1:]...).CombinedOutput()
			if err != nil || !strings.Contains(string(out), "read") {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

// pythonWith returns the first Python of the path that has a module, or nothing.
func pythonWith(module string) string {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if p := filepath.Join(dir, "python3"); exec.Command(p, "-c", "import "+module).Run() == nil {
			return p
		}
	}
	return ""
}
