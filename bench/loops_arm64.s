//go:build !purego

#include "textflag.h"

// Measuring loops: multiply-adds that never leave the registers, and streams
// of loads and stores that compute next to nothing.

// ---- multiply-adds -------------------------------------------------------
//
//	for range n { for i := range acc { acc[i] = a*b + acc[i] } }
//
// Preconditions: n >= 1. R0 = acc, R1 = n.
// V0-V23 accumulators, V30 a, V31 b.

#define LOAD_ACCS \
	MOVD   R0, R2                                \
	VLD1.P 64(R2), [V0.B16, V1.B16, V2.B16, V3.B16]     \
	VLD1.P 64(R2), [V4.B16, V5.B16, V6.B16, V7.B16]     \
	VLD1.P 64(R2), [V8.B16, V9.B16, V10.B16, V11.B16]   \
	VLD1.P 64(R2), [V12.B16, V13.B16, V14.B16, V15.B16] \
	VLD1.P 64(R2), [V16.B16, V17.B16, V18.B16, V19.B16] \
	VLD1.P 64(R2), [V20.B16, V21.B16, V22.B16, V23.B16]

#define SAVE_ACCS \
	VST1.P [V0.B16, V1.B16, V2.B16, V3.B16], 64(R0)     \
	VST1.P [V4.B16, V5.B16, V6.B16, V7.B16], 64(R0)     \
	VST1.P [V8.B16, V9.B16, V10.B16, V11.B16], 64(R0)   \
	VST1.P [V12.B16, V13.B16, V14.B16, V15.B16], 64(R0) \
	VST1.P [V16.B16, V17.B16, V18.B16, V19.B16], 64(R0) \
	VST1.P [V20.B16, V21.B16, V22.B16, V23.B16], 64(R0)

#define FMAS(T) \
	VFMLA V30.T, V31.T, V0.T  \
	VFMLA V30.T, V31.T, V1.T  \
	VFMLA V30.T, V31.T, V2.T  \
	VFMLA V30.T, V31.T, V3.T  \
	VFMLA V30.T, V31.T, V4.T  \
	VFMLA V30.T, V31.T, V5.T  \
	VFMLA V30.T, V31.T, V6.T  \
	VFMLA V30.T, V31.T, V7.T  \
	VFMLA V30.T, V31.T, V8.T  \
	VFMLA V30.T, V31.T, V9.T  \
	VFMLA V30.T, V31.T, V10.T \
	VFMLA V30.T, V31.T, V11.T \
	VFMLA V30.T, V31.T, V12.T \
	VFMLA V30.T, V31.T, V13.T \
	VFMLA V30.T, V31.T, V14.T \
	VFMLA V30.T, V31.T, V15.T \
	VFMLA V30.T, V31.T, V16.T \
	VFMLA V30.T, V31.T, V17.T \
	VFMLA V30.T, V31.T, V18.T \
	VFMLA V30.T, V31.T, V19.T \
	VFMLA V30.T, V31.T, V20.T \
	VFMLA V30.T, V31.T, V21.T \
	VFMLA V30.T, V31.T, V22.T \
	VFMLA V30.T, V31.T, V23.T

// func fmaNEONF64(acc *float64, a, b float64, n int)
TEXT ·fmaNEONF64(SB), NOSPLIT, $0-32
	MOVD acc+0(FP), R0
	MOVD a+8(FP), R3
	MOVD b+16(FP), R4
	MOVD n+24(FP), R1
	VDUP R3, V30.D2
	VDUP R4, V31.D2
	LOAD_ACCS

loop: // do {
	FMAS(D2)
	SUBS $1, R1, R1
	BNE  loop // } while --n != 0

	SAVE_ACCS
	RET

// func fmaNEONF32(acc *float32, a, b float32, n int)
TEXT ·fmaNEONF32(SB), NOSPLIT, $0-24
	MOVD  acc+0(FP), R0
	MOVWU a+8(FP), R3
	MOVWU b+12(FP), R4
	MOVD  n+16(FP), R1
	VDUP  R3, V30.S4
	VDUP  R4, V31.S4
	LOAD_ACCS

loop: // do {
	FMAS(S4)
	SUBS $1, R1, R1
	BNE  loop // } while --n != 0

	SAVE_ACCS
	RET

// ---- streams -------------------------------------------------------------
//
//	for range passes { for i := range count { for s := range 4 {
//		touch 128 bytes at p + i*step + s*stride
//	}}}
//
// Preconditions: count >= 1, passes >= 1. No alignment is needed.
//
//	R1  p at the start of a pass        R2  stride     R3  step
//	R4  count                           R5  passes left
//	R6-R9  the four streams             R10 iterations left

#define STREAMS \
	MOVD R1, R6      \
	ADD  R2, R6, R7  \
	ADD  R2, R7, R8  \
	ADD  R2, R8, R9  \
	MOVD R4, R10

#define ADVANCE \
	ADD R3, R6 \
	ADD R3, R7 \
	ADD R3, R8 \
	ADD R3, R9

#define LOAD8(P) \
	FLDPQ (P), (F0, F1)    \
	FLDPQ 32(P), (F2, F3)  \
	FLDPQ 64(P), (F4, F5)  \
	FLDPQ 96(P), (F6, F7)

#define XOR8 \
	VEOR V0.B16, V16.B16, V16.B16 \
	VEOR V1.B16, V17.B16, V17.B16 \
	VEOR V2.B16, V18.B16, V18.B16 \
	VEOR V3.B16, V19.B16, V19.B16 \
	VEOR V4.B16, V20.B16, V20.B16 \
	VEOR V5.B16, V21.B16, V21.B16 \
	VEOR V6.B16, V22.B16, V22.B16 \
	VEOR V7.B16, V23.B16, V23.B16

// V0-V7 what was loaded, V16-V23 the eight 16-byte parts of a group.
//
// func readNEON(x *[8]uint64, p unsafe.Pointer, stride, step uintptr, count, passes int)
TEXT ·readNEON(SB), NOSPLIT, $0-48
	MOVD x+0(FP), R0
	MOVD p+8(FP), R1
	MOVD stride+16(FP), R2
	MOVD step+24(FP), R3
	MOVD count+32(FP), R4
	MOVD passes+40(FP), R5
	VLD1 (R0), [V16.B16, V17.B16, V18.B16, V19.B16]
	VEOR V20.B16, V20.B16, V20.B16
	VEOR V21.B16, V21.B16, V21.B16
	VEOR V22.B16, V22.B16, V22.B16
	VEOR V23.B16, V23.B16, V23.B16

pass: // do {
	STREAMS

loop: // do {
	LOAD8(R6)
	XOR8
	LOAD8(R7)
	XOR8
	LOAD8(R8)
	XOR8
	LOAD8(R9)
	XOR8
	ADVANCE
	SUBS $1, R10, R10
	BNE  loop // } while --iterations != 0
	SUBS $1, R5, R5
	BNE  pass // } while --passes != 0

	VEOR V20.B16, V16.B16, V16.B16
	VEOR V21.B16, V17.B16, V17.B16
	VEOR V22.B16, V18.B16, V18.B16
	VEOR V23.B16, V19.B16, V19.B16
	VST1 [V16.B16, V17.B16, V18.B16, V19.B16], (R0)
	RET

#define COPY8(P, Q) \
	LOAD8(P)              \
	FSTPQ (F0, F1), (Q)   \
	FSTPQ (F2, F3), 32(Q) \
	FSTPQ (F4, F5), 64(Q) \
	FSTPQ (F6, F7), 96(Q)

// R11-R14: the four streams of the destination, at a distance of R0 from
// those of the source.
//
// func copyNEON(dst, src unsafe.Pointer, stride, step uintptr, count, passes int)
TEXT ·copyNEON(SB), NOSPLIT, $0-48
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD stride+16(FP), R2
	MOVD step+24(FP), R3
	MOVD count+32(FP), R4
	MOVD passes+40(FP), R5
	SUB  R1, R0, R0

pass: // do {
	STREAMS

loop: // do {
	ADD  R0, R6, R11
	ADD  R0, R7, R12
	ADD  R0, R8, R13
	ADD  R0, R9, R14
	COPY8(R6, R11)
	COPY8(R7, R12)
	COPY8(R8, R13)
	COPY8(R9, R14)
	ADVANCE
	SUBS $1, R10, R10
	BNE  loop // } while --iterations != 0
	SUBS $1, R5, R5
	BNE  pass // } while --passes != 0
	RET
