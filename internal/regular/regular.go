// Package regular opens regular files and nothing else. The name of a file may come from a
// stranger or from another file. A named pipe would block the program for ever, and a device
// such as /dev/zero has no end. Standard input is not opened by name, so this package does not
// handle it.
package regular

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"nmu/internal/memory"
)

// ErrNotRegular reports a directory, a named pipe, a device or a socket in place of a regular
// file.
var ErrNotRegular = errors.New("not a regular file")

// ErrTooLarge reports a file that is too large for ReadFile.
var ErrTooLarge = errors.New("too large")

// Open opens a regular file, or a link to one, for reading. It never waits for a writer. The
// error wraps ErrNotRegular, or is that of the system.
func Open(path string) (*os.File, error) { return OpenFile(path, 0) }

// OpenFile is Open with more flags of os.OpenFile.
func OpenFile(path string, flag int) (*os.File, error) {
	return checked(path)(os.OpenFile(path, os.O_RDONLY|nonblock|flag, 0))
}

// OpenIn is Open for a path that does not leave root.
func OpenIn(root *os.Root, path string) (*os.File, error) {
	return checked(path)(root.OpenFile(path, os.O_RDONLY|nonblock, 0))
}

// checked returns a function that closes a file that is not regular.
func checked(path string) func(file *os.File, err error) (*os.File, error) {
	return func(file *os.File, err error) (*os.File, error) {
		if err != nil {
			return nil, err
		}
		info, err := file.Stat()
		if err == nil && !info.Mode().IsRegular() {
			err = &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("%s, %w", kind(info.Mode()), ErrNotRegular)}
		}
		if err != nil {
			file.Close()
			return nil, err
		}
		return file, nil
	}
}

// kind names the kind of a file that is not regular.
func kind(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeDevice != 0:
		return "a device"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "something else"
}

// MostRecord is the largest size in bytes of a JSON file about a run. It has room for the names of
// millions of rows.
const MostRecord = 1 << 28

// ReadFile returns the content of a regular file of at most most bytes, and at most an eighth of the
// free memory. The error wraps ErrTooLarge, ErrNotRegular, or is that of the system.
func ReadFile(path string, most int64) ([]byte, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readAll(file, path, min(most, memory.Free()/8))
}

// ReadIn is ReadFile of at most MostRecord bytes for a path that does not leave root.
func ReadIn(root *os.Root, path string) ([]byte, error) {
	file, err := OpenIn(root, path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readAll(file, path, min(MostRecord, memory.Free()/8))
}

// SHA256 returns the hash of a file that one of the functions above has opened, in hexadecimal, and its
// size, and closes it. It reads no further than the size at the time of the call, even if the file grows.
func SHA256(file *os.File, err error) (sum string, size int64, _ error) {
	if err != nil {
		return "", 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", 0, err
	}
	h := sha256.New()
	size, err = io.Copy(h, io.LimitReader(file, info.Size()))
	return hex.EncodeToString(h.Sum(nil)), size, err
}

// Sample takes files up to wholeSample bytes whole, of longer ones as many bytes in blocks
// that are spread evenly, as no process is to read all of a matrix of which it has a part.
const (
	wholeSample = 64 << 20
	sampleBlock = 64 << 10
)

// Sample writes the size of a file, and the bytes by which processes compare their files.
func Sample(to io.Writer, path string) error {
	file, err := Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	if err := binary.Write(to, binary.LittleEndian, size); err != nil {
		return err
	}
	if size <= wholeSample {
		_, err := io.Copy(to, io.NewSectionReader(file, 0, size))
		return err
	}
	const last = wholeSample/sampleBlock - 1
	step := (size - sampleBlock) / last
	for k := range int64(last + 1) {
		at := k * step
		if k == last {
			at = size - sampleBlock
		}
		if _, err := io.Copy(to, io.NewSectionReader(file, at, sampleBlock)); err != nil {
			return err
		}
	}
	return nil
}

// readAll reads a file of at most limit bytes, which may grow meanwhile.
func readAll(file *os.File, path string, limit int64) ([]byte, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	var text []byte
	if info.Size() <= limit {
		text, err = io.ReadAll(io.LimitReader(file, limit+1))
	}
	if err == nil && (info.Size() > limit || int64(len(text)) > limit) {
		err = &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("%w: more than %d bytes", ErrTooLarge, limit)}
	}
	if err != nil {
		return nil, err
	}
	return text, nil
}
