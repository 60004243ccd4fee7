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

	"nmu/internal/isa"
)

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

// peak measures the rate of multiply-adds.
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
