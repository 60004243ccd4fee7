package bench

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"nmu/internal/isa"
	"nmu/internal/must"
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
	for _, l := range availableLoops() {
		rng := rand.New(rand.NewPCG(1, 2))
		for _, n := range []int{1, 2, 77} {
			acc := make([]float64, l.accs64+2)
			want := make([]float64, len(acc))
			for i := range acc {
				acc[i] = rng.Float64()
			}
			copy(want, acc)
			for i := 1; i <= l.accs64; i++ {
				for range n {
					want[i] = math.FMA(0.7, 0.3, want[i])
				}
			}
			l.fma64(&acc[1], 0.7, 0.3, n)
			must.EqualSlices(t, acc, want, l.level, "float64, n", n, "accumulators differ from n multiply-adds")

			// Exact values: a fused multiply-add, and the generic acc*1 + 3,
			// both add 3.
			a32 := make([]float32, l.accs32+2)
			w32 := make([]float32, len(a32))
			for i := range a32 {
				a32[i] = float32(rng.IntN(1000))
			}
			copy(w32, a32)
			for i := 1; i <= l.accs32; i++ {
				for range n {
					w32[i] += 3
				}
			}
			l.fma32(&a32[1], 1, 3, n)
			must.EqualSlices(t, a32, w32, l.level, "float32, n", n, "accumulators differ from n multiply-adds")
		}
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

func TestReadLoops(t *testing.T) {
	for _, l := range availableLoops() {
		for _, w := range walks {
			rng := rand.New(rand.NewPCG(3, 4))
			span := (w.count-1)*w.step + (streams-1)*w.stride + groupBytes
			buf := make([]uint64, span/8)
			for i := range buf {
				buf[i] = rng.Uint64()
			}
			var want [8]uint64
			for k := range want {
				want[k] = uint64(k)
			}
			got := want
			for range w.passes {
				for i := range w.count {
					for s := range streams {
						for k := range groupBytes / 8 {
							want[k%8] ^= buf[(i*w.step+s*w.stride)/8+k]
						}
					}
				}
			}
			l.read(&got, unsafe.Pointer(&buf[0]), uintptr(w.stride), uintptr(w.step), w.count, w.passes)
			must.Equal(t, got, want, l.level, w.name, "read")
		}
	}
}

func TestCopyLoops(t *testing.T) {
	for _, l := range availableLoops() {
		for _, w := range walks {
			rng := rand.New(rand.NewPCG(5, 6))
			span := (w.count-1)*w.step + (streams-1)*w.stride + groupBytes
			src := make([]uint64, span/8)
			for i := range src {
				src[i] = rng.Uint64()
			}
			dst := make([]uint64, len(src)+2)
			want := make([]uint64, len(dst))
			for i := range w.count {
				for s := range streams {
					at := (i*w.step + s*w.stride) / 8
					copy(want[1+at:], src[at:at+groupBytes/8])
				}
			}
			l.copy(unsafe.Pointer(&dst[1]), unsafe.Pointer(&src[0]), uintptr(w.stride), uintptr(w.step), w.count, w.passes)
			must.EqualSlices(t, dst, want, l.level, w.name, "the copy differs from its source")
		}
	}
}
