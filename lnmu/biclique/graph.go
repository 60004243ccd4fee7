package biclique

import (
	"fmt"
	"math"
	"slices"

	"nmu/lnmu"
	"nmu/lnmu/internal/matrix"
)

// Graph is a bipartite graph, or a 0/1 matrix. Its edges (i, j) join a row i and a column j. It
// keeps sorted lists of neighbours on both sides, 8 bytes for an edge.
type Graph struct {
	row, col neighbours
}

// Edge joins a row and a column of a Graph, both counted from 0.
type Edge struct{ Row, Col int }

// neighbours holds the lists of one side: those of x are
// list[first[x]:first[x+1]], in increasing order.
type neighbours struct {
	first []int
	list  []int32
}

func (n neighbours) of(x int) []int32 { return n.list[n.first[x]:n.first[x+1]] }

// NewGraph returns the graph with the given numbers of rows and columns and the
// given edges, in any order; an edge named twice is one edge. Time and memory are
// proportional to rows + cols + len(edges). The error wraps lnmu.ErrShape.
func NewGraph(rows, cols int, edges []Edge) (*Graph, error) {
	if rows < 0 || cols < 0 || rows > math.MaxInt32 || cols > math.MaxInt32 {
		return nil, fmt.Errorf("%w: a graph of %d rows and %d columns; both must be from 0 to %d", lnmu.ErrShape, rows, cols, math.MaxInt32)
	}
	for i, e := range edges {
		if e.Row < 0 || e.Row >= rows || e.Col < 0 || e.Col >= cols {
			return nil, fmt.Errorf("%w: edge %d (%d, %d) lies outside the %d rows and %d columns", lnmu.ErrShape, i, e.Row, e.Col, rows, cols)
		}
	}
	// Sorted by rows, then reversed twice: each time leaves sorted lists.
	byRow := neighbours{first: make([]int, rows+1), list: make([]int32, len(edges))}
	for _, e := range edges {
		byRow.first[e.Row+1]++
	}
	for i := range rows {
		byRow.first[i+1] += byRow.first[i]
	}
	next := slices.Clone(byRow.first[:rows])
	for _, e := range edges {
		byRow.list[next[e.Row]] = int32(e.Col)
		next[e.Row]++
	}
	col := byRow.reversed(cols)
	return &Graph{row: col.reversed(rows), col: col}, nil
}

// reversed returns the lists of the other side, which has count vertices, with each edge once.
func (n neighbours) reversed(count int) neighbours {
	t := neighbours{first: make([]int, count+1)}
	last := make([]int32, count) // the last vertex with x as a neighbour, plus 1
	each := func(f func(x, y int32)) {
		clear(last)
		for y := range len(n.first) - 1 {
			for _, x := range n.of(y) {
				if last[x] != int32(y)+1 {
					last[x] = int32(y) + 1
					f(x, int32(y))
				}
			}
		}
	}
	each(func(x, _ int32) { t.first[x+1]++ })
	for x := range count {
		t.first[x+1] += t.first[x]
	}
	t.list = make([]int32, t.first[count])
	next := slices.Clone(t.first[:count])
	each(func(x, y int32) {
		t.list[next[x]] = y
		next[x]++
	})
	return t
}

// FromDense returns the graph of a 0/1 matrix. The error wraps lnmu.ErrShape or, for
// an entry that is neither 0 nor 1, lnmu.ErrValue.
func FromDense[T lnmu.Float](m lnmu.Dense[T]) (*Graph, error) {
	if err := matrix.Check("M", m); err != nil {
		return nil, err
	}
	return FromSparse(lnmu.NewCSR(m))
}

// FromSparse is FromDense for a sparse 0/1 matrix.
func FromSparse[T lnmu.Float](m lnmu.CSR[T]) (*Graph, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	row := neighbours{first: make([]int, 1, m.Rows+1)}
	for i := range m.Rows {
		for e := m.Ptr[i]; e < m.Ptr[i+1]; e++ {
			switch j, x := m.Idx[e], m.Val[e]; x {
			case 0:
			case 1:
				row.list = append(row.list, j)
			default:
				return nil, fmt.Errorf("%w: row %d, column %d of M = %v is neither 0 nor 1", lnmu.ErrValue, i+1, j+1, float64(x))
			}
		}
		row.first = append(row.first, len(row.list))
	}
	return &Graph{row: row, col: row.reversed(m.Cols)}, nil
}

// Rows returns the number of rows.
func (g *Graph) Rows() int { return len(g.row.first) - 1 }

// Cols returns the number of columns.
func (g *Graph) Cols() int { return len(g.col.first) - 1 }

// Edges returns the number of edges.
func (g *Graph) Edges() int { return len(g.row.list) }

// common returns, in increasing order, the vertices of the other side that are
// joined to all of xs, which must not be empty.
func (n neighbours) common(xs []int32) []int32 {
	all := slices.Clone(n.of(int(xs[0])))
	for _, x := range xs[1:] {
		all = intersect(all[:0], all, n.of(int(x)))
	}
	return all
}

// intersect appends to dst the common elements of a and b, which both increase. dst may be
// a[:0]. The time is at most the sum of the lengths, or, if they differ much, the smaller
// length times the logarithm of the larger one.
func intersect(dst, a, b []int32) []int32 {
	if len(a) > len(b) {
		a, b = b, a
	}
	search := len(b) > 16*len(a)
	for _, x := range a {
		if search {
			at, _ := slices.BinarySearch(b, x)
			b = b[at:]
		} else {
			for len(b) > 0 && b[0] < x {
				b = b[1:]
			}
		}
		if len(b) == 0 {
			break
		}
		if b[0] == x {
			dst = append(dst, x)
			b = b[1:]
		}
	}
	return dst
}
