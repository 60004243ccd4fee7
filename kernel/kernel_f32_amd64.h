// The instructions of float32, for AVX2 and AVX-512.

#define SPARSE_RANK_ONE ·sparseRankOneAVX2F32
#define SIZE 4
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
#define VBCST VBROADCASTSS
#define VMOVS VMOVSS
#define VFMAS VFMADD231SS
#define MOVI MOVL
#define ADDI ADDL
#define FRACTION 23
#define VPADD VPADDD
#define VPSRL VPSRLD
#define LOAD_FOUR(P, Y, X) VMOVUPS P, X
#define STORE_FOUR(P) VMOVUPS X0, P
