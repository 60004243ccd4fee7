package files

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"nmu/internal/dataset"
	"nmu/internal/leak"
	"nmu/lnmu"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/lnmutest"
)

// sparseOf returns a sparse matrix of the given size without empty lines.
func sparseOf[T lnmu.Float](tb testing.TB, rows, cols, entries int) lnmu.CSR[T] {
	tb.Helper()
	ptr, idx, val, err := dataset.Sparse[T](rows, cols, entries, 1)
	if err != nil {
		tb.Fatal(err)
	}
	return lnmu.CSR[T]{Rows: rows, Cols: cols, Ptr: ptr, Idx: idx, Val: val}
}

// storedSparseCases are methods with what a stored sparse matrix has of their options, with NMU_FULL
// several of a kind.
func storedSparseCases() map[string]lnmu.Method {
	cases := map[string]lnmu.Method{
		"nmf":         lnmu.NMF{},
		"accelerated": lnmu.NMF{Solver: lnmu.SolverAccelerated},
		"kl":          lnmu.KL{L2V: 0.3, L2W: 0.2},
		"gnmu":        lnmu.GNMU{},
		"gnmu sweeps": lnmu.GNMU{Lagrangian: lnmu.Lagrangian{Sweeps: 2, StepsPerUpdate: 3}},
		"gnmu halved": lnmu.GNMU{Lagrangian: lnmu.Lagrangian{StepLength: func(k int) float64 { return []float64{1, .5, 1e9, .1, .1, .1, .1, .1}[k%8] }}},
		"rnmu":        lnmu.RNMU{},
		"blocks":      lnmu.RNMU{Block: 2},
		"one block":   lnmu.RNMU{Block: 3},
		"admm 1":      lnmutest.AugmentedOf(1, 4, 1),
		"admm 2":      lnmutest.AugmentedOf(2, 1, 3),
		"admm":        lnmutest.AugmentedOf(0, 4, 2),
	}
	if os.Getenv("NMU_FULL") == "" { // one of a kind
		for _, name := range []string{"gnmu sweeps", "gnmu halved", "one block", "admm 1", "admm 2"} {
			delete(cases, name)
		}
	}
	return cases
}

// TestStoredSparse: a sparse matrix that stays where it is has the factors of one in
// memory, bit for bit, whatever the chunks and threads.
func TestStoredSparse(t *testing.T) {
	t.Run("float32", testStoredSparse[float32])
	t.Run("float64", testStoredSparse[float64])
}

func testStoredSparse[T lnmu.Float](t *testing.T) {
	one := lnmu.CSR[T]{Rows: 30, Cols: 700, Ptr: make([]int, 31), Idx: []int32{690}, Val: []T{2}}
	for i := 12; i <= 30; i++ {
		one.Ptr[i] = 1
	}
	cases := storedSparseCases()
	all := []lnmu.CSR[T]{
		lnmutest.SparseData[T](601, 37, 3), sparseOf[T](t, 1000, 300, 30000), lnmutest.SparseData[T](40, 40, 1),
		sparseOf[T](t, 900, 300, 30000).Transposed(), lnmutest.SparseData[T](37, 601, 3), one, one.Transposed(),
	}
	turns := lnmutest.Rotate(len(cases), 3, int(unsafe.Sizeof(T(0))/4))
	for at, name := range slices.Sorted(maps.Keys(cases)) {
		method := cases[name]
		for i, m := range all {
			if !turns.Takes(at, i) {
				continue
			}
			chunks := [][2]int{{1, 2}, {30000, 3}}[(at+i)%2]
			smallChunks(t, chunks[0], chunks[1])
			s := &lnmu.Settings{Iterations: 8, Restarts: 2, Seed: 4, Tolerance: 1e-9, CheckEvery: 3, Threads: 1 + at%4, Scratch: t.TempDir()}
			if i == 1 {
				s.Iterations = 4
			}
			compareStoredSparse(t, name, m, 3, method, s)
		}
	}
}

// compareStoredSparse compares a run on a stored matrix with one in memory.
func compareStoredSparse[T lnmu.Float](t *testing.T, name string, m lnmu.CSR[T], rank int, method lnmu.Method, s *lnmu.Settings) {
	t.Helper()
	compareStoredEntries(t, name, m, false, rank, method, s)
}

// compareStoredEntries is compareStoredSparse where storedOnly says that what is not stored is
// missing.
func compareStoredEntries[T lnmu.Float](t *testing.T, name string, m lnmu.CSR[T], storedOnly bool, rank int, method lnmu.Method, s *lnmu.Settings) {
	t.Helper()
	want, err := lnmu.Factor(t.Context(), lnmu.Observed[T]{Matrix: m, StoredOnly: storedOnly}, rank, method, s)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	got, err := lnmu.Factor(t.Context(), lnmu.Observed[T]{Matrix: &lnmutest.RowsOfCSR[T]{CSR: m}, StoredOnly: storedOnly}, rank, method, s)
	if err != nil {
		t.Fatalf("%s of %d x %d: %v", name, m.Rows, m.Cols, err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s of %d x %d with %d threads, chunks of %d bytes in %d slots: got error %v, want %v", name, m.Rows, m.Cols, s.Threads, block.ChunkBytes, block.SlotsOfEach, got.RelativeError, want.RelativeError)
	}
	if left, _ := filepath.Glob(filepath.Join(s.Scratch, "*")); left != nil {
		t.Errorf("%s has left %v", name, left)
	}
}

// TestStoredSparseBlocks compares where there are several blocks of columns and groups.
func TestStoredSparseBlocks(t *testing.T) {
	m := sparseOf[float64](t, 3000, 1500, 90000)
	for name, method := range map[string]lnmu.Method{"nmf": lnmu.NMF{}, "accelerated": lnmu.NMF{Solver: lnmu.SolverAccelerated}, "gnmu": lnmu.GNMU{}, "blocks": lnmu.RNMU{Block: 45}, "admm": lnmu.GNMU{Lagrangian: lnmu.Lagrangian{Solver: lnmu.SolverADMM}}} {
		for threads, chunks := range []int{1, 100_000} {
			smallChunks(t, chunks, 2)
			for i, m := range []lnmu.CSR[float64]{m, m.Transposed()} {
				if os.Getenv("NMU_FULL") == "" && (i != len(name)%2 || threads != len(name)/2%2) {
					continue
				}
				compareStoredSparse(t, name, m, 50, method, &lnmu.Settings{Iterations: 2, Restarts: 1, Threads: 2 - threads, Scratch: t.TempDir()})
			}
		}
	}
}

// TestStoredSparseStrips compares where a strip has several blocks of columns: in memory its tiles
// are taken in another order than in files.
func TestStoredSparseStrips(t *testing.T) {
	m := sparseOf[float64](t, 1600, 1500, 160000)
	for _, method := range []lnmu.Method{lnmu.NMF{}, lnmu.KL{}, lnmu.GNMU{}} {
		smallChunks(t, 100_000, 2)
		compareStoredSparse(t, lnmutest.NameOf(method), m, 50, method, &lnmu.Settings{Iterations: 2, Restarts: 1, Threads: 2, Scratch: t.TempDir()})
	}
}

// TestStoredSparseMissing compares where what is not stored is missing.
func TestStoredSparseMissing(t *testing.T) {
	smallChunks(t, 1, 2)
	m := lnmu.NewCSR(lnmutest.Data[float64](400, 60, 3))
	for name, method := range map[string]lnmu.Method{"nmf": lnmu.NMF{}, "gnmu": lnmu.GNMU{}, "blocks": lnmu.RNMU{Block: 2}, "one by one": lnmu.RNMU{}} {
		for _, m := range []lnmu.CSR[float64]{m, m.Transposed()} {
			compareStoredEntries(t, name, m, true, 3, method, &lnmu.Settings{Iterations: 5, Restarts: 1, Threads: 2, Scratch: t.TempDir()})
		}
	}
}

// TestStoredSparseStarts compares runs from singular vectors and with a factor that is fixed.
func TestStoredSparseStarts(t *testing.T) {
	smallChunks(t, 1, 2)
	tall := sparseOf[float64](t, 500, 60, 9000)
	for _, m := range []lnmu.CSR[float64]{tall, tall.Transposed()} {
		fixed := lnmu.NewDense[float64](m.Rows, 1, nil)
		for i := range fixed.Data {
			fixed.Data[i] = float64(i % 3)
		}
		for name, s := range map[string]*lnmu.Settings{"svd": {Init: lnmu.InitSVD}, "fixed": {Fixed: lnmu.Fixed{V: fixed}, Restarts: 1}} {
			for _, method := range []lnmu.Method{lnmu.NMF{Solver: lnmu.SolverHALS}, lnmu.GNMU{}, lnmu.RNMU{}, lnmu.RNMU{Block: 2}, lnmu.SNMF{SparsityV: 0.4}} {
				if _, penalised := method.(lnmu.SNMF); penalised && name == "fixed" {
					continue
				}
				s.Iterations, s.Threads, s.Scratch = 4, 2, t.TempDir()
				compareStoredSparse(t, name+" "+lnmutest.NameOf(method), m, 4, method, s)
			}
		}
	}
}

// TestStoredSparseFaults: an error of the reader or of the disk, wherever it comes, is
// that of the run.
func TestStoredSparseFaults(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("runs fail at many places: with NMU_FULL only")
	}
	leak.Check(t)
	smallChunks(t, 1, 2)
	m := sparseOf[float64](t, 2000, 60, 30000)
	for name, method := range storedSparseCases() {
		m := m
		if strings.Contains(name, "gnmu") || name == "nmf" {
			m = m.Transposed()
		}
		run := func(r *lnmutest.RowsOfCSR[float64]) error {
			res, err := lnmu.Factor(t.Context(), r, 3, method, &lnmu.Settings{Iterations: 3, Restarts: 2, Threads: 2, Scratch: t.TempDir()})
			if err != nil && res != nil {
				t.Errorf("%s: a result beside the error %v", name, err)
			}
			return err
		}
		whole := &lnmutest.RowsOfCSR[float64]{CSR: m}
		if err := run(whole); err != nil {
			t.Fatal(err)
		}
		all := whole.Reads.Load()
		for k := int64(1); k < all; k += 1 + all/5 {
			r := &lnmutest.RowsOfCSR[float64]{CSR: m}
			r.ErrAfter.Store(k)
			if err := run(r); !errors.Is(err, lnmutest.ErrReader) {
				t.Errorf("%s: after %d reads of %d: %v", name, k, all, err)
			}
		}
		for _, f := range []*faulty{{writes: 1}, {writes: 2}, {writes: 7}, {reads: 1}, {reads: 4}, {reads: 60}, {none: true}} {
			old := block.NewScratch
			block.NewScratch = f.open
			err := run(&lnmutest.RowsOfCSR[float64]{CSR: m})
			block.NewScratch = old
			if !errors.Is(err, errScratch) || f.closed.Load() != f.opened.Load() {
				t.Errorf("%s with %d writes, %d reads: %v, and %d of %d files closed", name, f.writes, f.reads, err, f.closed.Load(), f.opened.Load())
			}
		}
	}
	s := &lnmu.Settings{Scratch: filepath.Join(t.TempDir(), "none")}
	if _, err := lnmu.Factor(t.Context(), &lnmutest.RowsOfCSR[float64]{CSR: m}, 2, lnmu.NMF{}, s); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder for scratch files: %v", err)
	}
}

// wrongCSR is a reader that claims what is not so.
type wrongCSR struct {
	*lnmutest.RowsOfCSR[float64]
	entries  int
	pointers func(ptr []int) []int
	rows     func(c *lnmu.CSR[float64])
}

func (w wrongCSR) Entries() int { return w.entries }

func (w wrongCSR) Pointers(first, last int) ([]int, error) {
	ptr, err := w.RowsOfCSR.Pointers(first, last)
	if w.pointers != nil {
		ptr = w.pointers(ptr)
	}
	return ptr, err
}

func (w wrongCSR) ReadRows(first, last int) (lnmu.CSR[float64], error) {
	c, err := w.RowsOfCSR.ReadRows(first, last)
	if w.rows != nil {
		w.rows(&c)
	}
	return c, err
}

// TestStoredSparseWrong: what a reader claims is not believed, nor that it reads the same again.
func TestStoredSparseWrong(t *testing.T) {
	tall := sparseOf[float64](t, 300, 60, 5000)
	n := len(tall.Val)
	for _, m := range []lnmu.CSR[float64]{tall, tall.Transposed()} {
		reads := 0 // of the first row
		later := func(change func(c *lnmu.CSR[float64])) func(c *lnmu.CSR[float64]) {
			return func(c *lnmu.CSR[float64]) {
				if reads++; reads > 1 {
					change(c)
				}
			}
		}
		negative := func(c *lnmu.CSR[float64]) { c.Val[0] = -1 }
		for name, w := range map[string]struct {
			wrongCSR
			target error
		}{
			"fewer entries":  {wrongCSR{entries: n - 1}, lnmu.ErrShape},
			"more entries":   {wrongCSR{entries: n + 1}, lnmu.ErrShape},
			"no entries":     {wrongCSR{entries: -1}, lnmu.ErrShape},
			"too many":       {wrongCSR{entries: 300*61 + 60}, lnmu.ErrShape},
			"few pointers":   {wrongCSR{entries: n, pointers: func(ptr []int) []int { return ptr[1:] }}, lnmu.ErrShape},
			"other pointers": {wrongCSR{entries: n, pointers: func(ptr []int) []int { ptr[1]++; return ptr }}, lnmu.ErrShape},
			"a row less":     {wrongCSR{entries: n, rows: func(c *lnmu.CSR[float64]) { c.Rows--; c.Ptr = c.Ptr[:c.Rows+1] }}, lnmu.ErrShape},
			"another width":  {wrongCSR{entries: n, rows: func(c *lnmu.CSR[float64]) { c.Cols++ }}, lnmu.ErrShape},
			"a column":       {wrongCSR{entries: n, rows: func(c *lnmu.CSR[float64]) { c.Idx[0] = int32(c.Cols) }}, lnmu.ErrShape},
			"no column":      {wrongCSR{entries: n, rows: func(c *lnmu.CSR[float64]) { c.Idx[0] = -1 }}, lnmu.ErrShape},
			"later negative": {wrongCSR{entries: n, rows: later(negative)}, lnmu.ErrValue},
			"later NaN":      {wrongCSR{entries: n, rows: later(func(c *lnmu.CSR[float64]) { c.Val[0] = math.NaN() })}, lnmu.ErrValue},
			"later a column": {wrongCSR{entries: n, rows: later(func(c *lnmu.CSR[float64]) { c.Idx[len(c.Idx)-1] = int32(c.Cols) })}, lnmu.ErrShape},
			"later an entry less": {wrongCSR{entries: n, rows: later(func(c *lnmu.CSR[float64]) {
				for i := 1; i < len(c.Ptr); i++ {
					c.Ptr[i]--
				}
				c.Idx, c.Val = c.Idx[1:], c.Val[1:]
			})}, lnmu.ErrShape},
		} {
			for _, bytes := range []int{1, 1 << 20} {
				smallChunks(t, bytes, 2)
				reads = 0
				w.RowsOfCSR = &lnmutest.RowsOfCSR[float64]{CSR: m}
				if _, err := lnmu.Factor(t.Context(), w, 2, lnmu.GNMU{}, &lnmu.Settings{Scratch: t.TempDir()}); !errors.Is(err, w.target) {
					t.Errorf("%d x %d: %s: %v", m.Rows, m.Cols, name, err)
				}
			}
		}
		w := wrongCSR{RowsOfCSR: &lnmutest.RowsOfCSR[float64]{CSR: m}, entries: n}
		row := 0
		w.rows = func(c *lnmu.CSR[float64]) { // what was read before stays: only a row that comes again is another one
			if row += c.Rows; row > m.Rows && len(c.Idx) > 1 && c.Idx[1] > c.Idx[0]+1 {
				c.Idx[0]++
			}
		}
		if res, err := lnmu.Factor(t.Context(), w, 2, lnmu.NMF{}, &lnmu.Settings{Scratch: t.TempDir(), Iterations: 2, Restarts: 1}); err == nil && !(res.RelativeError <= 1) || err != nil && !errors.Is(err, lnmu.ErrShape) {
			t.Errorf("%d x %d with other columns: %v", m.Rows, m.Cols, err)
		}
		zeros := lnmu.NewCSR(lnmu.NewDense[float64](m.Rows, m.Cols, nil))
		if res, err := lnmu.Factor(t.Context(), &lnmutest.RowsOfCSR[float64]{CSR: zeros}, 2, lnmu.NMF{}, nil); err != nil || res.Stop != lnmu.StopExact {
			t.Errorf("zeros: %v", err)
		}
	}
	tall.Val[n-1] = -1
	bad := (*fault.ValueError)(nil)
	_, err := lnmu.Factor(t.Context(), &lnmutest.RowsOfCSR[float64]{CSR: tall}, 2, nil, nil)
	if !errors.As(err, &bad) || bad.Row != 299 || bad.Value != -1 {
		t.Errorf("a negative entry: %v", err)
	}
	if _, err := lnmu.Factor[float64](t.Context(), nil, 2, nil, nil); !errors.Is(err, lnmu.ErrShape) {
		t.Errorf("no M: %v", err)
	}
}

// TestDamagedTiles: a scratch file that others have written to does no harm.
func TestDamagedTiles(t *testing.T) {
	tall := sparseOf[float64](t, 300, 60, 5000)
	for _, m := range []lnmu.CSR[float64]{tall, tall.Transposed()} {
		for at := range 40 {
			old := block.NewScratch
			block.NewScratch = func(dir string, size int64) (block.File, error) {
				f, err := old(dir, size)
				return &damaged{File: f, at: at * 61}, err
			}
			_, err := lnmu.Factor(t.Context(), &lnmutest.RowsOfCSR[float64]{CSR: m}, 2, lnmu.NMF{}, &lnmu.Settings{Scratch: t.TempDir(), Iterations: 1})
			block.NewScratch = old
			if at == 0 && (err == nil || !strings.Contains(err.Error(), "damaged")) {
				t.Errorf("%d x %d: the first pointer, or row, is another one: %v", m.Rows, m.Cols, err)
			}
		}
	}
}

// damaged changes a byte of what is read.
type damaged struct {
	block.File
	at int
}

func (d *damaged) ReadAt(p []byte, offset int64) (int, error) {
	n, err := d.File.ReadAt(p, offset)
	if d.at < len(p) {
		p[d.at] ^= 0x55
	}
	return n, err
}

// TestStoredSparseLimits: a run on a stored matrix ends soon after it was cancelled.
func TestStoredSparseLimits(t *testing.T) {
	leak.Check(t)
	smallChunks(t, 1, 2)
	tall := sparseOf[float64](t, 2000, 60, 30000)
	wide := tall.Transposed()
	for name, method := range storedSparseCases() {
		m := tall
		if strings.Contains(name, "gnmu") || name == "nmf" {
			m = wide
		}
		s := &lnmu.Settings{Iterations: 3, Restarts: 1, Threads: 2, Scratch: t.TempDir()}
		ctx := lnmutest.NewCountdown(math.MaxInt64)
		if _, err := lnmu.Factor(ctx, &lnmutest.RowsOfCSR[float64]{CSR: m}, 3, method, s); err != nil {
			t.Fatal(err)
		}
		all := ctx.Asked.Load()
		for k := int64(1); k < all; k += 1 + all/11 {
			res, err := lnmu.Factor(lnmutest.NewCountdown(k), &lnmutest.RowsOfCSR[float64]{CSR: m}, 3, method, s)
			if !errors.Is(err, context.Canceled) || res == nil || res.Stop != lnmu.StopCancelled {
				t.Fatalf("%s cancelled at %d of %d: %v, %v", name, k, all, res != nil, err)
			}
			if !(res.RelativeError >= 0) {
				t.Errorf("%s cancelled at %d of %d: error %v", name, k, all, res.RelativeError)
			}
		}
		s.TimeLimit, s.Iterations = 30*time.Millisecond, 1e9
		if res, err := lnmu.Factor(t.Context(), &lnmutest.RowsOfCSR[float64]{CSR: m}, 3, method, s); err != nil || res.Stop != lnmu.StopTime {
			t.Errorf("%s with a time limit: %+v, %v", name, res, err)
		}
		s.TimeLimit = 1
		r := &lnmutest.RowsOfCSR[float64]{CSR: m}
		res, err := lnmu.Factor(t.Context(), r, 3, method, s)
		if err != nil || res.Stop != lnmu.StopTime || res.V.Cols != 0 || r.Reads.Load() > 1 {
			t.Errorf("%s without time: %+v, %v, after %d reads", name, res, err, r.Reads.Load())
		}
	}
}
