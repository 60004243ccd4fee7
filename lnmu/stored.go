package lnmu

import (
	"fmt"
	"math"
	"unsafe"

	"nmu/internal/direct"
	"nmu/lnmu/internal/dense"
	"nmu/lnmu/internal/matrix"
)

// Reader reads a dense matrix M from where it stays, such as a file, in parts: whole
// lines, the rows of a tall M (rows >= cols), the columns of a wide one, which are what
// a pass goes over. Its methods are called concurrently.
type Reader[T Float] interface {
	Dims() (rows, cols int)

	// Room returns how many elements ReadLines needs to read so many lines: theirs, and
	// what else a file must be asked for.
	Room(lines int) int

	// ReadLines reads lines first to last-1 and returns them, one behind the other. They
	// may lie anywhere in room, whose memory begins at a page of 4096 bytes. What it
	// returned before must not change.
	ReadLines(room []T, first, last int) (lines []T, err error)
}

// Stored is a matrix that is not in memory. Factor, FactorFrom and Continue never hold
// more of it than a few blocks of lines for each thread, which are read ahead, and keep
// what else is of its size in Settings.Scratch. The bits are those that M in memory
// would lead to. All methods and options are for a Stored, but not missing entries and
// weights. Exact steps, and HALS steps in the norm L1, need whole columns of a tall M, or whole
// rows of a wide one: each such step reads M once for every 256 MiB of it.
//
// M may be the part of one of several processes: the lines are those that Share says, rows of
// a tall matrix or columns of a wide one, and all processes have their parts in files. What
// changes is in files of each process. The bits are those of one process.
//
// An error of the reader, or of a scratch file, ends the run and is its error; of several
// processes it ends all, and the error of the others wraps ErrProcess. TimeLimit and
// cancellation end the first reading of M, and then there are no factors, and a pass; what is
// returned then has its error from one more reading, for which as much of TimeLimit is kept
// back as the first one took; with exact steps from two, in the norm L1 from three. When the context of process 0 is cancelled, the other processes
// go to the end of their pass.
type Stored[T Float] struct{ Reader[T] }

// At returns entry (i, j) of a matrix that is no part, for which it reads a line. It is NaN if
// that cannot be read.
func (s Stored[T]) At(i, j int) T {
	if rows, cols := s.Dims(); rows < cols {
		i, j = j, i
	}
	line, err := s.ReadLines(direct.Make[T](s.Room(1)), i, i+1)
	if err != nil {
		return T(math.NaN())
	}
	return line[j]
}

// storedOr returns the valid matrix m as a source, which may be one that is not in memory.
func storedOr[T Float](of Matrix[T]) (dense.Source[T], error) {
	m, ok := of.(Stored[T])
	if !ok {
		return sourceOf(of)
	}
	if m.Reader == nil {
		return dense.Source[T]{}, noReader()
	}
	rows, cols := m.Dims()
	if err := matrix.CheckDims("M", rows, cols); err != nil {
		return dense.Source[T]{}, err
	}
	if err := countable[T](rows, cols); err != nil {
		return dense.Source[T]{}, err
	}
	return dense.Source[T]{Rows: rows, Cols: cols, Reader: m.Reader, ByColumns: cols > rows}.Undivided(), nil
}

// noReader is the error for a Stored without one.
func noReader() error { return fmt.Errorf("%w: the stored M has no reader", ErrShape) }

// countable returns an error for a matrix that has more bytes than an int counts.
func countable[T Float](rows, cols int) error {
	if rows > math.MaxInt/cols/int(unsafe.Sizeof(T(0))) {
		return fmt.Errorf("%w: M is %d x %d, more than can be counted", ErrShape, rows, cols)
	}
	return nil
}
