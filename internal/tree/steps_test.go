package tree

import (
	"math/bits"
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

// TestCuts: every leaf has a holder, the first holder has one, none has much more than
// the others, and the sum of powers of two of holders takes as many rounds as it must.
func TestCuts(t *testing.T) {
	for _, leaves := range []int{1, 2, 7, 8, 43, 64, 1000, 260_417, 1 << 18} {
		for _, holders := range []int{1, 2, 3, 4, 5, 7, 8, 16, 64, 100, 1000, 1024} {
			cuts := Cuts(leaves, holders)
			if cuts[0] != 0 || cuts[1] == 0 || cuts[holders] != leaves || !slices.IsSorted(cuts) {
				t.Fatalf("%d leaves, %d holders: %v", leaves, holders, cuts)
			}
			most := 0
			for p := range holders {
				most = max(most, cuts[p+1]-cuts[p])
			}
			average := (leaves-1)/holders + 1
			if most > average+average/32 {
				t.Errorf("%d leaves, %d holders: one has %d", leaves, holders, most)
			}
			levels := bits.Len(uint(min(holders, leaves) - 1))
			rounds := Rounds(cuts)
			if rounds < levels || rounds > levels+10 || leaves > 50*holders && bits.OnesCount(uint(holders)) == 1 && rounds != levels {
				t.Errorf("%d leaves, %d holders: %d rounds", leaves, holders, rounds)
			}
		}
	}
}

// TestRounds: whatever the cuts are, the rounds grow with the logarithms only.
func TestRounds(t *testing.T) {
	cuts := make([]int, 1001)
	for p := range cuts {
		cuts[p] = p*260 + min(p, 417)
	}
	if n := Rounds(cuts); n > 2*bits.Len(260_417) {
		t.Errorf("%d rounds", n)
	}
}
