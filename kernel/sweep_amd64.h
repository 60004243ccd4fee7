// The bodies of sweep.go, for AVX2 and AVX-512. kernel_amd64.h and those of the levels have the
// vectors and operations. Before it, a level defines how two coordinates walk together over the h[l] before
// the first of them, if it has registers for that:
//
//	TWO_NONE                  no row is begun
//	TWO(both, single)         in row k: begins row k+1 too, walks over l < k, and goes on at own, or does nothing
//	TWO_NEXT(begun)           goes on at begun if the row is begun
//	TWO_BEGUN(begun)          sets what the loop needs, from l = k-1 on

#define T_LOAD(AT, T, U) VMOVU AT(SI), T
#define T_LOAD_PART(AT, T, U) PART_LOAD(AT(SI), T)
#define T_FMA(AT, T, U) VFNMA AT(SI), W8, T
#define T_FMA_PART(AT, T, U) PART_FNMA(AT(SI), W8, T)
#define T_PROJECT(AT, T, U) VSUB W10, T, T; PROJECT(T, W11, W9, W12)
#define T_MASK(AT, T, U) VMUL AT(DX), T, T
#define T_MASK_PART(AT, T, U) PART_MUL(AT(DX), T)
#define T_STORE(AT, T, U) VMOVU T, AT(SI)
#define T_STORE_PART(AT, T, U) PART_STORE(T, AT(SI))

// func sweep(s *sweep): sweepGeneric, for the coordinates [from, to), for N vectors of columns, to which VECS applies operations
//
//	for k < to { t = a[k]; for l != k { t -= b[k][l] h[l] }; h[k] = mask project(t) }
//
// Preconditions: cols is that of the function; 0 <= from < to <= rank.
// A masked store is slow, so that a last vector that is full has a store of its own.
//
//	W0-W7  t     W8 b[k][l]   W9 zero   W10 penalty   W11 inv[k]   W12 scratch
//	R14 k        R8 stride of h     R9 h[0]     R10 a[k]    R11 b[k]
//	R12 &inv[k]  R13 mask[k] or nil R15 h[k]
//	SI h[l]      DX &b[k][l]        CX l left before, AX after the own one   BX of TWO
#define SWEEP_OF(N, NAME, VECS) \
	BODY((bodies_sweep+8*N), NAME); \
	MOVQ  s+0(FP), DI; \
	MOVQ  sweep_cols(DI), CX; \
	DECQ  CX; \
	ANDQ  $(VECTOR/SIZE-1), CX; \
	INCQ  CX; \
	LAST_MASK(CX); \
	NIL(W9); \
	VBCST sweep_penalty(DI), W10; \
	IN3(sweep_from, R14, sweep_hStride, R8, sweep_h, R9); \
	MOVQ  R14, R15; \
	IMULQ R8, R15; \
	ADDQ  R9, R15; \
	MOVQ  sweep_aStride(DI), R10; \
	IMULQ R14, R10; \
	ADDQ  sweep_a(DI), R10; \
	MOVQ  sweep_bStride(DI), R11; \
	IMULQ R14, R11; \
	ADDQ  sweep_b(DI), R11; \
	MOVQ  sweep_inv(DI), R12; \
	LEAQ  (R12)(R14*SIZE), R12; \
	MOVQ  sweep_mask(DI), R13; \
	TWO_NONE; \
	TESTQ R13, R13; \
	JEQ   row; \
	MOVQ  sweep_maskStride(DI), AX; \
	IMULQ R14, AX; \
	ADDQ  AX, R13; \
row: \
	MOVI   (R12), CX; \
	ADDI   CX, CX; \
	JEQ    next; \
	MOVQ   R10, SI; \
	VECS(T_LOAD, T_LOAD_PART); \
	MOVQ   R9, SI; \
	MOVQ   R11, DX; \
	MOVQ   sweep_rank(DI), AX; \
	SUBQ   R14, AX; \
	DECQ   AX; \
	MOVQ   R14, CX; \
	TESTQ  CX, CX; \
	JEQ    own; \
	TWO(VECS, both, single); \
loop: /* for l left { t -= b[k][l] h[l] */ \
	VBCST  (DX), W8; \
	VECS(T_FMA, T_FMA_PART); \
	ADDQ   R8, SI; \
	ADDQ   $SIZE, DX; \
	DECQ   CX; \
	JNE    loop; /* } */ \
own: /* but not l = k; then those behind it */ \
	ADDQ   R8, SI; \
	ADDQ   $SIZE, DX; \
	MOVQ   AX, CX; \
	XORL   AX, AX; \
	TESTQ  CX, CX; \
	JNE    loop; /* } */ \
	VBCST  (R12), W11; \
	VECS(T_PROJECT, T_PROJECT); \
	MOVQ   R13, DX; \
	TESTQ  DX, DX; \
	JEQ    unmasked; \
	VECS(T_MASK, T_MASK_PART); \
unmasked: /* h[k] = t */ \
	MOVQ   R15, SI; \
	TESTQ  $(VECTOR/SIZE-1), sweep_cols(DI); \
	JNE    partial; \
	VECS(T_STORE, T_STORE); \
	JMP    next; \
partial: \
	VECS(T_STORE, T_STORE_PART); \
next: \
	ADDQ  R8, R15; \
	ADDQ  sweep_aStride(DI), R10; \
	ADDQ  sweep_bStride(DI), R11; \
	ADDQ  $SIZE, R12; \
	TESTQ R13, R13; \
	JEQ   onward; \
	ADDQ  sweep_maskStride(DI), R13; \
onward: \
	INCQ R14; \
	TWO_NEXT(begun); \
	CMPQ R14, sweep_to(DI); \
	JLT  row; \
	VZEROUPPER; \
	RET; \
	TWO_BEGUN(VECS, begun)
SWEEP_OF(1, AT_LEVEL(sweepAVX2of1<>, sweepAVX512of1<>), VECS1)
SWEEP_OF(2, AT_LEVEL(sweepAVX2of2<>, sweepAVX512of2<>), VECS2)
SWEEP_OF(3, AT_LEVEL(sweepAVX2of3<>, sweepAVX512of3<>), VECS3)
SWEEP_OF(4, AT_LEVEL(sweepAVX2of4<>, sweepAVX512of4<>), VECS4)
SWEEP_OF(5, AT_LEVEL(sweepAVX2of5<>, sweepAVX512of5<>), VECS5)
SWEEP_OF(6, AT_LEVEL(sweepAVX2of6<>, sweepAVX512of6<>), VECS6)
SWEEP_OF(7, AT_LEVEL(sweepAVX2of7<>, sweepAVX512of7<>), VECS7)
SWEEP_OF(8, AT_LEVEL(sweepAVX2of8<>, sweepAVX512of8<>), VECS8)
