// The body of SparseRankOne, which serves both levels of amd64. It takes four entries at once, as many as
// there are lanes: a row of a sparse matrix is short, and fetching is most of the work. A precision defines
// before it
//
//	SPARSE_RANK_ONE    its name
//	FOURS(OP)          OP applied to vectors of four elements: lanes, w, scratch, m, n, 0, v_i, g, mu
//	GATHER4            X1 or Y1 = w for the next four entries; changes AX, BX and vector 2
//	SPLIT              X0 X5 X6 X7 = the lanes of vector 0
//	VMULS VADDS ...    arithmetic of one element

// Four entries: x = n + g, after the update of n or without, to the lanes.
#define UPDATE4(L, W, T, M, N, ZERO, V, G, MU) \
	VMUL  V, W, T; \
	VMOVU (R9), M; \
	VMAX  ZERO, M, M; \
	VSUB  T, M, T; \
	VMOVU (DX), N; \
	VFMA  T, MU, N; \
	VMIN  M, N, N; \
	VMOVU N, (DX); \
	VADD  G, N, N; \
	VFMA  N, W, L
#define SUM4(L, W, T, M, N, ZERO, V, G, MU) \
	VADD (DX), G, N; \
	VFMA N, W, L
#define LANES4_IN(L, W, T, M, N, ZERO, V, G, MU) VMOVU rankOneRows_lanes(DI), L
#define LANES4_OUT(L, W, T, M, N, ZERO, V, G, MU) VMOVU L, rankOneRows_lanes(DI)

// One entry, to the lane L.
#define UPDATE1(L) \
	MOVL (SI), AX; \
	VMOVS (R8)(AX*SIZE), X1; \
	VMULS X13, X1, X2; \
	VMOVS (R9), X3; \
	VMAXS X12, X3, X3; \
	VSUBS X2, X3, X2; \
	VMOVS (DX), X4; \
	VFMAS X2, X15, X4; \
	VMINS X3, X4, X4; \
	VMOVS X4, (DX); \
	VADDS X14, X4, X4; \
	VFMAS X4, X1, L; \
	ADDQ $4, SI; \
	ADDQ $SIZE, DX; \
	ADDQ $SIZE, R9
#define SUM1(L) \
	MOVL (SI), AX; \
	VADDS (DX), X14, X4; \
	VFMAS (R8)(AX*SIZE), X4, L; \
	ADDQ $4, SI; \
	ADDQ $SIZE, DX

// The entries of a row, to its lanes, by OF_FOUR and OF_ONE. Goes to start or fold, or on after the last.
#define ROW_ENTRIES(OF_FOUR, M_ONWARD, OF_ONE, four, few) \
	SUBQ $4, CX; \
	JLT  few; \
four: /* for entries left >= 4 { */ \
	GATHER4; \
	FOURS(OF_FOUR); \
	ADDQ $16, SI; \
	ADDQ $(4*SIZE), DX; \
	M_ONWARD; \
	SUBQ $4, CX; \
	JGE  four; /* } */ \
few: \
	CMPQ R15, $const_startRow; \
	JEQ  start; \
	SPLIT; \
	ADDQ $4, CX; \
	JEQ  fold; \
	OF_ONE(X0); \
	DECQ CX; \
	JEQ  fold; \
	OF_ONE(X5); \
	DECQ CX; \
	JEQ  fold; \
	OF_ONE(X6)
#define M_FOUR ADDQ $(4*SIZE), R9
#define M_NONE

// c_j = fma(n + g, v_i, c_j) for the entry K after the next.
#define ENTRY_SCATTER(K, AT) \
	MOVL   4*K(SI), AT; \
	VADDS K*SIZE(DX), X14, X1; \
	VMOVS (R11)(AT*SIZE), X2; \
	VFMAS X1, X13, X2; \
	VMOVS X2, (R11)(AT*SIZE)

// func sparseRankOne(r *rankOneRows): sparseRankOneGeneric, of each row the part that do names
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
	IN3(rankOneRows_v, R10, rankOneRows_w, R8, rankOneRows_c, R11)
	IN3(rankOneRows_n, DX, rankOneRows_m, R9, rankOneRows_idx, SI)
	IN3(rankOneRows_ptr, R12, rankOneRows_rows, R13, rankOneRows_do, R15)
	VPXOR X12, X12, X12
	VBCST  rankOneRows_g(DI), Y14
	VBCST  rankOneRows_mu(DI), Y15

row: // for rows left > 0 {
	LEAQ  8(R12), R12
	MOVQ  (R12), CX
	SUBQ  -8(R12), CX
	MOVQ  CX, R14
	VBCST  (R10), Y13
	CMPQ  R15, $const_scatterRow
	JEQ   entries
	FOURS(LANES4_IN)
	TESTQ R9, R9
	JEQ   sum
	ROW_ENTRIES(UPDATE4, M_FOUR, UPDATE1, update4, updated)
	JMP   fold

sum: // the same without the update
	ROW_ENTRIES(SUM4, M_NONE, SUM1, sum4, summed)

fold:
	VMOVS   rankOneRows_inv(DI), X1
	MOVI   rankOneRows_inv(DI), AX
	ADDI   AX, AX
	JEQ    renewed
	VADDS   X6, X0, X0
	VADDS   X7, X5, X5
	VADDS   X5, X0, X0
	VADDS   rankOneRows_base(DI), X0, X0
	VCMPS  $17, X0, X12, X2               // 0 < sum
	VMULS   X1, X0, X0
	VAND   X2, X0, X13
	VMOVS   X13, (R10)

renewed:
	CMPQ R15, $const_finishRow
	JEQ  next
	MOVI (R10), AX
	ADDI AX, AX
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
	ENTRY_SCATTER(0, AX)
	ENTRY_SCATTER(1, BX)
	ENTRY_SCATTER(2, AX)
	ENTRY_SCATTER(3, BX)
	ADDQ $16, SI
	ADDQ $(4*SIZE), DX
	SUBQ $4, CX
	JGE  entries4 // }

few:
	ADDQ $4, CX
	JEQ  next

entries1: // for entries left > 0 {
	ENTRY_SCATTER(0, AX)
	ADDQ $4, SI
	ADDQ $SIZE, DX
	DECQ CX
	JNE  entries1 // }

next:
	ADDQ $SIZE, R10
	DECQ R13
	JNE  row // }

done:
	VZEROUPPER
	RET

start:
	FOURS(LANES4_OUT)
	JMP done
