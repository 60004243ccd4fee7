// The vocabulary of AVX2, beside that of kernel_amd64.h. A precision also defines before it
//
//	FOLD_PART             adds up the elements of each 128-bit part
//	POLY                  Y7, Y8 = a polynomial, its coefficients 0, 2, ... and 1, 3, ...
//
// Requires: AVX2, FMA, POPCNT. 64 bytes of lanes are two registers, lower and upper half.

// 128 bytes of ones, 128 of zeros: the masks of a group of n bytes begin n bytes
// before the middle.
#define ONES(AT) \
	DATA masks<>+AT+0x00(SB)/8, $-1; \
	DATA masks<>+AT+0x08(SB)/8, $-1; \
	DATA masks<>+AT+0x10(SB)/8, $-1; \
	DATA masks<>+AT+0x18(SB)/8, $-1
ONES(0x00); ONES(0x20); ONES(0x40); ONES(0x60)
GLOBL masks<>(SB), RODATA|NOPTR, $256

// The bit of each lane, of a byte of a mask.
DATA bits64<>+0x00(SB)/8, $1; DATA bits64<>+0x08(SB)/8, $2
DATA bits64<>+0x10(SB)/8, $4; DATA bits64<>+0x18(SB)/8, $8
DATA bits64<>+0x20(SB)/8, $16; DATA bits64<>+0x28(SB)/8, $32
DATA bits64<>+0x30(SB)/8, $64; DATA bits64<>+0x38(SB)/8, $128
GLOBL bits64<>(SB), RODATA|NOPTR, $64
DATA bits32<>+0x00(SB)/8, $0x0000000200000001; DATA bits32<>+0x08(SB)/8, $0x0000000800000004
DATA bits32<>+0x10(SB)/8, $0x0000002000000010; DATA bits32<>+0x18(SB)/8, $0x0000008000000040
GLOBL bits32<>(SB), RODATA|NOPTR, $32

// MASKS sets P, which must not be R15 nor CX, to the masks of the n elements in
// CX, and changes CX.
#define MASKS(P) \
	LEAQ masks<>+128(SB), P; \
	IMULQ $SIZE, CX; \
	SUBQ CX, P

// PART_LOAD and PART_STORE move the elements of the mask Y15 only; others load
// as zero.
#define PART_LOAD(P, R) VMASKMOV P, Y15, R
#define PART_STORE(R, P) VMASKMOV R, Y15, P

#define AT_LEVEL(AVX2, AVX512) AVX2
#define VECTOR 32
#define W0 Y0
#define W1 Y1
#define W2 Y2
#define W3 Y3
#define W4 Y4
#define W5 Y5
#define W6 Y6
#define W7 Y7
#define W8 Y8
#define W9 Y9
#define W10 Y10
#define W11 Y11
#define W12 Y12
#define WP Y9
#define WM Y10
#define WN Y11
#define WMU Y12
#define WNU Y8
#define WNIL Y13
#define WS Y6
#define WT Y5
#define NIL(R) VPXOR R, R, R
#define LAST_MASK(N) MASKS(AX); VMOVU (AX), Y15
#define PART_ELSE(P, L, R) PART_LOAD(P, R); VBLENDV Y15, R, L, R
#define PART_FMA(P, C, R) PART_LOAD(P, Y13); VFMA Y13, C, R
#define PART_FNMA(P, C, R) PART_LOAD(P, Y13); VFNMA Y13, C, R
#define PART_MUL(P, R) PART_LOAD(P, Y13); VMUL Y13, R, R
#define PROJECT(R, INV, NUL, S) VCMP $0x1E, NUL, R, S; VMUL INV, R, R; VAND S, R, R
#define BELOW(T, R) VCMP $0x11, T, R, R; VMOVMSK R, AX

// Add the lanes of two rows pairwise, lower halves in A and B, upper ones in C
// and D. The sums are the 128-bit parts of A, each repeated in all elements of
// its part. Changes B, C.
#define FOLD2(A, B, C, D) \
	VADD       C, A, A; \
	VADD       D, B, B; \
	VPERM2F128 $0x31, B, A, C; \
	VPERM2F128 $0x20, B, A, A; \
	VADD       C, A, A; \
	FOLD_PART(A, C)

// The vectors of a group of 128 bytes, the lanes of a reduction: offset, lanes, scratch.
#define GROUP(OP) OP(0, Y0, Y4); OP(32, Y1, Y5); OP(64, Y2, Y6); OP(96, Y3, Y7)
#define GROUP_LOG 2

// The same of the first elements of a group, whose number is in CX, with the mask of each.
#define GROUP_PART(OP) \
	MASKS(R9); \
	PART_OF(OP, 0, Y0, Y4); \
	PART_OF(OP, 32, Y1, Y5); \
	PART_OF(OP, 64, Y2, Y6); \
	PART_OF(OP, 96, Y3, Y7)
#define PART_OF(OP, AT, L, X) VMOVU AT(R9), Y15; OP(AT, L, X)

// Folds by OP(later, earlier, to).
#define REDUCE_FOLD(OP) \
	OP(Y2, Y0, Y0); \
	OP(Y3, Y1, Y1); \
	OP(Y1, Y0, Y0); \
	VEXTRACTF128 $1, Y0, X1; \
	OP(Y1, Y0, Y0); \
	REDUCE_FOLD_PART(OP)

// The vectors of 64 bytes, whose lanes are in Y0 and Y1, or in Y2 and Y3.
#define LINE_LOG (LANES_LOG+1)
#define LINE_MASKS MASKS(R10)
#define LINE(OP, LD, ST) OP(LD, ST, 0, Y0, Y2); OP(LD, ST, 32, Y1, Y3)
#define LINE_PART(OP) \
	VMOVU (R10), Y15; \
	OP(PART_LOAD, PART_STORE, 0, Y0, Y2); \
	VMOVU 32(R10), Y15; \
	OP(PART_LOAD, PART_STORE, 32, Y1, Y3)

// Masks. SEEN_OF sets Y7 to the mask of a vector of columns whose byte is at P; BITS are
// those of its lanes. SEEN finds both from AX, the column in bytes, in the row at P
// and in the table at R12, and changes R14.
#define SEEN_OF(P, BITS) \
	VPBROADCASTB P, Y7; \
	VPAND        BITS, Y7, Y7; \
	VPCMPEQ      BITS, Y7, Y7
#define SEEN(P) \
	MOVQ         AX, R14; \
	SHRQ         $(8-LANES_LOG), R14; \
	VPBROADCASTB P(R14*1), Y7; \
	MOVQ         AX, R14; \
	ANDQ         $(8*SIZE-32), R14; \
	VPAND        (R12)(R14*1), Y7, Y7; \
	VPCMPEQ      (R12)(R14*1), Y7, Y7
#define PART_SEEN SEEN
#define ABOVE(T, R) VCMP $0x1E, T, R, Y7
#define ONLY_SEEN(R) VAND Y7, R, R
#define TAKE_SEEN(N, R) VBLENDV Y7, N, R, R

// The tiles of outer products.

#define S0 Y12
#define S1 Y13
#define S2 Y14
#define COEF Y15
#define MU Y14
#define ZEROS Y15
#define PANEL_ROWS OUT_ROWS4
#define PANEL_LOG 2
#define FETCH_LINES(P) PREFETCHT1 (P); PREFETCHT1 64(P)

// Y0, unused by the narrow tiles, is the mask of their last vector.
#define TILE_LOAD(P, R) VMASKMOV P, Y0, R
#define TILE_STORE(R, P) VMASKMOV R, Y0, P

// What entries_amd64.h wants.
#define ENTRY_MASKS LEAQ BIT_OF_LANE, R12
#define ENTRY_AHEAD
#define ENTRY_FETCH

// TWO of sweep_amd64.h does nothing: there are no registers for a second coordinate.
#define TWO_NONE
#define TWO(VECS, both, single)
#define TWO_NEXT(begun)
#define TWO_BEGUN(VECS, begun)
