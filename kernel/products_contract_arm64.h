// The columns of CONTRACT for so many rows of G and of X, 64 bytes at a time. The file
// that includes this one defines, for this use,
//
//	UPPER, LOWER  apply operations to the upper two quarters and the lower
//	PAIR          loads two quarters of the rows of X
//	MUL           multiplies them by those of a row of G
//	LOOP          label

LOOP: // for groups of columns left > 0 {
	UPPER(PAIR, MUL)
	LOWER(PAIR, MUL)
	SUBS $1, R6
	BNE  LOOP // }
	B    tail

#undef UPPER
#undef LOWER
#undef PAIR
#undef MUL
#undef LOOP
