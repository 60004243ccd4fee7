// outer for one height. The file that includes this one defines, for this use,
//
//	ROWS_OF   applies an operation to so many rows

	MOVQ o+0(FP), DI
	OUTER_REGISTERS
	MOVQ outer_coefOut(DI), BX
	LEAQ (BX)(BX*2), R8
	OUTER_STRIDES
	MOVQ outer_srcStride(DI), R11
	MOVQ outer_coefInner(DI), R12
	MOVQ outer_out(DI), R13
	MOVQ outer_outStride(DI), R14
	MOVQ outer_cols(DI), R15

next: // for columns left > 0 {
	SRC_OF_TILE(fetch, fetched)
	MOVQ outer_coef(DI), DX
	OUTER_ONE

	TILE(COLS1, VECTOR, zero1, loaded1, fetching1, loop1, sums1, update1)

	OUTER_TWO

	TILE(COLS2, (2*VECTOR), zero2, loaded2, fetching2, loop2, sums2, update2)

	OUTER_THREE

	TILE(THREE_COLS, (3*VECTOR), zero3, loaded3, fetching3, loop3, sums3, update3)

done: // }
	VZEROUPPER
	RET

#undef ROWS_OF
