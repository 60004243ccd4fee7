// The last columns of R21 rows, for RANK_ONE. The file that includes this one defines,
// for this use,
//
//	FROM, STRIDE   the first row and how far apart they are
//	TO, TO_STRIDE  where they go
//	LOOP           label

	MOVD R21, R5

LOOP: // for rows left > 0 {
	MOVD FROM, R1
	MOVD TO, R2
	COPY(R1, R2, R23)
	ADD  STRIDE, FROM
	ADD  TO_STRIDE, TO
	SUBS $1, R5
	BNE  LOOP // }

#undef FROM
#undef STRIDE
#undef TO
#undef TO_STRIDE
#undef LOOP
