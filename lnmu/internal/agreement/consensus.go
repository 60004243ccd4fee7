package agreement

import (
	"math"

	"nmu/kernel"
)

// Nowhere is the label of a column of M that no factor contributes to.
const Nowhere = -1

// Classes assigns columns of M, given by number, to factors, once for each of the ranks, which
// increase. A column gets the factor k among the first r with the largest part ||v_k|| w_kj, or
// the first of several such. The norm makes the part independent of how a factor is scaled
// between V and W.
func Classes[T kernel.Float](v, w kernel.Matrix[T], ranks, columns []int) [][]int32 {
	labels := make([][]int32, 0, len(ranks))
	current, most := make([]int32, len(columns)), make([]float64, len(columns))
	for j := range current {
		current[j] = Nowhere
	}
	vt := v.Transposed()
	for k := range v.Cols {
		length := norm(vt.Row(k))
		row := w.Row(k)
		for x, j := range columns {
			if part := length * float64(row[j]); part > most[x] {
				current[x], most[x] = int32(k), part
			}
		}
		for len(labels) < len(ranks) && ranks[len(labels)] == k+1 {
			labels = append(labels, append([]int32(nil), current...))
		}
	}
	return labels
}

// norm returns the Euclidean norm of a nonnegative vector.
func norm[T kernel.Float](x []T) float64 {
	most := float64(kernel.Max(x))
	if !(most > 0) {
		return 0
	}
	var squares float64
	for _, a := range x {
		a := float64(a) / most
		squares += float64(a * a)
	}
	return most * math.Sqrt(squares)
}

// Triangle holds a number for each pair of n things: that of i < j at
// at[i*(2n-i-1)/2 + j-i-1].
type Triangle struct {
	n  int
	at []float64
}

func newTriangle(n int) Triangle { return Triangle{n, make([]float64, n*(n-1)/2)} }

// of returns the address of the number of the pair i, j, i != j.
func (t Triangle) of(i, j int) *float64 {
	if i > j {
		i, j = j, i
	}
	return &t.at[i*(2*t.n-i-1)/2+j-i-1]
}

// Separation returns 1 - C for the consensus matrix C of some runs: the fraction of the runs in
// which two columns have different labels.
func Separation(labels [][]int32) Triangle {
	d := newTriangle(len(labels[0]))
	runs := float64(len(labels))
	next := 0
	for i := range d.n {
		for j := i + 1; j < d.n; j++ {
			apart := 0
			for _, run := range labels {
				if run[i] != run[j] {
					apart++
				}
			}
			d.at[next] = float64(apart) / runs
			next++
		}
	}
	return d
}

// Of returns the number of the pair i, j, or 0 for i = j.
func (t Triangle) Of(i, j int) float64 {
	if i == j {
		return 0
	}
	return *t.of(i, j)
}

// Dispersion returns the dispersion 1/n² Σ 4 (C_ij - 1/2)² of the consensus matrix C = 1 - d
// (H. Kim and H. Park, Sparse non-negative matrix factorizations via alternating
// non-negativity-constrained least squares, 2007), as function dispersion of R's package NMF.
// It is 1 if all runs agree.
func (t Triangle) Dispersion() float64 {
	sum := float64(t.n) // of the diagonal, where C = 1
	for _, d := range t.at {
		sum += float64(8 * float64((0.5-d)*(0.5-d)))
	}
	return sum / (float64(t.n) * float64(t.n))
}

// Cophenetic returns the correlation between the distances and the heights at which average
// linkage joins the pairs (J.-P. Brunet and others, Metagenes and molecular pattern discovery
// using matrix factorization, 2004), as function cophcor of R's package NMF. If all distances
// are equal, the correlation is undefined, and Cophenetic returns 1.
func (t Triangle) Cophenetic() float64 {
	tree := t.averageLinkage()
	mean := func(x []float64) float64 {
		var sum float64
		for _, a := range x {
			sum += a
		}
		return sum / float64(len(x))
	}
	meanD, meanT := mean(t.at), mean(tree.at)
	var dd, tt, dt float64
	for p, d := range t.at {
		d, h := d-meanD, tree.at[p]-meanT
		dd += float64(d * d)
		tt += float64(h * h)
		dt += float64(d * h)
	}
	if !(dd > 0 && tt > 0) {
		return 1
	}
	return min(1, dt/(math.Sqrt(dd)*math.Sqrt(tt)))
}

// ClusteringBytes returns the memory of Separation and Cophenetic for n columns: their distances, those of
// the clusters, and the heights of the tree.
func ClusteringBytes(n int) float64 { return 3 * 8 * float64(n) * float64(n) / 2 }

// averageLinkage joins the two nearest clusters until there is one, and returns for each pair
// the distance at which it was joined. The distance of two clusters is the mean of the
// distances of their members. Of equally near clusters, those with the first members are
// joined, as in R's hclust, so that ties give the same tree.
//
// Each cluster has the number of its first member, and keeps the nearest cluster after it (F.
// Murtagh, Multidimensional clustering algorithms, 1985). This takes O(n²) operations if few of
// these change, and O(n³) at worst.
func (t Triangle) averageLinkage() Triangle {
	tree := newTriangle(t.n)
	d := Triangle{t.n, append([]float64(nil), t.at...)}
	members := make([][]int, t.n) // nil: part of another cluster
	for i := range members {
		members[i] = []int{i}
	}
	nearest, near := make([]int, t.n), make([]float64, t.n)
	find := func(i int) {
		near[i] = math.Inf(1)
		for j := i + 1; j < t.n; j++ {
			if members[j] != nil && *d.of(i, j) < near[i] {
				nearest[i], near[i] = j, *d.of(i, j)
			}
		}
	}
	for i := range t.n {
		find(i)
	}
	for range t.n - 1 {
		a := -1
		for i := range t.n {
			if members[i] != nil && !math.IsInf(near[i], 1) && (a < 0 || near[i] < near[a]) {
				a = i
			}
		}
		b, height := nearest[a], near[a]
		for _, i := range members[a] {
			for _, j := range members[b] {
				*tree.of(i, j) = height
			}
		}
		sizeA, sizeB := float64(len(members[a])), float64(len(members[b]))
		members[a], members[b] = append(members[a], members[b]...), nil
		for k := range t.n {
			if members[k] == nil || k == a {
				continue
			}
			x := d.of(a, k)
			*x = (float64(sizeA**x) + float64(sizeB**d.of(b, k))) / (sizeA + sizeB)
			if k < a && *x < near[k] {
				nearest[k], near[k] = a, *x
			}
		}
		for i := range a {
			if members[i] != nil && (nearest[i] == a || nearest[i] == b) {
				find(i)
			}
		}
		find(a)
		for i := a + 1; i < b; i++ {
			if members[i] != nil && nearest[i] == b {
				find(i)
			}
		}
	}
	return tree
}
