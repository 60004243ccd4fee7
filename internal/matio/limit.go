package matio

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"unsafe"

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
func (f *File) Fits(bytes int64, work string) error {
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
func (f *File) Reserve(bytes int64, work string) error {
	if err := f.Fits(bytes, work); err != nil {
		return err
	}
	f.used += bytes
	return nil
}

// Left returns how many bytes of Options.MaxMemory are left beside what was read
// and reserved.
func (f *File) Left() int64 { return f.limit - f.used }

// reading is the work of the readers, for messages.
const reading = "reading it"

// scratch forgets, when the function that it returns is called, what was reserved
// since, but for the elements that are then kept.
func (f *File) scratch() (keep func(bytes int64)) {
	used := f.used
	return func(bytes int64) { f.used = used + bytes }
}

// sizeOf returns the size of n elements, at most math.MaxInt64.
func sizeOf[E any](n int64) int64 {
	var zero E
	if b, ok := mul(n, int64(unsafe.Sizeof(zero))); ok {
		return b
	}
	return math.MaxInt64
}

// alloc returns a slice of n elements, or an error where that is more than the
// limit or than the runtime grants. It is called for sizes that the file was
// found to justify.
func alloc[E any](f *File, n int64) (s []E, err error) {
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
func grown[E any](f *File, s []E, k int, guess, most int64) ([]E, error) {
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

// directory is a zip file. While its directory is read, for each byte of which
// archive/zip keeps directoryBytes, the memory is watched.
type directory struct {
	f    *File
	r    io.ReaderAt
	n    int64 // bytes read
	done bool  // what is read now are members
}

const directoryBytes = 12

func (d *directory) ReadAt(b []byte, off int64) (int, error) {
	if d.done {
		return d.r.ReadAt(b, off)
	}
	if err := d.f.Fits(d.n*directoryBytes, "its list of members"); err != nil {
		return 0, err
	}
	n, err := d.r.ReadAt(b, off)
	d.n += int64(n)
	return n, err
}

// meter is a stream of text of which a record grows in memory until numbers are
// made of it: the stream ends with an error where one outgrows the memory.
type meter struct {
	f     *File
	r     io.Reader
	comma byte  // what separates cells
	need  int64 // bytes of memory for what was read since the last record
}

const (
	// recordBytes is what encoding/csv takes for one byte of a record, with what
	// slices leave behind as they grow: the line, its text without quotes, a string.
	recordBytes = 12
	// cellBytes is what it takes for a cell beside its bytes: a string, a place in
	// the text and one in the line.
	cellBytes = 200
	// recordFloor is taken without asking: what is buffered, and short comments.
	recordFloor = 1 << 21
)

func (m *meter) Read(b []byte) (int, error) {
	if m.need > recordFloor {
		if err := m.f.Fits(m.need, "a line of it"); err != nil {
			return 0, err
		}
	}
	n, err := m.r.Read(b)
	m.need += recordBytes * int64(n)
	if m.comma != 0 {
		m.need += cellBytes * int64(bytes.Count(b[:n], []byte{m.comma}))
	}
	return n, err
}
