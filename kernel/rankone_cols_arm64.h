// The columns of RANK_ONE for a group of rows, 64 bytes at a time. The file that
// includes this one defines, for this use,
//
//	COLS  the step on a vector of columns
//	ROWS  applies it to one row or to four
//	LOOP  label

LOOP: // for groups of columns left > 0 {
	COLS(ROWS, 0, V0, V4, V8, V12)
	COLS(ROWS, 16, V1, V5, V9, V13)
	COLS(ROWS, 32, V2, V6, V10, V14)
	COLS(ROWS, 48, V3, V7, V11, V15)
	ADD  $64, R1
	ADD  $64, R2
	ADD  $64, R3
	ADD  $64, R4
	ADD  $64, R5
	ADD  $64, R6
	ADD  $64, R7
	ADD  $64, R8
	ADD  $64, R9
	ADD  $64, R10
	SUBS $1, R11
	BNE  LOOP // }
	B    tail

#undef COLS
#undef ROWS
#undef LOOP
