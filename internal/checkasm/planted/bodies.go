//go:build !purego && (amd64 || arm64)

package planted

// Bodies are the addresses of two functions of *[2]uint64: one stores what it found in a vector register, the
// other changes the frame pointer. Assembly fills them in.
var Bodies [2]uintptr
