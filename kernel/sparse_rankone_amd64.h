// The body of SparseRankOne for one precision. The file that includes this one
// defines SPARSE_RANK_ONE, its name, and includes the instructions before
// (sparse_rankone_f64_amd64.h, sparse_rankone_f32_amd64.h).

// Four entries: x = n + g, after the update of n or without, to the lanes.
#define UPDATE4 \
	GATHER4; \
	MUL  V4, W4, T4; \
	MOVU (R9), M4; \
	MAX  ZERO4, M4, M4; \
	SUB  T4, M4, T4; \
	MOVU (DX), N4; \
	FMA  T4, MU4, N4; \
	MIN  M4, N4, N4; \
	MOVU N4, (DX); \
	ADD  G4, N4, N4; \
	FMA  N4, W4, LANES
#define SUM4 \
	GATHER4; \
	ADD (DX), G4, N4; \
	FMA N4, W4, LANES

// One entry, to the lane L.
#define UPDATE1(L) \
	MOVL (SI), AX; \
	MOV1 (R8)(AX*SIZE), X1; \
	MUL1 X13, X1, X2; \
	MOV1 (R9), X3; \
	MAX1 X12, X3, X3; \
	SUB1 X2, X3, X2; \
	MOV1 (DX), X4; \
	FMA1 X2, X15, X4; \
	MIN1 X3, X4, X4; \
	MOV1 X4, (DX); \
	ADD1 X14, X4, X4; \
	FMA1 X4, X1, L; \
	ADDQ $4, SI; \
	ADDQ $SIZE, DX; \
	ADDQ $SIZE, R9
#define SUM1(L) \
	MOVL (SI), AX; \
	ADD1 (DX), X14, X4; \
	FMA1 (R8)(AX*SIZE), X4, L; \
	ADDQ $4, SI; \
	ADDQ $SIZE, DX

// c_j = fma(n + g, v_i, c_j) for the entry K after the next.
#define SCATTER(K, AT) \
	MOVL   4*K(SI), AT; \
	ADD1   K*SIZE(DX), X14, X1; \
	FMA213 (R11)(AT*SIZE), X13, X1; \
	MOV1   X1, (R11)(AT*SIZE)

// func SPARSE_RANK_ONE(r *rankOneRows)
//
//	t := 0
//	for i := range rows {
//		lane := lanes
//		for k := range ptr[i+1] - ptr[i] {
//			j := idx[t+k]
//			if m != nil { n[t+k] = step(n[t+k], m[t+k], v[i]*w[j], mu) }
//			lane[k%4] = fma(n[t+k]+g, w[j], lane[k%4])
//		}
//		if do == startRow { lanes = lane; return }
//		if inv != 0 { v[i] = project(fold(lane)+base, inv) }
//		if do != finishRow && v[i] != 0 {
//			for k := range ptr[i+1] - ptr[i] { c[idx[t+k]] = fma(n[t+k]+g, v[i], c[idx[t+k]]) }
//		}
//		t += ptr[i+1] - ptr[i]
//	}
//
// The last one to three entries of a row are taken one by one, after the lanes
// are split. If do is scatterRow, only the last of the inner loops runs.
// Preconditions: rows >= 1; one row, if do is not wholeRow.
//
//	DI arguments    R12 row pointers   R13 rows left     CX entries left
//	SI &idx[t]      DX &n[t]           R9 &m[t], or 0    R14 entries of the row
//	R8 w            R11 c              R10 &v[i]         R15 do
//	X0 X5 X6 X7 the lanes, when split  X12 0   X13 v_i   X14 g   X15 mu
TEXT SPARSE_RANK_ONE(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ  r+0(FP), DI
	MOVQ  rankOneRows_v(DI), R10
	MOVQ  rankOneRows_w(DI), R8
	MOVQ  rankOneRows_c(DI), R11
	MOVQ  rankOneRows_n(DI), DX
	MOVQ  rankOneRows_m(DI), R9
	MOVQ  rankOneRows_idx(DI), SI
	MOVQ  rankOneRows_ptr(DI), R12
	MOVQ  rankOneRows_rows(DI), R13
	MOVQ  rankOneRows_do(DI), R15
	VPXOR X12, X12, X12
	BCST  rankOneRows_g(DI), G4
	BCST  rankOneRows_mu(DI), MU4

row: // for rows left > 0 {
	LEAQ  8(R12), R12
	MOVQ  (R12), CX
	SUBQ  -8(R12), CX
	MOVQ  CX, R14
	BCST  (R10), V4
	CMPQ  R15, $const_scatterRow
	JEQ   entries
	MOVU  rankOneRows_lanes(DI), LANES
	TESTQ R9, R9
	JEQ   sum
	SUBQ  $4, CX
	JLT   updated

update4: // for entries left >= 4 {
	UPDATE4
	ADDQ $16, SI
	ADDQ $(4*SIZE), DX
	ADDQ $(4*SIZE), R9
	SUBQ $4, CX
	JGE  update4 // }

updated:
	CMPQ R15, $const_startRow
	JEQ  start
	SPLIT
	ADDQ $4, CX
	JEQ  fold
	UPDATE1(X0)
	DECQ CX
	JEQ  fold
	UPDATE1(X5)
	DECQ CX
	JEQ  fold
	UPDATE1(X6)
	JMP  fold

sum: // the same without the update
	SUBQ $4, CX
	JLT  summed

sum4:
	SUM4
	ADDQ $16, SI
	ADDQ $(4*SIZE), DX
	SUBQ $4, CX
	JGE  sum4

summed:
	CMPQ R15, $const_startRow
	JEQ  start
	SPLIT
	ADDQ $4, CX
	JEQ  fold
	SUM1(X0)
	DECQ CX
	JEQ  fold
	SUM1(X5)
	DECQ CX
	JEQ  fold
	SUM1(X6)

fold:
	MOV1   rankOneRows_inv(DI), X1
	DOUBLE(X1, AX)
	JEQ    renewed
	ADD1   X6, X0, X0
	ADD1   X7, X5, X5
	ADD1   X5, X0, X0
	ADD1   rankOneRows_base(DI), X0, X0
	BELOW1 X0, X12, X2               // 0 < sum
	MUL1   X1, X0, X0
	AND1   X2, X0, X13
	MOV1   X13, (R10)

renewed:
	CMPQ R15, $const_finishRow
	JEQ  next
	DOUBLE(X13, AX)
	JEQ  next
	MOVQ R14, CX
	MOVQ R14, AX
	SHLQ $2, AX
	SUBQ AX, SI                      // back to the first entry
	IMULQ $(SIZE/4), AX
	SUBQ AX, DX

entries:
	SUBQ $4, CX
	JLT  few

entries4: // for entries left >= 4 {
	SCATTER(0, AX)
	SCATTER(1, BX)
	SCATTER(2, AX)
	SCATTER(3, BX)
	ADDQ $16, SI
	ADDQ $(4*SIZE), DX
	SUBQ $4, CX
	JGE  entries4 // }

few:
	ADDQ $4, CX
	JEQ  next

entries1: // for entries left > 0 {
	SCATTER(0, AX)
	ADDQ $4, SI
	ADDQ $SIZE, DX
	DECQ CX
	JNE  entries1 // }

next:
	ADDQ $SIZE, R10
	DECQ R13
	JNE  row // }
	VZEROUPPER
	RET

start:
	MOVU LANES, rankOneRows_lanes(DI)
	VZEROUPPER
	RET

#undef SPARSE_RANK_ONE
#undef UPDATE4
#undef SUM4
#undef UPDATE1
#undef SUM1
#undef SCATTER
#undef SIZE
#undef LANES
#undef W4
#undef T4
#undef M4
#undef N4
#undef ZERO4
#undef V4
#undef G4
#undef MU4
#undef MOVU
#undef MUL
#undef ADD
#undef SUB
#undef MAX
#undef MIN
#undef FMA
#undef MOV1
#undef MUL1
#undef ADD1
#undef SUB1
#undef MAX1
#undef MIN1
#undef FMA1
#undef FMA213
#undef BELOW1
#undef AND1
#undef BCST
#undef DOUBLE
#undef GATHER4
#undef SPLIT
