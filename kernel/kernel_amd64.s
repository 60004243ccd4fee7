//go:build !purego

// The assembly for amd64. avx2_f64_amd64.s and three more files have the bodies of one level and
// precision. They include what the precisions share: a file or more for each room and level, such as
// products_avx2_amd64.h, and the vocabularies kernel_amd64.h and kernel_avx2_amd64.h.

#include "go_asm.h"
#include "textflag.h"

// func call(args unsafe.Pointer, body uintptr)
//
// goes on in the body, which returns to the caller.
TEXT ·call(SB), NOSPLIT|NOFRAME, $0-16
	MOVQ body+8(FP), AX
	JMP  AX
