//go:build purego || !(amd64 || arm64)

package machine

// assemblyLoops are the measuring loops of this architecture beside the
// generic ones: none.
var assemblyLoops []loops
