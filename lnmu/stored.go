package lnmu

import (
	"fmt"
	"math"
	"unsafe"

	"nmu/lnmu/internal/dense"
	"nmu/lnmu/internal/matrix"
)

// Stored is a dense matrix that is not in memory. It is read from where it stays, such as a
// file, in parts: whole lines, the rows of a tall M (rows >= cols), the columns of a wide one,
// over which a pass goes. Its methods are called concurrently. At is for whoever looks at
// single entries: a factorization reads lines alone.
//
// Factor, FactorFrom and Continue hold a few blocks of lines for each thread, which are read
// ahead. The state of GNMU and RNMU, and the residual of RNMU, are in Settings.Scratch. The
// bits are those of M in memory. docs/combinations.md says what goes with it.
//
// An error of the reader, or of a scratch file, ends the run and is its error. TimeLimit
// and cancellation end the first reading of M, and then there are no factors, and a pass;
// what is returned then has its error from one more reading, for which as much of TimeLimit
// is kept back as the first one took.
type Stored[T Float] interface {
	Matrix[T]

	// Room returns the buffer length that ReadLines needs for so many lines, including
	// padding for the reads.
	Room(lines int) int

	// ReadLines reads lines first to last-1 and returns them, one behind the other. They
	// may lie anywhere in room, whose memory begins at a page of 4096 bytes. Slices from
	// earlier calls stay valid.
	ReadLines(room []T, first, last int) (lines []T, err error)
}

// storedSource returns the valid matrix s as a source.
func storedSource[T Float](s Stored[T]) (dense.Source[T], error) {
	rows, cols := s.Dims()
	if err := matrix.CheckDims("M", rows, cols); err != nil {
		return dense.Source[T]{}, err
	}
	if rows > math.MaxInt/cols/int(unsafe.Sizeof(T(0))) {
		return dense.Source[T]{}, fmt.Errorf("%w: M is %d x %d, more than can be counted", ErrShape, rows, cols)
	}
	return dense.Source[T]{Rows: rows, Cols: cols, Reader: s, ByColumns: cols > rows}, nil
}
