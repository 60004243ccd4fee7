package biclique

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
)

// graphOfBits returns the m x n graph whose matrix has the given bits.
func graphOfBits(t *testing.T, m, n int, rows []uint) *Graph {
	t.Helper()
	var edges []Edge
	for i := range m {
		for j := range n {
			if rows[i]>>j&1 == 1 {
				edges = append(edges, Edge{i, j})
			}
		}
	}
	g := must.Get(NewGraph(m, n, edges))(t)
	return g
}

// mostEdges returns the number of edges of a maximum biclique, by trying every
// set of columns.
func mostEdges(n int, rows []uint) int {
	most := 0
	for cols := uint(1); cols < 1<<n; cols++ {
		count := 0
		for _, r := range rows {
			if r&cols == cols {
				count++
			}
		}
		most = max(most, count*bits.OnesCount(cols))
	}
	return most
}

// checkBiclique checks that a result is a maximal biclique of the graph with
// these rows, without any help from the code under test.
func checkBiclique(t *testing.T, rows []uint, n int, res Result) {
	t.Helper()
	var cols uint
	for _, j := range res.Cols {
		cols |= 1 << j
	}
	common := uint(1)<<n - 1
	for _, i := range res.Rows {
		common &= rows[i]
	}
	var all []int
	for i, r := range rows {
		if r&cols == cols {
			all = append(all, i)
		}
	}
	if !slices.IsSorted(res.Cols) || bits.OnesCount(cols) != len(res.Cols) || !slices.Equal(all, res.Rows) ||
		common != cols || res.Bound < mostEdges(n, rows) || res.Edges != len(res.Rows)*len(res.Cols) {
		t.Fatalf("%b: %+v is not a maximal biclique", rows, res)
	}
}

// TestBicliqueSmall compares with exhaustive search on all graphs up to 4 x 4, of
// those that differ in the order of their rows only one, and a third of those of 4 x 4 unless NMU_FULL asks
// for all.
func TestBicliqueSmall(t *testing.T) {
	graphs, found := 0, 0
	for m := 1; m <= 4; m++ {
		for n := 1; n <= 4; n++ {
			for all := range 1 << (m * n) {
				rows := make([]uint, m)
				for i := range rows {
					rows[i] = uint(all) >> (i * n) & (1<<n - 1)
				}
				if !slices.IsSorted(rows) || m*n == 16 && all%3 > 0 && os.Getenv("NMU_FULL") == "" {
					continue
				}
				graphs++
				res := must.Get(Find(context.Background(), graphOfBits(t, m, n, rows), Options{Threads: 1}))(t)
				most := mostEdges(n, rows)
				if most == res.Edges {
					found++
				}
				if most > 0 {
					checkBiclique(t, rows, n, res)
				} else if res.Edges != 0 || res.Rows != nil || res.Cols != nil {
					t.Errorf("%+v in a graph without edges", res)
				}
			}
		}
	}
	t.Logf("a maximum biclique in %d of %d graphs", found, graphs)
	must.AtLeast(t, float64(found), 0.95*float64(graphs), "a maximum biclique in", found, "of", graphs, "graphs only")
}

// TestBicliqueRandom compares with exhaustive search on random graphs, by L-NMU
// on the matrix and on the edges.
func TestBicliqueRandom(t *testing.T) {
	for _, onEdges := range []bool{false, true} {
		rng := rand.New(rand.NewPCG(3, 3))
		graphs := 500
		if os.Getenv("NMU_FULL") != "" {
			graphs = 2000
		}
		found := 0
		for range graphs {
			m, n := 1+rng.IntN(8), 1+rng.IntN(8)
			density := rng.Float64()
			rows := make([]uint, m)
			for i := range rows {
				for j := range n {
					if rng.Float64() < density {
						rows[i] |= 1 << j
					}
				}
			}
			g := graphOfBits(t, m, n, rows)
			opt := Options{Threads: 1, onEdges: onEdges}
			res := must.Get(Find(context.Background(), g, opt))(t)
			most := mostEdges(n, rows)
			if res.Edges == most {
				found++
			}
			if most > 0 {
				checkBiclique(t, rows, n, res)
			}
		}
		t.Logf("on edges %t: a maximum biclique in %d of %d graphs", onEdges, found, graphs)
		if found < graphs*95/100 {
			t.Errorf("on edges %t: a maximum biclique in %d of %d graphs only", onEdges, found, graphs)
		}
	}
}

// TestBicliqueLarge plants a biclique of 60 x 50 in a sparse graph of a million
// edges.
func TestBicliqueLarge(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("a million edges: with NMU_FULL only")
	}
	rng := rand.New(rand.NewPCG(4, 4))
	const m, n = 200_000, 100_000
	var edges []Edge
	rows, cols := rng.Perm(m)[:60], rng.Perm(n)[:50]
	for _, i := range rows {
		for _, j := range cols {
			edges = append(edges, Edge{i, j})
		}
	}
	for len(edges) < 1_000_000 {
		edges = append(edges, Edge{rng.IntN(m), rng.IntN(n)})
	}
	g := must.Get(NewGraph(m, n, edges))(t)
	res := must.Get(Find(context.Background(), g, Options{Starts: 2}))(t)
	slices.Sort(rows)
	slices.Sort(cols)
	if !slices.Equal(res.Rows, rows) || !slices.Equal(res.Cols, cols) {
		t.Errorf("%d x %d found, want 60 x 50", len(res.Rows), len(res.Cols))
	}
}

// TestBicliqueThreads checks that the number of threads does not change the
// result, nor which start it is from.
func TestBicliqueThreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for round := range 6 {
		var edges []Edge
		for range 900 {
			edges = append(edges, Edge{rng.IntN(70), rng.IntN(60)})
		}
		g := must.Get(NewGraph(70, 60, edges))(t)
		var first Result
		for _, threads := range []int{1, 2, 7} {
			res := must.Get(Find(context.Background(), g, Options{Threads: threads, Seed: uint64(round), onEdges: round%2 == 1}))(t)
			if threads == 1 {
				first = res
			} else if !reflect.DeepEqual(res, first) {
				t.Errorf("%d threads: %+v, one: %+v", threads, res, first)
			}
			for _, i := range res.Rows {
				for _, j := range res.Cols {
					if !hasEdge(g, i, j) {
						t.Errorf("(%d, %d) is not an edge", i, j)
					}
				}
			}
		}
	}
}

func TestGraph(t *testing.T) {
	g := must.Get(NewGraph(3, 4, []Edge{{2, 3}, {0, 1}, {2, 0}, {0, 1}, {2, 3}}))(t)
	if g.Rows() != 3 || g.Cols() != 4 || g.Edges() != 3 || !hasEdge(g, 2, 0) || hasEdge(g, 1, 0) || !hasEdge(g, 0, 1) {
		t.Errorf("%+v", g)
	}
	must.Equal(t, fmt.Sprint(g.row.of(0), g.row.of(1), g.row.of(2), g.col.of(0), g.col.of(1), g.col.of(2), g.col.of(3)), "[1] [] [0 3] [2] [0] [] [2]", "neighbours")
	matrix := lnmu.NewDense(3, 4, []float32{0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1})
	dense, err1 := FromDense(matrix)
	sparse, err2 := FromSparse(lnmu.NewCSR(matrix))
	if !reflect.DeepEqual(dense, g) || !reflect.DeepEqual(sparse, g) {
		t.Errorf("from a matrix %+v (%v), from a sparse one %+v (%v), want %+v", dense, err1, sparse, err2, g)
	}
	for _, c := range []struct{ a, b, want []int32 }{
		{nil, []int32{1}, nil},
		{[]int32{1, 3, 5}, []int32{0, 3, 5, 6}, []int32{3, 5}},
		{[]int32{7}, []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}, []int32{7}},
		{[]int32{30}, []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}, nil},
	} {
		must.EqualSlices(t, intersect(nil, c.a, c.b), c.want, c.a, "and", c.b)
		must.EqualSlices(t, intersect(c.b[:0], slices.Clone(c.b), c.a), c.want, c.b, "and", c.a)
	}
	tooMany := 1
	tooMany <<= 31 // negative where an int has 32 bits
	for _, c := range []struct {
		err  error
		is   error
		says string
	}{
		{second(NewGraph(-1, 2, nil)), lnmu.ErrShape, "-1 rows"},
		{second(NewGraph(tooMany, 2, nil)), lnmu.ErrShape, "2147483648 rows"},
		{second(NewGraph(2, 2, []Edge{{0, 0}, {1, 2}})), lnmu.ErrShape, "edge 1 (1, 2) lies outside"},
		{second(FromDense(lnmu.NewDense(1, 2, []float64{1, 0.5}))), lnmu.ErrValue, "row 1, column 2 of M = 0.5 is neither 0 nor 1"},
		{second(FromDense(lnmu.Dense[float64]{})), lnmu.ErrShape, "M is empty"},
		{second(FromSparse(lnmu.NewCSR(lnmu.NewDense(1, 2, []float64{1, 0.5})))), lnmu.ErrValue, "row 1, column 2 of M = 0.5 is neither 0 nor 1"},
		{second(FromSparse(lnmu.CSR[float64]{})), lnmu.ErrShape, "M is empty"},
		{second(Find(context.Background(), g, Options{Starts: -1})), lnmu.ErrOption, "starts -1"},
		{second(Find(context.Background(), g, Options{Iterations: -1})), lnmu.ErrOption, "iterations -1"},
		{second(Find(context.Background(), g, Options{Threads: -1})), lnmu.ErrOption, "threads -1"},
		{second(Find(context.Background(), g, Options{Threads: 1 << 30, Starts: 1 << 30})), lnmu.ErrOption, "choose 1 to 4096"},
		{second(Find(context.Background(), nil, Options{})), lnmu.ErrShape, "the graph is nil"},
	} {
		if !errors.Is(c.err, c.is) || !strings.Contains(c.err.Error(), c.says) {
			t.Errorf("error %v, want %v that says %q", c.err, c.is, c.says)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if res, err := Find(ctx, g, Options{}); !errors.Is(err, context.Canceled) || res.Edges != 0 {
		t.Errorf("cancelled: %+v, error %v", res, err)
	}
}

// second returns the second of two values.
func second[T any](_ T, err error) error { return err }

// hasEdge reports whether row i and column j are joined.
func hasEdge(g *Graph, i, j int) bool {
	_, ok := slices.BinarySearch(g.row.of(i), int32(j))
	return ok
}
