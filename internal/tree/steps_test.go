package tree

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSteps lets holders with any cuts add up to 40 leaves, each in its own order and
// all with what they wait for, and compares the sum with the literal one.
func TestSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 0))
	for n := 1; n <= 40; n++ {
		for holders := 1; holders <= 9; holders++ {
			cuts := []int{0, n}
			for range holders - 1 {
				cuts = append(cuts, rng.IntN(n+1))
			}
			slices.Sort(cuts)
			sums, steps := make([][]string, holders), make([][]Step, holders)
			for p := range holders {
				for _, x := range Cover(n, cuts[p], cuts[p+1], n) {
					sum, _ := fold(x)
					sums[p] = append(sums[p], sum)
				}
				steps[p] = Steps(cuts, p)
			}
			for moved := true; moved; {
				moved = false
				for p := range holders {
					if len(steps[p]) == 0 || steps[p][0].Kind == Send {
						continue
					}
					to := steps[p][0]
					if to.Kind == Add {
						sums[p][to.Node] = join(sums[p][to.Node], sums[p][to.Other])
						steps[p], moved = steps[p][1:], true
						continue
					}
					if len(steps[to.Partner]) == 0 {
						t.Fatalf("%d leaves, holders from %v: %d waits for %d, which has ended", n, cuts, p, to.Partner)
					}
					from := steps[to.Partner][0]
					if from.Kind != Send || from.Partner != p {
						continue
					}
					sums[p][to.Node] = join(sums[p][to.Node], sums[to.Partner][from.Node])
					steps[p], steps[to.Partner] = steps[p][1:], steps[to.Partner][1:]
					moved = true
				}
			}
			for p := range steps {
				if len(steps[p]) > 0 {
					t.Fatalf("%d leaves, holders from %v: %d does not come to step %v", n, cuts, p, steps[p][0])
				}
			}
			if got, want := sums[holderOf(cuts, 0)][0], literal(0, n); got != want {
				t.Fatalf("%d leaves, holders from %v: %s, want %s", n, cuts, got, want)
			}
		}
	}
}
