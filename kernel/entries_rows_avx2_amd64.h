// The rows and columns of UPDATE, AUGMENT and TARGET, of those with a mask and of KEEP,
// IMPUTE and WEIGH, and the return. The file that includes this one defines, for this use,
//
//	BODY  the operation on a vector of columns

	MOVQ  u+0(FP), DI
	MOVQ  update_n(DI), SI
	MOVQ  update_m(DI), DX
	MOVQ  update_p(DI), BX
	MOVQ  update_nStride(DI), R8
	MOVQ  update_mStride(DI), R9
	MOVQ  update_pStride(DI), R10
	MOVQ  update_rows(DI), R11
	MOVQ  update_cols(DI), CX
	ANDQ  $(32/SIZE-1), CX
	MASKS(AX)
	VMOVU (AX), Y15
	LEAQ  BIT_OF_LANE, R12
	MOVQ  update_seen(DI), R15
	VPXOR Y13, Y13, Y13
	VBCST update_mu(DI), Y12
	VBCST update_nu(DI), Y8

row: // for rows left > 0 {
	XORL AX, AX
	MOVQ update_cols(DI), CX
	SHRQ $LANES_LOG, CX
	JEQ  part

loop:
	BODY(LOAD, STORE)
	ADDQ $32, AX
	DECQ CX
	JNE  loop

part:
	TESTQ $(32/SIZE-1), update_cols(DI)
	JEQ   whole
	BODY(PART_LOAD, PART_STORE)

whole:
	ADDQ R8, SI
	ADDQ R9, DX
	ADDQ R10, BX
	ADDQ update_seenStride(DI), R15
	DECQ R11
	JNE  row               // }
	VZEROUPPER
	RET

#undef BODY
