// The columns of CONTRACT for one height of the panel. The file that includes this
// one defines, for this use,
//
//	G_ROWS             applies an operation to the rows of G in the panel
//	START, LOOP, PART  labels
//
// The rows of X behind the group, at AX, are fetched meanwhile.
//
//	for whole vectors { lanes = fma(x, g, lanes) }
//	then the columns of K1, if any

START:
	TESTQ CX, CX
	JEQ   PART

LOOP: // for columns left > 0 {
	PREFETCHT0 (AX)
	PREFETCHT0 (AX)(R8*1)
	PREFETCHT0 (AX)(R9*1)
	PREFETCHT0 (AX)(R10*1)
	ADDQ  $64, AX
	VMOVU (SI), Z28
	VMOVU (SI)(R8*1), Z29
	VMOVU (SI)(R9*1), Z30
	G_ROWS(G_FMA)
	ADDQ  $64, SI
	ADDQ  $64, DX
	DECQ  CX
	JNE   LOOP // }

PART:
	KORTESTW K1, K1
	JEQ      lanes
	VMOVU.Z  (SI), K1, Z28
	VMOVU.Z  (SI)(R8*1), K1, Z29
	VMOVU.Z  (SI)(R9*1), K1, Z30
	G_ROWS(G_PART)
	VMOVU.Z  (SI)(R10*1), K1, Z28
	G_ROWS(G_PART3)
	JMP      lanes

#undef G_ROWS
#undef START
#undef LOOP
#undef PART
