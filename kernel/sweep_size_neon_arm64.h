// sweep for a panel of columns. The file that includes this one defines, for this use,
//
//	VECS   applies operations to the vectors of the panel
//
//	for k < to { t = a[k]; for l != k { t -= b[k][l] h[l] }; h[k] = mask project(t) }

	MOVD $0, R24
	MOVD sweep_from(R0), R5
	MOVD sweep_h(R0), R8
	ADD  R17, R8
	MADD R5, R8, R7, R13
	MOVD sweep_a(R0), R9
	ADD  R17, R9
	MADD R5, R9, R14, R9
	MOVD sweep_b(R0), R10
	MADD R5, R10, R15, R10
	MOVD sweep_inv(R0), R11
	ADD  R5<<SIZE_LOG, R11
	MOVD $0, R16
	MOVD sweep_mask(R0), R12
	CBZ  R12, row
	MOVD sweep_maskStride(R0), R16
	ADD  R17, R12
	MADD R5, R12, R16, R12

row: // for k < to {
	MOVI   (R11), R21
	SHLI   $1, R21
	CBZ    R21, next
	MOVD   R9, R1
	VECS(T_LOAD2, T_LOAD)
	MOVD   R8, R1
	MOVD   R10, R2
	MOVD   R5, R3
	SUB    R5, R20, R4
	SUB    $1, R4
	CBZ    R3, own
	ADD    $1, R5, R21
	CMP    R6, R21
	BGE    loop
	MOVI   SIZE(R11), R21
	SHLI   $1, R21
	CBZ    R21, loop
	ADD    R14, R9, R1
	VECS(U_LOAD2, U_LOAD)
	MOVD   R8, R1
	ADD    R15, R10, R25
	MOVD   $1, R24

both: // for l < k { t -= b[k][l] h[l], and the same for k+1
	MOVE   (R2), F26
	MOVE   (R25), F27
	VECS(TU_FMS2, TU_FMS)
	ADD    $SIZE, R2
	ADD    $SIZE, R25
	ADD    R7, R1
	SUBS   $1, R3
	BNE    both // }
	B      own

loop: // for l left { t -= b[k][l] h[l]
	MOVE   (R2), F26
	VECS(T_FMS2, T_FMS)
	ADD    $SIZE, R2
	ADD    R7, R1
	SUBS   $1, R3
	BNE    loop // }

own: // but not l = k; then those behind it
	ADD    $SIZE, R2
	ADD    R7, R1
	MOVD   R4, R3
	MOVD   $0, R4
	CBNZ   R3, loop
	MOVE   (R11), F29
	VECS(T_PROJECT2, T_PROJECT)
	CBZ    R12, unmasked
	VECS(T_MASK2, T_MASK)

unmasked: // h[k] = t
	VECS(T_STORE2, T_STORE)

next:
	ADD    R7, R13
	ADD    R14, R9
	ADD    R15, R10
	ADD    $SIZE, R11
	ADD    R16, R12
	ADD    $1, R5
	CBNZ   R24, begun
	CMP    R6, R5
	BLT    row // }
	ADD    R22, R17
	SUBS   R22, R19
	BLE    done
	B      (R23)

begun: // t needs h[k-1] next
	MOVD   $0, R24
	VECS(T_NEXT2, T_NEXT)
	SUB    R7, R13, R1
	MOVD   R25, R2
	MOVD   $1, R3
	SUB    R5, R20, R4
	SUB    $1, R4
	B      loop

done:
	RET

#undef VECS
