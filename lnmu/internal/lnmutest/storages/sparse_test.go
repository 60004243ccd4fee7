package storages

import (
	"errors"
	"math"
	"strings"
	"testing"

	"nmu/internal/dataset"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/outcome"
)

// sparseOf returns a sparse matrix of the given size without empty lines.
func sparseOf[T lnmu.Float](tb testing.TB, rows, cols, entries int) lnmu.CSR[T] {
	tb.Helper()
	ptr, idx, val := dataset.Sparse[T](rows, cols, entries, 1)
	return lnmu.CSR[T]{Rows: rows, Cols: cols, Ptr: ptr, Idx: idx, Val: val}
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
				must.Refuse(lnmu.Factor(t.Context(), w, 2, lnmu.GNMU{}, &lnmu.Settings{Scratch: t.TempDir()}))(t, w.target, "", m.Rows, "x", m.Cols, name)
			}
		}
		w := wrongCSR{RowsOfCSR: &lnmutest.RowsOfCSR[float64]{CSR: m}, entries: n}
		row := 0
		w.rows = func(c *lnmu.CSR[float64]) { // what was read before stays: only a row that comes again is another one
			if row += c.Rows; row > m.Rows && len(c.Idx) > 1 && c.Idx[1] > c.Idx[0]+1 {
				c.Idx[0]++
			}
		}
		if res, err := lnmu.Factor(t.Context(), w, 2, lnmu.NMF{}, &lnmu.Settings{Scratch: t.TempDir(), Limits: lnmu.Limits{Iterations: 2}, Start: lnmu.Start{Restarts: 1}}); err == nil && !(res.RelativeError <= 1) || err != nil && !errors.Is(err, lnmu.ErrShape) {
			t.Errorf("%d x %d with other columns: %v", m.Rows, m.Cols, err)
		}
		zeros := lnmu.NewCSR(lnmu.NewDense[float64](m.Rows, m.Cols, nil))
		must.Equal(t, must.Get(lnmu.Factor(t.Context(), &lnmutest.RowsOfCSR[float64]{CSR: zeros}, 2, lnmu.NMF{}, nil))(t).Stop, outcome.StopExact, "zeros")
	}
	tall.Val[n-1] = -1
	bad := (*fault.ValueError)(nil)
	_, err := lnmu.Factor(t.Context(), &lnmutest.RowsOfCSR[float64]{CSR: tall}, 2, nil, nil)
	if !errors.As(err, &bad) || bad.Row != 299 || bad.Value != -1 {
		t.Errorf("a negative entry: %v", err)
	}
	must.Refuse(lnmu.Factor[float64](t.Context(), nil, 2, nil, nil))(t, lnmu.ErrShape, "", "no M")
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
			_, err := lnmu.Factor(t.Context(), &lnmutest.RowsOfCSR[float64]{CSR: m}, 2, lnmu.NMF{}, &lnmu.Settings{Scratch: t.TempDir(), Limits: lnmu.Limits{Iterations: 1}})
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
