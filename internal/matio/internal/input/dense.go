package input

// Dense is the stored elements of a dense matrix.
type Dense interface {
	// Open starts reading from the first element. If the file claims much more than it holds, it checks that the
	// elements are there.
	Open() (Source, error)
}

// Source is a sequence of elements. Next fills dst. Close checks the end of the data, so it is
// called after all elements were read.
type Source interface {
	Next(dst []float64) error
	Close() error
}

// Pieces is a Source of what Load returns, piece after piece. A piece stays valid until the next call.
type Pieces struct {
	Load func() ([]float64, error)
	rest []float64 // of the last piece, not yet delivered
}

// Next implements Source.
func (s *Pieces) Next(dst []float64) error {
	for len(dst) > 0 {
		if len(s.rest) == 0 {
			piece, err := s.Load()
			if err != nil {
				return err
			}
			s.rest = piece
		}
		n := copy(dst, s.rest)
		dst, s.rest = dst[n:], s.rest[n:]
	}
	return nil
}

// Close implements Source.
func (s *Pieces) Close() error { return nil }
