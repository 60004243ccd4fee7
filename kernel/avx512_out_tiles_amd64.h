// The tiles of OUTER of one height: three vectors wide, two, one. The file that
// includes this one defines, for this use,
//
//	ROWS_OF               applies an operation to so many rows
//	TILE3 to LOADED1      labels of each width
//	FETCHING3             and that of the loop of three vectors that fetches

#define ROWS ROWS_OF
#define LOADS OUT_LOAD3
#define SRC SRC3
#define FMAS OUT_FMA3
#define STORES OUT_STORE3
#define STEPS OUT_STEP3
#define WIDTH 192
#define TILE TILE3
#define LOOP LOOP3
#define STEP_TILE STEP_TILE3
#define SUMS SUMS3
#define ZERO ZERO3
#define LOADED LOADED3
#define FETCHING FETCHING3
#include "avx512_out_tile_amd64.h"

#define ROWS ROWS_OF
#define LOADS OUT_LOAD2
#define SRC SRC2
#define FMAS OUT_FMA2
#define STORES OUT_STORE2
#define STEPS OUT_STEP2
#define WIDTH 128
#define TILE TILE2
#define LOOP LOOP2
#define STEP_TILE STEP_TILE2
#define SUMS SUMS2
#define ZERO ZERO2
#define LOADED LOADED2
#include "avx512_out_tile_amd64.h"

#define ROWS ROWS_OF
#define LOADS OUT_LOAD1
#define SRC SRC1
#define FMAS OUT_FMA1
#define STORES OUT_STORE1
#define STEPS OUT_STEP1
#define WIDTH 64
#define TILE TILE1
#define LOOP LOOP1
#define STEP_TILE STEP_TILE1
#define SUMS SUMS1
#define ZERO ZERO1
#define LOADED LOADED1
#include "avx512_out_tile_amd64.h"

#undef ROWS_OF
#undef TILE3
#undef LOOP3
#undef STEP_TILE3
#undef SUMS3
#undef ZERO3
#undef LOADED3
#undef FETCHING3
#undef TILE2
#undef LOOP2
#undef STEP_TILE2
#undef SUMS2
#undef ZERO2
#undef LOADED2
#undef TILE1
#undef LOOP1
#undef STEP_TILE1
#undef SUMS1
#undef ZERO1
#undef LOADED1
