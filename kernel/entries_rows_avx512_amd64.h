// The rows and columns of UPDATE, AUGMENT and TARGET, of those with a mask and of KEEP,
// IMPUTE and WEIGH, and the return. The file that includes this one defines, for this use,
//
//	BODY  the operation on a vector of columns, which may take K2 from the mask

	MOVQ   u+0(FP), DI
	MOVQ   update_n(DI), SI
	MOVQ   update_m(DI), DX
	MOVQ   update_p(DI), BX
	MOVQ   update_nStride(DI), R8
	MOVQ   update_mStride(DI), R9
	MOVQ   update_pStride(DI), R10
	MOVQ   update_rows(DI), R11
	MOVQ   R11, R12
	IMULQ  R9, R12
	MOVQ   update_cols(DI), CX
	ANDQ   $(64/SIZE-1), CX
	MOVL   $1, AX
	SHLL   CX, AX
	DECL   AX
	KMOVW  AX, K1
	BYTES_OF(AX, R14)
	MOVQ   update_seen(DI), R15
	VPXORQ Z21, Z21, Z21
	VBCST  update_mu(DI), Z20
	VBCST  update_nu(DI), Z9

row: // for rows left > 0 {
	XORL  AX, AX
	LEAQ  (DX)(R12*1), R13
	MOVQ  update_cols(DI), CX
	SHRQ  $LANES_LOG, CX
	JEQ   part

loop:
	BODY(LOAD, STORE, SEEN)
	ADDQ $64, AX
	DECQ CX
	JNE  loop

part:
	KORTESTW K1, K1
	JEQ      whole
	BODY(PART_LOAD, PART_STORE, PART_SEEN)

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
