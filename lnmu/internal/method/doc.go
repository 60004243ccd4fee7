// Package method holds the algorithms as the paper writes them: Algorithm L-NMU (section
// 3.2), the augmented Lagrangian, HALS and its accelerated form, and the rule of the
// penalties of sparse NMF (section 4.4). An algorithm knows problems (package core). It knows
// neither how M is stored, nor which entries are observed, nor which processes share it. It
// computes in float64. Only what takes whole products or columns of M, Hoyer's algorithm and the
// starts svd, spa and snpa, asks a problem for the type of its numbers.
//
//	Loop         the iterations of all algorithms: limits, tolerances, checkpoints
//	  HALS, Accelerate, Penalise    NMF and SNMF
//	  Diverge                       KL
//	  Relax                         G-NMU, and each block of factors of R-NMU
package method
