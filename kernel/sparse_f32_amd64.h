// What the bodies of the sparse kernels are made of for float32. sparse_amd64.h, which
// is included next, undefines it.

#define SIZE 4
#define VMASK VMASKMOVPS
#define VMOVU VMOVUPS
#define VMOV1 VMOVSS
#define VADD VADDPS
#define VADD1 VADDSS
#define VBCST VBROADCASTSS
#define VFMA VFMADD231PS
#define VFMA213 VFMADD213PS
#define STORE1 VMOVSS X0, (DX)
#define FOLD \
	VEXTRACTF128 $1, Y0, X1; \
	VADDPS       X1, X0, X0; \
	VPERMILPS    $0x0E, X0, X1; \
	VADDPS       X1, X0, X0; \
	VPERMILPS    $1, X0, X1; \
	VADDSS       X1, X0, X0
#define FOLD4 \
	VPERMILPS   $0x0E, Z0, Z1; \
	VADDPS      Z1, Z0, Z0; \
	VPERMILPS   $1, Z0, Z1; \
	VADDPS      Z1, Z0, Z0; \
	VCOMPRESSPS Z0, K2, Z0; \
	VMOVUPS     X0, (DX)
