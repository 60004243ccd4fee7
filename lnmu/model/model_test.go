package model_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/model"
)

// counts returns an m x n matrix of small counts.
func counts[T lnmu.Float](m, n int) lnmu.Dense[T] {
	d := lnmu.NewDense[T](m, n, nil)
	for i := range d.Data {
		d.Data[i] = T((i*i + 3*i) % 7)
	}
	return d
}

// methods are those whose weights of new columns differ in kind.
var methods = []lnmu.Method{
	nil,
	lnmu.NMF{Solver: lnmu.SolverHALS},
	lnmu.NMF{Solver: lnmu.SolverAccelerated, SumToOneW: true},
	lnmu.KL{Solver: lnmu.SolverCoordinate},
	lnmu.SNMF{SparsityV: 0.25},
	lnmu.GNMU{},
}

// A saved model is the model, and its weights have the bits of Result.Transform.
func TestModel(t *testing.T) {
	for _, method := range methods {
		testModel[float64](t, method)
		testModel[float32](t, method)
	}
}

func testModel[T lnmu.Float](t *testing.T, method lnmu.Method) {
	m, next := counts[T](6, 9), counts[T](6, 4)
	res := must.Get(lnmu.Factor(t.Context(), m, 3, method, &lnmu.Settings{Start: lnmu.Start{Seed: 3}, Limits: lnmu.Limits{Iterations: 20}}))(t)
	names := []string{"a", "b", "c", "d", "e", "ä,\"\n"}
	fitted := must.Get(model.Of(res, method, names))(t)
	fitted.Topics = true
	path := filepath.Join(t.TempDir(), "parts.npz")
	must.Do(t, fitted.Save(path))
	read := must.Get(model.Read[T](path))(t)
	if factors.SHA256(read.V) != factors.SHA256(res.V) || !reflect.DeepEqual(read.RowNames, names) || !read.Topics {
		t.Errorf("%#v: read %+v", method, read)
	}
	var again bytes.Buffer
	must.Do(t, read.Encode(&again))
	if first, err := os.ReadFile(path); err != nil || !bytes.Equal(first, again.Bytes()) {
		t.Errorf("%#v: the model that was read has other bytes, %v", method, err)
	}
	want := must.Get(res.Transform(t.Context(), next, nil))(t)
	got := must.Get(read.Transform(t.Context(), next, names, nil))(t)
	if factors.SHA256(got.W) != factors.SHA256(want.W) {
		t.Errorf("%#v: other weights than those of the result", method)
	}
	under := must.Get(read.Transform(t.Context(), next, nil, &lnmu.TransformSettings{Feasible: true}))(t)
	if under.MaxViolation > 0 {
		t.Errorf("%#v: V W exceeds M by %v", method, under.MaxViolation)
	}
}

// Numbers of the other precision are converted.
func TestOtherPrecision(t *testing.T) {
	res := must.Get(lnmu.Factor(t.Context(), counts[float32](5, 7), 2, lnmu.NMF{}, nil))(t)
	fitted := must.Get(model.Of(res, lnmu.NMF{}, nil))(t)
	path := filepath.Join(t.TempDir(), "parts.npz")
	must.Do(t, fitted.Save(path))
	read := must.Get(model.Read[float64](path))(t)
	for i := range read.V.Data {
		if read.V.Data[i] != float64(res.V.Data[i]) {
			t.Fatalf("entry %d is %v, want %v", i, read.V.Data[i], res.V.Data[i])
		}
	}
}

// A matrix of other rows is refused, in words that say what to do.
func TestOtherRows(t *testing.T) {
	fitted := &model.Model[float64]{V: counts[float64](3, 2), Method: lnmu.NMF{}, RowNames: []string{"Na", "K", "Ca"}}
	for _, c := range []struct {
		rows  int
		names []string
		says  string
	}{
		{3, []string{"K", "Na", "Ca"}, `row 1 of M is "K", which is row 2 of the model; put`},
		{3, []string{"Na", "K", "Mg"}, `row 3 of M is "Mg", which the model does not have; give the rows of the model (its row 3 is "Ca")`},
		{2, []string{"Na", "K"}, "M has 2 named rows, and the model has 3"},
		{2, nil, "3"},
	} {
		_, err := fitted.Transform(t.Context(), counts[float64](c.rows, 4), c.names, nil)
		if !errors.Is(err, lnmu.ErrShape) || !strings.Contains(fmt.Sprint(err), c.says) {
			t.Errorf("%q: error %v, want one that says %q", c.names, err, c.says)
		}
	}
	must.Refuse(model.Of[float64](nil, nil, nil))(t, lnmu.ErrShape, "", "no result")
	bare := &model.Model[float64]{V: fitted.V}
	if _, err := bare.Transform(t.Context(), counts[float64](3, 4), nil, nil); err != nil {
		t.Errorf("no method: %v", err)
	}
	must.Equal(t, bare.Save(filepath.Join(t.TempDir(), "bare.npz")), nil, "no method")
	must.Refuse(model.Of(&lnmu.Result[float64]{V: fitted.V}, nil, []string{"one"}))(t, lnmu.ErrShape, "", "one name for three rows: error")
}

// rewritten writes a copy of an archive with members replaced, or left out where they are nil.
func rewritten(t *testing.T, path string, change map[string][]byte) string {
	t.Helper()
	from := must.Get(zip.OpenReader(path))(t)
	defer from.Close()
	var out bytes.Buffer
	to := zip.NewWriter(&out)
	for _, member := range from.File {
		r := must.Get(member.Open())(t)
		data := must.Get(io.ReadAll(r))(t)
		if other, changed := change[member.Name]; changed {
			data = other
		}
		if data == nil {
			continue
		}
		w, err := to.Create(member.Name) // compressed, as by another program
		if err == nil {
			_, err = w.Write(data)
		}
		must.Do(t, err)
	}
	must.Do(t, to.Close())
	altered := filepath.Join(t.TempDir(), "altered.npz")
	must.Do(t, os.WriteFile(altered, out.Bytes(), 0o666))
	return altered
}

// Damaged files are errors that name the path and what is wrong.
func TestDamagedModels(t *testing.T) {
	fitted := &model.Model[float64]{V: counts[float64](3, 2), Method: lnmu.KL{PenaltyW: 0.5}}
	path := filepath.Join(t.TempDir(), "parts.npz")
	must.Do(t, fitted.Save(path))
	if read, err := model.Read[float64](rewritten(t, path, nil)); err != nil || read.Method.Name() != "kl" {
		t.Fatalf("compressed anew: %v", err)
	}
	other := &model.Model[float64]{V: counts[float64](3, 1), Method: lnmu.KL{}}
	second := filepath.Join(t.TempDir(), "other.npz")
	must.Do(t, other.Save(second))
	archive := must.Get(zip.OpenReader(second))(t)
	defer archive.Close()
	r := must.Get(archive.Open("V.npy"))(t)
	basis := must.Get(io.ReadAll(r))(t)
	folder := func(change map[string][]byte) string { // of a run, for which the description is enough
		dir := t.TempDir()
		from := must.Get(zip.OpenReader(rewritten(t, path, change)))(t)
		defer from.Close()
		must.Do(t, os.CopyFS(dir, from))
		if change["model.json"] == nil {
			os.Rename(filepath.Join(dir, "model.json"), filepath.Join(dir, "result.json"))
		}
		return dir
	}
	if read, err := model.Read[float64](folder(nil)); err != nil || read.Method.Name() != "kl" {
		t.Fatalf("a folder: %v", err)
	}
	text := filepath.Join(t.TempDir(), "text.npz")
	must.Do(t, os.WriteFile(text, []byte("no archive"), 0o666))
	for _, c := range []struct{ path, says string }{
		{rewritten(t, path, map[string][]byte{"model.json": nil}), "without a model"},
		{rewritten(t, path, map[string][]byte{"model.json": []byte("{")}), "model.json is damaged"},
		{rewritten(t, path, map[string][]byte{"model.json": []byte(`{"settings":{"method":"kl","precision":"float16"}}`)}), `"float16"`},
		{rewritten(t, path, map[string][]byte{"model.json": []byte(`{"settings":{"method":"kl","options":{"rho":"1"}}}`)}), `no option "rho"`},
		{rewritten(t, path, map[string][]byte{"model.json": []byte(`{"settings":{"method":"pca"}}`)}), `unknown method "pca"`},
		{rewritten(t, path, map[string][]byte{"model.json": []byte(`{"input":{"row_names":["a","b","c","d"]}}`)}), "4 names for the 3 rows of V"},
		{rewritten(t, path, map[string][]byte{"V.npy": nil}), "without .npy members"},
		{rewritten(t, path, map[string][]byte{"V.npy": basis}), "one of them was changed"},
		{folder(map[string][]byte{"V.npy": nil}), "V.npy: no such file"},
		{folder(map[string][]byte{"model.json": []byte("{}")}), "result.json: no such file"},
		{folder(map[string][]byte{"V.npy": basis}), "V.npy is not that of result.json: a run was cut short"},
		{text, "neither the folder of a run nor a file of a model"},
		{filepath.Join(t.TempDir(), "absent.npz"), "absent.npz"},
	} {
		_, err := model.Read[float64](c.path)
		if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), c.path) {
			t.Errorf("%s: error %v, want one that says %q", c.path, err, c.says)
		}
	}
}

// A description that expands to far more than the file takes no memory: neither beyond the limit, nor for more
// names than there are rows.
func TestModelMemory(t *testing.T) {
	fitted := &model.Model[float64]{V: counts[float64](3, 2), Method: lnmu.KL{}}
	path := filepath.Join(t.TempDir(), "parts.npz")
	must.Do(t, fitted.Save(path))
	const size = 4 << 20
	for _, c := range []struct {
		text  string
		limit int64
		most  uint64
		says  string
	}{
		{`{"input":{"row_names":[` + strings.Repeat(`"",`, size/3) + `""]}}`, 1 << 20, 1 << 20, "the limit is 1.05 MB"},
		{`{"input":{"row_names":[` + strings.Repeat(`"",`, size/3) + `""]}}`, 0, size + 1<<20, "names for the 3 rows of V"},
		{`{"settings":{"options":{"a":[` + strings.Repeat("[],", size/3) + "[]]}}}", 2 * size, size + 1<<20, "the limit is 8.39 MB"},
	} {
		file := rewritten(t, path, map[string][]byte{"model.json": []byte(c.text)})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := model.ReadWithin[float64](file, c.limit)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > c.most || err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%.20q, limit %d: %d bytes allocated, %v; want at most %d and %q", c.text, c.limit, took, err, c.most, c.says)
		}
	}
}
