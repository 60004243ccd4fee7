package sparse

import (
	"math"
	"sync/atomic"

	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/source"
	"nmu/lnmu/internal/tiles"
)

const (
	alwaysExact = 1 << 24 // m n up to which a result is measured on every entry
	entryCost   = 8       // cost of one stored entry in a pass, in entries of a tile of V W
)

// Measure implements core.Measuring from V and W alone. It computes M - V W on every entry if
// that costs no more than the iterations did. Otherwise it uses ||V W||².
func (d *Storage[T]) Measure(f core.Factors, iterations int) (core.Residual, bool, error) {
	t := team.New(d.Threads)
	defer t.Close()
	p := f.(*core.Pair[T])
	e := &measurement[T]{Team: t, m: *d.input, v: p.V, w: p.W}
	var sum core.Residual
	everywhere := false
	rows, cols := d.input.Dims()
	cells := float64(rows) * float64(cols)
	switch {
	case d.missing:
		sum, everywhere = e.stored(), true
	case cells <= alwaysExact:
		sum, everywhere = e.everywhere(func() bool { return false })
	case cells <= entryCost*float64(iterations)*float64(d.input.Entries()):
		if d.Comm.Size() > 1 {
			e.ask = func() { d.Interrupted() }
		}
		sum, everywhere = e.everywhere(d.Cancelled)
	}
	if !everywhere {
		sum = e.bounded()
	}
	return sum, !everywhere, group.Agree(d.input.Among(), e.err())
}

// Measure implements source.Opened.
func (o *opened[T]) Measure(v, w kernel.Matrix[T]) (source.Measured, error) {
	if o.norm > 0 {
		o.input.Tile(formOf(o.plan, o.missing))
	}
	return o.measure(v, w)
}

// Measure implements source.Opened.
func (o *inFiles[T]) Measure(v, w kernel.Matrix[T]) (source.Measured, error) { return o.measure(v, w) }

// measure is Measure for a matrix in tiles, unless M is zero. It computes M - V W on every entry, or
// on the stored ones if the others are missing.
func (o *opened[T]) measure(v, w kernel.Matrix[T]) (m source.Measured, err error) {
	t := team.New(o.Threads)
	defer t.Close()
	e := &measurement[T]{Team: t, m: *o.input}
	e.v, e.w = o.input.FromParts(v, w)
	residual := func() (sum core.Residual) {
		if o.missing {
			return e.stored()
		}
		sum, _ = e.everywhere(func() bool { return false })
		return sum
	}
	if m.Alpha = math.NaN(); o.norm > 0 {
		m.Alpha = e.fit(o.missing)
	}
	if o.norm > 0 || !o.missing {
		m.E = residual()
	}
	if m.Fitted() {
		e.w = matrix.Clone(e.w)
		for i := range e.w.Data {
			e.w.Data[i] *= T(m.Alpha)
		}
		m.Scaled = residual()
	}
	return m, group.Agree(o.Comm, e.err())
}

// fit returns the α that minimises ||M - α V W||. If missing is true, only stored entries count.
func (e *measurement[T]) fit(missing bool) float64 {
	l := tiles.NewLayout(e.m.Tiles(), tiles.Form{}, e.Team)
	defer l.Stop()
	s := newSolver(l, e.v.Cols, missing)
	s.start(e.v, e.w, 0)
	sum := s.residualOf([3]block.Access{block.OfM: block.Reads, block.OfN: block.Reads, tiles.OfGiven: block.Reads}, false)
	if err := l.Err(); err != nil {
		e.fail(err)
	}
	if missing {
		return sum.across / sum.within
	}
	total := newProductNorm[T](e.v.Rows, e.w.Cols, e.v.Cols)
	total.set(s, 0)
	return sum.across / total.squares(e.v.Cols)
}

// measurement is the work of Measure, of a result and of given factors.
type measurement[T kernel.Float] struct {
	*team.Team
	m    tiles.Input[T]
	v, w kernel.Matrix[T]
	ask  func() // several processes agree on whether the work is over; may be nil

	failed atomic.Pointer[error] // the first error of the disk
}

func (e *measurement[T]) fail(err error) { e.failed.CompareAndSwap(nil, &err) }

func (e *measurement[T]) err() error {
	if err := e.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// rounds is the number of calls of ask during a measurement by several processes.
const rounds = 64

// everywhere computes E = M - V W tile by tile and sums it up. done is false if the run was
// cancelled.
func (e *measurement[T]) everywhere(over func() bool) (sum core.Residual, done bool) {
	slabs := e.m.Slabs()
	_, cols := e.m.Dims()
	v, w := e.m.ForRows(e.v, e.w)
	vt := matrix.Transposed(v)
	sums := make([]core.Residual, len(slabs)-1)
	products := make([]kernel.Matrix[T], e.Size())
	parts, zeros := make([]kernel.Matrix[T], e.Size()), kernel.NewMatrix[T](1, min(matrix.TileCols, cols))
	for i := range products {
		products[i] = kernel.NewMatrix[T](matrix.TileRows, min(matrix.TileCols, cols))
		parts[i] = kernel.NewMatrix[T](1, min(matrix.TileCols, cols))
	}
	first := 0 // slab of a round
	work := func(member, task int) {
		task += first
		var s core.Residual
		var at [matrix.TileRows]int // the next stored entry of each row
		i, last := slabs[task], slabs[task+1]
		if over() || e.err() != nil {
			return
		}
		m, top, err := e.m.Rows(i, last)
		if err != nil {
			e.fail(err)
			return
		}
		for ; i < last && !over(); i += matrix.TileRows {
			end := min(i+matrix.TileRows, last)
			copy(at[:], m.Ptr[i-top:end-top])
			for j := 0; j < cols; j += matrix.TileCols {
				to := min(j+matrix.TileCols, cols)
				p := products[member].Slice(0, end-i, 0, to-j)
				kernel.Product(p, matrix.View(vt, i, end), matrix.View(w, j, to))
				for r := range end - i {
					row := p.Row(r)
					t := at[r]
					for ; t < m.Ptr[i-top+r+1] && int(m.Idx[t]) < to; t++ {
						row[int(m.Idx[t])-j] -= m.Val[t]
					}
					at[r] = t
					s.Squares += float64(kernel.SumSquares(row))
					if most := float64(kernel.Max(row)); most > 0 {
						s.Least = min(s.Least, -most)
						part := matrix.View(parts[member], 0, to-j)
						kernel.Target(part, p.Slice(r, r+1, 0, to-j), matrix.View(zeros, 0, to-j), 0, -1)
						s.Excess += float64(kernel.SumSquares(part.Row(0)))
					}
				}
			}
		}
		sums[task] = s
	}
	if e.ask == nil {
		e.Run(len(sums), work)
	} else {
		for round := range rounds {
			first = round * len(sums) / rounds
			e.Run((round+1)*len(sums)/rounds-first, work)
			e.ask()
		}
	}
	return group.Sum(e.m.Among(), sums, core.Residual.Plus), !over()
}

// stored sums up E on the stored entries.
func (e *measurement[T]) stored() core.Residual {
	_, sum := e.residual()
	return core.Residual{Squares: sum.squares, Excess: sum.excess, Least: sum.least}
}

// residual returns a solver with the factors, and their residual.
func (e *measurement[T]) residual() (*solver[T], entriesResidual) {
	l := tiles.NewLayout(e.m.Tiles(), tiles.Form{}, e.Team)
	defer l.Stop()
	s := newSolver(l, e.v.Cols, false)
	s.start(e.v, e.w, 0)
	sum := s.residual(false)
	if err := l.Err(); err != nil {
		e.fail(err)
	}
	return s, sum
}

// bounded sums up E by means of ||V W||², since V W on the zeros is all violation. Least is a
// lower bound on E. It is exact on the stored entries. On the zeros it comes from the norms and
// largest entries of V and W.
func (e *measurement[T]) bounded() core.Residual {
	s, sum := e.residual()
	total := newProductNorm[T](e.v.Rows, e.w.Cols, e.v.Cols)
	total.set(s, 0)

	// |v_i · w_j| is at most Σ_k v_ik max_j w_kj and at most ||v_i|| max_j ||w_j||.
	most := make([]float64, e.w.Rows+1) // the last one is max ||w_j||
	longest := &most[e.w.Rows]
	group.Ring(e.m.Among(), group.Memory(most), func() {
		for k := range e.w.Rows {
			if e.w.Cols > 0 {
				most[k] = max(most[k], float64(kernel.Max(e.w.Row(k))))
			}
		}
		for j := range e.w.Cols {
			*longest = max(*longest, norm64(total.wt.Row(j)))
		}
	})
	bound := -sum.least
	group.Ring(e.m.Among(), group.Bytes(&bound), func() {
		for i := range e.v.Rows {
			row := e.v.Row(i)
			var linear float64
			for k, x := range row {
				linear += float64(float64(x) * most[k])
			}
			bound = max(bound, min(linear, norm64(row)**longest))
		}
	})
	zeros := max(0, total.squares(e.v.Cols)-sum.product)
	return core.Residual{Squares: sum.squares + zeros, Excess: sum.excess + zeros, Least: -bound}
}

// norm64 returns ||x|| in float64.
func norm64[T kernel.Float](x []T) float64 {
	var sum float64
	for _, y := range x {
		sum += float64(float64(y) * float64(y))
	}
	return math.Sqrt(sum)
}
