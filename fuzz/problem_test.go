package fuzz

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"nmu/internal/checkasm"
	"nmu/internal/options"
	"nmu/lnmu"
)

// problem is a factorization to be done.
type problem[T lnmu.Float] struct {
	*source
	t        *testing.T
	m        lnmu.Dense[T]
	rank     int
	method   lnmu.Method
	options  []options.Option // of the method
	lagrange *lnmu.GNMU       // those of the method, if it is GNMU or RNMU
	settings lnmu.Settings
	v, w     lnmu.Dense[T]    // the start, if Data is not nil
	sane     bool             // M is of ordinary size: nothing overflows or underflows
	seen     lnmu.Observed[T] // what is told of it, without M
	observed *lnmu.Mask       // what counts of M, or nil for all
	weights  lnmu.Dense[float64]
}

// of returns m with what is told of its entries.
func (p *problem[T]) of(m lnmu.Matrix[T]) lnmu.Matrix[T] {
	seen := p.seen
	seen.Matrix = m
	return seen
}

func (p *problem[T]) String() string {
	text := fmt.Sprintf("%T %d x %d, %s rank %d", T(0), p.m.Rows, p.m.Cols, p.method.Name(), p.rank)
	for _, o := range p.options {
		text += fmt.Sprintf(", %s %q", o.Name, o.Value)
	}
	return fmt.Sprintf("%s, %+v, given start %v", text, p.settings, p.given())
}

// factor factors m from the start, if there is one.
func (p *problem[T]) factor(m lnmu.Matrix[T], o *lnmu.Settings) (*lnmu.Result[T], error) {
	if p.given() {
		return lnmu.FactorFrom(context.Background(), p.of(m), p.v, p.w, p.method, o)
	}
	return lnmu.Factor(context.Background(), p.of(m), p.rank, p.method, o)
}

// given reports whether there is a start.
func (p *problem[T]) given() bool { return p.v.Data != nil }

// methods returns the methods that are for sparse matrices too, or those that are not.
func methods(sparse bool) []options.Description {
	return slices.DeleteFunc(options.Methods(), func(d options.Description) bool { return d.Sparse() != sparse })
}

// choose makes the method that of the description. The options of GNMU and RNMU are
// drawn by those who choose them, those of any other method here.
func (p *problem[T]) choose(d options.Description) {
	p.method, p.options = options.Of(d.Method)
	switch m := p.method.(type) {
	case *lnmu.GNMU:
		p.lagrange = m
		return
	case *lnmu.RNMU:
		p.lagrange = &m.GNMU
		return
	}
	for range len(p.input) + 1000 { // the input may ask for nothing; after it comes chance
		p.method, p.options = options.Of(d.Method)
		_, trial := options.Of(d.Method)
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
		if _, _, err := lnmu.Check(lnmu.Dense[float64]{Rows: p.m.Rows, Cols: p.m.Cols}, p.rank, p.method, nil); err == nil {
			return
		}
	}
	p.t.Fatalf("no options of method %s are good", d.Name)
}

// values returns values that an option takes, of a part, a power of two and a whole
// number, all drawn, and the words of its usage. The option is set to any of them.
func (p *problem[T]) values(o options.Option) []string {
	some := strings.FieldsFunc(o.Usage, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	some = append(some, fmt.Sprint(float64(1+p.n(255))/256), fmt.Sprint(math.Ldexp(1, p.n(24)-20)), fmt.Sprint(1+p.n(4)))
	return slices.DeleteFunc(some, func(s string) bool { return o.Value.Set(s) != nil })
}

// mostEntries is the largest number of entries of M.
const mostEntries = 6000

// newProblem returns a sound problem of at most that many entries.
func newProblem[T lnmu.Float](t *testing.T, s *source, entries int) *problem[T] {
	rows, cols := 1+s.size(800), 1+s.size(800)
	within(entries, &rows, &cols)
	p := &problem[T]{source: s, t: t}
	p.m, p.sane = p.matrix(rows, cols)
	all := methods(true)
	d := all[s.n(len(all))]
	p.rank = 1 + s.n(12) // larger than rows and columns, at times
	steps := s.n(4)
	p.settings = lnmu.Settings{
		Limits: lnmu.Limits{Iterations: 1 + s.n(12), CheckEvery: s.n(4)},
		Start:  lnmu.Start{Restarts: 1 + s.n(2), Seed: uint64(s.n(256))},
	}
	o := &p.settings
	const most = 1 << 18 // multiply-adds of a run
	if work := rows * cols * p.rank * o.Restarts * max(steps, 4); o.Iterations*work > most {
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
		p.lagrange.Inner, p.lagrange.StepLength = steps, length
		if s.one(3) {
			p.lagrange.Solver, p.lagrange.StepLength = lnmu.SolverADMM, nil
			p.lagrange.Rho = math.Ldexp(1, s.n(12)-5)
			p.lagrange.ResidualTolerance = math.Ldexp(1, -s.n(30))
		}
		if s.one(4) {
			p.lagrange.Sweeps = 1 + s.n(4)
		}
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
		p.rank = -p.n(2)
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
	p := newProblem[T](t, s, mostEntries)
	if !p.given() && s.one(3) {
		p.settings.Init, p.settings.Restarts = lnmu.InitSVD, 1
	}
	rnmu, _ := p.method.(*lnmu.RNMU)
	if l := p.lagrange; l != nil && l.Solver != lnmu.SolverADMM && s.one(4) {
		l.Multipliers, l.StepOffset = []lnmu.Choice{lnmu.MultipliersZero, lnmu.MultipliersStart}[s.n(2)], s.n(3)
	}
	switch {
	case p.lagrange == nil:
		for _, d := range methods(false) {
			if s.one(3) {
				p.choose(d)
				break
			}
		}
	case rnmu != nil && rnmu.Block <= 1 && rnmu.Solver != lnmu.SolverADMM && s.one(4):
		rnmu.Norm = lnmu.L1
	case rnmu != nil && rnmu.Block <= 1 && rnmu.Solver != lnmu.SolverADMM && s.one(3):
		p.priors(rnmu)
	case s.one(2):
		p.lagrange.Feasible = []lnmu.Choice{lnmu.FeasibleFinal, lnmu.FeasibleEach}[s.n(2)]
		p.lagrange.FeasibleSteps = s.n(4)
	}
	if p.method.Name() == "kl" && p.settings.Init == lnmu.InitSVD { // whose zeros would stay
		p.settings.Init = lnmu.InitRandom
	}
	return p
}

// priors sets what may be asked of the factors of one rank.
func (p *problem[T]) priors(x *lnmu.RNMU) {
	for _, part := range []*float64{&x.ThresholdV, &x.ThresholdW, &x.SparsityV, &x.SparsityW} {
		if p.one(3) {
			*part = float64(p.n(257)) / 256
		}
	}
	for _, side := range []struct {
		smooth *float64
		shape  *[2]int
		length int
	}{{&x.SmoothV, &x.ShapeV, p.m.Rows}, {&x.SmoothW, &x.ShapeW, p.m.Cols}} {
		if !p.one(3) {
			continue
		}
		height := 1 + p.n(4)
		if side.length%height != 0 {
			height = 1
		}
		*side.smooth, *side.shape = math.Ldexp(1, p.n(20)-12), [2]int{height, side.length / height}
		x.SmoothNorm = []lnmu.Choice{lnmu.L1, lnmu.L2}[p.n(2)]
	}
}

// hide makes entries of M missing, or gives all of them weights, if what the problem
// asks for can be had so. Every row and column keeps an entry that counts. What is
// missing may be anything.
func (p *problem[T]) hide() {
	observed, weights := lnmu.NewMask(p.m.Rows, p.m.Cols), lnmu.NewDense[float64](p.m.Rows, p.m.Cols, nil)
	share, kinds, m := p.n(256), 1+p.n(4), p.m
	m.Data = slices.Clone(m.Data)
	for i := range m.Rows {
		for j := range m.Cols {
			kept := i%m.Cols == j || j%m.Rows == i
			if seen := kept || p.n(256) >= share; !seen {
				observed.Set(i, j, false)
				m.Row(i)[j] = []T{T(math.NaN()), -1, 0, T(math.Inf(1))}[p.n(4)]
			}
			weights.Row(i)[j] = float64(p.n(kinds))
			if kept {
				weights.Row(i)[j]++
			}
		}
	}
	settings := p.settings
	settings.MissingSolver = []lnmu.Choice{"", lnmu.MissingMajorize, lnmu.MissingExact}[p.n(3)]
	weighted := p.one(2)
	if weighted {
		p.seen.Weights = weights
	}
	if !weighted || p.one(2) {
		p.seen.Mask = observed
	}
	if _, _, err := lnmu.Check(p.of(m), p.rank, p.method, &settings); err != nil {
		p.seen = lnmu.Observed[T]{}
		return
	}
	p.settings = settings
	if p.seen.Mask != nil {
		p.m, p.observed = m, observed
	}
	if weighted {
		p.weights = weights
	}
}

// hideZeros makes what m, which is M, does not store missing, if what the problem asks
// for can be had so.
func (p *problem[T]) hideZeros(m lnmu.CSR[T]) {
	settings := p.settings
	settings.Iterations, settings.Restarts = 1, 1
	p.seen.StoredOnly = true
	if _, err := lnmu.Factor(context.Background(), p.of(m), p.rank, p.method, &settings); err != nil {
		p.seen.StoredOnly = false
		return // by the method, by a row without entries, or by a matrix that is bad anyway
	}
	p.observed = lnmu.NewMask(m.Rows, m.Cols)
	for i := range m.Rows {
		for j := range m.Cols {
			p.observed.Set(i, j, slices.Contains(m.Idx[m.Ptr[i]:m.Ptr[i+1]], int32(j)))
		}
	}
}
