package lnmu

// Solver is the way in which a method finds its factors, where it has several. The
// zero value stands for the paper's.
type Solver string

const (
	SolverHALS        Solver = "hals"        // NMF and SNMF: one sweep over V, one over W in turn (section 3.1)
	SolverAccelerated Solver = "accelerated" // NMF and SNMF: several sweeps per product with M, and extrapolation
	SolverLagrangian  Solver = "lagrangian"  // GNMU and RNMU: Algorithm L-NMU (section 3.2)
	SolverADMM        Solver = "admm"        // GNMU and RNMU: the augmented Lagrangian
)
