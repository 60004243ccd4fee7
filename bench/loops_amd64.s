//go:build !purego

#include "textflag.h"

// Measuring loops: multiply-adds that never leave the registers, and streams
// of loads and stores that compute next to nothing.

// ACCS_AVX2 and ACCS_AVX512 apply OP to each accumulator, by its number and register.
#define FOUR(OP, i, A, B, C, D) OP(i, A); OP((i+1), B); OP((i+2), C); OP((i+3), D)
#define ACCS_AVX2(OP) FOUR(OP, 0, Y0, Y1, Y2, Y3); FOUR(OP, 4, Y4, Y5, Y6, Y7); FOUR(OP, 8, Y8, Y9, Y10, Y11)
#define ACCS_AVX512(OP) \
	FOUR(OP, 0, Z0, Z1, Z2, Z3); FOUR(OP, 4, Z4, Z5, Z6, Z7); FOUR(OP, 8, Z8, Z9, Z10, Z11); \
	FOUR(OP, 12, Z12, Z13, Z14, Z15); FOUR(OP, 16, Z16, Z17, Z18, Z19); FOUR(OP, 20, Z20, Z21, Z22, Z23)
#define LOAD_Y(i, R) VMOVUPD (32*i)(DI), R
#define SAVE_Y(i, R) VMOVUPD R, (32*i)(DI)
#define FMA64_Y(i, R) VFMADD231PD Y14, Y15, R
#define FMA32_Y(i, R) VFMADD231PS Y14, Y15, R
#define LOAD_Z(i, R) VMOVUPD (64*i)(DI), R
#define SAVE_Z(i, R) VMOVUPD R, (64*i)(DI)
#define FMA64_Z(i, R) VFMADD231PD Z30, Z31, R
#define FMA32_Z(i, R) VFMADD231PS Z30, Z31, R

// The multiply-adds, and the return. Preconditions: n >= 1. DI = acc, CX = n; a and b are in the last two registers.
//
//	for range n { for i := range acc { acc[i] = a*b + acc[i] } }
#define FMAS(ACCS, LOAD_OF, FMA_OF, SAVE_OF) \
	ACCS(LOAD_OF); \
loop: \
	ACCS(FMA_OF); \
	DECQ CX; \
	JNZ  loop; \
	ACCS(SAVE_OF); \
	VZEROUPPER; \
	RET

// The streams: STREAMS loads the arguments, TO being the first one, and WALK applies OP to the groups.
//
//	for range passes { for i := range count { for s := range 4 {
//		touch 128 bytes at p + i*step + s*stride
//	}}}
//
// Preconditions: count >= 1, passes >= 1. No alignment is needed.
//
//	SI  p at the start of a pass        DX  stride     BX  step
//	R8-R11  the four streams            CX  iterations left
//	R12 count                           R13 passes left
#define STREAMS(ARG, TO, P) \
	MOVQ ARG+0(FP), TO; \
	MOVQ P+8(FP), SI; \
	MOVQ stride+16(FP), DX; \
	MOVQ step+24(FP), BX; \
	MOVQ count+32(FP), R12; \
	MOVQ passes+40(FP), R13
#define WALK(OP) \
pass: \
	MOVQ SI, R8; \
	LEAQ (R8)(DX*1), R9; \
	LEAQ (R9)(DX*1), R10; \
	LEAQ (R10)(DX*1), R11; \
	MOVQ R12, CX; \
loop: \
	OP; \
	ADDQ BX, R8; \
	ADDQ BX, R9; \
	ADDQ BX, R10; \
	ADDQ BX, R11; \
	DECQ CX; \
	JNZ  loop; \
	DECQ R13; \
	JNZ  pass

// The vectors of a group, of all four streams.
#define EACH_Y(OP) OP(R8, Y0, Y1, Y2, Y3); OP(R9, Y4, Y5, Y6, Y7); OP(R10, Y8, Y9, Y10, Y11); OP(R11, Y12, Y13, Y14, Y15)
#define EACH_Z(OP) OP(R8, Z0, Z1); OP(R9, Z2, Z3); OP(R10, Z4, Z5); OP(R11, Z6, Z7)
#define ZERO_4Y(P, A, B, C, D) VPXOR A, A, A; VPXOR B, B, B; VPXOR C, C, C; VPXOR D, D, D
#define XOR_4Y(P, A, B, C, D) VPXOR (P), A, A; VPXOR 32(P), B, B; VPXOR 64(P), C, C; VPXOR 96(P), D, D
#define LOAD_4Y(P, A, B, C, D) VMOVDQU (P), A; VMOVDQU 32(P), B; VMOVDQU 64(P), C; VMOVDQU 96(P), D
#define SAVE_4Y(P, A, B, C, D) \
	VMOVDQU A, (P)(AX*1); VMOVDQU B, 32(P)(AX*1); VMOVDQU C, 64(P)(AX*1); VMOVDQU D, 96(P)(AX*1)
#define ZERO_2Z(P, A, B) VPXORQ A, A, A; VPXORQ B, B, B
#define XOR_2Z(P, A, B) VPXORQ (P), A, A; VPXORQ 64(P), B, B
#define LOAD_2Z(P, A, B) VMOVDQU64 (P), A; VMOVDQU64 64(P), B
#define SAVE_2Z(P, A, B) VMOVDQU64 A, (P)(AX*1); VMOVDQU64 B, 64(P)(AX*1)

// A = the exclusive or of all eight.
#define FOLD(XOR, A, B, C, D, E, F, G, H) \
	XOR B, A, A; XOR C, D, D; XOR E, F, F; XOR G, H, H; XOR D, A, A; XOR F, H, H; XOR H, A, A

// func fmaAVX2F64(acc *float64, a, b float64, n int)
// Requires: AVX2, FMA
TEXT ·fmaAVX2F64(SB), NOSPLIT, $0-32
	MOVQ         acc+0(FP), DI
	VBROADCASTSD a+8(FP), Y14
	VBROADCASTSD b+16(FP), Y15
	MOVQ         n+24(FP), CX
	FMAS(ACCS_AVX2, LOAD_Y, FMA64_Y, SAVE_Y)

// func fmaAVX2F32(acc *float32, a, b float32, n int)
// Requires: AVX2, FMA
TEXT ·fmaAVX2F32(SB), NOSPLIT, $0-24
	MOVQ         acc+0(FP), DI
	VBROADCASTSS a+8(FP), Y14
	VBROADCASTSS b+12(FP), Y15
	MOVQ         n+16(FP), CX
	FMAS(ACCS_AVX2, LOAD_Y, FMA32_Y, SAVE_Y)

// func fmaAVX512F64(acc *float64, a, b float64, n int)
// Requires: AVX512F
TEXT ·fmaAVX512F64(SB), NOSPLIT, $0-32
	MOVQ         acc+0(FP), DI
	VBROADCASTSD a+8(FP), Z30
	VBROADCASTSD b+16(FP), Z31
	MOVQ         n+24(FP), CX
	FMAS(ACCS_AVX512, LOAD_Z, FMA64_Z, SAVE_Z)

// func fmaAVX512F32(acc *float32, a, b float32, n int)
// Requires: AVX512F
TEXT ·fmaAVX512F32(SB), NOSPLIT, $0-24
	MOVQ         acc+0(FP), DI
	VBROADCASTSS a+8(FP), Z30
	VBROADCASTSS b+12(FP), Z31
	MOVQ         n+16(FP), CX
	FMAS(ACCS_AVX512, LOAD_Z, FMA32_Z, SAVE_Z)

// func readAVX2(x *[8]uint64, p unsafe.Pointer, stride, step uintptr, count, passes int)
// Requires: AVX2. Of the four accumulators of a stream, even ones hold words 0-3 of a line, odd ones words 4-7.
TEXT ·readAVX2(SB), NOSPLIT, $0-48
	STREAMS(x, DI, p)
	EACH_Y(ZERO_4Y)
	VMOVDQU (DI), Y0
	VMOVDQU 32(DI), Y1
	WALK(EACH_Y(XOR_4Y))
	FOLD(VPXOR, Y0, Y2, Y4, Y6, Y8, Y10, Y12, Y14)
	FOLD(VPXOR, Y1, Y3, Y5, Y7, Y9, Y11, Y13, Y15)
	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 32(DI)
	VZEROUPPER
	RET

// func readAVX512(x *[8]uint64, p unsafe.Pointer, stride, step uintptr, count, passes int)
// Requires: AVX512F. Two accumulators for each stream.
TEXT ·readAVX512(SB), NOSPLIT, $0-48
	STREAMS(x, DI, p)
	EACH_Z(ZERO_2Z)
	VMOVDQU64 (DI), Z0
	WALK(EACH_Z(XOR_2Z))
	FOLD(VPXORQ, Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)
	VMOVDQU64 Z0, (DI)
	VZEROUPPER
	RET

// func copyAVX2(dst, src unsafe.Pointer, stride, step uintptr, count, passes int)
// Requires: AVX2. The destination is addressed relative to the source.
TEXT ·copyAVX2(SB), NOSPLIT, $0-48
	STREAMS(dst, AX, src)
	SUBQ SI, AX
	WALK(EACH_Y(LOAD_4Y); EACH_Y(SAVE_4Y))
	VZEROUPPER
	RET

// func copyAVX512(dst, src unsafe.Pointer, stride, step uintptr, count, passes int)
// Requires: AVX512F. The destination is addressed relative to the source.
TEXT ·copyAVX512(SB), NOSPLIT, $0-48
	STREAMS(dst, AX, src)
	SUBQ SI, AX
	WALK(EACH_Z(LOAD_2Z); EACH_Z(SAVE_2Z))
	VZEROUPPER
	RET
