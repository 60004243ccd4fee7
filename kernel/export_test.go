//go:build !purego && (amd64 || arm64)

package kernel

// CallWork is the most work of one call of assembly.
const CallWork = callWork

// Watch tells f the work of every call of assembly until stop is called.
func Watch(f func(work int)) (stop func()) {
	watcher = f
	return func() { watcher = nil }
}
