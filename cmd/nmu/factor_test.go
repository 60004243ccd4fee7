package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nmu/cmd/internal/commandtest"
	"nmu/cmd/internal/exit"
	"nmu/internal/dataset"
	"nmu/internal/golden"
	"nmu/internal/literal"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
	"nmu/internal/options"
	"nmu/internal/picture"
	"nmu/internal/record"
	"nmu/internal/render"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/outcome"
)

// result reads DIR/result.json.
func result(t *testing.T, dir string) record.Factor {
	t.Helper()
	return parsed[record.Factor](t, readText(t, dir, record.NameResult))
}

// errorsOf returns the relative errors of the blocks of a run.
func errorsOf(rep record.Factor) (errors []float64) {
	for _, b := range rep.Blocks {
		errors = append(errors, b.Error)
	}
	return errors
}

func parseReport(t *testing.T, text []byte) record.Factor {
	t.Helper()
	return parsed[record.Factor](t, string(text))
}

// parsed returns what a text of JSON holds.
func parsed[R any](t *testing.T, text string) (rep R) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &rep); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return rep
}

// member returns the member of a JSON object at a path such as result.stop, or nil. That of a list is the list of
// those of its elements.
func member(object any, path string) any {
	if list, ok := object.([]any); ok {
		all := make([]any, len(list))
		for i, x := range list {
			all[i] = member(x, path)
		}
		return all
	}
	name, rest, more := strings.Cut(path, ".")
	members, _ := object.(map[string]any)
	if more {
		return member(members[name], rest)
	}
	return members[name]
}

// edited returns a JSON object with another value, also as JSON, of the member at a path; without the member, if
// the value is empty.
func edited(text, path, value string) string {
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &members) != nil || members == nil {
		members = map[string]json.RawMessage{}
	}
	name, rest, more := strings.Cut(path, ".")
	if more {
		value = edited(string(members[name]), rest, value)
	}
	if members[name] = json.RawMessage(value); value == "" {
		delete(members, name)
	}
	all, err := json.Marshal(members)
	if err != nil {
		panic(err)
	}
	return string(all)
}

// names lists a folder.
func names(t *testing.T, dir string) []string {
	t.Helper()
	return commandtest.Names(t, dir)
}

// holds fails the test unless a folder has these files alone.
func holds(t *testing.T, dir string, want ...string) {
	t.Helper()
	must.EqualSlices(t, names(t, dir), want, dir, "has the files")
}

// The files of a run describe one and the same factorization.
func TestFactorFiles(t *testing.T) {
	t.Run("float64", testFactorFiles[float64])
	t.Run("float32", testFactorFiles[float32])
}

func testFactorFiles[T lnmu.Float](t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "out")
	input := swimmerFile(t, false)
	status, table, stderr := nmu("factor", input, "--rank", "3", "--method", "rnmu", "--iterations", "20", "--restarts", "2", "--seed", "5",
		"--image", "20x11", "--tolerance", "1e-9", "--precision", fmt.Sprintf("%T", T(0)), "--out", dir)
	if status != exit.StatusUnconverged {
		t.Fatalf("status %d, %s", status, stderr)
	}
	holds(t, dir, record.NameV, record.NameW, record.NameBasis, record.NameResult)
	rep := result(t, dir)
	v := factorIn[T](t, dir, record.NameV)
	w := factorIn[T](t, dir, record.NameW)
	if v.Rows != 220 || v.Cols != 3 || w.Rows != 3 || w.Cols != 256 {
		t.Errorf("V is %d x %d, W %d x %d", v.Rows, v.Cols, w.Rows, w.Cols)
	}
	if factors.SHA256(v) != rep.SHA256V || factors.SHA256(w) != rep.SHA256W {
		t.Error("the hashes are not those of the files")
	}

	set := dataset.Swimmer()
	p := literal.Complete(lnmu.NewDense(set.Rows, set.Cols, set.Data))
	if e := math.Sqrt(p.Squares(literal.As[float64](v), literal.As[float64](w))) / p.Norm(); math.Abs(e-rep.RelativeError) > 1e-6 {
		t.Errorf("relative error %v, recomputed %v", rep.RelativeError, e)
	}
	if violation, _ := p.Violation(literal.As[float64](v), literal.As[float64](w)); math.Abs(violation-rep.MaxViolation) > 1e-6 {
		t.Errorf("violation %v, recomputed %v", rep.MaxViolation, violation)
	}
	if errors := errorsOf(rep); len(errors) != 3 || errors[2] != rep.RelativeError {
		t.Errorf("error per rank %v", errors)
	}
	for _, name := range []string{record.NameV, record.NameW, record.NameBasis} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if sum := fmt.Sprintf("%x", sha256.Sum256(text)); err != nil || len(rep.Files) != 3 || rep.Files[name] != sum {
			t.Errorf("%s has the sum %s, result.json lists %v, %v", name, sum, rep.Files, err)
		}
	}
	bs, ws := factors.RowSparsity(v.Transposed()), factors.RowSparsity(w)
	got := rep
	got.Version, got.Go, got.Platform, got.Level, got.Settings.Threads, got.Seconds = "", "", "", "", 0, 0
	got.RelativeError, got.RelativeViolation, got.MaxViolation, got.SHA256V, got.SHA256W = 0, 0, 0, "", ""
	got.Blocks = nil
	for _, b := range rep.Blocks {
		got.Blocks = append(got.Blocks, outcome.Block{Rank: b.Rank, Stop: b.Stop})
	}
	if size := (picture.Pixels{Height: 20, Width: 11}); got.Image != size {
		t.Errorf("size of the images %+v, want %+v", got.Image, size)
	}
	got.Image = picture.Pixels{}
	got.BestRestart, got.BestSeed, got.Stop, got.Notes, got.Files = 0, 0, "", nil, nil
	want := record.Factor{Head: record.Head{Program: record.Program{Schema: record.FactorSchema}}}
	want.Input, want.Rows, want.Cols, want.Rank = input, 220, 256, 3
	want.Settings = record.NewSettings[T](options.Run{}, lnmu.Settings{Start: lnmu.Start{Init: lnmu.InitRandom, Restarts: 2, Seed: 5}, Limits: lnmu.Limits{Iterations: 20, Tolerance: 1e-9, CheckEvery: 10}})
	want.Settings.Method, want.Settings.Rank = "rnmu", 3
	want.Settings.Options = map[string]string{"block": "1", "inner": "2", "multipliers": "zero", "norm": "l2", "solver": "lagrangian", "sweeps": "1"}
	want.SparsityV, want.HoyerV, want.SparsityW, want.HoyerW = bs.Zeros, bs.Hoyer, ws.Zeros, ws.Hoyer
	want.RestartsBegun, want.RestartsFinished, want.LargestEntry = 2, 2, 1
	for i, r := range got.Restarts {
		want.Restarts = append(want.Restarts, outcome.Restart{Seed: 5 + uint64(i), IterationsDone: 60, Error: r.Error, Stop: outcome.StopIterations})
	}
	for k := range 3 {
		want.Blocks = append(want.Blocks, outcome.Block{Rank: k + 1, Stop: outcome.StopIterations})
	}
	must.Equal(t, fmt.Sprint(got), fmt.Sprint(want), "result.json")
	if rep.Seconds <= 0 || rep.Settings.Threads < 1 || rep.BestSeed != 4+uint64(rep.BestRestart) || len(rep.Restarts) != 2 || rep.Blocks[2].History == nil {
		t.Errorf("result.json: %+v", rep)
	}
	contains(t, table, "relative error", render.Percent(rep.RelativeError), "rnmu, rank 3, 20 iterations each, T = 2", dir)
	pictureOf(t, dir, record.NameBasis)
}

// --json prints what result.json holds.
func TestFactorJSON(t *testing.T) {
	dir := t.TempDir()
	out := succeed(t, "factor", swimmerFile(t, false), "--rank", "2", "--iterations", "5", "--restarts", "1", "--json", "--out", dir)
	must.Equal(t, string(must.Get(os.ReadFile(filepath.Join(dir, record.NameResult)))(t)), out, "printed")
	holds(t, dir, record.NameV, record.NameW, record.NameResult)
	rep := parsed[any](t, out)
	for _, path := range strings.Fields(`schema version input.path input.rows input.cols settings.rank settings.method settings.options.solver settings.iterations
		settings.restarts settings.threads settings.precision result.rank result.best_restart result.best_seed result.level result.seconds result.stop
		result.relative_error result.relative_violation result.max_violation result.sparsity_v result.sparsity_w result.hoyer_v result.hoyer_w
		result.blocks.relative_error result.sha256_v result.sha256_w files`) {
		if member(rep, path) == nil {
			t.Errorf("no member %s", path)
		}
	}
}

// The hashes are those of the library's golden test, twice, and for any number
// of threads.
func TestFactorGolden(t *testing.T) {
	recorded := must.Get(golden.Recorded())(t)
	input := swimmerFile(t, false)
	for method, solver := range map[string]string{"nmf": "hals", "gnmu": "lagrangian", "rnmu": "lagrangian"} {
		for _, precision := range []string{"float32", "float64"} {
			want, ok := recorded[method+" "+precision]
			if !ok {
				t.Fatalf("no golden hash for %s in %s", method, precision)
			}
			threads := []string{"1", "1", "2", "5"}
			if testing.Short() {
				threads = []string{"2"}
			}
			for _, p := range threads {
				out := succeed(t, "factor", input, "--rank", "8", "--seed", "1", "--restarts", "1", "--iterations", "20",
					"--method", method, "--solver", solver, "--precision", precision, "--threads", p, "--json")
				if rep := parseReport(t, []byte(out)); rep.SHA256V != want.V || rep.SHA256W != want.W {
					t.Errorf("%s in %s with %s threads: %s, %s, want %v", method, precision, p, rep.SHA256V, rep.SHA256W, want)
				}
			}
		}
	}
}

// --init continues a previous run: HALS for NMF has no other state than V and W.
func TestFactorInit(t *testing.T) {
	input := swimmerFile(t, false)
	half, rest, whole := t.TempDir(), t.TempDir(), t.TempDir()
	args := []string{"factor", input, "--rank", "4", "--method", "nmf", "--solver", "hals"}
	succeed(t, append(args, "--restarts", "1", "--seed", "3", "--iterations", "15", "--out", half)...)
	succeed(t, append(args, "--init", half, "--iterations", "15", "--out", rest)...)
	succeed(t, append(args, "--restarts", "1", "--seed", "3", "--iterations", "30", "--out", whole)...)
	if got, want := result(t, rest), result(t, whole); got.RelativeError != want.RelativeError || got.SHA256V != want.SHA256V || got.SHA256W != want.SHA256W {
		t.Errorf("15 + 15 iterations: error %v, 30 iterations: %v", got.RelativeError, want.RelativeError)
	}
	// In place, with a recursion, and in the other precision.
	args[5], args[7] = "rnmu", "lagrangian"
	succeed(t, append(args, "--init", half, "--precision", "float32", "--iterations", "5", "--out", half)...)
	if rep := result(t, half); rep.Settings.Start != half || rep.Settings.Restarts != 1 || rep.Settings.Precision != "float32" {
		t.Errorf("%+v", rep)
	}
}

// The transpose of the transposed file is the same matrix.
func TestFactorTranspose(t *testing.T) {
	args := []string{"--rank", "3", "--iterations", "20", "--restarts", "1", "--json"}
	plain := parseReport(t, []byte(succeed(t, append([]string{"factor", swimmerFile(t, false)}, args...)...)))
	again := parseReport(t, []byte(succeed(t, append([]string{"factor", swimmerFile(t, true), "--transpose"}, args...)...)))
	if plain.RelativeError != again.RelativeError || plain.SHA256V != again.SHA256V || again.Rows != 220 || !again.Settings.Run.Transpose {
		t.Errorf("error %v, of the transpose of the transposed file %v", plain.RelativeError, again.RelativeError)
	}
}

// A large .npy file is mapped into memory; the result is that of a copy, and the
// file stays as it is.
func TestFactorMapped(t *testing.T) {
	m := dataset.Random[float64](390, 410, 5, 1)
	d := lnmu.NewDense(390, 410, m)
	dir := t.TempDir()
	mapped, copied := filepath.Join(dir, "m.npy"), filepath.Join(dir, "t.npy")
	writeMatrix(t, mapped, d)
	writeMatrix(t, copied, d.Transposed())
	for _, method := range []string{"nmf", "gnmu", "rnmu"} {
		args := []string{"--rank", "3", "--method", method, "--iterations", "5", "--restarts", "1", "--json"}
		a := parseReport(t, []byte(succeed(t, append([]string{"factor", mapped}, args...)...)))
		b := parseReport(t, []byte(succeed(t, append([]string{"factor", copied, "--transpose"}, args...)...)))
		if a.SHA256V != b.SHA256V || a.SHA256W != b.SHA256W {
			t.Errorf("%s: the mapped file gives other factors", method)
		}
	}
	must.Equal(t, factors.SHA256(must.Get(readFactor[float64](mapped))(t)), factors.SHA256(d), "the file has changed")
}

// writeMatrix writes a .npy file.
func writeMatrix(t *testing.T, path string, d lnmu.Dense[float64]) {
	t.Helper()
	must.Do(t, matiotest.WriteNpy(path, d.Rows, d.Cols, d.Data, d.Stride))
}

// entries returns a matrix whose entries, row by row, are at(0), at(1), ...
func entries(rows, cols int, at func(k int) float64) lnmu.Dense[float64] {
	d := lnmu.NewDense[float64](rows, cols, nil)
	for k := range d.Data {
		d.Data[k] = at(k)
	}
	return d
}

// A folder of images has its image size; a variable is chosen by name.
func TestFactorInputs(t *testing.T) {
	dir := t.TempDir()
	for k := range 4 {
		writeImage(t, filepath.Join(dir, fmt.Sprintf("%d.png", k)), 3, 2, uint8(60*k+20))
	}
	out := t.TempDir()
	succeed(t, "factor", dir, "--rank", "2", "--iterations", "5", "--out", out)
	if got := names(t, out); !slices.Contains(got, record.NameBasis) {
		t.Errorf("no %s: %v", record.NameBasis, got)
	}
	if rep := result(t, out); rep.Rows != 6 || rep.Cols != 4 {
		t.Errorf("%d x %d", rep.Rows, rep.Cols)
	}
	table := succeed(t, "factor", textFile(t, "m.csv", "a,b\n1,2\n3,4\n5,6\n"), "--rank", "1", "--method", "gnmu", "--transpose")
	contains(t, table, "m.csv, transposed, 2 x 3")
}

// writeImage writes a gray picture of one value, but for one black pixel.
func writeImage(t *testing.T, path string, h, w int, value uint8) {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = value
	}
	img.SetGray(int(value)%w, int(value/7)%h, color.Gray{})
	must.Do(t, func() error {
		file, err := os.Create(path)
		if err != nil {
			return err
		}
		defer file.Close()
		return png.Encode(file, img)
	}())
}

// A matrix of zeros is legal.
func TestFactorZeros(t *testing.T) {
	for _, method := range []string{"nmf", "gnmu", "rnmu"} {
		dir := t.TempDir()
		succeed(t, "factor", textFile(t, "zero.csv", "0,0,0\n0,0,0\n"), "--rank", "2", "--method", method, "--out", dir)
		if rep := result(t, dir); rep.RelativeError != 0 || rep.MaxViolation != 0 || rep.Stop != outcome.StopExact || rep.Rank != 2 {
			t.Errorf("%+v", rep)
		}
	}
}

// Blocks, the target error and the time limit reach the library.
func TestFactorEnds(t *testing.T) {
	input := swimmerFile(t, false)
	rep := parseReport(t, []byte(succeed(t, "factor", input, "--rank", "20", "--method", "rnmu", "--block", "3", "--iterations", "10", "--restarts", "1",
		"--target-error", "0.75", "--json")))
	if rep.Stop != outcome.StopTarget || rep.Rank == 20 || rep.Rank%3 != 0 || rep.Settings.Rank != 20 || rep.RelativeError > 0.75 {
		t.Errorf("%+v", rep)
	}
	table := succeed(t, "factor", input, "--rank", "20", "--method", "rnmu", "--iterations", "1000000", "--time-limit", "50ms")
	contains(t, table, string(outcome.StopTime), "rank 1 of 20")
	svd := succeed(t, "factor", input, "--rank", "3", "--iterations", "10", "--init", "svd")
	must.Equal(t, line(svd, 3), line(succeed(t, "factor", input, "--rank", "3", "--iterations", "10", "--init", "svd", "--restarts", "1"), 3), svd)
}

// line returns line i of a text.
func line(text string, i int) string { return strings.Split(text, "\n")[i] }

// R-NMU separates the parts of the swimmer: above 5 % of its maximum each basis
// image lies in one part.
func TestSwimmerParts(t *testing.T) {
	if testing.Short() {
		t.Skip("a long computation in an emulator: not with -short")
	}
	dir := t.TempDir()
	succeed(t, "factor", swimmerFile(t, false), "--rank", "8", "--method", "rnmu", "--restarts", "1", "--out", dir)
	if rep := result(t, dir); rep.RelativeError < 0.5 || rep.RelativeError > 0.515 {
		t.Errorf("relative error %v, want 0.500 to 0.515", rep.RelativeError)
	}
	v := factorIn[float64](t, dir, record.NameV)
	for k := range v.Cols {
		touched, outside := dataset.Touched(dataset.SwimmerParts(), v.Data, v.Rows, v.Stride, k, 0.05)
		if len(touched) != 1 || outside != 0 {
			t.Errorf("basis image %d touches the parts %v and %d pixels outside of all", k, touched, outside)
		}
	}
}

// The relative errors that the paper's data give. NMU_FULL asks for each method on each set, which
// takes ten times as long.
func TestRealData(t *testing.T) {
	if testing.Short() {
		t.Skip("a long computation: not with -short")
	}
	for _, c := range []struct {
		file, rank, method, restarts string
		least, most                  float64
	}{
		{"CBCL.mat", "49", "nmf", "1", 0.0805, 0.0825},
		{"CBCL.mat", "49", "gnmu", "1", 0.118, 0.128},
		{"CBCL.mat", "49", "rnmu", "1", 0.155, 0.185},
		{"Swimmer.mat", "8", "nmf", "10", 0.3798, 0.4045},
		{"Swimmer.mat", "8", "rnmu", "10", 0.500, 0.515},
	} {
		if quick := c.file == "Swimmer.mat" && c.method == "rnmu"; !quick && os.Getenv("NMU_FULL") == "" {
			continue
		}
		path := must.PaperFile(t, c.file)
		rep := parseReport(t, []byte(succeed(t, "factor", path, "--var", "X", "--rank", c.rank, "--method", c.method,
			"--restarts", c.restarts, "--seed", "1", "--json")))
		if !(rep.RelativeError >= c.least && rep.RelativeError <= c.most) {
			t.Errorf("%s %s: relative error %v, want %v to %v", c.file, c.method, rep.RelativeError, c.least, c.most)
		}
	}
}

// The table of a method whose V W need not stay below M has no violation.
func TestFactorViolationLines(t *testing.T) {
	input := textFile(t, "m.csv", "1,2,3\n2,4,7\n1,0,1\n")
	for method, args := range map[string][]string{"rnmu": nil, "gnmu": nil, "nmf": nil, "snmf": {"--penalty-v", "0.1", "--penalty-w", "0.1"}, "hoyer": {"--hoyer-v", "0.5"}} {
		d := must.Get(options.Describe(method))(t)
		out := succeed(t, append([]string{"factor", input, "--rank", "1", "--method", method, "--improve"}, args...)...)
		if strings.Contains(out, "violation") != d.Underapproximates || !strings.Contains(out, "improved") {
			t.Errorf("%s:\n%s", method, out)
		}
	}
}
