package rank

import (
	"slices"
	"strings"
	"testing"
)

// curve returns points of the ranks 1, 2, ... with these held-out errors, of one
// standard error, and training errors, if any.
func curve(standardError float64, held, training []float64) []Point {
	points := make([]Point, max(len(held), len(training)))
	for x := range points {
		points[x].Rank = x + 1
		if x < len(held) && held[x] >= 0 {
			points[x].HeldOut = &HeldOut{Mean: held[x], StandardError: standardError}
		}
		if x < len(training) {
			points[x].Training = &training[x]
		}
	}
	return points
}

func TestAdvice(t *testing.T) {
	for _, c := range []struct {
		name   string
		points []Point
		want   Advice
		says   []string
	}{
		{"least", curve(0.01, []float64{0.5, 0.3, 0.1, 0.12}, nil),
			Advice{Rank: 3, Least: 3, OneStandardError: 3}, []string{"least at rank 3", "above their sum at every smaller rank"}},
		{"within one standard error", curve(0.05, []float64{0.5, 0.14, 0.11, 0.1, 0.2}, []float64{0.5, 0.1, 0.08, 0.06, 0.04}),
			Advice{Rank: 2, Least: 4, OneStandardError: 2, Elbow: 2}, []string{"least at rank 4", "rank 2 is within one standard error", "elbow of the training error is there too"}},
		{"still falling", curve(0.01, []float64{0.5, 0.3, 0.2}, []float64{0.5, 0.15, 0.1}),
			Advice{Rank: 3, Least: 3, OneStandardError: 3, Elbow: 2, AtEnd: true}, []string{"still falls at the end", "elbow of the training error is at rank 2"}},
		{"the largest possible", curve(0.01, []float64{0.5, 0.4, 0.3, 0.2, 0.1, 0.05}, nil),
			Advice{Rank: 6, Least: 6, OneStandardError: 6}, []string{"least at rank 6"}},
		{"some not finished", curve(0.01, []float64{0.5, -1, 0.3, -1}, nil),
			Advice{Rank: 3, Least: 3, OneStandardError: 3, AtEnd: true}, nil},
		{"one", curve(0.01, []float64{-1, 0.3}, nil), Advice{Rank: 2, Least: 2, OneStandardError: 2}, []string{"the only one"}},
		{"exact", curve(1e-12, []float64{0.5, 1e-9, 1e-12, 1e-11}, nil), Advice{Rank: 2, Least: 3, OneStandardError: 2}, []string{"give the held-out entries, to 0.1 %"}},
		{"zero", curve(0, []float64{0, 0, 0}, []float64{0, 0, 0}), Advice{Rank: 1, Least: 1, OneStandardError: 1}, []string{"give the held-out entries, to 0.1 %"}},
		{"nothing held out", curve(0, nil, []float64{0.9, 0.3, 0.2, 0.1}), Advice{Rank: 2, Elbow: 2}, []string{"nothing was held out", "up to rank 2"}},
		{"a line", curve(0, nil, []float64{0.4, 0.3, 0.2, 0.1}), Advice{}, []string{"no elbow"}},
		{"above the line", curve(0, nil, []float64{0.4, 0.39, 0.35, 0.1}), Advice{}, []string{"no elbow"}},
		{"rising", curve(0, nil, []float64{0.1, 0.05, 0.2}), Advice{}, []string{"no elbow"}},
		{"nothing", curve(0, nil, nil), Advice{}, []string{"no elbow"}},
	} {
		got := advise(c.points, 6)
		for _, s := range c.says {
			if !strings.Contains(got.Reason, s) {
				t.Errorf("%s: %q does not say %q", c.name, got.Reason, s)
			}
		}
		if got.Reason == "" {
			t.Errorf("%s: no reason", c.name)
		}
		got.Reason = ""
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// Mean and standard error by hand.
func TestHeldOut(t *testing.T) {
	h := heldOut([]float64{1, 2, 3})
	if h.Mean != 2 || h.StandardError < 0.57735 || h.StandardError > 0.57736 || !slices.Equal(h.Folds, []float64{1, 2, 3}) {
		t.Errorf("%+v", h)
	}
}
