package checkasm

import (
	"fmt"
	"math"
	"os"
	"unsafe"

	"nmu/internal/kernels"
	"nmu/kernel"
)

// Float is the set of element types that kernels work on.
type Float = kernel.Float

// Place is the position of a buffer in its memory.
type Place int

const (
	// End is flush against the guard page behind the data.
	End Place = -1
	// Start is flush against the guard page before the data.
	Start Place = 0
	// Offsets is the number of distinct misalignments, in elements: 0 to 15
	// covers every alignment within a 64-byte line for both precisions.
	Offsets = 16
)

// Offset returns the place k elements behind Start.
func Offset(k int) Place { return Place(k) }

// String returns end, start or +k.
func (p Place) String() string {
	switch p {
	case End:
		return "end"
	case Start:
		return "start"
	}
	return fmt.Sprintf("+%d", int(p))
}

// Buffer is a vector, or a matrix stored by rows, in guarded memory.
type Buffer[T Float] struct {
	kernels.Operand[T]     // what the kernel gets
	Want               []T // what the results must be: of an input, the same as Data

	name   string
	place  Place
	how    kernels.Access
	arena  *arena
	off    int // of Data in the space for data, in bytes
	before []T // Data as it was before the call
}

// NewBuffer returns a guarded buffer of rows x cols elements with the given stride. Elements
// are canaries until they are set, and gaps between rows are canaries. Release frees its
// memory.
func NewBuffer[T Float](name string, rows, cols, stride int, p Place) *Buffer[T] {
	if rows < 0 || cols < 0 || rows > 1 && stride < cols {
		panic(fmt.Sprintf("checkasm: buffer %s of %d x %d, stride %d", name, rows, cols, stride))
	}
	n := 0
	if rows > 0 && cols > 0 {
		n = (rows-1)*stride + cols
	}
	size := sizeOf[T]()
	b := &Buffer[T]{Operand: kernels.Operand[T]{Rows: rows, Cols: cols, Stride: stride}, name: name, place: p}
	if p == End {
		b.arena = takeArena(n * size)
		b.off = b.arena.hi - b.arena.lo - n*size
	} else {
		b.arena = takeArena((n + int(p)) * size)
		b.off = int(p) * size
	}
	b.arena.paint(0, len(b.arena.mem), size)
	b.Data = unsafe.Slice((*T)(b.arena.at(b.off)), n)
	b.Want = b.Data
	return b
}

// Release frees the memory of b. Data must not be used afterwards.
func (b *Buffer[T]) Release() {
	b.arena.release()
	b.Data, b.Want, b.arena = nil, nil, nil
}

// each calls f for every row of s, which has the layout of Data.
func (b *Buffer[T]) each(s []T, f func(row []T)) {
	if len(s) == 0 {
		return
	}
	for i := range b.Rows {
		f(s[i*b.Stride : i*b.Stride+b.Cols])
	}
}

// Snapshot records Data for Unmodified.
func (b *Buffer[T]) Snapshot() { b.before = append(b.before[:0], b.Data...) }

// Unmodified returns an error if the bits of Data have changed since Snapshot.
func (b *Buffer[T]) Unmodified() error {
	if err := Compare(b.Data, b.before, true); err != nil {
		return fmt.Errorf("%s was modified: %w", b.name, err)
	}
	return nil
}

// Canaries returns an error if a canary around Data has changed.
func (b *Buffer[T]) Canaries() error {
	size := sizeOf[T]()
	from := b.arena.lo + b.off
	to := from + len(b.Data)*size
	at := b.arena.damage(0, from, size)
	if at < 0 {
		at = b.arena.damage(to, len(b.arena.mem), size)
	}
	if at < 0 {
		return nil
	}
	return fmt.Errorf("write outside %s: canary at element %d of %d is overwritten",
		b.name, int(math.Floor(float64(at-from)/float64(size))), len(b.Data))
}

// Matches returns an error if Data differs from Want in a bit, where all NaNs are equal, or if
// a gap between rows has changed.
func (b *Buffer[T]) Matches() error {
	err := Compare(b.Data, b.Want, false)
	if err == nil && b.Rows > 1 && len(b.before) > 0 {
		for i := b.Cols; i < len(b.Data) && err == nil; i += b.Stride {
			if err = Compare(b.Data[i:i+b.Stride-b.Cols], b.before[i:i+b.Stride-b.Cols], true); err != nil {
				err = fmt.Errorf("gap behind row %d: %w", i/b.Stride, err)
			}
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", b.name, err)
	}
	return nil
}

// locate describes address p if it is within a page of Data; else it returns "". Some
// processors report only the page (s390x).
func (b *Buffer[T]) locate(p uintptr) string {
	size := sizeOf[T]()
	from := uintptr(b.arena.at(b.off))
	to := from + uintptr(len(b.Data)*size)
	page := uintptr(os.Getpagesize())
	switch {
	case p >= to && p < to+page:
		return fmt.Sprintf("%d bytes behind the end of %s", p-to, b.name)
	case p >= from && p < to:
		return fmt.Sprintf("element %d of %s", (p-from)/uintptr(size), b.name)
	case p < from && p >= from-page:
		return fmt.Sprintf("%d bytes before %s", from-p, b.name)
	}
	return ""
}

// String returns name[shape]@place.
func (b *Buffer[T]) String() string {
	if b.Rows == 1 {
		return fmt.Sprintf("%s[%d]@%v", b.name, b.Cols, b.place)
	}
	return fmt.Sprintf("%s[%dx%d/%d]@%v", b.name, b.Rows, b.Cols, b.Stride, b.place)
}
