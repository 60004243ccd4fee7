// Package direct reads and writes files past the file cache of the system. Passes over a file
// larger than memory do not profit from the cache. Copying to it costs most of the speed of the
// disk.
//
//	disk --O_DIRECT--> aligned block of this process
//
// On Linux O_DIRECT does this. It requires addresses, offsets and lengths that are multiples of
// Page. On other systems, and on file systems without it, the same calls use the cache.
package direct

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"unsafe"

	"nmu/internal/regular"
)

// Page is the alignment of addresses, offsets and lengths, in bytes.
const Page = 4096

// RoundUp returns the least multiple of Page that is at least n.
func RoundUp(n int64) int64 { return (n + Page - 1) / Page * Page }

// Make returns n zeros that begin at a multiple of Page. The capacity ends at a multiple of
// Page.
func Make[T float32 | float64](n int) []T {
	var zero T
	size := int(unsafe.Sizeof(zero))
	whole := int(RoundUp(int64(n*size))) / size
	data := make([]T, whole+Page/size)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(data)))%Page) / size
	return data[skip : skip+n : skip+whole]
}

// Bytes returns the memory of x, with its whole capacity, as bytes.
func Bytes[T float32 | float64](x []T) []byte {
	size := int(unsafe.Sizeof(*new(T)))
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), cap(x)*size)[:len(x)*size]
}

// File is a file for reading, or a scratch file for reading and writing. Its methods except
// Close may be called concurrently.
type File struct {
	file *os.File // opened to go past the system's memory
	// The same file with the cache, for operations that the file system refuses without it. It
	// may be nil for reading.
	plain  *os.File
	folder string   // of a scratch file, for messages
	home   *os.Root // this folder, if the file has a name in it until it is closed
	name   string   // in home
}

// Open opens a file for reading.
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

// Stat returns the system's information on the file.
func (f *File) Stat() (os.FileInfo, error) { return f.plain.Stat() }

// Scratch creates a scratch file of the given size in dir, or in the system's folder for temporary files
// if dir is empty. It returns an error if there is no room. If the system allows that, the name is removed
// at once, so that a killed process leaves no file.
//
// The file is created, opened once more and removed through one open folder: if another user replaces
// dir or a folder above it meanwhile, nothing there is opened or removed. Each file opens dir itself, so
// that later ones may be in the folder that has replaced it. They are new files there, and without names.
func Scratch(dir string, size int64) (_ *File, err error) {
	dir = cmp.Or(dir, os.TempDir())
	f := &File{folder: dir}
	if f.home, err = os.OpenRoot(dir); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	name, err := f.create()
	if err != nil {
		return nil, f.named(err)
	}
	f.name = name
	if f.file, err = f.home.OpenFile(f.name, os.O_RDWR|bypass, 0); err != nil {
		f.file = nil
	} else if !same(f.file, f.plain) { // in a folder of everybody
		f.file.Close()
		f.file = nil
	}
	if unlinked && f.home.Remove(f.name) == nil {
		f.home.Close()
		f.home = nil
	}
	if err := reserve(f.plain, size); err != nil {
		return nil, fmt.Errorf("a scratch file of %d bytes in %s: %w", size, dir, err)
	}
	return f, nil
}

// create creates the file, which only this user may open, under a name that is free.
func (f *File) create() (name string, err error) {
	const tries = 100
	for try := 0; ; try++ {
		name = fmt.Sprintf(".nmu-scratch-%016x", rand.Uint64())
		f.plain, err = f.home.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if !errors.Is(err, fs.ErrExist) || try == tries {
			return name, err
		}
	}
}

// same says whether two open files are the same file.
func same(a, b *os.File) bool {
	x, err := a.Stat()
	if err != nil {
		return false
	}
	y, err := b.Stat()
	return err == nil && os.SameFile(x, y)
}

// Close closes the file and removes a scratch file.
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
	if f.home != nil {
		if f.name != "" {
			err = errors.Join(err, f.home.Remove(f.name))
		}
		err = errors.Join(err, f.home.Close())
	}
	return err
}

// ReadAt fills p from offset and returns the number of bytes read. The address and length of p
// and the offset must be multiples of Page. At the end of the file n is smaller, without an
// error.
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
	return n, f.named(err)
}

// named returns an error about a scratch file with its folder in place of its name, which says
// nothing to a user and is gone.
func (f *File) named(err error) error {
	var e *fs.PathError
	if f.folder == "" || !errors.As(err, &e) {
		return err
	}
	return &fs.PathError{Op: e.Op, Path: "a scratch file in " + f.folder, Err: e.Err}
}

// WriteAt writes p at offset. The address and length of p and the offset must be multiples of
// Page.
func (f *File) WriteAt(p []byte, offset int64) (err error) {
	if f.file != nil {
		_, err = f.file.WriteAt(p, offset)
	}
	if f.file == nil || refused(err) {
		_, err = f.plain.WriteAt(p, offset)
	}
	return f.named(err)
}
