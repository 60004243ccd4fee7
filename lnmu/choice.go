package lnmu

// Choice is a word: the value of a setting, or of an option of a method, that is one of several constants. The
// zero value stands for the default.
type Choice string

const (
	// The starts, which are the factors with which a run begins (Start.Init).
	InitRandom Choice = "random" // uniform in [0, 1), scaled by equation (scaling)

	// InitSVD are the scaled nonnegative parts of the first singular vectors. The vectors are
	// approximate, since their iterations are few. They are the same for every Seed. If the rank
	// of M is less than that of the factors, the other factors are small random ones of Seed.
	InitSVD Choice = "svd"

	// InitSPA and InitSNPA are columns of M, and the weights by which their convex combinations
	// with 0 come nearest to the others: the successive projection algorithm (M. C. U. Araújo et
	// al., Chemometrics and Intelligent Laboratory Systems 57, 2001; N. Gillis and
	// S. A. Vavasis, IEEE Trans. PAMI 36, 2014) and the successive nonnegative projection
	// algorithm (N. Gillis, SIAM J. Imaging Sciences 7, 2014). They find the pure columns of a
	// matrix whose columns are mixtures of some of them. SNPA is the more robust one, and finds
	// more columns than M has rank. A recursion takes those of what is left for each block.
	InitSPA  Choice = "spa"
	InitSNPA Choice = "snpa"

	// InitNested is InitRandom with a generator for each factor, so that the start of
	// the first factors does not depend on how many there are: see Result.Continue.
	InitNested Choice = "nested"

	// The solvers are algorithms for the factors of a method that has several. The default is
	// SolverAccelerated with NMF and SNMF, and the paper's choice with the other methods.
	SolverHALS        Choice = "hals"        // NMF and SNMF: one sweep over V, one over W in turn (section 3.1)
	SolverAccelerated Choice = "accelerated" // NMF and SNMF: several sweeps per product with M, and extrapolation
	SolverLagrangian  Choice = "lagrangian"  // GNMU and RNMU: Algorithm L-NMU (section 3.2)
	SolverADMM        Choice = "admm"        // GNMU and RNMU: the augmented Lagrangian

	SolverMultiplicative Choice = "multiplicative" // KL: multiplicative updates, and extrapolation
	SolverCoordinate     Choice = "coordinate"     // KL: Newton steps for one entry after the other

	// The norms that an underapproximation minimises (RNMU.Norm).
	//
	// L1 is the authors' later variant for the recursion (N. Gillis and R. J.
	// Plemmons, Dimensionality reduction, classification, and spectral mixture
	// analysis using nonnegative underapproximation, Optical Engineering 50, 2011).
	// It is robust against single large entries and gives sparser residuals. With
	// N = M - Λ, as for L2, each factor alternates
	//
	//	v_i <- the minimum over v >= 0 of Σ_j |n_ij - v w_j|
	//	w_j <- the minimum over w >= 0 of Σ_i |n_ij - v_i w|
	//
	// and updates the multipliers by the same rule, Λ <- max(0, Λ - µ_k (M - v w)).
	// The minimum is max(0, x) for the weighted median x of the ratios n_ij/w_j with the weights
	// w_j, over w_j > 0: the smallest ratio such that the ratios up to it have at least half of
	// all weight. If there are several minima, it is the least one. A v_i whose w is zero does
	// not change.
	//
	// A step in the l1 norm takes several times as long as one in the l2 norm, since a median
	// takes some passes over a row. RelativeError is that of the Frobenius norm in either case;
	// tolerances and target errors refer to it. RelativeL1 decides between restarts.
	L2 Choice = "l2" // the paper's
	L1 Choice = "l1" // RNMU with blocks of one factor only

	// The multipliers Λ of Algorithm L-NMU before its first iteration
	// (GNMU.Multipliers): zero, or those that the start violates.
	//
	// The paper leaves the choice open, and the programs that are in use differ in it and
	// in the first step length. From the first singular vectors and with Inner 1,
	// one factor at a time,
	//
	//	MultipliersStart, StepOffset 1   is the authors' program recursiveNMU (N. Gillis and
	//	                                 F. Glineur; N. Gillis and R. J. Plemmons, 2011)
	//	MultipliersStart, StepOffset 0   is that of MCRA (Monte Carlo Risk Assessment), with
	//	                                 RNMU.ThresholdV as its sparseness
	//
	// up to rounding, if the start is theirs (FactorFrom) and as long as no factor vanishes
	// on the way. The vectors of InitSVD are not exact: V W then has about five digits in
	// common with theirs, and fewer with a penalty.
	MultipliersZero  Choice = "zero"  // Λ = 0
	MultipliersStart Choice = "start" // Λ = max(0, V W - M)

	// The ways to make an underapproximation exact (GNMU.Feasible): V W <= M without any
	// tolerance.
	//
	// The exact step (the remark on feasible solutions, section 3) replaces V by the
	// minimum of ||M - V W||_F over V >= 0, V W <= M with W given, or W with V given:
	// one convex quadratic program for each row of V, or column of W. For a single
	// factor it has the closed solution
	// v_i = min(max(0, m_i·w)/(w·w), min_j m_ij/w_j).
	//
	// The first step is made for V and for W, both from the factors of L-NMU, and
	// the better one is kept; then V and W take turns as long as
	// GNMU.FeasibleSteps allows and the error falls. The paper's remark names V,
	// but the choice matters: on dense data, where one slightly violated entry in a
	// long row holds down the whole row, the factor with fewer constraints for each
	// program is much the better one.
	//
	// What is guaranteed is that MaxViolation is 0 in floating point, with V W taken
	// off M by the kernels in the precision of the data: e = m_ij, then
	// e <- fma(-v_ik, w_kj, e) for k = 0, 1, ..., and e >= 0 at the end. Each of
	// these operations is monotone in v_ik and in w_kj, so lowering entries of a
	// factor never does harm: the solution of the exact step is rounded to T, and
	// while an e_j < 0 is left in a row, its v_ik are lowered along w_:j, by a few
	// units in the last place.
	//
	// Feasibility costs little where the zeros of M already confine the factors
	// (binary images, graphs), and much on dense data with many small violations.
	// FeasibleFinal makes the finished factors of the best run feasible.
	FeasibleFinal Choice = "final"

	// FeasibleEach makes every block of a recursion feasible before the residual
	// is formed, so that the residuals are nonnegative without clamping; with GNMU
	// there is one block, in every run.
	FeasibleEach Choice = "each"

	// The ways in which missing entries and weights enter a HALS step (Settings.MissingSolver).
	// MissingMajorize fills missing entries with the current V W before each step. A step
	// costs one product more than that of a complete matrix, whatever is missing. The
	// error on the observed entries never rises; the more entries are missing, the less it
	// falls in a step.
	//
	// MissingExact minimises over the observed entries themselves. It forms an r x r Gram
	// matrix for each row and each column: O(r) times the work for every missing entry, or
	// for every observed one if these are fewer. It takes as few steps as a complete matrix.
	MissingMajorize Choice = "majorize"
	MissingExact    Choice = "exact"
)
