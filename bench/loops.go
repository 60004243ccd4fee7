package bench

import (
	"math"
	"unsafe"

	"nmu/internal/isa"
)

// Geometry of the loops that touch memory: every iteration touches groupBytes of each
// stream. leastSet is the minimum working set of a thread, the bytes of one iteration.
const (
	streams    = 4
	groupBytes = 128
	leastSet   = streams * groupBytes
)

// Work of one call of a loop. Assembly cannot be preempted, so the caller
// returns to Go code this often.
const (
	callBytes  = 256 << 10 // of memory touched
	callRounds = 4096      // of multiply-adds, some ten microseconds
)

// loops are the measuring loops of one instruction set.
type loops struct {
	level isa.Level

	// fma64 and fma32 perform n rounds of acc[i] = a*b + acc[i] on accs64 and
	// accs32 accumulators, enough of them to hide the latency of the operation.
	accs64, accs32 int
	fma64          func(acc *float64, a, b float64, n int)
	fma32          func(acc *float32, a, b float32, n int)

	// read loads groupBytes at p + i*step + s*stride for every i < count and
	// s < streams. It repeats this passes times. It combines the k-th word of
	// each group with x[k mod 8] by exclusive or.
	read func(x *[8]uint64, p unsafe.Pointer, stride, step uintptr, count, passes int)

	// copy copies the same groups from src to dst.
	copy func(dst, src unsafe.Pointer, stride, step uintptr, count, passes int)
}

// genericLoops are the loops in plain Go. They measure the limits of code without vector
// instructions.
var genericLoops = loops{
	level:  isa.Generic,
	accs64: chains, fma64: fmaGenericF64,
	accs32: chains, fma32: fmaGenericF32,
	read: readGeneric, copy: copyGeneric,
}

// chains is the number of scalar accumulators.
const chains = 10

// fmaGenericF64 performs acc[i] = a*b + acc[i].
func fmaGenericF64(acc *float64, a, b float64, n int) {
	s := (*[chains]float64)(unsafe.Pointer(acc))
	s0, s1, s2, s3, s4 := s[0], s[1], s[2], s[3], s[4]
	s5, s6, s7, s8, s9 := s[5], s[6], s[7], s[8], s[9]
	for range n {
		s0 = math.FMA(a, b, s0)
		s1 = math.FMA(a, b, s1)
		s2 = math.FMA(a, b, s2)
		s3 = math.FMA(a, b, s3)
		s4 = math.FMA(a, b, s4)
		s5 = math.FMA(a, b, s5)
		s6 = math.FMA(a, b, s6)
		s7 = math.FMA(a, b, s7)
		s8 = math.FMA(a, b, s8)
		s9 = math.FMA(a, b, s9)
	}
	*s = [chains]float64{s0, s1, s2, s3, s4, s5, s6, s7, s8, s9}
}

// fmaGenericF32 performs acc[i] = acc[i]*a + b with a product and a sum, since Go has no fused
// multiply-add in float32. The compiler would compute a common product a*b only once.
func fmaGenericF32(acc *float32, a, b float32, n int) {
	s := (*[chains]float32)(unsafe.Pointer(acc))
	s0, s1, s2, s3, s4 := s[0], s[1], s[2], s[3], s[4]
	s5, s6, s7, s8, s9 := s[5], s[6], s[7], s[8], s[9]
	for range n {
		s0 = s0*a + b
		s1 = s1*a + b
		s2 = s2*a + b
		s3 = s3*a + b
		s4 = s4*a + b
		s5 = s5*a + b
		s6 = s6*a + b
		s7 = s7*a + b
		s8 = s8*a + b
		s9 = s9*a + b
	}
	*s = [chains]float32{s0, s1, s2, s3, s4, s5, s6, s7, s8, s9}
}

// group is the part of one stream in an iteration.
type group [groupBytes / 8]uint64

// readGeneric is loops.read in plain Go.
func readGeneric(x *[8]uint64, p unsafe.Pointer, stride, step uintptr, count, passes int) {
	x0, x1, x2, x3, x4, x5, x6, x7 := x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]
	for range passes {
		for i := range count {
			for s := range streams {
				g := (*group)(unsafe.Add(p, uintptr(i)*step+uintptr(s)*stride))
				x0 ^= g[0] ^ g[8]
				x1 ^= g[1] ^ g[9]
				x2 ^= g[2] ^ g[10]
				x3 ^= g[3] ^ g[11]
				x4 ^= g[4] ^ g[12]
				x5 ^= g[5] ^ g[13]
				x6 ^= g[6] ^ g[14]
				x7 ^= g[7] ^ g[15]
			}
		}
	}
	*x = [8]uint64{x0, x1, x2, x3, x4, x5, x6, x7}
}

// copyGeneric is loops.copy in plain Go.
func copyGeneric(dst, src unsafe.Pointer, stride, step uintptr, count, passes int) {
	for range passes {
		for i := range count {
			for s := range streams {
				off := uintptr(i)*step + uintptr(s)*stride
				d, g := (*group)(unsafe.Add(dst, off)), (*group)(unsafe.Add(src, off))
				//lint:ignore S1001 an assignment may become a call, which is not what is measured
				for k := range g {
					d[k] = g[k]
				}
			}
		}
	}
}
