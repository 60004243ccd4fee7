package core

import "nmu/kernel"

// Team is the threads that a problem is shared out to.
type Team interface {
	Size() int
	Run(tasks int, work func(member, task int))
}

// Products is a problem that forms its products with N apart from the steps: those with the
// factor of the shorter side of M, for the one of the longer side, and the other way round.
type Products[T kernel.Float] interface {
	Problem
	Team
	// Tall reports whether V is the factor of the longer side.
	Tall() bool
	// Factor returns the factor of the longer side, or that of the shorter one: Vᵀ or W, as
	// it is stored.
	Factor(long bool) kernel.Matrix[T]
	// Product forms the product of N with the other factor, and the Gram matrix of that.
	// They are gone with the next call or step.
	Product(long bool) (product, gram kernel.Matrix[T])
	// Fit returns the α that minimises ||N - α V W||, which is not a number if V W = 0.
	Fit() float64
}

// Multiplier is N as a matrix that vectors are multiplied by, a vector in each row.
type Multiplier[T kernel.Float] interface {
	Team
	// Dims returns the lengths of the longer side of M and of the shorter one.
	Dims() (long, short int)
	// Multiply sets the rows of dst to the products of N with those of src, which belong to
	// the shorter side; or if short, to the longer one. Either has as many rows as the
	// multiplier was made for. It may be cut short when the work is over.
	Multiply(short bool, dst, src kernel.Matrix[T])
}

// Multiplying is a place that offers N as a Multiplier of so many vectors.
type Multiplying[T kernel.Float] interface {
	Multiplier(vectors int) Multiplier[T]
}

// Settable is a problem whose factors can be set apart from a start.
type Settable[T kernel.Float] interface {
	// Load returns the factor of the longer side of M, or that of the shorter one, with a
	// vector in each row: in a copy, or as it is stored. Store sets it.
	Load(long bool) kernel.Matrix[T]
	Store(long bool, x kernel.Matrix[T])
}

// Imputing is a problem with missing entries: from Impute to Forget, N has in their places,
// for want of anything better, what the means of their rows and columns lead to.
type Imputing interface {
	Impute()
	Forget()
}
