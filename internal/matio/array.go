package matio

import (
	"io"
)

// maxInflate bounds how many bytes one deflated byte expands to: at best two
// bits stand for 258 bytes.
const maxInflate = 1032

// plainArray is n elements that lie in the file as they are, from byte off.
type plainArray struct {
	f    *input
	dt   dtype
	off  int64
	n    int64
	dims int // of an array of NumPy, else 0
}

func (a *plainArray) verify() error { return nil } // Open compared with the size of the file

func (a *plainArray) open() (source, error) { return a.numbers() }

func (a *plainArray) count() int64 { return a.n }

func (a *plainArray) elements() dtype { return a.dt }

func (a *plainArray) numbers() (*numbers, error) { return a.from(0), nil }

// from starts reading the elements from the given one on.
func (a *plainArray) from(first int64) *numbers {
	size := int64(a.dt.size)
	off := a.off + first*size
	return &numbers{f: a.f, dt: a.dt, r: io.NewSectionReader(a.f.file, off, (a.n-first)*size), off: off}
}

// numbers is the source of elements of type dt that r delivers.
type numbers struct {
	f    *input
	dt   dtype
	r    io.Reader
	off  int64        // for messages: byte of the file, or of the data once inflated
	done func() error // checks the end, may be nil
	buf  []byte
}

// chunk is how many elements are read at once.
const chunk = 8192

// bytes returns the next n elements, n <= chunk.
func (s *numbers) bytes(n int) ([]byte, error) {
	if s.buf == nil {
		s.buf = make([]byte, chunk*s.dt.size)
	}
	b := s.buf[:n*s.dt.size]
	k, err := io.ReadFull(s.r, b)
	s.off += int64(k)
	if err != nil {
		return nil, s.f.readError(s.off, err)
	}
	return b, nil
}

func (s *numbers) next(dst []float64) error {
	for len(dst) > 0 {
		n := min(chunk, len(dst))
		b, err := s.bytes(n)
		if err != nil {
			return err
		}
		s.dt.floats(dst[:n], b)
		dst = dst[n:]
	}
	return nil
}

// eachInt calls do for the next n elements, which are integers.
func (s *numbers) eachInt(n int64, do func(i int, v int64) error) error {
	var v [chunk]int64
	for i := int64(0); i < n; {
		k := int(min(chunk, n-i))
		b, err := s.bytes(k)
		if err != nil {
			return err
		}
		s.dt.ints(v[:k], b)
		for j, x := range v[:k] {
			if err := do(int(i)+j, x); err != nil {
				return err
			}
		}
		i += int64(k)
	}
	return nil
}

func (s *numbers) close() error {
	if s.done == nil {
		return nil
	}
	return s.done()
}

// array is one of the arrays that make up a sparse matrix.
type array interface {
	count() int64    // of its elements
	elements() dtype // their type
	verify() error
	numbers() (*numbers, error)
}

// dense is the stored elements of a dense matrix.
type dense interface {
	// verify makes sure that the elements are there as far as that is not known.
	verify() error
	// open starts reading from the first element.
	open() (source, error)
}

// source is a sequence of elements. next fills dst. close also checks what can
// be checked at the end only, so it is called when all elements were read.
type source interface {
	next(dst []float64) error
	close() error
}
