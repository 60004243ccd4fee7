// contract for one height of the panel. The file that includes this one defines, for this use,
//
//	UPPER, LOWER  apply operations to the upper two quarters of a group of columns and to the lower

	MOVD c+0(FP), R0
	MOVD contraction_xStride(R0), R10
	MOVD contraction_gStride(R0), R11
	MOVD contraction_rows(R0), R7
	MOVD contraction_a(R0), R8
	MOVD contraction_x(R0), R9
	MOVD contraction_lanes(R0), R14
	MOVD contraction_height(R0), R16
	MOVD contraction_cols(R0), R15
	LSL  $SIZE_LOG, R15
	AND  $63, R15, R13
	LSR  $6, R15
	ADD  $contraction_copies, R0, R20
	CBZ  R13, group
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	MOVD R20, R1
	MOVD $10, R2

clear:
	FSTPQ.P (F0, F1), 32(R1)
	SUBS    $1, R2
	BNE     clear
	MOVD    contraction_g(R0), R3
	ADD     R15<<6, R3
	MOVD    R20, R4
	MOVD    R16, R5

copy: // for k < height { last columns of g[k] }
	MOVD R3, R1
	MOVD R4, R2
	COPY(R1, R2, R13)
	ADD  R11, R3
	ADD  $64, R4
	SUBS $1, R5
	BNE  copy

group: // for rows left > 0 {
	MOVD contraction_resume(R0), R1
	CBNZ R1, resume
	LANES_ZERO(V0, V1, V2, V3)
	LANES_ZERO(V4, V5, V6, V7)
	LANES_ZERO(V8, V9, V10, V11)
	LANES_ZERO(V12, V13, V14, V15)
	LANES_ZERO(V16, V17, V18, V19)
	LANES_ZERO(V20, V21, V22, V23)
	B    columns

resume:
	ALL_LANES(LANES_LOAD, R14)

columns:
	MOVD R9, R1
	ADD  R10, R1, R2
	MOVD contraction_g(R0), R3
	ADD  R11, R3, R4
	ADD  R11, R4, R5
	MOVD R15, R6
	MOVD R13, R22
	CBNZ R6, choose

tail: // if columns are left { the same with copies }
	CBZ  R22, lanes
	ADD  $192, R20, R3
	COPY(R1, R3, R22)
	CMP  $2, R7
	BLT  copied
	ADD  $256, R20, R3
	COPY(R2, R3, R22)

copied:
	MOVD R20, R3
	ADD  $64, R20, R4
	ADD  $128, R20, R5
	ADD  $192, R20, R1
	ADD  $256, R20, R2
	MOVD $1, R6
	MOVD $0, R22

choose:
	CMP $2, R7
	BLT one

two: // for groups of columns left > 0 {
	UPPER(X2_PAIR, X2_FMA)
	LOWER(X2_PAIR, X2_FMA)
	SUBS $1, R6
	BNE  two // }
	B    tail

one: // the same for one row of X
	UPPER(X1_PAIR, X1_FMA)
	LOWER(X1_PAIR, X1_FMA)
	SUBS $1, R6
	BNE  one
	B    tail

lanes:
	MOVD contraction_suspend(R0), R1
	CBZ  R1, fold
	ALL_LANES(LANES_SAVE, R14)
	B    folded

fold: // for k < height { a[k][i:i+2] = sums of the lanes of k }
	MOVD R8, R1
	MOVD contraction_aStride(R0), R2
	MOVD R16, R3
	FOLD_ROW(0, 1, 2, 3, 4, 5, 6, 7)
	FOLD_ROW(8, 9, 10, 11, 12, 13, 14, 15)
	FOLD_ROW(16, 17, 18, 19, 20, 21, 22, 23)

folded:
	ADD  $(2*SIZE), R8
	ADD  R10<<1, R9
	ADD  $const_lanesNEON, R14
	SUBS $2, R7
	BGT  group                // }
	RET

#undef UPPER
#undef LOWER
