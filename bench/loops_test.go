package bench

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"nmu/internal/isa"
	"nmu/internal/must"
	"nmu/lnmu"
)

// TestLoopsOfEveryLevel fails where a level that can run here has no loops.
func TestLoopsOfEveryLevel(t *testing.T) {
	var got []isa.Level
	for _, l := range availableLoops() {
		got = append(got, l.level)
	}
	must.EqualSlices(t, got, isa.Available(), "measuring loops for")
}

func TestMultiplyAddLoops(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, l := range availableLoops() {
		multiplyAdds(t, l.level, l.accs64, l.fma64, 0.7, 0.3, rng.Float64, func(x float64) float64 { return math.FMA(0.7, 0.3, x) })
		// Exact values: a fused multiply-add, and the generic acc*1 + 3, both add 3.
		multiplyAdds(t, l.level, l.accs32, l.fma32, 1, 3, func() float32 { return float32(rng.IntN(1000)) }, func(x float32) float32 { return x + 3 })
	}
}

// multiplyAdds compares a loop on some accumulators, and on no others, with what one round adds.
func multiplyAdds[T lnmu.Float](t *testing.T, level isa.Level, accs int, fma func(acc *T, a, b T, n int), a, b T, draw func() T, add func(T) T) {
	for _, n := range []int{1, 2, 77} {
		acc := make([]T, accs+2)
		for i := range acc {
			acc[i] = draw()
		}
		want := slices.Clone(acc)
		for i := 1; i <= accs; i++ {
			for range n {
				want[i] = add(want[i])
			}
		}
		fma(&acc[1], a, b, n)
		must.EqualSlices(t, acc, want, level, n, "multiply-adds")
	}
}

// walks covers one contiguous stream, four apart, and repeated passes.
var walks = []struct {
	name         string
	stride, step int
	count        int
	passes       int
}{
	{"one stream", groupBytes, leastSet, 5, 1},
	{"four streams", 7 * groupBytes, groupBytes, 7, 1},
	{"one iteration", 3 * groupBytes, groupBytes, 1, 1},
	{"three passes", groupBytes, leastSet, 4, 3},
}

func TestStreams(t *testing.T) {
	for _, l := range availableLoops() {
		for _, w := range walks {
			rng := rand.New(rand.NewPCG(3, 4))
			src := make([]uint64, ((w.count-1)*w.step+(streams-1)*w.stride+groupBytes)/8)
			for i := range src {
				src[i] = rng.Uint64()
			}
			sum, dst := [8]uint64{0, 1, 2, 3, 4, 5, 6, 7}, make([]uint64, len(src)+2)
			wantSum, wantDst := sum, make([]uint64, len(dst))
			for range w.passes {
				for i := range w.count {
					for s := range streams {
						at := (i*w.step + s*w.stride) / 8
						copy(wantDst[1+at:], src[at:at+groupBytes/8])
						for k, x := range src[at : at+groupBytes/8] {
							wantSum[k%8] ^= x
						}
					}
				}
			}
			l.read(&sum, unsafe.Pointer(&src[0]), uintptr(w.stride), uintptr(w.step), w.count, w.passes)
			must.Equal(t, sum, wantSum, l.level, w.name, "read")
			l.copy(unsafe.Pointer(&dst[1]), unsafe.Pointer(&src[0]), uintptr(w.stride), uintptr(w.step), w.count, w.passes)
			must.EqualSlices(t, dst, wantDst, l.level, w.name, "the copy differs from its source")
		}
	}
}
