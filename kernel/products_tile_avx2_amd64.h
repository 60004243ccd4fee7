// One tile of the output of OUTER, at R13. The file that includes this one defines,
// for this use,
//
//	ROWS_OF                applies an operation to the rows of the tile
//	LOADS, FMAS, STORES    operations on a row: before and in the loop, at the end
//	STEPS                  the update of a row of N, in place of STORES
//	SRC                    loads the vectors of src[b]
//	WIDTH                  bytes of a row of the tile
//	LOOP, SUMS, STEP_TILE  labels
//	FETCHING               the label of a loop that fetches; without it there is none
//
//	for b := 0; b < inner; b++ { out[a][j] = fma(coef[a][b], src[b][j], out[a][j]) }

	MOVQ R13, AX
	ROWS_OF(LOADS)
#ifdef FETCHING
	MOVQ outer_ahead(DI), AX
	TESTQ AX, AX
	JEQ  LOOP
	MOVQ outer_also(DI), R14

FETCHING: // the same, while two lines of what comes next are fetched {
	PREFETCHT1 (SI)(AX*1)
	PREFETCHT1 (SI)(R14*1)
	SRC
	ROWS_OF(FMAS)
	ADDQ R11, SI
	ADDQ R12, DX
	DECQ CX
	JNE  FETCHING // }
	MOVQ outer_outStride(DI), R14
	JMP  SUMS
#endif

LOOP: // for rows of src left > 0 {
	SRC
	ROWS_OF(FMAS)
	ADDQ R11, SI
	ADDQ R12, DX
	DECQ CX
	JNE  LOOP // }

SUMS:
	MOVQ R13, AX
	MOVQ outer_m(DI), CX
	TESTQ CX, CX
	JNE  STEP_TILE
	ROWS_OF(STORES)
	ADDQ $WIDTH, R13
	SUBQ $(WIDTH/SIZE), R15
	JGT  next
	JMP  done

STEP_TILE: // n = step(n, m, p), the tile being p
	ADDQ  R13, CX
	SUBQ  outer_out(DI), CX
	MOVQ  outer_mStride(DI), SI
	VBCST outer_mu(DI), Y14
	VPXOR Y15, Y15, Y15
	ROWS_OF(STEPS)
	ADDQ  $WIDTH, R13
	SUBQ  $(WIDTH/SIZE), R15
	JGT   next
	JMP   done

#undef LOADS
#undef SRC
#undef FMAS
#undef STORES
#undef STEPS
#undef WIDTH
#undef LOOP
#undef STEP_TILE
#undef SUMS
#ifdef FETCHING
#undef FETCHING
#endif
