// Package start makes the factors that a run begins with: random ones and fixed ones.
package start

import (
	"math/rand/v2"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/matrix"
)

// Of returns the start v and w that a caller gives, or draws that of a plan for an m x n matrix.
func Of[T kernel.Float](v, w kernel.Matrix[T], m, n int, p core.Plan, seed uint64, of core.Window) (kernel.Matrix[T], kernel.Matrix[T]) {
	switch {
	case v.Data != nil || w.Data != nil:
		return v, w
	case p.Pure():
		seed = 0 // columns of M take the place of most numbers, and no start of another seed is tried
	}
	return Draw[T](m, n, p.Rank, seed, p.Nested, of)
}

// Draw returns the rows of V (m x r) and the columns of W (r x n) that belong to a window of M.
// The numbers are uniform in [0, 1), from the PCG generator of math/rand/v2 with the given
// seed: V row by row, then W. If nested is true, each factor has a generator of its own. The
// float32 numbers are the rounded float64 ones.
func Draw[T kernel.Float](m, n, r int, seed uint64, nested bool, of core.Window) (v, w kernel.Matrix[T]) {
	if nested {
		return nestedPart[T](m, r, seed, of)
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	v, w = matrix.New[T](of.Rows.Len(), r, nil), matrix.New[T](r, of.Cols.Len(), nil)
	skip(rng, of.Rows.From, r)
	fill(rng, v.Data)
	skip(rng, m-of.Rows.To, r)
	for k := range r {
		skip(rng, of.Cols.From, 1)
		fill(rng, w.Row(k))
		skip(rng, n-of.Cols.To, 1)
	}
	return v, w
}

// nestedPart is Draw with a generator for each factor k = 0, 1, ..., which
// draws column k of V and then row k of W.
func nestedPart[T kernel.Float](m, r int, seed uint64, of core.Window) (v, w kernel.Matrix[T]) {
	const first = 2 // of the streams; 0 is for one generator, and 1 for SNMF
	v, w = matrix.New[T](of.Rows.Len(), r, nil), matrix.New[T](r, of.Cols.Len(), nil)
	for k := range r {
		rng := rand.New(rand.NewPCG(seed, first+uint64(k)))
		skip(rng, of.Rows.From, 1)
		for i := range v.Rows {
			v.Row(i)[k] = T(rng.Float64())
		}
		skip(rng, m-of.Rows.To+of.Cols.From, 1)
		fill(rng, w.Row(k))
	}
	return v, w
}

// fill draws numbers, uniform in [0, 1).
func fill[T kernel.Float](rng *rand.Rand, x []T) {
	for i := range x {
		x[i] = T(rng.Float64())
	}
}

// skip discards the numbers of a rows x cols matrix.
func skip(rng *rand.Rand, rows, cols int) {
	for range rows {
		for range cols {
			rng.Uint64() // as Float64 does
		}
	}
}
