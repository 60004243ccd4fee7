package storages

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"reflect"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
)

// fuzzedCases are runs whose states differ in what they hold.
var fuzzedCases = []broken{
	{name: "nmf", method: lnmu.NMF{Solver: lnmu.SolverHALS}, settings: lnmu.Settings{Start: lnmu.Start{Restarts: 2}}},
	{name: "accelerated", method: lnmu.NMF{Solver: lnmu.SolverAccelerated}},
	{name: "gnmu", method: lnmu.GNMU{}},
	{name: "gnmu admm", method: lnmu.GNMU{Solver: lnmu.SolverADMM}},
	{name: "blocks", method: lnmu.RNMU{Block: 2}, settings: lnmu.Settings{Start: lnmu.Start{Restarts: 2}, Limits: lnmu.Limits{Tolerance: 1e-9, CheckEvery: 1}}},
	{name: "blocks l1", method: lnmu.RNMU{Norm: lnmu.L1}},
	{name: "feasible", method: lnmu.RNMU{GNMU: lnmu.GNMU{Feasible: lnmu.FeasibleEach}}},
	{name: "adaptive", method: lnmu.SNMF{SparsityV: 0.5}},
	{name: "hoyer", method: lnmu.Hoyer{HoyerV: 0.5}},
	{name: "missing", method: lnmu.GNMU{}, missing: true},
	{name: "sparse", method: lnmu.GNMU{}, sparse: true},
	{name: "sparse blocks", method: lnmu.RNMU{}, sparse: true},
	{name: "race", method: lnmu.NMF{}, settings: lnmu.Settings{Start: lnmu.Start{Restarts: 4}, Limits: lnmu.Limits{Iterations: 31}}},
}

// FuzzCheckpoint resumes from states that are changed and have a checksum that fits, so that
// what reads them is on its own. Each run ends with an error about the state, or with factors
// as any run has them, which do not depend on the number of threads, and takes no more memory
// than that.
func FuzzCheckpoint(f *testing.F) {
	heads := make([][]byte, len(fuzzedCases)) // of the states: up to what must be that of the run
	for i, c := range fuzzedCases {
		for _, threads := range []int{1, 3} {
			var states [][]byte
			save := &lnmu.Checkpoint{Note: []byte("note"), Save: func(state io.WriterTo) {
				var b bytes.Buffer
				must.Get(state.WriteTo(&b))(f)
				states = append(states, b.Bytes())
			}}
			if _, err := factor[float64](f.Context(), c, 9, 7, threads, save); err != nil || len(states) == 0 {
				f.Fatalf("%s: %d states, %v", c.name, len(states), err)
			}
			for _, state := range [][]byte{states[0], states[len(states)-1]} {
				end := headEnd(f, state)
				heads[i] = state[:end]
				f.Add(byte(i), state[end:len(state)-sha256.Size])
			}
		}
	}
	f.Add(byte(len(fuzzedCases)), heads[0])
	f.Fuzz(func(t *testing.T, which byte, rest []byte) {
		c, state := fuzzedCases[0], rest
		if int(which) < len(fuzzedCases) {
			c, state = fuzzedCases[which], append(bytes.Clone(heads[which]), rest...)
		}
		sum := sha256.Sum256(state)
		state = append(bytes.Clone(state), sum[:]...)
		resume := func(threads int) (*lnmu.Result[float64], error) {
			return factor[float64](t.Context(), c, 9, 7, threads, &lnmu.Checkpoint{Resume: bytes.NewReader(state)})
		}
		var res *lnmu.Result[float64]
		var err error
		allocates(t, c.name, 16<<20, func() { res, err = resume(1) })
		if _, bad := (lnmu.Checkpoint{Resume: bytes.NewReader(state)}).ReadNote(); bad != nil && (err == nil || !errors.Is(bad, lnmu.ErrCheckpoint)) {
			t.Errorf("%s: the note: %v", c.name, bad)
		}
		switch {
		case err == nil:
			checkResumed(t, c, res)
		case res != nil || !errors.Is(err, lnmu.ErrCheckpoint) && !errors.Is(err, lnmu.ErrValue):
			t.Fatalf("%s: %v, %v", c.name, res, err)
		}
		if again, other := resume(3); (err == nil) != (other == nil) || err == nil && !reflect.DeepEqual(res, again) {
			t.Errorf("%s: with 3 threads %v, %v, with one %v, %v", c.name, again, other, res, err)
		}
	})
}

// headEnd returns where what a state must have in common with its run ends.
func headEnd(f *testing.F, state []byte) int {
	const run = "\x03runt" // the name of the part and its kind
	at := bytes.Index(state, []byte(run))
	if at < 0 {
		f.Fatal("a state does not say of which run it is")
	}
	at += len(run)
	return at + 8 + int(binary.LittleEndian.Uint64(state[at:]))
}

// checkResumed checks what any result keeps to.
func checkResumed(t *testing.T, c broken, res *lnmu.Result[float64]) {
	t.Helper()
	if res.V.Rows != 9 || res.W.Cols != 7 || res.V.Cols != res.W.Rows || res.V.Cols > 3 {
		t.Errorf("%s: V is %d x %d, W %d x %d", c.name, res.V.Rows, res.V.Cols, res.W.Rows, res.W.Cols)
	}
	for _, d := range []lnmu.Dense[float64]{res.V, res.W} {
		for i := range d.Rows {
			for _, x := range d.Row(i) {
				if !(x >= 0) || math.IsInf(x, 0) {
					t.Fatalf("%s: a factor has %v", c.name, x)
				}
			}
		}
	}
	for _, x := range []float64{res.RelativeError, res.MaxViolation, res.RelativeViolation} {
		if !(x >= 0) || math.IsInf(x, 0) {
			t.Errorf("%s: error %v, violations %v and %v", c.name, res.RelativeError, res.MaxViolation, res.RelativeViolation)
		}
	}
}
