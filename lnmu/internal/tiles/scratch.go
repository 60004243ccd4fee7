package tiles

import (
	"fmt"
	"io"

	"nmu/internal/direct"
	"nmu/lnmu/internal/block"
)

// scratch is a scratch file in a folder. What is read and written are whole pages.
type scratch struct {
	file block.File
	dir  string
}

// newScratch makes a scratch file for so many bytes.
func newScratch(dir string, size int64) (scratch, error) {
	f, err := block.NewScratch(dir, direct.RoundUp(max(size, 1)))
	return scratch{f, dir}, err
}

// read fills p from the file.
func (s scratch) read(p []byte, offset int64) error {
	n, err := s.file.ReadAt(p, offset)
	if err == nil && n < len(p) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("reading the scratch file in %s: %w", s.dir, err)
	}
	return nil
}

// write writes p to the file.
func (s scratch) write(p []byte, offset int64) error {
	if err := s.file.WriteAt(p, offset); err != nil {
		return fmt.Errorf("writing the scratch file in %s: %w", s.dir, err)
	}
	return nil
}

// damaged says that others have written to the file.
func (s scratch) damaged(err error) error {
	return fmt.Errorf("the scratch file in %s is damaged: %w", s.dir, err)
}

// close removes the file, if there is one.
func (s *scratch) close() {
	if s.file != nil {
		_ = s.file.Close() // what it holds is of no use any more
	}
	s.file = nil
}
