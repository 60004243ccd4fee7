package input

// Dense is the stored elements of a dense matrix.
type Dense interface {
	// Verify checks that the elements are there, unless Open has done so.
	Verify() error
	// Open starts reading from the first element.
	Open() (Source, error)
}

// Source is a sequence of elements. Next fills dst. Close checks the end of the data, so it is
// called after all elements were read.
type Source interface {
	Next(dst []float64) error
	Close() error
}
