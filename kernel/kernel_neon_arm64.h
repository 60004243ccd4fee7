// The vocabulary of NEON, that the rooms share. A file of a precision defines before it the name of
// its table of bodies and the instructions:
//
//	SIZE, SIZE_LOG       bytes of an element, and their log2
//	SINGLE(CODE)         CODE for float32, nothing for float64 (not #ifdef: the
//	                     assembler expands macros in what it leaves out)
//	MOVE, MOVE2          move one element, or two, between memory and a register
//	MOVI, SHLI           an element as an integer, and its shift to the left
//	SPREAD(P, V)         all elements of V = the one at P
//	DOUBLE               of neon_arm64.h
//	FMA(M, N, D)         arithmetic on names of registers (V0); neon_arm64.h has that on numbers (0)
//	SUM_TWO              V26 = sum of the elements of V26, sum of those of V27;
//	                     float32 adds elements 0 + 2 and 1 + 3 first, and
//	                     overwrites V28 and V31
//	DIV(M, N, D)         D = N / M, of one element
//	EQUAL(M, N, D)       D = the elements of M and N that have the same bits
//	BIT_OF_LANE(R)       V29 = the bits of the lanes; changes R
//	TEST_BITS(R)         V30 = the lanes of V29 that have their bit in R
//	SPLIT(A, B)          A, B = elements 0 and 1 of V26
//	FOLD_VECTOR(OP)      folds the elements of V0 by OP, the later with the earlier
//	COUNT_UP(M, D)       adds one to the elements of D where M is true
//	COUNT_ADD(M, D)      adds the counts of M to those of D
//	SHIFTED, ADD_TO      arithmetic of bits
//	POLY                 V11 and V6 = the sums of the odd and the even powers
//	COUNT_SUM            R2 = sum of the counts in V4
//
// A function that there is for several operations is a file, included for each of them. One for several sizes
// is a macro, and so is a loop with several uses in one function, whose last arguments are its labels; a profile
// puts all of it on the line of the use.
//
// All are ABI0 leaf functions without a frame that take one pointer to their arguments. None
// touches R18, R27, R28. Requires: ASIMD.

#include "neon_arm64.h"

// The bits of the lanes of a vector, in a byte.
DATA bits64<>+0(SB)/8, $1; DATA bits64<>+8(SB)/8, $2
GLOBL bits64<>(SB), RODATA|NOPTR, $16
DATA bits32<>+0(SB)/8, $0x0000000200000001; DATA bits32<>+8(SB)/8, $0x0000000800000004
GLOBL bits32<>(SB), RODATA|NOPTR, $16

// Sixteen float32 or eight float64.
GLOBL zero<>(SB), RODATA|NOPTR, $64

// COPY moves the last B < 64 bytes of a row from S to D, both of which it
// advances. Overwrites V27 and V28.
#define COPY(S, D, B) \
	TBZ     $5, B, 3(PC); \
	FLDPQ.P 32(S), (F27, F28); \
	FSTPQ.P (F27, F28), 32(D); \
	TBZ     $4, B, 3(PC); \
	FMOVQ.P 16(S), F27; \
	FMOVQ.P F27, 16(D); \
	TBZ     $3, B, 3(PC); \
	FMOVD.P 8(S), F27; \
	FMOVD.P F27, 8(D); \
	COPY4(S, D, B)

// CLEAR clears so many pairs of vectors at TO by AT and N; changes V16, V17.
#define CLEAR(TO, PAIRS, AT, N, clear) \
	VEOR V16.B16, V16.B16, V16.B16; \
	VEOR V17.B16, V17.B16, V17.B16; \
	MOVD TO, AT; \
	MOVD $PAIRS, N; \
clear: \
	FSTPQ.P (F16, F17), 32(AT); \
	SUBS    $1, N; \
	BNE     clear

// CLEAR64 clears 64 bytes at P; changes V4 and V5.
#define CLEAR64(AT, P) VEOR V4.B16, V4.B16, V4.B16; VEOR V5.B16, V5.B16, V5.B16; FSTPQ (F4, F5), AT(P); FSTPQ (F4, F5), (AT+32)(P)

// IN2 to IN4 load fields of the arguments at R0.
#define IN2(F, A, G, B) MOVD F(R0), A; MOVD G(R0), B
#define IN3(F, A, G, B, H, C) IN2(F, A, G, B); MOVD H(R0), C
#define IN4(F, A, G, B, H, C, I, D) IN2(F, A, G, B); IN2(H, C, I, D)

// NEXT4 adds N bytes to four registers. WALK4 sets the last three of four to one, two and three strides behind the first.
#define NEXT4(N, A, B, C, D) ADD $N, A; ADD $N, B; ADD $N, C; ADD $N, D
#define WALK4(STRIDE, A, B, C, D) ADD STRIDE, A, B; ADD STRIDE, B, C; ADD STRIDE, C, D

#define LANES_LOAD(AT, P, A, B) FLDPQ AT(P), (A, B)
#define LANES_SAVE(AT, P, A, B) FSTPQ (A, B), AT(P)
#define LANES_ZERO(A, B, C, D) \
	VEOR A.B16, A.B16, A.B16; \
	VEOR B.B16, B.B16, B.B16; \
	VEOR C.B16, C.B16, C.B16; \
	VEOR D.B16, D.B16, D.B16

// ZERO16 clears V0 to V15. LANES4, LANES8 and LANES16 apply OP to so many of them and memory at P.
#define ZERO16 \
	LANES_ZERO(V0, V1, V2, V3); \
	LANES_ZERO(V4, V5, V6, V7); \
	LANES_ZERO(V8, V9, V10, V11); \
	LANES_ZERO(V12, V13, V14, V15)
#define LANES4(OP, P) OP(0, P, F0, F1); OP(32, P, F2, F3)
#define LANES8(OP, P) LANES4(OP, P); OP(64, P, F4, F5); OP(96, P, F6, F7)
#define LANES16(OP, P) \
	LANES8(OP, P); \
	OP(128, P, F8, F9); OP(160, P, F10, F11); OP(192, P, F12, F13); OP(224, P, F14, F15)

// V26 = sum of the lanes a, sum of the lanes b: the quarters 0 + 2 and 1 + 3,
// their sums, and then the elements.
#define FOLD_TWO(a0, a1, a2, a3, b0, b1, b2, b3) \
	FADD(a2, a0, 26); \
	FADD(a3, a1, 28); \
	FADD(28, 26, 26); \
	FADD(b2, b0, 27); \
	FADD(b3, b1, 28); \
	FADD(28, 27, 27); \
	SUM_TWO

// The projected multiplier update of one vector: p in V(p), m in V26, n in V27,
// µ in element 0 of V24. Leaves the new n in V27.
//	m⁺ = m > 0 ? m : +0;  n = fma(µ, m⁺-p, n);  n = m⁺ > n ? n : m⁺
#define STEP(p) \
	FCMGTZ(26, 28); \
	VAND V28.B16, V26.B16, V26.B16; \
	FSUB(p, 26, 25); \
	FMAE(24, 25, 27); \
	FCMGT(27, 26, 28); \
	VBIF V28.B16, V26.B16, V27.B16

// The augmented Lagrangian: the update of one vector, p in V25, m in V26, g in V27,
// 1/(1+ρ) in element 0 of V24. Leaves m⁺ in V26 and the new g in V27.
//	m⁺ = m > 0 ? m : +0;  y = g + (m⁺-p)
//	g = fma(1/(1+ρ), y > 0 ? y : +0, y < 0 ? y : +0)
#define AUG_STEP \
	FCMGTZ(26, 28); \
	VAND V28.B16, V26.B16, V26.B16; \
	FSUB(25, 26, 25); \
	FADD(25, 27, 25); \
	VEOR V31.B16, V31.B16, V31.B16; \
	FCMGT(25, 31, 28); \
	VAND V28.B16, V25.B16, V27.B16; \
	FCMGTZ(25, 28); \
	VAND V28.B16, V25.B16, V25.B16; \
	FMAE(24, 25, 27)

// The target of m⁺ in V26 and g in V27, left in V27; 1-ρ in element 0 of V18.
//	s = m⁺+g;  t = fma(1-ρ, g, m⁺);  n = s > t ? t : s
#define AUG_TARGET \
	FADD(26, 27, 25); \
	AUG_LESS
#define AUG_LESS \
	FMAE(18, 27, 26); \
	FCMGT(26, 25, 28); \
	VMOV V25.B16, V27.B16; \
	VBIT V28.B16, V26.B16, V27.B16

// The target of m in V26 and g in V27, of Target: a and b in V24 and V18.
#define TARGET_OF \
	FCMGTZ(26, 28); \
	VAND V28.B16, V26.B16, V26.B16; \
	VMOV V26.B16, V25.B16; \
	FMAE(24, 27, 25); \
	AUG_LESS

// The table of bodies. BODY puts a body into its field and begins the function; the assembler wants bodies in the
// order of the fields.
GLOBL TABLE(SB), RODATA|NOPTR, $bodies__size
#define BODY(FIELD, NAME) DATA TABLE+FIELD(SB)/8, $NAME(SB); TEXT NAME(SB), NOSPLIT|NOFRAME, $0-8
