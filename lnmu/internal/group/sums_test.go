package group

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"nmu/internal/together"
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
			leaves[i] = newPart[float64](rows, cols, rank, false)
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
			s := NewSums[float64](ForSlabs(Self{}, n), members, rows, cols, rank)
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

// TestVote: all processes hear of one that says yes, again and again.
func TestVote(t *testing.T) {
	for size := 1; size < 7; size++ {
		together.Run(size, func(p *together.Process) {
			v := NewVote(p)
			for who := range size + 1 {
				if v.Any(p.Rank() == who) != (who < size) {
					t.Errorf("process %d of %d: process %d says yes", p.Rank(), size, who)
				}
			}
		})
	}
}

// silent is a process that hears nothing of its partner.
type silent struct{ Self }

func (silent) Size() int { return 2 }

// TestVoteAllocates: a pass ends with a vote.
func TestVoteAllocates(t *testing.T) {
	v := NewVote(silent{})
	if n := testing.AllocsPerRun(10, func() { v.Any(true) }); n > 0 {
		t.Errorf("a vote makes %v allocations", n)
	}
}

// cutParts are Parts of which some numbers are left out.
type cutParts struct {
	Distributed[float64]
	lacks int
}

func (c cutParts) Turn(turn int, do func(row []float64)) {
	left := c.Length() - c.lacks
	c.Distributed.Turn(turn, func(row []float64) {
		row = row[:min(len(row), left)]
		left -= len(row)
		do(row)
	})
}

// TestSend: process 0 gets as many numbers as it waits for, zeros for those that are left out.
func TestSend(t *testing.T) {
	const rows, cols = 3, 2*Piece + 5
	for _, columns := range []bool{false, true} {
		for _, lacks := range []int{0, 1, Piece, cols} {
			together.Run(3, func(p *together.Process) {
				x := kernel.Matrix[float64]{Rows: rows, Cols: cols, Data: make([]float64, rows*cols), Stride: cols}
				for i := range x.Data {
					x.Data[i] = float64(p.Rank() + 1)
				}
				part := cutParts{Distributed[float64]{X: x, Columns: columns}, lacks}
				if p.Rank() > 0 {
					Send[float64](p, part)
					return
				}
				part.lacks = 0
				var got, want []float64
				Gather[float64](p, part, func(numbers []float64) { got = append(got, numbers...) })
				for range part.Turns() {
					for rank := range 3 {
						one := make([]float64, part.Length())
						for i := range one {
							if rank == 0 || i < len(one)-lacks {
								one[i] = float64(rank + 1)
							}
						}
						want = append(want, one...)
					}
				}
				if !slices.Equal(got, want) {
					t.Errorf("columns %v, without %d: other numbers", columns, lacks)
				}
			})
		}
	}
}
