// contract for one height of the panel. The file that includes this one defines, for this use,
//
//	G_ROWS    applies an operation to the rows of G in the panel
//	G_FOLDS   a[k][i:i+4] = sums of the lanes of k, for k < height
//
//	for rows left > 0 {
//		for whole vectors { lanes = fma(x, g, lanes) }
//		then the columns of K1, if any
//		G_FOLDS
//	}

	MOVQ c+0(FP), DI
	MOVQ contraction_gStride(DI), BX
	LEAQ (BX)(BX*2), R11
	LEAQ (BX)(BX*4), R12
	MOVQ contraction_a(DI), R13
	MOVQ contraction_x(DI), R14
	MOVQ contraction_lanes(DI), R15
	MOVQ contraction_cols(DI), CX
	ANDQ $(64/SIZE-1), CX
	LAST_MASK(CX)             // no columns: empty
	MOVL $0xF0, AX
	KMOVW AX, K5
	MOVL $0xAA, AX
	KMOVW AX, K6
	LOAD_ORDER(ORDER, Z29)
	MOVQ contraction_rows(DI), AX

group: // for rows left > 0 {
	MOVQ contraction_xStride(DI), R8
	LEAQ (R8)(R8*1), R9
	LEAQ (R8)(R8*2), R10
	MOVL $15, CX
	CMPQ AX, $4
	JGE  rows
	XORL R10, R10
	MOVL $7, CX
	CMPQ AX, $3
	JEQ  rows
	XORL R9, R9
	MOVL $3, CX
	CMPQ AX, $2
	JEQ  rows
	XORL R8, R8
	MOVL $1, CX

rows:
	KMOVW CX, K2
	CMPQ  contraction_resume(DI), $0
	JNE   resume
	G_ROWS(G_ZERO)
	JMP   columns

resume:
	G_ROWS(G_RESUME)

columns:
	MOVQ  R14, SI
	MOVQ  contraction_g(DI), DX
	MOVQ  contraction_cols(DI), CX
	SHRQ  $LANES_LOG, CX
	JEQ   part
	KMOVQ AX, K4
	MOVQ  contraction_fetch(DI), AX
	TESTQ AX, AX
	JEQ   loop

fetching: // the same, while a line is fetched for each vector {
	PREFETCHT1 (SI)(AX*1)
	X_COLS(LOAD)
	G_ROWS(G_FMA)
	G_NEXT(fetching) // }
	KMOVQ K4, AX
	JMP   part

loop: // for columns left > 0 {
	X_COLS(LOAD)
	G_ROWS(G_FMA)
	G_NEXT(loop) // }
	KMOVQ K4, AX

part:
	KORTESTW K1, K1
	JEQ      lanes
	X_COLS(PART_LOAD)
	G_ROWS(G_PART)

lanes:
	CMPQ contraction_suspend(DI), $0
	JEQ  fold
	G_ROWS(G_SUSPEND)
	JMP  folded

fold:
	MOVQ R13, SI
	MOVQ contraction_aStride(DI), DX
	G_FOLDS

folded:
	ADDQ $(4*SIZE), R13
	MOVQ contraction_xStride(DI), R8
	LEAQ (R14)(R8*4), R14
	ADDQ $const_lanesAVX512, R15
	SUBQ $4, AX
	JGT  group             // }
	VZEROUPPER
	RET

#undef G_ROWS
#undef G_FOLDS
