package block

import (
	"fmt"
	"io"

	"nmu/internal/direct"
)

// File is a scratch file.
type File interface {
	ReadAt(p []byte, offset int64) (n int, err error)
	WriteAt(p []byte, offset int64) error
	Close() error
}

// NewScratch makes a scratch file of this size in a directory. Tests replace it by a file that
// fails.
var NewScratch = func(dir string, size int64) (File, error) {
	f, err := direct.Scratch(dir, size)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Scratch is a scratch file in a directory. Reads and writes are whole pages.
type Scratch struct {
	file File
	dir  string
}

// MakeScratch makes a scratch file of this size, rounded up to whole pages.
func MakeScratch(dir string, size int64) (Scratch, error) {
	f, err := NewScratch(dir, direct.RoundUp(max(size, 1)))
	return Scratch{f, dir}, err
}

// Read fills p from the file.
func (s Scratch) Read(p []byte, offset int64) error {
	n, err := s.file.ReadAt(p, offset)
	if err == nil && n < len(p) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("reading the scratch file in %s: %w", s.dir, err)
	}
	return nil
}

// Write writes p to the file.
func (s Scratch) Write(p []byte, offset int64) error {
	if err := s.file.WriteAt(p, offset); err != nil {
		return fmt.Errorf("writing the scratch file in %s: %w", s.dir, err)
	}
	return nil
}

// Damaged returns the error about contents that this process did not write.
func (s Scratch) Damaged(err error) error {
	return fmt.Errorf("the scratch file in %s is damaged: %w", s.dir, err)
}

// Close removes the file, if there is one.
func (s *Scratch) Close() {
	if s.file != nil {
		_ = s.file.Close() // nobody needs its contents any more
	}
	s.file = nil
}

// The chunks of each member: enough to keep a disk busy that serves many requests at once,
// and little beside the factors. They change no bits. Tests set them. Not measured.
var (
	ChunkBytes  = 2 << 20 // bytes of a chunk
	SlotsOfEach = 4       // chunks of a member in memory
)

// The columns that are read of a matrix by rows. They change no bits. Not measured.
const (
	panelChunks = 128 // chunks that a panel of columns fills at most (256 MiB), unless one column is larger
	Together    = 8   // columns that are copied together: a cache line of float64
)
