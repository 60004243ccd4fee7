//go:build !purego

// The AVX-512 bodies in float32.

#include "go_asm.h"
#include "textflag.h"

#define TABLE ·avx512F32
#define CONTRACT ·contractAVX512F32
#define OUTER ·outerAVX512F32
#define OUTER1 outerAVX512F32of1<>
#define OUTER2 outerAVX512F32of2<>
#define OUTER3 outerAVX512F32of3<>
#define OUTER4 outerAVX512F32of4<>
#define OUTER5 outerAVX512F32of5<>
#define OUTER6 outerAVX512F32of6<>
#define OUTER7 outerAVX512F32of7<>
#define OUTER8 outerAVX512F32of8<>
#define SWEEP ·sweepAVX512F32
#define SWEEP1 sweepAVX512F32of1<>
#define SWEEP2 sweepAVX512F32of2<>
#define SWEEP3 sweepAVX512F32of3<>
#define SWEEP4 sweepAVX512F32of4<>
#define SWEEP5 sweepAVX512F32of5<>
#define SWEEP6 sweepAVX512F32of6<>
#define SWEEP7 sweepAVX512F32of7<>
#define SWEEP8 sweepAVX512F32of8<>
#define UPDATE ·updateAVX512F32
#define ADDITION ·addAVX512F32
#define EXTRAPOLATE ·extrapolateAVX512F32
#define RANK_ONE ·rankOneAVX512F32
#define AUGMENT ·augmentAVX512F32
#define TARGET ·targetAVX512F32
#define AUG_RANK_ONE ·augRankOneAVX512F32
#define KEEP ·keepAVX512F32
#define IMPUTE ·imputeAVX512F32
#define WEIGH ·weighAVX512F32
#define MASKED_UPDATE ·maskedUpdateAVX512F32
#define MASKED_AUGMENT ·maskedAugmentAVX512F32
#define MASKED_TARGET ·maskedTargetAVX512F32
#define MASKED_RANK_ONE ·maskedRankOneAVX512F32
#define MASKED_AUG_RANK ·maskedAugRankAVX512F32
#define DOT ·dotAVX512F32
#define MAX ·maxAVX512F32
#define MIN ·minAVX512F32
#define COUNT ·countLessAVX512F32
#define RATIO ·ratioAVX512F32
#define DOTLOG ·dotLogAVX512F32
#define DERIVE ·logDerivativesAVX512F32
#define PANEL ·panelAVX512F32
#define ADD_SCALED ·addScaledAVX512F32
#define SCALE ·scaleAVX512F32
#define ADD_SPARSE ·addSparseAVX512F32
#define ADD_TRANSPOSED ·addTransposedAVX512F32
#define SAMPLED ·sampledAVX512F32
#define SPARSE_RANK_ONE ·sparseRankOneAVX2F32

#define SIZE 4
#define LANES_LOG 4
#define VMOVU VMOVUPS
#define VFMA VFMADD231PS
#define VFNMA VFNMADD231PS
#define VADD VADDPS
#define VSUB VSUBPS
#define VMUL VMULPS
#define VDIV VDIVPS
#define VMAX VMAXPS
#define VMIN VMINPS
#define VCMP VCMPPS
#define VCOMPRESS VCOMPRESSPS
#define VBCST VBROADCASTSS
#define VMOVS VMOVSS
#define VFMAS VFMADD231SS
#define MOVI MOVL
#define KMOV_SEEN KMOVW
#define PART_KMOV(P) VMOVDQU8.Z P, K3, X0; VMOVD X0, CX; KMOVW CX, K2
#define ADDI ADDL
#define FOLD_MASK 0x1111
#define FOLD_PART VPERMILPS $0x4E, Z30, Z31; VADDPS Z31, Z30, Z30; VPERMILPS $0xB1, Z30, Z31; VADDPS Z31, Z30, Z30
#define STORE4(P) VMOVUPS X30, K2, P
#define STORE_UPPER4(P) VEXTRACTF32X4 $1, Z30, X30; STORE4(P)
#define FOLD_EIGHTH(A) VPERMILPS $0xB1, A, Z24; VADDPS Z24, A, A
#define FOLD_ORDER(A, TO) VPERMPS A, Z29, TO
#define LOAD_ORDER(P, TO) VPMOVSXBD P, TO
#define ORDER order32<>(SB)
#define REDUCE_FOLD_PART(OP) VPERMILPS $0x4E, Z0, Z1; OP(Z1, Z0, Z0); VPERMILPS $0xB1, Z0, Z1; OP(Z1, Z0, Z0)
#define FRACTION 23
#define VPADD VPADDD
#define VPSRL VPSRLD
#define POLY \
	VMOVAPS     Z27, Z7; \
	VMOVAPS     Z28, Z8; \
	VFMADD213PS Z25, Z6, Z7; \
	VFMADD213PS Z26, Z6, Z8

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
