// contract for one height of the panel. The file that includes this one defines, for this use,
//
//	UPPER, LOWER  apply operations to the upper two quarters of a group of columns and to the lower
//	HALF, HALF_X  load a half of a group of the rows of G, and multiply it with that of a row of X

	MOVD c+0(FP), R0
	MOVD contraction_xStride(R0), R10
	MOVD contraction_gStride(R0), R11
	MOVD contraction_rows(R0), R7
	MOVD contraction_a(R0), R8
	MOVD contraction_x(R0), R9
	MOVD contraction_lanes(R0), R14
	MOVD contraction_cols(R0), R15
	LSL  $SIZE_LOG, R15
	AND  $63, R15, R13
	LSR  $6, R15
	ADD  $contraction_copies, R0, R20
	CBZ  R13, group
	CLEAR(R20, 14, clear)
	MOVD    contraction_g(R0), R3
	MOVD    R20, R4
	MOVD    contraction_height(R0), R5
	LAST_COLS(R11, copy)

group: // for rows left > 0 {
	MOVD $2, R19
	CMP  $2, R7
	CSEL LT, R7, R19, R19
	MOVD $4, R1
	CMP  $4, R7
	CSEL GE, R1, R19, R19
	CBZ  R13, rows
	MOVD R9, R3
	ADD  $192, R20, R4
	MOVD R19, R5
	LAST_COLS(R10, copyX)

rows:
	MOVD contraction_resume(R0), R16
	MOVD contraction_suspend(R0), R21
	CMP  $4, R7
	BLT  pair
	MOVD $32, R17

half: // for the upper half of each group of columns, and then the lower {
	CBNZ R16, resume4
	ALL_ZERO
	B    columns4

resume4:
	ALL_LANES(LANES_LOAD, R14)

columns4:
	ADD  R17, R9, R1
	ADD  R10, R1, R2
	ADD  R10, R2, R24
	ADD  R10, R24, R25
	MOVD contraction_g(R0), R3
	ADD  R17, R3
	ADD  R11, R3, R4
	ADD  R11, R4, R5
	MOVD R15, R6
	MOVD R13, R22
	CBZ  R6, tail4

four: // for groups of columns left > 0 {
	HALF
	X_ROW(R1, HALF_X, V0, V1, V8, V9, V16, V17)
	X_ROW(R2, HALF_X, V2, V3, V10, V11, V18, V19)
	X_ROW(R24, HALF_X, V4, V5, V12, V13, V20, V21)
	X_ROW(R25, HALF_X, V6, V7, V14, V15, V22, V23)
	SUBS $1, R6
	BNE  four // }

tail4: // if columns are left { the same with copies }
	CBZ  R22, lanes4
	ADD  R17, R20, R3
	ADD  $64, R3, R4
	ADD  $128, R3, R5
	ADD  $192, R3, R1
	ADD  $256, R3, R2
	ADD  $320, R3, R24
	ADD  $384, R3, R25
	MOVD $1, R6
	MOVD $0, R22
	B    four

lanes4:
	MOVD R14, R1
	CBNZ R21, save4
	CBZ  R17, fold4
	ADD  $contraction_half, R0, R1

save4:
	ALL_LANES(LANES_SAVE, R1)
	ADD  $const_lanesNEON, R14
	SUBS $32, R17
	BGE  half // }
	B    folded

fold4: // for k < height { a[k][i:i+4] = sums of the lanes of k }
	ADD  $const_lanesNEON, R14
	MOVD R8, R1
	MOVD contraction_aStride(R0), R2
	MOVD contraction_height(R0), R3
	ADD  $contraction_half, R0, R4
	FOLD_HALVES(0, 0, 1, 2, 3, 4, 5, 6, 7)
	FOLD_HALVES(128, 8, 9, 10, 11, 12, 13, 14, 15)
	FOLD_HALVES(256, 16, 17, 18, 19, 20, 21, 22, 23)

pair: // the same for two rows of X, or one, by whole groups
	CBNZ R16, resume
	ALL_ZERO
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

tail:
	CBZ  R22, lanes
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

two:
	UPPER(X2_PAIR, X2_FMA)
	LOWER(X2_PAIR, X2_FMA)
	SUBS $1, R6
	BNE  two
	B    tail

one:
	UPPER(X1_PAIR, X1_FMA)
	LOWER(X1_PAIR, X1_FMA)
	SUBS $1, R6
	BNE  one
	B    tail

lanes:
	CBZ  R21, fold
	ALL_LANES(LANES_SAVE, R14)
	ADD  $const_lanesNEON, R14
	B    folded

fold:
	ADD  $const_lanesNEON, R14
	MOVD R8, R1
	MOVD contraction_aStride(R0), R2
	MOVD contraction_height(R0), R3
	FOLD_ROW(0, 1, 2, 3, 4, 5, 6, 7)
	FOLD_ROW(8, 9, 10, 11, 12, 13, 14, 15)
	FOLD_ROW(16, 17, 18, 19, 20, 21, 22, 23)

folded:
	ADD  R19<<SIZE_LOG, R8
	MADD R19, R9, R10, R9
	SUBS R19, R7
	BGT  group             // }
	RET

#undef UPPER
#undef LOWER
#undef HALF
#undef HALF_X
