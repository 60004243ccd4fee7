//go:build !purego

// The AVX-512 bodies in float64.

#include "go_asm.h"
#include "textflag.h"

#define TABLE ·avx512F64
#define CONTRACT ·contractAVX512F64
#define OUTER ·outerAVX512F64
#define OUTER1 outerAVX512F64of1<>
#define OUTER2 outerAVX512F64of2<>
#define OUTER3 outerAVX512F64of3<>
#define OUTER4 outerAVX512F64of4<>
#define OUTER5 outerAVX512F64of5<>
#define OUTER6 outerAVX512F64of6<>
#define OUTER7 outerAVX512F64of7<>
#define OUTER8 outerAVX512F64of8<>
#define SWEEP ·sweepAVX512F64
#define SWEEP1 sweepAVX512F64of1<>
#define SWEEP2 sweepAVX512F64of2<>
#define SWEEP3 sweepAVX512F64of3<>
#define SWEEP4 sweepAVX512F64of4<>
#define SWEEP5 sweepAVX512F64of5<>
#define SWEEP6 sweepAVX512F64of6<>
#define SWEEP7 sweepAVX512F64of7<>
#define SWEEP8 sweepAVX512F64of8<>
#define UPDATE ·updateAVX512F64
#define ADDITION ·addAVX512F64
#define EXTRAPOLATE ·extrapolateAVX512F64
#define RANK_ONE ·rankOneAVX512F64
#define AUGMENT ·augmentAVX512F64
#define TARGET ·targetAVX512F64
#define AUG_RANK_ONE ·augRankOneAVX512F64
#define KEEP ·keepAVX512F64
#define IMPUTE ·imputeAVX512F64
#define WEIGH ·weighAVX512F64
#define MASKED_UPDATE ·maskedUpdateAVX512F64
#define MASKED_AUGMENT ·maskedAugmentAVX512F64
#define MASKED_TARGET ·maskedTargetAVX512F64
#define MASKED_RANK_ONE ·maskedRankOneAVX512F64
#define MASKED_AUG_RANK ·maskedAugRankAVX512F64
#define DOT ·dotAVX512F64
#define MAX ·maxAVX512F64
#define MIN ·minAVX512F64
#define COUNT ·countLessAVX512F64
#define RATIO ·ratioAVX512F64
#define DOTLOG ·dotLogAVX512F64
#define DERIVE ·logDerivativesAVX512F64
#define PANEL ·panelAVX512F64
#define ADD_SCALED ·addScaledAVX512F64
#define SCALE ·scaleAVX512F64
#define ADD_SPARSE ·addSparseAVX512F64
#define ADD_TRANSPOSED ·addTransposedAVX512F64
#define SAMPLED ·sampledAVX512F64
#define SPARSE_RANK_ONE ·sparseRankOneAVX2F64

#define SIZE 8
#define LANES_LOG 3
#define VMOVU VMOVUPD
#define VFMA VFMADD231PD
#define VFNMA VFNMADD231PD
#define VADD VADDPD
#define VSUB VSUBPD
#define VMUL VMULPD
#define VDIV VDIVPD
#define VMAX VMAXPD
#define VMIN VMINPD
#define VCMP VCMPPD
#define VCOMPRESS VCOMPRESSPD
#define VBCST VBROADCASTSD
#define VMOVS VMOVSD
#define VFMAS VFMADD231SD
#define MOVI MOVQ
#define KMOV_SEEN KMOVB
#define PART_KMOV(P) KMOVB P, K2
#define ADDI ADDQ
#define FOLD_MASK 0x55
#define FOLD_PART VPERMILPD $0x55, Z30, Z31; VADDPD Z31, Z30, Z30
#define STORE4(P) VMOVUPD Y30, K2, P
#define STORE_UPPER4(P) VEXTRACTF64X4 $1, Z30, Y30; STORE4(P)
#define FOLD_EIGHTH(A)
#define FOLD_ORDER(A, TO) VPERMPD A, Z29, TO
#define LOAD_ORDER(P, TO) VPMOVSXBQ P, TO
#define ORDER order64<>(SB)
#define REDUCE_FOLD_PART(OP) VPERMILPD $0x55, Z0, Z1; OP(Z1, Z0, Z0)
#define FRACTION 52
#define VPADD VPADDQ
#define VPSRL VPSRLQ
#define POLY \
	VMOVAPD     Z31, Z7; \
	VMOVAPD     Z30, Z8; \
	VFMADD213PD Z29, Z6, Z7; \
	VFMADD213PD Z28, Z6, Z8; \
	VFMADD213PD Z27, Z6, Z7; \
	VFMADD213PD Z26, Z6, Z8; \
	VFMADD213PD Z25, Z6, Z7

#include "kernel_avx512_amd64.h"
#include "reduce_avx512_amd64.h"
#include "reduce_amd64.h"
#include "products_avx512_amd64.h"
#include "sweep_amd64.h"
#include "entries_avx512_amd64.h"
#include "entries_amd64.h"
#include "rankone_avx512_amd64.h"
#include "divergence_avx512_amd64.h"
#include "linear_amd64.h"
#include "bodies.h"
