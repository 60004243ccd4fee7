// The bodies of AVX2, room after room, in the order of the fields of the table.

#include "kernel_avx2_amd64.h"
#include "kernel_amd64.h"
#include "reduce_amd64.h"
#include "products_avx2_amd64.h"
#include "sweep_amd64.h"
#include "entries_amd64.h"
#include "rankone_avx2_amd64.h"
#include "divergence_avx2_amd64.h"
#include "divergence_amd64.h"
#include "sparse_avx2_amd64.h"
#include "sparse_rankone_amd64.h"
#include "linear_amd64.h"
