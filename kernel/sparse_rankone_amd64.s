//go:build !purego

// The bodies of SparseRankOne: sparse_rankone_amd64.h, included once for each
// precision. They serve both levels, and take four entries at once, as many as there are
// lanes: a row of a sparse matrix is short, and fetching is most of the work.
// Requires: AVX2, FMA.

#include "go_asm.h"
#include "textflag.h"

#define SPARSE_RANK_ONE ·sparseRankOneAVX2F64
#include "sparse_rankone_f64_amd64.h"
#include "sparse_rankone_amd64.h"

#define SPARSE_RANK_ONE ·sparseRankOneAVX2F32
#include "sparse_rankone_f32_amd64.h"
#include "sparse_rankone_amd64.h"
