// NEON bodies of Contract, Gram, Product, AddProduct, Accumulate and Sweep.
// Included by kernel_arm64.s once for each precision, with the macros of that one.

// func CONTRACT(c *contraction)
//
//	for k := range height {
//		for i := range rows {
//			a[k][i] = lane sum of x[i][j] g[k][j] over j, 64 bytes of lanes
//		}
//	}
//
// Rows of X are taken two at a time. With resume, lanes start from c.lanes, else
// from zero; with suspend they are put there instead of being added up, and cols
// must be a multiple of the lanes.
//
//	for rows left > 0 {
//		for whole groups of columns { lanes = fma(x, g, lanes) }
//		the same once more for copies of the last columns, completed with zeros
//		a = folded lanes, or c.lanes = lanes
//	}
//
// Preconditions: rows, cols >= 1; 1 <= height <= 3.
//
//	V0-V23   lanes: V(8k+4i) to V(8k+4i+3) belong to g[k], x[i]
//	V24-V27  two quarters of a group of x[0], x[1]
//	V28-V31  two quarters of g[k]
//	R1 R2  x[i], x[i+1], column reached     R3 R4 R5  g[0], g[1], g[2]
//	R6 groups left     R7 rows left     R8 &a[0][i]     R9 &x[i][0]
//	R10 R11  strides of X, G            R13 bytes of the last group   R14 lanes
//	R15 whole groups   R16 height       R20 copies: G, X   R22 R13 until it is done
TEXT CONTRACT(SB), NOSPLIT, $320-8
	NO_LOCAL_POINTERS
	MOVD c+0(FP), R0
	MOVD contraction_xStride(R0), R10
	MOVD contraction_gStride(R0), R11
	MOVD contraction_rows(R0), R7
	MOVD contraction_a(R0), R8
	MOVD contraction_x(R0), R9
	MOVD contraction_lanes(R0), R14
	MOVD contraction_height(R0), R16
	MOVD contraction_cols(R0), R15
	LSL  $SIZE_LOG, R15
	AND  $63, R15, R13
	LSR  $6, R15
	MOVD $copies-320(SP), R20
	CBZ  R13, group
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	MOVD R20, R1
	MOVD $10, R2

clear:
	FSTPQ.P (F0, F1), 32(R1)
	SUBS    $1, R2
	BNE     clear
	MOVD    contraction_g(R0), R3
	ADD     R15<<6, R3
	MOVD    R20, R4
	MOVD    R16, R5

copy: // for k < height { last columns of g[k] }
	MOVD R3, R1
	MOVD R4, R2
	COPY(R1, R2, R13)
	ADD  R11, R3
	ADD  $64, R4
	SUBS $1, R5
	BNE  copy

group: // for rows left > 0 {
	MOVD contraction_resume(R0), R1
	CBNZ R1, resume
	LANES_ZERO(V0, V1, V2, V3)
	LANES_ZERO(V4, V5, V6, V7)
	LANES_ZERO(V8, V9, V10, V11)
	LANES_ZERO(V12, V13, V14, V15)
	LANES_ZERO(V16, V17, V18, V19)
	LANES_ZERO(V20, V21, V22, V23)
	B    columns

resume:
	ALL_LANES(LANES_LOAD, R14)

columns:
	MOVD R9, R1
	ADD  R10, R1, R2
	MOVD contraction_g(R0), R3
	ADD  R11, R3, R4
	ADD  R11, R4, R5
	MOVD R15, R6
	MOVD R13, R22
	CBNZ R6, choose

tail: // if columns are left { the same with copies }
	CBZ  R22, lanes
	ADD  $192, R20, R3
	COPY(R1, R3, R22)
	CMP  $2, R7
	BLT  copied
	ADD  $256, R20, R3
	COPY(R2, R3, R22)

copied:
	MOVD R20, R3
	ADD  $64, R20, R4
	ADD  $128, R20, R5
	ADD  $192, R20, R1
	ADD  $256, R20, R2
	MOVD $1, R6
	MOVD $0, R22

choose:
	CMP $2, R7
	BLT one
	CMP $2, R16
	BGT loop32
	BEQ loop22
	B   loop12

one:
	CMP $2, R16
	BGT loop31
	BEQ loop21
	B   loop11

	CONTRACT_COLS(UPPER1, LOWER1, X1_PAIR, X1_FMA, loop11)
	CONTRACT_COLS(UPPER2, LOWER2, X1_PAIR, X1_FMA, loop21)
	CONTRACT_COLS(UPPER3, LOWER3, X1_PAIR, X1_FMA, loop31)
	CONTRACT_COLS(UPPER1, LOWER1, X2_PAIR, X2_FMA, loop12)
	CONTRACT_COLS(UPPER2, LOWER2, X2_PAIR, X2_FMA, loop22)
	CONTRACT_COLS(UPPER3, LOWER3, X2_PAIR, X2_FMA, loop32)

lanes:
	MOVD contraction_suspend(R0), R1
	CBZ  R1, fold
	ALL_LANES(LANES_SAVE, R14)
	B    folded

fold: // for k < height { a[k][i:i+2] = sums of the lanes of k }
	MOVD R8, R1
	MOVD contraction_aStride(R0), R2
	MOVD R16, R3
	FOLD_ROW(0, 1, 2, 3, 4, 5, 6, 7)
	FOLD_ROW(8, 9, 10, 11, 12, 13, 14, 15)
	FOLD_ROW(16, 17, 18, 19, 20, 21, 22, 23)

folded:
	ADD  $(2*SIZE), R8
	ADD  R10<<1, R9
	ADD  $const_lanesNEON, R14
	SUBS $2, R7
	BGT  group                // }
	RET

// func OUTER(o *outer)
//
//	for a := range height {
//		for j := range cols {
//			for b := range inner {
//				out[a][j] = fma(coef[a*coefOut + b*coefInner], src[b][j], out[a][j])
//			}
//		}
//	}
//
// Columns are taken four vectors at a time; what is left, at most once each as
// two vectors, one, 8 bytes, 4 bytes. The upper elements of a register loaded
// with 8 or 4 bytes are never stored. With keep = 0 out starts from zero and is
// not read. If m is not nil the sums are P, formed from zero, and instead of their
// being stored
//
//	out[a][j] = step(out[a][j], m[a][j], p[a][j], mu)
//
// Preconditions: cols, inner >= 1; 1 <= height <= 6; keep = 0 if m is not nil.
//
//	V0-V23   out[a]: V(4a) to V(4a+3)
//	V24-V27  src[b]; then µ, scratch, m, n
//	V28      coefficient; then scratch
//	R1 &out[0][j]   R2 stride of out     R12 bytes of columns left   R16 height
//	R3 src[b]       R4 its stride        R13 rows of src left
//	R5 coefficient of a = 0              R6-R10 1 to 5 times coefOut   R11 coefInner
//	R14 R15 walk over the rows of out, or stay at zero   R17 keep
TEXT OUTER(SB), NOSPLIT, $0-8
	MOVD o+0(FP), R0
	MOVD outer_out(R0), R1
	MOVD outer_outStride(R0), R2
	MOVD outer_srcStride(R0), R4
	MOVD outer_coefOut(R0), R6
	ADD  R6, R6, R7
	ADD  R6, R7, R8
	ADD  R6, R8, R9
	ADD  R6, R9, R10
	MOVD outer_coefInner(R0), R11
	MOVD outer_cols(R0), R12
	LSL  $SIZE_LOG, R12
	MOVD outer_height(R0), R16
	MOVD outer_keep(R0), R17

next: // for columns left > 0 {
	MOVD outer_out(R0), R14
	SUB  R14, R1, R14
	MOVD outer_src(R0), R3
	ADD  R14, R3
	MOVD outer_coef(R0), R5
	MOVD outer_inner(R0), R13
	MOVD R1, R14
	MOVD R2, R15
	CBNZ R17, width
	MOVD $zero<>(SB), R14
	MOVD $0, R15

width:
	CMP $64, R12
	BGE width4
	CMP $32, R12
	BGE width2
	CMP $16, R12
	BGE width1
	SINGLE(OUT_SHORT(widthS))
	OUT_HEIGHT(tile1D, tile2D, tile3D, tile4D, tile5D, tile6D)

width4:
	OUT_HEIGHT(tile14, tile24, tile34, tile44, tile54, tile64)

width2:
	OUT_HEIGHT(tile12, tile22, tile32, tile42, tile52, tile62)

width1:
	OUT_HEIGHT(tile11, tile21, tile31, tile41, tile51, tile61)

	// }
	OUT_TILES(OUT_ROWS1, tile14, loop14, update14, tile12, loop12, update12, tile11, loop11, update11, tile1D, loop1D, update1D)
	OUT_TILES(OUT_ROWS2, tile24, loop24, update24, tile22, loop22, update22, tile21, loop21, update21, tile2D, loop2D, update2D)
	OUT_TILES(OUT_ROWS3, tile34, loop34, update34, tile32, loop32, update32, tile31, loop31, update31, tile3D, loop3D, update3D)
	OUT_TILES(OUT_ROWS4, tile44, loop44, update44, tile42, loop42, update42, tile41, loop41, update41, tile4D, loop4D, update4D)
	OUT_TILES(OUT_ROWS5, tile54, loop54, update54, tile52, loop52, update52, tile51, loop51, update51, tile5D, loop5D, update5D)
	OUT_TILES(OUT_ROWS6, tile64, loop64, update64, tile62, loop62, update62, tile61, loop61, update61, tile6D, loop6D, update6D)

	SINGLE(OUT_TILES4(widthS))

// func SWEEP(s *sweep)
//
//	for k := from; k < to; k++ {
//		if inv[k] == 0 {
//			continue
//		}
//		for j := range cols {
//			t := a[k][j]
//			for l := range rank {
//				if l != k {
//					t = fma(-b[k][l], h[l][j], t)
//				}
//			}
//			t = project(t-penalty, inv[k])
//			if mask != nil {
//				t *= mask[k][j]
//			}
//			h[k][j] = t
//		}
//	}
//
// All whole vectors are one panel; then come 8 bytes and 4 bytes of columns, if
// any, each a panel of its own.
// Preconditions: 1 <= cols < 13 vectors; 0 <= from < to <= rank.
//
//	V0-V11 t     V16 V17 h[l], mask, scratch     V18 b[k][l]
//	V19 penalty  V20 inv[k]
//	R1 h[l] or a[k]   R2 &b[k][l]   R3 l left before, R4 after the own one
//	R5 k    R6 to     R7 stride of h    R8 h[0]   R9 a[k]   R10 b[k]   R11 &inv[k]
//	R12 mask[k] or nil   R13 h[k]   R14 R15 R16 strides of a, b, mask
//	R17 bytes of columns done   R19 bytes left   R20 rank   R21 scratch
TEXT SWEEP(SB), NOSPLIT, $0-8
	MOVD s+0(FP), R0
	ADD  $sweep_penalty, R0, R1
	SPREAD(R1, V19)
	MOVD sweep_to(R0), R6
	MOVD sweep_hStride(R0), R7
	MOVD sweep_aStride(R0), R14
	MOVD sweep_bStride(R0), R15
	MOVD sweep_rank(R0), R20
	MOVD sweep_cols(R0), R19
	LSL  $SIZE_LOG, R19
	MOVD $0, R17

columns: // for columns left > 0 {
	MOVD sweep_from(R0), R5
	MOVD sweep_h(R0), R8
	ADD  R17, R8
	MADD R5, R8, R7, R13
	MOVD sweep_a(R0), R9
	ADD  R17, R9
	MADD R5, R9, R14, R9
	MOVD sweep_b(R0), R10
	MADD R5, R10, R15, R10
	MOVD sweep_inv(R0), R11
	ADD  R5<<SIZE_LOG, R11
	MOVD $0, R16
	MOVD sweep_mask(R0), R12
	CBZ  R12, width
	MOVD sweep_maskStride(R0), R16
	ADD  R17, R12
	MADD R5, R12, R16, R12

width:
	LSR $4, R19, R21
	CMP $11, R21
	BGT row12
	BEQ row11
	CMP $9, R21
	BGT row10
	BEQ row9
	CMP $7, R21
	BGT row8
	BEQ row7
	CMP $5, R21
	BGT row6
	BEQ row5
	CMP $3, R21
	BGT row4
	BEQ row3
	CMP $1, R21
	BGT row2
	BEQ row1
	SINGLE(SWEEP_SHORT(rowS))

	// }
	SWEEP_COLS(VECS1, FMOVD, 8, rowD, loopD, ownD, unmaskedD, nextD)
	SWEEP_COLS(VECS1, FMOVQ, 16, row1, loop1, own1, unmasked1, next1)
	SWEEP_COLS(VECS2, FMOVQ, 32, row2, loop2, own2, unmasked2, next2)
	SWEEP_COLS(VECS3, FMOVQ, 48, row3, loop3, own3, unmasked3, next3)
	SWEEP_COLS(VECS4, FMOVQ, 64, row4, loop4, own4, unmasked4, next4)
	SWEEP_COLS(VECS5, FMOVQ, 80, row5, loop5, own5, unmasked5, next5)
	SWEEP_COLS(VECS6, FMOVQ, 96, row6, loop6, own6, unmasked6, next6)
	SWEEP_COLS(VECS7, FMOVQ, 112, row7, loop7, own7, unmasked7, next7)
	SWEEP_COLS(VECS8, FMOVQ, 128, row8, loop8, own8, unmasked8, next8)
	SWEEP_COLS(VECS9, FMOVQ, 144, row9, loop9, own9, unmasked9, next9)
	SWEEP_COLS(VECS10, FMOVQ, 160, row10, loop10, own10, unmasked10, next10)
	SWEEP_COLS(VECS11, FMOVQ, 176, row11, loop11, own11, unmasked11, next11)
	SWEEP_COLS(VECS12, FMOVQ, 192, row12, loop12, own12, unmasked12, next12)
	SINGLE(SWEEP_COLS(VECS1, FMOVS, 4, rowS, loopS, ownS, unmaskedS, nextS))
