// contract for one height of the panel. The file that includes this one defines, for this use,
//
//	G_ROWS    applies an operation to the rows of G in the panel
//
//	for rows left > 0 {
//		for whole groups of columns { lanes = fma(x, g, lanes), 64 bytes }
//		then the columns of the masks R9, if any
//		for k < height { a[k][i:i+2] = sums of the lanes of k }
//	}

	MOVQ c+0(FP), DI
	MOVQ contraction_cols(DI), CX
	ANDQ $(64/SIZE-1), CX
	MASKS(R9)
	MOVQ contraction_gStride(DI), BX
	MOVQ contraction_a(DI), R13
	MOVQ contraction_x(DI), R14
	MOVQ contraction_lanes(DI), R15
	MOVQ contraction_rows(DI), AX

group: // for rows left > 0 {
	MOVQ contraction_xStride(DI), R8
	CMPQ AX, $2
	JGE  rows
	XORL R8, R8

rows:
	CMPQ contraction_resume(DI), $0
	JNE  resume
	G_ROWS(G_ZERO, 0)
	JMP  columns

resume:
	G_ROWS(G_RESUME, 0)

columns:
	MOVQ  R14, SI
	MOVQ  contraction_g(DI), DX
	MOVQ  contraction_cols(DI), CX
	SHRQ  $(LANES_LOG+1), CX
	JEQ   part

loop: // for columns left > 0 {
	VMOVU (SI), Y12
	VMOVU (SI)(R8*1), Y13
	G_ROWS(G_LOWER, 0)
	VMOVU 32(SI), Y12
	VMOVU 32(SI)(R8*1), Y13
	G_ROWS(G_UPPER, 32)
	ADDQ  $64, SI
	ADDQ  $64, DX
	DECQ  CX
	JNE   loop // }

part:
	TESTQ $(64/SIZE-1), contraction_cols(DI)
	JEQ   lanes
	VMOVU (R9), Y15
	PART_LOAD((SI), Y12)
	PART_LOAD((SI)(R8*1), Y13)
	G_ROWS(G_LOWER_PART, 0)
	VMOVU 32(R9), Y15
	PART_LOAD(32(SI), Y12)
	PART_LOAD(32(SI)(R8*1), Y13)
	G_ROWS(G_UPPER_PART, 32)

lanes:
	CMPQ contraction_suspend(DI), $0
	JEQ  fold
	G_ROWS(G_SUSPEND, 0)
	JMP  folded

fold:
	MOVQ R13, SI
	MOVQ contraction_aStride(DI), DX
	G_ROWS(G_FOLD, 0)

folded:
	ADDQ $(2*SIZE), R13
	MOVQ contraction_xStride(DI), R8
	LEAQ (R14)(R8*2), R14
	ADDQ $const_lanesAVX2, R15
	SUBQ $2, AX
	JGT  group             // }
	VZEROUPPER
	RET

#undef G_ROWS
