package input

import (
	"fmt"

	"nmu/internal/matio/internal/element"
	"nmu/internal/memory"
)

// MemoryError reports work that needs more memory than the limit. It
// wraps ErrTooLarge.
type MemoryError struct {
	Path  string
	What  string // the work, such as "reading it"
	Need  int64  // bytes in all, as far as is known: it may need more
	Limit int64
}

// Error says what needs how much memory.
func (e *MemoryError) Error() string {
	return fmt.Sprintf("%s: %s needs %s of memory; the limit is %s", e.Path, e.What, memory.Text(e.Need), memory.Text(e.Limit))
}

// Unwrap makes errors.Is(err, ErrTooLarge) true.
func (e *MemoryError) Unwrap() error { return ErrTooLarge }

// Fits returns a *MemoryError if work needs more bytes than the limit leaves beside the memory
// that is in use or reserved.
func (f *File) Fits(bytes int64, work string) error {
	if bytes <= f.Left() {
		return nil
	}
	return &MemoryError{Path: f.Path, What: f.part + work, Need: element.Plus(f.Used, bytes), Limit: f.Limit}
}

// Reserve is Fits, and counts the bytes as used from now on.
func (f *File) Reserve(bytes int64, work string) error {
	if err := f.Fits(bytes, work); err != nil {
		return err
	}
	f.Used += bytes
	return nil
}

// Left returns how many bytes of the limit are neither in use nor reserved.
func (f *File) Left() int64 { return f.Limit - f.Used }

// Reading is the name of the readers' work in messages.
const Reading = "reading it"

// Scratch returns a function that releases what was reserved since the call of Scratch, except
// for the given number of bytes, which are kept.
func (f *File) Scratch() (keep func(bytes int64)) {
	used := f.Used
	return func(bytes int64) { f.Used = used + bytes }
}

// Alloc returns a slice of n elements. It returns an error if that exceeds the limit or what
// the runtime grants. The caller has checked that the file justifies n.
func Alloc[E any](f *File, n int64) (s []E, err error) {
	if err := f.Reserve(element.SizeOf[E](n), Reading); err != nil {
		return nil, err
	}
	defer func() {
		// make panics if n exceeds the address space. On 32 bits a valid file may do that.
		if recover() != nil {
			err = f.TooLarge("%d elements do not fit in memory", n)
		}
	}()
	if int64(int(n)) != n {
		return nil, f.TooLarge("%d elements do not fit in memory", n)
	}
	return memory.HugePages(make([]E, n)), nil
}

// Grown returns s with room for k more elements. The first time it makes room for guess
// elements, then it doubles the room, up to most. The old array stays reserved, because the
// garbage collector frees it later.
func Grown[E any](f *File, s []E, k int, guess, most int64) ([]E, error) {
	if cap(s)-len(s) >= k {
		return s, nil
	}
	n := max(min(max(2*int64(cap(s)), guess), most), int64(len(s)+k))
	t, err := Alloc[E](f, n)
	if err != nil {
		return nil, err
	}
	return t[:copy(t, s)], nil
}
