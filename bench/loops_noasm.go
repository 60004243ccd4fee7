//go:build purego || !(amd64 || arm64)

package bench

// assemblyLoops is empty: there are no assembly loops in this build.
var assemblyLoops []loops
