// The bodies of linear.go, for AVX2 and AVX-512. A panel is a tile of outer, for many groups of rows.

#define PANEL_FETCH(COLS, A, C0, C1, C2) \
	PREFETCHT0 (AX); \
	PREFETCHT0 (3*VECTOR-1)(AX); \
	ADDQ       R14, AX
#define PANEL_STORE(COLS, A, C0, C1, C2) \
	VMOVU C0, (R13); \
	VMOVU C1, VECTOR(R13); \
	VMOVU C2, (2*VECTOR)(R13); \
	ADDQ  R14, R13

// func panel(p *panel): accumulateGeneric, for groups of rows of C
//
// The tile of the next group, and fetchStep bytes of a for each k, are fetched
// meanwhile. Preconditions: groups, inner >= 1.
//
//	R13 c   R14 its stride   SI b[k]   R15 its stride   CX k left
//	R11 a of the group   DX a[0][k]   R12 aInner   BX R8 R9 R10  1, 3, 5, 7 aRow
//	AX rows of c, then what is fetched
BODY(bodies_panel, AT_LEVEL(panelAVX2<>, panelAVX512<>))
	MOVQ p+0(FP), DI
	MOVQ panel_aRow(DI), BX
	LEAQ (BX)(BX*2), R8
	LEAQ (BX)(BX*4), R9
	LEAQ (R8)(BX*4), R10
	IN3(panel_aInner, R12, panel_cStride, R14, panel_bStride, R15)
	IN2(panel_c, R13, panel_a, R11)

group: // for groups left > 0 {
	MOVQ R13, AX
	PANEL_ROWS(OUT_LOAD, WHOLE3)
	PANEL_ROWS(PANEL_FETCH, WHOLE3)
	IN2(panel_b, SI, panel_inner, CX)
	MOVQ R11, DX
	MOVQ panel_fetch(DI), AX
	ADDQ DX, AX

inner: // for k left > 0 {
	OUT_SRC(WHOLE3)
	PREFETCHT0 (AX)
	PANEL_ROWS(OUT_FMA, WHOLE3)
	ADDQ       R15, SI
	ADDQ       R12, DX
	ADDQ       panel_fetchStep(DI), AX
	DECQ       CX
	JNE        inner // }
	PANEL_ROWS(PANEL_STORE, WHOLE3)
	MOVQ BX, AX
	SHLQ $PANEL_LOG, AX
	ADDQ AX, R11
	DECQ panel_groups(DI)
	JNE  group // }
	VZEROUPPER
	RET

// R10 = whole vectors of columns, R11 = elements of the last one, with its mask.
#define SCALED_COLS \
	MOVQ scaled_cols(DI), R10; \
	MOVQ R10, CX; \
	ANDQ $(VECTOR/SIZE-1), CX; \
	MOVQ CX, R11; \
	LAST_MASK(CX); \
	SHRQ $LANES_LOG, R10

// The CX vectors of y that are left, and the last elements. TERMS applies an operation to those of the rows of x and v.
#define SCALED_LOOP(TERMS, loop, last, next) \
loop: \
	VMOVU (AX), W4; \
	TERMS(TERM); \
	VMOVU W4, (AX); \
	ADDQ  $VECTOR, AX; \
	ADDQ  $VECTOR, BX; \
	DECQ  CX; \
	JNE   loop; \
last: \
	TESTQ R11, R11; \
	JEQ   next; \
	PART_LOAD((AX), W4); \
	TERMS(PART_TERM); \
	PART_STORE(W4, (AX)); \
next:
#define TERMS1(OP) OP((BX), W0)
#define TERMS4(OP) OP((BX), W0); OP((BX)(R8*1), W1); OP((BX)(R8*2), W2); OP((BX)(R9*1), W3)
#define TERM(P, C) VFMA P, C, W4
#define PART_TERM(P, C) PART_LOAD(P, W5); VFMA W5, C, W4
#define TERM_OF(P, R) VFMA P, W0, R

// func addScaled(s *scaled): addScaledGeneric, for each row of X
//
// Rows are taken four at a time, then one at a time. Preconditions: rows, cols >= 1.
//
//	R13 y   SI x[i]   R8 R9  1, 3 strides of x   DX v[i]   R12 rows left
//	AX y, BX x[i], from column j on   CX vectors left   R10 their number
BODY(bodies_addScaled, AT_LEVEL(addScaledAVX2<>, addScaledAVX512<>))
	MOVQ s+0(FP), DI
	IN4(scaled_y, R13, scaled_x, SI, scaled_v, DX, scaled_xStride, R8)
	LEAQ (R8)(R8*2), R9
	MOVQ scaled_rows(DI), R12
	SCALED_COLS

rows4: // for rows left > 3 {
	CMPQ  R12, $4
	JLT   rows1
	BCST4(DX, W0, W1, W2, W3)
	MOVQ  R13, AX
	MOVQ  SI, BX
	MOVQ  R10, CX
	TESTQ CX, CX
	JEQ   last4

	SCALED_LOOP(TERMS4, loop4, last4, next4)
	ADDQ $(4*SIZE), DX
	LEAQ (SI)(R8*4), SI
	SUBQ $4, R12
	JMP  rows4 // }

rows1: // for rows left > 0 {
	TESTQ R12, R12
	JEQ   done
	VBCST (DX), W0
	MOVQ  R13, AX
	MOVQ  SI, BX
	MOVQ  R10, CX
	SUBQ  $4, CX
	JLT   few

loop1: // four vectors
	LANES4(LOAD, 0, AX, W1, W2, W3, W4)
	LANES4(TERM_OF, 0, BX, W1, W2, W3, W4)
	LANES4(LANE_SAVE, 0, AX, W1, W2, W3, W4)
	ADDQ  $(4*VECTOR), AX
	ADDQ  $(4*VECTOR), BX
	SUBQ  $4, CX
	JGE   loop1

few:
	ADDQ $4, CX
	JEQ  last1

	SCALED_LOOP(TERMS1, loopFew, last1, next1)
	ADDQ $SIZE, DX
	ADDQ R8, SI
	DECQ R12
	JMP  rows1 // }

done:
	VZEROUPPER
	RET

// func scale(s *scaled): scaleGeneric, by v[0]
//
//	SI x   CX vectors left   R11 elements of the last
BODY(bodies_scale, AT_LEVEL(scaleAVX2<>, scaleAVX512<>))
	MOVQ  s+0(FP), DI
	IN2(scaled_x, SI, scaled_v, DX)
	VBCST (DX), W0
	SCALED_COLS
	JEQ   last

loop:
	VMUL  (SI), W0, W1
	VMOVU W1, (SI)
	ADDQ  $VECTOR, SI
	DECQ  R10
	JNE   loop

last:
	TESTQ R11, R11
	JEQ   done
	PART_LOAD((SI), W1)
	VMUL  W1, W0, W1
	PART_STORE(W1, (SI))

done:
	VZEROUPPER
	RET
