package kernel

// The kernels of the Kullback-Leibler divergence of M from X = V W,
//
//	Σ m log(m/x) - m + x
//
// Its gradient and value need the ratio of M to X. A Newton step for one entry of a factor needs
// the derivatives of Σ m log x.

// Ratio sets X to the ratio of M to it: x[j] <- m[j] / max(x[j], least). max is least if x[j]
// is NaN. x and m are of one length and must not overlap.
func Ratio[T Float](x, m []T, least T) {
	writesLen("x", x, len(x))
	readsLen("m", m, len(x))
	if len(x) > 0 && !ratioTiled(x, m, least) {
		ratioGeneric(x, m, least)
	}
}

// DotLog returns Σ m[j] log r[j] over the j with r[j] > 0, in 64 bytes of lanes. The logarithm
// is wrong by at most one unit in the last place; the logarithm of infinity is that of the
// power of two above the largest number. If r[j] > 0 is false, m[j] is ignored. m and r are of
// one length.
func DotLog[T Float](m, r []T) T {
	readsLen("m", m, len(r))
	readsLen("r", r, len(r))
	if s, ok := dotLogTiled(m, r); ok {
		return s
	}
	return dotLogGeneric(m, r)
}

// LogDerivatives moves X by a step along last, x[j] <- x[j] + step last[j], and returns the first
// derivative Σ m[j] t[j] and the second derivative Σ m[j] t[j]², with its sign changed, of
// Σ m[j] log x[j] along g. Here t[j] = g[j]/max(x[j], least), where max is least if x[j] is NaN.
// The sums are over the j with m[j] > 0. Each has 64 bytes of lanes. The product m[j] t[j] is
// rounded before both. All vectors are of one length. x must not overlap the others.
func LogDerivatives[T Float](x, last []T, step T, m, g []T, least T) (first, second T) {
	writesLen("x", x, len(x))
	readsLen("last", last, len(x))
	readsLen("m", m, len(x))
	readsLen("g", g, len(x))
	if first, second, ok := logDerivativesTiled(x, last, step, m, g, least); ok {
		return first, second
	}
	return logDerivativesGeneric(x, last, step, m, g, least)
}
