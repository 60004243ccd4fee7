// SWEEP, continued: the panel of the last four bytes, that is of one float32.

#define VECS VECS1
#define MOV FMOVS
#define WIDTH 4
#define ROW rowS
#define LOOP loopS
#define OWN ownS
#define UNMASKED unmaskedS
#define NEXT nextS
#include "sweep_cols_arm64.h"
