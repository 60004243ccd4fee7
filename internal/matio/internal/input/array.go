package input

import (
	"io"

	"nmu/internal/matio/internal/element"
)

// MaxInflate is the largest number of bytes that one deflated byte expands to: at best two bits
// stand for 258 bytes.
const MaxInflate = 1032

// Array is an array of Len elements. Uncompressed ones are in the file from byte Offset, or are delivered by Reader.
type Array struct {
	File   *File
	Type   element.Type
	Offset int64
	Len    int64
	Dims   int         // number of dimensions of a NumPy or HDF5 array, else 0
	Reader io.ReaderAt // delivers the bytes; nil if they are in the file of File

	Inflated func(first int64) (*Numbers, error) // starts reading compressed elements; nil for others
	Claim    func() error                        // checks that the elements are there; nil if Open has done so
}

// Bytes returns the reader of the elements.
func (a *Array) Bytes() io.ReaderAt {
	if a.Reader != nil {
		return a.File.Endable(a.Reader)
	}
	return a.File
}

// Verify checks that the elements are there, unless the file's opening has done so.
func (a *Array) Verify() error {
	if a.Claim == nil {
		return nil
	}
	return a.Claim()
}

// Open implements Dense.
func (a *Array) Open() (Source, error) {
	if err := a.Verify(); err != nil {
		return nil, err
	}
	return a.From(0)
}

// From starts reading at element first.
func (a *Array) From(first int64) (*Numbers, error) {
	if a.Inflated != nil {
		return a.Inflated(first)
	}
	size := int64(a.Type.Size)
	off := a.Offset + first*size
	return &Numbers{File: a.File, Type: a.Type, Source: io.NewSectionReader(a.Bytes(), off, (a.Len-first)*size), Offset: off}, nil
}

// Numbers reads the elements of an array from Source.
type Numbers struct {
	File   *File
	Type   element.Type
	Source io.Reader
	Offset int64        // for messages: byte of the file, or of the data once inflated
	Done   func() error // checks the end, may be nil
	buf    []byte
}

// Chunk is how many elements are read at once.
const Chunk = 8192

// Bytes returns the next n elements, n <= Chunk. They are valid until the next call.
func (s *Numbers) Bytes(n int) ([]byte, error) {
	if n *= s.Type.Size; cap(s.buf) < n {
		s.buf = make([]byte, n)
	}
	b := s.buf[:n]
	k, err := io.ReadFull(s.Source, b)
	s.Offset += int64(k)
	if err != nil {
		return nil, s.File.ReadError(s.Offset, err)
	}
	return b, nil
}

// Next reads the next elements as float64.
func (s *Numbers) Next(dst []float64) error {
	for len(dst) > 0 {
		n := min(Chunk, len(dst))
		b, err := s.Bytes(n)
		if err != nil {
			return err
		}
		s.Type.Floats(dst[:n], b)
		dst = dst[n:]
	}
	return nil
}

// Close checks the end of the data, if Done is set.
func (s *Numbers) Close() error {
	if s.Done == nil {
		return nil
	}
	return s.Done()
}

// Implausible says whether data of size bytes, deflated to packed bytes, must be inflated once
// before memory for them is allocated.
func Implausible(size, packed int64) bool { return size > 1<<16 && size/8 > packed }
