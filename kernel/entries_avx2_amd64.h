// The AVX2 bodies of entries.go. kernel_avx2_amd64.h has what the rooms share.

// The columns of 64 bytes, for entries_amd64.h.
#define LINE_LOG (LANES_LOG+1)
#define LINE_MASKS MASKS(R10)
#define LINE(OP, LD, ST) OP(LD, ST, 0, Y0); OP(LD, ST, 32, Y1)
#define LINE_PART(OP) \
	VMOVU (R10), Y15; \
	OP(PART_LOAD, PART_STORE, 0, Y0); \
	VMOVU 32(R10), Y15; \
	OP(PART_LOAD, PART_STORE, 32, Y1)

// The rows and columns of the kernels on an update, entry by entry, and the return. STEP_OF is the
// operation on a vector of columns.
#define ENTRY_ROWS(STEP_OF) \
	MOVQ  u+0(FP), DI; \
	MOVQ  update_n(DI), SI; \
	MOVQ  update_m(DI), DX; \
	MOVQ  update_p(DI), BX; \
	MOVQ  update_nStride(DI), R8; \
	MOVQ  update_mStride(DI), R9; \
	MOVQ  update_pStride(DI), R10; \
	MOVQ  update_rows(DI), R11; \
	MOVQ  update_cols(DI), CX; \
	ANDQ  $(32/SIZE-1), CX; \
	MASKS(AX); \
	VMOVU (AX), Y15; \
	LEAQ  BIT_OF_LANE, R12; \
	MOVQ  update_seen(DI), R15; \
	VPXOR Y13, Y13, Y13; \
	VBCST update_mu(DI), Y12; \
	VBCST update_nu(DI), Y8; \
row: /* for rows left > 0 { */ \
	XORL AX, AX; \
	MOVQ update_cols(DI), CX; \
	SHRQ $LANES_LOG, CX; \
	JEQ  part; \
loop: \
	STEP_OF(LOAD, STORE); \
	ADDQ $32, AX; \
	DECQ CX; \
	JNE  loop; \
part: \
	TESTQ $(32/SIZE-1), update_cols(DI); \
	JEQ   whole; \
	STEP_OF(PART_LOAD, PART_STORE); \
whole: \
	ADDQ R8, SI; \
	ADDQ R9, DX; \
	ADDQ R10, BX; \
	ADDQ update_seenStride(DI), R15; \
	DECQ R11; \
	JNE  row; /* } */ \
	VZEROUPPER; \
	RET

// func update(u *update): updateGeneric
//
// Preconditions: rows, cols >= 1.
//
//	Y9 p, then m⁺-p   Y10 m, then m⁺   Y11 n   Y12 µ   Y13 zero   Y15 mask of the last columns
//	SI n[i]   DX m[i]   BX p[i]   R8 R9 R10 their strides
//	AX column in bytes   CX vectors left   R11 rows left
#define UPDATE_BODY(LD, ST) \
	LD((BX)(AX*1), Y9); \
	LD((DX)(AX*1), Y10); \
	STEP(LD, ST, (SI)(AX*1))
DATA TABLE+bodies_update(SB)/8, $updateAVX2<>(SB)
TEXT updateAVX2<>(SB), NOSPLIT|NOFRAME, $0-8
	ENTRY_ROWS(UPDATE_BODY)

// func add(u *update): addGeneric, of n and m
//
// Preconditions and registers as above; p is not used.
#define ADD_BODY(LD, ST) \
	LD((SI)(AX*1), Y11); \
	LD((DX)(AX*1), Y10); \
	VADD Y10, Y11, Y11; \
	ST(Y11, (SI)(AX*1))
DATA TABLE+bodies_add(SB)/8, $addAVX2<>(SB)
TEXT addAVX2<>(SB), NOSPLIT|NOFRAME, $0-8
	ENTRY_ROWS(ADD_BODY)

// func augment(u *update): updateAugmentedGeneric: n is G, p is N, mu and nu are the weights
//
// Preconditions: rows, cols >= 1.
//
//	Y9 Y10 Y11 p, m, n, see AUG_STEP and AUG_TARGET   Y8 nu   Y12 mu   Y13 zero
//	Y15 mask of the last columns
//	SI n[i]   DX m[i]   BX p[i]   R8 R9 R10 their strides
//	AX column in bytes   CX vectors left   R11 rows left
#define AUGMENT_BODY(LD, ST) \
	LD((BX)(AX*1), Y9); \
	LD((DX)(AX*1), Y10); \
	AUG_STEP(LD, ST, (SI)(AX*1)); \
	AUG_TARGET(Y8); \
	ST(Y11, (BX)(AX*1))
DATA TABLE+bodies_augment(SB)/8, $augmentAVX2<>(SB)
TEXT augmentAVX2<>(SB), NOSPLIT|NOFRAME, $0-8
	ENTRY_ROWS(AUGMENT_BODY)

// func target(u *update): targetGeneric: p is G, mu and nu are a and b
//
// Preconditions and registers as above.
#define TARGET_BODY(LD, ST) \
	LD((BX)(AX*1), Y11); \
	LD((DX)(AX*1), Y10); \
	TARGET_OF; \
	ST(Y11, (SI)(AX*1))
DATA TABLE+bodies_target(SB)/8, $targetAVX2<>(SB)
TEXT targetAVX2<>(SB), NOSPLIT|NOFRAME, $0-8
	ENTRY_ROWS(TARGET_BODY)

// func keep(u *update): keepGeneric
//
// Preconditions: rows, cols >= 1.
//
//	Y11 n   Y7 seen   Y15 mask of the last columns   R12 bits of lanes
//	SI n[i]   DX m[i]   BX p[i]   R15 seen[i]   R8 R9 R10 strides of n, m, p
//	AX column in bytes   CX vectors left   R11 rows left
#define KEEP_BODY(LD, ST) \
	SEEN; \
	LD((SI)(AX*1), Y11); \
	VAND Y7, Y11, Y11; \
	ST(Y11, (SI)(AX*1))
DATA TABLE+bodies_keep(SB)/8, $keepAVX2<>(SB)
TEXT keepAVX2<>(SB), NOSPLIT|NOFRAME, $0-8
	ENTRY_ROWS(KEEP_BODY)

// func impute(u *update): imputeGeneric
//
// Preconditions and registers as above; Y10 m.
#define IMPUTE_BODY(LD, ST) \
	SEEN; \
	LD((DX)(AX*1), Y10); \
	LD((SI)(AX*1), Y11); \
	VBLENDV Y7, Y10, Y11, Y11; \
	ST(Y11, (SI)(AX*1))
DATA TABLE+bodies_impute(SB)/8, $imputeAVX2<>(SB)
TEXT imputeAVX2<>(SB), NOSPLIT|NOFRAME, $0-8
	ENTRY_ROWS(IMPUTE_BODY)

// func weigh(u *update): imputeWeightedGeneric: p is the weight, mu is 1
//
// Preconditions and registers as above, but for
//
//	Y9 p   Y10 m   Y11 n   Y6 mu-p, then the new n   Y7 p > 0   Y12 mu   Y13 zero
#define WEIGH_BODY(LD, ST) \
	LD((BX)(AX*1), Y9); \
	LD((DX)(AX*1), Y10); \
	LD((SI)(AX*1), Y11); \
	VSUB    Y9, Y12, Y6; \
	VMUL    Y11, Y6, Y6; \
	VFMA    Y10, Y9, Y6; \
	VCMP    $0x1E, Y13, Y9, Y7; \
	VBLENDV Y7, Y6, Y11, Y11; \
	ST(Y11, (SI)(AX*1))
DATA TABLE+bodies_weigh(SB)/8, $weighAVX2<>(SB)
TEXT weighAVX2<>(SB), NOSPLIT|NOFRAME, $0-8
	ENTRY_ROWS(WEIGH_BODY)

// func maskedUpdate(u *update): updateMaskedGeneric
//
// Preconditions and registers as above, but for those of update and
//
//	Y6 p, then n
#define MASKED_UPDATE_BODY(LD, ST) \
	SEEN; \
	LD((BX)(AX*1), Y6); \
	LD((DX)(AX*1), Y10); \
	VMOVU   Y6, Y9; \
	STEP(LD, NO_STORE, (SI)(AX*1)); \
	VBLENDV Y7, Y11, Y6, Y6; \
	ST(Y6, (SI)(AX*1))
DATA TABLE+bodies_maskedUpdate(SB)/8, $maskedUpdateAVX2<>(SB)
TEXT maskedUpdateAVX2<>(SB), NOSPLIT|NOFRAME, $0-8
	ENTRY_ROWS(MASKED_UPDATE_BODY)

// func maskedAugment(u *update): updateAugmentedMaskedGeneric, as augment
//
// Preconditions and registers as above, but for those of augment and
//
//	Y5 old n   Y6 old p
#define MASKED_AUGMENT_BODY(LD, ST) \
	SEEN; \
	LD((SI)(AX*1), Y5); \
	LD((BX)(AX*1), Y6); \
	LD((DX)(AX*1), Y10); \
	VMOVU   Y6, Y9; \
	AUG_STEP(LD, NO_STORE, (SI)(AX*1)); \
	VBLENDV Y7, Y11, Y5, Y5; \
	ST(Y5, (SI)(AX*1)); \
	AUG_TARGET(Y8); \
	VBLENDV Y7, Y11, Y6, Y6; \
	ST(Y6, (BX)(AX*1))
DATA TABLE+bodies_maskedAugment(SB)/8, $maskedAugmentAVX2<>(SB)
TEXT maskedAugmentAVX2<>(SB), NOSPLIT|NOFRAME, $0-8
	ENTRY_ROWS(MASKED_AUGMENT_BODY)

// func maskedTarget(u *update): targetMaskedGeneric, as target
//
// Preconditions and registers as above, but for those of target and
//
//	Y6 old n
#define MASKED_TARGET_BODY(LD, ST) \
	SEEN; \
	LD((SI)(AX*1), Y6); \
	LD((BX)(AX*1), Y11); \
	LD((DX)(AX*1), Y10); \
	TARGET_OF; \
	VBLENDV Y7, Y11, Y6, Y6; \
	ST(Y6, (SI)(AX*1))
DATA TABLE+bodies_maskedTarget(SB)/8, $maskedTargetAVX2<>(SB)
TEXT maskedTargetAVX2<>(SB), NOSPLIT|NOFRAME, $0-8
	ENTRY_ROWS(MASKED_TARGET_BODY)
