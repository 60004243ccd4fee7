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

// Remeasure implements core.Measuring from V and W alone. For a large M it costs no more than the
// iterations did.
func (d *Storage[T]) Remeasure(f core.Factors, iterations int) (core.Residual, bool, error) {
	t := team.New(d.Threads)
	defer t.Close()
	p := f.(*core.Pair[T])
	e := &measurement[T]{Team: t, m: *d.input, v: p.V, w: p.W}
	sum, exact := core.Residual{}, true
	if d.missing {
		sum = e.stored()
	} else {
		if d.Comm.Size() > 1 {
			e.ask = func() { d.Interrupted() }
		}
		sum, exact = e.sums(entryCost*float64(iterations)*float64(d.input.Entries), d.Cancelled)
	}
	return sum, !exact, group.Agree(d.input.Among(), e.err())
}

// Measure implements source.Opened. It computes M - V W on every entry, or on the stored ones if the others are
// missing.
func (d *Storage[T]) Measure(v, w kernel.Matrix[T]) (m source.Measured, err error) {
	if d.norm > 0 {
		d.tile()
	}
	t := team.New(d.Threads)
	defer t.Close()
	e := &measurement[T]{Team: t, m: *d.input}
	e.v, e.w = d.input.FromParts(v, w)
	residual := func() (sum core.Residual) {
		if d.missing {
			return e.stored()
		}
		if d.norm == 0 {
			sum, _ = e.everywhere(never) // M has no tiles
		} else {
			sum, _ = e.sums(math.Inf(1), never)
		}
		return sum
	}
	if m.Alpha = math.NaN(); d.norm > 0 {
		m.Alpha = e.fit(d.missing)
	}
	if d.norm > 0 || !d.missing {
		m.E = residual()
	}
	if m.Fitted() {
		e.w = matrix.Clone(e.w)
		kernel.Scale(e.w.Data, T(m.Alpha))
		m.Scaled = residual()
	}
	return m, group.Agree(d.Comm, e.err())
}

// fit returns the α that minimises ||M - α V W||. If missing is true, only stored entries count.
func (e *measurement[T]) fit(missing bool) float64 {
	s, sum := e.residual(missing)
	if missing {
		return sum.across / sum.within
	}
	total := newProductNorm[T](nil, e.v.Rows, e.w.Cols, e.v.Cols)
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

// sums sums up E = M - V W, and reports whether Least is exact or a bound. It forms at most so many
// entries of V W, or alwaysExact. It stops forming them when over.
func (e *measurement[T]) sums(most float64, over func() bool) (sum core.Residual, exact bool) {
	rows, cols := e.m.Dims()
	cells := float64(rows) * float64(cols)
	if cells <= alwaysExact {
		e.ask = nil // nobody waits for an end
		return e.everywhere(never)
	}
	x := e.byRows()
	sum = x.residual(max(most, alwaysExact), over)
	least, exact := e.leastOnZeros(sum.Least, most, over)
	if !exact {
		least = x.leastPossible(sum.Least)
	}
	sum.Least = least
	return sum, exact
}

func never() bool { return false }

// rounds is the number of calls of ask during a measurement by several processes.
const rounds = 64

// tasks runs so many tasks.
func (e *measurement[T]) tasks(count int, work func(member, task int)) {
	if e.ask == nil {
		e.Run(count, work)
		return
	}
	for round := range rounds {
		first := round * count / rounds
		e.Run((round+1)*count/rounds-first, func(member, task int) { work(member, first+task) })
		e.ask()
	}
}

// rowsOf is Rows of M, unless the work is over or M cannot be read.
func (e *measurement[T]) rowsOf(first, last int, over func() bool) (m tiles.CSR[T], top int, ok bool) {
	if over() || e.err() != nil {
		return m, 0, false
	}
	m, top, err := e.m.Rows(first, last)
	if err != nil {
		e.fail(err)
	}
	return m, top, err == nil
}

// everywhere computes E = M - V W tile by tile and sums it up. done is false if the run was
// cancelled.
func (e *measurement[T]) everywhere(over func() bool) (sum core.Residual, done bool) {
	slabs := e.m.Slabs()
	_, cols := e.m.Dims()
	v, w := e.m.ForRows(e.v, e.w)
	vt := v.Transposed()
	sums := make([]core.Residual, len(slabs)-1)
	products := make([]kernel.Matrix[T], e.Size())
	parts, zeros := make([]kernel.Matrix[T], e.Size()), kernel.NewMatrix[T](1, min(matrix.TileCols, cols))
	for i := range products {
		products[i] = kernel.NewMatrix[T](matrix.TileRows, min(matrix.TileCols, cols))
		parts[i] = kernel.NewMatrix[T](1, min(matrix.TileCols, cols))
	}
	e.tasks(len(sums), func(member, task int) {
		var s core.Residual
		var at [matrix.TileRows]int // the next stored entry of each row
		i, last := slabs[task], slabs[task+1]
		m, top, ok := e.rowsOf(i, last, over)
		if !ok {
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
	})
	return group.Sum(e.m.Among(), sums, core.Residual.Plus), !over()
}

// stored sums up E on the stored entries.
func (e *measurement[T]) stored() core.Residual {
	_, sum := e.residual(false)
	return core.Residual{Squares: sum.squares, Excess: sum.excess, Least: sum.least}
}

// residual returns a solver with the factors, and their residual.
func (e *measurement[T]) residual(missing bool) (*solver[T], entriesResidual) {
	l := tiles.NewLayout(e.m.Tiles, tiles.Form{}, e.Team)
	defer l.Stop()
	s := newSolver(l, e.v.Cols, missing)
	s.Take(e.v, e.w, 0)
	sum := s.residualOf([3]block.Access{block.OfM: block.Reads, block.OfN: block.Reads, tiles.OfGiven: block.Reads}, false)
	if err := l.Err(); err != nil {
		e.fail(err)
	}
	return s, sum
}
