package hals

import "nmu/kernel"

// gramPanel is the number of rows of a Gram matrix that one task computes: the rows of G in a tile
// of kernel.Contract at AVX-512, and in two tiles at AVX2 and NEON.
const gramPanel = 6

// GramTasks returns the number of tasks of Gram.
func GramTasks(rank int) int { return (rank + gramPanel - 1) / gramPanel }

// Gram computes one panel of rows of the Gram matrix d = x xᵀ, up to the diagonal block, and
// mirrors it. The largest panels come first.
func Gram[T kernel.Float](d, x kernel.Matrix[T], task int) {
	k0 := (GramTasks(d.Rows) - 1 - task) * gramPanel
	k1 := min(k0+gramPanel, d.Rows)
	kernel.Contract(d.Slice(k0, k1, 0, k1), x.Slice(0, k1, 0, x.Cols), x.Slice(k0, k1, 0, x.Cols))
	for k := k0; k < k1; k++ {
		for l := range k0 {
			d.Data[l*d.Stride+k] = d.Data[k*d.Stride+l]
		}
	}
}
