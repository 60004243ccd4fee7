package processes

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"nmu/internal/direct"
	"nmu/internal/leak"
	"nmu/internal/together"
	"nmu/lnmu"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/lnmutest"
)

// partLines reads the lines of a part of a matrix from memory. It fails after so many reads
// if that is not 0.
type partLines[T lnmu.Float] struct {
	lnmu.Dense[T]
	columns         bool // the lines are columns
	reads, errAfter atomic.Int64
	delay           time.Duration
}

var errFire = errors.New("the disk is on fire")

func (r *partLines[T]) width() int {
	if r.columns {
		return r.Rows
	}
	return r.Cols
}

func (r *partLines[T]) Room(lines int) int { return lines*r.width() + 3 }

func (r *partLines[T]) ReadLines(room []T, first, last int) ([]T, error) {
	if n, most := r.reads.Add(1), r.errAfter.Load(); most > 0 && n > most {
		return nil, errFire
	}
	time.Sleep(r.delay)
	lines := room[first%4:][:0] // anywhere
	for i := first; i < last; i++ {
		if !r.columns {
			lines = append(lines, r.Row(i)...)
			continue
		}
		for k := range r.Rows {
			lines = append(lines, r.At(k, i))
		}
	}
	return lines, nil
}

// shareStored is share of a matrix whose parts are not in memory.
func shareStored[T lnmu.Float](m lnmu.Dense[T], p lnmu.Processes) (*partLines[T], lnmu.Part[T]) {
	part, of := &partLines[T]{Dense: lines(m, p), columns: m.Cols > m.Rows}, share(m, p)
	of.Matrix = part
	return part, of
}

// fewBytes lets the chunks of a test have at most so many bytes.
func fewBytes(t *testing.T, bytes int) {
	old := block.ChunkBytes
	block.ChunkBytes = bytes
	t.Cleanup(func() { block.ChunkBytes = old })
}

// TestStoredProcesses: any number of processes, of which each has its part of M in files, find
// what one finds with M in memory.
func TestStoredProcesses(t *testing.T) {
	sizes := []int{2, 3, 5}
	if os.Getenv("NMU_FULL") == "" {
		sizes = sizes[2:]
	}
	t.Run("float64", func(t *testing.T) { testStoredProcesses[float64](t, sizes...) })
	t.Run("float32", func(t *testing.T) { testStoredProcesses[float32](t, 3) })
}

func testStoredProcesses[T lnmu.Float](t *testing.T, sizes ...int) {
	shapes := [][2]int{{1500, 7}, {9, 800}, {700, 20}, {5, 3}}
	turns := lnmutest.Rotate(len(runs), len(shapes), int(unsafe.Sizeof(T(0))/4))
	for i, shape := range shapes {
		fewBytes(t, []int{1, 3000, 1 << 20}[i%3])
		m := positive[T](shape[0], shape[1], 3)
		for at, c := range runs {
			if !turns.Takes(at, i) {
				continue
			}
			c.settings.Restarts = cmp.Or(c.settings.Restarts, 1)
			whole, err := lnmu.Factor(t.Context(), m, c.rank, c.method, &c.settings)
			if err != nil {
				t.Fatal(err)
			}
			for _, size := range sizes {
				scratch := t.TempDir()
				parts := inParts(t, size, &c.settings, func(p lnmu.Processes, s *lnmu.Settings) (*lnmu.Result[T], error) {
					_, of := shareStored(m, p)
					s.Scratch = scratch
					return lnmu.Factor(t.Context(), of, c.rank, c.method, s)
				})
				alike(t, fmt.Sprintf("%d x %d, %s, %d processes", shape[0], shape[1], c.name, size), joined(t, m.Rows, m.Cols, parts), whole)
				if left, _ := filepath.Glob(filepath.Join(scratch, "*")); left != nil {
					t.Errorf("%s has left %v", c.name, left)
				}
			}
		}
	}
}

// TestStoredProcessesCheckpoint: the states of processes with their parts of M in files are
// those of one with M in memory, and any number of processes goes on from them, in files or
// in memory.
func TestStoredProcessesCheckpoint(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("each state is resumed by other numbers of processes: with NMU_FULL only")
	}
	fewBytes(t, 4000)
	for _, shape := range [][2]int{{500, 7}, {9, 500}} {
		m := positive[float64](shape[0], shape[1], 3)
		for _, c := range []run{runs[0], runs[2], runs[3], runs[4], runs[5], runs[8]} {
			compareStates(t, fmt.Sprintf("%v, %s", shape, c.name), m.Rows, m.Cols, c.settings, func(p lnmu.Processes, s *lnmu.Settings) (*lnmu.Result[float64], error) {
				s.Scratch = t.TempDir()
				x := lnmu.Matrix[float64](m)
				if p != nil && p.Size() == 2 {
					x = share(m, p)
				} else if p != nil {
					_, x = shareStored(m, p)
				}
				return lnmu.Factor(t.Context(), x, c.rank, c.method, s)
			})
		}
	}
}

// breaking makes the scratch files of one folder fail, after so many reads or writes, or at
// once.
type breaking struct {
	folder      string
	reads       bool
	left        atomic.Int64
	open, close atomic.Int64
}

type breakingFile struct {
	block.File
	*breaking
	fails bool
}

// replace lets b make all scratch files until restore.
func (b *breaking) replace() (restore func()) {
	old := block.NewScratch
	block.NewScratch = func(dir string, size int64) (block.File, error) {
		if dir == b.folder && b.left.Load() < 0 {
			return nil, errFire
		}
		file, err := direct.Scratch(dir, size)
		b.open.Add(1)
		return breakingFile{file, b, dir == b.folder}, err
	}
	return func() { block.NewScratch = old }
}

func (f breakingFile) ReadAt(p []byte, offset int64) (int, error) {
	if f.fails && f.reads && f.left.Add(-1) < 0 {
		return 0, errFire
	}
	return f.File.ReadAt(p, offset)
}

func (f breakingFile) WriteAt(p []byte, offset int64) error {
	if f.fails && !f.reads && f.left.Add(-1) < 0 {
		return errFire
	}
	return f.File.WriteAt(p, offset)
}

func (f breakingFile) Close() error {
	f.breaking.close.Add(1)
	return f.File.Close()
}

// ended fails unless one process has ended with an error, and the others with its.
func ended(t *testing.T, name string, errs []error, who int, want error) {
	t.Helper()
	for rank, err := range errs {
		if rank == who && (!errors.Is(err, want) || errors.Is(err, lnmu.ErrProcess)) || rank != who && (!errors.Is(err, lnmu.ErrProcess) || !strings.Contains(err.Error(), fmt.Sprintf("process %d: ", who))) {
			t.Errorf("%s: process %d of %d: %v", name, rank, len(errs), err)
		}
	}
}

// TestStoredProcessesFaults: an error of the disk of one process, wherever it comes, ends
// all of them, with a state that is whole or none.
func TestStoredProcessesFaults(t *testing.T) {
	leak.Check(t)
	fewBytes(t, 4000)
	const size = 3
	m := positive[float64](600, 9, 3)
	cases := []run{runs[3], runs[2], runs[0], runs[4], runs[5], runs[8]}
	if os.Getenv("NMU_FULL") == "" {
		cases = cases[:2]
	}
	for _, c := range cases {
		c.settings.Restarts, c.settings.Threads = 1, 2
		whole, err := lnmu.Factor(t.Context(), m, c.rank, c.method, &c.settings)
		if err != nil {
			t.Fatal(err)
		}
		folders := []string{t.TempDir(), t.TempDir(), t.TempDir()}
		// each runs all processes, of which one reads M by a reader that fails, and returns
		// their errors and the states that were saved without one.
		each := func(who int, after int64) (errs []error, saved [][]byte, reads int64) {
			errs = make([]error, size)
			together.Run(size, func(p *together.Process) {
				part, of := shareStored(m, p)
				s := c.settings
				s.Scratch = folders[p.Rank()]
				if p.Rank() == who {
					part.errAfter.Store(after)
				}
				if p.Rank() == 0 {
					s.Checkpoint = &lnmu.Checkpoint{Save: func(state io.WriterTo) {
						var b bytes.Buffer
						if _, err := state.WriteTo(&b); err == nil {
							saved = append(saved, b.Bytes())
						}
					}}
				}
				res, err := lnmu.Factor(t.Context(), of, c.rank, c.method, &s)
				if errs[p.Rank()] = err; err != nil && res != nil {
					t.Errorf("%s: process %d: a result beside the error %v", c.name, p.Rank(), err)
				}
				if p.Rank() == who {
					reads = part.reads.Load()
				}
			})
			return errs, saved, reads
		}
		check := func(name string, errs []error, saved [][]byte, who int) {
			ended(t, name, errs, who, errFire)
			if len(saved) == 0 {
				return
			}
			s := c.settings
			s.Checkpoint = &lnmu.Checkpoint{Resume: bytes.NewReader(saved[len(saved)-1])}
			res, err := lnmu.Factor(t.Context(), m, c.rank, c.method, &s)
			if err != nil {
				t.Fatalf("%s: its last state: %v", name, err)
			}
			alike(t, name+", resumed", res, whole)
		}
		for who := range size {
			_, _, all := each(who, 0)
			for k := int64(1); k < all-4; k += 1 + all/5 { // what is read ahead may not be needed
				errs, saved, _ := each(who, k)
				check(fmt.Sprintf("%s: process %d after %d reads of %d", c.name, who, k, all), errs, saved, who)
			}
			if !c.method.Describe().Underapproximates {
				continue
			}
			with := func(f *breaking, left int64) (errs []error, saved [][]byte) {
				f.left.Store(left)
				defer f.replace()()
				errs, saved, _ = each(who, 0)
				return errs, saved
			}
			for _, reads := range []bool{false, true} {
				const most = 1 << 40
				sound := &breaking{folder: folders[who], reads: reads}
				if errs, _ := with(sound, most); errors.Join(errs...) != nil {
					t.Fatalf("%s: %v", c.name, errs)
				}
				half := (most - sound.left.Load()) / 2
				for _, left := range []int64{-1, 0, half / 2, half} { // -1: there is no room for a file
					f := &breaking{folder: folders[who], reads: reads}
					errs, saved := with(f, left)
					name := fmt.Sprintf("%s: the scratch file of process %d, reads %v, after %d", c.name, who, reads, left)
					check(name, errs, saved, who)
					if f.open.Load() != f.close.Load() {
						t.Errorf("%s: %d of %d files closed", name, f.close.Load(), f.open.Load())
					}
				}
			}
		}
	}
}

// TestStoredProcessesResumeFaults: an error of the disk of one process ends all, also where
// they read the state that they go on from.
func TestStoredProcessesResumeFaults(t *testing.T) {
	leak.Check(t)
	fewBytes(t, 4000)
	m := positive[float64](600, 9, 3)
	settings := lnmu.Settings{Iterations: 4, Restarts: 1, Threads: 1}
	one := settings
	saved := states(&one)
	if _, err := lnmu.Factor(t.Context(), m, 3, lnmu.GNMU{}, &one); err != nil {
		t.Fatal(err)
	}
	folders := []string{t.TempDir(), t.TempDir(), t.TempDir()}
	for who := range folders {
		for left := range int64(8) {
			f := &breaking{folder: folders[who]}
			f.left.Store(left)
			restore := f.replace()
			errs := make([]error, len(folders))
			together.Run(len(folders), func(p *together.Process) {
				_, of := shareStored(m, p)
				s := settings
				s.Scratch = folders[p.Rank()]
				s.Checkpoint = &lnmu.Checkpoint{Resume: bytes.NewReader((*saved)[1])}
				_, errs[p.Rank()] = lnmu.Factor(t.Context(), of, 3, lnmu.GNMU{}, &s)
			})
			restore()
			ended(t, fmt.Sprintf("process %d after %d writes", who, left), errs, who, errFire)
		}
	}
}

// TestStoredProcessesProgress: process 0 shows progress, and says when all go over their
// files to tell the error.
func TestStoredProcessesProgress(t *testing.T) {
	m := positive[float64](900, 5, 3)
	shown := 0
	var last float64
	inParts(t, 3, &lnmu.Settings{Iterations: 1e9, Restarts: 1, Scratch: t.TempDir()}, func(p lnmu.Processes, s *lnmu.Settings) (*lnmu.Result[float64], error) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		_, of := shareStored(m, p)
		s.Progress = func(now lnmu.Progress) {
			last = now.RelativeError
			if shown++; shown == 3 {
				cancel()
			}
		}
		res, err := lnmu.Factor(ctx, of, 2, lnmu.GNMU{}, s)
		if err == nil {
			t.Errorf("process %d has come to an end", p.Rank())
		}
		return res, nil
	})
	if shown != 3 || !(last > 0 && last < 1) {
		t.Errorf("progress was shown %d times, the last time with error %v", shown, last)
	}
}

// TestStoredProcessesRefuse: what one process refuses of its part, or has otherwise than the
// others, ends all of them.
func TestStoredProcessesRefuse(t *testing.T) {
	const size = 4
	good := positive[float32](900, 4, 2)
	with := func(change func(m lnmu.Dense[float32])) lnmu.Dense[float32] {
		m := lnmu.NewDense[float32](900, 4, nil)
		copy(m.Data, good.Data)
		change(m)
		return m
	}
	column := func(x float32) lnmu.Dense[float32] { // no part of it overflows or underflows by itself
		return with(func(m lnmu.Dense[float32]) {
			for i := range m.Rows {
				m.Row(i)[1] = x
			}
		})
	}
	negative := with(func(m lnmu.Dense[float32]) { m.Row(899)[2] = -1 })
	infinite := with(func(m lnmu.Dense[float32]) { m.Row(300)[1] = float32(1e30) })
	for name, c := range map[string]struct {
		m      lnmu.Dense[float32]
		who    int // -1: all
		change func(p lnmu.Processes, of *lnmu.Part[float32], s *lnmu.Settings)
		target error
		says   string
	}{
		"negative entry":       {negative, 3, nil, lnmu.ErrValue, "row 900, column 3 of M = -1 is negative"},
		"negative entry, wide": {negative.Transposed(), 3, nil, lnmu.ErrValue, "row 3, column 900 of M = -1 is negative"},
		"large entry":          {infinite, 1, nil, lnmu.ErrValue, "the squares of row 301 of M overflow"},
		"large row, wide":      {column(8e17).Transposed(), -1, nil, lnmu.ErrValue, "the squares of row 2 of M overflow"},
		"small row, wide":      {column(1e-30).Transposed(), -1, nil, lnmu.ErrValue, "the squares of row 2 of M underflow"},
		"a part in memory": {good, 1, func(p lnmu.Processes, of *lnmu.Part[float32], _ *lnmu.Settings) {
			if p.Rank() == 1 {
				of.Matrix = of.Matrix.(*partLines[float32]).Dense
			}
		}, lnmu.ErrOption, "process 1 has its part of M in memory, and process 0 in files"},
		"no matrix": {good, 0, func(p lnmu.Processes, of *lnmu.Part[float32], _ *lnmu.Settings) {
			if p.Rank() == 0 {
				of.Matrix = nil
			}
		}, lnmu.ErrShape, "M is nil"},
		"another part": {good, 2, func(p lnmu.Processes, of *lnmu.Part[float32], _ *lnmu.Settings) {
			if p.Rank() == 2 {
				of.Rows += 300
			}
		}, lnmu.ErrShape, "Share"},
	} {
		errs := make([]error, size)
		together.Run(size, func(p *together.Process) {
			_, of := shareStored(c.m, p)
			s := lnmu.Settings{Iterations: 2, Scratch: t.TempDir()}
			if c.change != nil {
				c.change(p, &of, &s)
			}
			_, errs[p.Rank()] = lnmu.Factor(t.Context(), of, 2, lnmu.NMF{}, &s)
		})
		if c.who >= 0 {
			ended(t, name, errs, c.who, c.target)
		}
		for rank, err := range errs {
			if c.who < 0 && !errors.Is(err, c.target) || err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: process %d: %v", name, rank, err)
			}
		}
		if c.change != nil {
			continue
		}
		if _, err := lnmu.Factor(t.Context(), c.m, 2, lnmu.NMF{}, nil); !errors.Is(err, c.target) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: one process: %v", name, err)
		}
	}
	// Squares that do not overflow, although it takes a look at the whole row to tell.
	large := column(5e17).Transposed()
	inParts(t, size, &lnmu.Settings{Iterations: 1, Restarts: 1}, func(p lnmu.Processes, s *lnmu.Settings) (*lnmu.Result[float32], error) {
		_, of := shareStored(large, p)
		return lnmu.Factor(t.Context(), of, 2, lnmu.NMF{}, s)
	})
}

// asked is a context that is cancelled after it was asked so often.
type asked struct {
	context.Context
	left atomic.Int64
}

func (a *asked) Err() error {
	if a.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestStoredProcessesEnd: process 0 decides when the work is over, within a pass as well, and
// all end with the same by then.
func TestStoredProcessesEnd(t *testing.T) {
	leak.Check(t)
	fewBytes(t, 1000)
	const size, most = 3, 1 << 40
	m := positive[float64](1200, 9, 3)
	cases := []run{runs[2], runs[3], runs[5], runs[0], runs[4], runs[8]}
	if os.Getenv("NMU_FULL") == "" {
		cases = cases[:3]
	}
	for _, c := range cases {
		c.settings.Restarts = 1
		each := func(asks int64) (left int64) {
			errs, parts := make([]error, size), make([]*lnmu.Result[float64], size)
			folder := t.TempDir()
			together.Run(size, func(p *together.Process) {
				_, of := shareStored(m, p)
				s := c.settings
				s.Scratch, s.Threads = folder, 1+p.Rank()%2
				ctx := &asked{Context: t.Context()}
				if p.Rank() == 0 {
					ctx.left.Store(asks)
				} else if p.Rank() > 1 { // that of process 1 is cancelled from the beginning
					ctx.left.Store(most)
				}
				parts[p.Rank()], errs[p.Rank()] = lnmu.Factor(ctx, of, c.rank, c.method, &s)
				if p.Rank() == 0 {
					left = ctx.left.Load()
				}
			})
			if asks == most {
				if err := errors.Join(errs...); err != nil {
					t.Fatalf("%s: %v", c.name, err)
				}
				return left
			}
			for rank, err := range errs {
				if want := []error{context.Canceled, context.Canceled, lnmu.ErrProcess}[rank]; !errors.Is(err, want) || parts[rank] == nil || parts[rank].Stop != lnmu.StopCancelled {
					t.Fatalf("%s cancelled at %d: process %d: %v", c.name, asks, rank, err)
				}
			}
			res := joined(t, m.Rows, m.Cols, parts)
			if res.V.Cols == 0 {
				return left
			}
			got, err := lnmu.Measure(m, res.V, res.W, nil)
			if err != nil || got.RelativeError != res.RelativeError {
				t.Errorf("%s cancelled at %d: error %v of factors whose error is %v, %v", c.name, asks, res.RelativeError, got.RelativeError, err)
			}
			return left
		}
		all := most - each(most)
		for k := int64(1); k < all-1; k += 1 + all/23 { // the last one may ask whether to read ahead
			each(k)
		}
	}
}

// TestStoredProcessesTimeLimit: the result of processes that read files is there within the
// time limit of process 0. All time passes in reads.
func TestStoredProcessesTimeLimit(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("it waits for limits of time: with NMU_FULL only")
	}
	fewBytes(t, 1000)
	m := positive[float64](1200, 9, 3)
	cases := []run{runs[2], runs[3], runs[0], runs[5], runs[8]}
	if os.Getenv("NMU_FULL") == "" {
		cases = cases[:2]
	}
	for _, c := range cases {
		synctest.Test(t, func(t *testing.T) {
			const limit = 10 * time.Minute
			begun := time.Now()
			parts := inParts(t, 3, &lnmu.Settings{Iterations: 1e9, Restarts: 1}, func(p lnmu.Processes, s *lnmu.Settings) (*lnmu.Result[float64], error) {
				part, of := shareStored(m, p)
				part.delay = time.Second
				s.Scratch, s.Threads = t.TempDir(), 1
				if s.TimeLimit = 7 * limit; p.Rank() == 0 {
					s.TimeLimit = limit
				}
				return lnmu.Factor(t.Context(), of, c.rank, c.method, s)
			})
			if res := joined(t, m.Rows, m.Cols, parts); res.Stop != lnmu.StopTime {
				t.Fatalf("%s: ended by %s", c.name, res.Stop)
			}
			if took := time.Since(begun); took > limit || took < limit/2 {
				t.Errorf("%s: %v of %v", c.name, took, limit)
			}
		})
	}
	parts := inParts(t, 3, &lnmu.Settings{Restarts: 1, TimeLimit: 1}, func(p lnmu.Processes, s *lnmu.Settings) (*lnmu.Result[float64], error) {
		_, of := shareStored(m, p)
		return lnmu.Factor(t.Context(), of, 2, lnmu.NMF{}, s)
	})
	if res := joined(t, m.Rows, m.Cols, parts); res.Stop != lnmu.StopTime || res.V.Cols != 0 {
		t.Errorf("without time: %s, %d factors", res.Stop, res.V.Cols)
	}
}

// TestStoredProcessesEstimate: a process needs memory and scratch space for its part.
func TestStoredProcessesEstimate(t *testing.T) {
	const size = 4
	for _, shape := range [][2]int{{40_000, 500}, {500, 40_000}} {
		estimate := func(p lnmu.Processes) lnmu.Estimate {
			part := lnmu.Dense[float64]{Rows: shape[0], Cols: shape[1]}
			lines := &partLines[float64]{Dense: part, columns: shape[1] > shape[0]}
			m := lnmu.Matrix[float64](lines)
			if p != nil {
				first, last := lnmu.Share(shape[0], shape[1], p.Rank(), p.Size())
				if lines.columns {
					lines.Cols = last - first
				} else {
					lines.Rows = last - first
				}
				m = lnmu.Part[float64]{Matrix: lines, Processes: p, Rows: shape[0], Cols: shape[1]}
			}
			e, err := lnmu.EstimateOf(m, 100, lnmu.GNMU{}, lnmu.Settings{Threads: 1, Restarts: 1})
			if err != nil {
				t.Error(err)
			}
			return e
		}
		whole, sum := estimate(nil), lnmu.Estimate{}
		var memory atomic.Int64
		parts := make([]lnmu.Estimate, size)
		together.Run(size, func(p *together.Process) { parts[p.Rank()] = estimate(p) })
		for _, e := range parts {
			sum.Scratch, sum.Reads, sum.Writes = sum.Scratch+e.Scratch, sum.Reads+e.Reads, sum.Writes+e.Writes
			memory.Store(max(memory.Load(), e.Memory))
		}
		if sum.Scratch != whole.Scratch || sum.Reads != whole.Reads || sum.Writes != whole.Writes || 2*memory.Load() > whole.Memory {
			t.Errorf("%v: one process needs %+v, %d of them %+v", shape, whole, size, parts)
		}
	}
}
