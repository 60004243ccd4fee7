package consensus_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"nmu/lnmu"
	"nmu/lnmu/consensus"
)

// bits returns everything in a result.
func bits(t *testing.T, res *consensus.Result[float64]) string {
	t.Helper()
	text, err := json.Marshal(res)
	if err != nil {
		t.Fatal(err)
	}
	s := string(text)
	for _, p := range res.Points {
		for _, d := range []lnmu.Dense[float64]{p.V, p.VLow, p.VHigh, p.W, p.WLow, p.WHigh, p.Map} {
			s += " " + lnmu.SHA256(d)
		}
	}
	return s
}

var ways = []consensus.Resample{consensus.Starts, consensus.Columns, consensus.Poisson}

// The result does not depend on threads, on the runs side by side, or on the storage of M.
func TestThreads(t *testing.T) {
	m, _, _ := planted(12, 20, 2, 60, 3)
	for _, how := range ways {
		want := ""
		for _, s := range []consensus.Settings{{Settings: lnmu.Settings{Threads: 1}}, {Settings: lnmu.Settings{Threads: 3}}, {Settings: lnmu.Settings{Threads: 4}, SideBySide: 2}} {
			s.Runs, s.Resample, s.Iterations = 6, how, 30
			res, err := consensus.Find(context.Background(), m, []int{3, 2, 3}, nil, &s)
			if err != nil {
				t.Fatal(err)
			}
			got := bits(t, res)
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("%q: %d threads: %s, want %s", how, s.Threads, got, want)
			}
		}
	}
}

// sparseOf returns the matrix in compressed rows.
func sparseOf(m lnmu.Dense[float64]) lnmu.CSR[float64] {
	s := lnmu.CSR[float64]{Rows: m.Rows, Cols: m.Cols, Ptr: []int{0}}
	for i := range m.Rows {
		for j, x := range m.Row(i) {
			if x != 0 {
				s.Idx, s.Val = append(s.Idx, int32(j)), append(s.Val, x)
			}
		}
		s.Ptr = append(s.Ptr, len(s.Idx))
	}
	return s
}

// A sparse matrix is resampled as the same dense one.
func TestSparse(t *testing.T) {
	m, _, _ := planted(15, 25, 2, 40, 5)
	for _, how := range ways {
		var points [2]consensus.Point[float64]
		for x, m := range []lnmu.Matrix[float64]{m, sparseOf(m)} {
			res, err := consensus.Find(context.Background(), m, []int{2}, nil, &consensus.Settings{Runs: 5, Resample: how, Settings: lnmu.Settings{Iterations: 200}})
			if err != nil {
				t.Fatal(err)
			}
			points[x] = res.Points[0]
		}
		for i, x := range points[0].VHigh.Data {
			if y := points[1].VHigh.Data[i]; how == consensus.Starts && math.Abs(x-y) > 1e-6 {
				t.Errorf("%q: %v of the dense matrix, %v of the sparse one", how, x, y)
			}
		}
		if a, b := points[0].Error, points[1].Error; math.Abs(a-b) > 0.02*a {
			t.Errorf("%q: error %v of the dense matrix, %v of the sparse one", how, a, b)
		}
	}
}

// A run that is cut short after any number of runs, and goes on from its state, ends with the
// bits of one that was not.
func TestResume(t *testing.T) {
	m, _, _ := planted(12, 20, 2, 60, 4)
	for _, how := range ways {
		set := consensus.Settings{Runs: 4, Resample: how, Settings: lnmu.Settings{Iterations: 30, Threads: 1}}
		var states [][]byte
		whole := set
		whole.Checkpoint = &lnmu.Checkpoint{Note: []byte("note"), Save: func(w io.WriterTo) {
			var b bytes.Buffer
			if _, err := w.WriteTo(&b); err != nil {
				t.Error(err)
			}
			states = append(states, b.Bytes())
		}}
		ctx := context.Background()
		res, err := consensus.Find(ctx, m, []int{2, 3}, nil, &whole)
		if err != nil {
			t.Fatal(err)
		}
		if len(states) < 2 {
			t.Fatalf("%q: %d states", how, len(states))
		}
		want := bits(t, res)
		for x, state := range states {
			if note, err := consensus.ReadNote(bytes.NewReader(state)); err != nil || string(note) != "note" {
				t.Errorf("%q: the note is %q, %v", how, note, err)
			}
			again := set
			again.Threads = 3
			again.Checkpoint = &lnmu.Checkpoint{Resume: bytes.NewReader(state)}
			res, err := consensus.Find(ctx, m, []int{2, 3}, nil, &again)
			if err != nil {
				t.Fatalf("%q: state %d: %v", how, x, err)
			}
			if got := bits(t, res); got != want {
				t.Errorf("%q: from state %d: %s, want %s", how, x, got, want)
			}
			damaged := bytes.Clone(state)
			damaged[len(damaged)*2/3] ^= 1
			again.Checkpoint = &lnmu.Checkpoint{Resume: bytes.NewReader(damaged)}
			if _, err := consensus.Find(ctx, m, []int{2, 3}, nil, &again); !errors.Is(err, lnmu.ErrCheckpoint) {
				t.Errorf("%q: damaged state %d: %v", how, x, err)
			}
			again.Checkpoint = &lnmu.Checkpoint{Resume: bytes.NewReader(state)}
			again.Seed++
			if _, err := consensus.Find(ctx, m, []int{2, 3}, nil, &again); !errors.Is(err, lnmu.ErrCheckpoint) || !strings.Contains(err.Error(), "seed") {
				t.Errorf("%q: state %d with another seed: %v", how, x, err)
			}
		}
	}
}

// A cancelled run returns the ranks that have two runs, and leaves a state.
func TestCancelled(t *testing.T) {
	m, _, _ := planted(12, 20, 2, 60, 4)
	ctx, cancel := context.WithCancel(context.Background())
	saved, begun := 0, 0
	set := consensus.Settings{Runs: 4, Settings: lnmu.Settings{Iterations: 30, Threads: 1}}
	set.Checkpoint = &lnmu.Checkpoint{After: time.Hour, Every: time.Hour, Save: func(io.WriterTo) { saved++ }}
	set.Iterated = func(k int) {
		if k == 1 {
			if begun++; begun == 7 {
				cancel()
			}
		}
	}
	res, err := consensus.Find(ctx, m, []int{2, 3}, nil, &set)
	if !errors.Is(err, context.Canceled) || res == nil {
		t.Fatalf("%v, %v", res, err)
	}
	if res.Finished != 6 || res.Runs != 8 || res.Stop != lnmu.StopCancelled || len(res.Points) != 2 || res.Points[1].Runs != 2 {
		t.Errorf("%d of %d runs, stop %q, %d points", res.Finished, res.Runs, res.Stop, len(res.Points))
	}
	if saved != 1 {
		t.Errorf("%d states", saved)
	}
}

// upTo returns the numbers from 1 to n.
func upTo(n int) (x []int) {
	for k := range n {
		x = append(x, k+1)
	}
	return x
}

// Wrong settings are named.
func TestBad(t *testing.T) {
	m, _, _ := planted(12, 20, 2, 60, 4)
	for want, c := range map[string]struct {
		ranks []int
		set   consensus.Settings
	}{
		"no rank":                          {nil, consensus.Settings{}},
		"number of runs 1":                 {[]int{2}, consensus.Settings{Runs: 1}},
		"resampling":                       {[]int{2}, consensus.Settings{Resample: "rows"}},
		"level 1":                          {[]int{2}, consensus.Settings{Level: 1}},
		"start \"svd\"":                    {[]int{2}, consensus.Settings{Settings: lnmu.Settings{Init: lnmu.InitSVD}}},
		"target error":                     {[]int{2}, consensus.Settings{Settings: lnmu.Settings{TargetError: 0.1}}},
		"overwrite":                        {[]int{2}, consensus.Settings{Settings: lnmu.Settings{Overwrite: true}}},
		"fixed":                            {[]int{2}, consensus.Settings{Settings: lnmu.Settings{Fixed: lnmu.Fixed{Baseline: true}}}},
		"rank 0":                           {[]int{0}, consensus.Settings{}},
		"10000 runs for each of 120 ranks": {upTo(120), consensus.Settings{Runs: 10000}},
		"runs of 100000000":                {[]int{2}, consensus.Settings{Settings: lnmu.Settings{Restarts: 100000000}}},
	} {
		if _, err := consensus.Find(context.Background(), m, c.ranks, nil, &c.set); !errors.Is(err, lnmu.ErrOption) || !strings.Contains(err.Error(), strings.Fields(want)[0]) {
			t.Errorf("%s: %v", want, err)
		}
	}
	m.Row(3)[4] = 1 << 60
	if _, err := consensus.Find(context.Background(), m, []int{2}, nil, &consensus.Settings{Resample: consensus.Poisson}); !errors.Is(err, lnmu.ErrValue) || !strings.Contains(err.Error(), "row 3, column 4") {
		t.Errorf("a mean beyond counts: %v", err)
	}
}

// A mask and weights count in all runs, and in Q.
func TestObserved(t *testing.T) {
	m, _, _ := planted(12, 20, 2, 600, 6)
	mask, weights := lnmu.NewMask(12, 20), lnmu.NewDense[float64](12, 20, nil)
	for i := range 12 {
		for j := range 20 {
			weights.Row(i)[j] = 1 / max(1, m.At(i, j))
			if (i*7+j*3)%11 == 0 {
				mask.Set(i, j, false)
				m.Row(i)[j] = 1e6
			}
		}
	}
	for _, how := range ways {
		res, err := consensus.Find(context.Background(), lnmu.Observed[float64]{Matrix: m, Mask: mask, Weights: weights}, []int{2}, nil,
			&consensus.Settings{Runs: 4, Resample: how, Settings: lnmu.Settings{Iterations: 200}})
		if err != nil {
			t.Fatalf("%q: %v", how, err)
		}
		p := res.Points[0]
		q, observed := 0.0, 0
		for i := range 12 {
			for j := range 20 {
				if mask.Observed(i, j) {
					x := m.At(i, j) - p.V.At(i, 0)*p.W.At(0, j) - p.V.At(i, 1)*p.W.At(1, j)
					q += weights.At(i, j) * x * x
					observed++
				}
			}
		}
		if math.Abs(q-p.Q) > 1e-9*q || p.ExpectedQ != float64(observed-2*31) || res.Observed != observed {
			t.Errorf("%q: Q %v, want %v; expected Q %v, want %d", how, p.Q, q, p.ExpectedQ, observed-2*31)
		}
		if p.Q > 2*p.ExpectedQ || p.Q < p.ExpectedQ/2 {
			t.Errorf("%q: Q %v of the planted counts is far from its expectation %v", how, p.Q, p.ExpectedQ)
		}
	}
}
