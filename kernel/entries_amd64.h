// The bodies of entries.go, for AVX2 and AVX-512. A level defines before it
//
//	ENTRY_MASKS            prepares SEEN, PART_SEEN and ENTRY_AHEAD; may set R12, change AX, R14
//	ENTRY_AHEAD            prepares ENTRY_FETCH for a row; may set R13
//	ENTRY_FETCH            prefetches what comes behind m

// The R11 rows and COLS columns of a kernel, entry by entry, so many BYTES at a time: LOOP is the step on these, LAST that
// on the last columns, ONWARD goes on to the next row.
#define EACH_ROW(COLS, LOG, BYTES, AHEAD, LOOP, LAST, ONWARD) \
row: /* for rows left > 0 { */ \
	XORL AX, AX; \
	AHEAD; \
	MOVQ COLS, CX; \
	SHRQ $LOG, CX; \
	JEQ  part; \
loop: \
	LOOP; \
	ADDQ $BYTES, AX; \
	DECQ CX; \
	JNE  loop; \
part: \
	TESTQ $(BYTES/SIZE-1), COLS; \
	JEQ   whole; \
	LAST; \
whole: \
	ADDQ R8, SI; \
	ADDQ R9, DX; \
	ONWARD; \
	DECQ R11; \
	JNE  row /* } */

// The rows and columns of the kernels on an update, and the return. STEP_OF is the
// operation on a vector of columns: it takes a load, a store, and what finds the columns that are seen.
#define ENTRY_ROWS(STEP_OF) \
	MOVQ  u+0(FP), DI; \
	IN4(update_n, SI, update_m, DX, update_p, BX, update_nStride, R8); \
	IN4(update_mStride, R9, update_pStride, R10, update_rows, R11, update_cols, CX); \
	ANDQ  $(VECTOR/SIZE-1), CX; \
	LAST_MASK(CX); \
	ENTRY_MASKS; \
	MOVQ  update_seen(DI), R15; \
	NIL(WNIL); \
	VBCST update_mu(DI), WMU; \
	VBCST update_nu(DI), WNU; \
	EACH_ROW(update_cols(DI), LANES_LOG, VECTOR, ENTRY_AHEAD, STEP_OF(LOAD, STORE, SEEN), STEP_OF(PART_LOAD, PART_STORE, PART_SEEN), P_SEEN); \
	VZEROUPPER; \
	RET
#define P_SEEN ADDQ R10, BX; ADDQ update_seenStride(DI), R15

// func update(u *update): updateGeneric
//
// Preconditions: rows, cols >= 1, as of all that follow.
//
//	WP p, then m⁺-p   WM m, then m⁺   WN n   WMU µ   WNU nu   WNIL zero   WS WT what stays
//	SI n[i]   DX m[i]   BX p[i]   R8 R9 R10 their strides   R15 seen[i]
//	AX column in bytes   CX vectors left   R11 rows left   R12 R13 of the level   R14 scratch
#define UPDATE_BODY(LD, ST, SN) \
	LD((BX)(AX*1), WP); \
	LD((DX)(AX*1), WM); \
	ENTRY_FETCH; \
	STEP(LD, ST, (SI)(AX*1))
BODY(bodies_update, AT_LEVEL(updateAVX2<>, updateAVX512<>))
	ENTRY_ROWS(UPDATE_BODY)

// func add(u *update): addGeneric, of n and m
#define ADD_BODY(LD, ST, SN) \
	LD((SI)(AX*1), WN); \
	LD((DX)(AX*1), WM); \
	VADD WM, WN, WN; \
	ST(WN, (SI)(AX*1))
BODY(bodies_add, AT_LEVEL(addAVX2<>, addAVX512<>))
	ENTRY_ROWS(ADD_BODY)

// func augment(u *update): updateAugmentedGeneric: n is G, p is N, mu and nu are the weights
#define AUGMENT_BODY(LD, ST, SN) \
	LD((BX)(AX*1), WP); \
	LD((DX)(AX*1), WM); \
	AUG_STEP(LD, ST, (SI)(AX*1)); \
	AUG_TARGET(WNU); \
	ST(WN, (BX)(AX*1))
BODY(bodies_augment, AT_LEVEL(augmentAVX2<>, augmentAVX512<>))
	ENTRY_ROWS(AUGMENT_BODY)

// func target(u *update): targetGeneric: p is G, mu and nu are a and b
#define TARGET_BODY(LD, ST, SN) \
	LD((BX)(AX*1), WN); \
	LD((DX)(AX*1), WM); \
	TARGET_OF; \
	ST(WN, (SI)(AX*1))
BODY(bodies_target, AT_LEVEL(targetAVX2<>, targetAVX512<>))
	ENTRY_ROWS(TARGET_BODY)

// func keep(u *update): keepGeneric
#define KEEP_BODY(LD, ST, SN) \
	SN((R15)); \
	LD((SI)(AX*1), WN); \
	ONLY_SEEN(WN); \
	ST(WN, (SI)(AX*1))
BODY(bodies_keep, AT_LEVEL(keepAVX2<>, keepAVX512<>))
	ENTRY_ROWS(KEEP_BODY)

// func impute(u *update): imputeGeneric
#define IMPUTE_BODY(LD, ST, SN) \
	SN((R15)); \
	LD((DX)(AX*1), WM); \
	LD((SI)(AX*1), WN); \
	TAKE_SEEN(WM, WN); \
	ST(WN, (SI)(AX*1))
BODY(bodies_impute, AT_LEVEL(imputeAVX2<>, imputeAVX512<>))
	ENTRY_ROWS(IMPUTE_BODY)

// func weigh(u *update): imputeWeightedGeneric: p is the weight, mu is 1; WS mu-p, then the new n
#define WEIGH_BODY(LD, ST, SN) \
	LD((BX)(AX*1), WP); \
	LD((DX)(AX*1), WM); \
	LD((SI)(AX*1), WN); \
	VSUB WP, WMU, WS; \
	VMUL WN, WS, WS; \
	VFMA WM, WP, WS; \
	ABOVE(WNIL, WP); \
	TAKE_SEEN(WS, WN); \
	ST(WN, (SI)(AX*1))
BODY(bodies_weigh, AT_LEVEL(weighAVX2<>, weighAVX512<>))
	ENTRY_ROWS(WEIGH_BODY)

// func maskedUpdate(u *update): updateMaskedGeneric; WS p, then n
#define MASKED_UPDATE_BODY(LD, ST, SN) \
	SN((R15)); \
	LD((BX)(AX*1), WS); \
	LD((DX)(AX*1), WM); \
	VMOVU WS, WP; \
	STEP(LD, NO_STORE, (SI)(AX*1)); \
	TAKE_SEEN(WN, WS); \
	ST(WS, (SI)(AX*1))
BODY(bodies_maskedUpdate, AT_LEVEL(maskedUpdateAVX2<>, maskedUpdateAVX512<>))
	ENTRY_ROWS(MASKED_UPDATE_BODY)

// func maskedAugment(u *update): updateAugmentedGeneric, as augment; WT old n, WS old p
#define MASKED_AUGMENT_BODY(LD, ST, SN) \
	SN((R15)); \
	LD((SI)(AX*1), WT); \
	LD((BX)(AX*1), WS); \
	LD((DX)(AX*1), WM); \
	VMOVU WS, WP; \
	AUG_STEP(LD, NO_STORE, (SI)(AX*1)); \
	TAKE_SEEN(WN, WT); \
	ST(WT, (SI)(AX*1)); \
	AUG_TARGET(WNU); \
	TAKE_SEEN(WN, WS); \
	ST(WS, (BX)(AX*1))
BODY(bodies_maskedAugment, AT_LEVEL(maskedAugmentAVX2<>, maskedAugmentAVX512<>))
	ENTRY_ROWS(MASKED_AUGMENT_BODY)

// func maskedTarget(u *update): targetMaskedGeneric, as target; WS old n
#define MASKED_TARGET_BODY(LD, ST, SN) \
	SN((R15)); \
	LD((SI)(AX*1), WS); \
	LD((BX)(AX*1), WN); \
	LD((DX)(AX*1), WM); \
	TARGET_OF; \
	TAKE_SEEN(WN, WS); \
	ST(WS, (SI)(AX*1))
BODY(bodies_maskedTarget, AT_LEVEL(maskedTargetAVX2<>, maskedTargetAVX512<>))
	ENTRY_ROWS(MASKED_TARGET_BODY)

#define EXTRAPOLATE_STEP(LD, ST, AT, L, U) \
	LD(AT(SI)(AX*1), W3); \
	LD(AT(DX)(AX*1), W4); \
	ST(W3, AT(DX)(AX*1)); \
	VSUB W4, W3, W4; \
	VFMA W4, W4, L; \
	VFMA W4, W2, W3; \
	VMAX W9, W3, W3; \
	ST(W3, AT(SI)(AX*1))

// func extrapolate(e *extrapolation): extrapolateGeneric, from and to e.lanes
//
// Preconditions: rows, cols >= 1.
//
//	W0 W1 lanes   W2 beta   W3 x   W4 before, then d   W9 zero
//	SI x[i]   DX before[i]   R8 R9 their strides   R10 masks of the last columns
//	AX column in bytes   CX lines left   R11 rows left   R12 lanes
BODY(bodies_extrapolate, AT_LEVEL(extrapolateAVX2<>, extrapolateAVX512<>))
	MOVQ  e+0(FP), DI
	IN3(extrapolation_x, SI, extrapolation_before, DX, extrapolation_xStride, R8)
	IN3(extrapolation_beforeStride, R9, extrapolation_rows, R11, extrapolation_lanes, R12)
	LINE(LANES_FROM, LOAD, STORE)
	VBCST extrapolation_beta(DI), W2
	NIL(W9)
	MOVQ  extrapolation_cols(DI), CX
	ANDQ  $(64/SIZE-1), CX
	LINE_MASKS
	EACH_ROW(extrapolation_cols(DI), LINE_LOG, 64, NOTHING, LINE(EXTRAPOLATE_STEP, LOAD, STORE), LINE_PART(EXTRAPOLATE_STEP), NOTHING)
	LINE(LANES_BACK, LOAD, STORE)
	VZEROUPPER
	RET
