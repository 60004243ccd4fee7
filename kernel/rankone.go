package kernel

import (
	"fmt"
	"math"
	"unsafe"
)

// When says at which point of a rank-one pass the multipliers are updated.
type When uint8

const (
	Never  When = iota
	Before      // with the v of the previous pass, before v is renewed
	After       // with the new v, before it is accumulated
)

// Multiplier describes the multiplier update that RankOne includes: that of UpdateMultiplier
// with P = v w.
type Multiplier[T Float] struct {
	When When
	M    Matrix[T] // shape of N; unused if When is Never
	Mu   T
}

// RankOne is one rank-one HALS step over a block of rows of N. For i = 0, 1, ...
//
//	[n_i <- min(m_i⁺, n_i + µ(m_i⁺ - v_i w))]   if up.When is Before
//	v_i <- max(0, n_i·w) · inv
//	[n_i <- min(m_i⁺, n_i + µ(m_i⁺ - v_i w))]   if up.When is After
//	acc <- fma(v_i, n_i, acc);  vv <- fma(v_i, v_i, vv)
//
// and it returns vv. N is p x q, v has p elements, w and acc have q, inv is
// Reciprocal(w·w); where inv = 0, v stays as it is. The bits are those of
// Contract, Sweep, UpdateMultiplierProduct and Accumulate with r = 1, in one
// pass over N. No argument may overlap another.
func RankOne[T Float](acc, v []T, n Matrix[T], w []T, inv, vv T, up Multiplier[T]) T {
	checkPass("N", n, acc, v, w, up.When)
	var lanes rankOneLanes
	r := rankOne{lanes: unsafe.Pointer(&lanes), inv: bits(inv), vv: bits(vv), mu: bits(up.Mu)}
	if up.When != Never {
		reads("M", up.M, len(v), len(w))
	} else {
		up.M = Matrix[T]{}
	}
	if !rankOnePass(bodiesOf[T](active()).rankOne, &r, acc, nil, v, n, up.M, w, Bits{}, up.When) {
		return rankOneGeneric(acc, v, n, w, inv, vv, up)
	}
	return fromBits[T](r.vv)
}

func rankOneGeneric[T Float](acc, v []T, n Matrix[T], w []T, inv, vv T, up Multiplier[T]) T {
	for i := range v {
		row := n.Row(i)
		if up.When == Before {
			stepRow(row, up.M.Row(i), v[i], w, up.Mu)
		}
		if inv != 0 {
			v[i] = project(laneDot(row, w, contractionBytes), inv)
		}
		if up.When == After {
			stepRow(row, up.M.Row(i), v[i], w, up.Mu)
		}
		for j, x := range row {
			acc[j] = fma(v[i], x, acc[j])
		}
		vv = fma(v[i], v[i], vv)
	}
	return vv
}

func stepRow[T Float](n, m []T, v T, w []T, mu T) {
	for j := range n {
		n[j] = step(n[j], m[j], T(v*w[j]), mu)
	}
}

// Augmented describes the multiplier update that RankOneAugmented includes.
type Augmented[T Float] struct {
	When When
	M    Matrix[T] // shape of G
	Rho  T
}

// RankOneAugmented is RankOne on the target N of the augmented Lagrangian, which is
// formed on the way and never stored. For i = 0, 1, ...
//
//	[g_i <- the update with P = v w]   if up.When is Before
//	v_i <- max(0, n_i·w) · inv         with n_i of g_i
//	[g_i <- the update with P = v w]   if up.When is After
//	acc <- fma(v_i, n_i, acc);  vv <- fma(v_i, v_i, vv)
//
// and it returns vv. G is p x q, v has p elements, w and acc have q, inv is
// Reciprocal(w·w); where inv = 0, v stays as it is. The bits are those of Contract,
// Sweep, Product, UpdateAugmented, Target and Accumulate with r = 1, in one pass that
// reads G and M once. No argument may overlap another.
func RankOneAugmented[T Float](acc, v []T, g Matrix[T], w []T, inv, vv T, up Augmented[T]) T {
	checkPass("G", g, acc, v, w, up.When)
	reads("M", up.M, len(v), len(w))
	checkPenalty(up.Rho)
	var lanes rankOneLanes
	r := rankOneOfTarget(up)
	r.lanes, r.inv, r.vv = unsafe.Pointer(&lanes), bits(inv), bits(vv)
	if !rankOnePass(bodiesOf[T](active()).augRankOne, &r, acc, nil, v, g, up.M, w, Bits{}, up.When) {
		return rankOneAugmentedGeneric(acc, v, g, w, inv, vv, up)
	}
	return fromBits[T](r.vv)
}

func rankOneAugmentedGeneric[T Float](acc, v []T, g Matrix[T], w []T, inv, vv T, up Augmented[T]) T {
	take, part := up.weights()
	for i := range v {
		gr, mr := g.Row(i), up.M.Row(i)
		if up.When == Before {
			augmentRow(gr, mr, v[i], w, take)
		}
		if inv != 0 {
			v[i] = project(targetDot(gr, mr, w, part), inv)
		}
		if up.When == After {
			augmentRow(gr, mr, v[i], w, take)
		}
		for j, x := range gr {
			acc[j] = fma(v[i], target(x, positive(mr[j]), 1, part), acc[j])
		}
		vv = fma(v[i], v[i], vv)
	}
	return vv
}

func augmentRow[T Float](g, m []T, v T, w []T, take T) {
	for j := range g {
		g[j] = augment(g[j], positive(m[j]), T(v*w[j]), take)
	}
}

// targetDot returns n·w, as laneDot does, of the target n of a row.
func targetDot[T Float](g, m, w []T, part T) T {
	var lane [contractionBytes / 4]T
	lanes := contractionBytes / int(unsafe.Sizeof(part))
	for j := range w {
		l := j % lanes
		lane[l] = fma(target(g[j], positive(m[j]), 1, part), w[j], lane[l])
	}
	// What is missing of the last group is completed with zeros.
	for l := len(w) % lanes; l > 0 && l < lanes; l++ {
		lane[l] = fma(0, 0, lane[l])
	}
	return fold(lane[:lanes])
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
	checkPass("N", n, acc, v, w, up.When)
	writesLen("den", den, len(w))
	readsBits("Seen", seen, len(v), len(w))
	var lanes rankOneLanes
	r := rankOne{lanes: unsafe.Pointer(&lanes), inv: bits(T(1)), mu: bits(up.Mu)}
	if up.When != Never {
		reads("M", up.M, len(v), len(w))
	} else {
		up.M = n // which is not read, but fetched
	}
	if !rankOnePass(bodiesOf[T](active()).maskedRankOne, &r, acc, den, v, n, up.M, w, seen, up.When) {
		rankOneMaskedGeneric(acc, den, v, n, w, seen, up)
	}
}

func rankOneMaskedGeneric[T Float](acc, den, v []T, n Matrix[T], w []T, seen Bits, up Multiplier[T]) {
	maskedPass(acc, den, v, w, seen, up.When,
		func(i, j int) T { return n.Row(i)[j] },
		func(i, j int, p T) { n.Row(i)[j] = step(n.Row(i)[j], up.M.Row(i)[j], p, up.Mu) })
}

// RankOneAugmentedMasked is RankOneMasked on the target of the augmented Lagrangian, as
// RankOneAugmented is RankOne: n is the target formed of G and M, and the update is that
// of G where observed. G stays where nothing is.
func RankOneAugmentedMasked[T Float](acc, den, v []T, g Matrix[T], w []T, seen Bits, up Augmented[T]) {
	checkPass("G", g, acc, v, w, up.When)
	reads("M", up.M, len(v), len(w))
	writesLen("den", den, len(w))
	readsBits("Seen", seen, len(v), len(w))
	checkPenalty(up.Rho)
	var lanes rankOneLanes
	r := rankOneOfTarget(up)
	r.lanes, r.inv = unsafe.Pointer(&lanes), bits(T(1))
	if !rankOnePass(bodiesOf[T](active()).maskedAugRank, &r, acc, den, v, g, up.M, w, seen, up.When) {
		rankOneAugmentedMaskedGeneric(acc, den, v, g, w, seen, up)
	}
}

func rankOneAugmentedMaskedGeneric[T Float](acc, den, v []T, g Matrix[T], w []T, seen Bits, up Augmented[T]) {
	take, part := up.weights()
	maskedPass(acc, den, v, w, seen, up.When,
		func(i, j int) T { return target(g.Row(i)[j], positive(up.M.Row(i)[j]), 1, part) },
		func(i, j int, p T) { g.Row(i)[j] = augment(g.Row(i)[j], positive(up.M.Row(i)[j]), p, take) })
}

// maskedPass is the pass of RankOneMasked: entry is one of N, and update renews it,
// given p = v w. Neither is asked for an entry that is not observed.
func maskedPass[T Float](acc, den, v, w []T, seen Bits, when When, entry func(i, j int) T, update func(i, j int, p T)) {
	for i := range v {
		updateRow := func() {
			for j := range w {
				if seen.At(i, j) {
					update(i, j, T(v[i]*w[j]))
				}
			}
		}
		if when == Before {
			updateRow()
		}
		var products, squares [contractionBytes / 4]T
		lanes := contractionBytes / int(unsafe.Sizeof(v[i]))
		for j := range w {
			l, o, n, b := j%lanes, seen.At(i, j), T(0), T(0)
			if o {
				n, b = entry(i, j), w[j]
			}
			products[l] = fma(n, w[j], products[l])
			squares[l] = fma(b, b, squares[l])
		}
		// What is missing of the last group is completed with zeros.
		for l := len(w) % lanes; l > 0 && l < lanes; l++ {
			products[l] = fma(0, 0, products[l])
			squares[l] = fma(0, 0, squares[l])
		}
		if inv := Reciprocal(fold(squares[:lanes])); inv != 0 {
			v[i] = project(fold(products[:lanes]), inv)
		}
		if when == After {
			updateRow()
		}
		for j := range w {
			n, b := T(0), T(0)
			if seen.At(i, j) {
				n, b = entry(i, j), v[i]
			}
			acc[j] = fma(v[i], n, acc[j])
			den[j] = fma(b, b, den[j])
		}
	}
}

// checkPass checks what all rank-one passes have in common; n is N, or G, which an update writes.
func checkPass[T Float](name string, n Matrix[T], acc, v, w []T, when When) {
	check(name, n, len(v), len(w))
	raceMatrix(n, when != Never)
	writesLen("acc", acc, len(w))
	writesLen("v", v, len(v))
	readsLen("w", w, len(w))
	if when > After {
		panic(fmt.Sprintf("kernel: a multiplier update at point %d of a pass", when))
	}
}

func checkPenalty[T Float](rho T) {
	if !(rho > 0) || math.IsInf(float64(rho), 0) {
		panic(fmt.Sprintf("kernel: penalty %v of the augmented Lagrangian; it must be positive and finite", rho))
	}
}

// weights returns 1/(1+ρ), the part of a positive y that the multipliers take, and
// 1-ρ, the part of a positive multiplier in the target.
func (up Augmented[T]) weights() (take, part T) { return 1 / (1 + up.Rho), 1 - up.Rho }
