// NEON vector arithmetic in floating point, for which Go's assembler has no
// mnemonics but VFMLA and VFMLS. Every macro is one WORD; its arguments are
// register numbers, sources before destination as everywhere in Go assembly:
//
//	VFSUB_D2(1, 2, 3)    // V3.D2 = V2.D2 - V1.D2
//
// D2 is two float64, S4 four float32. d may be the same register as n or m.
// Comparisons set a lane to all ones or to all zeros; with a NaN they give
// zeros. neon_header_test.go checks every encoding.

// d = n + m
#define VFADD_D2(m, n, d) WORD $(0x4E60D400 | (m)<<16 | (n)<<5 | (d))
#define VFADD_S4(m, n, d) WORD $(0x4E20D400 | (m)<<16 | (n)<<5 | (d))

// d = n - m
#define VFSUB_D2(m, n, d) WORD $(0x4EE0D400 | (m)<<16 | (n)<<5 | (d))
#define VFSUB_S4(m, n, d) WORD $(0x4EA0D400 | (m)<<16 | (n)<<5 | (d))

// d = n * m
#define VFMUL_D2(m, n, d) WORD $(0x6E60DC00 | (m)<<16 | (n)<<5 | (d))
#define VFMUL_S4(m, n, d) WORD $(0x6E20DC00 | (m)<<16 | (n)<<5 | (d))

// d = n / m
#define VFDIV_D2(m, n, d) WORD $(0x6E60FC00 | (m)<<16 | (n)<<5 | (d))
#define VFDIV_S4(m, n, d) WORD $(0x6E20FC00 | (m)<<16 | (n)<<5 | (d))

// d = n > m
#define VFCMGT_D2(m, n, d) WORD $(0x6EE0E400 | (m)<<16 | (n)<<5 | (d))
#define VFCMGT_S4(m, n, d) WORD $(0x6EA0E400 | (m)<<16 | (n)<<5 | (d))

// d = sums of neighbours: first those of n, then those of m
#define VFADDP_D2(m, n, d) WORD $(0x6E60D400 | (m)<<16 | (n)<<5 | (d))
#define VFADDP_S4(m, n, d) WORD $(0x6E20D400 | (m)<<16 | (n)<<5 | (d))

// d = n > 0
#define VFCMGTZ_D2(n, d) WORD $(0x4EE0C800 | (n)<<5 | (d))
#define VFCMGTZ_S4(n, d) WORD $(0x4EA0C800 | (n)<<5 | (d))

// d = d + n * m[i], fused; i is 0 or 1 for D2, 0 to 3 for S4
#define VFMLAE_D2(m, i, n, d) WORD $(0x4FC01000 | (i)<<11 | (m)<<16 | (n)<<5 | (d))
#define VFMLAE_S4(m, i, n, d) WORD $(0x4F801000 | ((i)&1)<<21 | ((i)>>1)<<11 | (m)<<16 | (n)<<5 | (d))

// d = d - n * m[i], fused
#define VFMLSE_D2(m, i, n, d) WORD $(0x4FC05000 | (i)<<11 | (m)<<16 | (n)<<5 | (d))
#define VFMLSE_S4(m, i, n, d) WORD $(0x4F805000 | ((i)&1)<<21 | ((i)>>1)<<11 | (m)<<16 | (n)<<5 | (d))

// d = n * m[i]
#define VFMULE_D2(m, i, n, d) WORD $(0x4FC09000 | (i)<<11 | (m)<<16 | (n)<<5 | (d))
#define VFMULE_S4(m, i, n, d) WORD $(0x4F809000 | ((i)&1)<<21 | ((i)>>1)<<11 | (m)<<16 | (n)<<5 | (d))
