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
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"nmu/internal/direct"
	"nmu/internal/leak"
	"nmu/internal/together"
	"nmu/lnmu"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/lnmutest"
)

// partRows reads the rows of a part of a sparse matrix from memory. It fails after so many
// reads if that is not 0.
type partRows[T lnmu.Float] struct {
	lnmu.CSR[T]
	reads, errAfter, rows atomic.Int64
}

func (r *partRows[T]) Entries() int { return len(r.Val) }

func (r *partRows[T]) read() error {
	if n, most := r.reads.Add(1), r.errAfter.Load(); most > 0 && n > most {
		return errFire
	}
	return nil
}

func (r *partRows[T]) Pointers(first, last int) ([]int, error) {
	return append([]int(nil), r.Ptr[first:last+1]...), r.read()
}

func (r *partRows[T]) ReadRows(first, last int) (lnmu.CSR[T], error) {
	r.rows.Add(int64(last - first))
	from, to := r.Ptr[first], r.Ptr[last]
	c := lnmu.CSR[T]{Rows: last - first, Cols: r.Cols, Idx: append([]int32(nil), r.Idx[from:to]...), Val: append([]T(nil), r.Val[from:to]...)}
	for _, at := range r.Ptr[first : last+1] {
		c.Ptr = append(c.Ptr, at-from)
	}
	return c, r.read()
}

// shareStoredSparse is shareSparse of a matrix whose parts are not in memory.
func shareStoredSparse[T lnmu.Float](m lnmu.CSR[T], p lnmu.Processes) (*partRows[T], lnmu.Part[T]) {
	of := shareSparse(m, p)
	part := &partRows[T]{CSR: of.Matrix.(lnmu.CSR[T])}
	of.Matrix = part
	return part, of
}

// TestStoredSparseProcesses: any number of processes, of which each has its part of a sparse M
// in files, find what one finds with M in memory.
func TestStoredSparseProcesses(t *testing.T) {
	sizes := []int{2, 3, 5}
	if os.Getenv("NMU_FULL") == "" {
		sizes = sizes[2:]
	}
	t.Run("float64", func(t *testing.T) { testStoredSparseProcesses[float64](t, sizes...) })
	t.Run("float32", func(t *testing.T) { testStoredSparseProcesses[float32](t, 3) })
}

func testStoredSparseProcesses[T lnmu.Float](t *testing.T, sizes ...int) {
	shapes := [][3]int{{1500, 60, 40000}, {600, 900, 30000}, {3000, 3400, 20000}, {3300, 3200, 20000}, {5, 3, 9}, {4, 6, 9}}
	turns := lnmutest.Rotate(len(sparseRuns), len(shapes), int(unsafe.Sizeof(T(0))/4))
	for i, shape := range shapes {
		fewBytes(t, []int{1, 3000, 1 << 20}[i%3])
		m := scattered[T](shape[0], shape[1], shape[2])
		for at, c := range sparseRuns {
			if !turns.Takes(at, i) {
				continue
			}
			c.settings.Restarts = cmp.Or(c.settings.Restarts, 1)
			whole, err := lnmu.Factor(t.Context(), m, c.rank, c.method, &c.settings)
			if err != nil {
				t.Fatal(err)
			}
			for k, size := range sizes {
				scratch := t.TempDir()
				parts := inParts(t, size, &c.settings, func(p lnmu.Processes, s *lnmu.Settings) (*lnmu.Result[T], error) {
					_, of := shareStoredSparse(m, p)
					if (i/2+k)%2 == 0 {
						of.Matrix = &partRows[T]{CSR: m} // all read M as a whole
					}
					s.Scratch = scratch
					return lnmu.Factor(t.Context(), of, c.rank, c.method, s)
				})
				alike(t, fmt.Sprintf("%d x %d, %s, %d processes", shape[0], shape[1], c.name, size), joined(t, m.Rows, m.Cols, parts), whole)
				if left, _ := filepath.Glob(filepath.Join(scratch, "*")); left != nil {
					t.Errorf("%s has left %v", c.name, left)
				}
				if t.Failed() {
					t.FailNow()
				}
			}
		}
	}
}

// TestStoredSparseProcessesShare: processes that can all read M share that out, and keep in files
// what is said of them.
func TestStoredSparseProcessesShare(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("many runs of several processes: with NMU_FULL only")
	}
	const size = 3
	fewBytes(t, 20_000)
	tall := scattered[float64](9000, 300, 200_000)
	for _, m := range []lnmu.CSR[float64]{tall, tall.Transposed()} {
		for _, method := range []lnmu.Method{lnmu.NMF{}, lnmu.GNMU{}, lnmu.RNMU{}, lnmu.RNMU{Block: 2}} {
			var held, most, needs [size]int64
			folders := [size]string{t.TempDir(), t.TempDir(), t.TempDir()}
			old := block.NewScratch
			var lock sync.Mutex
			block.NewScratch = func(dir string, bytes int64) (block.File, error) {
				f, err := direct.Scratch(dir, bytes)
				lock.Lock()
				defer lock.Unlock()
				p := slices.Index(folders[:], dir)
				held[p] += bytes
				most[p] = max(most[p], held[p])
				return closing{f, func() {
					lock.Lock()
					held[p] -= bytes
					lock.Unlock()
				}}, err
			}
			inParts(t, size, &lnmu.Settings{Iterations: 1, Restarts: 1}, func(p lnmu.Processes, s *lnmu.Settings) (*lnmu.Result[float64], error) {
				of := shareSparse(m, p)
				s.Scratch, s.Threads = folders[p.Rank()], 1
				all := &partRows[float64]{CSR: m}
				of.Matrix = all
				method, filled, err := lnmu.WithDefaults(of, 4, method, s)
				if err != nil {
					return nil, err
				}
				e, err := lnmu.EstimateOf(of, 4, method, filled)
				if err != nil {
					return nil, err
				}
				needs[p.Rank()] = e.Scratch
				res, err := lnmu.Factor(t.Context(), of, 4, method, s)
				if rows := all.rows.Load(); rows != 2*int64(m.Rows)/size {
					t.Errorf("process %d has read %d rows of %d", p.Rank(), rows, m.Rows)
				}
				return res, err
			})
			block.NewScratch = old
			for p := range size {
				if ratio := float64(needs[p]) / float64(most[p]); !(ratio > 0.9 && ratio < 1.3) || held[p] != 0 {
					t.Errorf("%d x %d, %T %+v: process %d has files of %d bytes, said to be %d; %d are left", m.Rows, m.Cols, method, method, p, most[p], needs[p], held[p])
				}
			}
		}
	}
}

// closing calls a function when a scratch file is closed.
type closing struct {
	block.File
	then func()
}

func (c closing) Close() error {
	c.then()
	return c.File.Close()
}

// TestStoredSparseProcessesCheckpoint: the states of processes with their parts of a sparse M in
// files are those of one with M in memory, and any number of processes goes on from them, in
// files or in memory.
func TestStoredSparseProcessesCheckpoint(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("each state is resumed by other numbers of processes: with NMU_FULL only")
	}
	fewBytes(t, 1)
	cases := []run{sparseRuns[1], sparseRuns[2], sparseRuns[4], sparseRuns[5], sparseRuns[6]}
	if os.Getenv("NMU_FULL") == "" {
		cases = cases[3:]
	}
	turns := lnmutest.Rotate(len(cases), 2, 0)
	for i, shape := range [][3]int{{900, 60, 30000}, {600, 900, 30000}} {
		m := scattered[float32](shape[0], shape[1], shape[2])
		for at, c := range cases {
			if !turns.Takes(at, i) {
				continue
			}
			compareStates(t, fmt.Sprintf("sparse %v, %s", shape, c.name), m.Rows, m.Cols, c.settings, func(p lnmu.Processes, s *lnmu.Settings) (*lnmu.Result[float32], error) {
				s.Scratch = t.TempDir()
				x := lnmu.Matrix[float32](m)
				if p != nil && p.Size() == 2 {
					x = shareSparse(m, p)
				} else if p != nil {
					_, x = shareStoredSparse(m, p)
				}
				return lnmu.Factor(t.Context(), x, c.rank, c.method, s)
			})
		}
	}
}

// TestStoredSparseProcessesFaults: an error of the disk of one process, wherever it comes, ends
// all of them, with a state that is whole or none.
func TestStoredSparseProcessesFaults(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("runs fail at many places: with NMU_FULL only")
	}
	leak.Check(t)
	fewBytes(t, 1)
	const size = 3
	cases := []run{sparseRuns[5], sparseRuns[2], sparseRuns[0], sparseRuns[4], sparseRuns[6]}
	if os.Getenv("NMU_FULL") == "" {
		cases = cases[:1]
	}
	for _, shape := range [][3]int{{1500, 60, 40000}, {60, 1500, 40000}} {
		m := scattered[float64](shape[0], shape[1], shape[2])
		for k, c := range cases {
			c.settings.Restarts, c.settings.Threads, c.settings.Iterations = 1, 2, 2
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
					part, of := shareStoredSparse(m, p)
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
				t.Helper()
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
				for n := int64(1); n < all; n += 1 + all/5 {
					errs, saved, _ := each(who, n)
					check(fmt.Sprintf("%v, %s: process %d after %d reads of %d", shape, c.name, who, n, all), errs, saved, who)
				}
				lefts := []int64{-1, 2, 13, 34} // -1: there is no room for a file
				if k == 0 {
					lefts = []int64{-1, 0, 1, 2, 3, 5, 8, 13, 21, 34, 55}
				}
				if os.Getenv("NMU_FULL") == "" {
					lefts = []int64{-1, 1, 5, 21}
				}
				for _, left := range lefts {
					for _, reads := range []bool{false, true} {
						f := &breaking{folder: folders[who], reads: reads}
						f.left.Store(left)
						restore := f.replace()
						errs, saved, _ := each(who, 0)
						restore()
						if name := fmt.Sprintf("%v, %s: the scratch files of process %d, reads %v, after %d", shape, c.name, who, reads, left); errors.Join(errs...) != nil || f.left.Load() < 0 {
							check(name, errs, saved, who)
						}
						if f.open.Load() != f.close.Load() {
							t.Errorf("%d of %d files closed", f.close.Load(), f.open.Load())
						}
					}
				}
			}
		}
	}
}

// TestStoredSparseProcessesRefuse: what one process refuses of its part, or has otherwise than
// the others, ends all of them.
func TestStoredSparseProcessesRefuse(t *testing.T) {
	const size = 3
	good := scattered[float32](900, 20, 9000)
	with := func(change func(m lnmu.CSR[float32])) lnmu.CSR[float32] {
		m := good
		m.Ptr, m.Idx, m.Val = append([]int(nil), m.Ptr...), append([]int32(nil), m.Idx...), append([]float32(nil), m.Val...)
		change(m)
		return m
	}
	row := 899
	for good.Ptr[row] == good.Ptr[row+1] {
		row--
	}
	negative := with(func(m lnmu.CSR[float32]) { m.Val[m.Ptr[row]] = -1 })
	col := negative.Idx[negative.Ptr[row]] + 1
	huge := with(func(m lnmu.CSR[float32]) { m.Val[0] = 1e30 })
	for name, c := range map[string]struct {
		m      lnmu.CSR[float32]
		who    int // -1: all
		change func(p lnmu.Processes, of *lnmu.Part[float32], s *lnmu.Settings)
		target error
		says   string
	}{
		"negative entry":       {negative, 2, nil, lnmu.ErrValue, fmt.Sprintf("row %d, column %d of M = -1 is negative", row+1, col)},
		"negative entry, wide": {negative.Transposed(), 2, nil, lnmu.ErrValue, fmt.Sprintf("row %d, column %d of M = -1 is negative", col, row+1)},
		"large entry":          {huge, -1, nil, lnmu.ErrValue, "the squares of M overflow"},
		"a part in memory": {good, 1, func(p lnmu.Processes, of *lnmu.Part[float32], _ *lnmu.Settings) {
			if p.Rank() == 1 {
				of.Matrix = of.Matrix.(*partRows[float32]).CSR
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
		"a column": {good, 1, func(p lnmu.Processes, of *lnmu.Part[float32], _ *lnmu.Settings) {
			if p.Rank() == 1 {
				c := of.Matrix.(*partRows[float32]).CSR
				c.Idx = append([]int32(nil), c.Idx...)
				c.Idx[len(c.Idx)-1] = 20
				of.Matrix = &partRows[float32]{CSR: c}
			}
		}, lnmu.ErrShape, "an entry in column 20 of 20"},
	} {
		errs := make([]error, size)
		together.Run(size, func(p *together.Process) {
			_, of := shareStoredSparse(c.m, p)
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
}

// TestStoredSparseProcessesEnd: process 0 decides when the work is over, within a pass as well,
// and before there are tiles; all end with the same by then.
func TestStoredSparseProcessesEnd(t *testing.T) {
	leak.Check(t)
	fewBytes(t, 1)
	const size, most = 3, 1 << 40
	cases, points := []run{sparseRuns[0], sparseRuns[2], sparseRuns[3], sparseRuns[4], sparseRuns[5], sparseRuns[6]}, int64(23)
	if os.Getenv("NMU_FULL") == "" {
		cases, points = cases[4:], 13
	}
	turns := lnmutest.Rotate(len(cases), 2, 0)
	for i, shape := range [][3]int{{1500, 60, 40000}, {60, 1500, 40000}} {
		m := scattered[float64](shape[0], shape[1], shape[2])
		for at, c := range cases {
			if !turns.Takes(at, i) {
				continue
			}
			c.settings.Restarts = 1
			each := func(asks int64) (left int64) {
				errs, parts := make([]error, size), make([]*lnmu.Result[float64], size)
				folder := t.TempDir()
				together.Run(size, func(p *together.Process) {
					_, of := shareStoredSparse(m, p)
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
						t.Fatalf("%v, %s cancelled at %d: process %d: %v", shape, c.name, asks, rank, err)
					}
				}
				if res := joined(t, m.Rows, m.Cols, parts); !(res.RelativeError >= 0) {
					t.Errorf("%s cancelled at %d: error %v", c.name, asks, res.RelativeError)
				}
				return left
			}
			all := most - each(most)
			for k := int64(1); k < all; k += 1 + all/points {
				each(k)
			}
		}
		parts := inParts(t, size, &lnmu.Settings{Restarts: 1, TimeLimit: 1}, func(p lnmu.Processes, s *lnmu.Settings) (*lnmu.Result[float64], error) {
			_, of := shareStoredSparse(m, p)
			return lnmu.Factor(t.Context(), of, 2, lnmu.NMF{}, s)
		})
		if res := joined(t, m.Rows, m.Cols, parts); res.Stop != lnmu.StopTime || res.V.Cols != 0 {
			t.Errorf("without time: %s, %d factors", res.Stop, res.V.Cols)
		}
	}
}
