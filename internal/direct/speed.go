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

// WriteSpeed returns the speed of writing a file of at most this size in dir, in bytes per
// second.
func WriteSpeed(dir string, size int64) (float64, error) {
	rate, _, err := writeSpeed(dir, size, func(*File, int64) (float64, error) { return 0, nil })
	return rate, err
}

// ScratchSpeeds returns the speeds of writing such a file and of reading it.
func ScratchSpeeds(dir string, size int64) (write, read float64, err error) {
	return writeSpeed(dir, size, func(f *File, written int64) (float64, error) {
		rate, _, err := speed(written, f.ReadAt)
		return rate, err
	})
}

// writeSpeed is WriteSpeed. It then calls then with the file and its number of bytes.
func writeSpeed(dir string, size int64, then func(f *File, written int64) (float64, error)) (rate, other float64, err error) {
	f, err := Scratch(dir, RoundUp(min(size, sample)))
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	rate, written, err := speed(min(size, sample), func(p []byte, offset int64) (int, error) { return len(p), f.WriteAt(p, offset) })
	if err == nil {
		other, err = then(f, written)
	}
	return rate, other, err
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
