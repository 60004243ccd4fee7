package kernel

import "unsafe"

// reduction is one or two vectors reduced in lanes (128 bytes). The last call
// leaves the result in lane 0.
type reduction struct {
	//lint:ignore U1000 only assembly uses it
	copies      [256 * copied]byte // of the last elements
	x, y, lanes unsafe.Pointer
	n, last     int
}

// counting is the elements of x below t.
type counting struct {
	//lint:ignore U1000 only assembly uses it
	copies   [64 * copied]byte // of the last elements
	x        unsafe.Pointer
	n, count int
	t        uint64 // bits
}

// reduceTiled reduces x, and y if the body takes two vectors, in lanes that begin with start.
func reduceTiled[T Float](body body[reduction], x, y []T, start T) (s T, ok bool) {
	if body == 0 || len(x) == 0 {
		return 0, false
	}
	var lanes [reductionBytes / 4]T // of float64 half are unused
	if start != 0 {
		for l := range lanes {
			lanes[l] = start
		}
	}
	r := reduction{lanes: unsafe.Pointer(&lanes)}
	for len(x) > 0 {
		r.n = min(vectorRun/sizeOf[T](), len(x))
		r.x, r.y = unsafe.Pointer(&x[0]), unsafe.Pointer(&y[0])
		x, y = x[r.n:], y[r.n:]
		if len(x) == 0 {
			r.last = 1
		}
		body.run(&r, r.n, 1)
	}
	return lanes[0], true
}

func countLessTiled[T Float](x []T, t T) (n int) {
	body := bodiesOf[T](active()).countLess
	if body == 0 {
		return countLessGeneric(x, t)
	}
	c := counting{t: bits(t)}
	for len(x) > 0 {
		c.n = min(vectorRun/sizeOf[T](), len(x))
		c.x = unsafe.Pointer(&x[0])
		x = x[c.n:]
		body.run(&c, c.n, 1)
		n += c.count
	}
	return n
}
