package regime

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"nmu/internal/literal"
	"nmu/internal/must"
	"nmu/lnmu"
)

// scene is a run of a line.
type scene struct {
	line
	p          problem // at scale 1
	kind       string  // of matrix, see given
	rank       int
	scale      float64 // of M, a power of 4, so that its root is exact
	start      string  // an Init, or "good", "poor" or "zeros": given factors
	iterations int     // 0: the default
}

func (s scene) String() string {
	return fmt.Sprintf("%s: %s as %s, rank %d, times %.0e, start %s, iterations %d", s.name, s.p.name, s.kind, s.rank, s.scale, s.start, s.iterations)
}

var (
	inits  = []string{"random", "nested", "svd", "spa", "snpa"}
	starts = append(slices.Clone(inits), "good", "poor", "zeros")
)

// refused reports whether docs/combinations.md excludes the run.
func (s scene) refused() bool {
	fromColumns := s.start == "svd" || s.start == "spa" || s.start == "snpa"
	return fromColumns && (s.kind == "stored" || s.keeps && s.name != "hoyer")
}

// factors returns a given start: "good" of the scale of M, "poor" of another scale, and "zeros", in
// which entries and a whole factor are zero.
func (s scene) factors() (v, w matrix) {
	rng := rand.New(rand.NewPCG(uint64(s.rank), 5))
	v, w = drawn(s.p.M.Rows, s.rank, rng), drawn(s.rank, s.p.M.Cols, rng)
	root := math.Sqrt(s.scale)
	for i := range v.Data {
		v.Data[i] *= root
		if s.start == "poor" {
			v.Data[i] *= 1000
		}
		if s.start == "zeros" && i%3 == 1 {
			v.Data[i] = 0
		}
	}
	for i := range w.Data {
		w.Data[i] *= root
		if s.start == "poor" {
			w.Data[i] /= 50
		}
		if s.start == "zeros" && (i%4 == 2 || i < w.Cols) {
			w.Data[i] = 0
		}
	}
	return v, w
}

// factor makes the run of a scene in precision T.
func factor[T lnmu.Float](t *testing.T, s scene) (*lnmu.Result[T], error) {
	m := given[T](s.p.times(s.scale), s.kind)
	settings := &lnmu.Settings{Limits: lnmu.Limits{Iterations: s.iterations}, Start: lnmu.Start{Seed: 3}, Threads: 1}
	if s.kind == "exact" {
		settings.MissingSolver = lnmu.MissingExact
	}
	if slices.Contains(inits, s.start) {
		settings.Init = lnmu.Choice(s.start)
		return lnmu.Factor(t.Context(), m, s.rank, s.method(s.scale), settings)
	}
	v, w := s.factors()
	return lnmu.FactorFrom(t.Context(), m, literal.As[T](v), literal.As[T](w), s.method(s.scale), settings)
}

// check makes the run and checks its promises and its loss.
func check[T lnmu.Float](t *testing.T, s scene) {
	t.Helper()
	s.p = s.p.with(s.kind)
	res, err := factor[T](t, s)
	switch {
	case s.refused() && errors.Is(err, lnmu.ErrOption):
		return
	case err != nil || s.refused():
		t.Errorf("%v: error %v", s, err)
		return
	}
	at := s.p.times(s.scale)
	if text := broken(s.line, at, literal.As[T](at.M), res); text != "" {
		t.Errorf("%v: %s", s, text)
		return
	}
	v, w := s.unscaledFactors(literal.As[float64](res.V), literal.As[float64](res.W))
	loss, whole := s.loss(s.p, v, w), s.p.Norm()*s.p.Norm()
	rounding := 64 * epsilon[T]() * whole
	complete := s.kind == "dense" || s.kind == "sparse"
	few := s.iterations > 0 && s.iterations < 100
	if s.rank == 1 && s.least != nil && complete && s.start != "zeros" && !few {
		must.AtMost(t, loss, s.least(s.p)*(1+max(1e-9, s.loose))+rounding+s.loose*whole, s, "loss")
	}
	unsettled := few || s.start == "poor" && s.iterations == 0 // from afar it takes long
	if s.polish != nil && !unsettled {
		s.polish(s.p, v, w, 10)
		size := s.loss(s.p, nothing(v), nothing(w)) // of the loss without factors
		e, better := math.Sqrt(math.Max(0, loss)/size), math.Sqrt(math.Max(0, s.loss(s.p, v, w))/size)
		if !(e <= 1.01*better+2e-3) {
			t.Errorf("%v: relative loss %v, which literal steps lower to %v", s, e, better)
		}
	}
}

// nothing returns a factor of the shape of x, so small that V W counts as zero.
func nothing(x matrix) matrix {
	y := lnmu.NewDense[float64](x.Rows, x.Cols, nil)
	for i := range y.Data {
		y.Data[i] = 1e-9
	}
	return y
}

// unscaledFactors returns the factors for M at scale 1.
func (s scene) unscaledFactors(v, w matrix) (matrix, matrix) {
	byV, byW := math.Sqrt(s.scale), math.Sqrt(s.scale)
	switch s.sums {
	case "V":
		byV, byW = 1, s.scale
	case "W":
		byV, byW = s.scale, 1
	}
	for i := range v.Data {
		v.Data[i] /= byV
	}
	for i := range w.Data {
		w.Data[i] /= byW
	}
	return v, w
}

// TestRegime takes every line through all kinds of matrices, starts, ranks, scales and numbers of
// iterations. Each of these varies with the starts, the others being ordinary. A fourth of the
// starts, kinds and matrices have long runs.
func TestRegime(t *testing.T) {
	tall, flat, exact := planted(12, 9, 3, 0.05, 1), planted(7, 15, 3, 0.05, 2), blocks(9, 12, 3)
	for _, l := range lines() {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			base := scene{line: l, p: tall, kind: "dense", rank: 3, scale: 1, start: "random"}
			for i, start := range starts {
				s := base
				s.start = start
				if !full() { // each start with one kind, and the other way round
					s.kind, s.p = l.kinds[i%len(l.kinds)], []problem{tall, flat, exact}[i%3]
					s.iterations = 20 * (i % 3)
					check[float64](t, s)
					continue
				}
				for j, kind := range l.kinds {
					for k, p := range []problem{tall, flat} {
						for _, iterations := range []int{0, 1, 2000} {
							if iterations == 2000 && (i+j+k)%4 > 0 {
								continue
							}
							s := s
							s.p, s.kind, s.iterations = p, kind, iterations
							check[float64](t, s)
						}
					}
				}
				for _, p := range []problem{tall, flat, exact, planted(1, 6, 1, 0.2, 3), planted(6, 1, 1, 0.2, 4), planted(1, 1, 1, 0.5, 5)} {
					for _, rank := range []int{1, min(p.M.Rows, p.M.Cols), min(p.M.Rows, p.M.Cols) + 2} {
						s := s
						s.p, s.rank = p, rank
						check[float64](t, s)
						check[float32](t, s)
					}
				}
				for _, exponent := range []int{-498, -200, -40, 40, 200, 498} { // about 1e-150 to 1e150
					s := s
					s.scale = math.Ldexp(1, exponent)
					check[float64](t, s)
					s.scale = math.Ldexp(1, exponent/25*2) // about 1e-11 to 1e11
					check[float32](t, s)
				}
			}
		})
	}
}
