package storages

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"nmu/internal/literal"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
)

// TestStorages: a run has the same bits in every storage, with and without checkpoints, and the same
// states. It goes on from each of them in any other storage.
func TestStorages(t *testing.T) {
	ran := map[string]int{}
	t.Run("float64", func(t *testing.T) { testStorages[float64](t, ran) })
	t.Run("float32", func(t *testing.T) { testStorages[float32](t, ran) })
	for _, s := range storagesOf(true) {
		if ran[s.name] < 8 && !testing.Short() {
			t.Errorf("%d runs in %s", ran[s.name], s.name)
		}
	}
}

// testStorages counts the runs in each storage.
func testStorages[T lnmu.Float](t *testing.T, ran map[string]int) {
	scratch, revived, lowered := t.TempDir(), 0, 0
	share := 10
	if testing.Short() {
		share = 40
	} else if os.Getenv("NMU_FULL") == "" {
		share = 80 / int(unsafe.Sizeof(T(0)))
	}
	each(t, 3*int(unsafe.Sizeof(T(0))/8), share, func(at int, x problem[T], want *lnmu.Result[T]) {
		if revived += want.Revived; len(want.Blocks) > 0 && want.Blocks[0].Lowered {
			lowered++
		}
		smallChunks(t, []int{1, 3000, 1 << 20, 9000}[at%4], 2+at%3)
		save := func(states *[][]byte, from []byte) func(rank int, of *process[T]) {
			return func(rank int, of *process[T]) {
				if of.settings.Scratch = scratch; rank == 0 {
					of.settings.Checkpoint = keeping(t, states, from)
				} else if from != nil {
					of.settings.Checkpoint = &lnmu.Checkpoint{Resume: bytes.NewReader(from)}
				}
			}
		}
		var first [][]byte
		alike(t, x.name+" with checkpoints", x.found(t, memory, save(&first, nil)), want)
		all := storagesOf(x.sparse != nil)
		for k, s := range all {
			if k != at%len(all) {
				continue
			}
			name := fmt.Sprintf("%s in %s", x.name, s.name)
			var states [][]byte
			got, ok := x.taken(t, s, save(&states, nil))
			if !ok {
				continue
			}
			ran[s.name]++
			alike(t, name, got, want)
			if s.sameStates() {
				if len(states) != len(first) {
					t.Fatalf("%s: %d states, want %d", name, len(states), len(first))
				}
				for i := range states {
					if timeless(states[i]) != timeless(first[i]) {
						t.Fatalf("%s: state %d of %d is another one", name, i+1, len(first))
					}
				}
			}
			if len(states) == 0 {
				continue
			}
			if note, err := (lnmu.Checkpoint{Resume: bytes.NewReader(states[0])}).ReadNote(); err != nil || string(note) != "note" {
				t.Fatalf("%s: note %q, %v", name, note, err)
			}
			i := at % len(states)
			in := append(all, memory)[(at/2+k+i)%(len(all)+1)]
			var more [][]byte
			if got, ok := x.taken(t, in, save(&more, states[i])); ok {
				alike(t, fmt.Sprintf("%s, from state %d of %d in %s", name, i+1, len(states), in.name), got, want)
			}
		}
		if left, _ := filepath.Glob(filepath.Join(scratch, "*")); left != nil {
			t.Errorf("%s has left %v", x.name, left)
		}
	})
	if (revived == 0 || lowered == 0) && !testing.Short() {
		t.Errorf("%d factors were drawn anew, %d penalties lowered", revived, lowered)
	}
}

// TestLargeSparse: the error and the largest violation of a sparse M of more than 2^24 entries, with
// several blocks of columns, are those of V W in every storage. Where a search finds the violation,
// it is exact. Where the iterations were too few, it is a bound.
func TestLargeSparse(t *testing.T) {
	t.Run("float64", func(t *testing.T) { testLargeSparse[float64](t, 1e-9) })
	t.Run("float32", func(t *testing.T) { testLargeSparse[float32](t, 1e-4) })
}

func testLargeSparse[T lnmu.Float](t *testing.T, tolerance float64) {
	smallChunks(t, 100_000, 2)
	at := int(unsafe.Sizeof(T(0)) / 4)
	turns := lnmutest.Rotate(5, 2, at)
	for i, c := range []struct {
		rows, cols int
		method     lnmu.Method
		iterations int
		bound      bool
	}{
		{4400, 4000, lnmu.NMF{Solver: lnmu.SolverHALS}, 20, false},
		{4000, 4400, lnmu.GNMU{}, 20, false},
		{4000, 4400, lnmu.NMF{Solver: lnmu.SolverAccelerated}, 20, false},
		{4400, 4000, lnmu.NMF{Solver: lnmu.SolverHALS}, 1, true},
		{24000, 23000, lnmu.RNMU{GNMU: lnmu.GNMU{Solver: lnmu.SolverADMM}}, 1, true},
	} {
		if !turns.Takes(i, 0) {
			continue
		}
		m := scattered[T](c.rows, c.cols, 30000)
		name := fmt.Sprintf("%d x %d, %s, %d iterations", c.rows, c.cols, lnmutest.NameOf(c.method), c.iterations)
		x := problem[T]{run: run{name: name, method: c.method, rank: 3, settings: lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{Iterations: c.iterations}}}, sparse: &m}
		one := x.found(t, memory, nil)
		if c.rows < 10000 {
			squares, _, violation, norm := literal.Residual(m, one.V, one.W, 3, 1)
			if want := math.Sqrt(squares / norm); math.Abs(one.RelativeError-want) > tolerance || one.ViolationBound != c.bound || one.MaxViolation < violation-tolerance || !c.bound && one.MaxViolation > violation+tolerance {
				t.Errorf("%s: error %v, violation %v, a bound: %v; want %v and %v", name, one.RelativeError, one.MaxViolation, one.ViolationBound, want, violation)
			}
		}
		all := storagesOf(true)
		for k := range 2 {
			s := all[(at+3*k)%len(all)]
			alike(t, name+" in "+s.name, x.found(t, s, nil), one)
			at++
		}
	}
}

// TestStrips compares where a strip of a sparse M has several blocks of columns: in memory its tiles
// are taken in another order than in files.
func TestStrips(t *testing.T) {
	m, blocks := sparseOf[float64](t, 1600, 1500, 160000), sparseOf[float64](t, 1500, 3000, 90000)
	smallChunks(t, 100_000, 2)
	for i, method := range []lnmu.Method{lnmu.NMF{Solver: lnmu.SolverHALS}, lnmu.KL{}, lnmu.GNMU{}, lnmu.RNMU{Block: 45}, lnmu.NMF{Solver: lnmu.SolverAccelerated}} {
		x := problem[float64]{run: run{name: lnmutest.NameOf(method), method: method, rank: 50, settings: lnmu.Settings{Limits: lnmu.Limits{Iterations: 2}}}, sparse: &m}
		if i > 2 {
			x.sparse = &blocks
		}
		alike(t, x.name, x.found(t, storagesOf(true)[0], nil), x.found(t, memory, nil))
	}
}

// TestSideBySide: restarts that were side by side, and then one after the other, come in any order,
// in which the first need not be the first on its memory.
func TestSideBySide(t *testing.T) {
	d, c := lnmutest.Data[float64](120, 80, 5), sparseOf[float64](t, 120, 80, 2000)
	for _, x := range []problem[float64]{{dense: d}, {sparse: &c}} {
		x.run = run{name: "restarts", method: lnmu.RNMU{}, rank: 3, settings: lnmu.Settings{Limits: lnmu.Limits{Iterations: 12}, Start: lnmu.Start{Restarts: 3}}}
		want := x.found(t, memory, nil)
		resume := func(s storage, from []byte) (states [][]byte) {
			got := x.found(t, s, func(_ int, of *process[float64]) { of.settings.Checkpoint = keeping(t, &states, from) })
			alike(t, x.name, got, want)
			return states
		}
		states := resume(storagesOf(false)[3], nil)
		for i := 0; i < len(states); i += 1 + len(states)/4 {
			next := resume(memory, states[i])
			for k := 0; k < len(next); k += 1 + len(next)/8 {
				resume(memory, next[k])
			}
		}
	}
}

// TestContinueStored: Continue adds factors to a result of a matrix in files as in memory.
func TestContinueStored(t *testing.T) {
	smallChunks(t, 1, 2)
	m := sparseOf[float64](t, 1500, 60, 20000)
	s := &lnmu.Settings{Limits: lnmu.Limits{Iterations: 4}, Start: lnmu.Start{Restarts: 1, Init: lnmu.InitNested}, Threads: 2}
	for _, method := range []lnmu.Method{lnmu.RNMU{Block: 2}, lnmu.RNMU{}} {
		m = m.Transposed()
		for _, stored := range []lnmu.Matrix[float64]{&lnmutest.RowsOfCSR[float64]{CSR: m}, &lnmutest.LinesOf[float64]{Dense: m.Dense()}} {
			var whole lnmu.Matrix[float64] = m
			if _, dense := stored.(*lnmutest.LinesOf[float64]); dense {
				whole = m.Dense()
			}
			first := must.Get(lnmu.Factor(t.Context(), stored, 2, method, s))(t)
			got := must.Get(first.Continue(t.Context(), stored, 4, method, s))(t)
			want, err := lnmu.Factor(t.Context(), whole, 4, method, s)
			if err != nil || !lnmutest.SameBits(got, want) {
				t.Errorf("%T: other factors than in memory, error %v", stored, err)
			}
		}
	}
}
