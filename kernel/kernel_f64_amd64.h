// The instructions of float64, for AVX2 and AVX-512.

#define SPARSE_RANK_ONE ·sparseRankOneAVX2F64
#define SIZE 8
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
#define VBCST VBROADCASTSD
#define VMOVS VMOVSD
#define VFMAS VFMADD231SD
#define MOVI MOVQ
#define ADDI ADDQ
#define FRACTION 52
#define VPADD VPADDQ
#define VPSRL VPSRLQ
#define LOAD_FOUR(P, Y, X) VMOVUPD P, Y
#define STORE_FOUR(P) VMOVUPD Y0, P
