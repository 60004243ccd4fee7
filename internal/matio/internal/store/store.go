package store

import (
	"nmu/internal/matio/internal/input"
)

// Elements stores the numbers of a text file while Open reads them.
type Elements interface {
	// Add adds an element.
	Add(f *input.File, x float64) error
	// Each calls do for each element.
	Each(do func(x float64)) error
	// ReplaceNaN replaces each NaN by the mean of its column. There are len(means) columns.
	ReplaceNaN(means []float64)
	// Without drops rows and columns of a rows x cols matrix, and returns how many are left.
	Without(rows, cols int, drop Drop) (int, int)
	// Mirror returns the symmetric matrix of f, column by column. The stored elements are its
	// lower triangle.
	Mirror(f *input.File) (input.Dense, error)
	// Dense returns the stored elements.
	Dense() input.Dense
}

// New returns a store in memory, or in a temporary file with f.Spill.
func New(f *input.File) (Elements, error) {
	if f.Spill == nil {
		return &Values{}, nil
	}
	return newSpilled(f)
}
