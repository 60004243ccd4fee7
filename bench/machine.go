package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"nmu/internal/isa"
)

// Set names the part of the memory that holds a working set.
type Set string

// The parts of the memory, nearest first.
const (
	L1     Set = "L1"
	L2     Set = "L2"
	L3     Set = "L3"
	Memory Set = "memory"
)

// Op names what a bandwidth loop does with its working set.
type Op string

// Read counts the bytes loaded; Copy counts those loaded and those stored.
const (
	Read Op = "read"
	Copy Op = "copy"
)

// Type names a precision.
type Type string

// The precisions.
const (
	Float64 Type = "float64"
	Float32 Type = "float32"
)

// Size returns the bytes of one number: 8 or 4.
func (t Type) Size() int {
	if t == Float32 {
		return 4
	}
	return 8
}

// Peak is the measured rate of multiply-adds that never leave the registers.
type Peak struct {
	Level   string `json:"level"`
	Type    Type   `json:"type"`
	Threads int    `json:"threads"`
	Rate    Stat   `json:"gflops"` // 1e9 operations per second; a multiply-add is two
}

// Bandwidth is the measured rate of one operation over one working set.
type Bandwidth struct {
	Level   string `json:"level"`
	Op      Op     `json:"op"`
	Set     Set    `json:"set"`
	Bytes   int    `json:"bytes"` // the working set of all threads together
	Threads int    `json:"threads"`
	Streams int    `json:"streams"` // places read at once per thread: the faster of 1 and 4
	Rate    Stat   `json:"gbs"`     // 1e9 bytes per second
}

// Limits are the measured limits of a machine.
type Limits struct {
	CPU        isa.Facts   `json:"cpu"`
	Peaks      []Peak      `json:"peaks"`
	Bandwidths []Bandwidth `json:"bandwidths"`
}

// Options says what Machine measures and how long.
type Options struct {
	Threads     int           // most threads; 0 means GOMAXPROCS
	Repetitions int           // samples of each quantity; 0 means 5
	Sample      time.Duration // least duration of a sample; 0 means 10 ms
	Levels      []isa.Level   // levels to measure; nil means all available
	Memory      int           // bytes of the working set in memory; 0 means several times the last cache
	Progress    func(string)  // told what is measured next; may be nil
}

// Errors of this package; those returned wrap them.
var (
	ErrOption     = errors.New("bench: unusable option")
	ErrUnmeasured = errors.New("bench: not measured")
)

func (o Options) withDefaults() (Options, error) {
	cores := runtime.GOMAXPROCS(0)
	if o.Threads == 0 {
		o.Threads = cores
	}
	if o.Threads < 0 || o.Threads > cores {
		return o, fmt.Errorf("%w: %d threads; this process may use 1 to %d (GOMAXPROCS)", ErrOption, o.Threads, cores)
	}
	if o.Repetitions == 0 {
		o.Repetitions = 5
	}
	if o.Repetitions < 0 {
		return o, fmt.Errorf("%w: %d repetitions", ErrOption, o.Repetitions)
	}
	if o.Sample == 0 {
		o.Sample = 10 * time.Millisecond
	}
	if o.Sample < 0 {
		return o, fmt.Errorf("%w: samples of %v", ErrOption, o.Sample)
	}
	if o.Memory < 0 {
		return o, fmt.Errorf("%w: working set of %d bytes", ErrOption, o.Memory)
	}
	avail := isa.Available()
	if o.Levels == nil {
		o.Levels = avail
	}
	for _, l := range o.Levels {
		if !slices.Contains(avail, l) {
			return o, fmt.Errorf("%w: level %v; available here: %v", ErrOption, l, avail)
		}
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	return o, nil
}

// ThreadCounts returns 1, 2, 4, ... up to max, and max itself.
func ThreadCounts(max int) []int {
	var counts []int
	for p := 1; p < max; p *= 2 {
		counts = append(counts, p)
	}
	return append(counts, max)
}

// Machine measures the limits of this machine: multiply-adds per second for
// every level, precision and number of threads, and read and copy bandwidth
// for working sets in each part of the memory. It takes some seconds and means
// little while other programs compute. The error is that of ctx, or wraps
// ErrOption.
func Machine(ctx context.Context, opts Options) (Limits, error) {
	o, err := opts.withDefaults()
	if err != nil {
		return Limits{}, err
	}
	lim := Limits{CPU: isa.CPU()}
	for _, threads := range ThreadCounts(o.Threads) {
		for _, l := range availableLoops() {
			if !slices.Contains(o.Levels, l.level) {
				continue
			}
			for _, t := range []Type{Float64, Float32} {
				o.Progress(fmt.Sprintf("multiply-adds %v %s, threads %d", l.level, t, threads))
				rate, err := l.peak(ctx, o, t, threads)
				if err != nil {
					return Limits{}, err
				}
				lim.Peaks = append(lim.Peaks, Peak{l.level.String(), t, threads, rate})
			}
		}
		for _, set := range []Set{L1, L2, L3, Memory} {
			bytes := workingSet(set, lim.CPU, threads, o.Memory)
			if bytes == 0 {
				continue // this machine has no such part
			}
			for _, op := range []Op{Read, Copy} {
				o.Progress(fmt.Sprintf("%s %s, threads %d", op, set, threads))
				bws, err := measureBandwidth(ctx, o, op, bytes, threads)
				if err != nil {
					return Limits{}, err
				}
				for i := range bws {
					bws[i].Set = set
				}
				lim.Bandwidths = append(lim.Bandwidths, bws...)
			}
		}
	}
	return lim, nil
}

// Peak returns the median rate in 1e9 operations per second. The error wraps
// ErrUnmeasured.
func (l *Limits) Peak(level isa.Level, t Type, threads int) (float64, error) {
	for _, p := range l.Peaks {
		if p.Level == level.String() && p.Type == t && p.Threads == threads {
			return p.Rate.Median, nil
		}
	}
	return 0, fmt.Errorf("%w: multiply-adds %v %s with %d threads", ErrUnmeasured, level, t, threads)
}

// Bandwidth returns the median rate in 1e9 bytes per second. The error wraps
// ErrUnmeasured.
func (l *Limits) Bandwidth(level isa.Level, op Op, set Set, threads int) (float64, error) {
	for _, b := range l.Bandwidths {
		if b.Level == level.String() && b.Op == op && b.Set == set && b.Threads == threads {
			return b.Rate.Median, nil
		}
	}
	return 0, fmt.Errorf("%w: %s bandwidth of %s at %v with %d threads", ErrUnmeasured, op, set, level, threads)
}

// Holding names the nearest part of the memory that holds bytes when threads
// share them evenly; L1 and L2 are counted once per thread, L3 once.
func (l *Limits) Holding(bytes int64, threads int) Set {
	switch {
	case bytes <= int64(threads*l.CPU.L1D):
		return L1
	case bytes <= int64(threads*l.CPU.L2):
		return L2
	case bytes <= int64(l.CPU.L3):
		return L3
	}
	return Memory
}

// workingSet returns the bytes of all threads together that live in set but in
// no nearer part: half of each thread's own cache; of a shared L3 half, or more
// if the L2 caches would hold that; four times L3 of memory. It is 0 where the
// machine has no such part, or none that is larger than the one before.
func workingSet(set Set, cpu isa.Facts, threads, memory int) int {
	var bytes int
	switch set {
	case L1:
		bytes = threads * cpu.L1D / 2
	case L2:
		if cpu.L2 > 2*cpu.L1D {
			bytes = threads * cpu.L2 / 2
		}
	case L3:
		bytes = min(max(cpu.L3/2, 2*threads*cpu.L2), cpu.L3/4*3)
		if bytes <= threads*cpu.L2 {
			bytes = 0
		}
	case Memory:
		bytes = memory
		if bytes == 0 {
			bytes = max(256<<20, 4*cpu.L3, threads*16<<20)
		}
	}
	return bytes / (threads * iterBytes) * (threads * iterBytes)
}

// MeasureBandwidth measures one operation over a working set of about the
// given bytes, divided among threads, at every level of opts. A problem of a
// given size is best compared with this, measured next to it. The Set of the
// results is empty. Errors are those of Machine.
func MeasureBandwidth(ctx context.Context, opts Options, op Op, bytes, threads int) ([]Bandwidth, error) {
	o, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	if threads < 1 || threads > o.Threads {
		return nil, fmt.Errorf("%w: %d threads; 1 to %d are possible", ErrOption, threads, o.Threads)
	}
	if bytes < threads*iterBytes {
		return nil, fmt.Errorf("%w: working set of %d bytes; at least %d are needed", ErrOption, bytes, threads*iterBytes)
	}
	if op != Read && op != Copy {
		return nil, fmt.Errorf("%w: operation %q; %q and %q exist", ErrOption, op, Read, Copy)
	}
	return measureBandwidth(ctx, o, op, bytes, threads)
}

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
			rates, err := o.sample(ctx, func(n int) (time.Duration, float64) {
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

func (l *loops) peak(ctx context.Context, o Options, t Type, threads int) (Stat, error) {
	accs := l.accs64
	if t == Float32 {
		accs = l.accs32
	}
	return o.sample(ctx, func(n int) (time.Duration, float64) {
		d := parallel(threads, func(int) {
			// Small factors: the sums stay normal numbers however long it runs.
			if t == Float64 {
				acc := make([]float64, accs)
				for range n {
					l.fma64(&acc[0], 0.5, 0.001, callRounds)
				}
			} else {
				acc := make([]float32, accs)
				for range n {
					l.fma32(&acc[0], 0.5, 0.001, callRounds)
				}
			}
		})
		return d, 2 * float64(n) * float64(threads) * float64(accs) * callRounds
	})
}

// sample calls work with rising n until it lasts o.Sample, then takes
// o.Repetitions samples of its rate in 1e9 units per second. work returns the
// time and the units that n repetitions took.
func (o Options) sample(ctx context.Context, work func(n int) (time.Duration, float64)) (Stat, error) {
	n := 1
	for {
		if err := ctx.Err(); err != nil {
			return Stat{}, err
		}
		d, _ := work(n)
		if d >= o.Sample {
			break
		}
		n *= min(100, max(2, int(o.Sample/max(d, 1))))
	}
	rates := make([]float64, o.Repetitions)
	for i := range rates {
		if err := ctx.Err(); err != nil {
			return Stat{}, err
		}
		d, units := work(n)
		rates[i] = units / float64(d.Nanoseconds())
	}
	return NewStat(rates), nil
}

// area is the working set of one thread: src alone when reading, half src and
// half dst when copying.
type area struct {
	src, dst []byte
	sink     *[8]uint64
}

// newArea allocates and touches the working set, so that every page is there.
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

// alignedBytes returns at least iterBytes bytes, a multiple of it, that start
// on a cache line.
func alignedBytes(n int) []byte {
	n = max(n/iterBytes, 1) * iterBytes
	const line = 128
	b := make([]byte, n+line)
	skip := -uintptr(unsafe.Pointer(&b[0])) & (line - 1)
	return b[skip : int(skip)+n]
}

func (a *area) bytes() int { return len(a.src) + len(a.dst) }

// repeats is how often one pass goes over a small working set.
func (a *area) repeats() int { return max(1, callBytes/len(a.src)) }

// touched is the number of bytes that one pass loads and stores.
func (a *area) touched() int { return a.repeats() * a.bytes() }

// pass goes over the working set once, or often if it is small, in calls of
// about callBytes: as one stream, or as four that are a quarter apart.
func (a *area) pass(l *loops, op Op, apart bool) {
	repeats := a.repeats()
	iters := len(a.src) / iterBytes
	stride, step := uintptr(groupBytes), uintptr(iterBytes)
	if apart {
		stride, step = uintptr(len(a.src)/streams), groupBytes
	}
	const most = callBytes / iterBytes
	for i := 0; i < iters; i += most {
		n := min(most, iters-i)
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

// parallel runs f(0) to f(threads-1) at the same time, each on a thread of the
// operating system of its own, and returns the time from the common start to
// the end of the last.
func parallel(threads int, f func(t int)) time.Duration {
	var ready atomic.Int32
	var started atomic.Bool
	var wg sync.WaitGroup
	ends := make([]time.Time, threads)
	run := func(t int) {
		f(t)
		ends[t] = time.Now()
	}
	for t := 1; t < threads; t++ {
		wg.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			ready.Add(1)
			for !started.Load() {
				runtime.Gosched()
			}
			run(t)
		})
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for int(ready.Load()) < threads-1 {
		runtime.Gosched()
	}
	begin := time.Now()
	started.Store(true)
	run(0)
	wg.Wait()
	return slices.MaxFunc(ends, time.Time.Compare).Sub(begin)
}
