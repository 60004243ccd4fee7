// Package biclique looks for bicliques with many edges in bipartite graphs, by
// underapproximations of rank one. By Lemma 1 of the paper, the optimal underapproximations of
// rank one of a graph's 0/1 matrix are its bicliques with the most edges.
//
//	1 1 1 . 1        rows 0, 2, 3 and columns 1, 2, 4: each of these rows is joined
//	1 . . 1 .        to each of these columns, and nothing can be added
//	. 1 1 . 1
//	. 1 1 1 1
package biclique

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu"
	"nmu/lnmu/internal/check"
)

// DefaultStarts is the number of starts of Find by default.
const DefaultStarts = 20

// Options say how to look for a biclique. The zero value is the default.
type Options struct {
	Starts     int    // number of starts, default DefaultStarts
	Iterations int    // of L-NMU for each start, default 40
	Seed       uint64 // of the first start; the others have Seed+1, Seed+2, ...

	// Threads is the number of goroutines, each of which computes a start; default GOMAXPROCS.
	// The result does not depend on it.
	Threads int

	onEdges bool // hold N on the edges however small the graph is, for tests
}

// Result is a biclique: each row in Rows is joined to each column in Cols.
type Result struct {
	Rows, Cols []int // in increasing order
	Edges      int   // len(Rows) times len(Cols)
	Bound      int   // no biclique has more edges; if Edges equals it, the biclique is optimal
	Start      int   // the start that found it, from 1; 0 for a graph without edges
}

// Find looks for a biclique with many edges in a bipartite graph. Finding one with the most
// edges is NP-hard (section 2.4), so Find is a heuristic. Its result is a maximal biclique, but
// another one may have more edges.
//
// By Lemma 1, the optimal underapproximations of rank one of the graph's 0/1 matrix are its
// bicliques with the most edges. From each start, Find runs rank-one L-NMU on the matrix, and
// regularly rounds v and w to bicliques. If v w <= M, the positive entries of v and w name the
// rows and columns of a biclique. L-NMU only comes close to that, so Find takes columns in
// decreasing order of w while enough common neighbours are left, and rows by v in the same way.
// It then extends them to a maximal biclique. The result is the best one of all starts. The
// search ends early if a start reaches a bound that follows from the degrees.
//
// A small or dense graph is held as a matrix with its multipliers. For others, N is held on the
// edges only, and is -g(k) on all zeros, where g(k) grows geometrically (last remark of section
// 3). An iteration then takes time proportional to the number of edges, and each goroutine 8
// bytes for an edge.
//
// Errors wrap lnmu.ErrOption. If ctx is cancelled, Find returns the best biclique so far and
// the cause.
func Find(ctx context.Context, g *Graph, opt Options) (Result, error) {
	err := cmp.Or(kernel.LevelError(), check.Context(ctx),
		check.Count("starts", &opt.Starts, DefaultStarts), check.Count("iterations", &opt.Iterations, 40), check.Threads(&opt.Threads))
	if err != nil {
		return Result{}, err
	}
	if g == nil {
		return Result{}, fmt.Errorf("%w: the graph is nil; make one by NewGraph, FromDense or FromSparse", lnmu.ErrShape)
	}
	if g.Edges() == 0 {
		return Result{}, nil
	}
	var (
		mu   sync.Mutex
		next int
		best = Result{Bound: g.bound()}
	)
	work := func() {
		s := newSearch(g, opt)
		for {
			mu.Lock()
			next++
			start := next
			over := start > opt.Starts || best.Edges == best.Bound && start > best.Start
			mu.Unlock()
			if over || ctx.Err() != nil {
				return
			}
			s.run(ctx, opt.Seed+uint64(start-1), start%2 == 0)
			mu.Lock()
			if e := len(s.rows) * len(s.cols); e > best.Edges || e == best.Edges && start < best.Start {
				best.Rows, best.Cols, best.Edges, best.Start = widened(s.rows), widened(s.cols), e, start
			}
			mu.Unlock()
		}
	}
	team.Together(min(opt.Threads, opt.Starts), work, func() {})
	if ctx.Err() != nil {
		return best, fmt.Errorf("search for a biclique stopped early: %w", context.Cause(ctx))
	}
	return best, nil
}

// bound returns an upper bound for the edges of a biclique: if it has k vertices on one side,
// each vertex on the other side has degree k or more.
func (g *Graph) bound() int {
	bound := math.MaxInt
	for _, n := range []neighbours{g.row, g.col} {
		degrees := make([]int, len(n.first)-1)
		for x := range degrees {
			degrees[x] = n.first[x+1] - n.first[x]
		}
		slices.Sort(degrees)
		most := 0
		for x, k := range degrees {
			most = max(most, k*(len(degrees)-x))
		}
		bound = min(bound, most)
	}
	return bound
}

func widened(x []int32) []int {
	y := make([]int, len(x))
	for i := range x {
		y[i] = int(x[i])
	}
	return y
}

// search is the workspace of one goroutine.
type search struct {
	g          *Graph
	iterations int
	v, w, acc  []float64
	v0, w0     []float64 // before the current iteration
	m, n       kernel.Matrix[float64]
	edge       []float64 // N on the edges, row by row, if there is no matrix
	first      float64   // g(1)
	growth     float64   // g(k+1)/g(k)
	order      []int32
	rows, cols []int32 // the best biclique of this start
}

const (
	smallMatrix   = 1 << 16 // entries up to which a graph is always held as a matrix
	largestMatrix = 1 << 24 // entries up to which a dense graph is held as a matrix
	innerSteps    = 2       // T
	roundEvery    = 4       // iterations between two roundings
	firstZero     = 0.1     // g(1), times the part of ones in the matrix
	lastZero      = 100     // least g(k) at the end
)

// small reports whether a search keeps the matrix with its zeros.
func small(rows, cols, edges int) bool {
	entries := float64(rows) * float64(cols)
	return entries <= smallMatrix || entries <= largestMatrix && 4*float64(edges) >= entries
}

func newSearch(g *Graph, opt Options) *search {
	m, n := g.Rows(), g.Cols()
	at := func(n int) []float64 { return make([]float64, n) }
	s := &search{g: g, iterations: opt.Iterations, v: at(m), w: at(n), acc: at(n), v0: at(m), w0: at(n)}
	if small(m, n, g.Edges()) && !opt.onEdges {
		s.m, s.n = kernel.NewMatrix[float64](m, n), kernel.NewMatrix[float64](m, n)
		for i := range m {
			for _, j := range g.row.of(i) {
				s.m.Row(i)[j] = 1
			}
		}
	} else {
		s.edge = at(g.Edges())
		s.first = firstZero * float64(g.Edges()) / (float64(m) * float64(n))
		for last := 0.0; last < lastZero; {
			s.growth += 1. / 16
			last = s.first
			for range s.iterations {
				last *= s.growth
			}
		}
	}
	return s
}

// run searches from one start: random weights, or, if local, random weights near
// the neighbours of a row that is drawn in proportion to its degree.
func (s *search) run(ctx context.Context, seed uint64, local bool) {
	rng := rand.New(rand.NewPCG(seed, 1))
	s.rows, s.cols = nil, nil
	for j := range s.w {
		s.w[j] = rng.Float64()
	}
	if local {
		e := rng.IntN(s.g.Edges())
		i, _ := slices.BinarySearch(s.g.row.first, e+1) // start[i-1] <= e < start[i]
		for j := range s.w {
			s.w[j] /= 64
		}
		for _, j := range s.g.row.of(i - 1) {
			s.w[j] += 0.5
		}
	}
	clear(s.v)
	for i := range s.m.Rows {
		copy(s.n.Row(i), s.m.Row(i))
	}
	for e := range s.edge {
		s.edge[e] = 1
	}
	zeros := s.first
	for k := 1; k <= s.iterations && ctx.Err() == nil; k++ {
		copy(s.v0, s.v)
		copy(s.w0, s.w)
		alive := true
		for t := 0; t < innerSteps && alive; t++ {
			if s.edge != nil {
				alive = s.stepEdges(zeros)
			} else {
				alive = s.stepMatrix()
			}
		}
		if !alive {
			copy(s.v, s.v0)
			copy(s.w, s.w0)
			if s.edge != nil {
				break // g only grows
			}
			s.halve()
			continue
		}
		s.updateMultipliers(1 / float64(k))
		zeros *= s.growth
		if k%roundEvery == 0 {
			s.round()
		}
	}
	s.round()
}

// stepMatrix makes one HALS step on N and reports whether anything is left.
func (s *search) stepMatrix() bool {
	clear(s.acc)
	inv := kernel.Reciprocal(kernel.SumSquares(s.w))
	vv := kernel.RankOne(s.acc, s.v, s.n, s.w, inv, 0, kernel.Multiplier[float64]{})
	return s.finishStep(vv)
}

// stepEdges is stepMatrix for N given on the edges, and -g elsewhere. It computes with N + g on
// the edges, and subtracts g Σ w from every entry of N w, and g Σ v from every entry of v N.
func (s *search) stepEdges(g float64) bool {
	clear(s.acc)
	var ww, sumW, vv, sumV float64
	for _, w := range s.w {
		ww = math.FMA(w, w, ww)
		sumW += w
	}
	inv := kernel.Reciprocal(ww)
	for i := range s.v {
		adj, n := s.g.row.of(i), s.edge[s.g.row.first[i]:]
		t := -float64(g * sumW)
		for e, j := range adj {
			t = math.FMA(n[e]+g, s.w[j], t)
		}
		v := max(0, t) * inv
		s.v[i] = v
		if v == 0 {
			continue
		}
		for e, j := range adj {
			s.acc[j] = math.FMA(n[e]+g, v, s.acc[j])
		}
		vv = math.FMA(v, v, vv)
		sumV += v
	}
	off := float64(g * sumV)
	for j := range s.acc {
		s.acc[j] -= off
	}
	return s.finishStep(vv)
}

// finishStep sets w from acc = v N and reports whether v and w are not zero.
func (s *search) finishStep(vv float64) bool {
	inv := kernel.Reciprocal(vv)
	alive := false
	for j, a := range s.acc {
		s.w[j] = max(0, a) * inv
		alive = alive || s.w[j] > 0
	}
	return alive && inv > 0
}

// updateMultipliers sets N to min(M, N + µ(M - v w)), only on the edges if N is given there.
func (s *search) updateMultipliers(mu float64) {
	if s.edge == nil {
		for i, v := range s.v {
			n, m := s.n.Row(i), s.m.Row(i)
			for j, w := range s.w {
				n[j] = min(m[j], math.FMA(mu, math.FMA(-v, w, m[j]), n[j]))
			}
		}
		return
	}
	for i, v := range s.v {
		n := s.edge[s.g.row.first[i]:]
		for e, j := range s.g.row.of(i) {
			n[e] = min(1, math.FMA(mu, math.FMA(-v, s.w[j], 1), n[e]))
		}
	}
}

func (s *search) halve() {
	for i := range s.m.Rows {
		n, m := s.n.Row(i), s.m.Row(i)
		for j := range n {
			n[j] = (n[j] + m[j]) / 2
		}
	}
}

// round rounds v and w to bicliques and keeps the best one of this start.
func (s *search) round() {
	s.roundSide(s.w, s.g.col, s.g.row, func(cols, rows []int32) { s.rows, s.cols = rows, cols })
	s.roundSide(s.v, s.g.row, s.g.col, func(rows, cols []int32) { s.rows, s.cols = rows, cols })
}

// roundSide sorts the vertices x of one side with weight[x] > 0 in decreasing order of weight,
// and selects some in two ways. The first way takes the leading vertices, as many as give the
// most edges. The second way skips vertices that lower the number of edges. Each selection is
// extended to a maximal biclique.
func (s *search) roundSide(weight []float64, this, other neighbours, keep func(these, others []int32)) {
	s.order = s.order[:0]
	for x, w := range weight {
		if w > 0 && this.first[x+1] > this.first[x] {
			s.order = append(s.order, int32(x))
		}
	}
	if len(s.order) == 0 {
		return
	}
	slices.SortFunc(s.order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(weight[b], weight[a]), cmp.Compare(a, b))
	})
	first := this.of(int(s.order[0]))

	common, count, most := slices.Clone(first), 1, len(first)
	for i, x := range s.order[1:] {
		if common = intersect(common[:0], common, this.of(int(x))); len(common) == 0 {
			break
		}
		if e := (i + 2) * len(common); e > most {
			count, most = i+2, e
		}
	}
	s.extend(s.order[:count], this, other, keep)

	common = slices.Clone(first)
	taken := []int32{s.order[0]}
	scratch := make([]int32, 0, len(first))
	for _, x := range s.order[1:] {
		scratch = intersect(scratch[:0], common, this.of(int(x)))
		if (len(taken)+1)*len(scratch) >= len(taken)*len(common) {
			taken = append(taken, x)
			common, scratch = scratch, common
		}
	}
	s.extend(taken, this, other, keep)
}

// extend makes a maximal biclique of the common neighbours of these, and the common neighbours
// of those. It keeps it if it has more edges than the best one.
func (s *search) extend(these []int32, this, other neighbours, keep func(these, others []int32)) {
	others := this.common(these)
	these = other.common(others)
	if len(these)*len(others) > len(s.rows)*len(s.cols) {
		keep(these, others)
	}
}

// EstimateOf returns upper bounds in bytes on the memory of FromDense, FromSparse or NewGraph for a graph
// of these sides, beside their input, and on that of the graph and so many searches side by side in Find.
func EstimateOf(rows, cols, edges, searches int) (build, find int64) {
	m, n, z := float64(rows), float64(cols), float64(edges)
	// The list of edges, and those of the neighbours of one side, of the other one and of the first again.
	building := (16+3*4)*z + 36*m + 20*n
	graph := 2*4*z + 8*(m+n)
	search := 8 * (2*m + 3*n)
	if small(rows, cols, edges) {
		search += 2 * 8 * m * n
	} else {
		search += 8 * z
	}
	search += 16 * (m + n) // the order of the vertices, and the biclique
	return int64(building), int64(graph + float64(searches)*search)
}
