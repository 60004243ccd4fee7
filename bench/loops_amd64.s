//go:build !purego

#include "textflag.h"

// Measuring loops: multiply-adds that never leave the registers, and streams
// of loads and stores that compute next to nothing.

// ---- multiply-adds -------------------------------------------------------
//
//	for range n { for i := range acc { acc[i] = a*b + acc[i] } }
//
// Preconditions: n >= 1. DI = acc, CX = n.
// Accumulators: Y0-Y11 (AVX2), Z0-Z23 (AVX-512); factors in the last two
// registers.

#define ACC_AVX2(OP) \
	OP(0, Y0)  \
	OP(1, Y1)  \
	OP(2, Y2)  \
	OP(3, Y3)  \
	OP(4, Y4)  \
	OP(5, Y5)  \
	OP(6, Y6)  \
	OP(7, Y7)  \
	OP(8, Y8)  \
	OP(9, Y9)  \
	OP(10, Y10) \
	OP(11, Y11)

#define ACC_AVX512(OP) \
	OP(0, Z0)   \
	OP(1, Z1)   \
	OP(2, Z2)   \
	OP(3, Z3)   \
	OP(4, Z4)   \
	OP(5, Z5)   \
	OP(6, Z6)   \
	OP(7, Z7)   \
	OP(8, Z8)   \
	OP(9, Z9)   \
	OP(10, Z10) \
	OP(11, Z11) \
	OP(12, Z12) \
	OP(13, Z13) \
	OP(14, Z14) \
	OP(15, Z15) \
	OP(16, Z16) \
	OP(17, Z17) \
	OP(18, Z18) \
	OP(19, Z19) \
	OP(20, Z20) \
	OP(21, Z21) \
	OP(22, Z22) \
	OP(23, Z23)

#define LOAD_Y(i, R) VMOVUPD (32*i)(DI), R;
#define SAVE_Y(i, R) VMOVUPD R, (32*i)(DI);
#define FMA64_Y(i, R) VFMADD231PD Y14, Y15, R;
#define FMA32_Y(i, R) VFMADD231PS Y14, Y15, R;
#define LOAD_Z(i, R) VMOVUPD (64*i)(DI), R;
#define SAVE_Z(i, R) VMOVUPD R, (64*i)(DI);
#define FMA64_Z(i, R) VFMADD231PD Z30, Z31, R;
#define FMA32_Z(i, R) VFMADD231PS Z30, Z31, R;

// func fmaAVX2F64(acc *float64, a, b float64, n int)
// Requires: AVX2, FMA
TEXT ·fmaAVX2F64(SB), NOSPLIT, $0-32
	MOVQ         acc+0(FP), DI
	VBROADCASTSD a+8(FP), Y14
	VBROADCASTSD b+16(FP), Y15
	MOVQ         n+24(FP), CX
	ACC_AVX2(LOAD_Y)

loop: // do {
	ACC_AVX2(FMA64_Y)
	DECQ CX
	JNZ  loop // } while --n != 0

	ACC_AVX2(SAVE_Y)
	VZEROUPPER
	RET

// func fmaAVX2F32(acc *float32, a, b float32, n int)
// Requires: AVX2, FMA
TEXT ·fmaAVX2F32(SB), NOSPLIT, $0-24
	MOVQ         acc+0(FP), DI
	VBROADCASTSS a+8(FP), Y14
	VBROADCASTSS b+12(FP), Y15
	MOVQ         n+16(FP), CX
	ACC_AVX2(LOAD_Y)

loop: // do {
	ACC_AVX2(FMA32_Y)
	DECQ CX
	JNZ  loop // } while --n != 0

	ACC_AVX2(SAVE_Y)
	VZEROUPPER
	RET

// func fmaAVX512F64(acc *float64, a, b float64, n int)
// Requires: AVX512F
TEXT ·fmaAVX512F64(SB), NOSPLIT, $0-32
	MOVQ         acc+0(FP), DI
	VBROADCASTSD a+8(FP), Z30
	VBROADCASTSD b+16(FP), Z31
	MOVQ         n+24(FP), CX
	ACC_AVX512(LOAD_Z)

loop: // do {
	ACC_AVX512(FMA64_Z)
	DECQ CX
	JNZ  loop // } while --n != 0

	ACC_AVX512(SAVE_Z)
	VZEROUPPER
	RET

// func fmaAVX512F32(acc *float32, a, b float32, n int)
// Requires: AVX512F
TEXT ·fmaAVX512F32(SB), NOSPLIT, $0-24
	MOVQ         acc+0(FP), DI
	VBROADCASTSS a+8(FP), Z30
	VBROADCASTSS b+12(FP), Z31
	MOVQ         n+16(FP), CX
	ACC_AVX512(LOAD_Z)

loop: // do {
	ACC_AVX512(FMA32_Z)
	DECQ CX
	JNZ  loop // } while --n != 0

	ACC_AVX512(SAVE_Z)
	VZEROUPPER
	RET

// ---- streams -------------------------------------------------------------
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

// Start of a pass: the four streams at p, p+stride, p+2 stride, p+3 stride.
#define STREAMS \
	MOVQ SI, R8             \
	LEAQ (R8)(DX*1), R9     \
	LEAQ (R9)(DX*1), R10    \
	LEAQ (R10)(DX*1), R11   \
	MOVQ R12, CX

#define ADVANCE \
	ADDQ BX, R8  \
	ADDQ BX, R9  \
	ADDQ BX, R10 \
	ADDQ BX, R11

#define XOR4_Y(P, A, B, C, D) \
	VPXOR (P), A, A   \
	VPXOR 32(P), B, B \
	VPXOR 64(P), C, C \
	VPXOR 96(P), D, D

#define ZERO4_Y(A, B, C, D) \
	VPXOR A, A, A \
	VPXOR B, B, B \
	VPXOR C, C, C \
	VPXOR D, D, D

// Y0-Y15: accumulators, four per stream; even ones hold words 0-3 of a line,
// odd ones words 4-7.
//
// func readAVX2(x *[8]uint64, p unsafe.Pointer, stride, step uintptr, count, passes int)
// Requires: AVX2
TEXT ·readAVX2(SB), NOSPLIT, $0-48
	MOVQ x+0(FP), DI
	MOVQ p+8(FP), SI
	MOVQ stride+16(FP), DX
	MOVQ step+24(FP), BX
	MOVQ count+32(FP), R12
	MOVQ passes+40(FP), R13
	VMOVDQU (DI), Y0
	VMOVDQU 32(DI), Y1
	VPXOR   Y2, Y2, Y2
	VPXOR   Y3, Y3, Y3
	ZERO4_Y(Y4, Y5, Y6, Y7)
	ZERO4_Y(Y8, Y9, Y10, Y11)
	ZERO4_Y(Y12, Y13, Y14, Y15)

pass: // do {
	STREAMS

loop: // do {
	XOR4_Y(R8, Y0, Y1, Y2, Y3)
	XOR4_Y(R9, Y4, Y5, Y6, Y7)
	XOR4_Y(R10, Y8, Y9, Y10, Y11)
	XOR4_Y(R11, Y12, Y13, Y14, Y15)
	ADVANCE
	DECQ CX
	JNZ  loop // } while --iterations != 0
	DECQ R13
	JNZ  pass // } while --passes != 0

	VPXOR   Y2, Y0, Y0
	VPXOR   Y4, Y6, Y6
	VPXOR   Y8, Y10, Y10
	VPXOR   Y12, Y14, Y14
	VPXOR   Y6, Y0, Y0
	VPXOR   Y10, Y14, Y14
	VPXOR   Y14, Y0, Y0
	VPXOR   Y3, Y1, Y1
	VPXOR   Y5, Y7, Y7
	VPXOR   Y9, Y11, Y11
	VPXOR   Y13, Y15, Y15
	VPXOR   Y7, Y1, Y1
	VPXOR   Y11, Y15, Y15
	VPXOR   Y15, Y1, Y1
	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 32(DI)
	VZEROUPPER
	RET

// Z0-Z7: accumulators, two per stream.
//
// func readAVX512(x *[8]uint64, p unsafe.Pointer, stride, step uintptr, count, passes int)
// Requires: AVX512F
TEXT ·readAVX512(SB), NOSPLIT, $0-48
	MOVQ x+0(FP), DI
	MOVQ p+8(FP), SI
	MOVQ stride+16(FP), DX
	MOVQ step+24(FP), BX
	MOVQ count+32(FP), R12
	MOVQ passes+40(FP), R13
	VMOVDQU64 (DI), Z0
	VPXORQ    Z1, Z1, Z1
	VPXORQ    Z2, Z2, Z2
	VPXORQ    Z3, Z3, Z3
	VPXORQ    Z4, Z4, Z4
	VPXORQ    Z5, Z5, Z5
	VPXORQ    Z6, Z6, Z6
	VPXORQ    Z7, Z7, Z7

pass: // do {
	STREAMS

loop: // do {
	VPXORQ (R8), Z0, Z0
	VPXORQ 64(R8), Z1, Z1
	VPXORQ (R9), Z2, Z2
	VPXORQ 64(R9), Z3, Z3
	VPXORQ (R10), Z4, Z4
	VPXORQ 64(R10), Z5, Z5
	VPXORQ (R11), Z6, Z6
	VPXORQ 64(R11), Z7, Z7
	ADVANCE
	DECQ   CX
	JNZ    loop // } while --iterations != 0
	DECQ   R13
	JNZ    pass // } while --passes != 0

	VPXORQ    Z1, Z0, Z0
	VPXORQ    Z3, Z2, Z2
	VPXORQ    Z5, Z4, Z4
	VPXORQ    Z7, Z6, Z6
	VPXORQ    Z2, Z0, Z0
	VPXORQ    Z6, Z4, Z4
	VPXORQ    Z4, Z0, Z0
	VMOVDQU64 Z0, (DI)
	VZEROUPPER
	RET

#define LOAD4_Y(P, A, B, C, D) \
	VMOVDQU (P), A   \
	VMOVDQU 32(P), B \
	VMOVDQU 64(P), C \
	VMOVDQU 96(P), D

#define SAVE4_Y(P, A, B, C, D) \
	VMOVDQU A, (P)(AX*1)   \
	VMOVDQU B, 32(P)(AX*1) \
	VMOVDQU C, 64(P)(AX*1) \
	VMOVDQU D, 96(P)(AX*1)

// func copyAVX2(dst, src unsafe.Pointer, stride, step uintptr, count, passes int)
// Requires: AVX2
TEXT ·copyAVX2(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), AX
	MOVQ src+8(FP), SI
	MOVQ stride+16(FP), DX
	MOVQ step+24(FP), BX
	MOVQ count+32(FP), R12
	MOVQ passes+40(FP), R13
	SUBQ SI, AX // the destination is addressed relative to the source

pass: // do {
	STREAMS

loop: // do {
	LOAD4_Y(R8, Y0, Y1, Y2, Y3)
	LOAD4_Y(R9, Y4, Y5, Y6, Y7)
	LOAD4_Y(R10, Y8, Y9, Y10, Y11)
	LOAD4_Y(R11, Y12, Y13, Y14, Y15)
	SAVE4_Y(R8, Y0, Y1, Y2, Y3)
	SAVE4_Y(R9, Y4, Y5, Y6, Y7)
	SAVE4_Y(R10, Y8, Y9, Y10, Y11)
	SAVE4_Y(R11, Y12, Y13, Y14, Y15)
	ADVANCE
	DECQ CX
	JNZ  loop // } while --iterations != 0
	DECQ R13
	JNZ  pass // } while --passes != 0
	VZEROUPPER
	RET

// func copyAVX512(dst, src unsafe.Pointer, stride, step uintptr, count, passes int)
// Requires: AVX512F
TEXT ·copyAVX512(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), AX
	MOVQ src+8(FP), SI
	MOVQ stride+16(FP), DX
	MOVQ step+24(FP), BX
	MOVQ count+32(FP), R12
	MOVQ passes+40(FP), R13
	SUBQ SI, AX // the destination is addressed relative to the source

pass: // do {
	STREAMS

loop: // do {
	VMOVDQU64 (R8), Z0
	VMOVDQU64 64(R8), Z1
	VMOVDQU64 (R9), Z2
	VMOVDQU64 64(R9), Z3
	VMOVDQU64 (R10), Z4
	VMOVDQU64 64(R10), Z5
	VMOVDQU64 (R11), Z6
	VMOVDQU64 64(R11), Z7
	VMOVDQU64 Z0, (R8)(AX*1)
	VMOVDQU64 Z1, 64(R8)(AX*1)
	VMOVDQU64 Z2, (R9)(AX*1)
	VMOVDQU64 Z3, 64(R9)(AX*1)
	VMOVDQU64 Z4, (R10)(AX*1)
	VMOVDQU64 Z5, 64(R10)(AX*1)
	VMOVDQU64 Z6, (R11)(AX*1)
	VMOVDQU64 Z7, 64(R11)(AX*1)
	ADVANCE
	DECQ      CX
	JNZ       loop // } while --iterations != 0
	DECQ      R13
	JNZ       pass // } while --passes != 0
	VZEROUPPER
	RET
