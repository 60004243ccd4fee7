// NEON vector arithmetic in floating point, for which Go's assembler has no
// mnemonics but VFMLA and VFMLS. Every macro is one WORD; its arguments are
// register numbers, sources before destination as everywhere in Go assembly:
//
//	FSUB(1, 2, 3)    // V3 = V2 - V1
//
// The elements are two float64 or four float32: a precision defines DOUBLE, the bit that says so. d may be the same
// register as n or m. Comparisons set a lane to all ones or to all zeros; with a NaN they give
// zeros. neon_header_test.go checks every encoding.

#define FADD(m, n, d) WORD $(0x4E20D400 | DOUBLE | (m)<<16 | (n)<<5 | (d))
#define FSUB(m, n, d) WORD $(0x4EA0D400 | DOUBLE | (m)<<16 | (n)<<5 | (d))
#define FMUL(m, n, d) WORD $(0x6E20DC00 | DOUBLE | (m)<<16 | (n)<<5 | (d))

// d = n / m
#define FDIV(m, n, d) WORD $(0x6E20FC00 | DOUBLE | (m)<<16 | (n)<<5 | (d))

// d = n > m, and n > 0
#define FCMGT(m, n, d) WORD $(0x6EA0E400 | DOUBLE | (m)<<16 | (n)<<5 | (d))
#define FCMGTZ(n, d) WORD $(0x4EA0C800 | DOUBLE | (n)<<5 | (d))

// d = sums of neighbours: first those of n, then those of m
#define FADDP(m, n, d) WORD $(0x6E20D400 | DOUBLE | (m)<<16 | (n)<<5 | (d))

// d = d + n * m[0] and d - n * m[0], fused, and n * m[0]
#define FMAE(m, n, d) WORD $(0x4F801000 | DOUBLE | (m)<<16 | (n)<<5 | (d))
#define FMSE(m, n, d) WORD $(0x4F805000 | DOUBLE | (m)<<16 | (n)<<5 | (d))
#define FMULE(m, n, d) WORD $(0x4F809000 | DOUBLE | (m)<<16 | (n)<<5 | (d))
