// What is of AVX2 in the bodies of entries.go, for entries_amd64.h.

#define LINE_LOG (LANES_LOG+1)
#define LINE_MASKS MASKS(R10)
#define LINE(OP, LD, ST) OP(LD, ST, 0, Y0); OP(LD, ST, 32, Y1)
#define LINE_PART(OP) \
	VMOVU (R10), Y15; \
	OP(PART_LOAD, PART_STORE, 0, Y0); \
	VMOVU 32(R10), Y15; \
	OP(PART_LOAD, PART_STORE, 32, Y1)

#define ENTRY_MASKS LEAQ BIT_OF_LANE, R12
#define ENTRY_AHEAD
#define ENTRY_FETCH
