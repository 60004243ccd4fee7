// The NEON bodies of linear.go. kernel_neon_arm64.h has what the rooms share.

#define PANEL_LOAD(A, B, C) \
	FLDPQ (R16), (A, B); \
	FMOVQ 32(R16), C; \
	ADD   R2, R16
#define PANEL_STORE(A, B, C) \
	FSTPQ (A, B), (R1); \
	FMOVQ C, 32(R1); \
	ADD   R2, R1
#define PANEL_ROWS(OP) \
	OP(F0, F1, F2); OP(F3, F4, F5); OP(F6, F7, F8); OP(F9, F10, F11); \
	OP(F12, F13, F14); OP(F15, F16, F17); OP(F18, F19, F20); OP(F21, F22, F23)
#define PANEL_FMA(e, a, b, c) \
	FMAE(e, 24, a); \
	FMAE(e, 25, b); \
	FMAE(e, 26, c)

// One vector, or AT bytes, of y and of four rows, or of one.
#define SCALED4(MOV, MOVP, AT) \
	MOV  (R8), F4; \
	MOVP AT(R9), F5; \
	MOVP AT(R10), F6; \
	MOVP AT(R11), F7; \
	MOVP AT(R12), F8; \
	FMA(V5, V0, V4); \
	FMA(V6, V1, V4); \
	FMA(V7, V2, V4); \
	FMA(V8, V3, V4); \
	MOVP F4, AT(R8)
#define SCALED1(MOV, MOVP, AT) \
	MOV  (R8), F4; \
	MOVP AT(R9), F5; \
	FMA(V5, V0, V4); \
	MOVP F4, AT(R8)

// V = the next v.
#define NEXT_V(V) SPREAD(R3, V); ADD $SIZE, R3

// x *= v[0], in V0.
#define SCALED(MOV, MOVP, AT) \
	MOV  (R2), F4; \
	FMUL(0, 4, 4); \
	MOVP F4, AT(R2)

// The R13 vectors of the columns and the last of their R6 bytes, by STEP.
#define EACH_COL(STEP, loop, rest, quarter, done) \
	CBZ  R13, rest; \
loop: /* for vectors left > 0 { */ \
	STEP(FMOVQ, FMOVQ.P, 16); \
	SUBS $1, R13; \
	BNE  loop; /* } */ \
rest: \
	TBZ  $3, R6, quarter; \
	STEP(FMOVD, FMOVD.P, 8); \
quarter: \
	TBZ  $2, R6, done; \
	STEP(FMOVS, FMOVS.P, 4); \
done:

// func panel(p *panel): accumulateGeneric, for groups of rows of C
//
// Preconditions: groups, inner >= 1. fetch and fetchStep are not used.
//
//	V0-V23 c[i]: V(3i) to V(3i+2)   V24-V26 b[k]   V27-V30 coefficients
//	R1 c   R2 its stride   R16 rows of c   R3 b[k]   R4 its stride   R17 k left
//	R14 a of the group   R5 a[0][k]   R6-R12 1 to 7 aRow   R13 aInner   R15 groups left
BODY(bodies_panel, panelNEON<>)
	MOVD p+0(FP), R0
	MOVD panel_aRow(R0), R6
	WALK4(R6, R6, R7, R8, R9)
	WALK4(R6, R9, R10, R11, R12)
	IN3(panel_aInner, R13, panel_c, R1, panel_cStride, R2)
	IN3(panel_bStride, R4, panel_a, R14, panel_groups, R15)

group: // for groups left > 0 {
	MOVD R1, R16
	PANEL_ROWS(PANEL_LOAD)
	IN2(panel_b, R3, panel_inner, R17)
	MOVD R14, R5

inner: // for k left > 0 {
	FLDPQ (R3), (F24, F25)
	FMOVQ 32(R3), F26
	MOVE  (R5), F27
	MOVE  (R5)(R6), F28
	MOVE  (R5)(R7), F29
	MOVE  (R5)(R8), F30
	PANEL_FMA(27, 0, 1, 2)
	MOVE  (R5)(R9), F27
	PANEL_FMA(28, 3, 4, 5)
	MOVE  (R5)(R10), F28
	PANEL_FMA(29, 6, 7, 8)
	MOVE  (R5)(R11), F29
	PANEL_FMA(30, 9, 10, 11)
	MOVE  (R5)(R12), F30
	PANEL_FMA(27, 12, 13, 14)
	PANEL_FMA(28, 15, 16, 17)
	PANEL_FMA(29, 18, 19, 20)
	PANEL_FMA(30, 21, 22, 23)
	ADD   R4, R3
	ADD   R13, R5
	SUBS  $1, R17
	BNE   inner // }
	PANEL_ROWS(PANEL_STORE)
	ADD  R6<<3, R14
	SUBS $1, R15
	BNE  group // }
	RET

// func addScaled(s *scaled): addScaledGeneric, for each row of X
//
// Rows are taken four at a time, then one at a time. Preconditions: rows, cols >= 1.
//
//	V0-V3 v[i]   V4 y   V5-V8 x[i]
//	R1 y   R2 x[i]   R4 its stride   R3 v[i]   R5 rows left   R6 bytes of columns
//	R8 y, R9 to R12 x[i] to x[i+3], from column j on   R13 vectors left
BODY(bodies_addScaled, addScaledNEON<>)
	MOVD s+0(FP), R0
	IN3(scaled_y, R1, scaled_x, R2, scaled_v, R3)
	IN3(scaled_xStride, R4, scaled_rows, R5, scaled_cols, R6)
	LSL  $SIZE_LOG, R6

rows: // for rows left > 0 {
	MOVD R1, R8
	MOVD R2, R9
	LSR  $4, R6, R13
	CMP  $4, R5
	BLT  row
	NEXT_V(V0)
	NEXT_V(V1)
	NEXT_V(V2)
	NEXT_V(V3)
	WALK4(R4, R9, R10, R11, R12)
	EACH_COL(SCALED4, loop4, rest4, quarter4, next4)
	ADD  R4<<2, R2
	SUBS $4, R5
	BNE  rows
	RET

row:
	NEXT_V(V0)
	EACH_COL(SCALED1, loop1, rest1, quarter1, next1)
	ADD  R4, R2
	SUBS $1, R5
	BNE  rows // }
	RET

// func scale(s *scaled): scaleGeneric, by v[0]
//
//	V0 v[0]   V4 x   R2 x   R6 its bytes   R13 vectors left
BODY(bodies_scale, scaleNEON<>)
	MOVD s+0(FP), R0
	IN2(scaled_x, R2, scaled_v, R3)
	SPREAD(R3, V0)
	MOVD scaled_cols(R0), R6
	LSL  $SIZE_LOG, R6
	LSR  $4, R6, R13
	EACH_COL(SCALED, loop, rest, quarter, done)
	RET
