package input

import (
	"fmt"
	"math"

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

// Fits returns a *MemoryError if work needs more bytes, beside what was read and
// reserved, than the limit leaves.
func (f *File) Fits(bytes int64, work string) error {
	if bytes <= f.Left() {
		return nil
	}
	need := int64(math.MaxInt64)
	if bytes < need-f.Used {
		need = f.Used + bytes
	}
	return &MemoryError{Path: f.Path, What: f.part + work, Need: need, Limit: f.Limit}
}

// Reserve is Fits, and counts the bytes as used from now on.
func (f *File) Reserve(bytes int64, work string) error {
	if err := f.Fits(bytes, work); err != nil {
		return err
	}
	f.Used += bytes
	return nil
}

// Left returns how many bytes of the limit are left beside what was read
// and reserved.
func (f *File) Left() int64 { return f.Limit - f.Used }

// Reading is the work of the readers, for messages.
const Reading = "reading it"

// Scratch forgets, when the function that it returns is called, what was reserved
// since, but for the elements that are then kept.
func (f *File) Scratch() (keep func(bytes int64)) {
	used := f.Used
	return func(bytes int64) { f.Used = used + bytes }
}

// Alloc returns a slice of n elements, or an error where that is more than the
// limit or than the runtime grants. It is called for sizes that the file was
// found to justify.
func Alloc[E any](f *File, n int64) (s []E, err error) {
	if err := f.Reserve(element.SizeOf[E](n), Reading); err != nil {
		return nil, err
	}
	defer func() {
		// make panics if n exceeds the address space, which on 32 bits a
		// real file may well do.
		if recover() != nil {
			err = f.TooLarge("%d elements do not fit in memory", n)
		}
	}()
	if int64(int(n)) != n {
		return nil, f.TooLarge("%d elements do not fit in memory", n)
	}
	return make([]E, n), nil
}

// Grown returns s with room for k more elements. The first time it makes room for
// guess elements, then doubles it, up to most. What is moved stays reserved: it
// is freed at some later time.
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
