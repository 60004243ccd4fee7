package matio

import (
	"fmt"
	"math"

	"nmu/internal/memory"
)

// MemoryError reports work that needs more memory than Options.MaxMemory. It
// wraps ErrTooLarge.
type MemoryError struct {
	Path  string
	What  string // the work, such as "reading it"
	Need  int64  // bytes in all, as far as is known: it may need more
	Limit int64
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("%s: %s needs %s of memory; the limit is %s", e.Path, e.What, memory.Text(e.Need), memory.Text(e.Limit))
}

// Unwrap makes errors.Is(err, ErrTooLarge) true.
func (e *MemoryError) Unwrap() error { return ErrTooLarge }

// Fits returns a *MemoryError if work needs more bytes, beside what was read and
// reserved, than Options.MaxMemory leaves.
func (f *input) Fits(bytes int64, work string) error {
	if bytes <= f.Left() {
		return nil
	}
	need := int64(math.MaxInt64)
	if bytes < need-f.used {
		need = f.used + bytes
	}
	return &MemoryError{Path: f.path, What: f.part + work, Need: need, Limit: f.limit}
}

// Reserve is Fits, and counts the bytes as used from now on.
func (f *input) Reserve(bytes int64, work string) error {
	if err := f.Fits(bytes, work); err != nil {
		return err
	}
	f.used += bytes
	return nil
}

// Left returns how many bytes of Options.MaxMemory are left beside what was read
// and reserved.
func (f *input) Left() int64 { return f.limit - f.used }

// reading is the work of the readers, for messages.
const reading = "reading it"

// scratch forgets, when the function that it returns is called, what was reserved
// since, but for the elements that are then kept.
func (f *input) scratch() (keep func(bytes int64)) {
	used := f.used
	return func(bytes int64) { f.used = used + bytes }
}

// alloc returns a slice of n elements, or an error where that is more than the
// limit or than the runtime grants. It is called for sizes that the file was
// found to justify.
func alloc[E any](f *input, n int64) (s []E, err error) {
	if err := f.Reserve(sizeOf[E](n), reading); err != nil {
		return nil, err
	}
	defer func() {
		// make panics if n exceeds the address space, which on 32 bits a
		// real file may well do.
		if recover() != nil {
			err = f.tooLarge("%d elements do not fit in memory", n)
		}
	}()
	if int64(int(n)) != n {
		return nil, f.tooLarge("%d elements do not fit in memory", n)
	}
	return make([]E, n), nil
}

// grown returns s with room for k more elements. The first time it makes room for
// guess elements, then doubles it, up to most. What is moved stays reserved: it
// is freed at some later time.
func grown[E any](f *input, s []E, k int, guess, most int64) ([]E, error) {
	if cap(s)-len(s) >= k {
		return s, nil
	}
	n := max(min(max(2*int64(cap(s)), guess), most), int64(len(s)+k))
	t, err := alloc[E](f, n)
	if err != nil {
		return nil, err
	}
	return t[:copy(t, s)], nil
}
