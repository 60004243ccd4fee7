package block

import "nmu/internal/direct"

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

// The chunks of each member: enough to keep a disk busy that serves many requests at once,
// and little beside the factors. They change no bits. Tests set them. Not measured.
var (
	ChunkBytes  = 2 << 20 // bytes of a chunk
	SlotsOfEach = 4       // chunks of a member in memory
)

// The columns that are read of a matrix by rows. They change no bits. Not measured.
const (
	panelChunks = 128 // chunks that a panel of columns fills at most (256 MiB), unless one column is larger
	atOnce      = 8   // columns that are copied together: a cache line of float64
)
