//go:build !purego && (amd64 || arm64)

package checkasm

import "unsafe"

// Passage is a call of a body.
type Passage struct {
	Args unsafe.Pointer
	Body uintptr
}

// Through calls the body of p with junk in the registers, and notes in spoilt if it does not keep those that it must.
//
//go:noescape
func Through(p *Passage)

var (
	entry  uintptr // of Through in assembly, which fills it in
	spoilt bool    // a body has not kept the registers that are not its own
)

// Entry returns the address of Through, for an assembly function that jumps to it.
func Entry() uintptr { return entry }

// takeSpoilt returns spoilt and resets it.
func takeSpoilt() bool {
	was := spoilt
	spoilt = false
	return was
}
