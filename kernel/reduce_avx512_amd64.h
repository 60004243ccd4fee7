// The vectors of a group of 128 bytes, for reduce_amd64.h: offset, lanes, scratch.

#define GROUP(OP) OP(0, Z0, Z2); OP(64, Z1, Z3)
#define GROUP_LOG 1

// The same of the first elements of a group, whose number is in CX, with the mask of each.
#define GROUP_PART(OP) \
	MOVL  $1, AX; \
	SHLQ  CX, AX; \
	DECQ  AX; \
	KMOVW AX, K1; \
	OP(0, Z0, Z2); \
	SHRQ  $(64/SIZE), AX; \
	KMOVW AX, K1; \
	OP(64, Z1, Z3)

// Folds by OP(later, earlier, to).
#define REDUCE_FOLD(OP) \
	OP(Z1, Z0, Z0); \
	VSHUFF64X2 $0xEE, Z0, Z0, Z1; \
	OP(Z1, Z0, Z0); \
	VSHUFF64X2 $0x55, Z0, Z0, Z1; \
	OP(Z1, Z0, Z0); \
	REDUCE_FOLD_PART(OP)
