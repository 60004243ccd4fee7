package kernel

import "unsafe"

func keepTiled[T Float](x Matrix[T], seen Bits) bool {
	return updateBy(bodiesOf[T](active()).keep, x, x, x, seen, 0, 0)
}

func imputeTiled[T Float](n, m Matrix[T], seen Bits) bool {
	return updateBy(bodiesOf[T](active()).impute, n, m, m, seen, 0, 0)
}

func imputeWeightedTiled[T Float](n, m, weight Matrix[T]) bool {
	return updateBy(bodiesOf[T](active()).weigh, n, m, weight, Bits{}, 1, 0)
}

func updateMaskedTiled[T Float](n, m, p Matrix[T], seen Bits, mu T) bool {
	return updateBy(bodiesOf[T](active()).maskedUpdate, n, m, p, seen, mu, 0)
}

func updateAugmentedMaskedTiled[T Float](g, n, m Matrix[T], seen Bits, rho T) bool {
	take, part := Augmented[T]{Rho: rho}.weights()
	return updateBy(bodiesOf[T](active()).maskedAugment, g, m, n, seen, take, part)
}

func targetMaskedTiled[T Float](n, g, m Matrix[T], seen Bits, a, b T) bool {
	return updateBy(bodiesOf[T](active()).maskedTarget, n, m, g, seen, a, b)
}

func rankOneMaskedTiled[T Float](acc, den, v []T, n Matrix[T], w []T, seen Bits, up Multiplier[T]) bool {
	var lanes rankOneLanes
	r := rankOne{lanes: unsafe.Pointer(&lanes), inv: bits(T(1)), mu: bits(up.Mu)}
	if up.When == Never {
		up.M = n // which is not read, but fetched
	}
	t := active()
	return rankOnePass(t, bodiesOf[T](t).maskedRankOne, &r, acc, den, v, n, up.M, w, seen, up.When)
}

func rankOneAugmentedMaskedTiled[T Float](acc, den, v []T, g Matrix[T], w []T, seen Bits, up Augmented[T]) bool {
	var lanes rankOneLanes
	r := rankOneOfTarget(up)
	r.lanes, r.inv = unsafe.Pointer(&lanes), bits(T(1))
	t := active()
	return rankOnePass(t, bodiesOf[T](t).maskedAugRank, &r, acc, den, v, g, up.M, w, seen, up.When)
}
