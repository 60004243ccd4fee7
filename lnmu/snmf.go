package lnmu

import (
	"cmp"
	"math"
	"math/rand/v2"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/state"
)

// SNMF is NMF with l1 penalties on V and W (section 4.1): either fixed ones, or ones
// that are adapted towards given parts of zeros. See the comment below for what they
// determine.
type SNMF struct {
	// PenaltyV and PenaltyW are the penalties µ_V and µ_W, both positive. Instead of
	// them, SparsityV and SparsityW are the targets s(V) and s(W), up to 1, towards
	// which the penalties are adapted (section 4.4); a factor whose target is 0 gets
	// the other one's penalty.
	PenaltyV, PenaltyW   float64
	SparsityV, SparsityW float64

	// Solver and Sweeps are those of NMF. SolverAccelerated is for fixed penalties, and
	// their default where it is that of NMF.
	Solver Solver
	Sweeps int
}

// Describe implements Method.
func (m SNMF) Describe() Description {
	return Description{
		Name:       "snmf",
		Title:      "nonnegative matrix factorization with l1 penalties",
		Problem:    "NMF with l1 penalties on V and W, by HALS: fixed ones (`--penalty-v`, `--penalty-w`), or adapted towards given parts of zeros (`--sparsity-v`, `--sparsity-w`)",
		Factors:    "about as sparse as asked for",
		Iterations: 600,
		Partial:    true,
		Options: func() (Method, []Option) {
			m := m
			return &m, append([]Option{
				{"penalty-v", "fixed l1 penalty `X` on V", number{&m.PenaltyV, math.Inf(1)}},
				{"penalty-w", "fixed l1 penalty `X` on W", number{&m.PenaltyW, math.Inf(1)}},
				{"sparsity-v", "adapt the penalties until a fraction `S` of V is zero", number{&m.SparsityV, 1}},
				{"sparsity-w", "adapt the penalties until a fraction `S` of W is zero", number{&m.SparsityW, 1}},
			}, solverOptions(&m.Solver, &m.Sweeps)...)
		},
	}
}

func (m SNMF) prepare(rank int) (resolved, error) {
	for _, x := range []fraction{
		{"penalty of V", m.PenaltyV, math.Inf(1)}, {"penalty of W", m.PenaltyW, math.Inf(1)},
		{"target sparsity of V", m.SparsityV, 1}, {"target sparsity of W", m.SparsityW, 1},
	} {
		if err := x.check(); err != nil {
			return resolved{}, err
		}
	}
	fixed, targets := m.PenaltyV > 0 || m.PenaltyW > 0, m.SparsityV > 0 || m.SparsityW > 0
	switch {
	case fixed && targets:
		return resolved{}, core.Bad("both penalties and target sparsities; choose one of them")
	case fixed && (m.PenaltyV == 0 || m.PenaltyW == 0):
		return resolved{}, core.Bad("a penalty on one factor alone is no bound, as the other one can grow instead; set both")
	case !fixed && !targets:
		return resolved{}, core.Bad("method snmf needs penalties or target sparsities")
	}
	if err := checkSolver(&m.Solver, m.Sweeps); err != nil {
		return resolved{}, err
	}
	if targets && m.Solver == SolverAccelerated {
		return resolved{}, core.Bad("solver %s with target sparsities, towards which the penalties change in each iteration; set the penalties", m.Solver)
	}
	a := accelerationOf(m.Solver, m.Sweeps)
	return resolved{method: m, block: rank, penalised: true, most: a.iterations(), acceleration: a}, nil
}

func (m SNMF) forIncomplete() Method {
	if m.SparsityV == 0 && m.SparsityW == 0 {
		m.Solver = cmp.Or(m.Solver, SolverAccelerated)
	}
	return m
}

// Problem (sNMF) of section 4.1,
//
//	min ||M - V W||² + µ_V ||V||_1 + µ_W ||W||_1   over V, W >= 0,
//
// by HALS: the closed forms (halsV) and (halsW) with half the penalty taken off
// the numerator, half because the square has the factor 2 in its derivative.
//
// # What the penalties determine
//
// The error does not change if V is multiplied by c and W by 1/c. The smallest
// penalty over all c is 2 sqrt(µ_V µ_W ||V||_1 ||W||_1), so what an optimum looks
// like depends on the product µ_V µ_W alone, and their ratio only sets its scale.
// One penalty without the other has no optimum and is refused.
//
// HALS approaches the optimal scale slowly, though. The paper's rule (section
// 4.4) lives on that: each penalty grows or shrinks by 5 % per iteration as its
// factor has too few zeros or enough, the ratio drifts, and the scale that lags
// behind makes one factor sparser than the other. This is how it meets two
// targets with one degree of freedom, and why its penalties have no limit: on
// hard targets both grow until factors vanish, and they stay away or come back
// for an iteration only.
//
// # Safeguards
//
// They leave the rule as it is as long as no factor vanishes.
//
//   - If a factor vanishes (V_:k = 0 or W_k: = 0), it is re-initialised, and each
//     penalty is reduced to 0.7 of its value. So the penalties are bounded by
//     those under which a factor vanishes. Of the values from 0.5 to 1, 0.7 came
//     nearest to the paper's results on its hard targets (swimmer and CBCL with
//     the sparsities of R-NMU); with 1, re-initialising alone, factors go on
//     vanishing.
//   - If one penalty becomes 4 times the other, both penalties and both factors
//     are multiplied by powers of two that undo it. V W keeps its bits, and the
//     drift cannot overflow.
//
// The rule counts zeros by the 0.1 % rule, which is also what is reported. It
// costs O((m+n)r) operations, beside the O(mnr) of the step.
const (
	firstPenalty = 0.1  // for data whose largest entry is 1
	penaltyStep  = 0.05 // part by which a penalty changes per iteration
	relief       = 0.7  // what is left of it when a factor vanishes
	mostSkewed   = 4    // ratio of the penalties that is undone
)

// penalties is the state of the rule.
type penalties struct {
	v, w             float64 // µ_V, µ_W
	targetV, targetW float64 // s(V), s(W); 0 for none
}

// penalised runs HALS for sNMF on s, whose n and factors are set.
func (a *worker[T]) penalised(s *solver[T], report func(k int)) trace {
	m := a.method.(SNMF)
	adaptive := m.PenaltyV == 0
	p := penalties{v: m.PenaltyV, w: m.PenaltyW, targetV: m.SparsityV, targetW: m.SparsityW}
	if adaptive {
		most := s.largest()
		p.v = firstPenalty * float64(most*math.Sqrt(most)) // M -> c² M scales V and W by c, the objective by c⁴
		p.w = p.v
	}
	if a.acceleration.on {
		s.penalise(p.v, p.w)
		tr := a.accelerate(s.accelerate(a.acceleration, a.cancelled), matrix.Epsilon[T](), a.errorOf(s), report)
		s.clearLost()
		return tr
	}
	source := rand.NewPCG(a.seed(), 1)
	rng := rand.New(source)
	revived := 0
	s.begin()
	state := func() []state.Field {
		return append(append(s.state(), p.state()...), state.Named("generator", source), state.Named("revived", &revived))
	}
	tr := a.iterate(a.errorOf(s), report, state, func(k int) Stop {
		s.Round()
		s.penalise(p.v, p.w)
		s.step()
		if adaptive && k < a.Iterations {
			if lost := s.revive(rng); lost > 0 {
				revived += lost
				p.relieve()
			} else {
				p.adapt(zeros(s.factorV()), zeros(s.factorW()))
			}
			s.unskew(&p)
		}
		return ""
	})
	tr.revived = revived
	s.clearLost()
	return tr
}

// penalise sets the penalties of the next step.
func (s *solver[T]) penalise(v, w float64) {
	if !s.tall {
		v, w = w, v
	}
	s.penaltyLong, s.penaltyShort = T(v/2), T(w/2)
}

// largest returns the largest entry of M.
func (s *solver[T]) largest() float64 {
	var most T
	for i := range s.rows {
		most = max(most, kernel.Max(s.m.Row(i)))
	}
	return float64(most)
}

// adapt is the paper's rule: more penalty while there are fewer zeros than
// wanted, less otherwise. Without a target of its own a factor gets the penalty
// of the other one.
func (p *penalties) adapt(sparseV, sparseW float64) {
	next := func(penalty, sparsity, target float64) float64 {
		if sparsity < target {
			return penalty * (1 + penaltyStep)
		}
		return penalty * (1 - penaltyStep)
	}
	p.v, p.w = next(p.v, sparseV, p.targetV), next(p.w, sparseW, p.targetW)
	switch {
	case p.targetV == 0:
		p.v = p.w
	case p.targetW == 0:
		p.w = p.v
	}
}

// relieve reduces the penalties after a factor has vanished.
func (p *penalties) relieve() {
	p.v *= relief
	p.w *= relief
}

// unskew brings the penalties together, and the factors with them, by powers of
// two: the products V W, and what the next steps do, stay the same bit for bit.
func (s *solver[T]) unskew(p *penalties) {
	c := 1.0 // of V
	switch {
	case p.v >= mostSkewed*p.w:
		c = 2
	case p.w >= mostSkewed*p.v:
		c = 0.5
	default:
		return
	}
	p.v /= c
	p.w *= c
	s.shift(c)
}

// shift multiplies V by a power of two and W by its reciprocal, with all that was formed
// of them.
func (s *solver[T]) shift(c float64) {
	h, g := T(c), T(1/c)
	if !s.tall {
		h, g = g, h
	}
	for _, x := range []struct {
		data []T
		by   T
	}{
		{s.long.Data, h}, {s.short.Data, g}, {s.c.Data, h},
		{s.d.Data, h * h}, {s.invD, 1 / (h * h)}, {s.b.Data, g * g}, {s.invB, 1 / (g * g)},
	} {
		for i := range x.data {
			x.data[i] *= x.by
		}
	}
}

// revive re-initialises every factor of which one side has vanished, and returns
// their number: both sides become uniform random vectors, as at the start, as
// large as the others of their matrix are on average.
func (s *solver[T]) revive(rng *rand.Rand) int {
	v, w := s.factorV(), s.factorW()
	var lost []int
	for k := range s.rank {
		if !(kernel.Max(v.Row(k)) > 0 && kernel.Max(w.Row(k)) > 0) {
			lost = append(lost, k)
		}
	}
	if lost == nil {
		return 0
	}
	for _, x := range []kernel.Matrix[T]{v, w} {
		var squares float64
		for k := range s.rank {
			squares += float64(kernel.SumSquares(x.Row(k)))
		}
		most := math.Sqrt(3 * squares / float64(s.rank) / float64(x.Cols)) // of a uniform variable whose mean square this is
		for _, k := range lost {
			for j := range x.Row(k) {
				x.Row(k)[j] = T(most * rng.Float64())
			}
		}
	}
	s.begin()
	return len(lost)
}

// clearLost zeroes what is left of a factor whose other side has vanished: it
// adds nothing to V W but to the penalty.
func (s *solver[T]) clearLost() {
	for k := range s.rank {
		if h, g := s.long.Row(k), s.short.Row(k); !(kernel.Max(h) > 0 && kernel.Max(g) > 0) {
			clear(h)
			clear(g)
		}
	}
}

// zeros returns the proportion s(·) of entries of x that are negligible in their
// row.
func zeros[T Float](x kernel.Matrix[T]) float64 {
	count := 0
	for k := range x.Rows {
		row := x.Row(k)
		if most := kernel.Max(row); most > 0 {
			count += kernel.CountLess(row, T(Negligible)*most)
		} else {
			count += len(row)
		}
	}
	return float64(count) / (float64(x.Rows) * float64(x.Cols))
}
