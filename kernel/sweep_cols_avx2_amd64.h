// The coordinates k of SWEEP for a panel of some vectors. The file that includes
// this one defines, for this use,
//
//	VECS          applies operations to the vectors of the panel
//	ROW, LOOP, OWN, UNMASKED, PARTIAL  labels
//
//	for k < to { t = a[k]; for l != k { t -= b[k][l] h[l] }; h[k] = mask project(t) }
//
// A masked store is slow, so that a last vector that is full has a store of its own.

ROW:
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
	JEQ    OWN

LOOP: // for l left { t -= b[k][l] h[l]
	VBCST  (DX), Y8
	VECS(T_FMA, T_FMA_PART)
	ADDQ   R8, SI
	ADDQ   $SIZE, DX
	DECQ   CX
	JNE    LOOP // }

OWN: // but not l = k; then those behind it
	ADDQ   R8, SI
	ADDQ   $SIZE, DX
	MOVQ   AX, CX
	XORL   AX, AX
	TESTQ  CX, CX
	JNE    LOOP // }
	VBCST  (R12), Y11
	VECS(T_PROJECT, T_PROJECT)
	MOVQ   R13, DX
	TESTQ  DX, DX
	JEQ    UNMASKED
	VECS(T_MASK, T_MASK_PART)

UNMASKED: // h[k] = t
	MOVQ   R15, SI
	TESTQ  $(32/SIZE-1), sweep_cols(DI)
	JNE    PARTIAL
	VECS(T_STORE, T_STORE)
	JMP    next

PARTIAL:
	VECS(T_STORE, T_STORE_PART)
	JMP    next

#undef VECS
#undef ROW
#undef LOOP
#undef OWN
#undef UNMASKED
#undef PARTIAL
