//go:build purego || !(amd64 || arm64)

package kernel

import (
	"unsafe"

	"nmu/internal/isa"
)

const copied, pairs = 0, 0

// levelOf returns the only level.
func levelOf(isa.Level) *level { return &generic }

func call(unsafe.Pointer, uintptr) { panic("kernel: this build has no assembly") }
