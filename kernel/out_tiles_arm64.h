// The tiles of OUTER of one height: four vectors wide, two, one, 8 bytes. The file that
// includes this one defines, for this use,
//
//	ROWS_OF               applies an operation to so many rows
//	TILE4 to STEP_TILED   labels of each width

#define ROWS ROWS_OF
#define LOADS OUT_LOAD4
#define SRC SRC4
#define FMAS OUT_FMA4
#define STORES OUT_STORE4
#define STEPS OUT_STEP4
#define MOV FMOVQ
#define WIDTH 64
#define TILE TILE4
#define LOOP LOOP4
#define STEP_TILE STEP_TILE4
#include "out_tile_arm64.h"

#define ROWS ROWS_OF
#define LOADS OUT_LOAD2
#define SRC SRC2
#define FMAS OUT_FMA2
#define STORES OUT_STORE2
#define STEPS OUT_STEP2
#define MOV FMOVQ
#define WIDTH 32
#define TILE TILE2
#define LOOP LOOP2
#define STEP_TILE STEP_TILE2
#include "out_tile_arm64.h"

#define ROWS ROWS_OF
#define LOADS OUT_LOAD1
#define SRC SRC1
#define FMAS OUT_FMA1
#define STORES OUT_STORE1
#define STEPS OUT_STEP1
#define MOV FMOVQ
#define WIDTH 16
#define TILE TILE1
#define LOOP LOOP1
#define STEP_TILE STEP_TILE1
#include "out_tile_arm64.h"

#define ROWS ROWS_OF
#define LOADS OUT_LOAD1
#define SRC SRC1
#define FMAS OUT_FMA1
#define STORES OUT_STORE1
#define STEPS OUT_STEP1
#define MOV FMOVD
#define WIDTH 8
#define TILE TILED
#define LOOP LOOPD
#define STEP_TILE STEP_TILED
#include "out_tile_arm64.h"

#undef ROWS_OF
#undef TILE4
#undef LOOP4
#undef STEP_TILE4
#undef TILE2
#undef LOOP2
#undef STEP_TILE2
#undef TILE1
#undef LOOP1
#undef STEP_TILE1
#undef TILED
#undef LOOPD
#undef STEP_TILED
