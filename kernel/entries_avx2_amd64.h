// What is of AVX2 in the bodies of entries.go, for entries_amd64.h.

#define ENTRY_MASKS LEAQ BIT_OF_LANE, R12
#define ENTRY_AHEAD
#define ENTRY_FETCH
