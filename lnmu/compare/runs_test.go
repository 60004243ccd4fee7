package compare

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"nmu/internal/leak"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/outcome"
)

// kind is an evaluation whose runs are made or compared in a way of their own.
type kind struct {
	Evaluation
	method lnmu.Method
	set    Settings
}

// kinds are all ways to make and to compare runs. They have notes where the penalties are large.
var kinds = map[string]kind{
	"folds":      {EvaluateHeldOut, lnmu.NMF{}, Settings{Folds: 3, Consensus: true}},
	"restarts":   {EvaluateHeldOut, lnmu.SNMF{PenaltyV: 1e6, PenaltyW: 1e6}, Settings{Folds: 2, Start: lnmu.Start{Restarts: 3}}},
	"recursion":  {EvaluateHeldOut, lnmu.RNMU{}, Settings{Folds: 3, Start: lnmu.Start{Restarts: 2}, Consensus: true}},
	"divergence": {EvaluateHeldOut, lnmu.KL{}, Settings{Folds: 2}},
	"starts":     {EvaluateStability, lnmu.SNMF{PenaltyV: 1e6, PenaltyW: 1e6}, Settings{Runs: 4}},
	"columns":    {EvaluateStability, lnmu.NMF{}, Settings{Runs: 4, Resample: Columns}},
	"poisson":    {EvaluateStability, lnmu.KL{}, Settings{Runs: 6, Resample: Poisson, Start: lnmu.Start{Restarts: 2}}},
}

// evaluated is what an evaluation returns: what both have, everything as text, and what is whole by ranks.
type evaluated struct {
	Comparison
	text  string
	whole []string
}

// of makes an evaluation.
func (k kind) of(ctx context.Context, m lnmu.Matrix[float64], ranks []int, s Settings) (o *evaluated, err error) {
	var res any
	var maps []lnmu.Dense[float64]
	if k.Evaluation == EvaluateHeldOut {
		h, failed := HeldOut(ctx, m, ranks, k.method, &s)
		if err = failed; h == nil {
			return nil, err
		}
		res, o = h, &evaluated{Comparison: h.Comparison}
		for _, p := range h.Points {
			if p.HeldOut != nil {
				o.whole = append(o.whole, fmt.Sprint(p.Rank, *p.HeldOut))
			}
			if p.Agreement != nil {
				o.whole, maps = append(o.whole, fmt.Sprint(p.Rank, *p.Agreement)), append(maps, p.Agreement.Map)
			}
		}
	} else {
		b, failed := Stability(ctx, m, ranks, k.method, &s)
		if err = failed; b == nil {
			return nil, err
		}
		res, o = b, &evaluated{Comparison: b.Comparison}
		for _, p := range b.Points {
			if p.Runs == b.Runs {
				o.whole = append(o.whole, fmt.Sprint(p))
			}
			maps = append(maps, p.V, p.VLow, p.VHigh, p.W, p.WLow, p.WHigh, p.Map)
		}
	}
	text, failed := json.Marshal(res)
	o.text = string(text)
	for _, d := range maps {
		o.text += " " + factors.SHA256(d)
	}
	return o, errors.Join(err, failed)
}

// small are the settings of a short kind.
func (k kind) small() Settings {
	s := k.set
	s.Iterations, s.Seed = 30, 3
	return s
}

// The result has the same bits for any number of threads and of concurrent runs, and for M in any order of memory.
func TestSameBits(t *testing.T) {
	leak.Check(t)
	m, _, _ := planted(12, 20, 2, 60, 3)
	for name, k := range kinds {
		want := ""
		for _, c := range []struct{ threads, sideBySide int }{{1, 0}, {2, 0}, {7, 3}, {4, 1}, {60, 60}} {
			s := k.small()
			s.Threads, s.SideBySide = c.threads, c.sideBySide
			of := lnmu.Matrix[float64](m)
			if c.threads == 2 {
				of = lnmu.Strided[float64]{Rows: 12, Cols: 20, Data: m.Transposed().Data, RowStride: 1, ColStride: 12}
			}
			res := must.Get(k.of(t.Context(), of, []int{3, 2, 3}, s))(t)
			if want = cmp.Or(want, res.text); res.text != want {
				t.Errorf("%s, %+v: %s, want %s", name, c, res.text, want)
			}
		}
	}
}

// states returns a checkpoint that keeps all states in a list.
func states(t *testing.T, list *[][]byte) *lnmu.Checkpoint {
	return &lnmu.Checkpoint{Note: []byte("note"), Save: func(w io.WriterTo) {
		var b bytes.Buffer
		if _, err := w.WriteTo(&b); err != nil {
			t.Error(err)
		}
		*list = append(*list, b.Bytes())
	}}
}

// A comparison that goes on from a state, after any number of runs, ends with the bits and the notes of one that was
// not cut short. Damaged states, and those of another comparison, are refused.
func TestResume(t *testing.T) {
	counts, _, _ := planted(12, 20, 2, 60, 4)
	m, ranks := lnmu.Observed[float64]{Matrix: counts, Weights: powers(12, 20, 3)}, []int{2, 3}
	for name, k := range kinds {
		s := k.small()
		s.Threads = 1
		var list [][]byte
		s.Checkpoint = states(t, &list)
		res := must.Get(k.of(t.Context(), m, ranks, s))(t)
		if len(list) < 2 {
			t.Fatalf("%s: %d states", name, len(list))
		}
		from := func(state []byte, s Settings) (*evaluated, error) {
			s.Threads, s.Checkpoint = 3, &lnmu.Checkpoint{Resume: bytes.NewReader(state)}
			return k.of(t.Context(), m, ranks, s)
		}
		for x, state := range list {
			if note, err := ReadNote(bytes.NewReader(state)); err != nil || string(note) != "note" {
				t.Errorf("%s: the note is %q, %v", name, note, err)
			}
			must.Equal(t, must.Get(from(state, s))(t).text, res.text, name, "from state", x)
			damaged := bytes.Clone(state)
			damaged[len(damaged)*2/3] ^= 1
			must.Refuse(from(damaged, s))(t, lnmu.ErrCheckpoint, "", name, "damaged state", x)
			that := kind{map[Evaluation]Evaluation{EvaluateHeldOut: EvaluateStability, EvaluateStability: EvaluateHeldOut}[k.Evaluation], k.method, Settings{}}
			must.Refuse(that.of(t.Context(), m, ranks, Settings{Watch: lnmu.Watch{Checkpoint: &lnmu.Checkpoint{Resume: bytes.NewReader(state)}}}))(t, lnmu.ErrCheckpoint, "evaluation", name, "state", x, "for", that.Evaluation)
			for what, change := range map[string]func(s *Settings){
				"seed": func(s *Settings) { s.Seed++ }, "iterations": func(s *Settings) { s.Iterations++ }, "restarts": func(s *Settings) { s.Restarts += 3 },
				"tolerance": func(s *Settings) { s.Tolerance = 0.003 }, "check interval": func(s *Settings) { s.CheckEvery = 7 },
			} {
				other := s
				change(&other)
				must.Refuse(from(state, other))(t, lnmu.ErrCheckpoint, what, name, "state", x, "with other settings")
			}
		}
	}
}

// A state may have all runs of a rank, and not yet what they have in common. The time before it counts. An error may be
// infinite. A rank without all runs has nothing in common.
func TestResumeBetween(t *testing.T) {
	m, _, _ := planted(12, 20, 2, 60, 4)
	for name, k := range kinds {
		want := must.Get(k.of(t.Context(), m, []int{2, 3}, k.small()))(t)
		s := k.small()
		j := must.Get(newJob(t.Context(), k.Evaluation, m, []int{2, 3}, k.method, &s))(t)
		j.by = newStability(j)
		if k.Evaluation == EvaluateHeldOut {
			h := &heldOut[float64]{job: j}
			j.by = must.Get(h, h.divide())(t)
		}
		first := j.series[0]
		for _, u := range first.units {
			u.done = must.Get(j.by.factor(t.Context(), u, 1))(t)
		}
		j.Settings.Checkpoint, j.begun = &lnmu.Checkpoint{}, j.begun.Add(-time.Hour)
		from := func(limit time.Duration) (*evaluated, error) {
			var state bytes.Buffer
			must.Equal(t, j.encode(&state), nil, name)
			s.TimeLimit, s.Checkpoint = limit, &lnmu.Checkpoint{Resume: &state}
			return k.of(t.Context(), m, []int{2, 3}, s)
		}
		must.Equal(t, must.Get(from(0))(t).text, want.text, name)
		if res, err := from(30 * time.Minute); err != nil || res.Stop != outcome.StopTime || res.Finished != len(first.units) {
			t.Errorf("%s: %+v after an hour with a limit of half an hour, %v", name, res, err)
		}
		if k.Evaluation == EvaluateStability {
			must.Do(t, j.conclude(t.Context(), first, 1))
			first.point.Error = math.Inf(1)
			if res, err := from(0); err != nil || !strings.Contains(res.text, `"error":null`) {
				t.Errorf("%s: %+v from an infinite error, %v", name, res, err)
			}
		}
		if first.compared {
			first.units[0].done = false
			must.Refuse(from(0))(t, lnmu.ErrCheckpoint, "", name, "from a rank that lacks a run")
		}
	}
}

// A cancelled comparison keeps what is finished, says so, and leaves a state from which it goes on.
func TestCancelled(t *testing.T) {
	leak.Check(t)
	m, _, _ := planted(12, 20, 2, 60, 4)
	cause := errors.New("enough")
	for name, k := range kinds {
		var all atomic.Int64
		s := k.small()
		s.Iterated = func(int) { all.Add(1) }
		want := must.Get(k.of(t.Context(), m, []int{1, 2, 3}, s))(t)
		for _, share := range []float64{0, 0.3, 0.6, 0.9} {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			var each sync.Mutex // the other run waits until this one has cancelled both
			left := 1 + int64(share*float64(all.Load()))
			s.Threads, s.Iterated = 2, func(int) {
				each.Lock()
				defer each.Unlock()
				if left--; left == 0 {
					cancel(cause)
				}
			}
			var list [][]byte
			s.Checkpoint = states(t, &list)
			s.Checkpoint.After, s.Checkpoint.Every = time.Hour, time.Hour
			res, err := k.of(ctx, m, []int{1, 2, 3}, s)
			if !errors.Is(err, cause) || res == nil || res.Stop != outcome.StopCancelled || res.Finished >= res.AllRuns || len(list) != min(1, res.Finished) {
				t.Fatalf("%s, %v: %+v, %d states, %v", name, share, res, len(list), err)
			}
			for _, p := range res.whole {
				if !slices.Contains(want.whole, p) {
					t.Errorf("%s, %v: %s is kept, want one of %s", name, share, p, want.whole)
				}
			}
			if n := len(res.whole); share == 0 && n > 0 || share == 0.9 && n == 0 {
				t.Errorf("%s, %v: %d are whole", name, share, n)
			}
			for _, state := range list {
				s.Iterated, s.Checkpoint = nil, &lnmu.Checkpoint{Resume: bytes.NewReader(state)}
				must.Equal(t, must.Get(k.of(t.Context(), m, []int{1, 2, 3}, s))(t).text, want.text, name, share)
			}
		}
	}
}

// A rank of which two runs are finished has a point of these.
func TestPointOfFewRuns(t *testing.T) {
	m, _, _ := planted(12, 20, 2, 60, 4)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	begun := 0
	res, err := Stability(ctx, m, []int{2, 3}, nil, &Settings{Runs: 4, Limits: lnmu.Limits{Iterations: 30}, Threads: 1, Watch: lnmu.Watch{Iterated: func(k int) {
		if k == 1 {
			if begun++; begun == 7 {
				cancel()
			}
		}
	}}})
	if !errors.Is(err, context.Canceled) || res.Finished != 6 || res.AllRuns != 8 || len(res.Points) != 2 || res.Points[1].Runs != 2 {
		t.Fatalf("%+v, %v", res, err)
	}
}

// The time limit is for all runs together, and what is there by then is the result. The caller hears how far the work
// is, never twice at once.
func TestTimeLimit(t *testing.T) {
	m, _, _ := planted(12, 20, 2, 60, 4)
	for name, k := range kinds {
		var busy atomic.Bool
		var res *evaluated
		var err error
		calls := 0
		s := k.set
		s.Iterations, s.TimeLimit, s.Threads = math.MaxInt32, 500*time.Millisecond, 4
		s.Iterated = func(int) { time.Sleep(5 * time.Millisecond) }
		s.Progress = func(p lnmu.Progress) {
			if !busy.CompareAndSwap(false, true) {
				t.Errorf("%s: called twice at once", name)
			}
			if calls++; p.Restarts == 0 || p.Restart != 1 || p.Elapsed <= 0 || p.Remaining < 0 {
				t.Errorf("%s: %+v", name, p)
			}
			runtime.Gosched()
			busy.Store(false)
		}
		synctest.Test(t, func(t *testing.T) { res, err = k.of(t.Context(), m, []int{2}, s) })
		if err != nil || res.Stop != outcome.StopTime || res.Finished != 0 || res.Advice.Rank != 0 {
			t.Errorf("%s: %+v, %v", name, res, err)
		}
		if calls == 0 {
			t.Errorf("%s: no call", name)
		}
	}
}

// A panic of the caller's function comes back in the caller's goroutine.
func TestPanic(t *testing.T) {
	leak.Check(t)
	m, _, _ := planted(12, 20, 2, 60, 4)
	for name, k := range kinds {
		func() {
			defer func() {
				must.Equal(t, recover(), "boom", name, "panic")
			}()
			var count atomic.Int64
			s := k.small()
			s.Threads, s.Iterated = 3, func(int) {
				if count.Add(1) == 100 {
					panic("boom")
				}
			}
			_, err := k.of(t.Context(), m, []int{2, 3}, s)
			t.Errorf("%s: no panic: %v", name, err)
		}()
	}
}

// What cannot be done is refused by name.
func TestRefused(t *testing.T) {
	m := mixture[float64](8, 6, 2, 0.1, 1)
	negative, many := mixture[float64](8, 6, 2, 0.1, 1), mixture[float64](8, 6, 2, 0.1, 1)
	negative.Data[7], many.Row(3)[4] = -1, 1<<60
	empty := lnmu.NewMask(8, 6)
	for j := range 6 {
		empty.Set(3, j, false)
	}
	var upTo []int
	for r := range 120 {
		upTo = append(upTo, r+1)
	}
	const both = ""
	for _, c := range []struct {
		of    Evaluation
		says  string
		is    error
		m     lnmu.Matrix[float64]
		ranks []int
		s     Settings
	}{
		{both, "no rank to try", lnmu.ErrOption, m, nil, Settings{}},
		{both, "rank 0;", lnmu.ErrOption, m, []int{2, 0}, Settings{}},
		{both, "choose 1 to", lnmu.ErrOption, m, []int{2, 5_000_000}, Settings{}},
		{both, "side by side -2; choose 1 to", lnmu.ErrOption, m, []int{2}, Settings{SideBySide: -2}},
		{both, "number of iterations -1", lnmu.ErrOption, m, []int{2}, Settings{Limits: lnmu.Limits{Iterations: -1}}},
		{both, "target error 0.5 of a comparison", lnmu.ErrOption, m, []int{2}, Settings{Limits: lnmu.Limits{TargetError: 0.5}}},
		{both, "time limit -1", lnmu.ErrOption, m, []int{2}, Settings{Limits: lnmu.Limits{TimeLimit: -time.Second}}},
		{both, "the weights are 8 x 5 and M is 8 x 6", lnmu.ErrShape, lnmu.Observed[float64]{Matrix: m, Weights: lnmu.NewDense[float64](8, 5, nil)}, []int{2}, Settings{}},
		{both, "row 2, column 2 of M = -1 is negative", lnmu.ErrValue, negative, []int{2, 3}, Settings{}},
		{both, "row 4 of M has no observed entry", lnmu.ErrValue, lnmu.Observed[float64]{Matrix: m, Mask: empty}, []int{2}, Settings{}},
		{both, "M is nil", lnmu.ErrShape, nil, []int{2}, Settings{}},
		{both, "M", lnmu.ErrShape, lnmu.Dense[float64]{}, []int{2}, Settings{}},
		{both, "M is empty (0 x 3)", lnmu.ErrShape, lnmu.Strided[float64]{Cols: 3}, []int{2}, Settings{}},
		{both, "M is unread", lnmu.ErrOption, lnmu.Unread[float64]{Rows: 8, Cols: 6}, []int{2}, Settings{}},

		{EvaluateHeldOut, "number of folds -1; choose 1 to 250", lnmu.ErrOption, m, []int{2}, Settings{Folds: -1}},
		{EvaluateHeldOut, "number of folds 251; choose 1 to 250", lnmu.ErrOption, m, []int{2}, Settings{Folds: 251}},
		{EvaluateHeldOut, "of 50 would hold out nothing of 48", lnmu.ErrOption, m, []int{2}, Settings{Folds: 50}},
		{EvaluateHeldOut, "number of restarts 10001; choose 1 to 10000", lnmu.ErrOption, m, []int{2}, Settings{Start: lnmu.Start{Restarts: 10001}}},
		{EvaluateHeldOut, "10005 runs for each of 120 ranks", lnmu.ErrOption, mixture[float64](120, 130, 2, 0.1, 1), upTo, Settings{Start: lnmu.Start{Restarts: 10000}}},
		{EvaluateHeldOut, "held-out errors has no setting runs", lnmu.ErrOption, m, []int{2}, Settings{Runs: 2}},
		{EvaluateHeldOut, "held-out errors has no setting resampling", lnmu.ErrOption, m, []int{2}, Settings{Resample: Columns}},
		{EvaluateHeldOut, "held-out errors has no setting level", lnmu.ErrOption, m, []int{2}, Settings{Level: 0.5}},

		{EvaluateStability, "number of runs 1; choose 2 to 10000", lnmu.ErrOption, m, []int{2}, Settings{Runs: 1}},
		{EvaluateStability, "resampling \"rows\"", lnmu.ErrOption, m, []int{2}, Settings{Resample: "rows"}},
		{EvaluateStability, "level 1 of the intervals", lnmu.ErrOption, m, []int{2}, Settings{Level: 1}},
		{EvaluateStability, "start \"svd\"", lnmu.ErrOption, m, []int{2}, Settings{Start: lnmu.Start{Init: lnmu.InitSVD}}},
		{EvaluateStability, "10000 runs for each of 120 ranks", lnmu.ErrOption, mixture[float64](120, 130, 2, 0.1, 1), upTo, Settings{Runs: 10000}},
		{EvaluateStability, "runs of 100000000 starts", lnmu.ErrOption, m, []int{2}, Settings{Start: lnmu.Start{Restarts: 100_000_000}}},
		{EvaluateStability, "stability has no setting folds", lnmu.ErrOption, m, []int{2}, Settings{Folds: 3}},
		{EvaluateStability, "stability has no setting consensus", lnmu.ErrOption, m, []int{2}, Settings{Consensus: true}},
		{EvaluateStability, "row 3, column 4", lnmu.ErrValue, many, []int{2}, Settings{Resample: Poisson}},
	} {
		for _, of := range []Evaluation{EvaluateHeldOut, EvaluateStability} {
			if c.of != both && c.of != of {
				continue
			}
			k := kind{Evaluation: of}
			res, err := k.of(t.Context(), c.m, c.ranks, c.s)
			if res != nil || !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s, %s: %v, %v", of, c.says, res, err)
			}
			var none context.Context
			must.Refuse(k.of(none, m, []int{2}, Settings{}))(t, lnmu.ErrOption, "", "nil context")
		}
	}
}

// The notes are those of the runs, sorted and each once, with any number of threads.
func TestNotes(t *testing.T) {
	m, _, _ := planted(12, 20, 2, 60, 4)
	for _, name := range []string{"restarts", "starts"} {
		k := kinds[name]
		s := Settings{Limits: lnmu.Limits{Iterations: 5}, Folds: k.set.Folds, Start: lnmu.Start{Restarts: k.set.Restarts}, Runs: k.set.Runs}
		if k.Evaluation == EvaluateHeldOut {
			s.Folds = 1
		}
		var want []string
		for _, r := range []int{2, 3} {
			for q := range uint64(max(s.Runs, s.Restarts)) {
				res, err := lnmu.Factor(t.Context(), m, r, k.method, &lnmu.Settings{Limits: lnmu.Limits{Iterations: 5}, Start: lnmu.Start{Restarts: 1, Seed: q}})
				if err != nil || len(res.Notes) == 0 {
					t.Fatalf("rank %d, seed %d: notes %q, %v", r, q, res.Notes, err)
				}
				want = append(want, res.Notes...)
			}
		}
		slices.Sort(want)
		want = slices.Compact(want)
		for _, s.Threads = range []int{1, 3} {
			res := must.Get(k.of(t.Context(), m, []int{2, 3}, s))(t)
			must.EqualSlices(t, res.Notes, want, name, s.Threads, "threads: notes")
		}
		k.method = lnmu.SNMF{PenaltyV: 1e-6, PenaltyW: 1e-6}
		if res, err := k.of(t.Context(), m, []int{1}, s); err != nil || len(res.Notes) > 0 {
			t.Errorf("%s with mild penalties: notes %q, %v", name, res.Notes, err)
		}
	}
}
