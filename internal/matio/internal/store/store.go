package store

import (
	"nmu/internal/matio/internal/input"
)

// Elements is where the numbers of a text file go, as Open has to read them.
type Elements interface {
	// Add adds an element.
	Add(f *input.File, x float64) error
	// Each calls do for each element.
	Each(do func(x float64)) error
	// ReplaceNaN replaces each NaN by the mean of its column, as many as there are means.
	ReplaceNaN(means []float64)
	// Without leaves rows and columns out of the matrix, and returns how many are left.
	Without(rows, cols int, drop Drop) (int, int)
	// Mirror returns the symmetric matrix of f of which the lower triangle was stored,
	// column by column.
	Mirror(f *input.File) (input.Dense, error)
	// Dense returns what was stored.
	Dense() input.Dense
}

// New returns a store in memory, or in a file if that is asked for.
func New(f *input.File) (Elements, error) {
	if f.Spill == nil {
		return &Values{}, nil
	}
	return newSpilled(f)
}
