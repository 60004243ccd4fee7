package machine

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"runtime"
	"testing"
	"time"

	"nmu/internal/isa"
)

// small keeps the measurements of the tests short.
func small() Options {
	return Options{Repetitions: 2, Sample: 50 * time.Microsecond, Memory: 1 << 20}
}

func TestMeasure(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("it measures: with NMU_FULL only")
	}
	o := small()
	lim, err := Measure(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	counts := ThreadCounts(runtime.GOMAXPROCS(0))
	for _, level := range isa.Available() {
		for _, p := range counts {
			for _, typ := range []Type{Float64, Float32} {
				if rate, err := lim.Peak(level, typ, p); err != nil || !(rate > 0) {
					t.Errorf("peak %v %s, threads %d = %g, %v", level, typ, p, rate, err)
				}
			}
			for _, op := range []Op{Read, Copy} {
				if rate, err := lim.Bandwidth(level, op, Memory, p); err != nil || !(rate > 0) {
					t.Errorf("%s at %v, threads %d = %g, %v", op, level, p, rate, err)
				}
			}
		}
	}
	if _, err := lim.Peak(isa.Generic, Float64, 1<<20); !errors.Is(err, ErrUnmeasured) {
		t.Errorf("peak of a million threads: %v, want ErrUnmeasured", err)
	}
	text, err := json.Marshal(lim)
	if err != nil {
		t.Fatal(err)
	}
	var back Limits
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back, lim) {
		t.Errorf("limits change on the way through JSON (%v)", err)
	}
}

func TestMachineStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	o := small()
	o.Progress = func(string) { cancel() }
	if _, err := Measure(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

func TestMachineRefuses(t *testing.T) {
	for name, o := range map[string]Options{
		"threads":     {Threads: runtime.GOMAXPROCS(0) + 1},
		"repetitions": {Repetitions: -1},
		"sample":      {Sample: -1},
		"memory":      {Memory: -1},
		"level":       {Levels: []isa.Level{99}},
	} {
		if _, err := Measure(context.Background(), o); !errors.Is(err, ErrOption) {
			t.Errorf("%s: error %v, want ErrOption", name, err)
		}
	}
	for name, f := range map[string]func() error{
		"threads": func() error { _, err := MeasureBandwidth(context.Background(), small(), Read, 1<<20, 0); return err },
		"bytes":   func() error { _, err := MeasureBandwidth(context.Background(), small(), Read, 1, 1); return err },
		"op":      func() error { _, err := MeasureBandwidth(context.Background(), small(), "erase", 1<<20, 1); return err },
	} {
		if err := f(); !errors.Is(err, ErrOption) {
			t.Errorf("MeasureBandwidth, %s: error %v, want ErrOption", name, err)
		}
	}
}

func TestHolding(t *testing.T) {
	lim := Limits{CPU: isa.Facts{L1D: 32 << 10, L2: 1 << 20, L3: 32 << 20}}
	for _, c := range []struct {
		bytes, threads int
		want           Set
	}{
		{32 << 10, 1, L1}, {32<<10 + 1, 1, L2}, {64 << 10, 2, L1},
		{1 << 20, 1, L2}, {3 << 20, 2, L3}, {32 << 20, 2, L3}, {33 << 20, 2, Memory},
	} {
		if got := lim.Holding(int64(c.bytes), c.threads); got != c.want {
			t.Errorf("%d bytes, %d threads: %s, want %s", c.bytes, c.threads, got, c.want)
		}
	}
}

func TestWorkingSet(t *testing.T) {
	cpu := isa.Facts{L1D: 32 << 10, L2: 1 << 20, L3: 32 << 20}
	for _, c := range []struct {
		set     Set
		cpu     isa.Facts
		threads int
		want    int
	}{
		{L1, cpu, 2, 32 << 10},
		{L2, cpu, 2, 1 << 20},
		{L3, cpu, 2, 16 << 20},
		{L3, cpu, 10, 20 << 20},
		{L3, cpu, 64, 0}, // the L2 caches hold more
		{L3, isa.Facts{L1D: 32 << 10, L2: 1 << 20}, 1, 0},
		{L2, isa.Facts{}, 1, 0},
		{Memory, cpu, 2, 256 << 20},
		{Memory, isa.Facts{L3: 128 << 20}, 2, 512 << 20},
	} {
		if got := WorkingSet(c.set, c.cpu, c.threads, 0); got != c.want {
			t.Errorf("%s of %+v, %d threads: %d, want %d", c.set, c.cpu, c.threads, got, c.want)
		}
	}
}

// TestPass checks that a pass covers its working set, whatever its size.
func TestPass(t *testing.T) {
	for _, l := range availableLoops() {
		for _, bytes := range []int{MinWorkingSet, 3 * MinWorkingSet, 2*callBytes + 5*MinWorkingSet} {
			for _, apart := range []bool{false, true} {
				a := newArea(Copy, 2*bytes)
				clear(a.dst)
				a.pass(&l, Copy, apart)
				if string(a.dst) != string(a.src) {
					t.Errorf("%v: copy of %d bytes, apart %v, is not complete", l.level, bytes, apart)
				}
				r := newArea(Read, bytes)
				for i := range r.src {
					r.src[i] = 0
				}
				for i := 0; i < len(r.src); i += 64 {
					r.src[i] = 1
				}
				r.pass(&l, Read, apart)
				want := uint64(len(r.src) / 64 * r.repeats() % 2)
				if r.sink[0] != want {
					t.Errorf("%v: read of %d bytes, apart %v: parity %d, want %d", l.level, bytes, apart, r.sink[0], want)
				}
			}
		}
	}
}
