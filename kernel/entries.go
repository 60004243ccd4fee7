package kernel

import "unsafe"

// Add adds X to C, entry by entry. They are of one shape and must not overlap.
func Add[T Float](c, x Matrix[T]) {
	writes("C", c, c.Rows, c.Cols)
	reads("X", x, c.Rows, c.Cols)
	if !updateBy(bodiesOf[T](active()).add, &c, &x, &x, &Bits{}, 0, 0) {
		addGeneric(c, x)
	}
}

func addGeneric[T Float](c, x Matrix[T]) {
	for i := range c.Rows {
		row := c.Row(i)
		for j, a := range x.Row(i) {
			row[j] += a
		}
	}
}

// Extrapolate adds β times its last step, X - Before, to X, sets negative entries to zero, and
// stores the previous X in Before:
//
//	d = x - before;  before <- x;  x <- max(0, fma(β, d, x))
//
// It returns Σ d², in 64 bytes of lanes that take the rows one after the other; with
// β = 0 it measures the step, and a nonnegative X stays as it is. The matrices are of
// one shape and must not overlap.
func Extrapolate[T Float](x, before Matrix[T], beta T) (squares T) {
	writes("X", x, x.Rows, x.Cols)
	writes("Before", before, x.Rows, x.Cols)
	if x.Rows == 0 || x.Cols == 0 {
		return 0
	}
	return extrapolateTiled(x, before, beta)
}

func extrapolateGeneric[T Float](x, before Matrix[T], beta T) T {
	var lane [contractionBytes / 4]T
	n := contractionBytes / int(unsafe.Sizeof(beta))
	for i := range x.Rows {
		from := before.Row(i)
		row := x.Row(i)
		for j, a := range row {
			d := a - from[j]
			from[j] = a
			lane[j%n] = fma(d, d, lane[j%n])
			row[j] = 0
			if t := fma(beta, d, a); t > 0 {
				row[j] = t
			}
		}
	}
	return fold(lane[:n])
}

// UpdateMultiplier is the projected update Λ <- max(0, Λ - µ(M - VW)) of
// Algorithm L-NMU in terms of N = M - Λ, given P = VW:
//
//	m⁺ = max(m, 0);  n <- min(m⁺, fma(µ, m⁺ - p, n))
//
// A negative m stands for a residual entry that an earlier factor overshot;
// it counts as zero. N, M and P are of one shape; none may overlap another.
func UpdateMultiplier[T Float](n, m, p Matrix[T], mu T) {
	writes("N", n, n.Rows, n.Cols)
	reads("M", m, n.Rows, n.Cols)
	reads("P", p, n.Rows, n.Cols)
	if !updateBy(bodiesOf[T](active()).update, &n, &m, &p, &Bits{}, mu, 0) {
		updateGeneric(n, m, p, mu)
	}
}

func updateGeneric[T Float](n, m, p Matrix[T], mu T) {
	for i := range n.Rows {
		nr, mr, pr := n.Row(i), m.Row(i), p.Row(i)
		for j := range nr {
			nr[j] = step(nr[j], mr[j], pr[j], mu)
		}
	}
}

// The augmented Lagrangian of an underapproximation splits off the slack
// S = M - V W >= 0 and keeps scaled multipliers G for that equation, with a penalty
// ρ > 0. S need not be kept: after an update it is ρ max(0, G). With p = (V W)_ij and
// m⁺ = max(m, 0), an update is
//
//	y = g + (m⁺ - p);  g <- fma(1/(1+ρ), max(y, 0), min(y, 0))
//
// and the HALS steps approximate the target N = M - S + G, that is
//
//	n = min(m⁺ + g, fma(1-ρ, g, m⁺))
//
// A negative m counts as zero, as in UpdateMultiplier. max and min with 0 are +0 for
// NaN. ρ must be positive and finite: the kernels panic otherwise.

// UpdateAugmented updates the multipliers G of the augmented Lagrangian, given P = V W in N,
// and overwrites N by the target of the next HALS steps. G, N and M are of one shape; none may
// overlap another.
func UpdateAugmented[T Float](g, n, m Matrix[T], rho T) {
	writes("G", g, g.Rows, g.Cols)
	writes("N", n, g.Rows, g.Cols)
	reads("M", m, g.Rows, g.Cols)
	checkPenalty(rho)
	take, part := Augmented[T]{Rho: rho}.weights()
	if !updateBy(bodiesOf[T](active()).augment, &g, &m, &n, &Bits{}, take, part) {
		updateAugmentedGeneric(g, n, m, Bits{}, take, part)
	}
}

// updateAugmentedGeneric takes all entries for observed without a mask. The others have specifications of their own for
// masks, since their loops took 10 to 20 % longer with one more branch.
func updateAugmentedGeneric[T Float](g, n, m Matrix[T], seen Bits, take, part T) {
	for i := range g.Rows {
		gr, nr, mr := g.Row(i), n.Row(i), m.Row(i)
		for j := range gr {
			if seen.Data == nil || seen.At(i, j) {
				mj := positive(mr[j])
				gr[j] = augment(gr[j], mj, nr[j], take)
				nr[j] = target(gr[j], mj, 1, part)
			}
		}
	}
}

// Target sets N = M + min(a G, b G), entry by entry, with m⁺ = max(m, 0) for m:
//
//	s = fma(a, g, m⁺);  t = fma(b, g, m⁺);  n = t if t < s, else s
//
// With a = 1 and b = 1-ρ that is the target of the HALS steps, with a = 0 and
// b = -ρ it is M - S, the part of M that V W has to reach. N, G and M are of one
// shape; N may overlap neither of the others.
func Target[T Float](n, g, m Matrix[T], a, b T) {
	writes("N", n, n.Rows, n.Cols)
	reads("G", g, n.Rows, n.Cols)
	reads("M", m, n.Rows, n.Cols)
	if !updateBy(bodiesOf[T](active()).target, &n, &m, &g, &Bits{}, a, b) {
		targetGeneric(n, g, m, a, b)
	}
}

func targetGeneric[T Float](n, g, m Matrix[T], a, b T) {
	for i := range n.Rows {
		nr, gr, mr := n.Row(i), g.Row(i), m.Row(i)
		for j := range nr {
			nr[j] = target(gr[j], positive(mr[j]), a, b)
		}
	}
}

// What these kernels compute has no entry of M, or of the state, where none is
// observed: whatever stands there, NaN and infinity too, changes no bit of a result.
// The product X = V W takes its place, which Product forms a block of rows at a time
// while it stays in cache; where all entries are observed the results are those of the
// kernels without a mask.

// Keep sets to +0 the entries of X that are not observed.
func Keep[T Float](x Matrix[T], seen Bits) {
	writes("X", x, x.Rows, x.Cols)
	readsBits("Seen", seen, x.Rows, x.Cols)
	if !updateBy(bodiesOf[T](active()).keep, &x, &x, &x, &seen, 0, 0) {
		keepGeneric(x, seen)
	}
}

func keepGeneric[T Float](x Matrix[T], seen Bits) {
	for i := range x.Rows {
		row := x.Row(i)
		for j := range row {
			if !seen.At(i, j) {
				row[j] = 0
			}
		}
	}
}

// Impute completes M by V W: it overwrites the observed entries of N, which holds V W:
//
//	n <- m where it is observed; else n stays
//
// N and M are of one shape and must not overlap.
func Impute[T Float](n, m Matrix[T], seen Bits) {
	writes("N", n, n.Rows, n.Cols)
	reads("M", m, n.Rows, n.Cols)
	readsBits("Seen", seen, n.Rows, n.Cols)
	if !updateBy(bodiesOf[T](active()).impute, &n, &m, &m, &seen, 0, 0) {
		imputeGeneric(n, m, seen)
	}
}

func imputeGeneric[T Float](n, m Matrix[T], seen Bits) {
	for i := range n.Rows {
		nr, mr := n.Row(i), m.Row(i)
		for j := range nr {
			if seen.At(i, j) {
				nr[j] = mr[j]
			}
		}
	}
}

// ImputeWeighted moves N, which holds X = V W, towards M by a weight for each entry:
//
//	n <- fma(ω, m, (1-ω) n) where ω > 0; else n stays
//
// With ω = 1 that is m, +0 for -0. The HALS steps on N then decrease Σ ω (m - x)², if
// no weight is above 1. N, M and Weight are of one shape; N may overlap neither of the
// others.
func ImputeWeighted[T Float](n, m, weight Matrix[T]) {
	writes("N", n, n.Rows, n.Cols)
	reads("M", m, n.Rows, n.Cols)
	reads("Weight", weight, n.Rows, n.Cols)
	if !updateBy(bodiesOf[T](active()).weigh, &n, &m, &weight, &Bits{}, 1, 0) {
		imputeWeightedGeneric(n, m, weight)
	}
}

func imputeWeightedGeneric[T Float](n, m, weight Matrix[T]) {
	for i := range n.Rows {
		nr, mr, wr := n.Row(i), m.Row(i), weight.Row(i)
		for j, w := range wr {
			if w > 0 {
				nr[j] = fma(w, mr[j], T((1-w)*nr[j]))
			}
		}
	}
}

// UpdateMultiplierMasked is UpdateMultiplier for the observed entries, and sets the others of N
// to those of P. N, M and P are of one shape; none may overlap another.
func UpdateMultiplierMasked[T Float](n, m, p Matrix[T], seen Bits, mu T) {
	writes("N", n, n.Rows, n.Cols)
	reads("M", m, n.Rows, n.Cols)
	reads("P", p, n.Rows, n.Cols)
	readsBits("Seen", seen, n.Rows, n.Cols)
	if !updateBy(bodiesOf[T](active()).maskedUpdate, &n, &m, &p, &seen, mu, 0) {
		updateMaskedGeneric(n, m, p, seen, mu)
	}
}

func updateMaskedGeneric[T Float](n, m, p Matrix[T], seen Bits, mu T) {
	for i := range n.Rows {
		nr, mr, pr := n.Row(i), m.Row(i), p.Row(i)
		for j := range nr {
			if seen.At(i, j) {
				nr[j] = step(nr[j], mr[j], pr[j], mu)
			} else {
				nr[j] = pr[j]
			}
		}
	}
}

// UpdateAugmentedMasked is UpdateAugmented for the observed entries. The others of N stay P = V
// W, and those of G stay. G, N and M are of one shape; none may overlap another.
func UpdateAugmentedMasked[T Float](g, n, m Matrix[T], seen Bits, rho T) {
	writes("G", g, g.Rows, g.Cols)
	writes("N", n, g.Rows, g.Cols)
	reads("M", m, g.Rows, g.Cols)
	readsBits("Seen", seen, g.Rows, g.Cols)
	checkPenalty(rho)
	take, part := Augmented[T]{Rho: rho}.weights()
	if !updateBy(bodiesOf[T](active()).maskedAugment, &g, &m, &n, &seen, take, part) {
		updateAugmentedGeneric(g, n, m, seen, take, part)
	}
}

// TargetMasked is Target for the observed entries. The others of N, which the caller has set to
// V W, stay. N, G and M are of one shape; N may overlap neither of the others.
func TargetMasked[T Float](n, g, m Matrix[T], seen Bits, a, b T) {
	writes("N", n, n.Rows, n.Cols)
	reads("G", g, n.Rows, n.Cols)
	reads("M", m, n.Rows, n.Cols)
	readsBits("Seen", seen, n.Rows, n.Cols)
	if !updateBy(bodiesOf[T](active()).maskedTarget, &n, &m, &g, &seen, a, b) {
		targetMaskedGeneric(n, g, m, seen, a, b)
	}
}

func targetMaskedGeneric[T Float](n, g, m Matrix[T], seen Bits, a, b T) {
	for i := range n.Rows {
		nr, gr, mr := n.Row(i), g.Row(i), m.Row(i)
		for j := range nr {
			if seen.At(i, j) {
				nr[j] = target(gr[j], positive(mr[j]), a, b)
			}
		}
	}
}
