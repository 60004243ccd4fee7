package bench

import (
	"slices"
	"time"
	"unsafe"

	"nmu/internal/isa"
)

// op is the operation of a bandwidth loop. read counts the bytes loaded, copied those loaded and
// stored.
type op string

const (
	read   op = "read"
	copied op = "copy"
)

// availableLoops lists the loops that can run here, the least preferred first.
func availableLoops() []loops {
	all := []loops{genericLoops}
	for _, l := range assemblyLoops {
		if slices.Contains(isa.Available(), l.level) {
			all = append(all, l)
		}
	}
	return all
}

// sampleTime is the least duration of a measurement of a limit.
const sampleTime = 10 * time.Millisecond

// rate calls work with increasing n until a call takes sampleTime. It returns the units per
// nanosecond of the best of three such calls, where n repetitions have units*n.
func rate(units float64, work func(n int) time.Duration) (best float64) {
	n := 1
	for {
		d := work(n)
		if d >= sampleTime {
			break
		}
		n *= min(100, max(2, int(sampleTime/max(d, 1))))
	}
	for range 3 {
		best = max(best, float64(n)*units/float64(work(n).Nanoseconds()))
	}
	return best
}

// peak measures the multiply-adds of all levels on operands in registers, of numbers of size
// bytes. It returns the highest rate, in 1e9 operations per second. A multiply-add is two.
func peak(size, threads int) (best float64) {
	for _, l := range availableLoops() {
		accs := l.accs64
		if size == 4 {
			accs = l.accs32
		}
		best = max(best, rate(2*float64(threads*accs)*callRounds, func(n int) time.Duration {
			return parallel(threads, func(int) {
				// Small factors: the sums stay normal numbers, for any number of rounds.
				if size == 4 {
					acc := make([]float32, accs)
					for range n {
						l.fma32(&acc[0], 0.5, 0.001, callRounds)
					}
					return
				}
				acc := make([]float64, accs)
				for range n {
					l.fma64(&acc[0], 0.5, 0.001, callRounds)
				}
			})
		}))
	}
	return best
}

// bandwidth measures an operation of all levels on a working set, divided among threads. It
// returns the highest rate, in 1e9 bytes per second.
func bandwidth(o op, bytes, threads int) (best float64) {
	areas := make([]*area, threads)
	parallel(threads, func(t int) { areas[t] = newArea(o, max(bytes/threads, leastSet)) })
	for _, l := range availableLoops() {
		for _, apart := range []bool{false, true} {
			best = max(best, rate(float64(threads)*float64(areas[0].touched()), func(n int) time.Duration {
				return parallel(threads, func(t int) {
					for range n {
						areas[t].pass(&l, o, apart)
					}
				})
			}))
		}
	}
	return best
}

// area is the working set of one thread: src alone when reading, half src and
// half dst when copying.
type area struct {
	src, dst []byte
	sink     *[8]uint64
}

// newArea allocates the working set and touches every page, so that it is resident.
func newArea(o op, bytes int) *area {
	a := &area{sink: new([8]uint64)}
	if o == copied {
		bytes /= 2
		a.dst = touchedBytes(bytes)
	}
	a.src = touchedBytes(bytes)
	return a
}

// touchedBytes returns a buffer that starts on a cache line. Its length is a positive multiple
// of leastSet.
func touchedBytes(n int) []byte {
	n = max(n/leastSet, 1) * leastSet
	const line = 128
	b := make([]byte, n+line)
	for i := 0; i < len(b); i += line {
		b[i] = byte(i / line)
	}
	skip := -uintptr(unsafe.Pointer(&b[0])) & (line - 1)
	return b[skip : int(skip)+n]
}

// repeats returns the number of times that one pass processes a small working set.
func (a *area) repeats() int { return max(1, callBytes/len(a.src)) }

// touched returns the number of bytes that one pass loads and stores.
func (a *area) touched() int { return a.repeats() * (len(a.src) + len(a.dst)) }

// pass processes the working set once, or several times if it is small, in calls of about
// callBytes. It uses one stream, or, if apart, four streams a quarter of the working set apart.
func (a *area) pass(l *loops, o op, apart bool) {
	repeats := a.repeats()
	iters := len(a.src) / leastSet
	stride, step := uintptr(groupBytes), uintptr(leastSet)
	if apart {
		stride, step = uintptr(len(a.src)/streams), groupBytes
	}
	const perCall = callBytes / leastSet
	for i := 0; i < iters; i += perCall {
		a.touch(l, o, uintptr(i)*step, stride, step, min(perCall, iters-i), repeats)
	}
}

// touch is a call of pass. It is not inlined: its stack check lets the scheduler stop a pass between two calls of assembly.
//
//go:noinline
func (a *area) touch(l *loops, o op, off, stride, step uintptr, n, repeats int) {
	if o == read {
		l.read(a.sink, unsafe.Pointer(&a.src[off]), stride, step, n, repeats)
		return
	}
	l.copy(unsafe.Pointer(&a.dst[off]), unsafe.Pointer(&a.src[off]), stride, step, n, repeats)
}
