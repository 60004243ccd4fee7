//go:build !purego

// The assembly for amd64. avx2_f64_amd64.s and three more files have the bodies of one level and
// precision. They include what the precisions share: the vocabularies kernel_avx2_amd64.h and kernel_amd64.h,
// and a file or more for each room. A file without a level in its name, such as products_amd64.h, has text of both
// levels in words that each level defines before it: in its vocabulary or in products_avx2_amd64.h.

#include "go_asm.h"
#include "textflag.h"

// func call(args unsafe.Pointer, body uintptr)
//
// goes on in the body, which returns to the caller.
TEXT ·call(SB), NOSPLIT|NOFRAME, $0-16
	MOVQ body+8(FP), AX
	JMP  AX
