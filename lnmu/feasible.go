package lnmu

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
// GNMU.ExactSteps allows and the error falls. The paper's remark names V,
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
const (
	// FeasibleFinal makes the finished factors of the best run feasible.
	FeasibleFinal Choice = "final"

	// FeasibleEach makes every block of a recursion feasible before the residual
	// is formed, so that the residuals are nonnegative without clamping; with GNMU
	// there is one block, in every run.
	FeasibleEach Choice = "each"
)
