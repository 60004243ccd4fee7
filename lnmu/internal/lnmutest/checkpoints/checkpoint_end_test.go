package checkpoints

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"reflect"
	"testing"
	"time"

	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
)

// lastState returns a checkpoint that keeps the last state of a run, for which no time comes
// before the end.
func lastState(t *testing.T, to *[]byte, saved *int, resume []byte) *lnmu.Checkpoint {
	point := &lnmu.Checkpoint{After: time.Hour, Every: time.Hour, Save: func(state io.WriterTo) {
		var b bytes.Buffer
		if _, err := state.WriteTo(&b); err != nil {
			t.Error(err)
		}
		*to = b.Bytes()
		*saved++
	}}
	if resume != nil {
		point.Resume = bytes.NewReader(resume)
	}
	return point
}

// A run that is cancelled at any time saves a last state, from which it goes on to the same
// bits, although no checkpoint was due.
func TestCancelledRunSavesLastState(t *testing.T) {
	for _, c := range brokenCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			want, err := factor[float64](t.Context(), c, 203, 7, 1, nil)
			if err != nil {
				t.Fatal(err)
			}
			growth := 3
			if os.Getenv("NMU_FULL") != "" {
				growth = 1
			}
			for looks := 0; ; looks += 1 + looks*growth/4 {
				threads := 1 + looks%2
				var state []byte
				saved := 0
				got, err := factor[float64](lnmutest.NewCountdown(int64(looks)), c, 203, 7, threads, lastState(t, &state, &saved, nil))
				if err == nil {
					if !reflect.DeepEqual(got, want) || saved != 0 {
						t.Errorf("another result, or %d states of a run that was not cancelled", saved)
					}
					return
				}
				if !errors.Is(err, context.Canceled) || saved != 1 {
					t.Fatalf("%d looks: %d states, %v", looks, saved, err)
				}
				got, err = factor[float64](t.Context(), c, 203, 7, 3-threads, &lnmu.Checkpoint{Resume: bytes.NewReader(state)})
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Fatalf("%d looks: another result: %v", looks, err)
				}
			}
		})
	}
}

// A run that is cancelled again and again, after a few iterations each time, comes to its end.
func TestCancelledRunsComeToEnd(t *testing.T) {
	for _, c := range brokenCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			want, err := factor[float64](t.Context(), c, 203, 7, 1, nil)
			if err != nil {
				t.Fatal(err)
			}
			var state []byte
			for runs, looks := 0, 4; ; runs++ {
				saved := 0
				got, err := factor[float64](lnmutest.NewCountdown(int64(looks)), c, 203, 7, 1, lastState(t, &state, &saved, state))
				if err == nil {
					if !reflect.DeepEqual(got, want) {
						t.Errorf("another result after %d runs", runs)
					}
					return
				}
				if !errors.Is(err, context.Canceled) || runs > 1000 {
					t.Fatalf("run %d: %v", runs, err)
				}
				if runs%4 == 3 { // a start takes more looks, and exact steps take many
					looks += 1 + looks/8
				}
			}
		})
	}
}
