// The coordinates of SWEEP for a panel of columns. The file that includes this one
// defines, for this use,
//
//	VECS   applies operations to the vectors of the panel
//	MOV    moves the last of an odd number of them
//	WIDTH  bytes of the panel
//	ROW, LOOP, OWN, UNMASKED, NEXT  labels
//
//	for k < to { t = a[k]; for l != k { t -= b[k][l] h[l] }; h[k] = mask project(t) }

ROW: // for k < to {
	MOVI   (R11), R21
	SHLI   $1, R21
	CBZ    R21, NEXT
	MOVD   R9, R1
	VECS(T_LOAD2, T_LOAD, MOV)
	MOVD   R8, R1
	MOVD   R10, R2
	MOVD   R5, R3
	SUB    R5, R20, R4
	SUB    $1, R4
	CBZ    R3, OWN

LOOP: // for l left { t -= b[k][l] h[l]
	MOVE   (R2), F18
	VECS(T_FMS2, T_FMS, MOV)
	ADD    $SIZE, R2
	ADD    R7, R1
	SUBS   $1, R3
	BNE    LOOP // }

OWN: // but not l = k; then those behind it
	ADD    $SIZE, R2
	ADD    R7, R1
	MOVD   R4, R3
	MOVD   $0, R4
	CBNZ   R3, LOOP
	MOVE   (R11), F20
	VECS(T_PROJECT2, T_PROJECT, MOV)
	CBZ    R12, UNMASKED
	VECS(T_MASK2, T_MASK, MOV)

UNMASKED: // h[k] = t
	VECS(T_STORE2, T_STORE, MOV)

NEXT:
	ADD    R7, R13
	ADD    R14, R9
	ADD    R15, R10
	ADD    $SIZE, R11
	ADD    R16, R12
	ADD    $1, R5
	CMP    R6, R5
	BLT    ROW // }
	ADD    $WIDTH, R17
	SUBS   $WIDTH, R19
	BGT    columns
	RET

#undef VECS
#undef MOV
#undef WIDTH
#undef ROW
#undef LOOP
#undef OWN
#undef UNMASKED
#undef NEXT
