// The bodies of NEON, room after room, in the order of the fields of the table.

#include "kernel_neon_arm64.h"
#include "reduce_neon_arm64.h"
#include "products_neon_arm64.h"
#include "sweep_neon_arm64.h"
#include "entries_neon_arm64.h"
#include "rankone_neon_arm64.h"
#include "divergence_neon_arm64.h"
#include "sparse_neon_arm64.h"
#include "linear_neon_arm64.h"
