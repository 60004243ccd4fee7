// Package instance calls generic functions by their instances for either type of element. A caller
// of a generic function compiles it, with all that it calls. A caller of an instance does not.
package instance

import "unsafe"

// Of returns f32 or f64, the instance for T. The package that declares the function keeps its
// instances in variables, and compiles them once. The size of T is a constant for the compiler, so
// that a program has the instances of the types that it uses alone.
func Of[T float32 | float64, F any](f32, f64 any) F {
	if unsafe.Sizeof(T(0)) == 4 {
		return f32.(F)
	}
	return f64.(F)
}
