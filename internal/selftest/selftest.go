// Package selftest checks, on the machine where it runs and without a Go toolchain, the
// conditions for identical results on all machines:
//
//	floats         rounding, denormals, fused multiply-adds: the arithmetic of this
//	               processor, on as many threads as a factorization has
//	kernel         every kernel at every level against level generic, by kerneltest
//	factorization  every case of package golden at every level: the hashes of V and W
//	               against those that were recorded
//
// The first check finds faults of the machine, the second finds the kernel, and the third shows
// the effect on results. A machine that has only level generic has nothing to compare in the
// second.
//
// The short form takes some seconds. It tests every kernel at every level, with some shapes,
// and compares all hashes, at level generic only those of each method's first case unless there
// is no other level. The full form leaves nothing out.
package selftest

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"nmu/internal/checkasm"
	"nmu/internal/golden"
	"nmu/internal/isa"
	"nmu/kernel"
	"nmu/kernel/kerneltest"
	"nmu/lnmu"
)

// Suite says what to check.
type Suite struct {
	Kernels64 []kerneltest.Kernel[float64]
	Kernels32 []kerneltest.Kernel[float32]
	Cases     []golden.Case
	Recorded  map[string]golden.Hashes // of the cases, in both precisions
	Full      bool                     // not only the short form
}

// Items returns the number of items that Run checks.
func (s Suite) Items() int {
	return len(floats) + len(s.Kernels64) + len(s.Kernels32) + 2*len(s.Cases)
}

// New returns the suite of this program.
func New() (Suite, error) {
	recorded, err := golden.Recorded()
	return Suite{
		Kernels64: kerneltest.All[float64](), Kernels32: kerneltest.All[float32](),
		Cases: golden.Cases(), Recorded: recorded,
	}, err
}

// Item is a checked object.
type Item struct {
	Kind   string   `json:"kind"` // floats, kernel or factorization
	Name   string   `json:"name"`
	Levels []Result `json:"levels"`
}

// OK says whether there is no difference at any level.
func (i Item) OK() bool {
	for _, r := range i.Levels {
		if len(r.Differences) > 0 {
			return false
		}
	}
	return true
}

// Result is the result of a check at a level.
type Result struct {
	Level       string   `json:"level"`
	Differences []string `json:"differences"` // not nil
	Notes       []string `json:"notes,omitempty"`
	Seconds     float64  `json:"seconds"`
}

// Run runs the checks and calls done after each item. Its error is that of ctx. Run changes the
// active level of the process, so nothing else may compute meanwhile.
func Run(ctx context.Context, s Suite, done func(Item)) error {
	one := func(kind, name string, levels []isa.Level, check func(*report)) {
		item := Item{Kind: kind, Name: name}
		for _, level := range levels {
			if ctx.Err() != nil {
				return
			}
			item.Levels = append(item.Levels, resultOf(level, check))
		}
		if ctx.Err() == nil {
			done(item)
		}
	}
	active := []isa.Level{isa.Active()}
	for _, f := range floats {
		one("floats", f.name, active, func(r *report) { onThreads(runtime.GOMAXPROCS(0), f.check, r) })
	}
	kernelItems(one, s.Kernels64, s.Full)
	kernelItems(one, s.Kernels32, s.Full)
	for _, c := range s.Cases {
		levels := isa.Available()
		if !s.Full && c.Also != "" && len(levels) > 1 {
			levels = levels[1:] // not generic, which takes ten times as long, but for the first case of a method
		}
		factorItem[float64](ctx, one, c, levels, s.Recorded)
		factorItem[float32](ctx, one, c, levels, s.Recorded)
	}
	return ctx.Err()
}

// itemFunc runs a check at each of the levels, which is then active, and reports the item.
type itemFunc func(kind, name string, levels []isa.Level, check func(*report))

func kernelItems[T kernel.Float](one itemFunc, table []kerneltest.Kernel[T], full bool) {
	effort := kerneltest.Quick
	if full {
		effort = kerneltest.Full
	}
	for _, k := range table {
		one("kernel", k.Name+" "+checkasm.Precision[T](), isa.Available(), func(r *report) {
			r.notes = kerneltest.Lacks()
			if err := k.Check(effort); err != nil {
				r.differences = strings.Split(err.Error(), "\n")
			}
		})
	}
}

func factorItem[T lnmu.Float](ctx context.Context, one itemFunc, c golden.Case, levels []isa.Level, recorded map[string]golden.Hashes) {
	name := golden.Name[T](c)
	one("factorization", name, levels, func(r *report) {
		got, err := golden.Factor[T](ctx, c)
		want, ok := recorded[name]
		switch {
		case err != nil:
			r.Errorf("%v", err)
		case !ok:
			r.Errorf("no hashes are recorded")
		case got != want:
			r.Errorf("the hashes are V %s, W %s; want V %s, W %s", got.V, got.W, want.V, want.W)
		}
	})
}

// report collects what is wrong with an item at a level.
type report struct{ differences, notes []string }

func (r *report) Errorf(format string, args ...any) {
	r.differences = append(r.differences, fmt.Sprintf(format, args...))
}

// resultOf runs a check at a level.
func resultOf(level isa.Level, check func(*report)) Result {
	defer isa.Set(level)()
	begun := time.Now()
	r := report{differences: []string{}}
	check(&r)
	return Result{Level: level.String(), Differences: r.differences, Notes: r.notes, Seconds: time.Since(begun).Seconds()}
}
