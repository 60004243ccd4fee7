// The AVX-512 bodies of entries.go. kernel_avx512_amd64.h has what the rooms share.

// The columns of 64 bytes, for entries_amd64.h.
#define LINE_LOG LANES_LOG
#define LINE_MASKS LAST_MASK(CX)
#define LINE(OP, LD, ST) OP(LD, ST, 0, Z0)
#define LINE_PART(OP) LINE(OP, PART_LOAD, PART_STORE)

// The rows and columns of the kernels on an update, entry by entry, and the return. STEP_OF is the
// operation on a vector of columns, which may take K2 from the mask.
#define ENTRY_ROWS(STEP_OF) \
	MOVQ   u+0(FP), DI; \
	MOVQ   update_n(DI), SI; \
	MOVQ   update_m(DI), DX; \
	MOVQ   update_p(DI), BX; \
	MOVQ   update_nStride(DI), R8; \
	MOVQ   update_mStride(DI), R9; \
	MOVQ   update_pStride(DI), R10; \
	MOVQ   update_rows(DI), R11; \
	MOVQ   R11, R12; \
	IMULQ  R9, R12; \
	MOVQ   update_cols(DI), CX; \
	ANDQ   $(64/SIZE-1), CX; \
	MOVL   $1, AX; \
	SHLL   CX, AX; \
	DECL   AX; \
	KMOVW  AX, K1; \
	BYTES_OF(AX, R14); \
	MOVQ   update_seen(DI), R15; \
	VPXORQ Z21, Z21, Z21; \
	VBCST  update_mu(DI), Z20; \
	VBCST  update_nu(DI), Z9; \
row: /* for rows left > 0 { */ \
	XORL  AX, AX; \
	LEAQ  (DX)(R12*1), R13; \
	MOVQ  update_cols(DI), CX; \
	SHRQ  $LANES_LOG, CX; \
	JEQ   part; \
loop: \
	STEP_OF(LOAD, STORE, SEEN); \
	ADDQ $64, AX; \
	DECQ CX; \
	JNE  loop; \
part: \
	KORTESTW K1, K1; \
	JEQ      whole; \
	STEP_OF(PART_LOAD, PART_STORE, PART_SEEN); \
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
//	Z5 p, then m⁺-p   Z6 m, then m⁺   Z7 n   Z20 µ   Z21 zero
//	SI n[i]   DX m[i]   BX p[i]   R8 R9 R10 their strides
//	AX column in bytes   CX vectors left   R11 rows left   K1 last columns
//	R12 from m[i] to the rows behind the last of these, which are fetched, R13 those
#define UPDATE_BODY(LD, ST, KLD) \
	LD((BX)(AX*1), Z5); \
	LD((DX)(AX*1), Z6); \
	PREFETCHT1 (R13)(AX*1); \
	STEP(LD, ST, (SI)(AX*1))
DATA TABLE+bodies_update(SB)/8, $updateAVX512<>(SB)
TEXT updateAVX512<>(SB), NOSPLIT|NOFRAME, $0-8
	ENTRY_ROWS(UPDATE_BODY)

// func add(u *update): addGeneric, of n and m
//
// Preconditions and registers as above; p is not used.
#define ADD_BODY(LD, ST, KLD) \
	LD((SI)(AX*1), Z7); \
	LD((DX)(AX*1), Z6); \
	VADD Z6, Z7, Z7; \
	ST(Z7, (SI)(AX*1))
DATA TABLE+bodies_add(SB)/8, $addAVX512<>(SB)
TEXT addAVX512<>(SB), NOSPLIT|NOFRAME, $0-8
	ENTRY_ROWS(ADD_BODY)

// func augment(u *update): updateAugmentedGeneric: n is G, p is N, mu and nu are the weights
//
// Preconditions: rows, cols >= 1.
//
//	Z5 Z6 Z7 p, m, n, see AUG_STEP and AUG_TARGET   Z9 nu   Z20 mu   Z21 zero
//	SI n[i]   DX m[i]   BX p[i]   R8 R9 R10 their strides
//	AX column in bytes   CX vectors left   R11 rows left   K1 last columns
#define AUGMENT_BODY(LD, ST, KLD) \
	LD((BX)(AX*1), Z5); \
	LD((DX)(AX*1), Z6); \
	AUG_STEP(LD, ST, (SI)(AX*1)); \
	AUG_TARGET; \
	ST(Z7, (BX)(AX*1))
DATA TABLE+bodies_augment(SB)/8, $augmentAVX512<>(SB)
TEXT augmentAVX512<>(SB), NOSPLIT|NOFRAME, $0-8
	ENTRY_ROWS(AUGMENT_BODY)

// func target(u *update): targetGeneric: p is G, mu and nu are a and b
//
// Preconditions and registers as above.
#define TARGET_BODY(LD, ST, KLD) \
	LD((BX)(AX*1), Z7); \
	LD((DX)(AX*1), Z6); \
	TARGET_OF; \
	ST(Z7, (SI)(AX*1))
DATA TABLE+bodies_target(SB)/8, $targetAVX512<>(SB)
TEXT targetAVX512<>(SB), NOSPLIT|NOFRAME, $0-8
	ENTRY_ROWS(TARGET_BODY)

// func keep(u *update): keepGeneric
//
// Preconditions: rows, cols >= 1.
//
//	Z7 n   K2 seen   SI n[i]   DX m[i]   BX p[i]   R15 seen[i]   R8 R9 R10 strides of n, m, p
//	AX column in bytes   CX vectors left   R11 rows left   K1 last columns   K3 their bytes
#define KEEP_BODY(LD, ST, KLD) \
	KLD((R15)); \
	SEEN_LOAD((SI)(AX*1), Z7); \
	ST(Z7, (SI)(AX*1))
DATA TABLE+bodies_keep(SB)/8, $keepAVX512<>(SB)
TEXT keepAVX512<>(SB), NOSPLIT|NOFRAME, $0-8
	ENTRY_ROWS(KEEP_BODY)

// func impute(u *update): imputeGeneric
//
// Preconditions and registers as above; Z6 m.
#define IMPUTE_BODY(LD, ST, KLD) \
	KLD((R15)); \
	SEEN_LOAD((DX)(AX*1), Z6); \
	SEEN_STORE(Z6, (SI)(AX*1))
DATA TABLE+bodies_impute(SB)/8, $imputeAVX512<>(SB)
TEXT imputeAVX512<>(SB), NOSPLIT|NOFRAME, $0-8
	ENTRY_ROWS(IMPUTE_BODY)

// func weigh(u *update): imputeWeightedGeneric: p is the weight, mu is 1
//
// Preconditions and registers as above, but for
//
//	Z5 p   Z6 m   Z7 n   Z8 mu-p, then the new n   K2 p > 0   Z20 mu   Z21 zero
#define WEIGH_BODY(LD, ST, KLD) \
	LD((BX)(AX*1), Z5); \
	LD((DX)(AX*1), Z6); \
	LD((SI)(AX*1), Z7); \
	VCMP  $0x1E, Z21, Z5, K2; \
	VSUB  Z5, Z20, Z8; \
	VMUL  Z7, Z8, Z8; \
	VFMA  Z6, Z5, Z8; \
	VMOVU Z8, K2, Z7; \
	ST(Z7, (SI)(AX*1))
DATA TABLE+bodies_weigh(SB)/8, $weighAVX512<>(SB)
TEXT weighAVX512<>(SB), NOSPLIT|NOFRAME, $0-8
	ENTRY_ROWS(WEIGH_BODY)

// func maskedUpdate(u *update): updateMaskedGeneric
//
// Preconditions and registers as above, but for those of update and
//
//	Z8 p, then n
#define MASKED_UPDATE_BODY(LD, ST, KLD) \
	KLD((R15)); \
	LD((BX)(AX*1), Z8); \
	SEEN_LOAD((DX)(AX*1), Z6); \
	VMOVU Z8, Z5; \
	STEP(SEEN_LOAD, NO_STORE, (SI)(AX*1)); \
	VMOVU Z7, K2, Z8; \
	ST(Z8, (SI)(AX*1))
DATA TABLE+bodies_maskedUpdate(SB)/8, $maskedUpdateAVX512<>(SB)
TEXT maskedUpdateAVX512<>(SB), NOSPLIT|NOFRAME, $0-8
	ENTRY_ROWS(MASKED_UPDATE_BODY)

// func maskedAugment(u *update): updateAugmentedMaskedGeneric, as augment
//
// Preconditions and registers as above, but for those of augment.
#define MASKED_AUGMENT_BODY(LD, ST, KLD) \
	KLD((R15)); \
	SEEN_LOAD((BX)(AX*1), Z5); \
	SEEN_LOAD((DX)(AX*1), Z6); \
	AUG_STEP(SEEN_LOAD, SEEN_STORE, (SI)(AX*1)); \
	AUG_TARGET; \
	SEEN_STORE(Z7, (BX)(AX*1))
DATA TABLE+bodies_maskedAugment(SB)/8, $maskedAugmentAVX512<>(SB)
TEXT maskedAugmentAVX512<>(SB), NOSPLIT|NOFRAME, $0-8
	ENTRY_ROWS(MASKED_AUGMENT_BODY)

// func maskedTarget(u *update): targetMaskedGeneric, as target
//
// Preconditions and registers as above, but for those of target.
#define MASKED_TARGET_BODY(LD, ST, KLD) \
	KLD((R15)); \
	SEEN_LOAD((BX)(AX*1), Z7); \
	SEEN_LOAD((DX)(AX*1), Z6); \
	TARGET_OF; \
	SEEN_STORE(Z7, (SI)(AX*1))
DATA TABLE+bodies_maskedTarget(SB)/8, $maskedTargetAVX512<>(SB)
TEXT maskedTargetAVX512<>(SB), NOSPLIT|NOFRAME, $0-8
	ENTRY_ROWS(MASKED_TARGET_BODY)
