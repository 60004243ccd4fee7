// The bodies of reduce.go, for AVX2 and AVX-512, in 128 bytes of lanes, which start from r.lanes and are
// put back there. With last they are folded and the result is lane 0; else n is a multiple of the lanes.
//
//	SI x   DX y   R8 lanes   CX groups left; elements of the last
//
// A load of no elements from a page that is not there takes a thousand cycles: so no last group of none.

#define REDUCE_IN \
	MOVQ r+0(FP), DI; \
	IN3(reduction_x, SI, reduction_y, DX, reduction_lanes, R8); \
	GROUP(LANES_IN); \
	MOVQ reduction_n(DI), CX; \
	SHRQ $(LANES_LOG+GROUP_LOG), CX
#define LANES_IN(AT, L, X) VMOVU AT(R8), L
#define LANES_OUT(AT, L, X) VMOVU L, AT(R8)

#define MAX_OF(X, Y, TO) VMAX Y, X, TO
#define MIN_OF(X, Y, TO) VMIN Y, X, TO

#define DOT_OF(AT, L, X) VMOVU AT(SI), X; VFMA AT(DX), X, L
#define DOT_PART(AT, L, X) PART_LOAD(AT(SI), X); PART_LOAD(AT(DX), W8); VFMA W8, X, L

// dot, max and min but for their names: the step of a vector, whole or in part, and the fold: FOLD_OF(X, Y, TO)
// folds X, the later, with Y; of max, the better, or Y if neither is.
#define REDUCE(STEP_OF, STEP_PART, FOLD_OF) \
	REDUCE_IN; \
	JEQ  part; \
loop: /* for whole groups { */ \
	GROUP(STEP_OF); \
	ADDQ $128, SI; \
	ADDQ $128, DX; \
	DECQ CX; \
	JNE  loop; /* } */ \
part: /* the last group, and the result, in the last call */ \
	CMPQ reduction_last(DI), $0; \
	JEQ  out; \
	MOVQ reduction_n(DI), CX; \
	ANDQ $(128/SIZE-1), CX; \
	JEQ  fold; \
	GROUP_PART(STEP_PART); \
fold: \
	REDUCE_FOLD(FOLD_OF); \
out: \
	GROUP(LANES_OUT); \
	VZEROUPPER; \
	RET

// func dot(r *reduction): dotGeneric, from r.lanes
BODY(bodies_dot, AT_LEVEL(dotAVX2<>, dotAVX512<>))
	REDUCE(DOT_OF, DOT_PART, SUM_OF)

// func max(r *reduction): maxGeneric, from r.lanes
//
// In the last group a lane without an element meets itself.
#define MAX_STEP(AT, L, X) VMOVU AT(SI), X; MAX_OF(X, L, L)
#define MAX_PART(AT, L, X) PART_ELSE(AT(SI), L, X); MAX_OF(X, L, L)
BODY(bodies_max, AT_LEVEL(maxAVX2<>, maxAVX512<>))
	REDUCE(MAX_STEP, MAX_PART, MAX_OF)

// func min(r *reduction): minGeneric, from r.lanes
#define MIN_STEP(AT, L, X) VMOVU AT(SI), X; MIN_OF(X, L, L)
#define MIN_PART(AT, L, X) PART_ELSE(AT(SI), L, X); MIN_OF(X, L, L)
BODY(bodies_min, AT_LEVEL(minAVX2<>, minAVX512<>))
	REDUCE(MIN_STEP, MIN_PART, MIN_OF)

// func countLess(c *counting): countLessGeneric
//
// NaN is not below t.
//
//	W0 t   SI x   CX vectors left   AX matches of a vector   BX count   R8 elements of the last
BODY(bodies_countLess, AT_LEVEL(countLessAVX2<>, countLessAVX512<>))
	MOVQ  c+0(FP), DI
	MOVQ  counting_x(DI), SI
	VBCST counting_t(DI), W0
	XORL  BX, BX
	MOVQ  counting_n(DI), CX
	SHRQ  $LANES_LOG, CX
	JEQ   part

loop:
	VMOVU   (SI), W1
	BELOW(W0, W1)
	POPCNTL AX, AX
	ADDQ    AX, BX
	ADDQ    $VECTOR, SI
	DECQ    CX
	JNE     loop

part:
	MOVQ    counting_n(DI), CX
	ANDQ    $(VECTOR/SIZE-1), CX
	JEQ     counted
	MOVL    $1, R8
	SHLL    CX, R8
	DECL    R8
	LAST_MASK(CX)
	PART_LOAD((SI), W1)
	BELOW(W0, W1)
	ANDL    R8, AX
	POPCNTL AX, AX
	ADDQ    AX, BX

counted:
	MOVQ BX, counting_count(DI)
	VZEROUPPER
	RET
