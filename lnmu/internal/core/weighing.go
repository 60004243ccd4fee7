package core

// Weighing says how the weights of the columns of a matrix in a basis are found. Its fields are those of
// lnmu.TransformSettings, with all defaults.
type Weighing struct {
	Feasible, SumToOne, Divergence bool
	Iterations                     int
	Tolerance                      float64
	Threads                        int
}

// Weighed sums up the weights found for some columns.
type Weighed struct {
	Iterations int     // the most iterations of a column
	KKT        float64 // the largest KKT residual of a column
	Finished   int     // number of columns with weights

	Divergence, Null float64 // of the finished columns, from V W and from the mean of their entries; 0 without Divergence
}

// Plus sums up both sets of columns.
func (w Weighed) Plus(other Weighed) Weighed {
	return Weighed{max(w.Iterations, other.Iterations), max(w.KKT, other.KKT), w.Finished + other.Finished, w.Divergence + other.Divergence, w.Null + other.Null}
}
