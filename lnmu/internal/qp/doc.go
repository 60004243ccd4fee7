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
// negative are dropped on the way. The dual objective grows with every step, so degenerate
// vertices do no harm.
//
// The variables are y_k = h_k ||G_k|| / ||x||, so that the Hessian has a unit
// diagonal. Two things are done before:
//
//   - h_k can be at most min_j x_j/g_kj. If this bound is zero (x_j = 0 and
//     g_kj > 0 for some j) or G_k = 0, h_k is zero and the variable is removed.
//     The remaining program has feasible points with h > 0.
//   - If the remaining Hessian is singular to working precision (dependent rows
//     of G), a proximal term ε/2 ||y - c||² is added. Then c moves to the
//     solution until it stays the same. This proximal point method ends at a
//     solution of the program without the term.
//
// All computations are sequential, in float64, with fused multiply-adds only. So
// the bits are the same on every machine.
package qp
