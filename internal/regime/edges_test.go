package regime

import (
	"testing"

	"nmu/internal/literal"
	"nmu/internal/must"
	"nmu/lnmu"
)

// TestSeedlessStarts checks that spa and snpa do not depend on the seed, also where fewer
// columns than the rank explain M.
func TestSeedlessStarts(t *testing.T) {
	p := planted(12, 9, 2, 0, 6) // of rank 2
	for _, kind := range []string{"dense", "sparse"} {
		for _, init := range []lnmu.Init{lnmu.InitSPA, lnmu.InitSNPA} {
			for _, method := range []lnmu.Method{lnmu.NMF{}, lnmu.NMF{Solver: lnmu.SolverAccelerated}, lnmu.GNMU{}, lnmu.RNMU{}} {
				var first string
				for seed := range uint64(3) {
					res := must.Get(lnmu.Factor(t.Context(), given[float64](p, kind), 5, method, &lnmu.Settings{Init: init, Seed: seed, Iterations: 5}))(t)
					hash := lnmu.SHA256(res.V) + lnmu.SHA256(res.W)
					if first == "" {
						first = hash
					}
					if hash != first {
						t.Errorf("%s, start %s, %s: seed %d leads to other factors", kind, init, method.Describe().Name, seed)
					}
				}
			}
		}
	}
}

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
