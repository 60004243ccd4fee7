package files

import (
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
)

// partial reports whether a method, with its options, takes missing entries.
func partial(method lnmu.Method) bool {
	r, ok := method.(lnmu.RNMU)
	return method.Describe().Partial && !(ok && r.Priors != (lnmu.Priors{}))
}

// incompleteCases are the methods of stored matrices that take missing entries.
func incompleteCases() map[string]storedCase {
	all := storedCases()
	maps.DeleteFunc(all, func(_ string, c storedCase) bool { return !partial(c.Method) })
	all["snmf"] = storedCase{Method: lnmu.SNMF{PenaltyV: 0.1, PenaltyW: 0.1, L2V: 0.3, Solver: lnmu.SolverHALS}}
	all["snmf accelerated"] = storedCase{Method: lnmu.SNMF{PenaltyV: 0.1, PenaltyW: 0.1, L2V: 0.3}}
	all["snmf targets"] = storedCase{Method: lnmu.SNMF{SparsityV: 0.5, SparsityW: 0.5}}
	all["nmf"] = storedCase{Method: lnmu.NMF{Solver: lnmu.SolverHALS}}
	all["nmf svd"] = storedCase{Method: lnmu.NMF{}, init: lnmu.InitSVD}
	return all
}

// refuses reports whether a method does not go with a run: neither the augmented Lagrangian nor
// the l1 norm takes weights, and the divergence has no exact solver.
func refuses(method lnmu.Method, s incompleteRun) bool {
	g, _ := method.(lnmu.GNMU)
	r, _ := method.(lnmu.RNMU)
	_, divergence := method.(lnmu.KL)
	admm := g.Solver == lnmu.SolverADMM || r.Solver == lnmu.SolverADMM
	return s.weights != nil && (admm || r.Norm == lnmu.L1) || divergence && s.MissingSolver == lnmu.MissingExact
}

// pairs calls run for a method and settings of an m x n matrix that go together. In the short form
// of a test each method takes the next settings; tests of other turns run other pairs.
func pairs(m, n, turn int, run func(name, which string, c storedCase, s incompleteRun)) {
	settings, cases := incompleteSettings(m, n), incompleteCases()
	for at, name := range slices.Sorted(maps.Keys(cases)) {
		c := cases[name]
		var taken []string
		for _, which := range slices.Sorted(maps.Keys(settings)) {
			if !refuses(c.Method, settings[which]) {
				taken = append(taken, which)
			}
		}
		turns := lnmutest.Rotate(len(cases), len(taken), turn)
		for i, which := range taken {
			if turns.Takes(at, i) {
				run(name, which, c, settings[which])
			}
		}
	}
}

// formed are weights that no matrix in memory holds.
type formed struct{ rows, cols int }

func (w formed) Dims() (rows, cols int)  { return w.rows, w.cols }
func (w formed) At(i, j int) (x float64) { return float64((7*i+3*j)%11+1) / 4 }

// incompleteRun holds the settings of a run for a matrix of which entries are missing or have weights.
type incompleteRun struct {
	lnmu.Settings
	mask    *lnmu.Mask
	weights lnmu.Matrix[float64]
}

// observing returns m with what is observed of it.
func observing[T lnmu.Float](m lnmu.Matrix[T], s incompleteRun) lnmu.Matrix[T] {
	return lnmu.Observed[T]{Matrix: m, Mask: s.mask, Weights: s.weights}
}

// incompleteSettings returns settings for an m x n matrix of which entries are missing or
// have weights.
func incompleteSettings(m, n int) map[string]incompleteRun {
	k, few, exact := lnmutest.Gaps(m, n, 0.3, 2), lnmutest.Gaps(m, n, 0.05, 3), lnmu.Settings{MissingSolver: lnmu.MissingExact}
	return map[string]incompleteRun{
		"mask":       {mask: k},
		"exact":      {mask: few, Settings: exact},
		"weights":    {weights: lnmutest.WeightsOf(k, true)},
		"all weigh":  {weights: lnmutest.WeightsOf(lnmu.NewMask(m, n), true), mask: few, Settings: exact},
		"are formed": {weights: formed{m, n}, mask: k},
	}
}

// withHoles returns a copy of m with NaN and other numbers where entries are missing.
func withHoles[T lnmu.Float](m lnmu.Dense[T], s incompleteRun) lnmu.Dense[T] {
	k := lnmu.NewMask(m.Dims())
	for i := range m.Rows {
		for j := range m.Cols {
			k.Set(i, j, (s.mask == nil || s.mask.Observed(i, j)) && (s.weights == nil || s.weights.At(i, j) > 0))
		}
	}
	return lnmutest.Filled(m, k, T(math.NaN()), T(math.Inf(1)), -1, T(math.MaxFloat32))
}

// TestMissingStored: a matrix in files has the factors of one in memory, bit for bit, also
// where entries are missing or have weights, whatever the file holds there.
func TestMissingStored(t *testing.T) {
	t.Run("float64", func(t *testing.T) { testMissingStored[float64](t, [][2]int{{9000, 4}, {1, 2}}) })
	t.Run("float32", func(t *testing.T) { testMissingStored[float32](t, [][2]int{{3000, 3}}) })
}

// testMissingStored compares runs with chunks of so many bytes, in so many slots.
func testMissingStored[T lnmu.Float](t *testing.T, chunked [][2]int) {
	for i, shape := range [][2]int{{301, 11}, {11, 301}, {24, 24}} {
		if tall := i == 0; os.Getenv("NMU_FULL") == "" && (i == 2 || tall != (unsafe.Sizeof(T(0)) == 8)) {
			continue
		}
		m := lnmutest.Data[T](shape[0], shape[1], 3)
		pairs(shape[0], shape[1], i, func(name, which string, c storedCase, s incompleteRun) {
			odd := withHoles(m, s)
			s.Iterations, s.Restarts, s.Seed, s.Tolerance, s.CheckEvery, s.Threads = 4, c.restarts(2), 4, 1e-9, 2, 2
			if s.Init = c.init; i > 0 && s.Init == "" {
				s.Init = lnmu.InitNested
			}
			want, err := lnmu.Factor(t.Context(), observing[T](odd, s), 3, c.Method, &s.Settings)
			if err != nil {
				t.Fatalf("%s, %s of %v: %v", name, which, shape, err)
			}
			for k, chunks := range chunked {
				if k > 0 && os.Getenv("NMU_FULL") == "" {
					break
				}
				smallChunks(t, chunks[0], chunks[1])
				s := s
				s.Threads, s.Scratch = 1+(i+k)%4, t.TempDir()
				got, err := lnmu.Factor(t.Context(), observing[T](&lnmutest.LinesOf[T]{Dense: odd}, s), 3, c.Method, &s.Settings)
				if err != nil {
					t.Fatalf("%s, %s of %v: %v", name, which, shape, err)
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s, %s of %v with %d threads, chunks of %d bytes: error %v, want %v", name, which, shape, s.Threads, chunks[0], got.RelativeError, want.RelativeError)
				}
				if left, _ := filepath.Glob(filepath.Join(s.Scratch, "*")); left != nil {
					t.Errorf("%s has left %v", name, left)
				}
			}
		})
	}
}

// TestMissingStoredStart: a given start, and Improve, go the same way in files.
func TestMissingStoredStart(t *testing.T) {
	for _, shape := range [][2]int{{301, 9}, {9, 301}} {
		m := lnmutest.Data[float64](shape[0], shape[1], 3)
		v, w := lnmutest.RandomStart[float64](shape[0], shape[1], 3, 7)
		for which, s := range incompleteSettings(shape[0], shape[1]) {
			odd := withHoles(m, s)
			s.Iterations, s.Scratch = 4, t.TempDir()
			for name, factor := range map[string]func(m lnmu.Matrix[float64]) (*lnmu.Result[float64], error){
				"nmf": func(m lnmu.Matrix[float64]) (*lnmu.Result[float64], error) {
					return lnmu.FactorFrom(t.Context(), observing(m, s), v, w, lnmu.NMF{}, &s.Settings)
				},
				"rnmu": func(m lnmu.Matrix[float64]) (*lnmu.Result[float64], error) {
					return lnmu.FactorFrom(t.Context(), observing(m, s), v, w, lnmu.RNMU{}, &s.Settings)
				},
				"improve": func(m lnmu.Matrix[float64]) (*lnmu.Result[float64], error) {
					return lnmu.Improve(t.Context(), observing(m, s), v, w, lnmu.NMF{}, &s.Settings)
				},
			} {
				want, err := factor(odd)
				if err != nil {
					t.Fatal(err)
				}
				got, err := factor(&lnmutest.LinesOf[float64]{Dense: odd})
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("%s, %s of %v: another result, %v", name, which, shape, err)
				}
			}
		}
	}
}

// TestMissingStoredCheckpoint: the states of a run in files are those of one in memory, and
// either goes on from those of the other.
func TestMissingStoredCheckpoint(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("each state is resumed: with NMU_FULL only")
	}
	smallChunks(t, 2000, 3)
	for turn, shape := range [][2]int{{301, 5}, {5, 301}} {
		m := lnmutest.Data[float32](shape[0], shape[1], 3)
		pairs(shape[0], shape[1], 2+turn, func(name, which string, c storedCase, s incompleteRun) {
			odd := withHoles(m, s)
			inMemory, stored := lnmu.Matrix[float32](odd), lnmu.Matrix[float32](&lnmutest.LinesOf[float32]{Dense: odd})
			run := func(m lnmu.Matrix[float32], from []byte) (*lnmu.Result[float32], [][]byte) {
				var states [][]byte
				s := s
				s.Iterations, s.Init, s.Restarts, s.Threads, s.Scratch, s.Checkpoint = 3, c.init, 1, 1, t.TempDir(), collecting(t, name, &states, from)
				res, err := lnmu.Factor(t.Context(), observing(m, s), 3, c.Method, &s.Settings)
				if err != nil {
					t.Fatalf("%s, %s of %v: %v", name, which, shape, err)
				}
				return res, states
			}
			want, states := run(stored, nil)
			_, others := run(inMemory, nil)
			if len(others) != len(states) {
				t.Fatalf("%s, %s of %v has %d states, in memory %d", name, which, shape, len(states), len(others))
			}
			for i, state := range states {
				if len(state) != len(others[i]) {
					t.Fatalf("%s, %s of %v: state %d has %d bytes, in memory %d", name, which, shape, i, len(state), len(others[i]))
				}
				if os.Getenv("NMU_FULL") == "" && i != len(states)/2 {
					continue
				}
				if got, _ := run(inMemory, state); !reflect.DeepEqual(got, want) {
					t.Errorf("%s, %s of %v goes on in memory from state %d to another result", name, which, shape, i)
				}
				if got, _ := run(stored, others[i]); !reflect.DeepEqual(got, want) {
					t.Errorf("%s, %s of %v goes on in files from state %d to another result", name, which, shape, i)
				}
			}
		})
	}
}

// TestMissingStoredDegenerate: M = 0 where it is observed, a single observed entry in each
// line, a single entry, and an entry that is observed and no number.
func TestMissingStoredDegenerate(t *testing.T) {
	diagonal := lnmu.NewMask(12, 9)
	for i := range 12 {
		for j := range 9 {
			diagonal.Set(i, j, i%9 == j)
		}
	}
	for name, c := range map[string]struct {
		m    lnmu.Dense[float64]
		s    incompleteRun
		rank int
	}{
		"zero":     {lnmu.NewDense[float64](30, 4, nil), incompleteRun{mask: lnmutest.Gaps(30, 4, 0.3, 1)}, 2},
		"diagonal": {lnmutest.Data[float64](12, 9, 3), incompleteRun{mask: diagonal}, 3},
		"huge":     {lnmu.NewDense(2, 2, []float64{1e150, 2, 3e150, 4e150}), incompleteRun{mask: lnmutest.Gaps(2, 2, 0.5, 1)}, 1},
		"tiny":     {lnmu.NewDense(2, 2, []float64{1e-150, 2, 3e-150, 4e-150}), incompleteRun{weights: lnmu.NewDense(2, 2, []float64{1, 0, 2, 3})}, 1},
		"one":      {lnmu.NewDense(1, 1, []float64{3}), incompleteRun{weights: lnmu.NewDense(1, 1, []float64{2})}, 1},
	} {
		for _, method := range []lnmu.Method{lnmu.NMF{}, lnmu.RNMU{}, lnmu.GNMU{}} {
			odd := withHoles(c.m, c.s)
			c.s.Restarts, c.s.Iterations, c.s.Scratch = 1, 6, t.TempDir()
			want, err := lnmu.Factor(t.Context(), observing[float64](odd, c.s), c.rank, method, &c.s.Settings)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got, err := lnmu.Factor(t.Context(), observing[float64](&lnmutest.LinesOf[float64]{Dense: odd}, c.s), c.rank, method, &c.s.Settings)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s by %s: %+v, %v; want %+v", name, lnmutest.NameOf(method), got, err, want)
			}
		}
	}
	for _, shape := range [][2]int{{30, 4}, {4, 30}} {
		m := lnmutest.Data[float64](shape[0], shape[1], 3)
		m.Row(2)[3], m.Row(3)[1] = math.NaN(), math.NaN()
		k := lnmu.NewMask(m.Rows, m.Cols)
		k.Set(2, 3, false)
		for _, s := range []incompleteRun{{mask: k}, {weights: lnmutest.Filled(lnmutest.WeightsOf(lnmu.NewMask(m.Rows, m.Cols), true), k, 0)}} {
			_, err := lnmu.Factor(t.Context(), observing[float64](&lnmutest.LinesOf[float64]{Dense: m}, s), 2, lnmu.NMF{}, &s.Settings)
			if want := "row 4, column 2 of M = NaN is not finite; remove or impute it"; err == nil || err.Error() != want {
				t.Errorf("%v: error %v, want %s", shape, err, want)
			}
		}
	}
}

// TestMissingStoredProgress: the errors that are shown on the way are those of the observed
// entries, or 1 as long as nothing was measured: the sums of a pass do not lead to them.
func TestMissingStoredProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, measured := lnmutest.Data[float64](300, 6, 3), 0
		shown := map[float64]bool{}
		s := &lnmu.Settings{Iterations: 60, Restarts: 1, Threads: 1, Record: true, CheckEvery: 1, Progress: func(p lnmu.Progress) { shown[p.RelativeError] = true }}
		res, err := lnmu.Factor(t.Context(), lnmu.Observed[float64]{Matrix: &lnmutest.LinesOf[float64]{Dense: m, Delay: time.Second}, Mask: lnmutest.Gaps(300, 6, 0.3, 1)}, 2, lnmu.NMF{Solver: lnmu.SolverHALS}, s)
		if err != nil {
			t.Fatal(err)
		}
		for x := range shown {
			if x != 1 && !slices.Contains(res.Blocks[0].History, x) {
				t.Errorf("an error %v, which no iteration has", x)
			}
			if x < 1 {
				measured++
			}
		}
		if measured < 2 {
			t.Errorf("%d errors were measured", measured)
		}
	})
}

// TestMissingStoredTimeLimit: the accelerated solver, which reads M for the error in every
// iteration, ends within the time limit, wherever that comes.
func TestMissingStoredTimeLimit(t *testing.T) {
	m, k := lnmutest.Data[float64](1200, 9, 3), lnmutest.Gaps(1200, 9, 0.3, 1)
	for limit := 60 * time.Second; limit < 90*time.Second; limit += time.Second {
		synctest.Test(t, func(t *testing.T) {
			r := &lnmutest.LinesOf[float64]{Dense: m, Delay: time.Second}
			s := &lnmu.Settings{Iterations: 1e9, Restarts: 1, Threads: 1, TimeLimit: limit}
			begun := time.Now()
			res, err := lnmu.Factor(t.Context(), lnmu.Observed[float64]{Matrix: r, Mask: k}, 3, lnmu.NMF{}, s)
			if took := time.Since(begun); err != nil || res.Stop != lnmu.StopTime || took > limit || took < limit/2 {
				t.Errorf("%v: %v of %v", err, took, limit)
			}
		})
	}
}

// TestEstimateIncomplete: what is missing, weights and Gram matrices of lines take memory,
// and the accelerated solver reads M for the error.
func TestEstimateIncomplete(t *testing.T) {
	for _, shape := range [][2]int{{5000, 400}, {400, 5000}} {
		m := &lnmutest.LinesOf[float32]{Dense: lnmu.NewDense[float32](shape[0], shape[1], nil)}
		last := lnmu.Estimate{}
		for _, c := range []incompleteRun{
			{},
			{mask: lnmutest.Gaps(shape[0], shape[1], 0.1, 1)},
			{mask: lnmutest.Gaps(shape[0], shape[1], 0.1, 1), weights: formed{shape[0], shape[1]}, Settings: lnmu.Settings{MissingSolver: lnmu.MissingMajorize}},
			{mask: lnmutest.Gaps(shape[0], shape[1], 0.1, 1), weights: formed{shape[0], shape[1]}, Settings: lnmu.Settings{MissingSolver: lnmu.MissingExact}},
		} {
			c.Threads = 2
			method, s, err := lnmu.WithDefaults(observing[float32](m, c), 8, lnmu.NMF{Solver: lnmu.SolverAccelerated}, &c.Settings)
			if err != nil {
				t.Fatal(err)
			}
			e, err := lnmu.EstimateOf(observing[float32](m, c), 8, method, s)
			equal := c.MissingSolver == lnmu.MissingExact // where the norm by the weights takes more than either run
			if err != nil || e.Memory < last.Memory || e.Memory == last.Memory && !equal {
				t.Errorf("%v: %+v, %v, before %+v", shape, e, err, last)
			}
			reads := int64(shape[0] * shape[1] * 4)
			if c.mask != nil {
				reads *= 2
			}
			if e.Reads != reads {
				t.Errorf("%v: an iteration reads %d bytes, want %d", shape, e.Reads, reads)
			}
			last = e
		}
	}
}
