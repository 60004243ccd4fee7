package dense

import (
	"time"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/observed"
	"nmu/lnmu/internal/source"
	"nmu/lnmu/internal/start"
)

// Open returns the part of M that this process has. e are the entries that count, and exact is
// that of source.Dense.Observe.
func Open[T kernel.Float](s core.Session, p core.Plan, m source.Given[T], part core.Part, e observed.Entries, exact bool) source.Opened[T] {
	x := source.New(m, part, s.Comm).Observe(e, exact)
	x.Share.Control = s.Control
	return &Storage[T]{Plan: p, Session: s, source: x}
}

// Survey implements source.Opened.
func (d *Storage[T]) Survey() (x source.Survey, err error) {
	rows, cols := d.source.Whole()
	x.Entries = rows * cols
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

// Close implements source.Opened.
func (d *Storage[T]) Close() {}
