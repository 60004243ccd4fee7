//go:build hdf5

package hdf5_test

import (
	"fmt"
	"math/rand/v2"
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

// numbers is the matrix of every file.
func numbers() matiotest.Matrix {
	m := matiotest.Numbered(7, 5)
	for k := range m.Data {
		m.Data[k] = float64(k % 11)
	}
	return m
}

// of returns do of each number.
func of(m matiotest.Matrix, do func(x float64) float64) matiotest.Matrix {
	m.Data = slices.Clone(m.Data)
	for k, x := range m.Data {
		m.Data[k] = do(x)
	}
	return m
}

// files has h5py write the files, and returns the folder.
func files(t *testing.T) string {
	t.Helper()
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import h5py").Run() != nil {
			continue
		}
		dir := t.TempDir()
		if out, err := exec.Command(python, "-B", "testdata/make.py", dir).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return dir
	}
	t.Skip("NOT TESTED: a Python with h5py is not installed")
	return ""
}

func above4(x float64) float64 {
	if x > 4 {
		return 1
	}
	return 0
}

// The files of h5py are read, as a whole and by blocks.
func TestFiles(t *testing.T) {
	dir, m := files(t), numbers()
	paths := must.Get(filepath.Glob(filepath.Join(dir, "*")))(t)
	types := 0
	for _, path := range paths {
		name := filepath.Base(path)
		if strings.HasPrefix(name, "type ") || strings.HasSuffix(name, "est.h5") || name == "compact.h5" || name == "cycle.h5" {
			variable := ""
			if name == "cycle.h5" {
				variable = "a/m"
			}
			matiotest.WantDense(t, path, variable, m)
			blocks(t, path, variable, m)
			types++
		}
	}
	must.Equal(t, types, 22+10+2, "files of one array")
	at := func(name string) string { return filepath.Join(dir, name) }
	matiotest.WantDense(t, at("bool.h5"), "", of(m, above4))
	matiotest.WantDense(t, at("column.h5"), "", m.Block(matiotest.Rect(0, 7, 0, 1)))
	for _, form := range []string{"csr", "csc", "old"} {
		matiotest.WantSparse(t, at(form+".h5ad"), "", m)
		matiotest.WantSparse(t, at(form+".h5ad"), "twice", of(m, func(x float64) float64 { return 2 * x }))
		matiotest.WantDense(t, at(form+".h5ad"), "/layers/dense", of(m, func(x float64) float64 { return x + 1 }))
	}
	blocks(t, at("csr.h5ad"), "", m)
	blocks(t, at("csc.h5ad"), "layers/twice", of(m, func(x float64) float64 { return 2 * x }))
	matiotest.WantDense(t, at("dense.h5ad"), "X", m)
	matiotest.WantDense(t, at("matlab.mat"), "m", m)
	blocks(t, at("matlab.mat"), "m", m)
	matiotest.WantDense(t, at("matlab.mat"), "packed", of(m, above4))
	matiotest.WantSparse(t, at("matlab.mat"), "s", m)

	// A cube is that of a .npy file: bands x pixels, the pixels line by line.
	cube := matiotest.Numbered(4, 6)
	for k := range cube.Data {
		cube.Data[k] = float64(k%6*4 + k/6)
	}
	matiotest.WantDense(t, at("cube.h5"), "", cube)
	matiotest.WantDense(t, at("matlab.mat"), "cube", cube)
}

// blocks compares each block of a file that is read by parts.
func blocks(t *testing.T, path, variable string, m matiotest.Matrix) {
	t.Helper()
	for _, transpose := range []bool{false, true} {
		p, err := matio.OpenParts(path, matio.Options{Var: variable, Transpose: transpose})
		must.Do(t, err)
		want := m
		if transpose {
			want = m.Transpose()
		}
		matiotest.EachBlock(want.Rows, want.Cols, func(b matio.Block) {
			got := make([]float64, b.Rows()*b.Cols())
			if p.Sparse() {
				ptr, idx, val := must.Three(matio.SparseBlock[float64](p, b))(t, path)
				for i := range b.Rows() {
					for k := ptr[i]; k < ptr[i+1]; k++ {
						got[i*b.Cols()+int(idx[k])] = val[k]
					}
				}
			} else if err := matio.ReadBlock(p, got, b.Cols(), b); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			must.EqualSlices(t, got, want.Block(b).Data, path, "block", b)
		})
		must.Equal(t, p.Close(), nil)
	}
}

// Rows and columns have the names of anndata, also where there are more of them than are read at
// once.
func TestNames(t *testing.T) {
	dir := files(t)
	for _, c := range []struct {
		name, sign string
		rows       int
	}{{"csr.h5ad", "µ", 7}, {"old.h5ad", "u", 7}, {"long.h5ad", "µ", 300}} {
		f := matiotest.Open(t, filepath.Join(dir, c.name), matio.Options{})
		for _, x := range []struct {
			table string
			n     int
			got   []string
		}{{"obs", c.rows, f.RowNames()}, {"var", 5, f.ColNames()}} {
			var want []string
			for i := range x.n {
				want = append(want, fmt.Sprintf("%s %d %s", x.table, i, c.sign))
			}
			must.EqualSlices(t, x.got, want, c.name, "names")
		}
	}
}

// The files of Octave's save -hdf5 are read.
func TestOctave(t *testing.T) {
	octave, err := exec.LookPath("octave-cli")
	if err != nil {
		t.Skipf("NOT TESTED: octave is not installed: %v", err)
	}
	path := filepath.Join(t.TempDir(), "m.h5")
	script := `m = reshape(mod(0:34, 11), 5, 7)'; single = single(m); whole = int16(m); s = sparse(m); text = "text"; c = {m}; save("-hdf5", argv(){1}, "m", "single", "whole", "s", "text", "c")`
	if out, err := exec.Command(octave, "--no-gui", "--eval", script, path).CombinedOutput(); err != nil {
		if out, err = exec.Command(octave, "--eval", strings.ReplaceAll(script, "argv(){1}", `"`+path+`"`)).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	for _, name := range []string{"m", "single", "whole"} {
		matiotest.WantDense(t, path, name, numbers())
	}
	matiotest.WantSparse(t, path, "s", numbers())
	matiotest.WantError(t, path, matio.Options{}, matio.ErrVar, "choose one: m (7 x 5 float64), s (7 x 5 sparse)")
	matiotest.WantError(t, path, matio.Options{Var: "text"}, matio.ErrUnsupported, "want a real numeric matrix")
}

// What was never written of an array has the fill value of the file, and a note says so.
func TestUnwritten(t *testing.T) {
	dir := files(t)
	part := matiotest.New(7, 5, slices.Repeat([]float64{3}, 35))
	for i := range 4 {
		copy(part.Data[5*i:], numbers().Data[5*i:][:5])
	}
	for name, want := range map[string]matiotest.Matrix{
		"unwritten.h5": matiotest.New(7, 5, make([]float64, 35)), "unwritten chunks.h5": part, "unwritten gzip.h5": matiotest.New(7, 5, slices.Repeat([]float64{3}, 35)),
	} {
		path := filepath.Join(dir, name)
		matiotest.WantDense(t, path, "", want)
		if notes := strings.Join(matiotest.Open(t, path, matio.Options{}).Notes(), ";"); !strings.Contains(notes, "the dataset m was written in part") {
			t.Errorf("%s: notes %q", name, notes)
		}
	}
}

// Names belong to the group of the matrix: to one modality of several, and to the axes of each matrix in it.
func TestNamesOfGroups(t *testing.T) {
	path := filepath.Join(files(t), "modalities.h5mu")
	list := func(of string, n int) []string {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf("%s %d", of, i))
		}
		return names
	}
	obs, vars, all := list("mod/a obs", 7), list("mod/a var", 5), list(" obs", 7)
	for variable, names := range map[string][2][]string{
		"mod/a/X": {obs, vars}, "mod/a/layers/l": {obs, vars}, "mod/a/raw/X": {obs, list("mod/a/raw var", 5)}, "mod/a/obsm/m": {obs, nil}, "mod/a/varm/m": {vars, nil},
		"mod/a/obsp/p": {obs, obs}, "mod/a/varp/p": {vars, vars}, "obsm/m": {all, nil}, "mod/a/uns/u": {nil, nil},
	} {
		f := matiotest.Open(t, path, matio.Options{Var: variable})
		if !slices.Equal(f.RowNames(), names[0]) || !slices.Equal(f.ColNames(), names[1]) {
			t.Errorf("%s: rows %q, columns %q", variable, f.RowNames(), f.ColNames())
		}
	}
}

// Nothing outside the file is read, and no claim of it is believed.
func TestRefused(t *testing.T) {
	dir := files(t)
	for _, c := range []struct {
		name, variable string
		sentinel       error
		says           string
	}{
		{"soft.h5", "m", matio.ErrVar, "the file has none"},
		{"link.h5", "m", matio.ErrVar, "the file has none"},
		{"link.h5", "", matio.ErrVar, "no real numeric matrix"},
		{"external.h5", "", matio.ErrUnsupported, "the data are in another file"},
		{"virtual.h5", "", matio.ErrUnsupported, "a virtual dataset"},
		{"lzf.h5", "", matio.ErrUnsupported, "filter 32000"},
		{"scaled.h5", "", matio.ErrUnsupported, "filter 6"},
		{"complex.h5", "", matio.ErrVar, "no real numeric matrix"},
		{"complex.h5", "m", matio.ErrUnsupported, "want a real numeric matrix"},
		{"hollow.h5", "", matio.ErrFormat, "claims 8796093022208 bytes"},
		{"cycle.h5", "", matio.ErrVar, "choose one"},
		{"matlab.mat", "", matio.ErrVar, "cube (2 x 3 x 4 float64), m (7 x 5 float64), packed (7 x 5 uint8), s (7 x 5 sparse)"},
		{"matlab.mat", "n", matio.ErrVar, `variable "n"`},
		{"short.h5ad", "", matio.ErrFormat, "indptr has 8 elements: want 1099511627777"},
		{"index.h5ad", "", matio.ErrFormat, "indices[3] = 5 is outside 0 to 4"},
		{"pointer.h5ad", "", matio.ErrFormat, "indptr[3] = 1000 is not in 0 to 31"},
		{"float index.h5ad", "", matio.ErrFormat, "float64 cannot be indices"},
		{"missing.h5ad", "", matio.ErrFormat, "there is no dataset X/indptr"},
	} {
		matiotest.WantError(t, filepath.Join(dir, c.name), matio.Options{Var: c.variable}, c.sentinel, c.says)
	}
	// 32 MiB in some 30 KB need their memory.
	matiotest.WantError(t, filepath.Join(dir, "bomb.h5"), matio.Options{MaxMemory: 1 << 24}, matio.ErrTooLarge, "reading it needs")
}

// A damaged file is read or is an error. It neither ends the program nor takes what it claims.
func TestDamaged(t *testing.T) {
	dir := files(t)
	r := rand.New(rand.NewPCG(1, 2))
	const tries = 40 // with more of them the library itself crashes, see SECURITY.md
	for _, name := range []string{"all filters earliest.h5", "all filters latest.h5", "csr.h5ad", "matlab.mat"} {
		whole, err := os.ReadFile(filepath.Join(dir, name))
		must.Do(t, err)
		for try := range tries {
			b := slices.Clone(whole)
			if try%4 == 0 {
				b = b[:r.IntN(len(b))]
			}
			for range r.IntN(4) {
				if len(b) > 0 {
					b[r.IntN(len(b))] = byte(r.Uint32())
				}
			}
			path := matiotest.Write(t, name, b)
			for _, variable := range []string{"", "m", "s", "deep/down/m"} {
				_ = matiotest.ReadAll(path, matio.Options{Var: variable, MaxMemory: 1 << 28})
			}
			must.Do(t, os.Remove(path))
		}
	}
}
