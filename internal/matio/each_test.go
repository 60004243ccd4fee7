package matio_test

import (
	"context"
	"errors"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

// TestEach: Each reads the lines that are asked for, in order, until the context of the file ends.
func TestEach(t *testing.T) {
	const rows, cols, first, last = 40, 3, 7, 31
	f := matiotest.Open(t, linesNpy(t, "<f8", false, rows, cols), matio.Options{})
	lines := must.Get(matio.OpenLines[float64](f))(t)
	next, stop := first, errors.New("stop")
	err := lines.Each(first, last, func(i int, line []float64) error {
		if i != next || len(line) != cols || line[0] != float64(i*cols) || line[cols-1] != float64(i*cols+cols-1) {
			t.Errorf("line %d is %v, want line %d", i, line, next)
		}
		next++
		return nil
	})
	if err != nil || next != last {
		t.Errorf("ended before line %d: %v", next, err)
	}
	must.Equal(t, lines.Each(0, rows, func(i int, _ []float64) error { return stop }), stop, "error")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f.Until(ctx)
	must.Fail(t, lines.Each(0, rows, func(int, []float64) error { return nil }), context.Canceled, "", "after the end of the context")
}
