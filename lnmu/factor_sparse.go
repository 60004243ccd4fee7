package lnmu

import (
	"context"
	"time"
	"unsafe"

	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/outline"
	"nmu/lnmu/internal/run"
	"nmu/lnmu/internal/sparse"
	"nmu/lnmu/internal/tiles"
)

// factorSparse is factor for a sparse matrix.
func factorSparse[T Float](ctx context.Context, m CSR[T], o outline.Matrix, start given[T], method Method, settings *Settings) (*Result[T], error) {
	begun := time.Now()
	p, s, err := beginSparse(ctx, m, o, start, method, settings)
	if err := group.Agree(o.Comm(), err); err != nil {
		return nil, err
	}
	j := newJob(ctx, p, s, start, begun)
	if err := j.SameStorage(false); err != nil {
		return nil, err
	}
	if err := group.Agree(j.Comm, j.Alike()); err != nil {
		return nil, err
	}
	if p.StoredOnly {
		if err := tiles.CheckLines(j.Comm, o.Part(), tiles.CSR[T](m)); err != nil {
			return nil, err
		}
	}
	form := sparse.FormOf(j.Plan, p.StoredOnly)
	x := tiles.Redistribute(j.Comm, o.Rows, o.Cols, o.Part(), tiles.CSR[T](m), form.ByRows)
	if j.Norm, j.Largest, err = x.Norm(); err != nil {
		return nil, err
	}
	fixed, err := newFixed[T](s.Fixed, o.Rows, o.Cols)
	if err != nil {
		return nil, err
	}
	if j.Norm == 0 {
		res := summedZero[T](p, m.Rows, m.Cols, start.rank, s)
		fixed.Of(o.Own).Fill(res.V, res.W, 0)
		return res, nil
	}
	x.Tile(form)
	return factorTiles(j, sparse.NewStorage(x, j.Plan, start.v, start.w, fixed), p, s)
}

// factorTiles runs all restarts on a matrix in tiles.
func factorTiles[T Float](j *run.Job, d *sparse.Storage[T], p resolved, s Settings) (*Result[T], error) {
	d.Missing, d.Threads = p.StoredOnly, s.Threads
	d.Cancelled, d.Over, d.Failed = j.Cancelled, j.Over, j.Break
	if j.Comm.Size() > 1 {
		d.Ask = func() { j.Interrupted() }
		d.SetControl(j.Control)
	}
	j.Storage, j.Loose, j.Incomplete = d, true, p.Incomplete()
	j.Bytes = d.Entries() * int(unsafe.Sizeof(T(0)))
	res, err := resultOf[T](j, s)
	if res != nil {
		res.V, res.W = d.Result(&core.Pair[T]{V: res.V, W: res.W})
	}
	return res, err
}
