package input

// Dense is the stored elements of a dense matrix.
type Dense interface {
	// Verify makes sure that the elements are there as far as that is not known.
	Verify() error
	// Open starts reading from the first element.
	Open() (Source, error)
}

// Source is a sequence of elements. Next fills dst. Close also checks what can
// be checked at the end only, so it is called when all elements were read.
type Source interface {
	Next(dst []float64) error
	Close() error
}
