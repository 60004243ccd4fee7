//go:build !purego

// The AVX2 bodies in float64.

#include "go_asm.h"
#include "textflag.h"

#define TABLE ·avx2F64
#define CONTRACT ·contractAVX2F64
#define OUTER ·outerAVX2F64
#define OUTER1 outerAVX2F64of1<>
#define OUTER2 outerAVX2F64of2<>
#define OUTER3 outerAVX2F64of3<>
#define OUTER4 outerAVX2F64of4<>
#define SWEEP ·sweepAVX2F64
#define SWEEP1 sweepAVX2F64of1<>
#define SWEEP2 sweepAVX2F64of2<>
#define SWEEP3 sweepAVX2F64of3<>
#define SWEEP4 sweepAVX2F64of4<>
#define SWEEP5 sweepAVX2F64of5<>
#define SWEEP6 sweepAVX2F64of6<>
#define SWEEP7 sweepAVX2F64of7<>
#define SWEEP8 sweepAVX2F64of8<>
#define UPDATE ·updateAVX2F64
#define ADDITION ·addAVX2F64
#define EXTRAPOLATE ·extrapolateAVX2F64
#define RANK_ONE ·rankOneAVX2F64
#define AUGMENT ·augmentAVX2F64
#define TARGET ·targetAVX2F64
#define AUG_RANK_ONE ·augRankOneAVX2F64
#define KEEP ·keepAVX2F64
#define IMPUTE ·imputeAVX2F64
#define WEIGH ·weighAVX2F64
#define MASKED_UPDATE ·maskedUpdateAVX2F64
#define MASKED_AUGMENT ·maskedAugmentAVX2F64
#define MASKED_TARGET ·maskedTargetAVX2F64
#define MASKED_RANK_ONE ·maskedRankOneAVX2F64
#define MASKED_AUG_RANK ·maskedAugRankAVX2F64
#define DOT ·dotAVX2F64
#define MAX ·maxAVX2F64
#define MIN ·minAVX2F64
#define COUNT ·countLessAVX2F64
#define RATIO ·ratioAVX2F64
#define DOTLOG ·dotLogAVX2F64
#define DERIVE ·logDerivativesAVX2F64
#define PANEL ·panelAVX2F64
#define ADD_SCALED ·addScaledAVX2F64
#define SCALE ·scaleAVX2F64
#define ADD_SPARSE ·addSparseAVX2F64
#define ADD_TRANSPOSED ·addTransposedAVX2F64
#define SAMPLED ·sampledAVX2F64
#define SPARSE_RANK_ONE ·sparseRankOneAVX2F64

#define SIZE 8
#define LANES_LOG 2
#define VMOVU VMOVUPD
#define VMASKMOV VMASKMOVPD
#define VBLENDV VBLENDVPD
#define VFMA VFMADD231PD
#define VFNMA VFNMADD231PD
#define VADD VADDPD
#define VSUB VSUBPD
#define VMUL VMULPD
#define VDIV VDIVPD
#define VMAX VMAXPD
#define VMIN VMINPD
#define VAND VANDPD
#define VCMP VCMPPD
#define VMOVMSK VMOVMSKPD
#define VBCST VBROADCASTSD
#define VMOVS VMOVSD
#define VFMAS VFMADD231SD
#define MOVI MOVQ
#define VPCMPEQ VPCMPEQQ
#define BIT_OF_LANE bits64<>(SB)
#define HALF_BYTES 0
#define ADDI ADDQ
#define FOLD_PART(A, T) VPERMILPD $0x5, A, T; VADDPD T, A, A
#define REDUCE_FOLD_PART(OP) VPERMILPD $0x5, Y0, Y1; OP(Y1, Y0, Y0)
#define FRACTION 52
#define VPADD VPADDQ
#define VPSRL VPSRLQ
#define POLY \
	VMOVUPD     logVectors_poly6(BX), Y7; \
	VMOVUPD     logVectors_poly5(BX), Y8; \
	VFMADD213PD logVectors_poly4(BX), Y6, Y7; \
	VFMADD213PD logVectors_poly3(BX), Y6, Y8; \
	VFMADD213PD logVectors_poly2(BX), Y6, Y7; \
	VFMADD213PD logVectors_poly1(BX), Y6, Y8; \
	VFMADD213PD logVectors_poly0(BX), Y6, Y7

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
