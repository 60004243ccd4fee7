// What is of AVX-512 in the bodies of entries.go, for entries_amd64.h.

// R12 leads from m[i] to the rows behind the last of these, which are fetched, at R13.
#define ENTRY_MASKS BYTES_OF(AX, R14); MOVQ R11, R12; IMULQ R9, R12
#define ENTRY_AHEAD LEAQ (DX)(R12*1), R13
#define ENTRY_FETCH PREFETCHT1 (R13)(AX*1)
