package direct

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

const (
	piece     = 2 << 20   // of a file that is read or written at once
	atOnce    = 4         // pieces
	sample    = 256 << 20 // of a file that is read or written at most
	longSpeed = 300 * time.Millisecond
)

// ReadSpeed returns the speed of reading a file in bytes per second.
func ReadSpeed(path string) (float64, error) {
	f, err := Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	rate, _, err := speed(info.Size(), f.ReadAt)
	return rate, err
}

// ScratchSpeeds returns the speed of writing a file of at most this size in dir and, if reads is true, of reading it, in
// bytes per second.
func ScratchSpeeds(dir string, size int64, reads bool) (write, read float64, err error) {
	size = min(size, sample)
	f, err := Scratch(dir, RoundUp(size))
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	write, written, err := speed(size, func(p []byte, offset int64) (int, error) { return len(p), f.WriteAt(p, offset) })
	if err == nil && reads {
		read, _, err = speed(written, f.ReadAt)
	}
	return write, read, err
}

// speed moves pieces of a file of the given size until the rate is reliable. all is the number
// of bytes moved.
func speed(size int64, move func(p []byte, offset int64) (int, error)) (rate float64, all int64, err error) {
	var next, moved atomic.Int64
	var failed atomic.Pointer[error]
	begun := time.Now()
	var movers sync.WaitGroup
	for range atOnce {
		movers.Go(func() {
			p := Bytes(Make[float32](piece / 4))
			for failed.Load() == nil && time.Since(begun) < longSpeed {
				offset := (next.Add(1) - 1) * piece
				if offset+piece > min(size, sample) {
					return
				}
				n, err := move(p, offset)
				if err != nil {
					failed.Store(&err)
				}
				moved.Add(int64(n))
			}
		})
	}
	movers.Wait()
	if err := failed.Load(); err != nil {
		return 0, 0, *err
	}
	took := time.Since(begun).Seconds()
	if moved.Load() == 0 || took <= 0 {
		return 0, 0, fmt.Errorf("%w: the file is too small to tell", os.ErrInvalid)
	}
	return float64(moved.Load()) / took, moved.Load(), nil
}
