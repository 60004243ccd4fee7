// outer for one height. The file that includes this one defines, for this use,
//
//	ROWS_OF   applies an operation to so many rows

	MOVQ o+0(FP), DI
	LEAQ masks<>+128(SB), R9
	MOVQ outer_coefOut(DI), BX
	LEAQ (BX)(BX*2), R8
	MOVQ outer_srcStride(DI), R11
	MOVQ outer_coefInner(DI), R12
	MOVQ outer_out(DI), R13
	MOVQ outer_outStride(DI), R14
	MOVQ outer_cols(DI), R15

next: // for columns left > 0 {
	SRC_OF_TILE(fetch, fetched)
	MOVQ  outer_coef(DI), DX
	MOVQ  outer_inner(DI), CX
	LEAQ  -32(R9), R10     // a full vector
	CMPQ  R15, $(4*32/SIZE)
	JGT   three
	CMPQ  R15, $(3*32/SIZE)
	JEQ   three
	JGT   two
	MOVQ  R15, AX
	IMULQ $SIZE, AX
	MOVQ  R9, R10
	SUBQ  AX, R10          // masks of the columns left
	CMPQ  R15, $(2*32/SIZE)
	JGT   fullTwo
	CMPQ  R15, $(32/SIZE)
	JGT   partTwo
	VMOVU (R10), Y0

	TILE(COLS1, 32, zero1, loaded1, fetching1, loop1, sums1, update1)

partTwo:
	ADDQ $32, R10
	JMP  two

fullTwo:
	LEAQ -32(R9), R10

two:
	VMOVU (R10), Y0

	TILE(COLS2, 64, zero2, loaded2, fetching2, loop2, sums2, update2)

three:

	TILE(WHOLE3, 96, zero3, loaded3, fetching3, loop3, sums3, update3)

done: // }
	VZEROUPPER
	RET

#undef ROWS_OF
