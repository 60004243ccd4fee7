package kernel

// What these kernels compute has no entry of M, or of the state, where none is
// observed: whatever stands there, NaN and infinity too, changes no bit of a result.
// The product X = V W takes its place, which Product forms a block of rows at a time
// while it stays in cache; where all entries are observed the results are those of the
// kernels without a mask.

// Keep sets to +0 the entries of X that are not observed.
func Keep[T Float](x Matrix[T], seen Bits) {
	writes("X", x, x.Rows, x.Cols)
	readsBits("Seen", seen, x.Rows, x.Cols)
	if x.Rows == 0 || x.Cols == 0 {
		return
	}
	if !keepTiled(x, seen) {
		keepGeneric(x, seen)
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
	if n.Rows == 0 || n.Cols == 0 {
		return
	}
	if !imputeTiled(n, m, seen) {
		imputeGeneric(n, m, seen)
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
	if n.Rows == 0 || n.Cols == 0 {
		return
	}
	if !imputeWeightedTiled(n, m, weight) {
		imputeWeightedGeneric(n, m, weight)
	}
}

// UpdateMultiplierMasked is UpdateMultiplier for the observed entries, and sets the others of N
// to those of P. N, M and P are of one shape; none may overlap another.
func UpdateMultiplierMasked[T Float](n, m, p Matrix[T], seen Bits, mu T) {
	writes("N", n, n.Rows, n.Cols)
	reads("M", m, n.Rows, n.Cols)
	reads("P", p, n.Rows, n.Cols)
	readsBits("Seen", seen, n.Rows, n.Cols)
	if n.Rows == 0 || n.Cols == 0 {
		return
	}
	if !updateMaskedTiled(n, m, p, seen, mu) {
		updateMaskedGeneric(n, m, p, seen, mu)
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
	if g.Rows == 0 || g.Cols == 0 {
		return
	}
	if !updateAugmentedMaskedTiled(g, n, m, seen, rho) {
		updateAugmentedMaskedGeneric(g, n, m, seen, rho)
	}
}

// TargetMasked is Target for the observed entries. The others of N, which the caller has set to
// V W, stay. N, G and M are of one shape; N may overlap neither of the others.
func TargetMasked[T Float](n, g, m Matrix[T], seen Bits, a, b T) {
	writes("N", n, n.Rows, n.Cols)
	reads("G", g, n.Rows, n.Cols)
	reads("M", m, n.Rows, n.Cols)
	readsBits("Seen", seen, n.Rows, n.Cols)
	if n.Rows == 0 || n.Cols == 0 {
		return
	}
	if !targetMaskedTiled(n, g, m, seen, a, b) {
		targetMaskedGeneric(n, g, m, seen, a, b)
	}
}

// RankOneMasked is RankOne on the observed entries alone, of which it finds the best v:
// with o_ij = 1 where entry (i, j) is observed, else 0, for i = 0, 1, ...
//
//	[n_ij <- min(m_ij⁺, n_ij + µ(m_ij⁺ - v_i w_j)) where observed]   if up.When is Before
//	v_i <- max(0, Σ_j o_ij n_ij w_j) · Reciprocal(Σ_j (o_ij w_j)²)
//	[the same update of n]                                           if up.When is After
//	acc_j <- fma(v_i, o_ij n_ij, acc_j);  den_j <- fma(o_ij v_i, o_ij v_i, den_j)
//
// so that w_j = max(0, acc_j) / den_j is the best w for v. Where the reciprocal is 0, v_i
// stays as it is. Both sums over j run in 64 bytes of lanes; o n, o w and o v are +0 where
// nothing is observed. Such entries of N stay. N is p x q, v has p elements, w, acc and
// den have q. No argument may overlap another. 4pq multiply-adds.
func RankOneMasked[T Float](acc, den, v []T, n Matrix[T], w []T, seen Bits, up Multiplier[T]) {
	writesIf(up.When != Never, "N", n, len(v), len(w))
	writesLen("acc", acc, len(w))
	writesLen("den", den, len(w))
	writesLen("v", v, len(v))
	readsLen("w", w, len(w))
	readsBits("Seen", seen, len(v), len(w))
	checkWhen(up.When)
	if up.When != Never {
		reads("M", up.M, len(v), len(w))
	}
	if len(v) == 0 || len(w) == 0 {
		return
	}
	if !rankOneMaskedTiled(acc, den, v, n, w, seen, up) {
		rankOneMaskedGeneric(acc, den, v, n, w, seen, up)
	}
}

// RankOneAugmentedMasked is RankOneMasked on the target of the augmented Lagrangian, as
// RankOneAugmented is RankOne: n is the target formed of G and M, and the update is that
// of G where observed. G stays where nothing is.
func RankOneAugmentedMasked[T Float](acc, den, v []T, g Matrix[T], w []T, seen Bits, up Augmented[T]) {
	writesIf(up.When != Never, "G", g, len(v), len(w))
	reads("M", up.M, len(v), len(w))
	writesLen("acc", acc, len(w))
	writesLen("den", den, len(w))
	writesLen("v", v, len(v))
	readsLen("w", w, len(w))
	readsBits("Seen", seen, len(v), len(w))
	checkWhen(up.When)
	checkPenalty(up.Rho)
	if len(v) == 0 || len(w) == 0 {
		return
	}
	if !rankOneAugmentedMaskedTiled(acc, den, v, g, w, seen, up) {
		rankOneAugmentedMaskedGeneric(acc, den, v, g, w, seen, up)
	}
}
