// The AVX2 bodies of divergence.go. kernel_avx2_amd64.h has what the rooms share.

// PAIRS takes n. It sets CX and R9 at the beginning and goes to last if no pair is whole. PAIR_MASKS
// sets the masks of the last pair.
#define PAIRS(N) \
	MOVQ N, CX; \
	MOVQ CX, R9; \
	ANDQ $(64/SIZE-1), R9; \
	IMULQ $SIZE, R9; \
	SHRQ $(LANES_LOG+1), CX; \
	JEQ  last
#define PAIR_MASKS(A, B) \
	LEAQ    masks<>+128(SB), AX; \
	SUBQ    R9, AX; \
	VMOVDQU (AX), A; \
	VMOVDQU 32(AX), B

// Move a pair of vectors at P, or those of its elements that MA and MB name.
#define PAIR_LOAD(P, A, B) VMOVU (P), A; VMOVU 32(P), B
#define PAIR_STORE(A, B, P) VMOVU A, (P); VMOVU B, 32(P)
#define PART_PAIR_LOAD(P, MA, MB, A, B) VMASKMOV (P), MA, A; VMASKMOV 32(P), MB, B
#define PART_PAIR_STORE(A, B, MA, MB, P) VMASKMOV A, MA, (P); VMASKMOV B, MB, 32(P)

// func ratio(r *ratios): ratioGeneric
//
// Preconditions: n >= 1.
//
//	Y0 least   Y1 Y2 x   Y3 Y4 m   Y5 Y6 the elements of the last pair
//	SI x   DX m   CX pairs of vectors left   R9 bytes of the last one
BODY(bodies_ratio, ratioAVX2<>)
	MOVQ  r+0(FP), DI
	IN2(ratios_x, SI, ratios_m, DX)
	VBCST ratios_least(DI), Y0
	PAIRS(ratios_n(DI))

loop: // for pairs of vectors left > 0 {
	PAIR_LOAD(SI, Y1, Y2)
	PAIR_LOAD(DX, Y3, Y4)
	VMAX  Y0, Y1, Y1
	VMAX  Y0, Y2, Y2
	VDIV  Y1, Y3, Y1
	VDIV  Y2, Y4, Y2
	PAIR_STORE(Y1, Y2, SI)
	ADDQ  $64, SI
	ADDQ  $64, DX
	DECQ  CX
	JNE   loop // }

last:
	TESTQ R9, R9
	JEQ   done
	PAIR_MASKS(Y5, Y6)
	PART_PAIR_LOAD(SI, Y5, Y6, Y1, Y2)
	PART_PAIR_LOAD(DX, Y5, Y6, Y3, Y4)
	VMAX  Y0, Y1, Y1
	VMAX  Y0, Y2, Y2
	VDIV  Y1, Y3, Y1
	VDIV  Y2, Y4, Y2
	PART_PAIR_STORE(Y1, Y2, Y5, Y6, SI)

done:
	VZEROUPPER
	RET

// One vector of x and m, at AT: lanes += x > 0 ? m log x : 0.
#define LOG_OF(AT, SEEN, LANES) \
	VMASKMOV AT(SI), SEEN, Y2; \
	VCMP    $0x1E, Y15, Y2, Y14; \
	VCMP    $0x11, logVectors_normal(BX), Y2, Y3; \
	VMUL    logVectors_scale(BX), Y2, Y4; \
	VBLENDV Y3, Y4, Y2, Y2; \
	VAND    logVectors_shift(BX), Y3, Y4; \
	VPADD   logVectors_offset(BX), Y2, Y2; \
	VPSRL   $FRACTION, Y2, Y3; \
	VPOR    logVectors_magic(BX), Y3, Y3; \
	VSUB    logVectors_bias(BX), Y3, Y3; \
	VSUB    Y4, Y3, Y3; \
	VPAND   logVectors_fraction(BX), Y2, Y2; \
	VPADD   logVectors_root(BX), Y2, Y2; \
	VSUB    logVectors_one(BX), Y2, Y2; \
	VADD    logVectors_two(BX), Y2, Y4; \
	VDIV    Y4, Y2, Y4; \
	VMUL    Y4, Y4, Y5; \
	VMUL    Y5, Y5, Y6; \
	POLY; \
	VMUL    Y8, Y6, Y8; \
	VFMA  Y7, Y5, Y8; \
	VMUL    Y2, Y2, Y9; \
	VMUL    Y13, Y9, Y9; \
	VADD    Y9, Y8, Y8; \
	VMUL    logVectors_ln2Lo(BX), Y3, Y10; \
	VFMA  Y8, Y4, Y10; \
	VSUB    Y9, Y10, Y10; \
	VADD    Y2, Y10, Y10; \
	VFMA  logVectors_ln2Hi(BX), Y3, Y10; \
	VMASKMOV AT(DX), Y14, Y2; \
	VAND    Y10, Y14, Y10; \
	VFMA  Y10, Y2, LANES

// func dotLog(r *ratios): dotLogGeneric, from and to r.lanes
//
// Preconditions: as for ratio.
//
//	Y0 Y1 lanes   Y11 Y12 the elements of the pair at hand   Y13 1/2   Y14 x > 0   Y15 0
//	SI x   DX m   CX R9 as for ratio   BX constants
//	Y2 x, its bits, then f   Y3 k   Y4 s   Y5 z   Y6 w   Y7 Y8 sums of odd and even powers
//	Y9 f²/2   Y10 log x
BODY(bodies_dotLog, dotLogAVX2<>)
	MOVQ  r+0(FP), DI
	IN4(ratios_x, SI, ratios_m, DX, ratios_lanes, R8, ratios_consts, BX)
	PAIR_LOAD(R8, Y0, Y1)
	VMOVU logVectors_half(BX), Y13
	VPXOR Y15, Y15, Y15
	VPCMPEQD Y11, Y11, Y11
	VMOVDQU Y11, Y12
	PAIRS(ratios_n(DI))

loop: // for pairs of vectors left > 0 {
	LOG_OF(0, Y11, Y0)
	LOG_OF(32, Y12, Y1)
	ADDQ  $64, SI
	ADDQ  $64, DX
	DECQ  CX
	JNE   loop // }

last:
	TESTQ R9, R9
	JEQ   done
	PAIR_MASKS(Y11, Y12)
	XORL  R9, R9
	MOVL  $1, CX
	JMP   loop

done:
	PAIR_STORE(Y0, Y1, R8)
	VZEROUPPER
	RET

// One vector of x, which is moved, m and g: FIRST += m > 0 ? m t : 0 and SECOND += m > 0 ? m t² : 0.
#define TERMS(X, M, G, FIRST, SECOND) \
	VCMP    $0x1E, Y6, M, Y13; \
	VMAX    Y5, X, X; \
	VDIV    X, G, G; \
	VAND    Y13, G, G; \
	VAND    Y13, M, M; \
	VMUL    G, M, M; \
	VADD    M, FIRST, FIRST; \
	VFMA G, M, SECOND

// func logDerivatives(r *derivatives): logDerivativesGeneric, from and to the lanes of both sums
//
// Preconditions: as for ratio.
//
//	Y0 Y1 first   Y2 Y3 second   Y4 step   Y5 least   Y6 0   Y7 Y8 x   Y9 Y10 m, then p
//	Y11 Y12 last, then g, then t   Y13 m > 0   Y14 Y15 the elements of the last pair
//	SI x   DX last   R10 m   R11 g   R8 lanes of first   BX lanes of second   CX R9 as for ratio
BODY(bodies_logDerivatives, logDerivativesAVX2<>)
	MOVQ  r+0(FP), DI
	IN3(derivatives_x, SI, derivatives_last, DX, derivatives_m, R10)
	IN3(derivatives_g, R11, derivatives_first, R8, derivatives_second, BX)
	PAIR_LOAD(R8, Y0, Y1)
	PAIR_LOAD(BX, Y2, Y3)
	VBCST derivatives_step(DI), Y4
	VBCST derivatives_least(DI), Y5
	VPXOR Y6, Y6, Y6
	PAIRS(derivatives_n(DI))

loop: // for pairs of vectors left > 0 {
	PAIR_LOAD(SI, Y7, Y8)
	VFMA (DX), Y4, Y7
	VFMA 32(DX), Y4, Y8
	PAIR_LOAD(R10, Y9, Y10)
	PAIR_LOAD(R11, Y11, Y12)
	PAIR_STORE(Y7, Y8, SI)
	TERMS(Y7, Y9, Y11, Y0, Y2)
	TERMS(Y8, Y10, Y12, Y1, Y3)
	NEXT4(64, SI, DX, R10, R11)
	DECQ    CX
	JNE     loop // }

last:
	TESTQ   R9, R9
	JEQ     done
	PAIR_MASKS(Y14, Y15)
	PART_PAIR_LOAD(SI, Y14, Y15, Y7, Y8)
	PART_PAIR_LOAD(DX, Y14, Y15, Y11, Y12)
	VFMA  Y11, Y4, Y7
	VFMA  Y12, Y4, Y8
	PART_PAIR_LOAD(R10, Y14, Y15, Y9, Y10)
	PART_PAIR_LOAD(R11, Y14, Y15, Y11, Y12)
	PART_PAIR_STORE(Y7, Y8, Y14, Y15, SI)
	TERMS(Y7, Y9, Y11, Y0, Y2)
	TERMS(Y8, Y10, Y12, Y1, Y3)

done:
	PAIR_STORE(Y0, Y1, R8)
	PAIR_STORE(Y2, Y3, BX)
	VZEROUPPER
	RET

