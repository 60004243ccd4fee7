// Package qp solves the quadratic programs of exact underapproximations: with one
// factor given, each row of the other solves a convex program of its own (the
// paper's remark on feasible solutions). For a row x of M and G = W (r x q) it is
//
//	minimise ||x - h G||²  subject to  h >= 0,  h G <= x
//
// in the r entries of h, with r + q inequalities. A Solver does so by the dual
// active set method of D. Goldfarb and A. Idnani (A numerically stable dual
// method for solving strictly convex quadratic programs, Mathematical
// Programming 27, 1983): from the unconstrained minimum, one violated constraint
// after the other is made active, and constraints whose multipliers would become
// negative are dropped on the way. The dual objective grows with every step, so
// that degenerate vertices do no harm.
//
// The variables are y_k = h_k ||G_k|| / ||x||, so that the Hessian has a unit
// diagonal. Two things are done before:
//
//   - h_k can be at most min_j x_j/g_kj. Where this leaves factor k nothing to
//     contribute (a zero of x where g_kj > 0, or G_k = 0), h_k is zero and the
//     variable is taken out; what is left has feasible points with h > 0.
//   - If the Hessian of what is left is singular to working precision (dependent
//     rows of G), a proximal term ε/2 ||y - c||² is added, and c is moved to the
//     solution until it stays: the proximal point method, which ends at a
//     solution of the problem without the term.
//
// All of it runs in float64, sequentially and with fused multiply-adds only, so
// that the bits are the same everywhere.
package qp
