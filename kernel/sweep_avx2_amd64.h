// What is of AVX2 in the bodies of sweep.go, for sweep_amd64.h: its registers are those of one coordinate.

#define TWO_NONE
#define TWO(VECS, both, single)
#define TWO_NEXT(begun)
#define TWO_BEGUN(VECS, begun)
