// The vocabulary of AVX-512, beside that of kernel_amd64.h. A precision also defines before it
//
//	FOLD_EIGHTH           adds up the two elements of each 64-bit element, if there are two
//	FOLD_ORDER            brings sums into the order of Z29, which LOAD_ORDER loads
//	STORE4, STORE_UPPER4  store the four low elements of Z30 that K2 names, and the next four
//	POLY                  Z7, Z8 = a polynomial, its coefficients 0, 2, ... and 1, 3, ...
//
// Requires: AVX-512 F, DQ, BW, VL; POPCNT.

// The order in which FOLD8 leaves the sums: those of A, those of B.
DATA order64<>+0(SB)/8, $0x0705030106040200
GLOBL order64<>(SB), RODATA|NOPTR, $8
DATA order32<>+0(SB)/8, $0x0E0A06020C080400
GLOBL order32<>(SB), RODATA|NOPTR, $16

// PART_LOAD and PART_STORE move the elements of K1 only; others load as zero.
#define PART_LOAD(P, R) VMOVU.Z P, K1, R
#define PART_STORE(R, P) VMOVU R, K1, P

#define AT_LEVEL(AVX2, AVX512) AVX512
#define VECTOR 64
#define W0 Z0
#define W1 Z1
#define W2 Z2
#define W3 Z3
#define W4 Z4
#define W5 Z5
#define W6 Z6
#define W7 Z7
#define W8 Z8
#define W9 Z9
#define W10 Z10
#define W11 Z11
#define W12 Z12
#define WP Z5
#define WM Z6
#define WN Z7
#define WMU Z20
#define WNU Z9
#define WNIL Z21
#define WS Z0
#define WT Z1
#define NIL(R) VPXORQ R, R, R
#define LAST_MASK(N) MOVL $1, AX; SHLL N, AX; DECL AX; KMOVW AX, K1
#define PART_ELSE(P, L, R) VMOVU L, R; VMOVU P, K1, R
#define PART_FMA(P, C, R) VFMA P, C, K1, R
#define PART_FNMA(P, C, R) VFNMA P, C, K1, R
#define PART_MUL(P, R) VMUL P, R, K1, R
#define PROJECT(R, INV, NUL, S) VCMP $0x1E, NUL, R, K4; VMUL.Z INV, R, K4, R
#define BELOW(T, R) VCMP $0x11, T, R, K2; KMOVW K2, AX

// Add the lanes of four accumulators pairwise. The four sums are the 128-bit
// parts of Z30, each repeated in all elements of its part.
//	128-bit parts of A0..A3:  Z28 = A0[0]+A0[2] A0[1]+A0[3] A1[0]+A1[2] A1[1]+A1[3]
//	                          Z29 = the same of A2, A3
//	                          Z30 = one part of each of A0 A1 A2 A3
#define FOLD4(A0, A1, A2, A3) \
	VSHUFF64X2 $0x44, A1, A0, Z28; \
	VSHUFF64X2 $0xEE, A1, A0, Z29; \
	VSHUFF64X2 $0x44, A3, A2, Z30; \
	VSHUFF64X2 $0xEE, A3, A2, Z31; \
	VADD       Z29, Z28, Z28; \
	VADD       Z31, Z30, Z29; \
	VSHUFF64X2 $0x88, Z29, Z28, Z30; \
	VSHUFF64X2 $0xDD, Z29, Z28, Z31; \
	VADD       Z31, Z30, Z30; \
	FOLD_PART

// The vectors of a group of 128 bytes, the lanes of a reduction: offset, lanes, scratch.
#define GROUP(OP) OP(0, Z0, Z2); OP(64, Z1, Z3)
#define GROUP_LOG 1

// The same of the first elements of a group, whose number is in CX, with the mask of each.
#define GROUP_PART(OP) \
	MOVL  $1, AX; \
	SHLQ  CX, AX; \
	DECQ  AX; \
	KMOVW AX, K1; \
	OP(0, Z0, Z2); \
	SHRQ  $(64/SIZE), AX; \
	KMOVW AX, K1; \
	OP(64, Z1, Z3)

// Folds by OP(later, earlier, to).
#define REDUCE_FOLD(OP) \
	OP(Z1, Z0, Z0); \
	VSHUFF64X2 $0xEE, Z0, Z0, Z1; \
	OP(Z1, Z0, Z0); \
	VSHUFF64X2 $0x55, Z0, Z0, Z1; \
	OP(Z1, Z0, Z0); \
	REDUCE_FOLD_PART(OP)

// The vector of 64 bytes, whose lanes are in Z0, or in Z1.
#define LINE_LOG LANES_LOG
#define LINE_MASKS LAST_MASK(CX)
#define LINE(OP, LD, ST) OP(LD, ST, 0, Z0, Z1)
#define LINE_PART(OP) LINE(OP, PART_LOAD, PART_STORE)

// Masks. SEEN_AT sets K2 to the bits of a vector of columns, at P in the mask, and
// PART_SEEN_AT to those of the last columns, K1, of which P has the bytes K3; it changes
// CX and X0. SEEN and PART_SEEN find them from AX, the column in bytes, in the row at P,
// and change R14.
#define SEEN_AT(P) KMOV_SEEN P, K2
#define PART_SEEN_AT(P) PART_KMOV(P); KANDW K1, K2, K2
#define SEEN(P) MOVQ AX, R14; SHRQ $(9-LANES_LOG), R14; SEEN_AT(P(R14*1))
#define PART_SEEN(P) MOVQ AX, R14; SHRQ $(9-LANES_LOG), R14; PART_SEEN_AT(P(R14*1))
#define SEEN_LOAD(P, R) VMOVU.Z P, K2, R
#define SEEN_STORE(R, P) VMOVU R, K2, P
#define ABOVE(T, R) VCMP $0x1E, T, R, K2
#define ONLY_SEEN(R) VMOVU.Z R, K2, R
#define TAKE_SEEN(N, R) VMOVU N, K2, R

// BYTES_OF sets K3 to the bytes that have a bit of the first elements of A, 16 at most:
// 1 if there is one, and 2 more if there are more than eight. Changes A and T.
#define BYTES_OF(A, T) \
	ANDL  $0x101, A; \
	MOVL  A, T; \
	SHRL  $7, T; \
	ORL   T, A; \
	KMOVB A, K3

// The tiles of outer products.
#define OUT_ROWS5(OP, COLS) OUT_ROWS4(OP, COLS); OP(COLS, (DX)(BX*4), Z12, Z13, Z14)
#define OUT_ROWS6(OP, COLS) OUT_ROWS5(OP, COLS); OP(COLS, (DX)(R9*1), Z15, Z16, Z17)
#define OUT_ROWS7(OP, COLS) OUT_ROWS6(OP, COLS); OP(COLS, (DX)(R8*2), Z18, Z19, Z20)
#define OUT_ROWS8(OP, COLS) OUT_ROWS7(OP, COLS); OP(COLS, (DX)(R10*1), Z21, Z22, Z23)

#define S0 Z24
#define S1 Z25
#define S2 Z26
#define COEF Z27
#define MU Z28
#define ZEROS Z29
#define PANEL_ROWS OUT_ROWS8
#define PANEL_LOG 3
#define FETCH_LINES(P) PREFETCHT1 (P); PREFETCHT1 64(P); PREFETCHT1 128(P)
#define TILE_LOAD PART_LOAD
#define TILE_STORE PART_STORE

// What entries_amd64.h wants.
// R12 leads from m[i] to the rows behind the last of these, which are fetched, at R13.
#define ENTRY_MASKS BYTES_OF(AX, R14); MOVQ R11, R12; IMULQ R9, R12
#define ENTRY_AHEAD LEAQ (DX)(R12*1), R13
#define ENTRY_FETCH PREFETCHT1 (R13)(AX*1)
