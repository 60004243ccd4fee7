// The NEON bodies of entries.go. kernel_neon_arm64.h has what the rooms share.

#define ONWARD(BYTES) \
	ADD $BYTES, R9; \
	ADD $BYTES, R10; \
	ADD $BYTES, R11

// The last four bytes.
#define LAST_ELEMENT(OP, whole) \
	TBZ $2, R8, whole; \
	OP(FMOVS, 0); \
whole:

// p in P, m and n.
#define ENTRY_LOAD(MOV, AT, P) \
	MOV AT(R11), P; \
	MOV AT(R10), F26; \
	MOV AT(R9), F27

// Masks. SEEN sets V30 to the mask of a vector of columns, or of 8 or 4 bytes, at R9 in row
// R1 of N, whose bits are at R15; it changes R13 and R14.
#define SEEN(AT) \
	SUB   R1, R9, R13; \
	ADD   $AT, R13; \
	LSR   $(SIZE_LOG+3), R13, R14; \
	MOVBU (R15)(R14), R14; \
	UBFX  $SIZE_LOG, R13, $3, R13; \
	LSR   R13, R14; \
	TEST_BITS(R14)

// The rows and columns of the kernels on an update, entry by entry, and the return. STEP_OF is the
// operation on a vector, or on 8 or 4 bytes.
#define ENTRY_ROWS(STEP_OF) \
	MOVD u+0(FP), R0; \
	MOVE update_mu(R0), F24; \
	MOVE update_nu(R0), F18; \
	IN3(update_n, R1, update_m, R2, update_p, R3); \
	IN3(update_nStride, R4, update_mStride, R5, update_pStride, R6); \
	IN3(update_rows, R7, update_seen, R15, update_seenStride, R16); \
	BIT_OF_LANE(R13); \
	MOVD update_cols(R0), R8; \
	LSL  $SIZE_LOG, R8; \
row: /* for rows left > 0 { */ \
	MOVD R1, R9; \
	MOVD R2, R10; \
	MOVD R3, R11; \
	LSR  $6, R8, R12; \
	CBZ  R12, rest; \
loop4: /* for four vectors left > 0 { */ \
	STEP_OF(FMOVQ, 0); \
	STEP_OF(FMOVQ, 16); \
	STEP_OF(FMOVQ, 32); \
	STEP_OF(FMOVQ, 48); \
	ONWARD(64); \
	SUBS $1, R12; \
	BNE  loop4; /* } */ \
rest: \
	UBFX $4, R8, $2, R12; \
	CBZ  R12, half; \
loop1: /* for vectors left > 0 { */ \
	STEP_OF(FMOVQ, 0); \
	ONWARD(16); \
	SUBS $1, R12; \
	BNE  loop1; /* } */ \
half: \
	TBZ  $3, R8, quarter; \
	STEP_OF(FMOVD, 0); \
	ONWARD(8); \
quarter: \
	SINGLE(LAST_ELEMENT(STEP_OF, whole)); \
	ADD  R4, R1; \
	ADD  R5, R2; \
	ADD  R6, R3; \
	ADD  R16, R15; \
	SUBS $1, R7; \
	BNE  row; /* } */ \
	RET

// func update(u *update): updateGeneric
//
// Preconditions: rows, cols >= 1, as of all that follow. The last columns are taken 8 and 4 bytes at a time.
//
//	V24 mu   V18 nu   V25 p   V26 m   V27 n   V28 V31 scratch   V29 bits of lanes   V30 seen, scratch in between
//	R1 n[i]   R2 m[i]   R3 p[i]   R4 R5 R6 their strides   R9 R10 R11 column reached
//	R7 rows left   R8 bytes of a row   R12 vectors left
//	R15 seen[i]   R16 its stride   R13 R14 scratch
#define UPDATE_STEP(MOV, AT) \
	ENTRY_LOAD(MOV, AT, F25); \
	STEP(25); \
	MOV F27, AT(R9)
BODY(bodies_update, updateNEON<>)
	ENTRY_ROWS(UPDATE_STEP)

// func add(u *update): addGeneric, of n and m
#define ADD_STEP(MOV, AT) \
	MOV AT(R10), F26; \
	MOV AT(R9), F27; \
	FADD(26, 27, 27); \
	MOV F27, AT(R9)
BODY(bodies_add, addNEON<>)
	ENTRY_ROWS(ADD_STEP)

// func augment(u *update): updateAugmentedGeneric: n is G, p is N, mu and nu are the weights
#define AUGMENT_STEP(MOV, AT) \
	ENTRY_LOAD(MOV, AT, F25); \
	AUG_STEP; \
	MOV F27, AT(R9); \
	AUG_TARGET; \
	MOV F27, AT(R11)
BODY(bodies_augment, augmentNEON<>)
	ENTRY_ROWS(AUGMENT_STEP)

// func target(u *update): targetGeneric: p is G, mu and nu are a and b
#define TARGET_STEP(MOV, AT) \
	MOV AT(R10), F26; \
	MOV AT(R11), F27; \
	TARGET_OF; \
	MOV F27, AT(R9)
BODY(bodies_target, targetNEON<>)
	ENTRY_ROWS(TARGET_STEP)

// func keep(u *update): keepGeneric
#define KEEP_STEP(MOV, AT) \
	MOV  AT(R9), F27; \
	SEEN(AT); \
	VAND V30.B16, V27.B16, V27.B16; \
	MOV  F27, AT(R9)
BODY(bodies_keep, keepNEON<>)
	ENTRY_ROWS(KEEP_STEP)

// func impute(u *update): imputeGeneric
#define IMPUTE_STEP(MOV, AT) \
	MOV  AT(R10), F26; \
	MOV  AT(R9), F27; \
	SEEN(AT); \
	VBIT V30.B16, V26.B16, V27.B16; \
	MOV  F27, AT(R9)
BODY(bodies_impute, imputeNEON<>)
	ENTRY_ROWS(IMPUTE_STEP)

// func weigh(u *update): imputeWeightedGeneric: p is the weight, mu is 1; V17 mu in all lanes
#define WEIGH_STEP(MOV, AT) \
	ENTRY_LOAD(MOV, AT, F25); \
	FSUB(25, 17, 28); \
	FMUL(27, 28, 28); \
	FMA(V26, V25, V28); \
	FCMGTZ(25, 30); \
	VBIT V30.B16, V28.B16, V27.B16; \
	MOV  F27, AT(R9)
BODY(bodies_weigh, weighNEON<>)
	MOVD u+0(FP), R0
	ADD  $update_mu, R0, R13
	SPREAD(R13, V17)
	ENTRY_ROWS(WEIGH_STEP)

// func maskedUpdate(u *update): updateMaskedGeneric; V19 p
#define MASKED_UPDATE_STEP(MOV, AT) \
	ENTRY_LOAD(MOV, AT, F19); \
	STEP(19); \
	SEEN(AT); \
	VBIF V30.B16, V19.B16, V27.B16; \
	MOV  F27, AT(R9)
BODY(bodies_maskedUpdate, maskedUpdateNEON<>)
	ENTRY_ROWS(MASKED_UPDATE_STEP)

// func maskedAugment(u *update): updateAugmentedGeneric, as augment; V17 old n, V19 old p
#define MASKED_AUGMENT_STEP(MOV, AT) \
	ENTRY_LOAD(MOV, AT, F25); \
	VMOV V25.B16, V19.B16; \
	VMOV V27.B16, V17.B16; \
	AUG_STEP; \
	SEEN(AT); \
	VBIF V30.B16, V17.B16, V27.B16; \
	MOV  F27, AT(R9); \
	AUG_TARGET; \
	VBIF V30.B16, V19.B16, V27.B16; \
	MOV  F27, AT(R11)
BODY(bodies_maskedAugment, maskedAugmentNEON<>)
	ENTRY_ROWS(MASKED_AUGMENT_STEP)

// func maskedTarget(u *update): targetMaskedGeneric, as target; V19 old n
#define MASKED_TARGET_STEP(MOV, AT) \
	MOV  AT(R10), F26; \
	MOV  AT(R11), F27; \
	MOV  AT(R9), F19; \
	TARGET_OF; \
	SEEN(AT); \
	VBIF V30.B16, V19.B16, V27.B16; \
	MOV  F27, AT(R9)
BODY(bodies_maskedTarget, maskedTargetNEON<>)
	ENTRY_ROWS(MASKED_TARGET_STEP)

// A group of Extrapolate: 64 bytes at R9 and R10.
#define EXTRAPOLATE_GROUP \
	EXTRAPOLATE_STEP(0, V0); \
	EXTRAPOLATE_STEP(16, V1); \
	EXTRAPOLATE_STEP(32, V2); \
	EXTRAPOLATE_STEP(48, V3)
#define EXTRAPOLATE_STEP(AT, L) \
	FMOVQ AT(R9), F25; \
	FMOVQ AT(R10), F26; \
	FMOVQ F25, AT(R10); \
	FSUB(26, 25, 26); \
	FMA(V26, V26, L); \
	FMAE(24, 26, 25); \
	FCMGTZ(25, 28); \
	VAND  V28.B16, V25.B16, V25.B16; \
	FMOVQ F25, AT(R9)

// func extrapolate(e *extrapolation): extrapolateGeneric, from and to e.lanes
//
// The last columns of a row are copied, completed with zeros, and copied back.
// Preconditions: rows, cols >= 1.
//
//	V0-V3 lanes   V24 beta   V25 x   V26 before, then d   V28 scratch
//	R1 x[i]   R2 before[i]   R4 R5 their strides   R9 R10 column reached
//	R3 lanes   R6 bytes of the last group   R7 rows left   R8 groups of a row
//	R11 groups left   R12 copies   R13 R14 the last columns   R15 scratch
BODY(bodies_extrapolate, extrapolateNEON<>)
	MOVD  e+0(FP), R0
	MOVE  extrapolation_beta(R0), F24
	IN4(extrapolation_x, R1, extrapolation_before, R2, extrapolation_lanes, R3, extrapolation_xStride, R4)
	IN3(extrapolation_beforeStride, R5, extrapolation_rows, R7, extrapolation_cols, R8)
	LSL   $SIZE_LOG, R8
	AND   $63, R8, R6
	LSR   $6, R8
	ADD   $extrapolation_copies, R0, R12
	LANES4(LANES_LOAD, R3)

row: // for rows left > 0 {
	MOVD R1, R9
	MOVD R2, R10
	CBZ  R8, part
	MOVD R8, R11

loop:
	EXTRAPOLATE_GROUP
	ADD  $64, R9
	ADD  $64, R10
	SUBS $1, R11
	BNE  loop

part:
	CBZ   R6, whole
	CLEAR64(0, R12)
	CLEAR64(64, R12)
	MOVD  R9, R13
	MOVD  R10, R14
	MOVD  R12, R15
	COPY(R9, R15, R6)
	ADD   $64, R12, R15
	COPY(R10, R15, R6)
	MOVD  R12, R9
	ADD   $64, R12, R10
	EXTRAPOLATE_GROUP
	COPY(R9, R13, R6)
	COPY(R10, R14, R6)

whole:
	ADD   R4, R1
	ADD   R5, R2
	SUBS  $1, R7
	BNE   row           // }
	LANES4(LANES_SAVE, R3)
	RET
