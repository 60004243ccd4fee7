package storages

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nmu/internal/leak"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/outcome"
)

// asked is a context that is cancelled after it was asked so often, and calls then at that time.
type asked struct {
	context.Context
	*lnmutest.Disk // Reads counts, ErrAfter is how often
	then           func()
}

func askedOften(often int64, then func()) asked {
	a := asked{context.Background(), &lnmutest.Disk{}, then}
	a.ErrAfter.Store(often)
	return a
}

func (a asked) Err() error {
	n, most := a.Reads.Add(1), a.ErrAfter.Load()
	if n == most+1 && a.then != nil {
		a.then()
	}
	if n > most {
		return context.Canceled
	}
	return nil
}

// TestInterrupted: a run that is cancelled at any time ends in all processes with the same factors,
// and soon. It saves a last state, although none is due, from which another storage goes on. Again
// and again, it comes to the end that it has without interruption. Process 0 decides, whatever the
// others are told.
func TestInterrupted(t *testing.T) {
	leak.Check(t)
	scratch := t.TempDir()
	each(t, 5, 29, func(at int, x problem[float64], want *lnmu.Result[float64]) {
		all := append(storagesOf(x.sparse != nil), memory)
		all = slices.DeleteFunc(all, func(s storage) bool { return s.processes > 3 })
		chunk := []int{1000, 4000, 20_000}[at%3]
		smallChunks(t, chunk, 2)
		var state []byte
		for runs, looks := at, int64(at%7); ; runs, looks = runs+1, looks+1+looks {
			s := all[runs%len(all)]
			saved, before := 0, int64(math.MaxInt64/2)
			var disk *lnmutest.Disk // of process 0
			name := fmt.Sprintf("%s in %s, after %d looks", x.name, s.name, looks)
			parts, errs := x.in(s, func(rank int, of *process[float64]) {
				of.settings.Checkpoint = &lnmu.Checkpoint{}
				if of.settings.Scratch = scratch; rank == 0 {
					disk = of.disk
					of.ctx = askedOften(looks, func() {
						if disk != nil {
							before = disk.Lines.Load()
						}
					})
					c := lastState(t, &state)
					keep := c.Save
					c.Save = func(to io.WriterTo) { keep(to); saved++ }
					of.settings.Checkpoint = c
				} else if rank == 1 {
					ctx, cancel := context.WithCancel(t.Context())
					cancel()
					of.ctx = ctx
				}
				if state != nil {
					of.settings.Checkpoint.Resume = bytes.NewReader(slices.Clone(state))
				}
			})
			if errors.Is(errs[0], lnmu.ErrOption) && !errors.Is(errs[0], lnmu.ErrProcess) {
				continue // the storage has no such steps
			}
			if errors.Join(errs...) == nil {
				if alike(t, name, x.joined(t, s, parts), want); saved > 0 {
					t.Errorf("%s: %d states of a run that was not cancelled", name, saved)
				}
				return
			}
			for rank, err := range errs {
				if want := []error{context.Canceled, context.Canceled, lnmu.ErrProcess}[min(rank, 2)]; !errors.Is(err, want) || parts[rank] == nil || parts[rank].Stop != outcome.StopCancelled {
					t.Fatalf("%s: process %d: %v", name, rank, err)
				}
			}
			if saved > 1 || saved == 0 && state == nil && s == memory {
				t.Fatalf("%s: %d states", name, saved)
			}
			m, n := x.dims()
			most := 3 // passes: the one that is cut, and those for the errors of an iteration and of the result
			if _, divergence := x.method.(lnmu.KL); divergence {
				most = 7
			}
			ahead := 2 * chunk / 8 / min(m, n) // lines in the slots of a pass
			if disk != nil && x.sparse == nil && disk.Lines.Load()-before > int64(most*max(m, n)+ahead) {
				t.Errorf("%s: M was read for more than its result: %d lines", name, disk.Lines.Load()-before)
			}
			res := x.joined(t, s, parts)
			if res.V.Cols > 0 && x.settings.FixedV.Data == nil {
				if got := x.measured(t, res.V, res.W); math.Abs(got.RelativeError-res.RelativeError) > 1e-9 {
					t.Errorf("%s: error %v of factors whose error is %v", name, res.RelativeError, got.RelativeError)
				}
			}
			for _, b := range res.Blocks {
				if b.Exact != nil && res.MaxViolation > 0 && x.name[:7] != "exact b" {
					t.Errorf("%s: exceeded by %v after exact steps", name, res.MaxViolation)
				}
			}
			if runs > at+400 {
				t.Fatalf("%s: it does not come to its end", name)
			}
		}
	})
}

// TestStoppedAgain: a run that goes on from a state and ends at once, again and again, has the same
// factors in all processes, those without rows too. It comes to the end that it has without
// interruption, also where it is cut between two exact steps.
func TestStoppedAgain(t *testing.T) {
	steps := []int64{11, 11, 11, 89} // of looks, from one end to the next
	if os.Getenv("NMU_FULL") != "" {
		steps = []int64{5, 5, 5, 89}
	}
	for at, x := range problemsOf[float64](t, "snmf revived of 5 x 3, sparse", "snmf revived of 9 x 800", "nmf of 5 x 3, sparse", "gnmu exact of 300 x 5") {
		want := x.found(t, memory, nil)
		for k, s := range storagesOf(x.sparse != nil) {
			if testing.Short() && (at+k)%3 > 0 || at == 3 && s.processes > 3 {
				continue // runs with exact steps take as long as the others, and are the same to exact steps
			}
			var state []byte
			for looks, done := int64(1), false; !done; looks += steps[at] {
				parts, errs := x.in(s, func(rank int, of *process[float64]) {
					of.settings.Checkpoint = &lnmu.Checkpoint{}
					if s.processes > 0 { // their teams mostly wait for each other; TestInterrupted has them
						of.settings.Threads = 1
					}
					if rank == 0 {
						of.ctx = askedOften(looks, nil)
						of.settings.Checkpoint = lastState(t, &state)
					}
					if state != nil {
						of.settings.Checkpoint.Resume = bytes.NewReader(bytes.Clone(state))
					}
				})
				if res := x.joined(t, s, parts); errors.Join(errs...) == nil {
					alike(t, fmt.Sprintf("%s in %s, after %d looks", x.name, s.name, looks), res, want)
					done = true
				}
			}
		}
	}
}

// lastState returns a checkpoint that sets state to the one which a run saves as it ends early.
func lastState(t *testing.T, state *[]byte) *lnmu.Checkpoint {
	return &lnmu.Checkpoint{After: time.Hour, Every: time.Hour, Save: func(to io.WriterTo) {
		var b bytes.Buffer
		if _, err := to.WriteTo(&b); err != nil {
			t.Error(err)
		}
		*state = b.Bytes()
	}}
}

// TestTimeLimit: a run on files ends within its time limit, wherever that comes, with the time to
// measure its result, and not long before. All time passes in reads of M, by a clock of the test.
// Only process 0 has the limit.
func TestTimeLimit(t *testing.T) {
	all := storagesOf(false)
	cut := 0
	for at, x := range problemsOf[float64](t, "nmf of 500 x 7, formed", "accelerated of 500 x 7, formed", "gnmu of 500 x 7, formed", "rnmu of 1300 x 3", "rnmu blocks of 500 x 7, formed",
		"l1 of 9 x 800", "kl of 1300 x 3", "priors of 1300 x 3", "gnmu exact of 1500 x 7", "exact, each of 1500 x 7", "hoyer of 1300 x 3", "snmf accelerated of 1300 x 3") {
		x.settings.Restarts, x.settings.TargetError, x.settings.Tolerance = 1, 0, 0
		exact, times := strings.Contains(x.name, "exact"), 6
		chunk := 1000
		if exact { // about a block of every pass, so that all passes have as many reads
			chunk, times = 6000, 14
		}
		smallChunks(t, chunk, 2)
		m, n := x.dims()
		atOnce := time.Duration(2*chunk/8/min(m, n)) * time.Second // the reads of both slots are not cut
		limited := func(s storage, iterations int, limit time.Duration) (res *lnmu.Result[float64], took time.Duration) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				res = x.found(t, s, func(rank int, of *process[float64]) {
					of.disk.Delay = time.Second
					of.settings.Scratch, of.settings.Threads, of.settings.Iterations = t.TempDir(), 1, iterations
					if of.settings.TimeLimit = limit; rank > 0 {
						of.settings.TimeLimit = 7 * limit
					}
				})
				took = time.Since(begun)
			})
			return res, took
		}
		for k, s := range []storage{all[0], all[4]} {
			if !exact && k != at%2 {
				continue
			}
			whole, long := limited(s, 2, 0)
			iterations, from := int(1e9), 2*long
			if exact {
				iterations, from = 2, long/3
			}
			for i := range times {
				if exact && (i+k)%2 != 0 && os.Getenv("NMU_FULL") == "" {
					continue // the other storage has this limit
				}
				limit := from + time.Duration(i)*(long/20)
				res, took := limited(s, iterations, limit)
				early := res.Stop == outcome.StopTime
				if took > limit+atOnce || !exact && (!early || took < limit/2) {
					t.Errorf("%s in %s: %v of %v", x.name, s.name, took, limit)
				}
				steps := 0
				if len(res.Blocks) > 0 {
					steps = len(res.Blocks[0].Exact)
				}
				if early && steps > 0 && steps < len(whole.Blocks[0].Exact) {
					cut++
				}
				if steps > 0 && res.MaxViolation > 0 {
					t.Errorf("%s in %s within %v: exceeded by %v after %d exact steps", x.name, s.name, limit, res.MaxViolation, steps)
				}
			}
			none := x.found(t, s, func(rank int, of *process[float64]) { of.settings.TimeLimit = 1 })
			if none.Stop != outcome.StopTime || none.V.Cols != 0 {
				t.Errorf("%s in %s without time: %s, %d factors", x.name, s.name, none.Stop, none.V.Cols)
			}
		}
	}
	if cut == 0 {
		t.Error("no limit came between two exact steps")
	}
}

// TestProgress: process 0 alone shows progress. Its errors need all processes and, where entries are
// missing, are those of the checks, or 1 as long as nothing was measured.
func TestProgress(t *testing.T) {
	for _, x := range problemsOf[float64](t, "gnmu of 1500 x 7", "nmf of 500 x 7, formed") {
		for _, s := range storagesOf(false)[:3] {
			synctest.Test(t, func(t *testing.T) {
				shown := map[float64]int{}
				ranks := make([]int, 5)
				parts, errs := x.in(s, func(rank int, of *process[float64]) {
					of.settings.Iterations, of.settings.Restarts, of.settings.Record, of.settings.CheckEvery = 150, 1, true, 1
					of.settings.Scratch, of.settings.Threads = t.TempDir(), 1
					if of.settings.Iterated = nil; of.disk != nil {
						of.disk.Delay = time.Millisecond
					} else if rank == 0 {
						of.settings.Iterated = func(int) { time.Sleep(time.Second) }
					}
					of.settings.Progress = func(p lnmu.Progress) {
						shown[p.RelativeError]++
						ranks[rank]++
					}
				})
				must.Do(t, errors.Join(errs...), x.name, "in", s.name)
				measured := 0
				for e := range shown {
					if e < 1 {
						measured++
					}
					if x.seen != (condition{}) && e != 1 && !slices.Contains(parts[0].Blocks[0].History, e) || !(e > 0 && e <= 1) {
						t.Errorf("%s in %s: an error %v, which no iteration has", x.name, s.name, e)
					}
				}
				if measured < 2 || slices.Max(ranks[1:]) > 0 {
					t.Errorf("%s in %s: %d errors were measured; processes have shown %v", x.name, s.name, measured, ranks)
				}
			})
		}
	}
}
