//go:build !purego

// The AVX2 bodies in float32.

#include "go_asm.h"
#include "textflag.h"

#define TABLE ·avx2F32
#define CONTRACT ·contractAVX2F32
#define OUTER ·outerAVX2F32
#define OUTER1 outerAVX2F32of1<>
#define OUTER2 outerAVX2F32of2<>
#define OUTER3 outerAVX2F32of3<>
#define OUTER4 outerAVX2F32of4<>
#define SWEEP ·sweepAVX2F32
#define SWEEP1 sweepAVX2F32of1<>
#define SWEEP2 sweepAVX2F32of2<>
#define SWEEP3 sweepAVX2F32of3<>
#define SWEEP4 sweepAVX2F32of4<>
#define SWEEP5 sweepAVX2F32of5<>
#define SWEEP6 sweepAVX2F32of6<>
#define SWEEP7 sweepAVX2F32of7<>
#define SWEEP8 sweepAVX2F32of8<>
#define UPDATE ·updateAVX2F32
#define ADDITION ·addAVX2F32
#define EXTRAPOLATE ·extrapolateAVX2F32
#define RANK_ONE ·rankOneAVX2F32
#define AUGMENT ·augmentAVX2F32
#define TARGET ·targetAVX2F32
#define AUG_RANK_ONE ·augRankOneAVX2F32
#define KEEP ·keepAVX2F32
#define IMPUTE ·imputeAVX2F32
#define WEIGH ·weighAVX2F32
#define MASKED_UPDATE ·maskedUpdateAVX2F32
#define MASKED_AUGMENT ·maskedAugmentAVX2F32
#define MASKED_TARGET ·maskedTargetAVX2F32
#define MASKED_RANK_ONE ·maskedRankOneAVX2F32
#define MASKED_AUG_RANK ·maskedAugRankAVX2F32
#define DOT ·dotAVX2F32
#define MAX ·maxAVX2F32
#define MIN ·minAVX2F32
#define COUNT ·countLessAVX2F32
#define RATIO ·ratioAVX2F32
#define DOTLOG ·dotLogAVX2F32
#define DERIVE ·logDerivativesAVX2F32
#define PANEL ·panelAVX2F32
#define ADD_SCALED ·addScaledAVX2F32
#define SCALE ·scaleAVX2F32
#define ADD_SPARSE ·addSparseAVX2F32
#define ADD_TRANSPOSED ·addTransposedAVX2F32
#define SAMPLED ·sampledAVX2F32
#define SPARSE_RANK_ONE ·sparseRankOneAVX2F32

#define SIZE 4
#define LANES_LOG 3
#define VMOVU VMOVUPS
#define VMASKMOV VMASKMOVPS
#define VBLENDV VBLENDVPS
#define VFMA VFMADD231PS
#define VFNMA VFNMADD231PS
#define VADD VADDPS
#define VSUB VSUBPS
#define VMUL VMULPS
#define VDIV VDIVPS
#define VMAX VMAXPS
#define VMIN VMINPS
#define VAND VANDPS
#define VCMP VCMPPS
#define VMOVMSK VMOVMSKPS
#define VBCST VBROADCASTSS
#define VMOVS VMOVSS
#define VFMAS VFMADD231SS
#define MOVI MOVL
#define VPCMPEQ VPCMPEQD
#define BIT_OF_LANE bits32<>(SB)
#define HALF_BYTES 1
#define ADDI ADDL
#define FOLD_PART(A, T) VPERMILPS $0x4E, A, T; VADDPS T, A, A; VPERMILPS $0xB1, A, T; VADDPS T, A, A
#define REDUCE_FOLD_PART(OP) VPERMILPS $0x4E, Y0, Y1; OP(Y1, Y0, Y0); VPERMILPS $0xB1, Y0, Y1; OP(Y1, Y0, Y0)
#define FRACTION 23
#define VPADD VPADDD
#define VPSRL VPSRLD
#define POLY \
	VMOVUPS     logVectors_poly2(BX), Y7; \
	VMOVUPS     logVectors_poly3(BX), Y8; \
	VFMADD213PS logVectors_poly0(BX), Y6, Y7; \
	VFMADD213PS logVectors_poly1(BX), Y6, Y8

#include "kernel_avx2_amd64.h"
#include "reduce_avx2_amd64.h"
#include "reduce_amd64.h"
#include "products_avx2_amd64.h"
#include "sweep_amd64.h"
#include "entries_avx2_amd64.h"
#include "entries_amd64.h"
#include "rankone_avx2_amd64.h"
#include "divergence_avx2_amd64.h"
#include "linear_amd64.h"
#include "bodies.h"
