// The columns of a masked rank-one pass of one row, 64 bytes at a time. The file that
// includes this one defines, for this use,
//
//	COLS  the step on a vector of columns
//	LOOP  label

LOOP: // for groups of columns left > 0 {
	COLS(0, V0, V4)
	COLS(16, V1, V5)
	COLS(32, V2, V6)
	COLS(48, V3, V7)
	ADD  $64, R1
	ADD  $64, R3
	ADD  $64, R5
	ADD  $64, R9
	ADD  $64, R10
	ADD  $(8/SIZE), R2
	SUBS $1, R11
	BNE  LOOP // }
	B    tail

#undef COLS
#undef LOOP
