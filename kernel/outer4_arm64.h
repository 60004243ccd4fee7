// OUTER, continued: the tiles of four bytes, that is of one float32.

widthS:
	OUT_HEIGHT(tile1S, tile2S, tile3S, tile4S, tile5S, tile6S)

#define ROWS OUT_ROWS1
#define LOADS OUT_LOAD1
#define SRC SRC1
#define FMAS OUT_FMA1
#define STORES OUT_STORE1
#define STEPS OUT_STEP1
#define MOV FMOVS
#define WIDTH 4
#define TILE tile1S
#define LOOP loop1S
#define STEP_TILE update1S
#include "out_tile_arm64.h"

#define ROWS OUT_ROWS2
#define LOADS OUT_LOAD1
#define SRC SRC1
#define FMAS OUT_FMA1
#define STORES OUT_STORE1
#define STEPS OUT_STEP1
#define MOV FMOVS
#define WIDTH 4
#define TILE tile2S
#define LOOP loop2S
#define STEP_TILE update2S
#include "out_tile_arm64.h"

#define ROWS OUT_ROWS3
#define LOADS OUT_LOAD1
#define SRC SRC1
#define FMAS OUT_FMA1
#define STORES OUT_STORE1
#define STEPS OUT_STEP1
#define MOV FMOVS
#define WIDTH 4
#define TILE tile3S
#define LOOP loop3S
#define STEP_TILE update3S
#include "out_tile_arm64.h"

#define ROWS OUT_ROWS4
#define LOADS OUT_LOAD1
#define SRC SRC1
#define FMAS OUT_FMA1
#define STORES OUT_STORE1
#define STEPS OUT_STEP1
#define MOV FMOVS
#define WIDTH 4
#define TILE tile4S
#define LOOP loop4S
#define STEP_TILE update4S
#include "out_tile_arm64.h"

#define ROWS OUT_ROWS5
#define LOADS OUT_LOAD1
#define SRC SRC1
#define FMAS OUT_FMA1
#define STORES OUT_STORE1
#define STEPS OUT_STEP1
#define MOV FMOVS
#define WIDTH 4
#define TILE tile5S
#define LOOP loop5S
#define STEP_TILE update5S
#include "out_tile_arm64.h"

#define ROWS OUT_ROWS6
#define LOADS OUT_LOAD1
#define SRC SRC1
#define FMAS OUT_FMA1
#define STORES OUT_STORE1
#define STEPS OUT_STEP1
#define MOV FMOVS
#define WIDTH 4
#define TILE tile6S
#define LOOP loop6S
#define STEP_TILE update6S
#include "out_tile_arm64.h"
