package agreement

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu/internal/matrix"
)

// Labels of runs, with what R 4.2.2 gives for them by
//
//	d <- as.dist(1-C); cor(d, cophenetic(hclust(d, "average"))); sum(4*(C-1/2)^2)/n^2
//
// which is what cophcor and dispersion of package NMF compute. Ties are frequent.
func TestConsensus(t *testing.T) {
	for _, c := range []struct {
		name                   string
		labels                 [][]int32
		cophenetic, dispersion float64
	}{
		{"four runs", [][]int32{{1, 1, 1, 2, 2, 2, 3, 3}, {1, 1, 2, 2, 2, 2, 3, 3}, {2, 2, 2, 1, 1, 3, 3, 3}, {1, 1, 1, 2, 2, 2, 3, 1}},
			0.951119168174805, 0.6953125},
		{"two against one", [][]int32{{1, 2, 3, 4, 1, 2, 3, 4, 1, 2}, {1, 1, 2, 2, 3, 3, 4, 4, 1, 2}, {1, 2, 1, 2, 1, 2, 1, 2, 1, 2}},
			0.902937873639692, 0.555555555555556},
		{"five runs", [][]int32{
			{1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3}, {1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 3, 2}, {3, 2, 1, 3, 2, 1, 3, 2, 1, 2, 2, 1},
			{1, 2, 3, 1, 2, 3, 2, 2, 3, 1, 2, 3}, {1, 1, 3, 1, 2, 3, 1, 2, 3, 1, 2, 1},
		}, 0.952756883837931, 0.671111111111111},
		{"by chance", [][]int32{
			{2, 3, 1, 3, 3, 1, 1, 1, 2, 3, 3, 3, 3, 2, 2, 3, 1, 4, 4, 2, 1, 4, 3, 1, 2, 4, 3, 2, 1, 2},
			{2, 3, 1, 2, 2, 4, 4, 1, 3, 3, 3, 2, 2, 2, 4, 4, 1, 2, 2, 4, 4, 4, 4, 4, 4, 4, 1, 3, 4, 4},
			{1, 3, 3, 2, 1, 3, 3, 4, 3, 2, 4, 4, 4, 1, 2, 4, 2, 4, 1, 2, 3, 1, 3, 2, 4, 1, 4, 1, 2, 3},
			{1, 4, 3, 4, 3, 3, 4, 3, 4, 1, 2, 2, 4, 1, 4, 1, 1, 4, 1, 2, 1, 2, 1, 2, 3, 4, 2, 4, 1, 4},
			{4, 2, 2, 3, 1, 2, 4, 1, 3, 4, 1, 1, 1, 4, 3, 3, 4, 1, 3, 3, 1, 2, 3, 2, 3, 2, 3, 4, 4, 3},
			{3, 1, 1, 2, 3, 3, 1, 2, 1, 2, 4, 4, 2, 3, 2, 2, 3, 3, 1, 2, 4, 2, 4, 4, 2, 3, 1, 1, 4, 2},
		}, 0.6214647427535, 0.421975308641975},
		{"one class", [][]int32{{1, 1, 1, 1, 1}, {2, 2, 2, 2, 2}}, 1, 1}, // R: cor is NA
		{"all apart", [][]int32{{1, 2, 3}, {3, 1, 2}}, 1, 1},             // cophcor of NMF is 1
		{"one column", [][]int32{{1}, {2}}, 1, 1},
	} {
		d := Separation(c.labels)
		must.AtMost(t, math.Abs(d.Cophenetic()-c.cophenetic), 1e-13, c.name, "cophenetic correlation")
		must.AtMost(t, math.Abs(d.Dispersion()-c.dispersion), 1e-13, c.name, "dispersion")
	}
}

// literalLinkage joins the first of the nearest pairs of clusters, by the mean of the
// distances of their members.
func literalLinkage(t Triangle) Triangle {
	tree := newTriangle(t.n)
	var clusters [][]int
	for i := range t.n {
		clusters = append(clusters, []int{i})
	}
	for len(clusters) > 1 {
		a, b, least := 0, 0, math.Inf(1)
		for x := range clusters {
			for y := x + 1; y < len(clusters); y++ {
				var sum float64
				for _, i := range clusters[x] {
					for _, j := range clusters[y] {
						sum += *t.of(i, j)
					}
				}
				if mean := sum / float64(len(clusters[x])*len(clusters[y])); mean < least {
					a, b, least = x, y, mean
				}
			}
		}
		for _, i := range clusters[a] {
			for _, j := range clusters[b] {
				*tree.of(i, j) = least
			}
		}
		clusters[a] = append(clusters[a], clusters[b]...)
		clusters = append(clusters[:b], clusters[b+1:]...)
	}
	return tree
}

// Without ties the tree is that of the definition.
func TestAverageLinkage(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for n := 1; n <= 25; n++ {
		d := newTriangle(n)
		for x := range d.at {
			d.at[x] = rng.Float64()
		}
		got, want := d.averageLinkage(), literalLinkage(d)
		for x := range want.at {
			if math.Abs(got.at[x]-want.at[x]) > 1e-14 {
				t.Fatalf("n = %d: %v, want %v", n, got.at, want.at)
			}
		}
	}
}

// A column belongs to the factor with the largest part in it, however that is shared
// out between V and W; to the first of equal ones, and to none if it is zero.
func TestClasses(t *testing.T) {
	v := matrix.New(2, 3, []float64{
		3, 1, 0,
		4, 0, 10,
	})
	w := matrix.New(3, 4, []float64{
		1, 0, 0, 2,
		4, 7, 0, 9,
		1, 0, 0, 1,
	})
	want := [][]int32{{0, Nowhere, Nowhere, 0}, {0, 1, Nowhere, 0}, {2, 1, Nowhere, 0}}
	if got := Classes(v, w, []int{1, 2, 3}, []int{0, 1, 2, 3}); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := Classes(v, w, []int{2}, []int{3, 1}); !reflect.DeepEqual(got, [][]int32{{0, 1}}) {
		t.Errorf("of some columns: %v", got)
	}
}
