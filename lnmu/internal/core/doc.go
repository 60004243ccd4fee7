// Package core declares the interfaces between the packages of the engine: problems for
// methods (problem.go) and storages for runs (place.go), factors. An interface has a number type
// only if it hands out numbers: algorithms do not know float32 from float64.
package core
