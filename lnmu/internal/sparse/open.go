package sparse

import (
	"sync"
	"time"

	"nmu/kernel"
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/source"
	"nmu/lnmu/internal/start"
	"nmu/lnmu/internal/tiles"
)

// Open returns a rows x cols matrix in memory, of which this process has the part m. missing says
// that entries that are not stored are missing, rather than zero.
func Open[T kernel.Float](s core.Session, p core.Plan, rows, cols int, part core.Part, m tiles.CSR[T], missing bool) (source.Opened[T], error) {
	if missing {
		if err := tiles.CheckLines(s.Comm, part, m); err != nil {
			return nil, err
		}
	}
	x := tiles.Redistribute(s.Comm, rows, cols, part, m, formOf(p, missing).ByRows)
	return &Storage[T]{Session: s, Plan: p, missing: missing, input: &x}, nil
}

// Outline is Open or OpenFiles for an estimate, from whose arena it takes memory: this process has so many entries.
func Outline[T kernel.Float](s core.Session, p core.Plan, rows, cols, entries int, part core.Part, own core.Window, files, missing bool) source.Opened[T] {
	f, processes, m, n := formOf(p, missing), s.Comm.Size(), own.Rows.Len(), own.Cols.Len()
	byColumns := cols > rows && !f.ByRows
	switch {
	case files && byColumns:
		m, n = rows, (cols+processes-1)/processes
	case files:
		m, n = (rows+processes-1)/processes, cols
	}
	x := tiles.Outline[T](s.Arena, m, n, entries, byColumns)
	if files {
		x.Reserve(f, s.Threads, processes)
	}
	if float64(rows)*float64(cols) > alwaysExact { // the columns of W in the measurement of the result
		arena.Slice[T](s.Arena, p.Rank*n)
	}
	if processes > 1 { // the sums of two groups that others share
		arena.Slice[T](s.Arena, 2*min(rows, cols)*tiles.Padded[T](p.Block))
	}
	if cols > rows && processes > 1 { // W as a whole
		arena.Slice[T](s.Arena, 4*p.Rank*cols)
	}
	return &Storage[T]{Session: s, Plan: p, missing: missing, part: part, input: x}
}

// OpenFiles is Open for a matrix in files. If shared is true, m is all of M in every process.
func OpenFiles[T kernel.Float](s core.Session, p core.Plan, part core.Part, m tiles.Reader[T], shared, missing bool) source.Opened[T] {
	if shared {
		m, part = tiles.ShareRows(s.Comm, m)
	}
	return &Storage[T]{Session: s, Plan: p, missing: missing, part: part, reader: m}
}

// Survey implements source.Opened. It also puts an M in files into scratch files.
func (d *Storage[T]) Survey() (x source.Survey, err error) {
	if d.reader != nil {
		begun := time.Now()
		scan, err := tiles.NewScan(d.Comm, d.reader, d.part, formOf(d.Plan, d.missing), d.missing, d.Interrupted)
		if err != nil {
			return x, err
		}
		x.Reading = time.Since(begun)
		if d.input, err = scan.Store(d.Threads, d.Scratch); err != nil {
			return x, err
		}
	}
	if x.Entries = d.input.Entries; d.Arena.Dry() {
		return x, nil
	}
	x.Norm, x.Largest, err = d.input.Norm()
	d.norm = x.Norm
	return x, err
}

// tile makes the tiles of a matrix in memory.
func (d *Storage[T]) tile() {
	if d.input.Tiles == nil {
		d.input.Tile(formOf(d.Plan, d.missing))
	}
}

// Storage implements source.Opened.
func (d *Storage[T]) Storage(v, w kernel.Matrix[T], f start.Fixed[T]) core.Storage {
	d.tile()
	x := d.input
	d.lines = sync.OnceValues(x.Lines)
	if d.Arena.Dry() {
		d.rows, d.cols = x.Dims()
		return d
	}
	d.rows, d.cols, d.part = x.Part()
	d.fixed = f.Of(d.part.Window(d.rows, d.cols))
	d.v, d.w = x.FromParts(v, w)
	if d.Comm.Size() > 1 {
		x.Tiles.Among().Control = d.Control
	}
	return d
}

// Result implements source.Opened.
func (d *Storage[T]) Result(f core.Factors) (v, w kernel.Matrix[T]) {
	p := f.(*core.Pair[T])
	return d.input.ToParts(p.V, p.W)
}

// Transfers implements source.Opened.
func (d *Storage[T]) Transfers() (reads, writes float64) {
	values, places := d.input.Tiles.Stored()
	if reads = 2 * (places + values); d.input.Tiles.ByRows {
		reads /= 2
	}
	if d.Underapproximates {
		reads, writes = reads*float64(d.Inner)+values, values
		if d.Augmented {
			reads += (2*float64(d.Inner) - 1) * values
		}
	}
	return reads, writes
}

// Close implements source.Opened.
func (d *Storage[T]) Close() {
	if d.reader != nil && d.input != nil {
		d.input.Close()
	}
}
