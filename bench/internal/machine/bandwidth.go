package machine

import (
	"context"
	"fmt"
	"slices"
	"time"
	"unsafe"
)

// MeasureBandwidth measures one operation over a working set of about the given bytes,
// divided among threads, at every level of opts. It gives the limit of a problem of that
// size, measured next to the problem. The Set of the results is empty. Errors are those of
// Measure.
func MeasureBandwidth(ctx context.Context, opts Options, op Op, bytes, threads int) ([]Bandwidth, error) {
	o, err := opts.WithDefaults()
	if err != nil {
		return nil, err
	}
	if threads < 1 || threads > o.Threads {
		return nil, fmt.Errorf("%w: %d threads; 1 to %d are possible", ErrOption, threads, o.Threads)
	}
	if bytes < threads*MinWorkingSet {
		return nil, fmt.Errorf("%w: working set of %d bytes; at least %d are needed", ErrOption, bytes, threads*MinWorkingSet)
	}
	if op != Read && op != Copy {
		return nil, fmt.Errorf("%w: operation %q; %q and %q exist", ErrOption, op, Read, Copy)
	}
	return measureBandwidth(ctx, o, op, bytes, threads)
}

// measureBandwidth is MeasureBandwidth with checked arguments.
func measureBandwidth(ctx context.Context, o Options, op Op, bytes, threads int) ([]Bandwidth, error) {
	each := bytes / threads
	areas := make([]*area, threads)
	parallel(threads, func(t int) { areas[t] = newArea(op, each) })
	var found []Bandwidth
	for _, l := range availableLoops() {
		if !slices.Contains(o.Levels, l.level) {
			continue
		}
		best := Bandwidth{Level: l.level.String(), Op: op, Threads: threads, Bytes: threads * areas[0].bytes()}
		for _, apart := range []bool{false, true} {
			rates, err := o.Rate(ctx, func(n int) (time.Duration, float64) {
				d := parallel(threads, func(t int) {
					for range n {
						areas[t].pass(&l, op, apart)
					}
				})
				return d, float64(n) * float64(threads) * float64(areas[0].touched())
			})
			if err != nil {
				return nil, err
			}
			if rates.Median > best.Rate.Median {
				best.Rate = rates
				best.Streams = 1
				if apart {
					best.Streams = streams
				}
			}
		}
		found = append(found, best)
	}
	return found, nil
}

// area is the working set of one thread: src alone when reading, half src and
// half dst when copying.
type area struct {
	src, dst []byte
	sink     *[8]uint64
}

// newArea allocates the working set and touches every page, so that it is resident.
func newArea(op Op, bytes int) *area {
	a := &area{sink: new([8]uint64)}
	if op == Copy {
		bytes /= 2
		a.dst = alignedBytes(bytes)
	}
	a.src = alignedBytes(bytes)
	for _, b := range [][]byte{a.src, a.dst} {
		for i := range min(len(b), 256) {
			b[i] = byte(i)
		}
		for n := 256; n < len(b); n *= 2 {
			copy(b[n:], b[:n])
		}
	}
	return a
}

// alignedBytes returns a buffer that starts on a cache line. Its length is a positive multiple
// of MinWorkingSet.
func alignedBytes(n int) []byte {
	n = max(n/MinWorkingSet, 1) * MinWorkingSet
	const line = 128
	b := make([]byte, n+line)
	skip := -uintptr(unsafe.Pointer(&b[0])) & (line - 1)
	return b[skip : int(skip)+n]
}

// bytes returns the size of the working set.
func (a *area) bytes() int { return len(a.src) + len(a.dst) }

// repeats returns the number of times that one pass processes a small working set.
func (a *area) repeats() int { return max(1, callBytes/len(a.src)) }

// touched returns the number of bytes that one pass loads and stores.
func (a *area) touched() int { return a.repeats() * a.bytes() }

// pass processes the working set once, or several times if it is small, in calls of about
// callBytes. It uses one stream, or, if apart, four streams a quarter of the working set apart.
func (a *area) pass(l *loops, op Op, apart bool) {
	repeats := a.repeats()
	iters := len(a.src) / MinWorkingSet
	stride, step := uintptr(groupBytes), uintptr(MinWorkingSet)
	if apart {
		stride, step = uintptr(len(a.src)/streams), groupBytes
	}
	const perCall = callBytes / MinWorkingSet
	for i := 0; i < iters; i += perCall {
		n := min(perCall, iters-i)
		off := uintptr(i) * step
		if op == Read {
			a.read(l, off, stride, step, n, repeats)
		} else {
			a.copy(l, off, stride, step, n, repeats)
		}
	}
}

// read and copy are not inlined: their stack checks let the scheduler stop a
// pass between two calls of assembly.
//
//go:noinline
func (a *area) read(l *loops, off, stride, step uintptr, n, repeats int) {
	l.read(a.sink, unsafe.Pointer(&a.src[off]), stride, step, n, repeats)
}

//go:noinline
func (a *area) copy(l *loops, off, stride, step uintptr, n, repeats int) {
	l.copy(unsafe.Pointer(&a.dst[off]), unsafe.Pointer(&a.src[off]), stride, step, n, repeats)
}
