package dense

import (
	"time"
	"unsafe"

	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/observed"
	"nmu/lnmu/internal/source"
	"nmu/lnmu/internal/start"
)

// Open returns the part of M that this process has. e are the entries that count, and exact is
// that of source.Dense.Observe.
func Open[T kernel.Float](s core.Session, p core.Plan, m source.Given[T], part core.Part, e observed.Entries, exact bool) source.Opened[T] {
	x := source.New(m, part, s.Comm)
	x.Arena, x.Share.Control = s.Arena, s.Control
	return &Storage[T]{Plan: p, Session: s, source: x.Observe(e, exact)}
}

// Survey implements source.Opened.
func (d *Storage[T]) Survey() (x source.Survey, err error) {
	rows, cols := d.source.Whole()
	x.Entries = rows * cols
	if d.Arena.Dry() {
		d.source.Reserve(d.Threads)
		return x, nil
	}
	if d.source.Reader == nil {
		x.Norm, x.Largest, err = d.source.Norm("M", d.Threads)
		return x, err
	}
	begun, done := time.Now(), false
	x.Norm, x.Largest, done, err = d.source.FilesNorm(d.Over, d.Failed, d.Threads)
	if !done && err == nil {
		err = group.ErrInterrupted
	}
	x.Reading = time.Since(begun)
	return x, err
}

// Storage implements source.Opened.
func (d *Storage[T]) Storage(v, w kernel.Matrix[T], f start.Fixed[T]) core.Storage {
	d.v, d.w, d.fixed = v, w, f.Of(d.source.Window())
	return d
}

// Result implements source.Opened.
func (d *Storage[T]) Result(f core.Factors) (v, w kernel.Matrix[T]) {
	p := f.(*core.Pair[T])
	return p.V, p.W
}

// Transfers implements source.Opened.
func (d *Storage[T]) Transfers() (reads, writes float64) {
	if d.source.Reader == nil {
		return 0, 0
	}
	lines, width := d.source.Lines()
	processes := d.source.Share.Size()
	own := (width + processes - 1) / processes
	panel := block.PanelWidth[T](d.source.Part.Whole, width, processes)
	steps, panels := float64(d.Inner), float64((own+panel-1)/panel)
	reads = 1 // of M: one product with it for both factors
	switch {
	case d.Augmented: // both M and G in each HALS step
		reads, writes = 2*steps, 1
	case d.L1: // in each step N for the rows, and once for every panel of columns; M and N for the update
		reads, writes = steps*(1+panels)+2, 1
	case d.Priors: // N twice in each step, or once
		reads, writes = 2*steps+1, 1
	case d.Underapproximates: // N in each of them, and M once, for the update of N
		reads, writes = steps+1, 1
	case d.Coordinates: // whole columns, a panel of all processes at a time
		reads += panels
	case d.Products, d.Accelerated && d.source.Observed.Incomplete(): // of the latter one is for the error
		reads = 2
	}
	all := float64(unsafe.Sizeof(T(0))) * float64(lines) * float64(width)
	return reads * all, writes * all
}

// Close implements source.Opened.
func (d *Storage[T]) Close() {}
