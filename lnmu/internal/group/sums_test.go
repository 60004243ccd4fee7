package group

import (
	"math"
	"math/rand/v2"
	"testing"

	"nmu/kernel"
)

// TestSlabs: small problems have several slabs, large ones have as many as there are
// some hundred rows, and all have about the same size.
func TestSlabs(t *testing.T) {
	for _, c := range []struct{ rows, size, count int }{
		{1, 8, 1}, {191, 192, 1}, {192, 96, 2}, {256, 128, 2}, {2429, 304, 8}, {20000, 320, 63},
		{1 << 20, 256, 4096}, {1<<20 - 1, 512, 2048},
	} {
		if size, count := Slabs(c.rows); size != c.size || count != c.count {
			t.Errorf("%d rows: %d slabs of %d, want %d of %d", c.rows, count, size, c.count, c.size)
		}
	}
	for rows := 1; rows < 40000; rows++ {
		size, count := Slabs(rows)
		if size%8 != 0 || (count-1)*size >= rows || count*size < rows || count > 1 && size < fewRows || size >= 2*manyRows+8 {
			t.Fatalf("%d rows: %d slabs of %d", rows, count, size)
		}
	}
}

// TestSums compares what a pass adds up with literal sums over the slabs, for teams of
// every size, whichever member does which task.
func TestSums(t *testing.T) {
	const rows, cols, rank = 3, 37, 2
	rng := rand.New(rand.NewPCG(1, 0))
	for _, n := range []int{1, 2, 3, 7, 8, 40, 63, 129, 300} {
		leaves := make([]Part[float64], n)
		for i := range leaves {
			leaves[i] = newPart(rows, cols, rank, false, kernel.NewMatrix[float64])
			for _, x := range [][]float64{leaves[i].Product.Data, leaves[i].Gram.Data} {
				for k := range x {
					x[k] = rng.Float64()
				}
			}
		}
		var literal func(first, last int, entry func(p Part[float64]) float64) float64
		literal = func(first, last int, entry func(p Part[float64]) float64) float64 {
			if last-first == 1 {
				return entry(leaves[first])
			}
			half := 1
			for 2*half < last-first {
				half *= 2
			}
			return literal(first, first+half, entry) + literal(first+half, last, entry)
		}
		for _, members := range []int{1, 2, 3, 16} {
			s := NewSums[float64](ForSlabs(Self{}, n), members, rows, cols, rank, kernel.NewMatrix)
			if most := min(n, 2*members*tasksPerMember); len(s.Tasks) > most || len(s.parts) != len(s.Tasks)+members*s.depth {
				t.Fatalf("%d slabs, %d members: %d tasks, %d parts", n, members, len(s.Tasks), len(s.parts))
			}
			if each := n / members; members > 1 && n <= fewSlabs && n%members == 0 && each&(each-1) == 0 && each > 0 && len(s.Tasks) != members {
				t.Errorf("%d slabs, %d members: %d tasks", n, members, len(s.Tasks))
			}
			for _, task := range rng.Perm(len(s.Tasks)) {
				s.Fold(rng.IntN(members), task, func(to *Part[float64], slab int) {
					copy(to.Product.Data, leaves[slab].Product.Data)
					copy(to.Gram.Data, leaves[slab].Gram.Data)
				})
			}
			s.AddProducts(0, 8)
			s.AddProducts(8, cols)
			s.AddGrams()
			for k := range rows {
				for j := range cols {
					if got, want := s.parts[0].Product.At(k, j), literal(0, n, func(p Part[float64]) float64 { return p.Product.At(k, j) }); got != want {
						t.Fatalf("%d slabs, %d members: product[%d,%d] = %v, want %v", n, members, k, j, got, want)
					}
				}
			}
			for k := range rank {
				for l := range rank {
					if got, want := s.parts[0].Gram.At(k, l), literal(0, n, func(p Part[float64]) float64 { return p.Gram.At(k, l) }); got != want {
						t.Fatalf("%d slabs, %d members: gram[%d,%d] = %v, want %v", n, members, k, l, got, want)
					}
				}
			}
		}
	}
}

// TestSlabsOfHugeMatrix: no number of rows overflows.
func TestSlabsOfHugeMatrix(t *testing.T) {
	for _, rows := range []int{math.MaxInt32, math.MaxInt32 - 1, math.MaxInt / 4} {
		size, count := Slabs(rows)
		if size < manyRows || count < 1 || count-1 > (rows-1)/size || rows-1 < (count-1)*size {
			t.Errorf("%d rows: %d slabs of %d", rows, count, size)
		}
	}
}
