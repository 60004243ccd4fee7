// The sparse bodies of one level and one precision. The file that includes this
// one defines the names, the instructions (sparse_f64_amd64.h, sparse_f32_amd64.h),
// which it finds undefined again, and
//
//	WIDTH                 bytes of a vector
//	MASK                  sets the mask of the last vector from the count in CX
//	ACC0 to ACC3          the accumulators of a row of A
//	LOAD_LAST ...         loads and stores of the elements of the mask only
//	FMA, SCATTER          ACC += coefficient * x_j;  x_j += coefficient * ACC
//	FOUR_ENTRIES          SAMPLED for four entries of one group at a time, or nothing:
//	                      goes on at one with what is left, or at next
//
// All are ABI0 leaf functions without a frame that take one pointer to their
// arguments, and clean the upper halves of the vector registers.
//
// Registers, in both:
//
//	DI arguments      R12 row pointers     R13 rows left     CX entries of the row left
//	SI &idx[t]        DX  &n[t] or &p[t]   AX offset of x_j, j = idx[t]
//	R8 X   R9 its stride   R10 row of A or V   R11 its stride

#define ARGUMENTS \
	MOVQ c+0(FP), DI; \
	MOVQ gather_rowData(DI), R10; \
	MOVQ gather_x(DI), R8; \
	MOVQ gather_values(DI), DX; \
	MOVQ gather_idx(DI), SI; \
	MOVQ gather_ptr(DI), R12; \
	MOVQ gather_rowStride(DI), R11; \
	MOVQ gather_xStride(DI), R9; \
	MOVQ gather_rows(DI), R13; \
	MOVQ gather_left(DI), CX

// CX = entries of the next row, with its flags
#define ENTRIES \
	LEAQ 8(R12), R12; \
	MOVQ (R12), CX; \
	SUBQ -8(R12), CX

// AX = offset of the row of X of the next entry
#define COLUMN \
	MOVLQSX (SI), AX; \
	ADDQ    $4, SI; \
	IMULQ   R9, AX

// func ADD_SPARSE(c *gather)
//
//	t := 0
//	for i := range rows {
//		for range ptr[i+1] - ptr[i] {
//			for k := range columns {
//				a[i][k] = fma(n[t] + g, x[idx[t]][k], a[i][k])
//			}
//			t++
//		}
//	}
//
// A row of A stays in registers: at most four vectors, c.cols whole ones and one
// of c.left elements.
// Preconditions: rows >= 1; 0 <= cols <= 3; 1 <= left <= elements of a vector.
TEXT ADD_SPARSE(SB), NOSPLIT, $0-8
	ARGUMENTS
	MASK
	G_LOAD
	MOVQ gather_cols(DI), AX
	CMPQ AX, $1
	JLT  row1
	JEQ  row2
	CMPQ AX, $2
	JEQ  row3

#define ROW row4
#define ENTRY entry4
#define NEXT next4
#define LOADS LOAD(0, ACC0); LOAD(WIDTH, ACC1); LOAD(2*WIDTH, ACC2); LOAD_LAST(3*WIDTH, ACC3)
#define FMAS FMA(0, ACC0); FMA(WIDTH, ACC1); FMA(2*WIDTH, ACC2); FMA_LAST(3*WIDTH, ACC3)
#define STORES STORE(ACC0, 0); STORE(ACC1, WIDTH); STORE(ACC2, 2*WIDTH); STORE_LAST(ACC3, 3*WIDTH)
#include "sparse_rows_amd64.h"

#define ROW row3
#define ENTRY entry3
#define NEXT next3
#define LOADS LOAD(0, ACC0); LOAD(WIDTH, ACC1); LOAD_LAST(2*WIDTH, ACC2)
#define FMAS FMA(0, ACC0); FMA(WIDTH, ACC1); FMA_LAST(2*WIDTH, ACC2)
#define STORES STORE(ACC0, 0); STORE(ACC1, WIDTH); STORE_LAST(ACC2, 2*WIDTH)
#include "sparse_rows_amd64.h"

#define ROW row2
#define ENTRY entry2
#define NEXT next2
#define LOADS LOAD(0, ACC0); LOAD_LAST(WIDTH, ACC1)
#define FMAS FMA(0, ACC0); FMA_LAST(WIDTH, ACC1)
#define STORES STORE(ACC0, 0); STORE_LAST(ACC1, WIDTH)
#include "sparse_rows_amd64.h"

#define ROW row1
#define ENTRY entry1
#define NEXT next1
#define LOADS LOAD_LAST(0, ACC0)
#define FMAS FMA_LAST(0, ACC0)
#define STORES STORE_LAST(ACC0, 0)
#include "sparse_rows_amd64.h"

// func ADD_TRANSPOSED(c *gather)
//
//	t := 0
//	for i := range rows {
//		for range ptr[i+1] - ptr[i] {
//			for k := range columns {
//				x[idx[t]][k] = fma(n[t] + g, v[i][k], x[idx[t]][k])
//			}
//			t++
//		}
//	}
//
// A row of V stays in registers. Preconditions as above.
TEXT ADD_TRANSPOSED(SB), NOSPLIT, $0-8
	ARGUMENTS
	MASK
	G_LOAD
	MOVQ gather_cols(DI), AX
	CMPQ AX, $1
	JLT  row1
	JEQ  row2
	CMPQ AX, $2
	JEQ  row3

#define ROW row4
#define ENTRY entry4
#define NEXT next4
#define LOADS LOAD(0, ACC0); LOAD(WIDTH, ACC1); LOAD(2*WIDTH, ACC2); LOAD_LAST(3*WIDTH, ACC3)
#define FMAS SCATTER(0, ACC0); SCATTER(WIDTH, ACC1); SCATTER(2*WIDTH, ACC2); SCATTER_LAST(3*WIDTH, ACC3)
#define STORES NOP
#include "sparse_rows_amd64.h"

#define ROW row3
#define ENTRY entry3
#define NEXT next3
#define LOADS LOAD(0, ACC0); LOAD(WIDTH, ACC1); LOAD_LAST(2*WIDTH, ACC2)
#define FMAS SCATTER(0, ACC0); SCATTER(WIDTH, ACC1); SCATTER_LAST(2*WIDTH, ACC2)
#define STORES NOP
#include "sparse_rows_amd64.h"

#define ROW row2
#define ENTRY entry2
#define NEXT next2
#define LOADS LOAD(0, ACC0); LOAD_LAST(WIDTH, ACC1)
#define FMAS SCATTER(0, ACC0); SCATTER_LAST(WIDTH, ACC1)
#define STORES NOP
#include "sparse_rows_amd64.h"

#define ROW row1
#define ENTRY entry1
#define NEXT next1
#define LOADS LOAD_LAST(0, ACC0)
#define FMAS SCATTER_LAST(0, ACC0)
#define STORES NOP
#include "sparse_rows_amd64.h"

// func SAMPLED(c *gather)
//
//	t := 0
//	for i := range rows {
//		for range ptr[i+1] - ptr[i] {
//			p[t] = lane sum of v[i][k] x[idx[t]][k] over k, 64 bytes of lanes
//			t++
//		}
//	}
//
// A row has c.cols groups of 64 bytes and then c.left elements, which are
// completed with zeros; those of v stay in registers.
//	R14 group of v   R15 group of x_j   BX groups left
// Preconditions: rows >= 1; cols >= 0; 1 <= left <= elements of 64 bytes.
TEXT SAMPLED(SB), NOSPLIT, $0-8
	ARGUMENTS
	MASKS

row: // for rows left > 0 {
	ENTRIES
	JLE   next
	MOVQ  gather_cols(DI), BX
	SHLQ  $6, BX
	V_LAST((R10)(BX*1), 32(R10)(BX*1))

	CMPQ  BX, $64
	JEQ   entry1
	JLT   few

entry: // for entries left > 0 {
	COLUMN
	LANES_ZERO
	MOVQ  gather_cols(DI), BX
	LEAQ  (R8)(AX*1), R15
	MOVQ  R10, R14

group:
	GROUP((R14), 32(R14), (R15), 32(R15))
	ADDQ  $64, R14
	ADDQ  $64, R15
	DECQ  BX
	JNE   group
	GROUP_LAST((R15), 32(R15))
	LANES_FOLD
	STORE1
	ADDQ  $SIZE, DX
	DECQ  CX
	JNE   entry            // }
	JMP   next

entry1: // the same with one group before the last
	COLUMN
	LANES_ZERO
	GROUP((R10), 32(R10), (R8)(AX*1), 32(R8)(AX*1))
	GROUP_LAST(64(R8)(AX*1), 96(R8)(AX*1))
	LANES_FOLD
	STORE1
	ADDQ  $SIZE, DX
	DECQ  CX
	JNE   entry1
	JMP   next

few: // the same with the last group only, for four entries at once where that pays
	FOUR_ENTRIES(four, entry0, next)

entry0:
	COLUMN
	LANES_ZERO
	GROUP_LAST((R8)(AX*1), 32(R8)(AX*1))
	LANES_FOLD
	STORE1
	ADDQ  $SIZE, DX
	DECQ  CX
	JNE   entry0

next:
	ADDQ  R11, R10
	DECQ  R13
	JNE   row              // }
	VZEROUPPER
	RET

#undef ADD_SPARSE
#undef ADD_TRANSPOSED
#undef SAMPLED
#undef ARGUMENTS
#undef ENTRIES
#undef COLUMN
#undef SIZE
#undef VMASK
#undef VMOVU
#undef VMOV1
#undef VADD
#undef VADD1
#undef VBCST
#undef VFMA
#undef VFMA213
#undef STORE1
#undef FOLD
#undef FOLD4
