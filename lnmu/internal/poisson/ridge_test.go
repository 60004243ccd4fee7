package poisson

import (
	"math"
	"math/rand/v2"
	"testing"

	"nmu/internal/must"
	"nmu/kernel"
	"nmu/lnmu/internal/matrix"
)

// TestMultiplyWithRidge checks that an update with an l2 penalty solves 2 ρ t² + (den + λ) t = x num, at
// all sizes of the numbers.
func TestMultiplyWithRidge(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for range 3000 {
		size := func() float64 { return math.Exp(200 * (rng.Float64() - 0.5)) }
		x, num, den, penalty, ridge := size(), size(), size(), size(), size()
		if rng.IntN(4) == 0 {
			den, penalty = 0, 0
		}
		h, before := []float64{x}, []float64{0}
		Multiply(h, before, []float64{num}, []float64{den}, penalty, ridge, 0)
		got := 2*ridge*h[0]*h[0] + (den+penalty)*h[0]
		if want := x * num; !(math.Abs(got-want) <= 1e-14*want) || h[0] != before[0] {
			t.Errorf("x %v, num %v, den %v, λ %v, ρ %v: t is %v, whose left side is %v, want %v", x, num, den, penalty, ridge, h[0], got, want)
		}
	}
	for _, x := range []struct{ x, num, den, want float64 }{{0, 3, 2, 0}, {5, 0, 2, 0}, {5, 0, 0, 0}, {1e200, 1e-200, 0, math.Sqrt(0.5)}} {
		h := []float64{x.x}
		Multiply(h, []float64{0}, []float64{x.num}, []float64{x.den}, 0, 1, 0)
		must.AtMost(t, math.Abs(h[0]-x.want), 1e-15, "x", x.x, "num", x.num, "den", x.den, "t")
	}
}

// TestRenewWithRidge checks that the steps of a line never raise f with an l2 penalty.
func TestRenewWithRidge(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 2))
	const least, problems = 1e-30, 1000
	for range problems {
		x := draw(rng)
		c := NewCoordinates[float64](nil, 1, len(x.h), len(x.m), len(x.m))
		c.Least, c.Penalty, c.Ridge = least, float64(rng.IntN(2)), math.Exp(8*(rng.Float64()-0.5))
		c.Given(x.g)
		f := func(h []float64) float64 {
			sum := x.objective(h, c.Penalty, least)
			for _, a := range h {
				sum += c.Ridge * a * a
			}
			return sum
		}
		total := 0.0
		for j, m := range x.m {
			total += x.u[j] * m
		}
		h := append([]float64(nil), x.h...)
		for range 5 {
			before := f(h)
			value, want := c.Renew(0, h, 1, Line[float64]{M: x.m, Weights: x.u}), x.objective(h, 0, least)
			after := f(h)
			rounding := 8 * matrix.Epsilon[float64]() * (total + math.Abs(before) + math.Abs(after))
			if !(after <= before+rounding) {
				t.Fatalf("f rises from %v to %v", before, after)
			}
			if math.Abs(value-want) > rounding {
				t.Fatalf("value %v, want %v", value, want)
			}
		}
	}
}

// TestRenewOfOneEntryWithRidge: where one entry has a positive g the step is exact, also from 0.
func TestRenewOfOneEntryWithRidge(t *testing.T) {
	for _, start := range []float64{0, 1e-200, 0.5, 1e100} {
		c := NewCoordinates[float64](nil, 1, 1, 3, 3)
		c.Least, c.Penalty, c.Ridge = 1e-30, 0.5, 0.75
		g := kernel.NewMatrix[float64](1, 3)
		copy(g.Row(0), []float64{0, 2, 0})
		c.Given(g)
		h := []float64{start}
		if c.Renew(0, h, 1, Line[float64]{M: []float64{7, 14, 0}}); math.Abs(2+0.5+1.5*h[0]-14/h[0]) > 1e-13 {
			t.Errorf("from %v: h is %v, want the root %v of g + λ + 2 ρ h = m/h", start, h[0], (math.Sqrt(2.5*2.5+6*14)-2.5)/3)
		}
	}
}
