package poisson

import (
	"math"
	"math/rand/v2"
	"testing"

	"nmu/kernel"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
)

// problem is a random line with entries and factors of very different sizes.
type problem struct {
	g    kernel.Matrix[float64]
	m, u []float64
	h    []float64
}

// draw returns a random problem.
func draw(rng *rand.Rand) problem {
	r, n := 1+rng.IntN(5), 1+rng.IntN(40)
	x := problem{g: kernel.NewMatrix[float64](r, n), m: make([]float64, n), u: make([]float64, n), h: make([]float64, r)}
	spread := 12 * rng.Float64()
	size := func(zeros float64) float64 {
		if rng.Float64() < zeros {
			return 0
		}
		return math.Exp(spread * (rng.Float64() - 0.5))
	}
	for j := range n {
		x.m[j], x.u[j] = size(0.3), size(0.2)
	}
	for k := range r {
		for j := range n {
			x.g.Row(k)[j] = size(0.5)
		}
		x.h[k] = size(0.1)
	}
	return x
}

// objective returns f(h) + Σ u m log m, with V W at least least.
func (x problem) objective(h []float64, penalty, least float64) (f float64) {
	for j, u := range x.u {
		vw := 0.0
		for k, a := range h {
			vw += a * x.g.Row(k)[j]
		}
		f += u * vw
		if m := x.m[j]; m > 0 && u > 0 {
			f += u * m * math.Log(m/max(vw, least))
		}
	}
	for _, a := range h {
		f += penalty * a
	}
	return f
}

// steps makes the coordinate steps of a line, without the check of f.
func (x problem) steps(h []float64, penalty, least float64) {
	for sweep := range sweepsPerLine * len(h) {
		k := sweep % len(h)
		if old := h[k]; x.step(h, k, penalty, least) && h[k] == 0 && old > 0 {
			x.step(h, k, penalty, least)
		}
	}
}

// step makes a step for h[k], and reports whether an entry needs it.
func (x problem) step(h []float64, k int, penalty, least float64) bool {
	sum, first, second := penalty, 0.0, 0.0
	for j, g := range x.g.Row(k) {
		sum += x.u[j] * g
		vw := 0.0
		for l, a := range h {
			vw += a * x.g.Row(l)[j]
		}
		t := g / max(vw, least)
		first, second = first+x.u[j]*x.m[j]*t, second+x.u[j]*x.m[j]*t*t
	}
	switch {
	case sum == 0:
	case first == 0:
		h[k] = 0
	default:
		h[k] = max(0, h[k]+first/sum*((first-sum)/second))
	}
	return first > 0
}

// TestRenewLowers: the steps of a line never raise f. Held numbers stay as they are. A line by its
// places has the same h, if its positive entries are gathered in either case.
func TestRenewLowers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const least, problems = 1e-30, 3000
	for range problems {
		x := draw(rng)
		r, n := len(x.h), len(x.m)
		penalty := float64(rng.IntN(2))
		c := NewCoordinates[float64](nil, 1, r, n, n)
		c.Least, c.Penalty = least, penalty
		if rng.IntN(4) == 0 {
			c.Held = group.Span{From: 0, To: rng.IntN(r)}
		}
		c.Given(x.g)
		h := append([]float64(nil), x.h...)
		value := c.Renew(0, h, 1, Line[float64]{M: x.m, Weights: x.u})
		total := 0.0
		for j, m := range x.m {
			total += x.u[j] * m
		}
		before, after := x.objective(x.h, penalty, least), x.objective(h, penalty, least)
		rounding := 8 * matrix.Epsilon[float64]() * (total + math.Abs(before) + math.Abs(after))
		if !(after <= before+rounding) {
			t.Fatalf("f rises from %v to %v", before, after)
		}
		for k, a := range h {
			if c.Held.Has(k) && a != x.h[k] || !(a >= 0) || math.IsInf(a, 0) {
				t.Fatalf("h[%d] is %v, before it was %v, held %v", k, a, x.h[k], c.Held)
			}
		}
		if want := x.objective(h, 0, least); math.Abs(value-want) > rounding {
			t.Fatalf("value %v, want %v", value, want)
		}
		var places []int32
		var m []float64
		positive := 0
		for j := range n {
			if x.u[j]*x.m[j] > 0 {
				positive++
			}
			if j%3 != 1 || x.m[j] > 0 { // some zeros are stored
				places, m = append(places, int32(j)), append(m, x.m[j])
			}
		}
		again := append([]float64(nil), x.h...)
		c.Renew(0, again, 1, Line[float64]{Positions: places, M: m, Weights: x.u})
		for k, a := range again {
			if 2*positive < n && a != h[k] {
				t.Fatalf("h[%d] is %v by places, %v without", k, a, h[k])
			}
		}
	}
}

// TestRenewChecks: where the steps raise f, which one of three million random lines showed, a
// multiplicative update takes their place.
func TestRenewChecks(t *testing.T) {
	x := problem{
		g: kernel.NewMatrix[float64](3, 4), m: []float64{0.0011611992617290164, 40.89712290990154, 470.13649332914616, 0.0030425999209384917},
		u: []float64{1, 1, 1, 1}, h: []float64{0.5011404210404639, 14.580668120963855, 1.0907587253259792},
	}
	copy(x.g.Row(0), []float64{665.9720921936296, 0.004007271757506092, 250.11912519802692, 0})
	copy(x.g.Row(1), []float64{0, 0, 2.078762026732153, 0.28131093252611405})
	copy(x.g.Row(2), []float64{0.5770338993882742, 0, 1.5102907179031804, 2.626423335240684})
	const least = 1e-30
	before := x.objective(x.h, 0, least)
	steps := append([]float64(nil), x.h...)
	if x.steps(steps, 0, least); !(x.objective(steps, 0, least) > before+1) {
		t.Errorf("the steps lead from %v to %v: this line shows nothing", before, x.objective(steps, 0, least))
	}
	c := NewCoordinates[float64](nil, 1, 3, 4, 4)
	c.Least = least
	c.Given(x.g)
	h := append([]float64(nil), x.h...)
	c.Renew(0, h, 1, Line[float64]{M: x.m})
	for k, a := range h {
		product, sum := 0.0, 0.0
		for j, g := range x.g.Row(k) {
			vw := 0.0
			for l, b := range x.h {
				vw += b * x.g.Row(l)[j]
			}
			product, sum = product+x.m[j]*g/vw, sum+g
		}
		if want := x.h[k] * product / sum; math.Abs(a-want) > 1e-13*want {
			t.Errorf("h[%d] is %v, want %v", k, a, want)
		}
	}
}

// TestRenewOfOneEntry: where one entry has a positive g the step is exact, also from 0.
func TestRenewOfOneEntry(t *testing.T) {
	for _, start := range []float64{0, 1e-200, 0.5, 1e100} {
		c := NewCoordinates[float64](nil, 1, 1, 3, 3)
		c.Least, c.Penalty = 1e-30, 0.5
		g := kernel.NewMatrix[float64](1, 3)
		copy(g.Row(0), []float64{0, 2, 0})
		c.Given(g)
		h := []float64{start}
		if c.Renew(0, h, 1, Line[float64]{M: []float64{7, 10, 0}}); math.Abs(h[0]-4) > 1e-14 {
			t.Errorf("from %v: h is %v, want m/(g + λ) = 4", start, h[0])
		}
	}
}
