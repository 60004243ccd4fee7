package qp

import (
	"math"

	"nmu/kernel"
)

// Simplex finds the point of a simplex that is nearest to x: the minimum of ||x - h G|| over
// h >= 0 with the sum 1, for the vertices G (r x q). Its inputs are the Gram matrix of G and the
// products of x with G.
//
// It is an active set method. The weights of the vertices in use are those of the minimum over
// the plane through them. A vertex that makes a smaller distance possible joins them. A vertex
// whose weight becomes zero leaves. The distance falls in every step. Since the weights have the
// sum 1, the weight of one vertex, the reference, follows from the others. So the programs work
// on the differences to the reference. These are independent in more cases than the vertices
// themselves.
type Simplex struct {
	// Gram is the Gram matrix of the vertices, r x r. The caller sets it.
	Gram kernel.Matrix[float64]

	// Weights and Products are scratch of length r for the arguments of Solve.
	Weights, Products []float64

	on     []int     // the vertices in use; the last one came last
	z      []float64 // the minimum over their plane
	root   []float64 // the Cholesky factor of the program of z, row after row
	barred []bool    // vertices that only rounding makes seem useful
	slope  []float64 // of the objective, for each vertex
}

const (
	dependent = 1e-14 // least pivot of independent vertices, relative to the squares of two vertices
	useful    = 1e-13 // least slope towards a vertex that joins, relative to the largest square
)

// NewSimplex returns the workspace for r vertices, of O(r²) numbers.
func NewSimplex(r int) *Simplex {
	at := func(n int) []float64 { return make([]float64, n) }
	return &Simplex{
		Gram: kernel.NewMatrix[float64](r, r), on: make([]int, 0, r), z: at(r), root: at(r * r),
		barred: make([]bool, r), slope: at(r), Weights: at(r), Products: at(r),
	}
}

// Solve sets h, of length r, to the weights, given the products c of x with the vertices. The
// search begins with h if that has the sum 1, else with the best vertex. It returns the KKT
// residual, relative to the largest square of a vertex or |c|. This is the largest difference
// between a slope and the mean slope of the vertices in use, over these vertices and all with a
// smaller slope. The sum of the weights differs from 1 by rounding alone. A step takes at most
// O(r³) operations. There is about one step for each vertex that joins or leaves.
func (s *Simplex) Solve(h, c []float64) (kkt float64) {
	r := len(h)
	scale := 0.0
	for k, x := range c {
		scale = max(scale, s.gram(k, k), math.Abs(x))
	}
	clear(s.barred)
	if !s.warm(h) {
		s.cold(h, c)
	}
	for range 50 + 10*r {
		if done := s.step(h, c, float64(useful*scale)); done {
			break
		}
	}
	s.slopes(h, c)
	mean := s.mean(h)
	var sum, most float64
	for k, x := range h {
		if x > 0 || s.slope[k] < mean {
			kkt = max(kkt, math.Abs(s.slope[k]-mean))
		}
		sum += x
		most = max(most, x)
	}
	for k, x := range h { // the largest weight takes up rounding and the gap of a search cut short
		if x == most {
			h[k] += 1 - sum
			break
		}
	}
	return kkt * kernel.Reciprocal(scale)
}

func (s *Simplex) gram(k, l int) float64 { return s.Gram.Data[k*s.Gram.Stride+l] }

// warm begins with h, and reports whether its sum is 1.
func (s *Simplex) warm(h []float64) bool {
	var sum float64
	s.on = s.on[:0]
	for k, x := range h {
		if x > 0 {
			s.on = append(s.on, k)
		}
		sum += x
	}
	const near = 1e-3 // room for weights that were rounded
	return math.Abs(sum-1) <= near
}

// cold begins with the best vertex.
func (s *Simplex) cold(h, c []float64) {
	best, least := 0, math.Inf(1)
	for k, x := range c {
		if d := s.gram(k, k)/2 - x; d < least {
			best, least = k, d
		}
	}
	clear(h)
	h[best] = 1
	s.on = append(s.on[:0], best)
}

// step moves h towards the minimum over the plane of the vertices in use. At the minimum a useful
// vertex joins. If there is none, the search is done.
func (s *Simplex) step(h, c []float64, tolerance float64) (done bool) {
	if !s.minimum(h, c) {
		last := len(s.on) - 1
		if h[s.on[last]] > 0 { // a vertex of the initial h
			s.cold(h, c)
		} else {
			s.leave(h, last)
		}
		return false
	}
	length, first := 1.0, -1
	for i, k := range s.on {
		if s.z[i] > 0 {
			continue
		}
		if t := h[k] / (h[k] - s.z[i]); first < 0 || t < length {
			length, first = t, i
		}
	}
	if first >= 0 {
		if length > 0 {
			for i, k := range s.on {
				h[k] += float64(length * (s.z[i] - h[k]))
			}
			h[s.on[first]] = math.SmallestNonzeroFloat64 // so that leave does not bar it
		}
		s.leave(h, first)
		return false
	}
	for i, k := range s.on {
		h[k] = s.z[i]
	}
	s.slopes(h, c)
	enters, least := -1, s.mean(h)-tolerance
	for k, g := range s.slope {
		if h[k] == 0 && !s.barred[k] && g < least {
			enters, least = k, g
		}
	}
	if enters < 0 {
		return true
	}
	s.on = append(s.on, enters)
	return false
}

// leave takes the i-th vertex in use out. A vertex without a weight is barred from coming back.
func (s *Simplex) leave(h []float64, i int) {
	k := s.on[i]
	if !(h[k] > 0) {
		s.barred[k] = true
	}
	h[k] = 0
	s.on = append(s.on[:i], s.on[i+1:]...)
	var sum float64
	for _, k := range s.on {
		h[k] = max(0, h[k])
		sum += h[k]
	}
	for _, k := range s.on {
		h[k] *= kernel.Reciprocal(sum)
	}
}

// slopes sets the slopes of ½||x - h G||².
func (s *Simplex) slopes(h, c []float64) {
	for k := range s.slope {
		g := -c[k]
		for _, l := range s.on {
			g = math.FMA(s.gram(k, l), h[l], g)
		}
		s.slope[k] = g
	}
}

// mean returns the mean slope of the vertices in use. At the minimum they all have this slope.
func (s *Simplex) mean(h []float64) (mean float64) {
	for _, k := range s.on {
		mean = math.FMA(h[k], s.slope[k], mean)
	}
	return mean
}

// minimum sets z to the minimum over the plane of the vertices in use, and reports whether
// they are independent.
func (s *Simplex) minimum(h, c []float64) bool {
	ref := 0
	for i, k := range s.on {
		if h[k] > h[s.on[ref]] {
			ref = i
		}
	}
	p, n := s.on[ref], len(s.on)
	rest := 1.0
	for i, k := range s.on {
		row := s.root[i*n : i*n+n]
		s.z[i] = 0
		if i == ref {
			clear(row[:i+1])
			continue
		}
		t := (c[k] - s.gram(k, p)) - (c[p] - s.gram(p, p))
		for j, l := range s.on[:i+1] {
			if j == ref {
				row[j] = 0
				continue
			}
			d := (s.gram(k, l) - s.gram(k, p)) - (s.gram(p, l) - s.gram(p, p))
			d -= dotFMA(row[:j], s.root[j*n:j*n+j])
			if j < i {
				row[j] = d / s.root[j*n+j]
				t = math.FMA(-row[j], s.z[j], t)
				continue
			}
			if !(d > float64(dependent*(s.gram(k, k)+s.gram(p, p)))) {
				return false
			}
			row[i] = math.Sqrt(d)
		}
		s.z[i] = t / row[i]
	}
	for i := n - 1; i >= 0; i-- {
		if i == ref {
			continue
		}
		t := s.z[i]
		for j := i + 1; j < n; j++ {
			t = math.FMA(-s.root[j*n+i], s.z[j], t)
		}
		s.z[i] = t / s.root[i*n+i]
		rest -= s.z[i]
	}
	s.z[ref] = rest
	return true
}
