//go:build !purego && (amd64 || arm64)

package kernel

import "unsafe"

// updateAugmentedTiled has G in the place of n, and N, which is P before, in that of p.
func updateAugmentedTiled[T Float](g, n, m Matrix[T], rho T) bool {
	take, part := Augmented[T]{Rho: rho}.weights()
	return updateBy(augmentedUpdate, g, m, n, take, part)
}

// targetTiled has N in the place of n, and G in that of p.
func targetTiled[T Float](n, g, m Matrix[T], a, b T) bool {
	return updateBy(augmentedTarget, n, m, g, a, b)
}

func rankOneAugmentedTiled[T Float](acc, v []T, g Matrix[T], w []T, inv, vv T, up Augmented[T]) (T, bool) {
	take, part := up.weights()
	var lanes rankOneLanes
	r := rankOne{lanes: unsafe.Pointer(&lanes), inv: bits(inv), vv: bits(vv), mu: bits(take), augmented: true}
	for i := range r.part {
		r.part[i] = bits(part)
		if sizeOf[T]() == 4 {
			r.part[i] |= r.part[i] << 32
		}
	}
	ok := rankOnePass(&r, acc, v, g, up.M, w, up.When)
	return fromBits[T](r.vv), ok
}
