// The vectors of a group of 128 bytes, for reduce_amd64.h: offset, lanes, scratch.

#define GROUP(OP) OP(0, Y0, Y4); OP(32, Y1, Y5); OP(64, Y2, Y6); OP(96, Y3, Y7)
#define GROUP_LOG 2

// The same of the first elements of a group, whose number is in CX, with the mask of each.
#define GROUP_PART(OP) \
	MASKS(R9); \
	PART_OF(OP, 0, Y0, Y4); \
	PART_OF(OP, 32, Y1, Y5); \
	PART_OF(OP, 64, Y2, Y6); \
	PART_OF(OP, 96, Y3, Y7)
#define PART_OF(OP, AT, L, X) VMOVU AT(R9), Y15; OP(AT, L, X)

// Folds by OP(later, earlier, to).
#define REDUCE_FOLD(OP) \
	OP(Y2, Y0, Y0); \
	OP(Y3, Y1, Y1); \
	OP(Y1, Y0, Y0); \
	VEXTRACTF128 $1, Y0, X1; \
	OP(Y1, Y0, Y0); \
	REDUCE_FOLD_PART(OP)
