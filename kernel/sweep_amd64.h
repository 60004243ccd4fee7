// The bodies of sweep.go, for AVX2 and AVX-512. kernel_amd64.h and those of the levels have the
// vectors and operations. Before it, a level defines how two coordinates walk together over the h[l] before
// the first of them, if it has registers for that:
//
//	TWO_NONE                  no row is begun
//	TWO(both, single)         in row k: begins row k+1 too, walks over l < k, and goes on at own, or does nothing
//	TWO_NEXT(begun)           goes on at begun if the row is begun
//	TWO_BEGUN(begun)          sets what the loop needs, from l = k-1 on

#define T_LOAD(AT, T, U) VMOVU AT(SI), T
#define T_LOAD_PART(AT, T, U) PART_LOAD(AT(SI), T)
#define T_FMA(AT, T, U) VFNMA AT(SI), W8, T
#define T_FMA_PART(AT, T, U) PART_FNMA(AT(SI), W8, T)
#define T_PROJECT(AT, T, U) VSUB W10, T, T; PROJECT(T, W11, W9, W12)
#define T_MASK(AT, T, U) VMUL AT(DX), T, T
#define T_MASK_PART(AT, T, U) PART_MUL(AT(DX), T)
#define T_STORE(AT, T, U) VMOVU T, AT(SI)
#define T_STORE_PART(AT, T, U) PART_STORE(T, AT(SI))

// func sweep(s *sweep): sweepGeneric, for the coordinates [from, to)
//
// Preconditions: 1 <= cols <= 8 vectors; 0 <= from < to <= rank.
//
// Each number of vectors is a function of its own, so that its labels are.
BODY(bodies_sweep, SWEEP)
	MOVQ s+0(FP), DI
	MOVQ sweep_cols(DI), CX
	ADDQ $(VECTOR/SIZE-1), CX
	SHRQ $LANES_LOG, CX
	OF_SIZE(8, SWEEP8)
	OF_SIZE(7, SWEEP7)
	OF_SIZE(6, SWEEP6)
	OF_SIZE(5, SWEEP5)
	OF_SIZE(4, SWEEP4)
	OF_SIZE(3, SWEEP3)
	OF_SIZE(2, SWEEP2)
	JMP  SWEEP1(SB)

TEXT SWEEP1(SB), NOSPLIT|NOFRAME, $0-8
#define VECS VECS1
#include "sweep_size_amd64.h"

TEXT SWEEP2(SB), NOSPLIT|NOFRAME, $0-8
#define VECS VECS2
#include "sweep_size_amd64.h"

TEXT SWEEP3(SB), NOSPLIT|NOFRAME, $0-8
#define VECS VECS3
#include "sweep_size_amd64.h"

TEXT SWEEP4(SB), NOSPLIT|NOFRAME, $0-8
#define VECS VECS4
#include "sweep_size_amd64.h"

TEXT SWEEP5(SB), NOSPLIT|NOFRAME, $0-8
#define VECS VECS5
#include "sweep_size_amd64.h"

TEXT SWEEP6(SB), NOSPLIT|NOFRAME, $0-8
#define VECS VECS6
#include "sweep_size_amd64.h"

TEXT SWEEP7(SB), NOSPLIT|NOFRAME, $0-8
#define VECS VECS7
#include "sweep_size_amd64.h"

TEXT SWEEP8(SB), NOSPLIT|NOFRAME, $0-8
#define VECS VECS8
#include "sweep_size_amd64.h"
