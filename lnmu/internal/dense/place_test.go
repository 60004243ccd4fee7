package dense

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"nmu/internal/must"
	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/source"
	"nmu/lnmu/internal/start"
)

// data returns a nonnegative m x n matrix of random numbers, some of them zero.
func data(m, n int, seed uint64) kernel.Matrix[float64] {
	rng := rand.New(rand.NewPCG(seed, 99))
	x := matrix.New[float64](m, n, nil)
	for i := range x.Data {
		x.Data[i] = max(0, rng.Float64()-0.2)
	}
	return x
}

// drawn returns the start of a seed.
func drawn(m, n, r int, seed uint64) (v, w kernel.Matrix[float64]) {
	return start.Draw[float64](m, n, r, seed, false, core.Part{Whole: m}.Window(m, n))
}

// TestInPlace: a method that only reads M reads it where it lies, if the rows of a
// pass lie there as those of a matrix of its own would.
func TestInPlace(t *testing.T) {
	own := kernel.NewMatrix[float64](40, 24)
	matrix.CopyRows(own, data(40, 24, 1))
	shifted := kernel.Matrix[float64]{Rows: 39, Cols: 24, Data: own.Data[1:], Stride: own.Stride}
	apart := kernel.Matrix[float64]{Rows: 20, Cols: 24, Data: kernel.NewMatrix[float64](1, 20*128).Data, Stride: 128}
	nmf, gnmu, rnmu := core.Plan{}, core.Plan{Underapproximates: true}, core.Plan{Underapproximates: true, Recursive: true}
	for _, c := range []struct {
		name string
		m    source.Dense[float64]
		plan core.Plan
		want bool
	}{
		{"nmf", source.Whole(own), nmf, true},
		{"rows between cache lines", source.Whole(shifted), nmf, false},
		{"rows of 1024 bytes", source.Whole(apart), nmf, false},
		{"columns", source.Undivided(source.Given[float64]{Rows: 24, Cols: 40, Memory: own, ByColumns: true}), nmf, true},
		{"columns of a tall matrix", source.Undivided(source.Given[float64]{Rows: 24, Cols: 20, Memory: own.Slice(0, 20, 0, 24), ByColumns: true}), nmf, false},
		{"gnmu", source.Whole(shifted), gnmu, true},
		{"rnmu, which deflates M", source.Whole(own), rnmu, false},
	} {
		c.plan.Rank, c.plan.Block = 3, 3
		a := (&Storage[float64]{Plan: c.plan, source: c.m}).Open(1).(*place[float64])
		must.Equal(t, unsafe.SliceData(a.m.Data) == unsafe.SliceData(c.m.Memory.Data), c.want, c.name, "M in place")
		a.Close()
	}
}
