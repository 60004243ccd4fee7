//go:build purego || !(amd64 || arm64)

package machine

// assemblyLoops is empty: there are no assembly loops in this build.
var assemblyLoops []loops
