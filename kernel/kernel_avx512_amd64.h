// The vocabulary of AVX-512, that the rooms share. A file of a level and precision defines before it the
// name of its table of bodies and the instructions:
//
//	SIZE, LANES_LOG       bytes of an element, log2 of the elements of a vector
//	VMOVU VFMA VFNMA ...  the instructions of the precision
//	MOVI ADDI             an element as an integer
//	FOLD_EIGHTH           adds up the two elements of each 64-bit element, if there are two
//	FOLD_ORDER            brings sums into the order of Z29, which LOAD_ORDER loads
//	STORE4, STORE_UPPER4  store the four low elements of Z30 that K2 names, and the next four
//	FRACTION, VPADD ...   the bits of a fraction, arithmetic of bits
//	POLY                  Z7, Z8 = a polynomial, its coefficients 0, 2, ... and 1, 3, ...
//
// Requires: AVX-512 F, DQ, BW, VL; POPCNT. All are ABI0 leaf functions without
// a frame that take one pointer to their arguments, and clean the upper halves
// of the vector registers.
//
// The bodies that both levels share, in files without a level in their name, take from here
//
//	VECTOR, W0 to W12      bytes of a vector; vectors
//	LAST_MASK(N)           sets the mask of PART_LOAD from the count in N, which is CX; changes AX, CX
//	PART_ELSE(P, L, R)     R = the elements of the mask at P, else those of L
//	PART_FMA, _FNMA, _MUL  arithmetic with the elements of the mask at P; may change vector 13
//	PROJECT(R, INV, NUL, S) R = R > 0 ? R * INV : +0, with zero in NUL; changes S
//	NIL(R)                 R = zeros
//	BELOW(T, R)            AX = the elements of R that are less than T, as bits
//
// A function that there is for several sizes or operations is a file, included for each of them. A loop
// with several uses in one function is a macro, whose last arguments are its labels; a profile puts all
// of it on the line of the use.

// The order in which FOLD8 leaves the sums: those of A, those of B.
DATA order64<>+0(SB)/8, $0x0705030106040200
GLOBL order64<>(SB), RODATA|NOPTR, $8
DATA order32<>+0(SB)/8, $0x0E0A06020C080400
GLOBL order32<>(SB), RODATA|NOPTR, $16

// PART_LOAD and PART_STORE move the elements of K1 only; others load as zero.
#define LOAD(P, R) VMOVU P, R
#define STORE(R, P) VMOVU R, P
#define PART_LOAD(P, R) VMOVU.Z P, K1, R
#define PART_STORE(R, P) VMOVU R, K1, P

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

#define LANES4(OP, AT, P, A0, A1, A2, A3) \
	OP((AT+0)(P), A0); \
	OP((AT+64)(P), A1); \
	OP((AT+128)(P), A2); \
	OP((AT+192)(P), A3)
#define LANE_SAVE(P, R) VMOVU R, P
#define LANE_LOAD(P, R) VMOVU P, R
#define LANE_ZERO(P, R) VPXORQ R, R, R

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

// OF_SIZE goes on in the body for a height, if it is that of CX.
#define OF_SIZE(N, BODY) \
	CMPQ CX, $N; \
	JNE  2(PC); \
	JMP  BODY(SB)

// The projected multiplier update of one vector: N at its address, p in Z5, m
// in Z6, µ in Z20, zero in Z21. Leaves the new n in Z7.
//	m⁺ = m > 0 ? m : +0;  n = fma(µ, m⁺-p, n);  n = n < m⁺ ? n : m⁺
#define STEP(LD, ST, N) \
	VMAX Z21, Z6, Z6; \
	VSUB Z5, Z6, Z5; \
	LD(N, Z7); \
	VFMA Z5, Z20, Z7; \
	VMIN Z6, Z7, Z7; \
	ST(Z7, N)

// The augmented Lagrangian. AUG_STEP is the update of one vector: G at its address, p
// in Z5, m in Z6, 1/(1+ρ) in Z20, zero in Z21. Leaves m⁺ in Z6 and the new g in Z7.
//	m⁺ = m > 0 ? m : +0;  y = g + (m⁺-p)
//	g = fma(1/(1+ρ), y > 0 ? y : +0, y < 0 ? y : +0)
#define AUG_STEP(LD, ST, G) \
	VMAX Z21, Z6, Z6; \
	VSUB Z5, Z6, Z5; \
	LD(G, Z7); \
	VADD Z5, Z7, Z5; \
	VMIN Z21, Z5, Z7; \
	VMAX Z21, Z5, Z5; \
	VFMA Z5, Z20, Z7; \
	ST(Z7, G)

// The target of m⁺ in Z6 and g in Z7, left in Z7; 1-ρ in Z9. Changes Z6, Z10.
//	s = m⁺+g;  t = fma(1-ρ, g, m⁺);  n = t < s ? t : s
#define AUG_TARGET \
	VADD Z6, Z7, Z10; \
	VFMA Z9, Z7, Z6; \
	VMIN Z10, Z6, Z7

// The target of m in Z6 and g in Z7, of Target: a and b in Z20 and Z9. Changes Z5, Z6.
#define TARGET_OF \
	VMAX  Z21, Z6, Z6; \
	VMOVU Z6, Z5; \
	VFMA  Z20, Z7, Z5; \
	VFMA  Z9, Z7, Z6; \
	VMIN  Z5, Z6, Z7

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
#define NO_STORE(R, P)

// BYTES_OF sets K3 to the bytes that have a bit of the first elements of A, 16 at most:
// 1 if there is one, and 2 more if there are more than eight. Changes A and T.
#define BYTES_OF(A, T) \
	ANDL  $0x101, A; \
	MOVL  A, T; \
	SHRL  $7, T; \
	ORL   T, A; \
	KMOVB A, K3

// The table of bodies. Each body has its line before its TEXT; the assembler wants the lines in the order of
// the fields.
GLOBL TABLE(SB), RODATA|NOPTR, $bodies__size

// The names of bodies that AVX2 and AVX-512 share.
#define SWEEP sweepAVX512<>
#define SWEEP1 sweepAVX512of1<>
#define SWEEP2 sweepAVX512of2<>
#define SWEEP3 sweepAVX512of3<>
#define SWEEP4 sweepAVX512of4<>
#define SWEEP5 sweepAVX512of5<>
#define SWEEP6 sweepAVX512of6<>
#define SWEEP7 sweepAVX512of7<>
#define SWEEP8 sweepAVX512of8<>
#define EXTRAPOLATE extrapolateAVX512<>
#define DOT dotAVX512<>
#define MAX maxAVX512<>
#define MIN minAVX512<>
#define COUNT countLessAVX512<>
#define PANEL panelAVX512<>
#define ADD_SCALED addScaledAVX512<>
#define SCALE scaleAVX512<>
#define ADD_SPARSE addSparseAVX512<>
#define ADD_TRANSPOSED addTransposedAVX512<>
#define SAMPLED sampledAVX512<>
#define SAMPLED_WHOLE sampledAVX512whole<>
#define SAMPLED_ADDED sampledAVX512added<>
#define SAMPLED_SCATTERED sampledAVX512scattered<>
