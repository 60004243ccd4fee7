package machine

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"nmu/bench/internal/stat"
	"nmu/internal/isa"
)

// Options selects the measurements of Measure and their duration.
type Options struct {
	Threads     int           // maximum number of threads; 0 means GOMAXPROCS
	Repetitions int           // samples of each quantity; 0 means 5
	Sample      time.Duration // minimum duration of a sample; 0 means 10 ms
	Levels      []isa.Level   // levels to measure; nil means all available
	Memory      int           // bytes of the working set in memory; 0 means several times the last cache
	Progress    func(string)  // receives a line before each measurement; may be nil
}

// Errors of this package. Its functions return errors that wrap them.
var (
	ErrOption     = errors.New("bench: unusable option")
	ErrUnmeasured = errors.New("bench: not measured")
)

// WithDefaults fills in the defaults. The error wraps ErrOption.
func (o Options) WithDefaults() (Options, error) {
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

// Rate calls work with increasing n until a call takes o.Sample. Then it takes o.Repetitions
// samples of the rate in 1e9 units per second. work returns the time and the number of units
// of n repetitions.
func (o Options) Rate(ctx context.Context, work func(n int) (time.Duration, float64)) (stat.Stat, error) {
	n := 1
	for {
		if err := ctx.Err(); err != nil {
			return stat.Stat{}, err
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
			return stat.Stat{}, err
		}
		d, units := work(n)
		rates[i] = units / float64(d.Nanoseconds())
	}
	return stat.New(rates), nil
}
