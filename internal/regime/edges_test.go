package regime

import (
	"testing"

	"nmu/internal/literal"
	"nmu/internal/must"
)

// TestZeroMatrix checks the promises for M = 0.
func TestZeroMatrix(t *testing.T) {
	p := planted(5, 4, 1, 0, 1).times(0)
	for _, l := range lines() {
		if l.hoyer != [2]float64{} {
			continue // zeros have no sh
		}
		for _, kind := range []string{"dense", "sparse"} {
			if kind == "sparse" && l.below {
				continue // refused
			}
			s := scene{line: l, p: p, kind: kind, rank: 3, scale: 1, start: "random"}
			if l.kinds[len(l.kinds)-1] == "dense" || kind == "sparse" && l.name == "rnmu l1" {
				continue
			}
			res := must.Get(factor[float64](t, s))(t)
			if text := broken(l, p, p.M, res); text != "" || res.RelativeError != 0 || literal.Sum(literal.Product(res.V, res.W)) != 0 {
				t.Errorf("%v: %s, relative error %v", s, text, res.RelativeError)
			}
		}
	}
}
