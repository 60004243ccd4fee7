package sparse

import (
	"sync"
	"time"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/source"
	"nmu/lnmu/internal/start"
	"nmu/lnmu/internal/tiles"
)

// opened implements source.Opened. The input of a matrix in files is nil before Survey makes them.
type opened[T kernel.Float] struct {
	core.Session
	plan    core.Plan
	missing bool
	part    core.Part
	reader  tiles.Reader[T] // nil: M is in memory
	input   *tiles.Input[T]
	norm    float64 // of M, after Survey
}

// Open returns a rows x cols matrix in memory, of which this process has the part m. missing says
// that entries that are not stored are missing, rather than zero.
func Open[T kernel.Float](s core.Session, p core.Plan, rows, cols int, part core.Part, m tiles.CSR[T], missing bool) (source.Opened[T], error) {
	if missing {
		if err := tiles.CheckLines(s.Comm, part, m); err != nil {
			return nil, err
		}
	}
	x := tiles.Redistribute(s.Comm, rows, cols, part, m, formOf(p, missing).ByRows)
	return &opened[T]{Session: s, plan: p, missing: missing, input: &x}, nil
}

// OpenFiles is Open for a matrix in files. If shared is true, m is all of M in every process.
func OpenFiles[T kernel.Float](s core.Session, p core.Plan, part core.Part, m tiles.Reader[T], shared, missing bool) source.Opened[T] {
	if shared {
		m, part = tiles.ShareRows(s.Comm, m)
	}
	return &opened[T]{Session: s, plan: p, missing: missing, part: part, reader: m}
}

// Survey implements source.Opened. It also puts an M in files into scratch files.
func (o *opened[T]) Survey() (x source.Survey, err error) {
	if o.reader != nil {
		begun := time.Now()
		scan, err := tiles.NewScan(o.Comm, o.reader, o.part, formOf(o.plan, o.missing), o.missing, o.Interrupted)
		if err != nil {
			return x, err
		}
		x.Reading = time.Since(begun)
		if o.input, err = scan.Store(o.Threads, o.Scratch); err != nil {
			return x, err
		}
	}
	x.Entries = o.input.Entries()
	x.Norm, x.Largest, err = o.input.Norm()
	o.norm = x.Norm
	return x, err
}

// tile makes the tiles of a matrix in memory.
func (o *opened[T]) tile() {
	if o.reader == nil {
		o.input.Tile(formOf(o.plan, o.missing))
	}
}

// Storage implements source.Opened.
func (o *opened[T]) Storage(v, w kernel.Matrix[T], f start.Fixed[T]) core.Storage {
	o.tile()
	x := o.input
	d := &Storage[T]{Plan: o.plan, Session: o.Session, input: x, missing: o.missing, lines: sync.OnceValues(x.Lines)}
	d.rows, d.cols, d.part = x.Part()
	d.fixed = f.Of(d.part.Window(d.rows, d.cols))
	d.v, d.w = x.FromParts(v, w)
	if d.Comm.Size() > 1 {
		x.Tiles().Among().Control = d.Control
	}
	return d
}

// Result implements source.Opened.
func (o *opened[T]) Result(f core.Factors) (v, w kernel.Matrix[T]) {
	p := f.(*core.Pair[T])
	return o.input.ToParts(p.V, p.W)
}

// Close implements source.Opened.
func (o *opened[T]) Close() {
	if o.reader != nil && o.input != nil {
		o.input.Close()
	}
}
