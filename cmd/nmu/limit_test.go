package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"nmu/cmd/internal/input"
	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

// A limit of time ends the reading of a matrix, but gives it a second at least. So does a
// cancelled context.
func TestLimitEndsReading(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	must.Do(t, os.WriteFile(path, []byte("1,2\n3,4\n"), 0o666))
	npy := filepath.Join(t.TempDir(), "a.npy")
	must.Do(t, matiotest.WriteNpy(npy, 1, 2, []float32{1, 2}, 2))
	for _, c := range []struct {
		limit, after time.Duration
		ends         bool
	}{
		{0, time.Hour, false}, {time.Nanosecond, time.Second / 2, false}, {time.Nanosecond, 2 * time.Second, true},
		{time.Minute, time.Minute / 2, false}, {time.Minute, 2 * time.Minute, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			var in input.Matrix
			defer in.Limit(context.Background(), c.limit)()
			file := must.Get(matio.Open(npy, matio.Options{}))(t)
			defer file.Close()
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			defer in.Until(ctx, file)()
			time.Sleep(c.after)
			opt := in.Options()
			other, err := matio.Open(path, opt)
			if (err != nil) != c.ends || err != nil && !errors.Is(err, input.ErrTime) {
				t.Errorf("limit %v, after %v: Open: %v", c.limit, c.after, err)
			}
			if err == nil {
				other.Close()
			}
			if _, _, _, err := matio.Dense[float64](file); (err != nil) != c.ends || err != nil && !errors.Is(err, input.ErrTime) {
				t.Errorf("limit %v, after %v: Dense: %v", c.limit, c.after, err)
			}
			cancel()
			if _, _, _, err := matio.Dense[float64](file); err == nil {
				t.Errorf("limit %v, after %v: no error after the end of the context", c.limit, c.after)
			}
		})
	}
}
