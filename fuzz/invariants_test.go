package fuzz

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"nmu/internal/checkasm"
	"nmu/internal/isa"
	"nmu/kernel"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/outcome"
)

// place is where a run is made.
type place struct {
	level   isa.Level
	threads int
}

// agree makes a run in each place, which check looks at, and returns the first result. All have the same error;
// differ says how a result differs from the first.
func agree[R any](p fmt.Stringer, t *testing.T, places []place, run func(threads int) (*R, error), check func(at place, res *R, err error), differ func(first, res *R) string) (first *R) {
	var firstErr error
	for i, at := range places {
		restore := isa.Set(at.level)
		res, err := run(at.threads)
		restore()
		if check(at, res, err); i == 0 {
			first, firstErr = res, err
		} else if fmt.Sprint(err) != fmt.Sprint(firstErr) {
			t.Fatalf("%v: %v: error %v, at %v %v", p, at, err, places[0], firstErr)
		} else if res != nil {
			if text := differ(first, res); text != "" {
				t.Fatalf("%v: %v: other results than at %v: %s", p, at, places[0], text)
			}
		}
	}
	return first
}

// everywhere factors at every level with several numbers of threads, and returns
// the result, which is always the same, or nil if the problem was refused.
func (p *problem[T]) everywhere(refuse error, factor func(*lnmu.Settings) (*lnmu.Result[T], error)) *lnmu.Result[T] {
	fail := func(format string, a ...any) { p.t.Fatalf("%v: %s", p, fmt.Sprintf(format, a...)) }
	before := slices.Clone(p.m.Data)
	var places []place
	for _, level := range isa.Available() {
		for _, n := range threads {
			places = append(places, place{level, n})
		}
	}
	return agree(p, p.t, places, func(threads int) (*lnmu.Result[T], error) {
		settings := p.settings
		settings.Threads = threads
		return factor(&settings)
	}, func(at place, res *lnmu.Result[T], err error) {
		switch {
		case refuse != nil && (res != nil || !errors.Is(err, refuse)):
			fail("result %v, error %v; want %v", res, err, refuse)
		case err != nil && (res != nil || !errors.Is(err, lnmu.ErrValue) && refuse == nil):
			fail("result %v, error %v", res, err)
		case err != nil && p.sane && refuse == nil:
			fail("refused: %v", err)
		case err == nil && res.Level != at.level.String():
			fail("the level is said to be %s, not %v", res.Level, at.level)
		case checkasm.Compare(p.m.Data, before, true) != nil:
			fail("M was modified")
		}
		if res != nil {
			res.Level = ""
		}
	}, func(first, res *lnmu.Result[T]) string {
		if factors.SHA256(res.V) != factors.SHA256(first.V) || factors.SHA256(res.W) != factors.SHA256(first.W) {
			return "other bits"
		}
		if !reflect.DeepEqual(res, first) && !hasNaN(first) {
			return fmt.Sprintf("\n%+v\n%+v", res, first)
		}
		return ""
	})
}

// hasNaN says whether a report holds a NaN, which is not equal to itself.
func hasNaN[T lnmu.Float](r *lnmu.Result[T]) bool { return !reflect.DeepEqual(r, r) }

// invariants checks what must hold of every result.
func (p *problem[T]) invariants(res *lnmu.Result[T]) {
	fail := func(format string, a ...any) { p.t.Fatalf("%v: %s", p, fmt.Sprintf(format, a...)) }
	v, w, r := res.V, res.W, res.V.Cols
	if v.Rows != p.m.Rows || w.Cols != p.m.Cols || w.Rows != r || r > p.rank || r < p.rank && res.Stop != outcome.StopTarget {
		fail("V is %d x %d and W %d x %d, stop %q", v.Rows, v.Cols, w.Rows, w.Cols, res.Stop)
	}
	p.nonnegative(v, w)
	switch {
	case p.observed == nil && p.weights.Data == nil:
		p.corollary(res)
	case p.lagrange != nil && p.lagrange.Feasible != "" && res.MaxViolation != 0:
		fail("V W exceeds what is observed of M by %v", res.MaxViolation)
	}
	if !p.sane {
		return
	}

	// The errors of rounding are bounded by those of r + 1 roundings of each entry
	// of M - V W, and of the sum of squares in lanes.
	norm, product := p.norms(v, w)
	eps := epsilon[T]()
	want := p.residual(v, w)
	if norm == 0 {
		norm = 1
	}
	slack := eps * (float64(r+2)*(norm+product) + 64*want)
	if math.Abs(res.RelativeError*norm-want) > slack {
		fail("relative error %v, want %v", res.RelativeError, want/norm)
	}
	if m, ok := p.method.(*lnmu.NMF); ok {
		if m.SumToOneV || m.SumToOneW {
			p.sums(res, m.SumToOneV)
			return
		}
		penalties := func(v, w lnmu.Dense[T]) float64 { return m.L2V*squaresOf(v) + m.L2W*squaresOf(w) }
		begin, now := norm, math.Sqrt(math.Pow(res.RelativeError*norm, 2)+penalties(v, w)) // of V W = 0
		if p.given() {
			begin = math.Sqrt(math.Pow(p.residual(p.v, p.w), 2) + penalties(p.v, p.w))
			_, product = p.norms(p.v, p.w)
			slack += eps * float64(r+2) * product
		}
		if now > begin+slack && (p.given() || m.L2V == 0) { // the penalties of a random start may be above ||M||²
			fail("the objective is %v, at the start %v", now, begin)
		}
	}
}

// squaresOf returns ||x||².
func squaresOf[T lnmu.Float](x lnmu.Dense[T]) (sum float64) {
	for i := range x.Rows {
		for _, a := range x.Row(i) {
			sum += float64(a) * float64(a)
		}
	}
	return sum
}

// nonnegative checks that the entries of factors are finite and not negative.
func (p *problem[T]) nonnegative(factors ...lnmu.Dense[T]) {
	for k, d := range factors {
		for i := range d.Rows {
			for j, x := range d.Row(i) {
				if !(x >= 0) || math.IsInf(float64(x), 0) {
					p.t.Fatalf("%v: factor %d has %v at [%d,%d]", p, k, x, i, j)
				}
			}
		}
	}
}

// epsilon returns the distance from 1 to the next number of T.
func epsilon[T lnmu.Float]() float64 {
	_, _, _, eps := checkasm.Limits[T]()
	return float64(eps)
}

// sums checks that the rows of V, or else the columns of W, have the sum 1.
func (p *problem[T]) sums(res *lnmu.Result[T], ofV bool) {
	rank, vectors := res.V.Cols, res.V.Rows
	at := func(i, k int) T { return res.V.At(i, k) }
	if !ofV {
		vectors, at = res.W.Cols, func(i, k int) T { return res.W.At(k, i) }
	}
	eps := epsilon[T]()
	for i := range vectors {
		var sum float64
		for k := range rank {
			sum += float64(at(i, k))
		}
		if !(math.Abs(sum-1) <= 4*float64(rank)*eps) {
			p.t.Fatalf("%v: vector %d has the sum %v, want 1", p, i, sum)
		}
	}
}

// norms returns ||M||_F and ||V W||_F, residual ||M - V W||_F, in float64.
func (p *problem[T]) norms(v, w lnmu.Dense[T]) (m, product float64) {
	zero := lnmu.NewDense[T](p.m.Rows, p.m.Cols, nil)
	none := lnmu.NewDense[T](1, p.m.Cols, nil)
	return p.distance(p.m, lnmu.NewDense[T](p.m.Rows, 1, nil), none), p.distance(zero, v, w)
}

func (p *problem[T]) residual(v, w lnmu.Dense[T]) float64 { return p.distance(p.m, v, w) }

// distance returns ||M - V W|| of what counts. The sum is compensated (Kahan): equal squares one after the
// other would be rounded in one direction.
func (p *problem[T]) distance(m, v, w lnmu.Dense[T]) float64 {
	var squares, lost float64
	for i := range m.Rows {
		for j := range m.Cols {
			if p.observed != nil && !p.observed.Observed(i, j) {
				continue
			}
			e := float64(m.At(i, j))
			for k := range v.Cols {
				e = math.FMA(-float64(v.At(i, k)), float64(w.At(k, j)), e)
			}
			weighted := e
			if p.weights.Data != nil {
				weighted *= p.weights.At(i, j)
			}
			term := math.FMA(e, weighted, -lost)
			sum := squares + term
			lost = (sum - squares) - term
			squares = sum
		}
	}
	return math.Sqrt(squares)
}

// vanishes reports whether a product of two positive entries of the factors is 0 in the arithmetic of T,
// as those of factors that a penalty takes to 0 are.
func (p *problem[T]) vanishes(res *lnmu.Result[T]) bool {
	for k := range res.V.Cols {
		least, w := T(math.Inf(1)), T(math.Inf(1))
		for i := range res.V.Rows {
			if x := res.V.At(i, k); x > 0 {
				least = min(least, x)
			}
		}
		for _, x := range res.W.Row(k) {
			if x > 0 {
				w = min(w, x)
			}
		}
		if least*w == 0 {
			return true
		}
	}
	return false
}

// corollary checks Corollary 1 for feasible factors, in the arithmetic of the
// kernels: s(V_k) + s(W_k) >= s(R_k) >= s(M). Factors are feasible if no residual
// entry is negative after the last of them; since a factor never adds to an
// entry, no residual entry is negative before.
func (p *problem[T]) corollary(res *lnmu.Result[T]) {
	m, n, rank := p.m.Rows, p.m.Cols, res.V.Cols
	e := kernel.NewMatrix[T](m, n)
	minus := kernel.NewMatrix[T](1, m)
	s := make([]int, rank+1) // zeros of R_1, R_2, ...
	least := T(0)
	for k := range rank + 1 {
		for i := range m {
			if k == 0 {
				copy(e.Row(i), p.m.Row(i))
			}
			for _, x := range e.Row(i) {
				if x == 0 {
					s[k]++
				}
			}
			least = min(least, kernel.Min(e.Row(i)))
			if k < rank {
				minus.Row(0)[i] = -res.V.At(i, k)
			}
		}
		if k < rank {
			row := kernel.Matrix[T]{Rows: 1, Cols: n, Data: res.W.Row(k), Stride: n}
			kernel.AddProduct(e, minus, row)
		}
	}
	if p.lagrange != nil && p.lagrange.Feasible != "" && (least < 0 || res.MaxViolation != 0) {
		p.t.Fatalf("%v: V W exceeds M by %v, MaxViolation %v", p, -least, res.MaxViolation)
	}
	if least < 0 || p.vanishes(res) {
		return
	}
	for k := range rank {
		var zv, zw int
		for i := range m {
			if res.V.At(i, k) == 0 {
				zv++
			}
		}
		for _, x := range res.W.Row(k) {
			if x == 0 {
				zw++
			}
		}
		if n*zv+m*zw < s[k] || s[k] < s[0] {
			p.t.Fatalf("%v: factor %d has %d zeros of %d in V and %d of %d in W, its residual %d, M %d", p, k, zv, m, zw, n, s[k], s[0])
		}
	}
}
