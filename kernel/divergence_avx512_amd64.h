// What is of AVX-512 in the bodies of divergence.go, for divergence_amd64.h.
//
//	Z1 x   Z2 its bits, then f   Z3 k   Z4 s   Z5 z   Z6 w   Z7 Z8 sums of odd and even powers   Z9 f²/2
//	Z10 log x   Z11 0   Z12-Z31 constants   K2 x is a denormal   K4 x > 0

// Two constants of the logarithm, at BX.
#define CONSTANTS(A, RA, B, RB) VMOVU A(BX), RA; VMOVU B(BX), RB
#define LOG_IN \
	VPXORQ Z11, Z11, Z11; \
	CONSTANTS(logVectors_normal, Z12, logVectors_scale, Z13); \
	CONSTANTS(logVectors_shift, Z14, logVectors_offset, Z15); \
	CONSTANTS(logVectors_magic, Z16, logVectors_bias, Z17); \
	CONSTANTS(logVectors_fraction, Z18, logVectors_root, Z19); \
	CONSTANTS(logVectors_one, Z20, logVectors_two, Z21); \
	CONSTANTS(logVectors_half, Z22, logVectors_ln2Hi, Z23); \
	CONSTANTS(logVectors_ln2Lo, Z24, logVectors_poly0, Z25); \
	CONSTANTS(logVectors_poly1, Z26, logVectors_poly2, Z27); \
	CONSTANTS(logVectors_poly3, Z28, logVectors_poly4, Z29); \
	CONSTANTS(logVectors_poly5, Z30, logVectors_poly6, Z31)

// One vector of x and m, at AT: lanes += x > 0 ? m log x : 0.
#define LOG_OF(LD, ST, AT, LANES, U) \
	LD(AT(SI), Z1); \
	VCMP    $0x1E, Z11, Z1, K4; \
	VCMP    $0x11, Z12, Z1, K2; \
	VMUL    Z13, Z1, K2, Z1; \
	VPADD   Z15, Z1, Z2; \
	VPSRL   $FRACTION, Z2, Z3; \
	VPORQ   Z16, Z3, Z3; \
	VSUB    Z17, Z3, Z3; \
	VSUB    Z14, Z3, K2, Z3; \
	VPANDQ  Z18, Z2, Z2; \
	VPADD   Z19, Z2, Z2; \
	VSUB    Z20, Z2, Z2; \
	VADD    Z21, Z2, Z4; \
	VDIV    Z4, Z2, Z4; \
	VMUL    Z4, Z4, Z5; \
	VMUL    Z5, Z5, Z6; \
	POLY; \
	VMUL    Z8, Z6, Z8; \
	VFMA    Z7, Z5, Z8; \
	VMUL    Z2, Z2, Z9; \
	VMUL    Z22, Z9, Z9; \
	VADD    Z9, Z8, Z8; \
	VMUL    Z24, Z3, Z10; \
	VFMA    Z8, Z4, Z10; \
	VSUB    Z9, Z10, Z10; \
	VADD    Z2, Z10, Z10; \
	VFMA.Z  Z23, Z3, K4, Z10; \
	VMOVU.Z AT(DX), K4, Z1; \
	VFMA    Z10, Z1, LANES
