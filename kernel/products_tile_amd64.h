// One tile of the output of OUTER, at R13, for AVX2 and AVX-512. The file that includes this one
// defines, for this use,
//
//	ROWS_OF                applies an operation to the rows of the tile
//	COLS                   applies an operation to the vectors of a row
//	WIDTH                  bytes of a row of the tile
//	ZERO, LOADED, FETCHING, LOOP, SUMS, STEP_TILE  labels
//
//	for b := 0; b < inner; b++ { out[a][j] = fma(coef[a][b], src[b][j], out[a][j]) }

	CMPQ outer_keep(DI), $0
	JEQ  ZERO
	MOVQ R13, AX
	ROWS_OF(OUT_LOAD)
	JMP  LOADED

ZERO:
	ROWS_OF(OUT_ZERO)

LOADED:
	MOVQ outer_ahead(DI), AX
	TESTQ AX, AX
	JEQ  LOOP
	MOVQ outer_also(DI), R14

FETCHING: // the same, while two lines of what comes next are fetched {
	PREFETCHT1 (SI)(AX*1)
	PREFETCHT1 (SI)(R14*1)
	OUT_SRC
	ROWS_OF(OUT_FMA)
	ADDQ R11, SI
	ADDQ R12, DX
	DECQ CX
	JNE  FETCHING // }
	MOVQ outer_outStride(DI), R14
	JMP  SUMS

LOOP: // for rows of src left > 0 {
	OUT_SRC
	ROWS_OF(OUT_FMA)
	ADDQ R11, SI
	ADDQ R12, DX
	DECQ CX
	JNE  LOOP // }

SUMS:
	MOVQ R13, AX
	MOVQ outer_m(DI), CX
	TESTQ CX, CX
	JNE  STEP_TILE
	ROWS_OF(OUT_STORE)
	ADDQ $WIDTH, R13
	SUBQ $(WIDTH/SIZE), R15
	JGT  next
	JMP  done

STEP_TILE: // n = step(n, m, p), the tile being p
	ADDQ R13, CX
	SUBQ outer_out(DI), CX
	MOVQ outer_mStride(DI), SI
	VBCST outer_mu(DI), MU
	NIL(ZEROS)
	ROWS_OF(OUT_STEP)
	ADDQ $WIDTH, R13
	SUBQ $(WIDTH/SIZE), R15
	JGT  next
	JMP  done

#undef COLS
#undef WIDTH
#undef LOOP
#undef STEP_TILE
#undef SUMS
#undef ZERO
#undef LOADED
#undef FETCHING
