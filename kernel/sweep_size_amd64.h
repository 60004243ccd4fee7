// sweep for one number of vectors. The file that includes this one defines, for this use,
//
//	VECS  applies operations to the vectors of the panel
//
//	for k < to { t = a[k]; for l != k { t -= b[k][l] h[l] }; h[k] = mask project(t) }
//
// A masked store is slow, so that a last vector that is full has a store of its own.
//
//	W0-W7  t     W8 b[k][l]   W9 zero   W10 penalty   W11 inv[k]   W12 scratch
//	R14 k        R8 stride of h     R9 h[0]     R10 a[k]    R11 b[k]
//	R12 &inv[k]  R13 mask[k] or nil R15 h[k]
//	SI h[l]      DX &b[k][l]        CX l left before, AX after the own one   BX of TWO

	MOVQ  s+0(FP), DI
	MOVQ  sweep_cols(DI), CX
	DECQ  CX
	ANDQ  $(VECTOR/SIZE-1), CX
	INCQ  CX
	LAST_MASK(CX)
	NIL(W9)
	VBCST sweep_penalty(DI), W10
	MOVQ  sweep_from(DI), R14
	MOVQ  sweep_hStride(DI), R8
	MOVQ  sweep_h(DI), R9
	MOVQ  R14, R15
	IMULQ R8, R15
	ADDQ  R9, R15
	MOVQ  sweep_aStride(DI), R10
	IMULQ R14, R10
	ADDQ  sweep_a(DI), R10
	MOVQ  sweep_bStride(DI), R11
	IMULQ R14, R11
	ADDQ  sweep_b(DI), R11
	MOVQ  sweep_inv(DI), R12
	LEAQ  (R12)(R14*SIZE), R12
	MOVQ  sweep_mask(DI), R13
	TWO_NONE
	TESTQ R13, R13
	JEQ   row
	MOVQ  sweep_maskStride(DI), AX
	IMULQ R14, AX
	ADDQ  AX, R13

row:
	MOVI   (R12), CX
	ADDI   CX, CX
	JEQ    next
	MOVQ   R10, SI
	VECS(T_LOAD, T_LOAD_PART)
	MOVQ   R9, SI
	MOVQ   R11, DX
	MOVQ   sweep_rank(DI), AX
	SUBQ   R14, AX
	DECQ   AX
	MOVQ   R14, CX
	TESTQ  CX, CX
	JEQ    own
	TWO(both, single)

loop: // for l left { t -= b[k][l] h[l]
	VBCST  (DX), W8
	VECS(T_FMA, T_FMA_PART)
	ADDQ   R8, SI
	ADDQ   $SIZE, DX
	DECQ   CX
	JNE    loop // }

own: // but not l = k; then those behind it
	ADDQ   R8, SI
	ADDQ   $SIZE, DX
	MOVQ   AX, CX
	XORL   AX, AX
	TESTQ  CX, CX
	JNE    loop // }
	VBCST  (R12), W11
	VECS(T_PROJECT, T_PROJECT)
	MOVQ   R13, DX
	TESTQ  DX, DX
	JEQ    unmasked
	VECS(T_MASK, T_MASK_PART)

unmasked: // h[k] = t
	MOVQ   R15, SI
	TESTQ  $(VECTOR/SIZE-1), sweep_cols(DI)
	JNE    partial
	VECS(T_STORE, T_STORE)
	JMP    next

partial:
	VECS(T_STORE, T_STORE_PART)
	JMP    next

next:
	ADDQ  R8, R15
	ADDQ  sweep_aStride(DI), R10
	ADDQ  sweep_bStride(DI), R11
	ADDQ  $SIZE, R12
	TESTQ R13, R13
	JEQ   onward
	ADDQ  sweep_maskStride(DI), R13

onward:
	INCQ R14
	TWO_NEXT(begun)
	CMPQ R14, sweep_to(DI)
	JLT  row
	VZEROUPPER
	RET
	TWO_BEGUN(begun)

#undef VECS
