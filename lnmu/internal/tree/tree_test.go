package tree

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// literal is the sum of the leaves from first to last-1 as the package's comment
// says it, with brackets.
func literal(first, last int) string {
	if last-first == 1 {
		return fmt.Sprint(first)
	}
	half := 1
	for 2*half < last-first {
		half *= 2
	}
	return join(literal(first, first+half), literal(first+half, last))
}

func join(a, b string) string { return "(" + a + " " + b + ")" }

// fold is the sum of a node by Fold, and the number of sums that it took.
func fold(n Node) (sum string, sums int) {
	kept := map[int]string{}
	n.Fold(
		func(at, i int) { kept[at] = fmt.Sprint(i) },
		func(to, from int) { kept[to] = join(kept[to], kept[from]) })
	return kept[0], len(kept)
}

// combine adds up nodes that Fold has added up.
func combined(t *testing.T, nodes []Node) string {
	sums := make([]string, len(nodes))
	for i, n := range nodes {
		var most int
		if sums[i], most = fold(n); most > n.Depth()+1 {
			t.Fatalf("%v takes %d sums, its depth is %d", n, most, n.Depth())
		}
		if want := literal(n.First, n.Last); sums[i] != want {
			t.Fatalf("%v is %s, want %s", n, sums[i], want)
		}
	}
	Combine(nodes, func(to, from int) { sums[to] = join(sums[to], sums[from]) })
	return sums[0]
}

// TestSum compares the sums of up to 70 leaves, whole, by threads, and by machines
// with threads, with the literal one.
func TestSum(t *testing.T) {
	if got, want := literal(0, 7), "(((0 1) (2 3)) ((4 5) 6))"; got != want {
		t.Fatalf("the literal sum is %s, want %s", got, want)
	}
	rng := rand.New(rand.NewPCG(1, 0))
	for n := 1; n <= 70; n++ {
		want := literal(0, n)
		leaves := make([]string, n)
		for i := range leaves {
			leaves[i] = fmt.Sprint(i)
		}
		if got := Sum(leaves, join); got != want {
			t.Fatalf("Sum of %d: %s, want %s", n, got, want)
		}
		for _, most := range []int{1, 2, 3, 4, 7, 8, n, math.MaxInt} {
			if got := combined(t, Cover(n, 0, n, most)); got != want {
				t.Fatalf("%d leaves, at most %d in a node: %s, want %s", n, most, got, want)
			}
		}
		for machines := 1; machines <= min(n, 5); machines++ {
			var all []Node
			cuts := append(rng.Perm(n + 1)[:machines-1], 0, n)
			slices.Sort(cuts)
			for k := range machines {
				all = append(all, Cover(n, cuts[k], cuts[k+1], 1+rng.IntN(n))...)
			}
			if got := combined(t, all); got != want {
				t.Fatalf("%d leaves, machines between %v: %s, want %s", n, cuts, got, want)
			}
		}
	}
}

// TestCover: the nodes are in order, nodes of the tree, no larger than allowed, and
// no two of them are the halves of one that is allowed.
func TestCover(t *testing.T) {
	for n := range 40 {
		halves := map[[2]Node]bool{}
		all := map[Node]bool{}
		var walk func(x Node)
		walk = func(x Node) {
			all[x] = true
			if x.Leaves() > 1 {
				a, b := Node{x.First, x.split()}, Node{x.split(), x.Last}
				halves[[2]Node{a, b}] = true
				walk(a)
				walk(b)
			}
		}
		if n > 0 {
			walk(Node{0, n})
		}
		for first := range n + 1 {
			for last := first; last <= n; last++ {
				for _, most := range []int{1, 2, 5, 8, n + 1} {
					nodes := Cover(n, first, last, most)
					at := first
					for i, x := range nodes {
						if x.First != at || !all[x] || x.Leaves() > most {
							t.Fatalf("%d leaves, from %d to %d, at most %d: %v", n, first, last, most, nodes)
						}
						if i > 0 && halves[[2]Node{nodes[i-1], x}] && nodes[i-1].Leaves()+x.Leaves() <= most {
							t.Fatalf("%d leaves, from %d to %d, at most %d: %v and %v are one node", n, first, last, most, nodes[i-1], x)
						}
						at = x.Last
					}
					if at != last {
						t.Fatalf("%d leaves, from %d to %d, at most %d: %v", n, first, last, most, nodes)
					}
				}
			}
		}
	}
	for _, bad := range []func(){
		func() { Cover(4, -1, 2, 1) }, func() { Cover(4, 0, 5, 1) }, func() { Cover(4, 0, 4, 0) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic for leaves that there are not")
				}
			}()
			bad()
		}()
	}
}

// TestAllocations: adding up takes no memory.
func TestAllocations(t *testing.T) {
	sums := make([]float64, 8)
	nodes := Cover(100, 0, 100, 16)
	if n := testing.AllocsPerRun(10, func() {
		for _, n := range nodes {
			n.Fold(func(at, i int) { sums[at] = float64(i) }, func(to, from int) { sums[to] += sums[from] })
		}
		Combine(nodes, func(to, from int) { sums[to] += sums[from] })
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
