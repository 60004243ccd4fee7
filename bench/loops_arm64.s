//go:build !purego

#include "textflag.h"

// Measuring loops: multiply-adds that never leave the registers, and streams
// of loads and stores that compute next to nothing.

// The accumulators by fours, and memory at R.
#define FOURS(OP, R) \
	OP(R, V0.B16, V1.B16, V2.B16, V3.B16); \
	OP(R, V4.B16, V5.B16, V6.B16, V7.B16); \
	OP(R, V8.B16, V9.B16, V10.B16, V11.B16); \
	OP(R, V12.B16, V13.B16, V14.B16, V15.B16); \
	OP(R, V16.B16, V17.B16, V18.B16, V19.B16); \
	OP(R, V20.B16, V21.B16, V22.B16, V23.B16)
#define LOAD_FOUR(R, A, B, C, D) VLD1.P 64(R), [A, B, C, D]
#define SAVE_FOUR(R, A, B, C, D) VST1.P [A, B, C, D], 64(R)
#define FMA4(T, A, B, C, D) \
	VFMLA V30.T, V31.T, A.T; VFMLA V30.T, V31.T, B.T; VFMLA V30.T, V31.T, C.T; VFMLA V30.T, V31.T, D.T

// The multiply-adds in the arrangement T, and the return. Preconditions: n >= 1. R0 = acc, R1 = n, R3 = a, R4 = b.
//
//	for range n { for i := range acc { acc[i] = a*b + acc[i] } }
#define FMAS(T) \
	VDUP R3, V30.T; \
	VDUP R4, V31.T; \
	MOVD R0, R2; \
	FOURS(LOAD_FOUR, R2); \
loop: \
	FMA4(T, V0, V1, V2, V3); \
	FMA4(T, V4, V5, V6, V7); \
	FMA4(T, V8, V9, V10, V11); \
	FMA4(T, V12, V13, V14, V15); \
	FMA4(T, V16, V17, V18, V19); \
	FMA4(T, V20, V21, V22, V23); \
	SUBS $1, R1, R1; \
	BNE  loop; \
	FOURS(SAVE_FOUR, R0); \
	RET

// The streams: STREAMS loads the arguments, and WALK applies OP to the groups of the four.
//
//	for range passes { for i := range count { for s := range 4 {
//		touch 128 bytes at p + i*step + s*stride
//	}}}
//
// Preconditions: count >= 1, passes >= 1. No alignment is needed.
//
//	R0  the first argument              R1  p at the start of a pass
//	R2  stride     R3  step             R4  count      R5  passes left
//	R6-R9  the four streams             R10 iterations left
#define STREAMS(ARG, P) \
	MOVD ARG+0(FP), R0; \
	MOVD P+8(FP), R1; \
	MOVD stride+16(FP), R2; \
	MOVD step+24(FP), R3; \
	MOVD count+32(FP), R4; \
	MOVD passes+40(FP), R5
#define WALK(OP) \
pass: \
	MOVD R1, R6; \
	ADD  R2, R6, R7; \
	ADD  R2, R7, R8; \
	ADD  R2, R8, R9; \
	MOVD R4, R10; \
loop: \
	OP(R6); \
	OP(R7); \
	OP(R8); \
	OP(R9); \
	ADD  R3, R6; \
	ADD  R3, R7; \
	ADD  R3, R8; \
	ADD  R3, R9; \
	SUBS $1, R10, R10; \
	BNE  loop; \
	SUBS $1, R5, R5; \
	BNE  pass

// A group: V0-V7, of which the exclusive or goes to V16-V23, or which is stored at a distance of R0.
#define LOAD8(P) FLDPQ (P), (F0, F1); FLDPQ 32(P), (F2, F3); FLDPQ 64(P), (F4, F5); FLDPQ 96(P), (F6, F7)
#define XOR(A, B) VEOR A.B16, B.B16, B.B16
#define READ8(P) \
	LOAD8(P); \
	XOR(V0, V16); XOR(V1, V17); XOR(V2, V18); XOR(V3, V19); \
	XOR(V4, V20); XOR(V5, V21); XOR(V6, V22); XOR(V7, V23)
#define COPY8(P) \
	ADD  R0, P, R11; \
	LOAD8(P); \
	FSTPQ (F0, F1), (R11); FSTPQ (F2, F3), 32(R11); FSTPQ (F4, F5), 64(R11); FSTPQ (F6, F7), 96(R11)

// func fmaNEONF64(acc *float64, a, b float64, n int)
TEXT ·fmaNEONF64(SB), NOSPLIT, $0-32
	MOVD acc+0(FP), R0
	MOVD a+8(FP), R3
	MOVD b+16(FP), R4
	MOVD n+24(FP), R1
	FMAS(D2)

// func fmaNEONF32(acc *float32, a, b float32, n int)
TEXT ·fmaNEONF32(SB), NOSPLIT, $0-24
	MOVD  acc+0(FP), R0
	MOVWU a+8(FP), R3
	MOVWU b+12(FP), R4
	MOVD  n+16(FP), R1
	FMAS(S4)

// func readNEON(x *[8]uint64, p unsafe.Pointer, stride, step uintptr, count, passes int)
TEXT ·readNEON(SB), NOSPLIT, $0-48
	STREAMS(x, p)
	VLD1 (R0), [V16.B16, V17.B16, V18.B16, V19.B16]
	XOR(V20, V20)
	XOR(V21, V21)
	XOR(V22, V22)
	XOR(V23, V23)
	WALK(READ8)
	XOR(V20, V16)
	XOR(V21, V17)
	XOR(V22, V18)
	XOR(V23, V19)
	VST1 [V16.B16, V17.B16, V18.B16, V19.B16], (R0)
	RET

// func copyNEON(dst, src unsafe.Pointer, stride, step uintptr, count, passes int)
TEXT ·copyNEON(SB), NOSPLIT, $0-48
	STREAMS(dst, src)
	SUB  R1, R0, R0
	WALK(COPY8)
	RET
