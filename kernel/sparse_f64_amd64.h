// What the bodies of the sparse kernels are made of for float64. sparse_amd64.h, which
// is included next, undefines it.

#define SIZE 8
#define VMASK VMASKMOVPD
#define VMOVU VMOVUPD
#define VMOV1 VMOVSD
#define VADD VADDPD
#define VADD1 VADDSD
#define VBCST VBROADCASTSD
#define VFMA VFMADD231PD
#define VFMA213 VFMADD213PD
#define STORE1 VMOVSD X0, (DX)
#define FOLD \
	VEXTRACTF128 $1, Y0, X1; \
	VADDPD       X1, X0, X0; \
	VPERMILPD    $1, X0, X1; \
	VADDSD       X1, X0, X0
#define FOLD4 \
	VPERMILPD   $0x55, Z0, Z1; \
	VADDPD      Z1, Z0, Z0; \
	VCOMPRESSPD Z0, K2, Z0; \
	VMOVUPD     Y0, (DX)
