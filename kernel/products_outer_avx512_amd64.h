// outer for one height. The file that includes this one defines, for this use,
//
//	ROWS_OF   applies an operation to so many rows

	MOVQ  o+0(FP), DI
	MOVQ  outer_coefOut(DI), BX
	LEAQ  (BX)(BX*2), R8
	LEAQ  (BX)(BX*4), R9
	LEAQ  (R8)(BX*4), R10
	MOVQ  outer_srcStride(DI), R11
	MOVQ  outer_coefInner(DI), R12
	MOVQ  outer_out(DI), R13
	MOVQ  outer_outStride(DI), R14
	MOVQ  outer_cols(DI), R15

next: // for columns left > 0 {
	SRC_OF_TILE(fetch, fetched)
	MOVQ  outer_coef(DI), DX
	MOVL  $(-1), AX
	CMPQ  R15, $(4*64/SIZE)
	JGT   three
	CMPQ  R15, $(3*64/SIZE)
	JGT   two              // four vectors: two twice
	MOVQ  R15, CX
	SUBQ  $(2*64/SIZE), CX
	JGT   part3
	ADDQ  $(64/SIZE), CX
	JGT   part2
	ADDQ  $(64/SIZE), CX
	LAST_MASK(CX)
	MOVQ  outer_inner(DI), CX

	TILE(COLS1, 64, zero1, loaded1, fetching1, loop1, sums1, update1)

part2:
	MOVL  $1, AX
	SHLL  CX, AX
	DECL  AX

two:
	KMOVW AX, K1
	MOVQ  outer_inner(DI), CX

	TILE(COLS2, 128, zero2, loaded2, fetching2, loop2, sums2, update2)

part3:
	MOVL  $1, AX
	SHLL  CX, AX
	DECL  AX

three:
	KMOVW AX, K1
	MOVQ  outer_inner(DI), CX

	TILE(COLS3, 192, zero3, loaded3, fetching3, loop3, sums3, update3)

done: // }
	VZEROUPPER
	RET

#undef ROWS_OF
