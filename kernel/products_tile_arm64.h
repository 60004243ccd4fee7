// One tile of the output of OUTER, at R1. The file that includes this one defines, for
// this use,
//
//	ROWS_OF                applies an operation to the rows of the tile
//	LOADS, FMAS, STORES    operations on a row: before and in the loop, at the end
//	STEPS                  the update of a row of N, in place of STORES
//	SRC                    loads the vectors of src[b]
//	MOV                    moves the last of them
//	WIDTH                  bytes of a row of the tile
//	LOOP, STEP_TILE        labels
//
//	for b := 0; b < inner; b++ { out[a][j] = fma(coef[a][b], src[b][j], out[a][j]) }

	ROWS_OF(LOADS, MOV)

LOOP: // for rows of src left > 0 {
	SRC(MOV)
	ROWS_OF(FMAS, MOV)
	ADD  R4, R3
	ADD  R11, R5
	SUBS $1, R13
	BNE  LOOP // }
	MOVD R1, R14
	MOVD outer_m(R0), R3
	CBNZ R3, STEP_TILE
	ROWS_OF(STORES, MOV)
	ADD  $WIDTH, R1
	SUBS $WIDTH, R12
	BGT  next
	RET

STEP_TILE: // n = step(n, m, p), the tile being p
	MOVD outer_out(R0), R13
	SUB  R13, R3
	ADD  R1, R3
	MOVD outer_mStride(R0), R13
	MOVE outer_mu(R0), F24
	ROWS_OF(STEPS, MOV)
	ADD  $WIDTH, R1
	SUBS $WIDTH, R12
	BGT  next
	RET

#undef LOADS
#undef SRC
#undef FMAS
#undef STORES
#undef STEPS
#undef MOV
#undef WIDTH
#undef LOOP
#undef STEP_TILE
