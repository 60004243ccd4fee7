package fuzz

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"nmu/internal/checkasm"
	"nmu/internal/isa"
	"nmu/kernel"
	"nmu/lnmu"
)

// FuzzFactor and FuzzFactorSparse factor a matrix at every level with several
// numbers of threads, which must give the same bits, and check the invariants of
// the result.

func FuzzFactor(f *testing.F)       { f.Fuzz(checkFactor) }
func FuzzFactorSparse(f *testing.F) { f.Fuzz(checkFactorSparse) }

func checkFactor(t *testing.T, input []byte) {
	s := newSource(input)
	if s.one(2) {
		factorDense[float64](t, s)
	} else {
		factorDense[float32](t, s)
	}
}

func checkFactorSparse(t *testing.T, input []byte) {
	s := newSource(input)
	if s.one(2) {
		factorSparse[float64](t, s)
	} else {
		factorSparse[float32](t, s)
	}
}

// numbers of threads
var threads = []int{1, 2, 3, 5}

// problem is a factorization to be done.
type problem[T lnmu.Float] struct {
	*source
	t    *testing.T
	m    lnmu.Dense[T]
	opt  lnmu.Options[T]
	sane bool // M is of ordinary size: nothing overflows or underflows
}

func (p *problem[T]) String() string {
	o := p.opt
	return fmt.Sprintf("%T %d x %d, %s rank %d block %d, %d iterations, inner %d, %d restarts, start %q, seed %d, feasible %q, norm %q",
		T(0), p.m.Rows, p.m.Cols, o.Method, o.Rank, o.Block, o.Iterations, o.Inner, o.Restarts, o.Init, o.Seed, o.Feasible, o.Norm)
}

// newProblem returns a sound problem.
func newProblem[T lnmu.Float](t *testing.T, s *source) *problem[T] {
	rows, cols := 1+s.size(800), 1+s.size(800)
	within(6000, &rows, &cols)
	p := &problem[T]{source: s, t: t}
	p.m, p.sane = p.matrix(rows, cols)
	p.opt = lnmu.Options[T]{
		Method:     []lnmu.Method{lnmu.NMF, lnmu.GNMU, lnmu.RNMU}[s.n(3)],
		Rank:       1 + s.n(min(rows, cols, 12)),
		Inner:      s.n(4),
		Iterations: 1 + s.n(12),
		Restarts:   1 + s.n(2),
		Seed:       uint64(s.n(256)),
		CheckEvery: s.n(4),
	}
	o := &p.opt
	const most = 1 << 18 // multiply-adds of a run
	if work := rows * cols * o.Rank * o.Restarts * max(o.Inner, 2); o.Iterations*work > most {
		o.Iterations = max(most/work, 1)
	}
	if o.Method == lnmu.RNMU {
		o.Block = s.n(o.Rank + 2)
		if s.one(4) {
			o.TargetError = float64(s.n(256)) / 256
		}
	}
	if s.one(4) {
		o.Tolerance = math.Ldexp(1, -s.n(30))
	}
	if s.one(4) { // multipliers that may drive the factors to zero
		at, step := s.n(4), math.Ldexp(1, s.n(40))
		o.Step = func(k int) float64 {
			if k == at {
				return step
			}
			return 1 / float64(k)
		}
	}
	if s.one(4) {
		o.Init, o.Restarts = lnmu.InitGiven, 1
		o.V, o.W = p.start(rows, o.Rank), p.start(o.Rank, cols)
	}
	return p
}

// dense returns a zero matrix, sometimes with gaps of NaNs between the rows.
func (p *problem[T]) dense(rows, cols int) lnmu.Dense[T] {
	d := lnmu.Dense[T]{Rows: rows, Cols: cols, Stride: cols}
	if p.one(2) {
		d.Stride += p.n(9)
	}
	d.Data = make([]T, (rows-1)*d.Stride+cols)
	for i := range d.Data {
		if i%d.Stride >= cols {
			d.Data[i] = T(math.NaN())
		}
	}
	return d
}

// start returns a factor to start from.
func (p *problem[T]) start(rows, cols int) lnmu.Dense[T] {
	d := p.dense(rows, cols)
	class := []checkasm.Values{checkasm.Nonnegative, checkasm.Signed}[p.n(2)]
	for i := range rows {
		fill(p.source, d.Row(i), class)
		for j, x := range d.Row(i) {
			d.Row(i)[j] = max(0, x)
		}
	}
	return d
}

// matrix returns the data: dense or not, with or without structure. ordinary is
// false if its entries may be so large or small that squares leave the range.
func (p *problem[T]) matrix(rows, cols int) (m lnmu.Dense[T], ordinary bool) {
	m = p.dense(rows, cols)
	rnd := rand.New(p.source)
	entry := func(i, j int) T { return T(rnd.Float64()) }
	ordinary = true
	switch p.n(8) {
	case 0: // mostly zeros
		most := 2 + p.n(8)
		entry = func(i, j int) T { return T(max(0, 1-float64(most)*rnd.Float64())) }
	case 1: // binary
		entry = func(i, j int) T { return T(p.n(2)) }
	case 2: // small integers
		entry = func(i, j int) T { return T(p.n(4)) }
	case 3: // of low rank
		r := 1 + p.n(4)
		v, w := p.start(rows, r), p.start(r, cols)
		entry = func(i, j int) (x T) {
			for k := range r {
				x += T(v.At(i, k) * w.At(k, j))
			}
			return x
		}
	case 4: // of all sizes
		entry = func(i, j int) T { return T(math.Ldexp(rnd.Float64(), p.n(60)-30)) }
	case 5: // with twins
		entry = func(i, j int) T { return T((i%3)*(j%5)) / 4 }
	case 6:
		if p.one(2) { // the limits of the format
			ordinary = false
			entry = func(i, j int) T { return T(math.Abs(float64(draw[T](p.source, checkasm.Special)))) }
		}
	}
	scale := T(1)
	if p.one(4) && ordinary {
		scale = T(math.Ldexp(1, p.n(61)-30))
	}
	empty := -1 // zero rows and columns
	if p.one(4) {
		empty = 1 + p.n(4)
	}
	for i := range rows {
		for j := range m.Row(i) {
			x := entry(i, j) * scale
			if empty > 0 && (i%5 == empty || j%7 == empty) {
				x = 0
			}
			m.Row(i)[j] = x
		}
	}
	return m, ordinary
}

// spoil makes the problem one that must be refused and returns how.
func (p *problem[T]) spoil() error {
	m, o := &p.m, &p.opt
	i, j := p.n(m.Rows), p.n(m.Cols)
	switch p.n(16) {
	case 0:
		m.Row(i)[j] = T(math.NaN())
	case 1:
		m.Row(i)[j] = T(math.Inf(1 - 2*p.n(2)))
	case 2:
		m.Row(i)[j] = -T(rand.New(p.source).Float64()) - 0x1p-100
	case 3:
		m.Rows = -m.Rows
		return lnmu.ErrShape
	case 4:
		m.Rows = math.MaxInt >> p.n(8)
		return lnmu.ErrShape
	case 5:
		m.Cols = 0
		return lnmu.ErrShape
	case 6:
		m.Data = m.Data[:len(m.Data)-1]
		return lnmu.ErrShape
	case 7:
		m.Stride = m.Cols - 1
		return lnmu.ErrShape
	case 8:
		o.Rank = []int{0, -1, min(m.Rows, m.Cols) + 1}[p.n(3)]
		return lnmu.ErrOption
	case 9:
		o.Iterations = -1 - p.n(9)
		return lnmu.ErrOption
	case 10:
		o.Method = "svd"
		return lnmu.ErrOption
	case 11:
		o.Tolerance = []float64{-1, math.NaN(), math.Inf(1)}[p.n(3)]
		return lnmu.ErrOption
	case 12:
		o.Init, o.V, o.W = "zero", lnmu.Dense[T]{}, lnmu.Dense[T]{}
		return lnmu.ErrOption
	case 13:
		o.Block = -1
		return lnmu.ErrOption
	case 14:
		o.Restarts = -1
		return lnmu.ErrOption
	case 15:
		o.Init, o.Restarts = lnmu.InitGiven, 1
		o.V, o.W = p.start(m.Rows, o.Rank), p.start(o.Rank, m.Cols)
		o.W.Row(0)[j] = -1
	}
	return lnmu.ErrValue
}

// factorDense checks one dense problem.
func factorDense[T lnmu.Float](t *testing.T, s *source) {
	p := newProblem[T](t, s)
	o := &p.opt
	if o.Init == "" && s.one(3) {
		o.Init, o.Restarts = lnmu.InitSVD, 1
	}
	switch {
	case o.Method == lnmu.NMF && s.one(3):
		o.Method = lnmu.SNMF
		if s.one(2) {
			o.PenaltyV, o.PenaltyW = math.Ldexp(1, s.n(24)-20), math.Ldexp(1, s.n(24)-20)
		} else {
			o.SparsityV, o.SparsityW = float64(1+s.n(255))/256, float64(s.n(256))/256
		}
	case o.Method == lnmu.NMF && s.one(3):
		o.Method = lnmu.Hoyer
		o.HoyerV, o.HoyerW = float64(1+s.n(255))/256, float64(s.n(256))/256
	case o.Method == lnmu.RNMU && o.Block <= 1 && s.one(4):
		o.Norm = lnmu.L1
	case o.Method != lnmu.NMF && s.one(2):
		o.Feasible = []lnmu.Feasible{lnmu.FeasibleFinal, lnmu.FeasibleEach}[s.n(2)]
		o.FeasibleSteps = s.n(4)
	}
	var refuse error
	if s.one(8) {
		refuse = p.spoil()
	}
	res := p.everywhere(refuse, func(opt lnmu.Options[T]) (*lnmu.Result[T], error) {
		m := p.m
		if opt.Overwrite = s.one(4); opt.Overwrite {
			m.Data = slices.Clone(m.Data)
		}
		return lnmu.Factor(context.Background(), m, opt)
	})
	if res != nil {
		p.invariants(res)
	}
}

// factorSparse checks one sparse problem.
func factorSparse[T lnmu.Float](t *testing.T, s *source) {
	p := newProblem[T](t, s)
	if p.opt.Method != lnmu.NMF && s.one(3) {
		growth := math.Ldexp(1, -s.n(12))
		p.opt.ZeroMultiplier = func(k int) float64 { return growth * float64(k) }
	}
	var refuse error
	dense := p.m
	if s.one(8) {
		switch refuse = p.spoil(); refuse {
		case lnmu.ErrShape: // of the dense matrix; see below
			p.m, refuse = dense, nil
		}
	}
	m := lnmu.NewCSR(p.m)
	if refuse == nil && s.one(8) {
		switch s.n(7) {
		case 0:
			m.Ptr[s.n(len(m.Ptr))] += s.n(9) - 4
		case 1:
			m.Ptr = m.Ptr[:s.n(len(m.Ptr))]
		case 2:
			m.Val = append(m.Val, 1)
		case 3:
			m.Rows = []int{-1, 0, math.MaxInt, m.Rows + 1}[s.n(4)]
		case 4:
			m.Cols = []int{-1, 0, math.MaxInt, m.Cols - 1}[s.n(4)]
		case 5:
			if len(m.Idx) > 0 {
				m.Idx[s.n(len(m.Idx)&0xffff)] = int32(s.n(len(m.Idx)&0xffff)) - 1
			}
		case 6:
			for i := range m.Ptr {
				m.Ptr[i] = int(s.Uint64())
			}
		}
		switch err := m.Validate(); {
		case errors.Is(err, lnmu.ErrShape):
			refuse = lnmu.ErrShape
		case err != nil:
			refuse = lnmu.ErrValue
		case m.Rows != p.m.Rows || m.Cols != p.m.Cols: // sound, but not for this start
			return
		default:
			p.m = m.Dense()
		}
	}
	before := lnmu.CSR[T]{Ptr: slices.Clone(m.Ptr), Idx: slices.Clone(m.Idx), Val: slices.Clone(m.Val)}
	res := p.everywhere(refuse, func(opt lnmu.Options[T]) (*lnmu.Result[T], error) {
		return lnmu.FactorSparse(context.Background(), m, opt)
	})
	if !slices.Equal(before.Ptr, m.Ptr) || !slices.Equal(before.Idx, m.Idx) || checkasm.Compare(m.Val, before.Val, true) != nil {
		t.Fatalf("%v: the sparse matrix was modified", p)
	}
	if res != nil {
		p.invariants(res)
	}
}

// everywhere factors at every level with several numbers of threads, and returns
// the result, which is always the same, or nil if the problem was refused.
func (p *problem[T]) everywhere(refuse error, factor func(lnmu.Options[T]) (*lnmu.Result[T], error)) *lnmu.Result[T] {
	fail := func(format string, a ...any) { p.t.Fatalf("%v: %s", p, fmt.Sprintf(format, a...)) }
	before := slices.Clone(p.m.Data)
	var first *lnmu.Result[T]
	var firstErr error
	for i, level := range isa.Available() {
		for j, n := range threads {
			opt := p.opt
			opt.Threads = n
			restore := isa.Set(level)
			res, err := factor(opt)
			restore()
			switch {
			case refuse != nil && (res != nil || !errors.Is(err, refuse)):
				fail("result %v, error %v; want %v", res, err, refuse)
			case err != nil && (res != nil || !errors.Is(err, lnmu.ErrValue) && refuse == nil):
				fail("result %v, error %v", res, err)
			case err != nil && p.sane && refuse == nil:
				fail("refused: %v", err)
			case err == nil && res.Level != level.String():
				fail("the level is said to be %s, not %v", res.Level, level)
			case checkasm.Compare(p.m.Data, before, true) != nil:
				fail("M was modified")
			}
			if res != nil {
				res.Level = ""
			}
			if i == 0 && j == 0 {
				first, firstErr = res, err
				continue
			}
			if fmt.Sprint(err) != fmt.Sprint(firstErr) {
				fail("level %v, %d threads: error %v, else %v", level, n, err, firstErr)
			}
			if res == nil {
				continue
			}
			if lnmu.SHA256(res.V) != lnmu.SHA256(first.V) || lnmu.SHA256(res.W) != lnmu.SHA256(first.W) {
				fail("level %v, %d threads: other bits than at level generic with 1 thread", level, n)
			}
			if !reflect.DeepEqual(res, first) && !hasNaN(first) {
				fail("level %v, %d threads:\n%+v\nlevel generic, 1 thread:\n%+v", level, n, res, first)
			}
		}
	}
	return first
}

// hasNaN says whether a report holds a NaN, which is not equal to itself.
func hasNaN[T lnmu.Float](r *lnmu.Result[T]) bool { return !reflect.DeepEqual(r, r) }

// invariants checks what must hold of every result.
func (p *problem[T]) invariants(res *lnmu.Result[T]) {
	fail := func(format string, a ...any) { p.t.Fatalf("%v: %s", p, fmt.Sprintf(format, a...)) }
	v, w, r := res.V, res.W, res.V.Cols
	if v.Rows != p.m.Rows || w.Cols != p.m.Cols || w.Rows != r || r > p.opt.Rank || r < p.opt.Rank && res.Stop != lnmu.StopTarget {
		fail("V is %d x %d and W %d x %d, stop %q", v.Rows, v.Cols, w.Rows, w.Cols, res.Stop)
	}
	for name, d := range map[string]lnmu.Dense[T]{"V": v, "W": w} {
		for i := range d.Rows {
			for j, x := range d.Row(i) {
				if !(x >= 0) || math.IsInf(float64(x), 0) {
					fail("%s[%d,%d] = %v", name, i, j, x)
				}
			}
		}
	}
	p.corollary(res)
	if !p.sane {
		return
	}

	// The errors of rounding are bounded by those of r + 1 roundings of each entry
	// of M - V W, and of the sum of squares in lanes.
	norm, product := p.norms(v, w)
	eps := math.Nextafter(1, 2) - 1
	if _, ok := any(T(0)).(float32); ok {
		eps = 0x1p-23
	}
	want := p.residual(v, w)
	if norm == 0 {
		norm = 1
	}
	slack := eps * (float64(r+2)*(norm+product) + 64*want)
	if math.Abs(res.RelativeError*norm-want) > slack {
		fail("relative error %v, want %v", res.RelativeError, want/norm)
	}
	if p.opt.Method == lnmu.NMF {
		begin := norm // of V W = 0
		if p.opt.Init == lnmu.InitGiven {
			begin = p.residual(p.opt.V, p.opt.W)
			_, product = p.norms(p.opt.V, p.opt.W)
			slack += eps * float64(r+2) * product
		}
		if res.RelativeError*norm > begin+slack {
			fail("relative error %v, at the start %v", res.RelativeError, begin/norm)
		}
	}
}

// norms returns ||M||_F and ||V W||_F, residual ||M - V W||_F, in float64.
func (p *problem[T]) norms(v, w lnmu.Dense[T]) (m, product float64) {
	zero := lnmu.NewDense[T](p.m.Rows, p.m.Cols, nil)
	none := lnmu.NewDense[T](1, p.m.Cols, nil)
	return distance(p.m, lnmu.NewDense[T](p.m.Rows, 1, nil), none), distance(zero, v, w)
}

func (p *problem[T]) residual(v, w lnmu.Dense[T]) float64 { return distance(p.m, v, w) }

func distance[T lnmu.Float](m, v, w lnmu.Dense[T]) float64 {
	var squares float64
	for i := range m.Rows {
		for j := range m.Cols {
			e := float64(m.At(i, j))
			for k := range v.Cols {
				e = math.FMA(-float64(v.At(i, k)), float64(w.At(k, j)), e)
			}
			squares = math.FMA(e, e, squares)
		}
	}
	return math.Sqrt(squares)
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
	if p.opt.Feasible != "" && (least < 0 || res.MaxViolation != 0) {
		p.t.Fatalf("%v: V W exceeds M by %v, MaxViolation %v", p, -least, res.MaxViolation)
	}
	if least < 0 {
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
