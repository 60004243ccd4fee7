package tiles

import (
	"fmt"
	"io"

	"nmu/internal/direct"
	"nmu/lnmu/internal/block"
)

// scratch is a scratch file in a directory. Reads and writes are whole pages.
type scratch struct {
	file block.File
	dir  string
}

// newScratch makes a scratch file of this size, rounded up to whole pages.
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

// damaged returns the error about contents that this process did not write.
func (s scratch) damaged(err error) error {
	return fmt.Errorf("the scratch file in %s is damaged: %w", s.dir, err)
}

// close removes the file, if there is one.
func (s *scratch) close() {
	if s.file != nil {
		_ = s.file.Close() // nobody needs its contents any more
	}
	s.file = nil
}
