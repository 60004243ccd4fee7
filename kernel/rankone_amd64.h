// The passes of rankone.go, for AVX2 and AVX-512. A level defines before it
//
//	RW, ACC               w; acc, beside the lanes or in the place of some
//	V0 V1, OLD0 OLD1      v of two rows, and that of the previous pass
//	FOUR_ACC, FOUR_V0 ... acc and v of four rows
//	NSUM                  the register for n of the sums
//	PENALTY, PENALTY_IN   1-ρ, and what loads it
//	RANK_BEGIN(OTHER)     sets the registers that rankOne lists
//	VV_OUT                stores vv
//	RANK_LINE(BODY)       applies BODY, the step on a vector, to 64 bytes of the columns of a group of rows
//	RANK_LAST(FETCH, BODY)               the same for the last columns, perhaps with FETCH
//	GROUP_OF(BITS)        takes groups with so many bits in BITS
//	GROUP_START(OLD, old, add)
//	                      sets CX to the steps and R10, SI, BX to the row. Without stepDot it goes on at old or add.
//	OLD_V4, OLD_V2, OLD_V1, NEW_V4, ...  load the v of the previous pass, and v for the sums
//	LANES_R4, ...         apply an operation to the lanes of four rows, two or one
//	OLD_AND_ZERO(OLD, LANES)             loads v of the previous pass and clears the lanes
//	PROJECT_R4(old, square, add), ...    v = project(sum of lanes, inv), unless inv = 0, and vv
//	AUG_FETCH2            FETCH2 of augRankOne
//	AUG_STRIDES           sets DX for AUG_FETCH2 from R11, the stride of M, if AUG_FETCH2 needs it
//	MASKED_BEGIN, MASKED_STEPS           what a masked pass needs, with the number of the last columns in CX; the products and
//	                      updates of a group of CX rows, at R9, R11, R13 and R15
//	MASKED_COLS           as RANK_COLS, for steps that take a load, a store, and what finds the columns that are seen
//	N_SEEN, V_SEEN(V, R)  as READ_ROW, but zero where nothing is seen; R = V, or zero there
//	MV0 to MV3, MACC, MDEN, MASKED_ADDED     v of four rows, acc, den; goes on in these

// A pass defines READ_ROW and UPDATE_ROW below, FETCH2, which prefetches for groups of two, M_STRIDES, which sets R12 from R11,
// the stride of M, M_SUM0(AT) and M_SUM1(AT), the m of the sums in two groups, and M_OF_SUMS before AFTER_PRODUCTS_R2, where
// R10 is at m[i] of the products.
//
// The operations on one row are READ_ROW, which loads n into WN, and UPDATE_ROW, which updates it
// with p = v w, v in V; here those of RankOne.
#define RANK_UPDATED(LD, ST, N, M, V) \
	VMUL RW, V, WP; \
	LD(M, WM); \
	STEP(LD, ST, N)
#define RANK_READ(LD, N, M) LD(N, WN)

// The same up to the target of the augmented Lagrangian, N being G.
#define AUG_UPDATED(LD, ST, G, M, V) \
	VMUL RW, V, WP; \
	LD(M, WM); \
	AUG_STEP(LD, ST, G); \
	AUG_TARGET(PENALTY)
#define AUG_READ(LD, G, M) \
	LD(M, WM); \
	VMAX WNIL, WM, WM; \
	LD(G, WN); \
	AUG_TARGET(PENALTY)

// The steps on a vector of columns, for four rows (R4), two (R2) or one (R1), at AT bytes from the
// column reached: products with n at SI and the lanes in A0-A3; BEFORE takes them after the update.
#define PRODUCTS_R4(LD, ST, AT, A0, A1, A2, A3) \
	PRODUCTS_R2(LD, ST, AT, A0, A1, A2, A3); \
	LD(AT(SI)(R8*2), WN); \
	VFMA WN, RW, A2; \
	LD(AT(SI)(R9*1), WN); \
	VFMA WN, RW, A3
#define PRODUCTS_R2(LD, ST, AT, A0, A1, A2, A3) \
	PRODUCTS_R1(LD, ST, AT, A0, A1, A2, A3); \
	READ_ROW(LD, AT(SI)(R8*1), AT(R10)(R11*1)); \
	VFMA WN, RW, A1
#define PRODUCTS_R1(LD, ST, AT, A0, A1, A2, A3) \
	LD(AT(BX), RW); \
	READ_ROW(LD, AT(SI), AT(R10)); \
	VFMA WN, RW, A0
#define BEFORE_R2(LD, ST, AT, A0, A1, A2, A3) \
	BEFORE_R1(LD, ST, AT, A0, A1, A2, A3); \
	UPDATE_ROW(LD, ST, AT(SI)(R8*1), AT(R10)(R11*1), OLD1); \
	VFMA WN, RW, A1
#define BEFORE_R1(LD, ST, AT, A0, A1, A2, A3) \
	LD(AT(BX), RW); \
	UPDATE_ROW(LD, ST, AT(SI), AT(R10), OLD0); \
	VFMA WN, RW, A0

// Sums with n at NSUM, and m at R10, or M0 and M1; AFTER takes them after the update.
#define SUMS_R4(LD, ST, AT, A0, A1, A2, A3) \
	LD(AT(R13), FOUR_ACC); \
	SUM_ROW(LD, AT(NSUM), FOUR_V0); \
	SUM_ROW(LD, AT(NSUM)(R8*1), FOUR_V1); \
	SUM_ROW(LD, AT(NSUM)(R8*2), FOUR_V2); \
	SUM_ROW(LD, AT(NSUM)(R9*1), FOUR_V3); \
	ST(FOUR_ACC, AT(R13))
#define SUM_ROW(LD, N, V) LD(N, WN); VFMA WN, V, FOUR_ACC
#define SUMS_R2(LD, ST, AT, A0, A1, A2, A3) SUMS_OF_R2(LD, ST, AT, AT(R10), AT(R10)(R11*1))
#define SUMS_OF_R2(LD, ST, AT, M0, M1) \
	LD(AT(R13), ACC); \
	READ_ROW(LD, AT(NSUM), M0); \
	VFMA WN, V0, ACC; \
	READ_ROW(LD, AT(NSUM)(R8*1), M1); \
	VFMA WN, V1, ACC; \
	ST(ACC, AT(R13))
#define SUMS_R1(LD, ST, AT, A0, A1, A2, A3) \
	LD(AT(R13), ACC); \
	READ_ROW(LD, AT(NSUM), AT(R10)); \
	VFMA WN, V0, ACC; \
	ST(ACC, AT(R13))
#define AFTER_R2(LD, ST, AT, A0, A1, A2, A3) AFTER_OF_R2(LD, ST, AT, AT(R10), AT(R10)(R11*1))
#define AFTER_OF_R2(LD, ST, AT, M0, M1) \
	LD(AT(BX), RW); \
	LD(AT(R13), ACC); \
	UPDATE_ROW(LD, ST, AT(NSUM), M0, V0); \
	VFMA WN, V0, ACC; \
	UPDATE_ROW(LD, ST, AT(NSUM)(R8*1), M1, V1); \
	VFMA WN, V1, ACC; \
	ST(ACC, AT(R13))
#define AFTER_R1(LD, ST, AT, A0, A1, A2, A3) \
	LD(AT(BX), RW); \
	LD(AT(R13), ACC); \
	UPDATE_ROW(LD, ST, AT(NSUM), AT(R10), V0); \
	VFMA WN, V0, ACC; \
	ST(ACC, AT(R13))

// The sums of one group and the products of the next.
#define SUMS_PRODUCTS_R4(LD, ST, AT, A0, A1, A2, A3) \
	SUMS_R4(LD, ST, AT, A0, A1, A2, A3); \
	PRODUCTS_R4(LD, ST, AT, A0, A1, A2, A3)
#define SUMS_BEFORE_R2(LD, ST, AT, A0, A1, A2, A3) \
	SUMS_OF_R2(LD, ST, AT, M_SUM0(AT), M_SUM1(AT)); \
	BEFORE_R2(LD, ST, AT, A0, A1, A2, A3)
#define AFTER_PRODUCTS_R2(LD, ST, AT, A0, A1, A2, A3) \
	AFTER_OF_R2(LD, ST, AT, M_SUM0(AT), M_SUM1(AT)); \
	PRODUCTS_R2(LD, ST, AT, A0, A1, A2, A3)

// The groups that come next are fetched meanwhile: four rows with R11, R12 = 5, 7 strides of N, or two
// with R9 = 5 strides of N and R12 = 5 of M.
#define FETCH_R4 FETCH4((SI)(R8*4), (SI)(R11*1), (SI)(R9*2), (SI)(R12*1))
#define RANK_FETCH2 FETCH4((SI)(R8*4), (SI)(R9*1), (R10)(R11*4), (R10)(R12*1))

// The columns of a group of rows, while FETCH prefetches for the groups that come next. Goes on at end.
#define RANK_COLS(FETCH, BODY, loop, part, end) \
	MOVQ rankOne_cols(DI), CX; \
	SHRQ $LINE_LOG, CX; \
	JEQ  part; \
loop: /* for columns left > 0 { */ \
	FETCH; \
	RANK_LINE(BODY); \
	NEXT4(64, SI, NSUM, R10, BX); \
	ADDQ $64, R13; \
	DECQ CX; \
	JNE  loop; /* } */ \
part: /* the last columns */ \
	TESTQ $(64/SIZE-1), rankOne_cols(DI); \
	JEQ   end; \
	RANK_LAST(FETCH, BODY); \
	JMP   end

// The products of a group, its sums, and both at once, the sums of one group and the products of the next: RANK_OF says where
// they go on. Groups of four have no update. Of groups of one the sums come alone.
#define DOTS_R4 RANK_COLS(NOTHING, PRODUCTS_R4, dotLoop, dotPart, dotted)
#define DOTS_R2 DOTS_OF(PRODUCTS_R2, BEFORE_R2)
#define DOTS_R1 DOTS_OF(PRODUCTS_R1, BEFORE_R1)
#define DOTS_OF(PRODUCTS, BEFORE) \
	TESTL $const_updateDot, CX; \
	JNE   updateDot; \
	RANK_COLS(NOTHING, PRODUCTS, dotLoop, dotPart, dotted); \
updateDot: \
	RANK_COLS(NOTHING, BEFORE, updateDotLoop, updateDotPart, dotted)
#define ADDS_R4 RANK_COLS(NOTHING, SUMS_R4, addLoop, addPart, next)
#define ADDS_R2 ADDS_OF(SUMS_R2, AFTER_R2)
#define ADDS_R1 ADDS_OF(SUMS_R1, AFTER_R1)
#define ADDS_OF(SUMS, AFTER) \
	TESTL $const_updateAdd, CX; \
	JNE   updateAdd; \
	RANK_COLS(NOTHING, SUMS, addLoop, addPart, next); \
updateAdd: \
	RANK_COLS(NOTHING, AFTER, updateAddLoop, updateAddPart, next)
#define BOTH_R4 \
	BOTH_OF(4, OLD_V4, LANES_R4); \
	RANK_COLS(FETCH_R4, SUMS_PRODUCTS_R4, bothLoop, bothPart, project)
#define BOTH_R2 /* the update is that of the sums or that of the products */ \
	TESTL $(const_updateDot|const_updateAdd), CX; \
	JEQ   addOnly; \
	BOTH_OF(2, OLD_V2, LANES_R2); \
	LEAQ  (R10)(R11*2), R10; \
	MOVQ  R10, rankOne_mRow(DI); \
	TESTL $const_updateAdd, CX; \
	JNE   updateBoth; \
	RANK_COLS(FETCH2, SUMS_BEFORE_R2, bothLoop, bothPart, project); \
updateBoth: \
	M_OF_SUMS; \
	RANK_COLS(FETCH2, AFTER_PRODUCTS_R2, updateBothLoop, updateBothPart, project)
#define BOTH_R1
#define BOTH_OF(N, OLD, LANES) \
	TESTL $const_stepDot, CX; \
	JEQ   addOnly; \
	CMPQ  rankOne_left(DI), $N; \
	JLT   addOnly; \
	SUBQ  $N, rankOne_left(DI); \
	ADDQ  $(N*SIZE), R14; \
	LEAQ  (R15)(R8*N), R15; \
	MOVQ  R15, SI; \
	OLD_AND_ZERO(OLD, LANES)

// The strides that groups of four, of two and of one need.
#define STRIDES_R4 LEAQ (R8)(R8*2), R9; LEAQ (R8)(R8*4), R11; LEAQ (R9)(R8*4), R12
#define STRIDES_R2 LEAQ (R8)(R8*4), R9; M_STRIDES
#define STRIDES_R1 MOVQ rankOne_mStride(DI), R11

// The function for groups of N rows, while there are so many. It goes on in REST with what is left.
#define RANK_OF(NAME, N, STRIDES, OLD, NEW, LANES, DOTS, PROJECTED_TO, BOTH, ADDS, REST) \
	TEXT NAME(SB), NOSPLIT|NOFRAME, $0-8; \
	STRIDES; \
	GROUP_OF((1<<N-1)); \
	SUBQ $N, rankOne_left(DI); \
	JLT  rest; \
group: /* for rows left >= N { */ \
	GROUP_START(OLD, old, add); \
	LANES(LANE_ZERO); \
	TESTL $const_stepResume, CX; \
	JEQ   dot; \
	MOVQ  rankOne_lanes(DI), R13; \
	LANES(LOAD); \
dot: \
	DOTS; \
dotted: \
	TESTL $const_stepSuspend, rankOne_steps(DI); \
	JEQ   project; \
	MOVQ  rankOne_lanes(DI), R13; \
	LANES(LANE_SAVE); \
	JMP   next; \
project: \
	PROJECTED_TO(old, square, add); \
add: \
	MOVQ  rankOne_steps(DI), CX; \
	TESTL $const_stepAdd, CX; \
	JEQ   next; \
	NEW; \
	MOVQ  R15, NSUM; \
	MOVQ  rankOne_mRow(DI), R10; \
	IN2(rankOne_w, BX, rankOne_acc, R13); \
	BOTH; \
addOnly: \
	ADDS; \
next: \
	LEAQ (R15)(R8*N), R15; \
	LEAQ (R11*N), CX; \
	ADDQ CX, rankOne_mRow(DI); \
	ADDQ $(N*SIZE), R14; \
	SUBQ $N, rankOne_left(DI); \
	JGE  group; /* } */ \
rest: \
	ADDQ $N, rankOne_left(DI); \
	JMP  REST(SB)

// func rankOne(r *rankOne): rankOneGeneric, in steps
//
// Rows go in groups: of four, or with stepPairs of two, while there are so many, then of one. With stepDot and
// stepAdd, the sums of a group are taken together with the products of the next one, at project, and the ones after
// that are prefetched: rows come from L3 or memory at an even pace.
//
// Preconditions: rows, cols >= 1; with stepResume or stepSuspend, rows is that
// of one group; stepPairs if there is an update or M.
//
//	R8 R9      1, 3 strides of N in groups of four, 1, 5 in groups of two
//	R11 R12    5, 7 strides of N in groups of four, 1, 5 of M in groups of two
//	R14 &v[i]  R15 n[i], r.mRow m[i], first column
//	SI n[i]    NSUM n[i] of the sums   R10 m[i]   BX w   R13 acc, lanes: column reached
//	CX columns left; steps   r.left rows left, but for the group   and those of the level
BODY(bodies_rankOne, AT_LEVEL(rankOneAVX2<>, rankOneAVX512<>))
	RANK_BEGIN(NOTHING)
	TESTL $const_stepPairs, rankOne_steps(DI)
	JNE   2(PC)
	JMP   AT_LEVEL(rankOneAVX2of4<>, rankOneAVX512of4<>)(SB)
	JMP   AT_LEVEL(rankOneAVX2of2<>, rankOneAVX512of2<>)(SB)

#define READ_ROW RANK_READ
#define UPDATE_ROW RANK_UPDATED
#define M_SUM0(AT) AT(R10)
#define M_SUM1(AT) AT(R10)(R11*1)
#define FETCH2 RANK_FETCH2
#define M_STRIDES LEAQ (R11)(R11*4), R12
#define M_OF_SUMS SUBQ R11, R10; SUBQ R11, R10
#define FOURS_OF(NAME, REST) RANK_OF(NAME, 4, STRIDES_R4, OLD_V4, NEW_V4, LANES_R4, DOTS_R4, PROJECT_R4, BOTH_R4, ADDS_R4, REST)
#define TWOS_OF(NAME, REST) RANK_OF(NAME, 2, STRIDES_R2, OLD_V2, NEW_V2, LANES_R2, DOTS_R2, PROJECT_R2, BOTH_R2, ADDS_R2, REST)
#define ONES_OF(NAME, REST) RANK_OF(NAME, 1, STRIDES_R1, OLD_V1, NEW_V1, LANES_R1, DOTS_R1, PROJECT_R1, BOTH_R1, ADDS_R1, REST)
FOURS_OF(AT_LEVEL(rankOneAVX2of4<>, rankOneAVX512of4<>), AT_LEVEL(rankOneAVX2of1<>, rankOneAVX512of1<>))
TWOS_OF(AT_LEVEL(rankOneAVX2of2<>, rankOneAVX512of2<>), AT_LEVEL(rankOneAVX2of1<>, rankOneAVX512of1<>))
ONES_OF(AT_LEVEL(rankOneAVX2of1<>, rankOneAVX512of1<>), AT_LEVEL(rankOneAVX2of0<>, rankOneAVX512of0<>))
TEXT AT_LEVEL(rankOneAVX2of0<>, rankOneAVX512of0<>)(SB), NOSPLIT|NOFRAME, $0-8
	VV_OUT
	VZEROUPPER
	RET

// func augRankOne(r *rankOne): rankOneAugmentedGeneric, in steps
//
// rankOne on the target of the augmented Lagrangian: n is G, of which the target is
// formed wherever a row is read, and m is always there. Rows go in groups of two and of
// one. Of two groups, R10 is at m of the later one.
//
// Preconditions: those of rankOne, and stepPairs. Registers as there, but for
//
//	WMU 1/(1+ρ)   R12 -1 stride of M
BODY(bodies_augRankOne, AT_LEVEL(augRankOneAVX2<>, augRankOneAVX512<>))
	RANK_BEGIN(PENALTY_IN)
	JMP AT_LEVEL(augRankOneAVX2of2<>, augRankOneAVX512of2<>)(SB)

#undef READ_ROW
#undef UPDATE_ROW
#undef M_SUM0
#undef M_SUM1
#undef FETCH2
#undef M_STRIDES
#undef M_OF_SUMS
#define READ_ROW AUG_READ
#define UPDATE_ROW AUG_UPDATED
#define M_SUM0(AT) AT(R10)(R12*2)
#define M_SUM1(AT) AT(R10)(R12*1)
#define FETCH2 AUG_FETCH2
#define M_STRIDES MOVQ R11, R12; NEGQ R12; AUG_STRIDES
#define M_OF_SUMS
TWOS_OF(AT_LEVEL(augRankOneAVX2of2<>, augRankOneAVX512of2<>), AT_LEVEL(augRankOneAVX2of1<>, augRankOneAVX512of1<>))
ONES_OF(AT_LEVEL(augRankOneAVX2of1<>, augRankOneAVX512of1<>), AT_LEVEL(rankOneAVX2of0<>, rankOneAVX512of0<>))

// On to the next row of N, M, the mask and v in a masked pass, with their strides.
#define MASKED_NEXT ADDQ R8, R9; ADDQ R10, R11; ADDQ R12, R13; ADDQ $SIZE, R15

// The sums of a masked pass, for a group of four rows (R4) or of one (R1).
#define MASKED_FETCH FETCH4((SI)(R8*4), (SI)(R9*2), (DX)(R10*4), (DX)(R11*2))
#define MASKED_ADD_R4(LD, ST, AT, A, B, SN) \
	LD((R15), MACC); \
	LD((AX), MDEN); \
	MASKED_ADD_ROW(LD, SN, AT(SI), AT(DX), (BX), MV0); \
	MASKED_ADD_ROW(LD, SN, AT(SI)(R8*1), AT(DX)(R10*1), (BX)(R12*1), MV1); \
	MASKED_ADD_ROW(LD, SN, AT(SI)(R8*2), AT(DX)(R10*2), (BX)(R12*2), MV2); \
	MASKED_ADD_ROW(LD, SN, AT(SI)(R9*1), AT(DX)(R11*1), (BX)(R13*1), MV3); \
	MASKED_SUMS(ST)
#define MASKED_ADD_R1(LD, ST, AT, A, B, SN) \
	LD((R15), MACC); \
	LD((AX), MDEN); \
	MASKED_ADD_ROW(LD, SN, AT(SI), AT(DX), (BX), MV0); \
	MASKED_SUMS(ST)
#define MASKED_ADD_ROW(LD, SN, N, M, O, V) \
	SN(O); \
	N_SEEN(LD, N, M); \
	VFMA WN, V, MACC; \
	V_SEEN(V, RW); \
	VFMA RW, RW, MDEN
#define MASKED_SUMS(ST) ST(MACC, (R15)); ST(MDEN, (AX)); MASKED_ADDED

// func maskedRankOne(r *rankOne): rankOneMaskedGeneric, in steps
//
// Groups are of four rows while there are so many, then of one.
// Preconditions: rows, cols >= 1; with stepResume or stepSuspend, rows is that of one
// group.
//
//	SI n[0]    R8 R9    1, 3 strides of N: in the sums; in the steps R9 R11 R13 R15
//	DX m[0]    R10 R11  1, 3 of M            n[i], m[i], seen[i], &v[i]
//	BX seen[0] R12 R13  1, 3 of the mask
//	R15 acc   AX den: at the column reached   CX groups of columns left; scratch
//	r.left rows left, but for the group   r.group rows of the group
//	r.nRow, r.mRow, r.seenRow, r.vAt   the group, first column   and those of the level
#define MASKED_PASS \
	MOVQ r+0(FP), DI; \
	MOVQ rankOne_cols(DI), CX; \
	ANDQ $(64/SIZE-1), CX; \
	MASKED_BEGIN; \
	IN4(rankOne_nStride, R8, rankOne_mStride, R10, rankOne_seenStride, R12, rankOne_n, R9); \
	IN4(rankOne_m, R11, rankOne_seen, R13, rankOne_v, R15, rankOne_rows, CX); \
	MOVQ CX, rankOne_left(DI); \
group: /* for groups of rows left > 0 { */ \
	OUT4(R9, rankOne_nRow, R11, rankOne_mRow, R13, rankOne_seenRow, R15, rankOne_vAt); \
	MOVL $4, CX; \
	CMPQ rankOne_left(DI), $4; \
	JGE  grouped; \
	MOVL $1, CX; \
grouped: \
	MOVQ CX, rankOne_group(DI); \
	SUBQ CX, rankOne_left(DI); \
	MASKED_STEPS; \
sums: \
	TESTL $const_stepAdd, rankOne_steps(DI); \
	JEQ   added; \
	IN3(rankOne_nRow, SI, rankOne_mRow, DX, rankOne_seenRow, BX); \
	LEAQ  (R8)(R8*2), R9; \
	LEAQ  (R10)(R10*2), R11; \
	LEAQ  (R12)(R12*2), R13; \
	IN3(rankOne_acc, R15, rankOne_den, AX, rankOne_vAt, CX); \
	VBCST (CX), MV0; \
	CMPQ  rankOne_group(DI), $1; \
	JEQ   add1; \
	VBCST SIZE(CX), MV1; \
	VBCST (2*SIZE)(CX), MV2; \
	VBCST (3*SIZE)(CX), MV3; \
	MASKED_COLS(MASKED_FETCH, MASKED_ADD_R4, addLoop4, addPart4, added); \
add1: \
	MASKED_COLS(NOTHING, MASKED_ADD_R1, addLoop1, addPart1, added); \
added: \
	IN3(rankOne_group, CX, rankOne_nRow, R9, rankOne_mRow, R11); \
	IN2(rankOne_seenRow, R13, rankOne_vAt, R15); \
onward: \
	MASKED_NEXT; \
	DECQ CX; \
	JNE  onward; \
	CMPQ rankOne_left(DI), $0; \
	JNE  group; /* } */ \
	VZEROUPPER; \
	RET
BODY(bodies_maskedRankOne, AT_LEVEL(maskedRankOneAVX2<>, maskedRankOneAVX512<>))
#undef READ_ROW
#define READ_ROW RANK_READ
#define STEP_OF STEP
	MASKED_PASS

// func maskedAugRank(r *rankOne): rankOneAugmentedMaskedGeneric, in steps
//
// maskedRankOne on the target of the augmented Lagrangian, as augRankOne is rankOne.
BODY(bodies_maskedAugRank, AT_LEVEL(maskedAugRankAVX2<>, maskedAugRankAVX512<>))
#undef READ_ROW
#undef STEP_OF
#define READ_ROW AUG_READ
#define STEP_OF AUG_STEP
	MASKED_PASS
