// The AVX-512 bodies of divergence.go. kernel_avx512_amd64.h has what the rooms share.

// VECTORS takes n. It sets CX, R9 and K3 at the beginning and goes to last if no vector is
// whole. LAST_VECTOR makes the last elements a vector, or sets the zero flag if there are none.
#define VECTORS(N) \
	MOVQ   N, CX; \
	MOVQ   CX, R9; \
	ANDQ   $(64/SIZE-1), R9; \
	KXNORW K3, K3, K3; \
	SHRQ   $LANES_LOG, CX; \
	JEQ    last
#define LAST_VECTOR \
	MOVQ  R9, CX; \
	MOVL  $1, AX; \
	SHLL  CX, AX; \
	DECL  AX; \
	KMOVW AX, K3; \
	MOVL  $1, CX; \
	MOVQ  R9, AX; \
	XORL  R9, R9; \
	TESTQ AX, AX

// func ratio(r *ratios): ratioGeneric
//
// Preconditions: n >= 1.
//
//	Z0 least   Z1 x   Z2 m   SI x   DX m   CX vectors left   R9 elements of the last one
//	K3 the elements of the vector at hand
BODY(bodies_ratio, ratioAVX512<>)
	MOVQ  r+0(FP), DI
	IN2(ratios_x, SI, ratios_m, DX)
	VBCST ratios_least(DI), Z0
	VECTORS(ratios_n(DI))

loop: // for vectors left > 0 {
	VMOVU.Z (SI), K3, Z1
	VMOVU.Z (DX), K3, Z2
	VMAX    Z0, Z1, Z1
	VDIV    Z1, Z2, Z1
	VMOVU   Z1, K3, (SI)
	ADDQ    $64, SI
	ADDQ    $64, DX
	DECQ    CX
	JNE     loop // }

last:
	LAST_VECTOR
	JNE  loop
	VZEROUPPER
	RET

// Two constants of the logarithm, at BX.
#define CONSTANTS(A, RA, B, RB) VMOVU A(BX), RA; VMOVU B(BX), RB

// func dotLog(r *ratios): dotLogGeneric, from and to r.lanes
//
// Preconditions: as for ratio.
//
//	Z0 lanes   Z12-Z31 constants   SI x   DX m   CX R9 K3 as for ratio
//	BX constants   K1 x > 0   K2 x is a denormal
//	Z1 x   Z2 its bits, then f   Z3 k   Z4 s   Z5 z   Z6 w   Z7 Z8 sums of odd and even
//	powers   Z9 f²/2   Z10 log x
BODY(bodies_dotLog, dotLogAVX512<>)
	MOVQ   r+0(FP), DI
	IN4(ratios_x, SI, ratios_m, DX, ratios_lanes, R8, ratios_consts, BX)
	VMOVU  (R8), Z0
	VPXORQ Z11, Z11, Z11
	CONSTANTS(logVectors_normal, Z12, logVectors_scale, Z13)
	CONSTANTS(logVectors_shift, Z14, logVectors_offset, Z15)
	CONSTANTS(logVectors_magic, Z16, logVectors_bias, Z17)
	CONSTANTS(logVectors_fraction, Z18, logVectors_root, Z19)
	CONSTANTS(logVectors_one, Z20, logVectors_two, Z21)
	CONSTANTS(logVectors_half, Z22, logVectors_ln2Hi, Z23)
	CONSTANTS(logVectors_ln2Lo, Z24, logVectors_poly0, Z25)
	CONSTANTS(logVectors_poly1, Z26, logVectors_poly2, Z27)
	CONSTANTS(logVectors_poly3, Z28, logVectors_poly4, Z29)
	CONSTANTS(logVectors_poly5, Z30, logVectors_poly6, Z31)
	VECTORS(ratios_n(DI))

loop: // for vectors left > 0 {
	VMOVU.Z (SI), K3, Z1
	VCMP    $0x1E, Z11, Z1, K1
	VCMP    $0x11, Z12, Z1, K2
	VMUL    Z13, Z1, K2, Z1
	VPADD   Z15, Z1, Z2
	VPSRL   $FRACTION, Z2, Z3
	VPORQ   Z16, Z3, Z3
	VSUB    Z17, Z3, Z3
	VSUB    Z14, Z3, K2, Z3
	VPANDQ  Z18, Z2, Z2
	VPADD   Z19, Z2, Z2
	VSUB    Z20, Z2, Z2
	VADD    Z21, Z2, Z4
	VDIV    Z4, Z2, Z4
	VMUL    Z4, Z4, Z5
	VMUL    Z5, Z5, Z6
	POLY
	VMUL    Z8, Z6, Z8
	VFMA Z7, Z5, Z8
	VMUL    Z2, Z2, Z9
	VMUL    Z22, Z9, Z9
	VADD    Z9, Z8, Z8
	VMUL    Z24, Z3, Z10
	VFMA Z8, Z4, Z10
	VSUB    Z9, Z10, Z10
	VADD    Z2, Z10, Z10
	VFMA.Z  Z23, Z3, K1, Z10
	VMOVU.Z (DX), K1, Z1
	VFMA    Z10, Z1, Z0
	ADDQ    $64, SI
	ADDQ    $64, DX
	DECQ    CX
	JNE     loop // }

last:
	LAST_VECTOR
	JNE   loop
	VMOVU Z0, (R8)
	VZEROUPPER
	RET

// func logDerivatives(r *derivatives): logDerivativesGeneric, from and to the lanes of both sums
//
// Preconditions: as for ratio.
//
//	Z0 first   Z1 second   Z2 step   Z3 least   Z4 x, then t   Z5 last, then p   Z6 m   Z7 g
//	Z11 0   SI x   DX last   R10 m   R11 g   R8 lanes of first   BX lanes of second
//	CX R9 K3 as for ratio   K1 m > 0
BODY(bodies_logDerivatives, logDerivativesAVX512<>)
	MOVQ   r+0(FP), DI
	IN3(derivatives_x, SI, derivatives_last, DX, derivatives_m, R10)
	IN3(derivatives_g, R11, derivatives_first, R8, derivatives_second, BX)
	VMOVU  (R8), Z0
	VMOVU  (BX), Z1
	VBCST  derivatives_step(DI), Z2
	VBCST  derivatives_least(DI), Z3
	VPXORQ Z11, Z11, Z11
	VECTORS(derivatives_n(DI))

loop: // for vectors left > 0 {
	VMOVU.Z (SI), K3, Z4
	VMOVU.Z (DX), K3, Z5
	VMOVU.Z (R10), K3, Z6
	VMOVU.Z (R11), K3, Z7
	VFMA Z5, Z2, Z4
	VMOVU   Z4, K3, (SI)
	VCMP    $0x1E, Z11, Z6, K1
	VMAX    Z3, Z4, Z4
	VDIV    Z4, Z7, Z4
	VMUL    Z4, Z6, Z5
	VADD    Z5, Z0, K1, Z0
	VFMA Z4, Z5, K1, Z1
	NEXT4(64, SI, DX, R10, R11)
	DECQ    CX
	JNE     loop // }

last:
	LAST_VECTOR
	JNE   loop
	VMOVU Z0, (R8)
	VMOVU Z1, (BX)
	VZEROUPPER
	RET

