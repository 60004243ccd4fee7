package group

import (
	"errors"
	"testing"
	"time"

	"nmu/internal/together"
)

// TestPrefix: a broadcast reaches the first processes and no other.
func TestPrefix(t *testing.T) {
	for size := 1; size <= 6; size++ {
		together.Run(6, func(q *together.Process) {
			data := []byte{byte(q.Rank()), 7}
			if q.Rank() < size {
				prefix{q, size}.Broadcast(data)
			}
			want := byte(0)
			if q.Rank() >= size {
				want = byte(q.Rank())
			}
			if data[0] != want {
				t.Errorf("%d of 6: process %d has %v", size, q.Rank(), data)
			}
		})
	}
}

// TestAlone: work that takes longer than the others sleep is repeated with a longer sleep.
func TestAlone(t *testing.T) {
	together.Run(2, func(q *together.Process) {
		if q.Rank() > 0 {
			if err := Serve(t.Context(), q); err != nil {
				t.Error(err)
			}
			return
		}
		g := &Group{Processes: q}
		defer g.End()
		sleep, done := time.Millisecond, 0
		err := g.Alone(t.Context(), &sleep, func() error {
			if done++; done < 3 {
				time.Sleep(time.Duration(done) * 20 * time.Millisecond)
			}
			return nil
		})
		if err != nil || done < 2 || sleep < 100*time.Millisecond {
			t.Errorf("done %d times, %v; then %v of sleep", done, err, sleep)
		}
		failed := errors.New("failed")
		if err := g.Alone(t.Context(), &sleep, func() error { return failed }); err != failed {
			t.Errorf("error %v, want that of the work", err)
		}
	})
}
