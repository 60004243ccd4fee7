package core

// Instance returns f32 or f64, whichever is an F. Functions that call their instances in this way
// are compiled in the package that declares the instances, rather than in every caller's.
func Instance[F any](f32, f64 any) F {
	if f, ok := f32.(F); ok {
		return f
	}
	return f64.(F)
}
