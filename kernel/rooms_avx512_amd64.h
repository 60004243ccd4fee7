// The bodies of AVX-512, room after room, in the order of the fields of the table.

#include "kernel_avx512_amd64.h"
#include "kernel_amd64.h"
#include "reduce_amd64.h"
#include "products_avx512_amd64.h"
#include "sweep_avx512_amd64.h"
#include "sweep_amd64.h"
#include "entries_amd64.h"
#include "rankone_avx512_amd64.h"
#include "divergence_avx512_amd64.h"
#include "divergence_amd64.h"
#include "sparse_avx512_amd64.h"
#include "linear_amd64.h"
