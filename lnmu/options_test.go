package lnmu

import (
	"fmt"
	"testing"
)

// Options with their defaults filled in are options like others, with the same
// meaning.
func TestDefaultsTwice(t *testing.T) {
	v, w := randomStart[float64](9, 7, 3, 1)
	for _, base := range []Options[float64]{
		{},
		{Feasible: FeasibleFinal},
		{Feasible: FeasibleEach, FeasibleSteps: 3},
		{Init: InitSVD},
		{V: v, W: w},
		{Iterations: 5, Inner: 3, Restarts: 2, Seed: 4, Threads: 2, Tolerance: 0.1},
	} {
		for _, method := range []Method{"", NMF, GNMU, RNMU} {
			if method == NMF {
				base.Feasible, base.FeasibleSteps = "", 0
			}
			base.Method, base.Rank = method, 3
			once, err := base.WithDefaults(9, 7)
			if err != nil {
				t.Fatal(err)
			}
			twice, err := once.WithDefaults(9, 7)
			if err != nil {
				t.Errorf("%+v: %v", once, err)
			}
			once.Step, twice.Step = nil, nil // functions cannot be compared
			if fmt.Sprint(once) != fmt.Sprint(twice) {
				t.Errorf("%+v\nbecomes\n%+v", once, twice)
			}
		}
	}
}
