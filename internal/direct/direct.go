// Package direct reads and writes files past the memory that the system keeps of them:
// what is read once in each pass over a file larger than memory is not worth keeping, and
// to keep it costs a copy and most of the speed of the disk.
//
//	disk --O_DIRECT--> aligned block of this process
//
// Linux does that by a flag, which wants blocks, offsets and addresses that are multiples
// of Page. Where the system or the file system has no such thing, the same calls go the
// usual way.
package direct

import (
	"errors"
	"fmt"
	"io"
	"os"
	"unsafe"

	"nmu/internal/regular"
)

// Page is what addresses, offsets and lengths must be multiples of.
const Page = 4096

// RoundUp returns the least multiple of Page that is at least n.
func RoundUp(n int64) int64 { return (n + Page - 1) / Page * Page }

// Make returns n zeros of memory that begin at a page, and whose capacity ends at one.
func Make[T float32 | float64](n int) []T {
	var zero T
	size := int(unsafe.Sizeof(zero))
	whole := int(RoundUp(int64(n*size))) / size
	data := make([]T, whole+Page/size)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(data)))%Page) / size
	return data[skip : skip+n : skip+whole]
}

// Bytes returns the memory of x, whose capacity it has as well.
func Bytes[T float32 | float64](x []T) []byte {
	size := int(unsafe.Sizeof(*new(T)))
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), cap(x)*size)[:len(x)*size]
}

// File is a file that is read, and a scratch file written as well. Its methods may be
// called concurrently, but for Close.
type File struct {
	file *os.File // opened to go past the system's memory
	// The same, the usual way, for what the file system refuses otherwise; of a file to
	// be read it may be nil.
	plain  *os.File
	remove string // when it is closed
}

// Open opens a file to be read.
func Open(path string) (*File, error) {
	plain, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	file, err := regular.OpenFile(path, bypass)
	if err != nil {
		file = nil
	}
	return &File{file: file, plain: plain}, nil
}

// Stat returns what the system says of the file.
func (f *File) Stat() (os.FileInfo, error) { return f.plain.Stat() }

// Scratch makes a file of the given size in a folder, or reports that there is no room
// for it. Its name is gone at once where the system allows that, so that nothing is left
// of it however the process ends.
func Scratch(dir string, size int64) (*File, error) {
	plain, err := os.CreateTemp(dir, ".nmu-scratch-*")
	if err != nil {
		return nil, err
	}
	f := &File{plain: plain, remove: plain.Name()}
	if f.file, err = os.OpenFile(f.remove, os.O_RDWR|bypass, 0); err != nil {
		f.file = nil
	} else if !same(f.file, plain) { // in a folder of everybody
		f.file.Close()
		f.file = nil
	}
	if unlinked && os.Remove(f.remove) == nil {
		f.remove = ""
	}
	if err := reserve(plain, size); err != nil {
		f.Close()
		return nil, fmt.Errorf("a scratch file of %d bytes in %s: %w", size, dir, err)
	}
	return f, nil
}

// same reports whether two open files are one.
func same(a, b *os.File) bool {
	x, err := a.Stat()
	if err != nil {
		return false
	}
	y, err := b.Stat()
	return err == nil && os.SameFile(x, y)
}

// Close closes the file; a scratch file is gone then.
func (f *File) Close() error {
	if f == nil {
		return nil
	}
	var err error
	for _, file := range []*os.File{f.file, f.plain} {
		if file != nil {
			err = errors.Join(err, file.Close())
		}
	}
	if f.remove != "" {
		err = errors.Join(err, os.Remove(f.remove))
	}
	return err
}

// ReadAt fills p, whose address, length and offset are multiples of Page, and returns how
// much the file had: less than all of it is no error.
func (f *File) ReadAt(p []byte, offset int64) (n int, err error) {
	if f.file != nil {
		n, err = f.file.ReadAt(p, offset)
	}
	if f.file == nil || refused(err) {
		n, err = f.plain.ReadAt(p, offset)
	}
	if err == io.EOF {
		err = nil
	}
	return n, err
}

// WriteAt writes p, whose address, length and offset are multiples of Page.
func (f *File) WriteAt(p []byte, offset int64) (err error) {
	if f.file != nil {
		_, err = f.file.WriteAt(p, offset)
	}
	if f.file == nil || refused(err) {
		_, err = f.plain.WriteAt(p, offset)
	}
	return err
}
