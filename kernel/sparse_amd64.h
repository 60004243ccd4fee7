// The sparse bodies of one level and one precision. The file that includes this
// one defines the names, the instructions (sparse_f64_amd64.h, sparse_f32_amd64.h),
// which it finds undefined again, and
//
//	WIDTH                 bytes of a vector
//	MASK                  sets the mask of the last vector from the count in CX
//	ACC0 to ACC7          the accumulators of a row of A
//	LOAD_LAST ...         loads and stores of the elements of the mask only
//	FMA, SCATTER          ACC += coefficient * x_j;  x_j += coefficient * ACC
//	FOUR_ENTRIES          SAMPLED for four entries of one group at a time, or nothing:
//	                      goes on at one with what is left, or at next
//	WHOLE_GROUPS          what SAMPLED needs for the loops of sparse_groups_amd64.h, if it has them
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

// ACCS1 to ACCS8 apply OP to the vectors of a row, offset and accumulator, but LAST to the last.
#define ACCS1(OP, LAST) LAST(0, ACC0)
#define ACCS2(OP, LAST) OP(0, ACC0); LAST(WIDTH, ACC1)
#define ACCS3(OP, LAST) OP(0, ACC0); OP(WIDTH, ACC1); LAST((2*WIDTH), ACC2)
#define ACCS4(OP, LAST) OP(0, ACC0); OP(WIDTH, ACC1); OP((2*WIDTH), ACC2); LAST((3*WIDTH), ACC3)
#define ACCS5(OP, LAST) OP(0, ACC0); OP(WIDTH, ACC1); OP((2*WIDTH), ACC2); OP((3*WIDTH), ACC3); LAST((4*WIDTH), ACC4)
#define ACCS6(OP, LAST) OP(0, ACC0); OP(WIDTH, ACC1); OP((2*WIDTH), ACC2); OP((3*WIDTH), ACC3); OP((4*WIDTH), ACC4); LAST((5*WIDTH), ACC5)
#define ACCS7(OP, LAST) OP(0, ACC0); OP(WIDTH, ACC1); OP((2*WIDTH), ACC2); OP((3*WIDTH), ACC3); OP((4*WIDTH), ACC4); OP((5*WIDTH), ACC5); LAST((6*WIDTH), ACC6)
#define ACCS8(OP, LAST) OP(0, ACC0); OP(WIDTH, ACC1); OP((2*WIDTH), ACC2); OP((3*WIDTH), ACC3); OP((4*WIDTH), ACC4); OP((5*WIDTH), ACC5); OP((6*WIDTH), ACC6); LAST((7*WIDTH), ACC7)
#define NONE(AT, R)

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
// A row of A stays in registers: at most eight whole vectors, or at most three and one of c.left
// elements, in a loop of its own for each number.
// Preconditions: rows >= 1; 0 <= cols <= 7, or 3 if left is not all of a vector;
// 1 <= left <= elements of a vector.
TEXT ADD_SPARSE(SB), NOSPLIT|NOFRAME, $0-8
#define EACH FMA
#define EACH_LAST FMA_LAST
#define KEEP_ROW STORE
#define KEEP_LAST STORE_LAST
#include "sparse_sizes_amd64.h"

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
TEXT ADD_TRANSPOSED(SB), NOSPLIT|NOFRAME, $0-8
#define EACH SCATTER
#define EACH_LAST SCATTER_LAST
#define KEEP_ROW NONE
#define KEEP_LAST NONE
#include "sparse_sizes_amd64.h"

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
// completed with zeros; those of v stay in registers. With WHOLE_GROUPS, there is a loop of its own
// for each number of at most eight whole groups.
//	R14 group of v   R15 group of x_j   BX groups left
// Preconditions: rows >= 1; cols >= 0; 1 <= left <= elements of 64 bytes.
TEXT SAMPLED(SB), NOSPLIT|NOFRAME, $0-8
	ARGUMENTS
#ifdef WHOLE_GROUPS
	MOVQ gather_cols(DI), AX
	CMPQ CX, $(64/SIZE)
	JLT  anyRow
	CMPQ AX, $7
	JGT  anyRow
	WHOLE_GROUPS
	CMPQ AX, $3
	JLT  upTo3
	JEQ  whole4
	CMPQ AX, $5
	JLT  whole5
	JEQ  whole6
	CMPQ AX, $7
	JLT  whole7
	JMP  whole8

upTo3:
	CMPQ AX, $1
	JLT  whole1
	JEQ  whole2
	JMP  whole3

anyRow:
#endif
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

#ifdef WHOLE_GROUPS
#define ROW whole8
#define FOUR four8
#define LEFT left8
#define ONE one8
#define NEXT next8
#define LOADS LOADS8
#define PRODUCT(R) PRODUCT8(R)
#include "sparse_groups_amd64.h"

#define ROW whole7
#define FOUR four7
#define LEFT left7
#define ONE one7
#define NEXT next7
#define LOADS LOADS7
#define PRODUCT(R) PRODUCT7(R)
#include "sparse_groups_amd64.h"

#define ROW whole6
#define FOUR four6
#define LEFT left6
#define ONE one6
#define NEXT next6
#define LOADS LOADS6
#define PRODUCT(R) PRODUCT6(R)
#include "sparse_groups_amd64.h"

#define ROW whole5
#define FOUR four5
#define LEFT left5
#define ONE one5
#define NEXT next5
#define LOADS LOADS5
#define PRODUCT(R) PRODUCT5(R)
#include "sparse_groups_amd64.h"

#define ROW whole4
#define FOUR four4
#define LEFT left4
#define ONE one4
#define NEXT next4
#define LOADS LOADS4
#define PRODUCT(R) PRODUCT4(R)
#include "sparse_groups_amd64.h"

#define ROW whole3
#define FOUR four3
#define LEFT left3
#define ONE one3
#define NEXT next3
#define LOADS LOADS3
#define PRODUCT(R) PRODUCT3(R)
#include "sparse_groups_amd64.h"

#define ROW whole2
#define FOUR four2
#define LEFT left2
#define ONE one2
#define NEXT next2
#define LOADS LOADS2
#define PRODUCT(R) PRODUCT2(R)
#include "sparse_groups_amd64.h"

#define ROW whole1
#define FOUR four1
#define LEFT left1
#define ONE one1
#define NEXT next1
#define LOADS LOADS1
#define PRODUCT(R) PRODUCT1(R)
#include "sparse_groups_amd64.h"
#endif

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
#undef ACCS1
#undef ACCS2
#undef ACCS3
#undef ACCS4
#undef ACCS5
#undef ACCS6
#undef ACCS7
#undef ACCS8
#undef NONE
