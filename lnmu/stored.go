package lnmu

import (
	"fmt"
	"math"
)

// StoredFrom returns a rows x cols dense matrix that is not in memory, but in a file, for example. It is
// read by whole lines: the rows of a tall M (rows >= cols), the columns of a wide one. The function writes a
// line, counted from 0, to the slice that it is given. It may be called concurrently.
//
// Factor, FactorFrom and Continue hold a few blocks of lines for each thread, which are read
// ahead. The state of GNMU and RNMU, and the residual of RNMU, are in Settings.Scratch. The
// bits are those of M in memory. Exact steps, and HALS steps in the norm L1, need whole columns
// of a tall M, or whole rows of a wide one: each such step reads M once for every 256 MiB of it.
//
// In the part of a process, the lines are those of the part, and all processes have their parts in files.
// Each has scratch files of its own.
//
// An error of the reader, or of a scratch file, ends the run and is its error. It ends all
// processes, and the error of the others wraps ErrProcess. TimeLimit and cancellation end the
// first reading of M, and then there are no factors, or a pass. The error of the result then
// comes from one more reading, for which TimeLimit reserves the time of the first one; with exact
// steps from two, and in the norm L1 from three. When
// the context of process 0 is cancelled, the other processes end with their pass.
func StoredFrom[T Float](rows, cols int, read func(line int, to []T) error) Matrix[T] {
	return lines[T]{rows, cols, read}
}

// storedDense is what StoredFrom returns. It is public by its methods, which the readers of files have as well.
// They are called concurrently. A factorization reads lines only; At is for other callers.
type storedDense[T Float] interface {
	Matrix[T]

	// Room returns the buffer length that ReadLines needs for so many lines, including
	// padding for the reads.
	Room(lines int) int

	// ReadLines reads lines first to last-1 and returns them, one behind the other. They may
	// begin anywhere in room, which is aligned to a page of 4096 bytes. Slices from earlier
	// calls stay valid.
	ReadLines(room []T, first, last int) (lines []T, err error)
}

type lines[T Float] struct {
	rows, cols int
	read       func(line int, to []T) error
}

func (l lines[T]) Dims() (rows, cols int) { return l.rows, l.cols }

func (l lines[T]) width() int { return min(l.rows, l.cols) }

// At returns entry (i, j). It is NaN if that cannot be read.
func (l lines[T]) At(i, j int) T {
	if l.rows < l.cols {
		i, j = j, i
	}
	line := make([]T, l.width())
	if l.read(i, line) != nil {
		return T(math.NaN())
	}
	return line[j]
}

func (l lines[T]) Room(lines int) int { return lines * l.width() }

func (l lines[T]) ReadLines(room []T, first, last int) ([]T, error) {
	n := l.width()
	for i := first; i < last; i++ {
		if err := l.read(i, room[(i-first)*n:][:n:n]); err != nil {
			return nil, fmt.Errorf("line %d of M: %w", i+1, err)
		}
	}
	return room[:(last-first)*n], nil
}
