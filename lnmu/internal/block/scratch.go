package block

import "nmu/internal/direct"

// File is a scratch file.
type File interface {
	ReadAt(p []byte, offset int64) (n int, err error)
	WriteAt(p []byte, offset int64) error
	Close() error
}

// NewScratch makes a scratch file of a size in a directory. Tests put one in its place
// that fails.
var NewScratch = func(dir string, size int64) (File, error) {
	f, err := direct.Scratch(dir, size)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// The size of chunks and their number for each member: enough to keep a disk busy that
// has many things to do at once, and little beside the factors. They do not change any
// bits. Tests set them.
var (
	ChunkBytes  = 2 << 20
	SlotsOfEach = 4
)
