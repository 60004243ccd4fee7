// MAX and MIN but for their names. The file that includes this one defines, for this
// use,
//
//	OP  the operation of a fold: a = x if x is better, else a
//
// In the last group a lane without an element meets itself.

	MOVD r+0(FP), R0
	REDUCE_IN
	CBNZ R5, loop

tail: // if elements are left { the same with a copy }
	CBZ  R6, out
	ADD  $reduction_copies, R0, R2
	MOVD R2, R4
	REDUCE_LANES(LANES_SAVE, R4)
	COPY_LAST(R1, R4, R6)
	MOVD R2, R1
	MOVD $1, R5
	MOVD $0, R6

loop: // for whole groups {
	EXTREMUM_PAIR(OP, 0, V0, 1, V1)
	EXTREMUM_PAIR(OP, 2, V2, 3, V3)
	EXTREMUM_PAIR(OP, 4, V4, 5, V5)
	EXTREMUM_PAIR(OP, 6, V6, 7, V7)
	SUBS $1, R5
	BNE  loop // }
	B    tail

out:
	REDUCE_OUT(OP, suspend)

#undef OP
