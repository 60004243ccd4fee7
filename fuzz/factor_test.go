package fuzz

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

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

// TestMethods checks that random inputs reach every method with every option of it.
func TestMethods(t *testing.T) {
	dense, sparse := map[string]bool{}, map[string]bool{}
	note := func(reached map[string]bool, p *problem[float32]) {
		name := p.method.Describe().Name
		reached[name] = true
		for _, o := range p.options {
			if o.Value.String() != "" {
				reached[name+" "+o.Name] = true
			}
		}
	}
	for i := range 2000 {
		input := binary.LittleEndian.AppendUint16(nil, uint16(i))
		note(dense, newDense[float32](t, newSource(input)))
		note(sparse, newProblem[float32](t, newSource(input)))
	}
	for _, d := range lnmu.Methods() {
		_, options := d.Options()
		want := []string{d.Name}
		for _, o := range options {
			want = append(want, d.Name+" "+o.Name)
		}
		for _, w := range want {
			if !dense[w] {
				t.Errorf("FuzzFactor does not reach %s", w)
			}
		}
		if sparse[d.Name] != d.Sparse {
			t.Errorf("FuzzFactorSparse reaches %s: %v; that it has it: %v", d.Name, sparse[d.Name], d.Sparse)
		}
	}
}

// numbers of threads
var threads = []int{1, 2, 3, 5}

// problem is a factorization to be done.
type problem[T lnmu.Float] struct {
	*source
	t        *testing.T
	m        lnmu.Dense[T]
	rank     int
	method   lnmu.Method
	options  []lnmu.Option    // of the method
	lagrange *lnmu.Lagrangian // those of the method, if it is GNMU or RNMU
	settings lnmu.Settings
	v, w     lnmu.Dense[T] // the start, if Data is not nil
	sane     bool          // M is of ordinary size: nothing overflows or underflows
}

func (p *problem[T]) String() string {
	text := fmt.Sprintf("%T %d x %d, %s rank %d", T(0), p.m.Rows, p.m.Cols, p.method.Describe().Name, p.rank)
	for _, o := range p.options {
		text += fmt.Sprintf(", %s %q", o.Name, o.Value)
	}
	return fmt.Sprintf("%s, %+v, given start %v", text, p.settings, p.given())
}

// given reports whether there is a start.
func (p *problem[T]) given() bool { return p.v.Data != nil }

// methods returns the methods that are for sparse matrices too, or those that are not.
func methods(sparse bool) []lnmu.Description {
	return slices.DeleteFunc(lnmu.Methods(), func(d lnmu.Description) bool { return d.Sparse != sparse })
}

// choose makes the method that of the description. The options of GNMU and RNMU are
// drawn by those who choose them, those of any other method here.
func (p *problem[T]) choose(d lnmu.Description) {
	p.method, p.options = d.Options()
	switch m := p.method.(type) {
	case *lnmu.GNMU:
		p.lagrange = &m.Lagrangian
		return
	case *lnmu.RNMU:
		p.lagrange = &m.Lagrangian
		return
	}
	for range len(p.input) + 1000 { // the input may ask for nothing; after it comes chance
		p.method, p.options = d.Options()
		_, trial := d.Options()
		for i, o := range p.options {
			if !p.one(2) {
				continue
			}
			values := p.values(trial[i])
			if len(values) == 0 {
				p.t.Fatalf("no value of option %s of method %s is good", o.Name, d.Name)
			}
			if err := o.Value.Set(values[p.n(len(values))]); err != nil {
				p.t.Fatalf("option %s of method %s: %v", o.Name, d.Name, err)
			}
		}
		if _, _, err := lnmu.WithDefaults(p.m.Rows, p.m.Cols, p.rank, p.method, nil); err == nil {
			return
		}
	}
	p.t.Fatalf("no options of method %s are good", d.Name)
}

// values returns values that an option takes, of a part, a power of two and a whole
// number, all drawn, and the words of its usage. The option is set to any of them.
func (p *problem[T]) values(o lnmu.Option) []string {
	some := strings.FieldsFunc(o.Usage, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	some = append(some, fmt.Sprint(float64(1+p.n(255))/256), fmt.Sprint(math.Ldexp(1, p.n(24)-20)), fmt.Sprint(1+p.n(4)))
	return slices.DeleteFunc(some, func(s string) bool { return o.Value.Set(s) != nil })
}

// newProblem returns a sound problem.
func newProblem[T lnmu.Float](t *testing.T, s *source) *problem[T] {
	rows, cols := 1+s.size(800), 1+s.size(800)
	within(6000, &rows, &cols)
	p := &problem[T]{source: s, t: t}
	p.m, p.sane = p.matrix(rows, cols)
	all := methods(true)
	d := all[s.n(len(all))]
	p.rank = 1 + s.n(min(rows, cols, 12))
	steps := s.n(4)
	p.settings = lnmu.Settings{
		Iterations: 1 + s.n(12),
		Restarts:   1 + s.n(2),
		Seed:       uint64(s.n(256)),
		CheckEvery: s.n(4),
	}
	o := &p.settings
	const most = 1 << 18 // multiply-adds of a run
	if work := rows * cols * p.rank * o.Restarts * max(steps, 2); o.Iterations*work > most {
		o.Iterations = max(most/work, 1)
	}
	p.choose(d)
	if m, ok := p.method.(*lnmu.RNMU); ok {
		m.Block = s.n(p.rank + 2)
	}
	if d.Recursive && s.one(4) {
		o.TargetError = float64(s.n(256)) / 256
	}
	if s.one(4) {
		o.Tolerance = math.Ldexp(1, -s.n(30))
	}
	length := func(k int) float64 { return 1 / float64(k) }
	if s.one(4) { // multipliers that may drive the factors to zero
		at, long := s.n(4), math.Ldexp(1, s.n(40))
		length = func(k int) float64 {
			if k == at {
				return long
			}
			return 1 / float64(k)
		}
	}
	if p.lagrange != nil {
		p.lagrange.StepsPerUpdate, p.lagrange.StepLength = steps, length
	}
	if s.one(4) {
		o.Restarts = 1
		p.v, p.w = p.start(rows, p.rank), p.start(p.rank, cols)
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
	m, o := &p.m, &p.settings
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
		p.rank = []int{0, -1, min(m.Rows, m.Cols) + 1}[p.n(3)]
		p.v, p.w = lnmu.Dense[T]{}, lnmu.Dense[T]{} // of which it would be the rank
		return lnmu.ErrOption
	case 9:
		o.Iterations = -1 - p.n(9)
		return lnmu.ErrOption
	case 10:
		p.method = lnmu.SNMF{PenaltyV: 1}
		return lnmu.ErrOption
	case 11:
		o.Tolerance = []float64{-1, math.NaN(), math.Inf(1)}[p.n(3)]
		return lnmu.ErrOption
	case 12:
		o.Init = "zero"
		return lnmu.ErrOption
	case 13:
		p.method = lnmu.RNMU{Block: -1}
		return lnmu.ErrOption
	case 14:
		o.Restarts = -1
		return lnmu.ErrOption
	case 15:
		o.Init, o.Restarts = "", 1
		p.v, p.w = p.start(m.Rows, p.rank), p.start(p.rank, m.Cols)
		p.w.Row(0)[j] = -1
	}
	return lnmu.ErrValue
}

// newDense returns a sound dense problem.
func newDense[T lnmu.Float](t *testing.T, s *source) *problem[T] {
	p := newProblem[T](t, s)
	if !p.given() && s.one(3) {
		p.settings.Init, p.settings.Restarts = lnmu.InitSVD, 1
	}
	rnmu, _ := p.method.(*lnmu.RNMU)
	switch {
	case p.lagrange == nil:
		for _, d := range methods(false) {
			if s.one(3) {
				p.choose(d)
				break
			}
		}
	case rnmu != nil && rnmu.Block <= 1 && s.one(4):
		rnmu.Norm = lnmu.L1
	case s.one(2):
		p.lagrange.Feasible = []lnmu.Feasible{lnmu.FeasibleFinal, lnmu.FeasibleEach}[s.n(2)]
		p.lagrange.ExactSteps = s.n(4)
	}
	return p
}

// factorDense checks one dense problem.
func factorDense[T lnmu.Float](t *testing.T, s *source) {
	p := newDense[T](t, s)
	var refuse error
	if s.one(8) {
		refuse = p.spoil()
	}
	res := p.everywhere(refuse, func(o *lnmu.Settings) (*lnmu.Result[T], error) {
		m := p.m
		if o.Overwrite = s.one(4); o.Overwrite {
			m.Data = slices.Clone(m.Data)
		}
		if p.given() {
			return lnmu.FactorFrom(context.Background(), m, p.v, p.w, p.method, o)
		}
		return lnmu.Factor(context.Background(), m, p.rank, p.method, o)
	})
	if res != nil {
		p.invariants(res)
	}
}

// factorSparse checks one sparse problem.
func factorSparse[T lnmu.Float](t *testing.T, s *source) {
	p := newProblem[T](t, s)
	if p.lagrange != nil && s.one(3) {
		growth := math.Ldexp(1, -s.n(12))
		p.lagrange.ZeroMultiplier = func(k int) float64 { return growth * float64(k) }
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
	res := p.everywhere(refuse, func(o *lnmu.Settings) (*lnmu.Result[T], error) {
		if p.given() {
			return lnmu.FactorSparseFrom(context.Background(), m, p.v, p.w, p.method, o)
		}
		return lnmu.FactorSparse(context.Background(), m, p.rank, p.method, o)
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
func (p *problem[T]) everywhere(refuse error, factor func(*lnmu.Settings) (*lnmu.Result[T], error)) *lnmu.Result[T] {
	fail := func(format string, a ...any) { p.t.Fatalf("%v: %s", p, fmt.Sprintf(format, a...)) }
	before := slices.Clone(p.m.Data)
	var first *lnmu.Result[T]
	var firstErr error
	for i, level := range isa.Available() {
		for j, n := range threads {
			settings := p.settings
			settings.Threads = n
			restore := isa.Set(level)
			res, err := factor(&settings)
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
	if v.Rows != p.m.Rows || w.Cols != p.m.Cols || w.Rows != r || r > p.rank || r < p.rank && res.Stop != lnmu.StopTarget {
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
	if _, ok := p.method.(lnmu.NMF); ok {
		begin := norm // of V W = 0
		if p.given() {
			begin = p.residual(p.v, p.w)
			_, product = p.norms(p.v, p.w)
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
	if p.lagrange != nil && p.lagrange.Feasible != "" && (least < 0 || res.MaxViolation != 0) {
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
