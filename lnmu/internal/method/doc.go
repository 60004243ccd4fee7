// Package method has the algorithms as the paper writes them: Algorithm L-NMU (section
// 3.2), the augmented Lagrangian, HALS and its accelerated form, and the rule of the
// penalties of sparse NMF (section 4.4). They know problems (package core), but neither how
// M is stored, nor what is observed of it, nor who shares it, nor the type of its numbers.
//
//	Loop         the iterations of all of them: limits, tolerances, checkpoints
//	  HALS, Accelerate, Penalise    NMF and SNMF
//	  Relax                         G-NMU, and each block of factors of R-NMU
package method
