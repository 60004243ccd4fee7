// Package instance calls generic functions by their instances for either type of element. A caller
// of a generic function compiles it, with all that it calls. A caller of an instance does not.
package instance

// Of returns f32 or f64, whichever is an F. The package that declares the function keeps its
// instances in variables, and compiles them once.
func Of[F any](f32, f64 any) F {
	if f, ok := f32.(F); ok {
		return f
	}
	return f64.(F)
}
