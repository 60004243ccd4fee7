package tree

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"nmu/internal/must"
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
			sums := stepped(t, cuts)
			if got, want := sums[holderOf(cuts, 0)][0], literal(0, n); got != want {
				t.Fatalf("%d leaves, holders from %v: %s, want %s", n, cuts, got, want)
			}
		}
	}
}

// TestDoubles: where holders swap their sums, as Cuts lets powers of two of them, all
// have the sum in the end; where the nodes are others they do not swap.
func TestDoubles(t *testing.T) {
	for n := 1; n <= 70; n++ {
		for holders := 1; holders <= 16; holders *= 2 {
			for each := (n-1)/holders + 1; each <= 8; each++ {
				cuts := make([]int, holders+1)
				for p := range cuts {
					cuts[p] = min(p*each, n)
				}
				want := cuts[holders-1] < n && each&(each-1) == 0
				if got := Doubles(cuts); got != want && holders > 1 {
					t.Fatalf("holders from %v double: %v, want %v", cuts, got, want)
				}
				if !want {
					continue
				}
				for p, sums := range stepped(t, cuts) {
					if want := literal(0, n); sums[0] != want {
						t.Fatalf("holders from %v, %d has %s, want %s", cuts, p, sums[0], want)
					}
				}
			}
		}
	}
	for _, cuts := range [][]int{{0, 0, 1}, {0, 1, 1}, {0, 2, 3, 5, 7}, {0, 1, 3}, {0, 2, 4, 6}} {
		if Doubles(cuts) {
			t.Errorf("holders from %v double", cuts)
		}
	}
	if cuts := Cuts(8, 4); !Doubles(cuts) {
		t.Errorf("holders from %v do not double", cuts)
	}
}

// stepped returns what holders have of their nodes after all steps.
func stepped(t *testing.T, cuts []int) [][]string {
	t.Helper()
	holders, n := len(cuts)-1, cuts[len(cuts)-1]
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
			meets := to.Kind == Receive && from.Kind == Send || to.Kind == Swap && from.Kind == Swap && p < to.Partner
			if !meets || from.Partner != p {
				continue
			}
			sum := join(sums[p][to.Node], sums[to.Partner][from.Node])
			sums[p][to.Node] = sum
			if to.Kind == Swap {
				sums[to.Partner][from.Node] = sum
			}
			steps[p], steps[to.Partner] = steps[p][1:], steps[to.Partner][1:]
			moved = true
		}
	}
	for p := range steps {
		if len(steps[p]) > 0 {
			t.Fatalf("%d leaves, holders from %v: %d does not come to step %v", n, cuts, p, steps[p][0])
		}
	}
	return sums
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
			must.AtMost(t, most, average+average/32, leaves, "leaves", holders, "holders: one")
			levels := bits.Len(uint(min(holders, leaves) - 1))
			rounds := messagesUntil(cuts)
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
	must.AtMost(t, messagesUntil(cuts), 2*bits.Len(260_417), "rounds")
}

// messagesUntil returns the number of messages, one after the other, until the holder of leaf 0 has
// the sum of all leaves, if each holder sends or receives one at a time.
func messagesUntil(cuts []int) int {
	done := make([]int, len(cuts)) // messages that a holder has waited for so far
	for _, m := range meetings(cuts) {
		if m.to != m.from {
			done[m.to] = max(done[m.to], done[m.from]) + 1
			done[m.from] = done[m.to]
		}
	}
	if cuts[len(cuts)-1] == 0 {
		return 0
	}
	return done[holderOf(cuts, 0)]
}
