package kerneltest

import (
	"fmt"
	"math"
	"os"
	"unsafe"

	"nmu/internal/checkasm"
	"nmu/kernel"
)

// place is the position of a buffer in its memory, in elements behind start.
type place int

const (
	// end is flush against the guard page behind the data.
	end place = -1
	// start is flush against the guard page before the data.
	start place = 0
	// offsets is the number of distinct misalignments, in elements: 0 to 15
	// covers every alignment within a 64-byte line for both precisions.
	offsets = 16
)

// String returns end, start or +k.
func (p place) String() string {
	switch p {
	case end:
		return "end"
	case start:
		return "start"
	}
	return fmt.Sprintf("+%d", int(p))
}

// buffer is a vector, or a matrix stored by rows, in guarded memory.
type buffer[T kernel.Float] struct {
	operand[T]     // what the kernel gets
	want       []T // what the results must be: of an input, the same as Data

	name   string
	place  place
	how    access
	arena  *arena
	off    int          // of Data in the space for data, in bytes
	before []T          // Data as it was before the call
	bits   *kernel.Bits // the mask, if the buffer has its bytes
}

// newBuffer returns a guarded buffer of rows x cols elements with the given stride. Elements
// are canaries until they are set, and gaps between rows are canaries. release frees its
// memory.
func newBuffer[T kernel.Float](name string, rows, cols, stride int, p place) *buffer[T] {
	n := 0
	if rows > 0 && cols > 0 {
		n = (rows-1)*stride + cols
	}
	size := sizeOf[T]()
	b := &buffer[T]{operand: operand[T]{Rows: rows, Cols: cols, Stride: stride}, name: name, place: p}
	if p == end {
		b.arena = takeArena(n * size)
		b.off = b.arena.hi - b.arena.lo - n*size
	} else {
		b.arena = takeArena((n + int(p)) * size)
		b.off = int(p) * size
	}
	b.arena.paint(0, len(b.arena.mem), size)
	b.Data = unsafe.Slice((*T)(b.arena.at(b.off)), n)
	b.want = b.Data
	return b
}

// release frees the memory of b. Data must not be used afterwards.
func (b *buffer[T]) release() {
	b.arena.release()
	b.Data, b.want, b.arena = nil, nil, nil
}

// each calls f for every row of s, which has the layout of Data.
func (b *buffer[T]) each(s []T, f func(row []T)) {
	if len(s) == 0 {
		return
	}
	for i := range b.Rows {
		f(s[i*b.Stride : i*b.Stride+b.Cols])
	}
}

// unmodified returns an error if the bits of Data have changed.
func (b *buffer[T]) unmodified() error {
	if err := checkasm.Compare(b.Data, b.before, true); err != nil {
		return fmt.Errorf("%s was modified: %w", b.name, err)
	}
	return nil
}

// canaries returns an error if a canary around Data has changed.
func (b *buffer[T]) canaries() error {
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

// matches returns an error if Data differs from want in a bit, where all NaNs are equal, or if
// a gap between rows has changed.
func (b *buffer[T]) matches() error {
	err := checkasm.Compare(b.Data, b.want, false)
	if err == nil && b.Rows > 1 && len(b.before) > 0 {
		for i := b.Cols; i < len(b.Data) && err == nil; i += b.Stride {
			if err = checkasm.Compare(b.Data[i:i+b.Stride-b.Cols], b.before[i:i+b.Stride-b.Cols], true); err != nil {
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
func (b *buffer[T]) locate(p uintptr) string {
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
func (b *buffer[T]) String() string {
	if b.Rows == 1 {
		return fmt.Sprintf("%s[%d]@%v", b.name, b.Cols, b.place)
	}
	return fmt.Sprintf("%s[%dx%d/%d]@%v", b.name, b.Rows, b.Cols, b.Stride, b.place)
}

// sizeOf returns the bytes of an element.
func sizeOf[T kernel.Float]() int {
	var t T
	return int(unsafe.Sizeof(t))
}
