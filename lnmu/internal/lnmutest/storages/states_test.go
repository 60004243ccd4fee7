package storages

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/outcome"
)

// broken is a run of a small matrix whose states are damaged.
type broken struct {
	name     string
	method   lnmu.Method
	settings lnmu.Settings
	missing  bool // every fifth entry
	sparse   bool
	given    string
}

// factor runs a configuration on an m x n matrix.
func factor[T lnmu.Float](ctx context.Context, c broken, m, n, threads int, checkpoint *lnmu.Checkpoint) (*lnmu.Result[T], error) {
	d := lnmutest.Data[T](m, n, 5)
	x := problem[T]{run: run{c.name, c.method, 3, c.settings, c.given}, dense: d}
	if x.settings.Iterations = cmp.Or(c.settings.Iterations, 6); c.missing {
		x.seen.mask = lnmu.NewMask(m, n)
		for at := 0; at < m*n; at += 5 {
			x.seen.mask.Set(at/n, at%n, false)
		}
	}
	x.settings.Seed = 3
	if x.start(); c.sparse {
		s := lnmu.NewCSR(d)
		x.sparse = &s
	}
	of := x.place(memory, nil)
	of.ctx, of.settings.Threads, of.settings.Checkpoint = ctx, threads, checkpoint
	return x.solve(of)
}

// seal replaces the checksum at the end of a state.
func seal(state []byte) []byte {
	body := state[:len(state)-sha256.Size]
	sum := sha256.Sum256(body)
	return append(bytes.Clone(body), sum[:]...)
}

// saved returns the states of a short run, several of them if it has one thread.
func saved(t *testing.T, c broken, threads int) (states [][]byte) {
	t.Helper()
	least := 3
	if threads > 1 {
		least = 1
	}
	if _, err := factor[float64](t.Context(), c, 9, 7, threads, keeping(t, &states, nil)); err != nil || len(states) < least {
		t.Fatalf("%d states, %v", len(states), err)
	}
	return states
}

// A state that is cut short or changed in any byte is refused as such; one whose
// checksum was made to fit does no harm: the run ends, with an error or a result.
// NMU_FULL asks for more bytes.
func TestDamagedStates(t *testing.T) {
	most := 150 // bytes of a state that are changed
	if os.Getenv("NMU_FULL") != "" {
		most = 2000
	}
	for _, c := range []broken{
		{name: "blocks", method: lnmu.RNMU{Block: 2}, settings: lnmu.Settings{Start: lnmu.Start{Restarts: 2}, Limits: lnmu.Limits{Tolerance: 1e-9, CheckEvery: 1}}},
		{name: "adaptive", method: lnmu.SNMF{SparsityV: 0.5}},
		{name: "hoyer", method: lnmu.Hoyer{HoyerV: 0.5}},
		{name: "sparse", method: lnmu.GNMU{}, sparse: true},
		{name: "race", method: lnmu.NMF{}, settings: lnmu.Settings{Start: lnmu.Start{Restarts: 4}, Limits: lnmu.Limits{Iterations: 31}}},
	} {
		states := saved(t, c, 1)
		state := states[len(states)-1]
		resume := func(state []byte) error {
			_, err := factor[float64](t.Context(), c, 9, 7, 1, &lnmu.Checkpoint{Resume: bytes.NewReader(state)})
			return err
		}
		must.Do(t, resume(state))
		for n := 0; n < len(state); n += 1 + 4*len(state)/most {
			if err := resume(state[:n]); !errors.Is(err, lnmu.ErrCheckpoint) {
				t.Fatalf("%s: the first %d bytes: %v", c.name, n, err)
			}
			if _, err := (lnmu.Checkpoint{Resume: bytes.NewReader(state[:n])}).ReadNote(); !errors.Is(err, lnmu.ErrCheckpoint) {
				t.Fatalf("%s: the note of the first %d bytes: %v", c.name, n, err)
			}
		}
		for i := 0; i < len(state); i += 1 + len(state)/most {
			for _, bits := range []byte{1, 0x80, 0xff} {
				changed := bytes.Clone(state)
				changed[i] ^= bits
				if err := resume(changed); !errors.Is(err, lnmu.ErrCheckpoint) {
					t.Fatalf("%s: byte %d changed by %#x: %v", c.name, i, bits, err)
				}
				if _, err := (lnmu.Checkpoint{Resume: bytes.NewReader(changed)}).ReadNote(); !errors.Is(err, lnmu.ErrCheckpoint) {
					t.Fatalf("%s: the note with byte %d changed by %#x: %v", c.name, i, bits, err)
				}
				if err := resume(seal(changed)); err != nil && !errors.Is(err, lnmu.ErrCheckpoint) && !errors.Is(err, lnmu.ErrValue) {
					t.Fatalf("%s: byte %d changed by %#x, and the checksum with it: %v", c.name, i, bits, err)
				}
			}
		}
	}
}

// A state that claims more than it holds takes no memory for that.
func TestStateClaims(t *testing.T) {
	c := broken{method: lnmu.RNMU{}, settings: lnmu.Settings{Start: lnmu.Start{Restarts: 2}}}
	state := saved(t, c, 2)[0]
	for _, name := range []string{"note", "run", "V", "W", "blocks", "history", "under way", "state"} {
		at := bytes.Index(state, append([]byte{byte(len(name))}, name...))
		if at < 0 {
			continue
		}
		claims := bytes.Clone(state)
		count := claims[at+1+len(name)+1:][:8]
		if name == "blocks" || name == "under way" {
			count = claims[at+1+len(name)+1+8:][:8] // the number itself
		}
		copy(count, "\xff\xff\xff\xff\xff\xff\xff\x3f")
		allocates(t, name, 32<<20, func() {
			must.Refuse(factor[float64](t.Context(), c, 9, 7, 1, &lnmu.Checkpoint{Resume: bytes.NewReader(seal(claims))}))(t, lnmu.ErrCheckpoint, "", name)
		})
	}
}

// A state of another run is refused with what differs.
func TestOtherState(t *testing.T) {
	c := broken{method: lnmu.RNMU{}}
	state := saved(t, c, 1)[1]
	for _, x := range []struct {
		says   string
		change func(c *broken)
		m      int
	}{
		{`"rows 9"`, func(*broken) {}, 10},
		{`"method rnmu"`, func(c *broken) { c.method = lnmu.GNMU{} }, 9},
		{`"option Inner 2"`, func(c *broken) { c.method = lnmu.RNMU{GNMU: lnmu.GNMU{Inner: 3}} }, 9},
		{`"iterations 6"`, func(c *broken) { c.settings.Iterations = 7 }, 9},
		{`"restarts 1"`, func(c *broken) { c.settings.Restarts = 2 }, 9},
		{`"tolerance 0"`, func(c *broken) { c.settings.Tolerance = 0.1 }, 9},
		{`"check interval 10"`, func(c *broken) { c.settings.CheckEvery = 3 }, 9},
		{`"target error 0"`, func(c *broken) { c.settings.TargetError = 0.1 }, 9},
		{`"start random"`, func(c *broken) { c.settings.Init = lnmu.InitNested }, 9},
		{`"given V`, func(c *broken) { c.given = "start" }, 9},
		{`"stored entries 63"`, func(c *broken) { c.sparse = true }, 9},
	} {
		other := c
		x.change(&other)
		_, err := factor[float64](t.Context(), other, x.m, 7, 1, &lnmu.Checkpoint{Resume: bytes.NewReader(state)})
		if !errors.Is(err, lnmu.ErrCheckpoint) || x.says != `"given V` && !strings.Contains(err.Error(), x.says) {
			t.Errorf("%s: %v", x.says, err)
		}
	}
	must.Refuse(factor[float32](t.Context(), c, 9, 7, 1, &lnmu.Checkpoint{Resume: bytes.NewReader(state)}))(t, lnmu.ErrCheckpoint, "", "in float32")
}

// A state of the version before is refused in one line with both versions and what to do.
func TestOldState(t *testing.T) {
	c := broken{method: lnmu.RNMU{}}
	state := saved(t, c, 1)[1]
	old := seal(bytes.Replace(state, []byte("nmu state 6\n"), []byte("nmu state 5\n"), 1))
	if bytes.Equal(old, state) {
		t.Fatal("the state is not of version 6, so that this tests nothing")
	}
	const want = "bad checkpoint: its format has version 5, and this program reads version 6: go on with the program that saved it, or begin the run anew"
	if _, err := (lnmu.Checkpoint{Resume: bytes.NewReader(old)}).ReadNote(); !errors.Is(err, lnmu.ErrCheckpoint) || err.Error() != want {
		t.Errorf("its note: %v", err)
	}
	if _, err := factor[float64](t.Context(), c, 9, 7, 1, &lnmu.Checkpoint{Resume: bytes.NewReader(old)}); !errors.Is(err, lnmu.ErrCheckpoint) || err.Error() != want {
		t.Errorf("resumed: %v", err)
	}
}

// failing fails after some bytes.
type failing struct{ left int }

var errDisk = errors.New("disk full")

func (f *failing) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errDisk
	}
	return len(b), nil
}

func (f *failing) Read([]byte) (int, error) { return 0, errDisk }

// Errors of files are told, and those of writing do not end the run. The times After
// and Every are kept, and what was spent before counts for a limit of time.
func TestCheckpointTimes(t *testing.T) {
	c := broken{method: lnmu.NMF{}, settings: lnmu.Settings{Limits: lnmu.Limits{Iterations: 40}}}
	calls := 0
	_, err := factor[float64](t.Context(), c, 9, 7, 1, &lnmu.Checkpoint{Save: func(state io.WriterTo) {
		calls++
		must.Refuse(state.WriteTo(&failing{left: 100}))(t, errDisk, "", "a full disk")
	}})
	if err != nil || calls != 40 {
		t.Errorf("%d calls, %v", calls, err)
	}
	must.Refuse(factor[float64](t.Context(), c, 9, 7, 1, &lnmu.Checkpoint{Resume: &failing{}}))(t, errDisk, "", "a file that cannot be read")
	must.Refuse((lnmu.Checkpoint{Resume: &failing{}}).ReadNote())(t, errDisk, "", "a note that cannot be read")
	for _, x := range []struct {
		after, every time.Duration
		most         int
	}{{time.Hour, 0, 0}, {0, time.Hour, 1}} {
		calls = 0
		save := func(io.WriterTo) { calls++ }
		if _, err := factor[float64](t.Context(), c, 9, 7, 1, &lnmu.Checkpoint{After: x.after, Every: x.every, Save: save}); err != nil || calls != x.most {
			t.Errorf("after %v, every %v: %d states, %v", x.after, x.every, calls, err)
		}
	}

	var states [][]byte
	point := keeping(t, &states, nil)
	keep := point.Save
	point.Save = func(state io.WriterTo) {
		time.Sleep(time.Millisecond)
		keep(state)
	}
	must.Get(factor[float64](t.Context(), c, 9, 7, 1, point))(t)
	c.settings.TimeLimit = 30 * time.Millisecond // which the last state has used up
	res, err := factor[float64](t.Context(), c, 9, 7, 1, &lnmu.Checkpoint{Resume: bytes.NewReader(states[len(states)-2])})
	if err != nil || res.Stop != outcome.StopTime || res.Blocks[0].IterationsDone != 39 {
		t.Errorf("%+v, %v", res, err)
	}
}

// A state of numbers that are not finite is not saved: the run ends with an error.
func TestStateOfInfinities(t *testing.T) {
	m := lnmu.NewDense(2, 2, []float64{1, 2, 3, 4})
	refused := 0
	point := &lnmu.Checkpoint{Save: func(state io.WriterTo) {
		if _, err := state.WriteTo(io.Discard); err != nil {
			refused++
		}
	}}
	long := lnmu.GNMU{StepLength: func(int) float64 { return math.Inf(1) }}
	if _, err := lnmu.Factor(t.Context(), m, 1, long, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{Iterations: 3}, Watch: lnmu.Watch{Checkpoint: point}}); refused == 0 {
		t.Errorf("a state with an infinite step was saved, %v", err)
	}
}

// TestStateOfInfiniteDivergence: a best result whose divergence is infinite is saved, and the run resumes from each state.
func TestStateOfInfiniteDivergence(t *testing.T) {
	m, rows := lnmutest.Data[float64](9, 7, 5), lnmu.NewDense[float64](9, 2, nil)
	rows.Row(1)[0] = 1 // the others are 0
	run := func(point *lnmu.Checkpoint) *lnmu.Result[float64] {
		settings := lnmu.Settings{Start: lnmu.Start{Restarts: 3}, Threads: 1, FixedV: rows, Limits: lnmu.Limits{Iterations: 6}, Watch: lnmu.Watch{Checkpoint: point}}
		return must.Get(lnmu.Factor(t.Context(), m, 2, lnmu.KL{}, &settings))(t)
	}
	var states [][]byte
	want := run(keeping(t, &states, nil))
	if !math.IsInf(want.RelativeDivergence, 1) || len(states) < 3 {
		t.Fatalf("divergence %v, %d states", want.RelativeDivergence, len(states))
	}
	for _, s := range states {
		must.Equal(t, factors.SHA256(run(&lnmu.Checkpoint{Resume: bytes.NewReader(s)}).W), factors.SHA256(want.W), "another result")
	}
}
