//go:build !purego

// The assembly for arm64. neon_f64_arm64.s and neon_f32_arm64.s have the bodies of one precision. They
// include what the precisions share: a file or more for each room, such as sweep_neon_arm64.h, and the
// vocabulary, kernel_neon_arm64.h.

#include "go_asm.h"
#include "textflag.h"

// func call(args unsafe.Pointer, body uintptr)
//
// goes on in the body, which returns to the caller.
TEXT ·call(SB), NOSPLIT|NOFRAME, $0-16
	MOVD body+8(FP), R1
	JMP  (R1)
