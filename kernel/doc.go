// Package kernel holds the loops of nonnegative matrix factorization and underapproximation
// that cost time: fused multiplier updates, rank-one HALS passes, skinny matrix products,
// coordinate sweeps and reductions, for float32 and float64. It knows no algorithm. Package
// lnmu is built on it, and other programs can use it too. The names of this package may change in any version.
// The bits do not: a kernel that stays computes what it computes today. Package kerneltest tests bodies of
// other programs for that.
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
// AccumulateAhead also prefetches the next block of N and of M. Then come D = Vᵀ V by Gram, W
// from C and D by Sweep, B = W Wᵀ by Gram. RankOne fuses the whole step for r = 1. A tall factor
// is always passed transposed (Vᵀ, r x p), so that the vectors of every kernel run along rows.
//
// The augmented Lagrangian stores its multipliers G and forms N from them: Product and
// UpdateAugmented, or Target, take the place of UpdateMultiplierProduct, and RankOneAugmented
// that of RankOne.
//
// If entries of M are missing, a Bits marks the observed ones. Product forms V W on a block of
// rows in cache. Impute, UpdateMultiplierMasked, UpdateAugmentedMasked and TargetMasked then
// change the observed entries and leave V W at the missing ones. ImputeWeighted takes a weight
// for each entry instead. RankOneMasked and RankOneAugmentedMasked need no V W, because they
// sum over the observed entries. Keep clears the missing ones.
//
// A sparse matrix stores N only at the entries of a Pattern. The same step is then
// SampledProduct, UpdateMultiplier, AddSparseProduct and AddTransposedSparseProduct, or
// SparseRankOne for r = 1, which fuses them in one pass over the entries. Tall factors are not
// transposed then, so that an entry fetches one vector of r numbers.
//
// The Kullback-Leibler divergence of M from V W takes the Ratio of M to a block of V W, and
// DotLog of M and that ratio. For a sparse M, AddRatioProduct and AddTransposedRatioProduct form the ratio and
// one of the products of an update in one walk. A Newton step for one entry of a factor takes LogDerivatives.
//
// Package blas uses AccumulatePanel, AddScaled, AddScaledRows and Scale, which take parts of
// matrices that other programs have stored.
//
// # Bits
//
// Every kernel has one result, bit for bit, on every instruction set: the one
// that the generic bodies compute. They are the specification: contractGeneric in products.go is
// that of Contract, and kernel_generic.go has their arithmetic. They fix the following:
//
//   - A multiply-add is fused: rounded once, also in float32.
//   - A reduction (Dot, SumSquares, Max, Min) has 128 bytes of lanes (16 float64, 32 float32).
//     A contraction along rows (Contract, Gram, SampledProduct, AddRatioProduct,
//     AddTransposedRatioProduct, Extrapolate, RankOne and RankOneAugmented with a mask or
//     without), DotLog and each sum of LogDerivatives have 64 bytes, SparseRankOne has four
//     lanes. Lane l takes the elements j ≡ l in increasing j; the last group is completed with
//     zeros. Then the lanes are added pairwise: l with l + half, then quarter, and so on.
//   - Other sums (AddProduct, Product, Accumulate, Sweep, AddScaledRows, AddSparseProduct,
//     AddTransposedSparseProduct, those of ratios) begin with the value of the output and add one fused
//     multiply-add after the other, in increasing index. Cutting rows and columns into blocks
//     does not change them.
//   - max(0, t) is t if t > 0, else +0, also for NaN. min(a, b) is a if a < b,
//     else b.
//   - A missing entry counts as +0 in a sum, whatever its value, and keeps its place in a
//     lane.
//
// A NaN result is a NaN everywhere, but its payload is not specified.
//
// # Rules
//
// Lengths and strides are checked, also for negative sizes and overflow. A mismatch is a
// programmer's error and panics before anything is written. Every length, stride and alignment
// works; NewMatrix gives the fastest alignment. Outputs must not overlap other arguments except
// where a kernel says so. Nothing outside the given slices is read or written, and inputs are
// never written. Kernels do not allocate and hold no state; calls may run side by side on
// different outputs. A build with -race reports calls that do not.
//
// # Bodies
//
// The table lists the kernels, the names of their bodies in assembly, and the levels that have
// them, or the level whose body runs. Without one the generic body runs, with the same bits. At avx512 a sparse
// product of short rows that end in half a vector runs the body of avx2.
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
//	AccumulateAhead             outer          yes   yes     yes
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
//	AddScaled                   addScaled      yes   yes     yes
//	AddScaledRows               addScaled      yes   yes     yes
//	Scale                       scale          yes   yes     yes
//	Ratio                       ratio          yes   yes     yes
//	DotLog                      dotLog         yes   yes     yes
//	LogDerivatives              logDerivatives yes   yes     yes
//	AddSparseProduct            addSparse      yes   yes     yes
//	AddTransposedSparseProduct  addTransposed  yes   yes     yes
//	SampledProduct              sampled        yes   yes     yes
//	AddRatioProduct             sampled        yes   yes     yes
//	AddTransposedRatioProduct   sampled        yes   yes     yes
//	SparseRankOne               sparseRankOne  yes   avx2    yes
//
// # In a program of its own
//
// Of this module, the package imports only the detection of instruction levels. The level is
// chosen once, before main: the best that the processor and the operating system have, or the
// one that NMU_KERNEL names. A program should check LevelError when it starts: an unknown or
// unavailable name means generic. On other processors, and with the build tag purego, generic
// is the only level. On amd64, settings of GODEBUG such as cpu.avx512f=off or cpu.all=off take away
// the levels that need these features.
//
// Assembly cannot be preempted, so the kernels cut their work into calls of at most some 2^20
// multiply-adds, where a row counts as some more. On data in memory a garbage collection waits less than
// a millisecond for a call. On a mapped file it also waits for the disk.
//
// The bits hold in the floating-point environment of Go: rounding to nearest, no flushing of
// denormals to zero. C code in the same process must not change it.
//
// Matrix converts to and from gonum's blas64.General and blas32.General, without
// copying: kernel.Matrix[float64](general).
package kernel
