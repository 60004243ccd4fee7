package kernel

// The kernels of the Kullback-Leibler divergence of M from X = V W,
//
//	Σ m log(m/x) - m + x
//
// whose gradient and value need the ratio of M to X.

// Ratio sets X to the ratio of M to it: x[j] <- m[j] / max(x[j], least). max is least if x[j]
// is NaN. x and m are of one length and must not overlap.
func Ratio[T Float](x, m []T, least T) {
	checkLen("m", m, len(x))
	if len(x) > 0 && !ratioTiled(x, m, least) {
		ratioGeneric(x, m, least)
	}
}

// DotLog returns Σ m[j] log r[j] over the j with r[j] > 0, in 64 bytes of lanes. The logarithm
// is wrong by at most one unit in the last place; the logarithm of infinity is that of the
// power of two above the largest number. If r[j] > 0 is false, m[j] is ignored. m and r are of
// one length.
func DotLog[T Float](m, r []T) T {
	checkLen("m", m, len(r))
	if s, ok := dotLogTiled(m, r); ok {
		return s
	}
	return dotLogGeneric(m, r)
}
