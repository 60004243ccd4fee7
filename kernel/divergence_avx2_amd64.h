// What is of AVX2 in the bodies of divergence.go, for divergence_amd64.h.
//
//	Y2 x, its bits, then f   Y3 k   Y4 s   Y5 z   Y6 w   Y7 Y8 sums of odd and even powers   Y9 f²/2
//	Y10 log x   Y12 0   Y13 1/2   Y14 x > 0

#define LOG_IN VMOVU logVectors_half(BX), Y13; VPXOR Y12, Y12, Y12
#define LOG_OF(LD, ST, AT, LANES, U) \
	LD(AT(SI), Y2); \
	VCMP    $0x1E, Y12, Y2, Y14; \
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
	VFMA    Y7, Y5, Y8; \
	VMUL    Y2, Y2, Y9; \
	VMUL    Y13, Y9, Y9; \
	VADD    Y9, Y8, Y8; \
	VMUL    logVectors_ln2Lo(BX), Y3, Y10; \
	VFMA    Y8, Y4, Y10; \
	VSUB    Y9, Y10, Y10; \
	VADD    Y2, Y10, Y10; \
	VFMA    logVectors_ln2Hi(BX), Y3, Y10; \
	VMASKMOV AT(DX), Y14, Y2; \
	VAND    Y10, Y14, Y10; \
	VFMA    Y10, Y2, LANES
