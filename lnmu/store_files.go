package lnmu

import (
	"fmt"
	"io"
	"unsafe"

	"nmu/internal/direct"
)

// What a store moves between memory and files.

// scratchFile is a file for what is kept beside M.
type scratchFile interface {
	ReadAt(p []byte, offset int64) (n int, err error)
	WriteAt(p []byte, offset int64) error
	Close() error
}

// newScratch makes a scratch file. Tests put one in its place that fails.
var newScratch = func(dir string, size int64) (scratchFile, error) {
	f, err := direct.Scratch(dir, size)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// readRows reads what a phase needs of a chunk.
func (d *store[T]) readRows(s *chunkOf[T]) error {
	for which, use := range d.use {
		if use&reads == 0 {
			continue
		}
		if err := d.read(s, which); err != nil {
			return err
		}
	}
	return nil
}

// read fills what a chunk has of M or N.
func (d *store[T]) read(s *chunkOf[T], which int) error {
	x := &s.x[which]
	if which == ofM && !d.left {
		lines, err := d.reader.ReadLines(s.rooms[ofM], s.first, s.last)
		if err == nil && len(lines) != x.Rows*x.Cols {
			err = fmt.Errorf("%w: the reader of M has read %d numbers, not %d", ErrShape, len(lines), x.Rows*x.Cols)
		}
		if err != nil {
			return fmt.Errorf("reading M: %w", err)
		}
		x.Data = lines
		return nil
	}
	want := len(x.Data) * int(unsafe.Sizeof(T(0)))
	n, err := d.files[which].ReadAt(d.bytes(s, which), d.offset(s))
	if err == nil && n < want {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("reading the scratch file in %s: %w", d.scratch, err)
	}
	return nil
}

// putRows writes what has changed in a chunk.
func (d *store[T]) putRows(s *chunkOf[T]) error {
	for which, use := range d.use {
		if use&writes == 0 {
			continue
		}
		if data := s.x[which].Data; unsafe.SliceData(data) != unsafe.SliceData(s.rooms[which]) {
			copy(s.rooms[which], data) // a reader may leave them anywhere
		}
		if err := d.files[which].WriteAt(d.bytes(s, which), d.offset(s)); err != nil {
			return fmt.Errorf("writing the scratch file in %s: %w", d.scratch, err)
		}
	}
	return nil
}

// bytes returns the whole pages of memory of what a chunk has.
func (d *store[T]) bytes(s *chunkOf[T], which int) []byte {
	b := direct.Bytes(s.rooms[which])
	return b[:direct.RoundUp(int64(len(s.x[which].Data))*int64(unsafe.Sizeof(T(0))))]
}

// offset returns where a chunk is in its file.
func (d *store[T]) offset(s *chunkOf[T]) int64 {
	slab := s.first / d.slabRows
	return int64(slab*d.perSlab+s.first%d.slabRows/d.chunkRows) * d.chunkSize()
}
