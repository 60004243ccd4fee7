// The bodies of divergence.go, for AVX2 and AVX-512. A level defines before it
//
//	LOG_IN                         loads what LOG_OF needs, with the constants at BX
//	LOG_OF(LD, ST, AT, LANES, U)   one vector of x and m, at AT: LANES += x > 0 ? m log x : 0, with x at SI and m at DX

// The lines of 64 bytes of the elements and the return: ONWARD goes on from a line as SI and DX do, OUT stores the
// sums. R9 elements are left for LINE_PART.
#define LINES(N, STEP_OF, ONWARD, OUT) \
	MOVQ N, CX; \
	ANDQ $(64/SIZE-1), CX; \
	MOVQ CX, R9; \
	LINE_MASKS; \
	MOVQ N, CX; \
	SHRQ $LINE_LOG, CX; \
	JEQ  last; \
loop: /* for lines left > 0 { */ \
	LINE(STEP_OF, LOAD, STORE); \
	ADDQ $64, SI; \
	ADDQ $64, DX; \
	ONWARD; \
	DECQ CX; \
	JNE  loop; /* } */ \
last: \
	TESTQ R9, R9; \
	JEQ   done; \
	LINE_PART(STEP_OF); \
done: \
	OUT; \
	VZEROUPPER; \
	RET

// func ratio(r *ratios): ratioGeneric
//
// Preconditions: n >= 1.
//
//	W4 least   W5 x   W6 m   SI x   DX m   CX lines left   R9 elements of the last one
#define RATIO_STEP(LD, ST, AT, L, U) \
	LD(AT(SI), W5); \
	LD(AT(DX), W6); \
	VMAX W4, W5, W5; \
	VDIV W5, W6, W5; \
	ST(W5, AT(SI))
BODY(bodies_ratio, AT_LEVEL(ratioAVX2<>, ratioAVX512<>))
	MOVQ  r+0(FP), DI
	IN2(ratios_x, SI, ratios_m, DX)
	VBCST ratios_least(DI), W4
	LINES(ratios_n(DI), RATIO_STEP, NOTHING, NOTHING)

// func dotLog(r *ratios): dotLogGeneric, from and to r.lanes
//
// Preconditions: as for ratio. Registers as there, and R12 lanes, BX constants.
BODY(bodies_dotLog, AT_LEVEL(dotLogAVX2<>, dotLogAVX512<>))
	MOVQ  r+0(FP), DI
	IN4(ratios_x, SI, ratios_m, DX, ratios_lanes, R12, ratios_consts, BX)
	LINE(LANES_FROM, LOAD, STORE)
	LOG_IN
	LINES(ratios_n(DI), LOG_OF, NOTHING, LINE(LANES_BACK, LOAD, STORE))

// func logDerivatives(r *derivatives): logDerivativesGeneric, from and to the lanes of both sums
//
// Preconditions: as for ratio.
//
//	W4 step   W5 least   W6 0   W8 x   W9 m, then p   W10 last, then g, then t
//	SI x   DX last   R8 m   R11 g   R12 lanes of first   BX lanes of second   CX R9 as for ratio
#define DERIVATIVES_STEP(LD, ST, AT, FIRST, SECOND) \
	LD(AT(SI), W8); \
	LD(AT(DX), W10); \
	VFMA W10, W4, W8; \
	LD(AT(R8), W9); \
	LD(AT(R11), W10); \
	ST(W8, AT(SI)); \
	ABOVE(W6, W9); \
	VMAX W5, W8, W8; \
	VDIV W8, W10, W10; \
	ONLY_SEEN(W10); \
	ONLY_SEEN(W9); \
	VMUL W10, W9, W9; \
	VADD W9, FIRST, FIRST; \
	VFMA W10, W9, SECOND
#define M_AND_G ADDQ $64, R8; ADDQ $64, R11
#define SECOND_FROM(LD, ST, AT, L, U) LD(AT(BX), U)
#define SECOND_BACK(LD, ST, AT, L, U) ST(U, AT(BX))
BODY(bodies_logDerivatives, AT_LEVEL(logDerivativesAVX2<>, logDerivativesAVX512<>))
	MOVQ  r+0(FP), DI
	IN3(derivatives_x, SI, derivatives_last, DX, derivatives_m, R8)
	IN3(derivatives_g, R11, derivatives_first, R12, derivatives_second, BX)
	LINE(LANES_FROM, LOAD, STORE)
	LINE(SECOND_FROM, LOAD, STORE)
	VBCST derivatives_step(DI), W4
	VBCST derivatives_least(DI), W5
	NIL(W6)
	LINES(derivatives_n(DI), DERIVATIVES_STEP, M_AND_G, LINE(LANES_BACK, LOAD, STORE); LINE(SECOND_BACK, LOAD, STORE))
