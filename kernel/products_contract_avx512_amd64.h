// The columns of CONTRACT for one height of the panel. The file that includes this
// one defines, for this use,
//
//	G_ROWS             applies an operation to the rows of G in the panel
//	START, LOOP, PART  labels
//	FETCHING           and that of the loop with c.fetch
//
//	for whole vectors { lanes = fma(x, g, lanes) }
//	then the columns of K1, if any

START:
	TESTQ CX, CX
	JEQ   PART
	KMOVQ AX, K4
	MOVQ  contraction_fetch(DI), AX
	TESTQ AX, AX
	JEQ   LOOP

FETCHING: // the same, while a line is fetched for each vector {
	PREFETCHT1 (SI)(AX*1)
	VMOVU (SI), Z24
	VMOVU (SI)(R8*1), Z25
	VMOVU (SI)(R9*1), Z26
	VMOVU (SI)(R10*1), Z27
	G_ROWS(G_FMA)
	ADDQ  $64, SI
	ADDQ  $64, DX
	DECQ  CX
	JNE   FETCHING // }
	KMOVQ K4, AX
	JMP   PART

LOOP: // for columns left > 0 {
	VMOVU (SI), Z24
	VMOVU (SI)(R8*1), Z25
	VMOVU (SI)(R9*1), Z26
	VMOVU (SI)(R10*1), Z27
	G_ROWS(G_FMA)
	ADDQ  $64, SI
	ADDQ  $64, DX
	DECQ  CX
	JNE   LOOP // }
	KMOVQ K4, AX

PART:
	KORTESTW K1, K1
	JEQ      lanes
	VMOVU.Z  (SI), K1, Z24
	VMOVU.Z  (SI)(R8*1), K1, Z25
	VMOVU.Z  (SI)(R9*1), K1, Z26
	VMOVU.Z  (SI)(R10*1), K1, Z27
	G_ROWS(G_PART)
	JMP      lanes

#undef G_ROWS
#undef START
#undef LOOP
#undef PART
#undef FETCHING
