// Package kernel holds the loops of nonnegative matrix factorization and
// underapproximation that cost time: fused multiplier updates, rank-one HALS
// passes, skinny matrix products, coordinate sweeps and reductions, for float32
// and float64. It knows no algorithm; package lnmu is built on it, and so can
// any other program be.
//
// # One pass
//
// With the state N = M - Λ, one HALS step of Algorithm L-NMU reads N once, a
// block I of rows at a time:
//
//	        w (r x q)
//	      +-----------+                    UpdateMultiplierProduct  N_I <- min(M_I, N_I + µ(M_I - V_I W))
//	V_I   |    N_I    |  one block of      Contract                 A_I = N_I Wᵀ
//	(p x r)           |  rows, in cache    Sweep                    V_I from A_I and B = W Wᵀ
//	      +-----------+                    Accumulate               C += V_Iᵀ N_I
//
// and then D = Vᵀ V by Gram, W from C and D by Sweep, B = W Wᵀ by Gram. RankOne
// is the whole of it, fused, for r = 1. A tall factor is always handed over
// transposed (Vᵀ, r x p), so that the vectors of every kernel run along rows.
//
// The augmented Lagrangian keeps multipliers G of its own, from which N is formed:
// Product and UpdateAugmented, or Target, take the place of UpdateMultiplierProduct,
// and RankOneAugmented that of RankOne.
//
// Where entries of M are missing, a Bits says which are observed. Product forms V W on a
// block of rows that stays in cache, and Impute, UpdateMultiplierMasked,
// UpdateAugmentedMasked or TargetMasked leave it at the missing entries; ImputeWeighted
// takes a weight for each entry instead. RankOneMasked and RankOneAugmentedMasked do
// without: they sum over what is observed. Keep clears the rest.
//
// For a sparse matrix, which keeps N at the places of a Pattern alone, the same
// step is made of SampledProduct, UpdateMultiplier, AddSparseProduct and
// AddTransposedSparseProduct, or for r = 1 of SparseRankOne, which is all of them in
// one walk over the entries. A tall factor is then stored as it is, a vector of r
// numbers for each place to fetch.
//
// The Kullback-Leibler divergence of M from V W takes the Ratio of M to a block of V W, and
// DotLog of M and that ratio.
//
// Package blas is made of AccumulatePanel, AddProductPanel, AddScaled, AddScaledRows
// and Scale, which take matrices of any shape that are not stored for these kernels.
//
// # Bits
//
// Every kernel has one result, bit for bit, on every instruction set: the one
// that the generic bodies in kernel_generic.go compute. They are the
// specification. What they fix:
//
//   - A multiply-add is fused: rounded once, also in float32.
//   - A reduction (Dot, SumSquares, Max, Min) has 128 bytes of lanes (16
//     float64, 32 float32), a contraction along rows (Contract, Gram, RankOne and
//     RankOneAugmented with a mask or without, SampledProduct, Extrapolate) and DotLog have
//     64, and
//     SparseRankOne has four. Lane l takes the elements j ≡ l in increasing j;
//     the last group is completed with zeros. Then the lanes are added pairwise:
//     l with l + half, then quarter, and so on.
//   - Other sums (AddProduct, Product, Accumulate, Sweep, AddScaledRows,
//     AddSparseProduct, AddTransposedSparseProduct) run through their index in increasing order,
//     one fused multiply-add after the other, on top of what was there. How rows
//     and columns are cut into blocks does not change them.
//   - max(0, t) is t if t > 0, else +0, also for NaN. min(a, b) is a if a < b,
//     else b.
//   - What is not observed counts as +0 in a sum, whatever stands there, and its place
//     in a lane is kept.
//
// A NaN result is a NaN everywhere, but its payload is not specified.
//
// # Rules
//
// Lengths and strides are checked; a mismatch is a programmer's error and
// panics before anything is written, whatever numbers the arguments claim: sizes
// that are negative or overflow are no way around it. Any length, stride and
// alignment will do; NewMatrix gives the alignment that is fastest. Outputs must
// not overlap other arguments except where a kernel says so. Nothing outside the
// given slices is read or written, and inputs are never written. Kernels do not
// allocate and hold no state; calls may run side by side on different outputs.
//
// # Bodies
//
// Which kernels have bodies in assembly, by the names of these, and at which level.
// Where there is none the generic one runs, with the same bits.
//
//	                                           avx2  avx512  neon
//	Dot                         dot            yes   yes     yes
//	SumSquares                  dot            yes   yes     yes
//	Max                         max            yes   yes     yes
//	Min                         min            yes   yes     yes
//	CountLess                   countLess      yes   yes     yes
//	Add                         add            yes   yes     yes
//	Extrapolate                 extrapolate    yes   yes     yes
//	UpdateMultiplier            update         yes   yes     yes
//	RankOne                     rankOne        yes   yes     yes
//	Contract                    contract       yes   yes     yes
//	Product                     outer          yes   yes     yes
//	AddProduct                  outer          yes   yes     yes
//	UpdateMultiplierProduct     outer          yes   yes     yes
//	Accumulate                  outer          yes   yes     yes
//	UpdateAugmented             augment        yes   yes     yes
//	Target                      target         yes   yes     yes
//	RankOneAugmented            augRankOne     yes   yes     yes
//	Keep                        keep           yes   yes     yes
//	Impute                      impute         yes   yes     yes
//	ImputeWeighted              weigh          yes   yes     yes
//	UpdateMultiplierMasked      maskedUpdate   yes   yes     yes
//	UpdateAugmentedMasked       maskedAugment  yes   yes     yes
//	TargetMasked                maskedTarget   yes   yes     yes
//	RankOneMasked               maskedRankOne  yes   yes     yes
//	RankOneAugmentedMasked      maskedAugRank  yes   yes     yes
//	Gram                        contract       yes   yes     yes
//	Reciprocals                                -     -       -
//	Sweep                       sweep          yes   yes     yes
//	AccumulatePanel             panel          yes   yes     yes
//	AddProductPanel             panel          yes   yes     yes
//	AddScaled                   addScaled      yes   yes     yes
//	AddScaledRows               addScaled      yes   yes     yes
//	Scale                       scale          yes   yes     yes
//	Ratio                       ratio          yes   yes     yes
//	DotLog                      dotLog         yes   yes     yes
//	AddSparseProduct            addSparse      yes   yes     yes
//	AddTransposedSparseProduct  addTransposed  yes   yes     yes
//	SampledProduct              sampled        yes   yes     yes
//	SparseRankOne               sparseRankOne  yes   yes     yes
//
// # In a program of its own
//
// The package takes no other of this module along but the detection of
// instruction levels. The level is chosen once, before main: the best that the
// processor and the operating system have, or the one that NMU_KERNEL names. A
// program should look at LevelError when it starts, as a name that cannot be
// followed means generic. On other processors, and with the build tag purego,
// generic is the only level.
//
// Assembly cannot be preempted, so the kernels cut their work into calls of at
// most some 2^20 multiply-adds; a garbage collection waits for one of these, less
// than a millisecond.
//
// The bits hold in the floating-point environment of Go: rounding to nearest, no
// flushing of denormals to zero. C code in the same process must leave it so.
//
// Matrix converts to and from gonum's blas64.General and blas32.General, without
// copying: kernel.Matrix[float64](general).
package kernel
