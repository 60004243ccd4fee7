//go:build !purego && (amd64 || arm64)

package kernel

import (
	"math"
	"unsafe"

	"nmu/internal/isa"
)

// reduction is one or two vectors reduced in lanes (128 bytes). The last call
// leaves the result in lane 0.
type reduction struct {
	x, y, lanes unsafe.Pointer
	n, last     int
}

// counting is the elements of x below t.
type counting struct {
	x        unsafe.Pointer
	n, count int
	t        uint64 // bits
}

func dotTiled[T Float](x, y []T) (s T, ok bool) {
	level := isa.Active()
	if _, ok := tilesOf(level); !ok || len(x) == 0 {
		return 0, false
	}
	var lanes [reductionBytes / 4]T // of float64 half are unused
	r := reduction{lanes: unsafe.Pointer(&lanes)}
	for len(x) > 0 {
		r.n = min(vectorRun/sizeOf[T](), len(x))
		r.x, r.y = unsafe.Pointer(&x[0]), unsafe.Pointer(&y[0])
		x, y = x[r.n:], y[r.n:]
		if len(x) == 0 {
			r.last = 1
		}
		watch(r.n)
		dotBody[T](level, &r)
	}
	return lanes[0], true
}

func maxTiled[T Float](x []T) (T, bool) { return extremeTiled(x, T(math.Inf(-1)), true) }

func minTiled[T Float](x []T) (T, bool) { return extremeTiled(x, T(math.Inf(1)), false) }

func extremeTiled[T Float](x []T, start T, largest bool) (s T, ok bool) {
	level := isa.Active()
	if _, ok := tilesOf(level); !ok || len(x) == 0 {
		return 0, false
	}
	var lanes [reductionBytes / 4]T
	for l := range lanes {
		lanes[l] = start
	}
	r := reduction{lanes: unsafe.Pointer(&lanes)}
	for len(x) > 0 {
		r.n = min(vectorRun/sizeOf[T](), len(x))
		r.x = unsafe.Pointer(&x[0])
		x = x[r.n:]
		if len(x) == 0 {
			r.last = 1
		}
		watch(r.n)
		if largest {
			maxBody[T](level, &r)
		} else {
			minBody[T](level, &r)
		}
	}
	return lanes[0], true
}

func countLessTiled[T Float](x []T, t T) (n int, ok bool) {
	level := isa.Active()
	if _, ok := tilesOf(level); !ok {
		return 0, false
	}
	c := counting{t: bits(t)}
	for len(x) > 0 {
		c.n = min(vectorRun/sizeOf[T](), len(x))
		c.x = unsafe.Pointer(&x[0])
		x = x[c.n:]
		watch(c.n)
		countLessBody[T](level, &c)
		n += c.count
	}
	return n, true
}
