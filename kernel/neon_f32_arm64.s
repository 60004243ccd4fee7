//go:build !purego

// The NEON bodies in float32.

#include "go_asm.h"
#include "textflag.h"

#define TABLE ·neonF32
#define CONTRACT ·contractNEONF32
#define OUTER ·outerNEONF32
#define OUTER1 outerNEONF32of1<>
#define OUTER2 outerNEONF32of2<>
#define OUTER3 outerNEONF32of3<>
#define OUTER4 outerNEONF32of4<>
#define OUTER5 outerNEONF32of5<>
#define OUTER6 outerNEONF32of6<>
#define SWEEP ·sweepNEONF32
#define SWEEP1 sweepNEONF32of1<>
#define SWEEP2 sweepNEONF32of2<>
#define SWEEP3 sweepNEONF32of3<>
#define SWEEP4 sweepNEONF32of4<>
#define SWEEP5 sweepNEONF32of5<>
#define SWEEP6 sweepNEONF32of6<>
#define SWEEP7 sweepNEONF32of7<>
#define SWEEP8 sweepNEONF32of8<>
#define SWEEP9 sweepNEONF32of9<>
#define SWEEP10 sweepNEONF32of10<>
#define SWEEP11 sweepNEONF32of11<>
#define SWEEP12 sweepNEONF32of12<>
#define SWEEP_LEFT sweepNEONF32left<>
#define SWEEP_HALF sweepNEONF32half<>
#define SWEEP_QUARTER sweepNEONF32quarter<>
#define SWEEP_END sweepNEONF32end<>
#define UPDATE ·updateNEONF32
#define ADDITION ·addNEONF32
#define EXTRAPOLATE ·extrapolateNEONF32
#define RANK_ONE ·rankOneNEONF32
#define AUGMENT ·augmentNEONF32
#define TARGET ·targetNEONF32
#define AUG_RANK_ONE ·augRankOneNEONF32
#define KEEP ·keepNEONF32
#define IMPUTE ·imputeNEONF32
#define WEIGH ·weighNEONF32
#define MASKED_UPDATE ·maskedUpdateNEONF32
#define MASKED_AUGMENT ·maskedAugmentNEONF32
#define MASKED_TARGET ·maskedTargetNEONF32
#define MASKED_RANK_ONE ·maskedRankOneNEONF32
#define MASKED_AUG_RANK ·maskedAugRankNEONF32
#define DOT ·dotNEONF32
#define MAX ·maxNEONF32
#define MIN ·minNEONF32
#define COUNT ·countLessNEONF32
#define ADD_SPARSE ·addSparseNEONF32
#define ADD_TRANSPOSED ·addTransposedNEONF32
#define SAMPLED ·sampledNEONF32
#define SPARSE_RANK_ONE ·sparseRankOneNEONF32
#define RATIO ·ratioNEONF32
#define DOTLOG ·dotLogNEONF32
#define DERIVE ·logDerivativesNEONF32
#define PANEL ·panelNEONF32
#define ADD_SCALED ·addScaledNEONF32
#define SCALE ·scaleNEONF32

#define SINGLE(CODE) CODE
#define SIZE 4
#define SIZE_LOG 2
#define MOVE FMOVS
#define MOVE2 FMOVD
#define MOVI MOVWU
#define SHLI LSLW
#define SPREAD(P, V) VLD1R (P), [V.S4]
#define FMA(M, N, D) VFMLA M.S4, N.S4, D.S4
#define FMAE(m, n, d) VFMLAE_S4(m, 0, n, d)
#define FMSE(m, n, d) VFMLSE_S4(m, 0, n, d)
#define FMULE(m, n, d) VFMULE_S4(m, 0, n, d)
#define FADD(m, n, d) VFADD_S4(m, n, d)
#define FSUB(m, n, d) VFSUB_S4(m, n, d)
#define FMUL(m, n, d) VFMUL_S4(m, n, d)
#define FCMGT(m, n, d) VFCMGT_S4(m, n, d)
#define FCMGTZ(n, d) VFCMGTZ_S4(n, d)
#define COPY4(S, D, B) \
	TBZ     $2, B, 3(PC); \
	FMOVS.P 4(S), F27; \
	FMOVS.P F27, 4(D)
#define SUM_TWO \
	VZIP1 V27.D2, V26.D2, V28.D2; \
	VZIP2 V27.D2, V26.D2, V31.D2; \
	FADD(31, 28, 26); \
	VFADDP_S4(26, 26, 26)
#define DIV(M, N, D) FDIVS M, N, D
#define EQUAL(M, N, D) VCMEQ M.S4, N.S4, D.S4
#define BIT_OF_LANE(R) MOVD $bits32<>(SB), R; FMOVQ (R), F29
#define TEST_BITS(R) VDUP R, V30.S4; VCMTST V29.S4, V30.S4, V30.S4
#define SPLIT(A, B) VDUP V26.S[0], A.S4; VDUP V26.S[1], B.S4
#define FOLD_VECTOR(OP) \
	VEXT $8, V0.B16, V0.B16, V1.B16; \
	OP(1, V1, 0, V0); \
	VEXT $4, V0.B16, V0.B16, V1.B16; \
	OP(1, V1, 0, V0)
#define COUNT_UP(M, D) VSUB M.S4, D.S4, D.S4
#define COUNT_ADD(M, D) VADD M.S4, D.S4, D.S4
#define COUNT_SUM VUADDLV V4.S4, V4; FMOVD F4, R2
#define FDIV(m, n, d) VFDIV_S4(m, n, d)
#define ADD_TO(N, D) VADD N.S4, D.S4, D.S4
#define SHIFTED(N, D) VUSHR $23, N.S4, D.S4
#define POLY \
	VMOV V27.B16, V11.B16; \
	VMOV V28.B16, V6.B16; \
	POLY_STEP(V25, V11); \
	POLY_STEP(V26, V6); \
	FMUL(8, 8, 9)

#include "kernel_arm64.h"
#include "reduce_arm64.h"
#include "products_arm64.h"
#include "sweep_arm64.h"
#include "entries_arm64.h"
#include "rankone_arm64.h"
#include "divergence_arm64.h"
#include "sparse_arm64.h"
#include "linear_arm64.h"
#include "bodies.h"
