// Package files tests that a matrix in files has the results of one in memory, bit for bit, and that
// errors and limits end such a run.
package files

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"nmu/internal/direct"
	"nmu/internal/leak"
	"nmu/lnmu"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/lnmutest"
)

// storedCase is a method for a stored matrix, with its start.
type storedCase struct {
	lnmu.Method
	init     lnmu.Init
	observed *lnmu.Mask // of a matrix that is not complete
}

// storedCases are methods with what a stored matrix has of their options.
func storedCases() map[string]storedCase {
	return map[string]storedCase{
		"nmf":         {lnmu.NMF{}, "", nil},
		"accelerated": {lnmu.NMF{Solver: lnmu.SolverAccelerated}, "", nil},
		"kl":          {lnmu.KL{PenaltyV: 0.1, PenaltyW: 0.2, L2V: 0.3}, "", nil},
		"coordinate":  {lnmu.KL{PenaltyV: 0.1, L2W: 0.2, Solver: lnmu.SolverCoordinate}, lnmu.InitSVD, nil},
		"snmf":        {lnmu.SNMF{SparsityV: 0.5, SparsityW: 0.6}, "", nil},
		"hoyer":       {lnmu.Hoyer{SparsenessV: 0.5, SparsenessW: 0.4}, "", nil},
		"hoyer, V":    {lnmu.Hoyer{SparsenessV: 0.5}, lnmu.InitSVD, nil},
		"gnmu":        {lnmu.GNMU{}, "", nil},
		"gnmu start":  {lnmu.GNMU{Lagrangian: lnmu.Lagrangian{Multipliers: lnmu.MultipliersStart, Sweeps: 2}}, "", nil},
		"gnmu svd":    {lnmu.GNMU{}, lnmu.InitSVD, nil},
		"gnmu halved": {lnmu.GNMU{Lagrangian: lnmu.Lagrangian{StepLength: func(k int) float64 { return []float64{1, .5, 1e9, .1, .1, .1, .1, .1}[k%8] }}}, "", nil},
		"gnmu exact":  {lnmu.GNMU{Lagrangian: lnmu.Lagrangian{Feasible: lnmu.FeasibleFinal, ExactSteps: 3}}, "", nil},
		"rnmu":        {lnmu.RNMU{}, "", nil},
		"rnmu l1":     {lnmu.RNMU{Norm: lnmu.L1, Lagrangian: lnmu.Lagrangian{Multipliers: lnmu.MultipliersStart}}, "", nil},
		"rnmu priors": {lnmu.RNMU{Priors: lnmu.Priors{PenaltyV: 0.1, SparsityW: 0.5}}, "", nil},
		"rnmu svd":    {lnmu.RNMU{Priors: lnmu.Priors{SparsityV: 0.4, PenaltyW: 0.2}}, lnmu.InitSVD, nil},
		"rnmu exact":  {lnmu.RNMU{Lagrangian: lnmu.Lagrangian{Feasible: lnmu.FeasibleEach, ExactSteps: 2}}, "", nil},
		"blocks":      {lnmu.RNMU{Block: 2}, "", nil},
		"admm 1":      {lnmutest.AugmentedOf(1, 4, 1), "", nil},
		"admm 2":      {lnmutest.AugmentedOf(2, 1, 3), "", nil},
		"admm":        {lnmutest.AugmentedOf(0, 4, 2), "", nil},
	}
}

// restarts returns the number of restarts of a case, if it may have so many.
func (c storedCase) restarts(n int) int {
	if c.init == lnmu.InitSVD {
		return 1
	}
	return n
}

// of returns m with what is observed of it.
func (c storedCase) of(m lnmu.Matrix[float64]) lnmu.Matrix[float64] {
	return lnmu.Observed[float64]{Matrix: m, Mask: c.observed}
}

// maskedCases are those of storedCases for an m x n matrix, complete and with missing entries. In
// the short form of a test every other method has missing entries instead.
func maskedCases(m, n int) map[string]storedCase {
	all, cases := map[string]storedCase{}, storedCases()
	turns := lnmutest.Rotate(len(cases), 2, 0)
	for i, name := range slices.Sorted(maps.Keys(cases)) {
		c := cases[name]
		masked := partial(c.Method)
		if !masked || turns.Takes(i, 0) {
			all[name] = c
		}
		if masked && turns.Takes(i, 1) {
			c.observed = lnmutest.Gaps(m, n, 0.3, 1)
			all[name+", missing"] = c
		}
	}
	return all
}

// smallChunks lets the stores of a test have chunks of at most so many bytes.
func smallChunks(t *testing.T, bytes, slots int) {
	oldBytes, oldSlots := block.ChunkBytes, block.SlotsOfEach
	block.ChunkBytes, block.SlotsOfEach = bytes, slots
	t.Cleanup(func() { block.ChunkBytes, block.SlotsOfEach = oldBytes, oldSlots })
}

// TestStored: a matrix that stays where it is has the factors of one in memory, bit for
// bit, whatever the chunks and threads.
func TestStored(t *testing.T) {
	t.Run("float32", testStored[float32])
	t.Run("float64", testStored[float64])
}

func testStored[T lnmu.Float](t *testing.T) {
	cases := storedCases()
	shapes := [][2]int{{601, 37}, {37, 601}, {40, 40}, {1300, 3}} // the last one has slabs of two blocks
	turns := lnmutest.Rotate(len(cases), len(shapes), int(unsafe.Sizeof(T(0))/4))
	for at, name := range slices.Sorted(maps.Keys(cases)) {
		c := cases[name]
		for i, shape := range shapes {
			if !turns.Takes(at, i) {
				continue
			}
			m := lnmutest.Data[T](shape[0], shape[1], 3)
			s := &lnmu.Settings{Iterations: 8, Init: c.init, Restarts: c.restarts(2), Seed: 4, Tolerance: 1e-9, CheckEvery: 3, Threads: 2}
			want, err := lnmu.Factor(t.Context(), m, 3, c.Method, s)
			if err != nil {
				t.Fatal(err)
			}
			for k, chunks := range [][2]int{{1200 >> i, 2}, {9000, 4}} {
				if os.Getenv("NMU_FULL") == "" && (i+k)%2 > 0 {
					continue
				}
				smallChunks(t, chunks[0], chunks[1])
				s := *s
				s.Threads, s.Scratch = 1+(i+k)%4, t.TempDir()
				got, err := lnmu.Factor(t.Context(), &lnmutest.LinesOf[T]{Dense: m}, 3, c.Method, &s)
				if err != nil {
					t.Fatalf("%s of %v: %v", name, shape, err)
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s of %v with %d threads, chunks of %d bytes in %d slots: got error %v, want %v", name, shape, s.Threads, chunks[0], chunks[1], got.RelativeError, want.RelativeError)
				}
				if left, _ := filepath.Glob(filepath.Join(s.Scratch, "*")); left != nil {
					t.Errorf("%s has left %v", name, left)
				}
			}
		}
	}
}

// TestStoredCheckpoint: the states of a run on a stored matrix are those of one in memory,
// and either goes on from those of the other.
func TestStoredCheckpoint(t *testing.T) {
	smallChunks(t, 4000, 3)
	cases := storedCases()
	turns := lnmutest.Rotate(len(cases), 4, 0)
	for at, name := range slices.Sorted(maps.Keys(cases)) {
		c := cases[name]
		for i, shape := range [][2]int{{301, 9}, {9, 301}} {
			if !turns.Takes(at, i) {
				continue
			}
			m := lnmutest.Data[float32](shape[0], shape[1], 3)
			inMemory, stored := lnmu.Matrix[float32](m), lnmu.Matrix[float32](&lnmutest.LinesOf[float32]{Dense: m})
			run := func(m lnmu.Matrix[float32], from []byte) (*lnmu.Result[float32], [][]byte) {
				var states [][]byte
				point := collecting(t, name, &states, from)
				s := &lnmu.Settings{Iterations: 5, Init: c.init, Restarts: 1, Threads: 1, Checkpoint: point, Scratch: t.TempDir()}
				res, err := lnmu.Factor(t.Context(), m, 3, c.Method, s)
				if err != nil {
					t.Fatalf("%s of %v: %v", name, shape, err)
				}
				return res, states
			}
			want, states := run(stored, nil)
			for i, state := range states {
				if i%3 != 1 {
					continue
				}
				for _, m := range []lnmu.Matrix[float32]{inMemory, stored} {
					if got, _ := run(m, state); !lnmutest.SameBits(got, want) || got.RelativeError != want.RelativeError {
						t.Errorf("%s of %v goes on from state %d to another result", name, shape, i)
					}
				}
			}
			if _, others := run(inMemory, nil); len(others) != len(states) {
				t.Errorf("%s of %v has %d states, in memory %d", name, shape, len(states), len(others))
			} else if got, _ := run(stored, others[len(others)/2]); !lnmutest.SameBits(got, want) {
				t.Errorf("%s of %v goes on from a state in memory to another result", name, shape)
			}
		}
	}
}

// collecting returns a checkpoint that goes on from a state, if there is one, and adds
// those of a run to states.
func collecting(t *testing.T, name string, states *[][]byte, from []byte) *lnmu.Checkpoint {
	c := &lnmu.Checkpoint{Save: func(state io.WriterTo) {
		var b bytes.Buffer
		if _, err := state.WriteTo(&b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		*states = append(*states, b.Bytes())
	}}
	if from != nil {
		c.Resume = bytes.NewReader(from)
	}
	return c
}

// TestStoredFaults: an error of the disk, wherever it comes, is that of the run.
func TestStoredFaults(t *testing.T) {
	leak.Check(t)
	smallChunks(t, 4000, 2)
	m := lnmutest.Data[float64](600, 9, 3)
	cases := maskedCases(600, 9)
	turns := lnmutest.Rotate(len(cases), 2, 0)
	for at, name := range slices.Sorted(maps.Keys(cases)) {
		c := cases[name]
		if !turns.Takes(at, 0) {
			continue
		}
		run := func(r lnmu.Stored[float64]) error {
			res, err := lnmu.Factor(t.Context(), c.of(r), 3, c.Method, &lnmu.Settings{Iterations: 3, Init: c.init, Restarts: c.restarts(2), Threads: 2, Scratch: t.TempDir()})
			if err != nil && res != nil {
				t.Errorf("%s: a result beside the error %v", name, err)
			}
			return err
		}
		with := func(f *faulty) error {
			old := block.NewScratch
			defer func() { block.NewScratch = old }()
			block.NewScratch = f.open
			return run(&lnmutest.LinesOf[float64]{Dense: m})
		}
		whole := &lnmutest.LinesOf[float64]{Dense: m}
		if err := run(whole); err != nil {
			t.Fatal(err)
		}
		all := whole.Reads.Load()
		points := int64(2)
		if os.Getenv("NMU_FULL") != "" {
			points = 7
		}
		for k := int64(1); k < all-4; k += 1 + all/points { // what is read ahead may not be needed
			r := &lnmutest.LinesOf[float64]{Dense: m}
			r.ErrAfter.Store(k)
			if err := run(r); !errors.Is(err, lnmutest.ErrReader) {
				t.Errorf("%s: after %d reads of %d: %v", name, k, all, err)
			}
		}
		if !c.Describe().Underapproximates {
			continue
		}
		sound := &faulty{}
		if err := with(sound); err != nil {
			t.Fatal(err)
		}
		writes, reads := sound.written.Load(), sound.read.Load()
		for _, f := range []*faulty{{writes: 1}, {writes: writes / 2}, {reads: 1}, {reads: reads / 2}, {none: true}} {
			err := with(f)
			if !errors.Is(err, errScratch) || f.closed.Load() != f.opened.Load() {
				t.Errorf("%s with %d writes, %d reads: %v, and %d of %d files closed", name, f.writes, f.reads, err, f.closed.Load(), f.opened.Load())
			}
		}
	}
	short := shortLines{&lnmutest.LinesOf[float64]{Dense: m}}
	if _, err := lnmu.Factor(t.Context(), short, 2, lnmu.NMF{}, nil); !errors.Is(err, lnmu.ErrShape) {
		t.Errorf("a reader that reads too little: %v", err)
	}
	s := &lnmu.Settings{Scratch: filepath.Join(t.TempDir(), "none")}
	if _, err := lnmu.Factor(t.Context(), &lnmutest.LinesOf[float64]{Dense: m}, 2, lnmu.GNMU{}, s); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder for scratch files: %v", err)
	}
}

var errScratch = errors.New("no space left on device")

// faulty makes scratch files that fail after so many writes or reads, if that is not 0,
// or none.
type faulty struct {
	writes, reads  int64
	none           bool
	written, read  atomic.Int64
	opened, closed atomic.Int64
}

type faultyFile struct {
	block.File
	*faulty
}

func (f *faulty) open(dir string, size int64) (block.File, error) {
	if f.none {
		return nil, errScratch
	}
	file, err := direct.Scratch(dir, size)
	f.opened.Add(1)
	return faultyFile{file, f}, err
}

func (f faultyFile) WriteAt(p []byte, offset int64) error {
	if n := f.written.Add(1); f.writes > 0 && n > f.writes {
		return errScratch
	}
	return f.File.WriteAt(p, offset)
}

func (f faultyFile) ReadAt(p []byte, offset int64) (int, error) {
	if n := f.read.Add(1); f.reads > 0 && n > f.reads {
		return 0, errScratch
	}
	return f.File.ReadAt(p, offset)
}

func (f faultyFile) Close() error {
	f.closed.Add(1)
	return f.File.Close()
}

// shortLines reads too little.
type shortLines struct{ *lnmutest.LinesOf[float64] }

func (r shortLines) ReadLines(room []float64, first, last int) ([]float64, error) {
	return r.LinesOf.ReadLines(room, first, last-1)
}

// TestStoredLimits: a run on a stored matrix ends soon after it was cancelled, within a
// pass too, and M is read once more at most, for the error of the result.
func TestStoredLimits(t *testing.T) {
	leak.Check(t)
	smallChunks(t, 1000, 2)
	rows, points := 400, int64(3)
	if os.Getenv("NMU_FULL") != "" {
		rows, points = 1200, 11
	}
	m := lnmutest.Data[float64](rows, 9, 3)
	for name, c := range maskedCases(rows, 9) {
		s := &lnmu.Settings{Iterations: 3, Init: c.init, Restarts: 1, Threads: 2, Scratch: t.TempDir()}
		ctx := lnmutest.NewCountdown(math.MaxInt64)
		if _, err := lnmu.Factor(ctx, c.of(&lnmutest.LinesOf[float64]{Dense: m}), 3, c.Method, s); err != nil {
			t.Fatal(err)
		}
		all := ctx.Asked.Load()
		for k := int64(1); k < all; k += 1 + all/points {
			r := &lnmutest.LinesOf[float64]{Dense: m}
			ctx := lnmutest.NewCountdown(k)
			var before atomic.Int64
			watched := watchedLines{r, func() {
				if ctx.Asked.Load() <= k {
					before.Store(r.Reads.Load())
				}
			}}
			res, err := lnmu.Factor(ctx, c.of(watched), 3, c.Method, s)
			if !errors.Is(err, context.Canceled) || res == nil || res.Stop != lnmu.StopCancelled {
				t.Fatalf("%s cancelled at %d of %d: %v, %v", name, k, all, res != nil, err)
			}
			if after, most := r.Reads.Load()-before.Load(), int64(rows/8+8); after > most {
				t.Errorf("%s cancelled at %d of %d: %d reads after that, want at most %d", name, k, all, after, most)
			}
		}
		slow := &lnmutest.LinesOf[float64]{Dense: m, Delay: 200 * time.Microsecond}
		s.TimeLimit, s.Iterations = 20*time.Millisecond, 1e9
		begun := time.Now()
		res, err := lnmu.Factor(t.Context(), c.of(slow), 3, c.Method, s)
		if err != nil {
			t.Fatalf("%s with a time limit: %v", name, err)
		}
		if res.Stop != lnmu.StopTime || time.Since(begun) > 20*time.Second {
			t.Errorf("%s with a time limit: %v, %v after %v", name, res.Stop, err, time.Since(begun))
		}
		s.TimeLimit = 1
		if res, err := lnmu.Factor(t.Context(), c.of(slow), 3, c.Method, s); err != nil || res.Stop != lnmu.StopTime || res.V.Cols != 0 {
			t.Errorf("%s without time: %v, %v, %d factors", name, res.Stop, err, res.V.Cols)
		}
	}
}

// TestStoredTimeLimit: the result of a stored matrix is measured within the time limit. All
// time passes in reads, which all take the same.
func TestStoredTimeLimit(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("it waits for limits of time: with NMU_FULL only")
	}
	smallChunks(t, 1000, 2)
	m := lnmutest.Data[float64](400, 9, 3)
	for name, c := range maskedCases(400, 9) {
		synctest.Test(t, func(t *testing.T) {
			r := &lnmutest.LinesOf[float64]{Dense: m, Delay: time.Second}
			s := &lnmu.Settings{Iterations: 1e9, Init: c.init, Restarts: 1, Threads: 1, TimeLimit: 4 * time.Minute, Scratch: t.TempDir()}
			begun := time.Now()
			res, err := lnmu.Factor(t.Context(), c.of(r), 3, c.Method, s)
			if err != nil || res.Stop != lnmu.StopTime {
				t.Fatalf("%s: %v, ended by %s", name, err, res.Stop)
			}
			if took := time.Since(begun); took > s.TimeLimit || took < s.TimeLimit/2 {
				t.Errorf("%s: %v of %v", name, took, s.TimeLimit)
			}
		})
	}
}

// TestStoredExactTimeLimit: a time limit that is reached within the exact steps, or between
// them, is kept, and leaves the factors feasible or as they were.
func TestStoredExactTimeLimit(t *testing.T) {
	smallChunks(t, 6000, 2) // about a block of every pass, so that all passes have as many reads
	m := lnmutest.Data[float64](1200, 9, 3)
	for _, l := range []lnmu.Lagrangian{{Feasible: lnmu.FeasibleFinal, ExactSteps: 3}, {Feasible: lnmu.FeasibleEach, ExactSteps: 3}} {
		run := func(limit time.Duration) (res *lnmu.Result[float64], took time.Duration) {
			synctest.Test(t, func(t *testing.T) {
				r := &lnmutest.LinesOf[float64]{Dense: m, Delay: time.Second}
				s := &lnmu.Settings{Iterations: 2, Restarts: 1, Threads: 1, TimeLimit: limit, Scratch: t.TempDir()}
				begun := time.Now()
				var err error
				if res, err = lnmu.Factor(t.Context(), r, 3, lnmu.GNMU{Lagrangian: l}, s); err != nil {
					t.Fatal(err)
				}
				took = time.Since(begun)
			})
			return res, took
		}
		whole, all := run(0)
		cut := 0
		for part := 30; part <= 100; part += 5 {
			limit := all * time.Duration(part) / 100
			res, took := run(limit)
			if took > limit {
				t.Errorf("%s: %v of %v", l.Feasible, took, limit)
			}
			if steps := res.Blocks[0].Exact; res.Stop == lnmu.StopTime && steps != nil && len(steps) < len(whole.Blocks[0].Exact) {
				cut++
			}
			if res.MaxViolation > 0 && res.Blocks[0].Exact != nil {
				t.Errorf("%s within %v: exceeded by %v after %d exact steps", l.Feasible, limit, res.MaxViolation, len(res.Blocks[0].Exact))
			}
		}
		if cut == 0 {
			t.Errorf("%s: no limit came between two exact steps of %d", l.Feasible, len(whole.Blocks[0].Exact))
		}
	}
}

// watchedLines calls before before each read.
type watchedLines struct {
	*lnmutest.LinesOf[float64]
	before func()
}

func (r watchedLines) ReadLines(room []float64, first, last int) ([]float64, error) {
	r.before()
	return r.LinesOf.ReadLines(room, first, last)
}

// countedLines counts the bytes that are read.
type countedLines struct {
	*lnmutest.LinesOf[float64]
	bytes *atomic.Int64
}

func (r countedLines) ReadLines(room []float64, first, last int) ([]float64, error) {
	lines, err := r.LinesOf.ReadLines(room, first, last)
	r.bytes.Add(8 * int64(len(lines)))
	return lines, err
}

// TestStoredEstimate: an iteration reads and writes what is said of it.
func TestStoredEstimate(t *testing.T) {
	smallChunks(t, 8000, 2) // and panels of 12 columns, in 7 passes
	for _, shape := range [][2]int{{10240, 80}, {80, 10240}} {
		m := lnmutest.Data[float64](shape[0], shape[1], 3)
		for name, c := range map[string]struct {
			method lnmu.Method
			rank   int
		}{
			"nmf": {lnmu.NMF{}, 3}, "gnmu": {lnmu.GNMU{}, 3}, "hoyer": {lnmu.Hoyer{SparsenessV: 0.5}, 3}, "priors": {lnmu.RNMU{Priors: lnmu.Priors{PenaltyV: 0.1, PenaltyW: 0.1}}, 1},
			"l1": {lnmu.RNMU{Norm: lnmu.L1}, 1}, "admm": {lnmu.GNMU{Lagrangian: lnmu.Lagrangian{Solver: lnmu.SolverADMM, ResidualTolerance: 1e-9}}, 1},
		} {
			if os.Getenv("NMU_FULL") == "" && (shape[0] < shape[1]) == (name == "gnmu" || name == "hoyer" || name == "nmf") {
				continue
			}
			var moved traffic
			old := block.NewScratch
			block.NewScratch = moved.open
			run := func(iterations int) (int64, int64) {
				moved.read.Store(0)
				moved.written.Store(0)
				s := &lnmu.Settings{Iterations: iterations, Restarts: 1, Threads: 1, Scratch: t.TempDir()}
				if _, err := lnmu.Factor(t.Context(), countedLines{&lnmutest.LinesOf[float64]{Dense: m}, &moved.read}, c.rank, c.method, s); err != nil {
					t.Fatal(err)
				}
				return moved.read.Load(), moved.written.Load()
			}
			r1, w1 := run(1)
			r2, w2 := run(3)
			block.NewScratch = old
			method, s, err := lnmu.WithDefaults(m, c.rank, c.method, &lnmu.Settings{Restarts: 1, Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			needs, err := lnmu.EstimateOf(&lnmutest.LinesOf[float64]{Dense: m}, c.rank, method, s)
			if err != nil {
				t.Fatal(err)
			}
			for what, x := range map[string][2]float64{
				"reads": {float64(r2-r1) / 2, float64(needs.Reads)}, "writes": {float64(w2-w1) / 2, float64(needs.Writes)},
			} {
				if ratio := x[0] / x[1]; x[0] != x[1] && !(ratio >= 0.95 && ratio <= 1.1) {
					t.Errorf("%s of %v %s %.0f, said to be %.0f", name, shape, what, x[0], x[1])
				}
			}
		}
	}
}
