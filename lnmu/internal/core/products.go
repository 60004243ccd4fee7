package core

import (
	"nmu/kernel"
	"nmu/lnmu/internal/arena"
)

// Team runs tasks on the threads of a problem.
type Team interface {
	Size() int
	Run(tasks int, work func(member, task int))
}

// Products is a problem that forms its products with N apart from the steps, for either
// factor.
type Products[T kernel.Float] interface {
	Problem
	Team
	// Memory returns the arena for what belongs to the steps.
	Memory() *arena.Arena
	// Tall reports whether V is the factor of the longer side.
	Tall() bool
	// Factor returns the factor of the longer side of M, or of the shorter one: Vᵀ or W as it
	// is stored.
	Factor(long bool) kernel.Matrix[T]
	// Product returns the product of N with the other factor, and the Gram matrix of that
	// factor. The next call or step invalidates them.
	Product(long bool) (product, gram kernel.Matrix[T])
	// Fit returns the α that minimises ||N - α V W||, which is not a number if V W = 0.
	Fit() float64
}

// Multiplier multiplies N by vectors, which are the rows of a matrix.
type Multiplier[T kernel.Float] interface {
	Team
	// Memory returns the arena for what belongs to the vectors.
	Memory() *arena.Arena
	// Dims returns the lengths of the longer side of M and of the shorter one.
	Dims() (long, short int)
	// Tall reports whether V is the factor of the longer side.
	Tall() bool
	// ColumnSquares sets sums, which are zero, to the sums of the squares of the columns of N, over all
	// processes. It may stop early like Multiply.
	ColumnSquares(sums []float64)
	// Multiply sets the rows of dst to the products of N with the rows of src. The vectors of
	// dst belong to the shorter side of M if short, else to the longer one. Multiply may stop
	// early when the run is cancelled.
	Multiply(short bool, dst, src kernel.Matrix[T])
}

// Startable is a problem whose start can come from products with N.
type Startable[T kernel.Float] interface {
	// Dims is that of a Multiplier.
	Dims() (long, short int)
	// Multiplier returns N as a Multiplier for a number of vectors.
	Multiplier(vectors int) Multiplier[T]
	// From Impute to Forget, N holds estimates for the missing entries of M, from the means of rows
	// and columns.
	Impute()
	Forget()
	// Load returns the factor of the longer side of M, or of the shorter one, with a vector
	// in each row. It may be a copy. Store sets the factor.
	Load(long bool) kernel.Matrix[T]
	Store(long bool, x kernel.Matrix[T])
}
