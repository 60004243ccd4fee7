package kernel

import "unsafe"

// updateAugmentedTiled has G in the place of n, and N, which is P before, in that of p.
func updateAugmentedTiled[T Float](g, n, m Matrix[T], rho T) bool {
	take, part := Augmented[T]{Rho: rho}.weights()
	return updateBy(bodiesOf[T](active()).augment, g, m, n, Bits{}, take, part)
}

// targetTiled has N in the place of n, and G in that of p.
func targetTiled[T Float](n, g, m Matrix[T], a, b T) bool {
	return updateBy(bodiesOf[T](active()).target, n, m, g, Bits{}, a, b)
}

func rankOneAugmentedTiled[T Float](acc, v []T, g Matrix[T], w []T, inv, vv T, up Augmented[T]) (T, bool) {
	var lanes rankOneLanes
	r := rankOneOfTarget(up)
	r.lanes, r.inv, r.vv = unsafe.Pointer(&lanes), bits(inv), bits(vv)
	t := active()
	ok := rankOnePass(t, bodiesOf[T](t).augRankOne, &r, acc, nil, v, g, up.M, w, Bits{}, up.When)
	return fromBits[T](r.vv), ok
}

// rankOneOfTarget returns a pass on the target, with the penalties of up.
func rankOneOfTarget[T Float](up Augmented[T]) rankOne {
	take, part := up.weights()
	r := rankOne{mu: bits(take)}
	for i := range r.part {
		r.part[i] = bits(part)
		if sizeOf[T]() == 4 {
			r.part[i] |= r.part[i] << 32
		}
	}
	return r
}
