package folder

import (
	"nmu/internal/matio/internal/input"
)

// Open starts reading the elements row by row.
func (s *Stack) Open() (input.Source, error) {
	r := &stackSource{s: s, width: min(s.cols, stackChunk)}
	r.height = min(stackChunk/max(1, r.width), s.f.Rows)
	var err error
	r.buf, err = input.Alloc[float64](s.f, int64(r.width)*int64(r.height))
	return r, err
}

// stackChunk is how many elements of a stack are read at once.
const stackChunk = 1 << 18

// stackSource delivers the elements of a stack, several rows at a time, or pieces of a long
// row.
type stackSource struct {
	s             *Stack
	row, col      int // where to go on
	height, width int // of what is read at once
	buf           []float64
	rest          []float64 // of buf, not yet delivered
}

func (s *stackSource) Next(dst []float64) error {
	for len(dst) > 0 {
		if len(s.rest) == 0 {
			b := input.Block{I0: s.row, I1: min(s.row+s.height, s.s.f.Rows), J0: s.col, J1: min(s.col+s.width, s.s.cols)}
			s.rest = s.buf[:b.Rows()*b.Cols()]
			if err := ReadBlock(s.s, s.rest, b.Cols(), b, false, nil); err != nil {
				return err
			}
			if s.col = b.J1; s.col == s.s.cols {
				s.row, s.col = b.I1, 0
			}
		}
		n := copy(dst, s.rest)
		dst, s.rest = dst[n:], s.rest[n:]
	}
	return nil
}

func (s *stackSource) Close() error { return nil }
